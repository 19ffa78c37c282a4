//! What the files of the share carry, as they were read.

use crate::branch::{Branch, family, find, lineage};
use crate::{Result, Store};
use memlore_exchange::{Listing, OwnFile, Run, stream_folder};
use memlore_model::{RecordHash, ReplicaId, Stream};
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

/// The segments of one listing.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    files: HashMap<(ReplicaId, Stream), Vec<CarriedFile>>,
    /// Whether the listing had an end: what is not in it may be there all the same.
    pub(crate) whole: bool,
}

/// A file of the share, and the run of records in it.
#[derive(Clone, Debug)]
pub(crate) struct CarriedFile {
    pub(crate) path: String,
    pub(crate) run: Run,
    /// The hash of the last record, which stands for all before it.
    pub(crate) hash: RecordHash,
    /// The number under which the last record stands here; none when it waits, or contradicts what is here.
    at: Option<i64>,
    weight: u64,
    /// Since when other files carry all of it.
    pub(crate) superseded_us: Option<u64>,
}

impl CarriedFile {
    pub(crate) fn own_file(&self) -> OwnFile {
        OwnFile { path: self.path.clone(), run: self.run, weight: self.weight }
    }

    /// Whether it lies where the writer of a stream publishes it.
    pub(crate) fn is_the_writers(&self, written: ReplicaId, stream: Stream) -> bool {
        let below = self.path.strip_prefix(&stream_folder(written, stream));
        below.is_some_and(|name| name.starts_with('/'))
    }
}

impl Carried {
    /// What the files of a listing carry. All of them were looked at before.
    pub(crate) fn read(store: &Store, listing: &Listing) -> Result<Self> {
        let listed: BTreeSet<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
        let mut files: HashMap<_, Vec<_>> = HashMap::new();
        let mut families = HashMap::new();
        store.db.read(|db| {
            let mut query = db.prepare_cached(
                "select path, replica, stream, first, last, hash, weight, superseded_us from taken_files
                 where replica is not null order by path",
            )?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                let path: String = row.get(0)?;
                let Some(stream) = Stream::from_number(row.get(2)?) else { continue };
                if !listed.contains(path.as_str()) {
                    continue;
                }
                let written = ReplicaId(row.get(1)?);
                if let Entry::Vacant(unknown) = families.entry(written) {
                    unknown.insert(family(db, written)?);
                }
                let run = Run { first: row.get(3)?, last: row.get(4)? };
                let hash = RecordHash(row.get(5)?);
                let at = find(db, &families[&written], stream, run.last, |known| known == hash)?;
                let (weight, superseded_us) = (row.get(6)?, row.get(7)?);
                let file = CarriedFile { path, run, hash, at, weight, superseded_us };
                files.entry((written, stream)).or_default().push(file);
            }
            Ok(())
        })?;
        Ok(Self { files, whole: !listing.cut })
    }

    /// The files that carry records of this branch, as we have them.
    ///
    /// A file that contradicts what we have carries nothing of it; one that ends in a branch which goes on from this
    /// one carries this one up to its end.
    pub(crate) fn of(&self, store: &Store, branch: Branch) -> Result<Vec<&CarriedFile>> {
        let files = self.files_of(branch);
        let mut goes_on: HashMap<i64, bool> = HashMap::new();
        store.db.read(|db| {
            let mut carrying = Vec::new();
            for file in files {
                let Some(at) = file.at else { continue };
                if let Entry::Vacant(unknown) = goes_on.entry(at) {
                    let is_it = at == branch.number;
                    unknown.insert(is_it || lineage(db, at, branch.stream)?.contains(&branch.number));
                }
                if goes_on[&at] {
                    carrying.push(file);
                }
            }
            Ok(carrying)
        })
    }

    /// The files whose last record is one of this branch.
    pub(crate) fn ending_in(&self, branch: Branch) -> Vec<&CarriedFile> {
        self.files_of(branch).iter().filter(|file| file.at == Some(branch.number)).collect()
    }

    /// Those of them that their writer published itself.
    pub(crate) fn of_writer(&self, branch: Branch) -> Vec<&CarriedFile> {
        let mut files = self.ending_in(branch);
        files.retain(|file| file.is_the_writers(branch.written, branch.stream));
        files
    }

    /// The files of a stream that end in a record which stands nowhere yet.
    pub(crate) fn unplaced(&self, written: ReplicaId, stream: Stream) -> impl Iterator<Item = &CarriedFile> {
        let files = self.files.get(&(written, stream)).map_or(&[][..], Vec::as_slice);
        files.iter().filter(|file| file.at.is_none())
    }

    fn files_of(&self, branch: Branch) -> &[CarriedFile] {
        self.files.get(&(branch.written, branch.stream)).map_or(&[], Vec::as_slice)
    }
}
