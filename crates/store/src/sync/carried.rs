//! What the files of the share carry, as they were read.

use crate::branch::{Branch, family, find, lineage};
use crate::{Result, Store};
use memlore_exchange::{Listing, OwnFile, Run};
use memlore_model::{RecordHash, ReplicaId};
use rusqlite::Connection;
use std::collections::{BTreeSet, HashMap};

/// The segments of one listing.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    files: HashMap<(ReplicaId, u8), Vec<CarriedFile>>,
    /// Whether the listing had an end: what is not in it may be there all the same.
    pub(crate) whole: bool,
}

/// A file of the share, and the run of records in it.
#[derive(Clone, Debug)]
pub(crate) struct CarriedFile {
    pub(crate) path: String,
    pub(crate) run: Run,
    /// The hash of the last record, which stands for all before it.
    hash: RecordHash,
    weight: u64,
    /// Since when other files carry all of it.
    pub(crate) superseded_us: Option<u64>,
}

impl CarriedFile {
    pub(crate) fn own_file(&self) -> OwnFile {
        OwnFile { path: self.path.clone(), run: self.run, weight: self.weight }
    }
}

impl Carried {
    /// What the files of a listing carry. All of them were looked at before.
    pub(crate) fn read(store: &Store, listing: &Listing) -> Result<Self> {
        let listed: BTreeSet<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
        let mut files: HashMap<_, Vec<_>> = HashMap::new();
        store.db.read(|db| {
            let mut query = db.prepare_cached(
                "select path, replica, stream, first, last, hash, weight, superseded_us from taken_files
                 where replica is not null order by path",
            )?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                let file = CarriedFile {
                    path: row.get(0)?,
                    run: Run { first: row.get(3)?, last: row.get(4)? },
                    hash: RecordHash(row.get(5)?),
                    weight: row.get(6)?,
                    superseded_us: row.get(7)?,
                };
                if listed.contains(file.path.as_str()) {
                    files.entry((ReplicaId(row.get(1)?), row.get(2)?)).or_default().push(file);
                }
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
        self.matching(store, branch, |db, number| {
            Ok(lineage(db, number, branch.stream)?.contains(&branch.number))
        })
    }

    /// The files whose last record is one of this branch.
    pub(crate) fn ending_in(&self, store: &Store, branch: Branch) -> Result<Vec<&CarriedFile>> {
        self.matching(store, branch, |_, number| Ok(number == branch.number))
    }

    fn matching(
        &self,
        store: &Store,
        branch: Branch,
        matches: impl Fn(&Connection, i64) -> rusqlite::Result<bool>,
    ) -> Result<Vec<&CarriedFile>> {
        let Some(files) = self.files.get(&(branch.written, branch.stream.number())) else {
            return Ok(Vec::new());
        };
        store.db.read(|db| {
            let family = family(db, branch.written)?;
            let mut matching = Vec::new();
            for file in files {
                let found = find(db, &family, branch.stream, file.run.last, |hash| hash == file.hash)?;
                if let Some(number) = found
                    && matches(db, number)?
                {
                    matching.push(file);
                }
            }
            Ok(matching)
        })
    }
}
