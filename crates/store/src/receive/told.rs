//! What records say, read from their bytes: the costly part of taking them in, and it asks nothing of the store.

use crate::Result;
use crate::sessions::SessionRecord;
use memlore_model::change::{self, ReadChange};
use memlore_model::{Kind, Record, Stream};
use std::sync::mpsc::sync_channel;
use std::thread;

/// How many records are read at a time.
const BATCH: usize = 256;

/// How many such batches are read ahead.
const AHEAD: usize = 2;

/// What one record says.
pub(super) enum Told {
    /// A change that can be read.
    Change(ReadChange),
    /// Something of a conversation.
    Session(SessionRecord),
    /// Something else, or nothing that this version can read.
    Other,
}

impl Told {
    /// Reads a record.
    pub(super) fn by(record: &Record) -> Self {
        let told = match (record.name.stream, record.kind, record.payload.bytes()) {
            (Stream::Sessions, ..) => SessionRecord::read(record).map(Self::Session),
            (Stream::Memory, Kind::CHANGE, Some(payload)) => change::read(payload).ok().map(Self::Change),
            (Stream::Memory, ..) => None,
        };
        told.unwrap_or(Self::Other)
    }
}

/// Hands over each record of a run, in order, with what it says. The next ones are read on another core meanwhile.
pub(super) fn read_ahead<'r>(
    records: &'r [Record],
    mut take: impl FnMut(&'r Record, Option<Told>) -> Result<()>,
) -> Result<()> {
    let one_core = thread::available_parallelism().is_ok_and(|cores| cores.get() == 1);
    if records.len() <= BATCH || one_core {
        return records.iter().try_for_each(|record| take(record, None));
    }
    let (read, told) = sync_channel::<Vec<Told>>(AHEAD);
    // The receiver goes when taking them in fails: then the reader ends too.
    thread::scope(move |scope| {
        scope.spawn(move || {
            for batch in records.chunks(BATCH) {
                if read.send(batch.iter().map(Told::by).collect()).is_err() {
                    return;
                }
            }
        });
        for batch in records.chunks(BATCH) {
            let told = told.recv().unwrap_or_default();
            let told = told.into_iter().map(Some).chain(std::iter::repeat_with(|| None));
            batch.iter().zip(told).try_for_each(|(record, told)| take(record, told))?;
        }
        Ok(())
    })
}
