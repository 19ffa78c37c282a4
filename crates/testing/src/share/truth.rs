//! What must have survived: whatever a living state holds, and whatever whole segments carry.

use super::device::Held;
use memlore_exchange::Segment;
use memlore_model::message::MessageRecord;
use memlore_model::{EntryId, Kind, Put, Record, RecordHash, Stream, change};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that somebody can still know.
///
/// Records whose predecessors no file carries any more may be known to nobody, so they may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// The entries, live or not.
    pub(super) added: BTreeMap<EntryId, String>,
    /// Those that were removed.
    pub(super) removed: BTreeSet<EntryId>,
    /// The messages.
    pub(super) said: BTreeSet<(i64, String)>,
    /// What is in records that may be lost: removals that may be seen or not.
    pub(super) perhaps_removed: BTreeSet<EntryId>,
}

impl Truth {
    /// Takes in what a store holds.
    pub(super) fn of_store(&mut self, held: &Held) {
        self.added.extend(held.live.iter().map(|(id, text)| (*id, text.clone())));
        self.removed.extend(&held.removed);
        self.said.extend(held.talk.iter().cloned());
    }

    /// Takes in what segments carry.
    pub(super) fn of_segments(&mut self, segments: &[Segment]) {
        let mut records: Vec<&Record> = segments.iter().flat_map(|segment| &segment.records).collect();
        records.sort_by_key(|record| record.name.seq);
        let mut reached: BTreeSet<RecordHash> = BTreeSet::new();
        for record in records {
            let first = record.name.seq == 1 && record.previous == RecordHash::NONE;
            if first || reached.contains(&record.previous) {
                reached.insert(record.hash());
                self.of_record(record);
            } else if let Some(read) = record.payload.bytes().and_then(|bytes| change::read(bytes).ok()) {
                self.perhaps_removed.extend(read.puts.iter().filter_map(removed));
            }
        }
    }

    fn of_record(&mut self, record: &Record) {
        let Some(bytes) = record.payload.bytes() else { return };
        match (record.name.stream, record.kind) {
            (Stream::Memory, Kind::CHANGE) => {
                let read = change::read(bytes).expect("whoever wrote it is one of us");
                self.removed.extend(read.puts.iter().filter_map(removed));
                for put in read.puts {
                    if let Put::Add(id, entry) = put {
                        self.added.insert(id, entry.text);
                    }
                }
            }
            (Stream::Sessions, Kind::MESSAGE) => {
                let told = MessageRecord::from_payload(bytes).expect("whoever wrote it is one of us");
                let fields = told.message.fields();
                let content = fields.iter().find(|(name, _)| name == "content");
                let content = content.map(|(_, value)| value.get().to_owned()).unwrap_or_default();
                self.said.insert((told.flush_us, content));
            }
            _ => {}
        }
    }

    /// What a store lacks of this, or has against it; nothing when it is right.
    pub(super) fn missed_by(&self, held: &Held) -> Option<String> {
        let shown: BTreeSet<&String> = held.shown.iter().collect();
        for (id, text) in &self.added {
            let gone = held.removed.contains(id);
            if self.removed.contains(id) {
                if !gone {
                    return Some(format!("{text:?} was removed, and the removal is lost"));
                }
            } else if gone && !self.perhaps_removed.contains(id) {
                return Some(format!("{text:?} is gone, and nobody removed it"));
            } else if !gone && !shown.contains(text) {
                return Some(format!("{text:?} is lost"));
            }
        }
        let talk: BTreeSet<(i64, String)> = held.talk.iter().cloned().collect();
        self.said.difference(&talk).next().map(|(_, content)| format!("the message {content} is lost"))
    }
}

fn removed(put: &Put) -> Option<EntryId> {
    match put {
        Put::Remove(id, _) => Some(*id),
        Put::Add(..) => None,
    }
}
