//! Taking in what others published.

use super::untaken::Untaken;
use crate::answer::{Synced, Warning};
use crate::database::Pages;
use crate::receive::receive;
use crate::writing::Writing;
use crate::{Result, Store, TakingIn, identity};
use memlore_exchange::{
    About, Listing, NotYet, Segment, Share, ShareFile, ShareProblem, Take, list, take, weight,
};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::BTreeSet;

/// How often the share is listed again when files are gone that were listed.
const LISTED_AGAIN: usize = 2;

/// Lists the share and reads the files that are new or changed since they were last read; returns what is there now.
///
/// Their writer may merge files while we read them; the next listing has what they were merged into.
pub(super) fn take_in(
    store: &mut Store,
    share: &dyn Share,
    synced: &mut Synced,
    warnings: &mut Vec<Warning>,
) -> Result<std::result::Result<Listing, ShareProblem>> {
    let mut again = 0;
    loop {
        let listing = match list(share) {
            Ok(listing) => listing,
            Err(problem) => return Ok(Err(problem)),
        };
        let complete = take_listed(store, share, &listing, synced, warnings)?;
        if complete || again == LISTED_AGAIN {
            return Ok(Ok(listing));
        }
        again += 1;
    }
}

/// Reads the new files of one listing; returns whether all of them were still there.
fn take_listed(
    store: &mut Store,
    share: &dyn Share,
    listing: &Listing,
    synced: &mut Synced,
    warnings: &mut Vec<Warning>,
) -> Result<bool> {
    note_replicas(store, share, listing)?;
    forget_gone(store, listing)?;
    let mut new = Vec::new();
    for file in &listing.files {
        if store.db.read(|db| is_new(db, file))? {
            new.push(file);
        }
    }
    // As the records follow one another, so that none has to wait for what the next file holds.
    new.sort_by_key(|file| file.name.map(|name| name.first));
    if new.is_empty() {
        return Ok(true);
    }
    store.db.keep_pages(Pages::Many)?;
    let mut untaken = Untaken::default();
    let mut complete = true;
    let all_bytes = new.iter().fold(0, |sum: u64, file| sum.saturating_add(file.stamp.size_bytes));
    let mut far = TakingIn { bytes: 0, all_bytes };
    let taken = new.into_iter().try_for_each(|file| {
        (store.open.on_taking_in)(far);
        match take(share, file) {
            Take::Taken(segment) => take_one(store, file, &segment, far, synced, warnings)?,
            Take::NotYet(NotYet::Gone) => complete = false,
            other => untaken.note(store, file, &other, warnings)?,
        }
        far.bytes = far.bytes.saturating_add(file.stamp.size_bytes);
        (store.open.on_taking_in)(far);
        Ok(())
    });
    let taken = taken.and_then(|()| untaken.finish(store, warnings)).map(|()| complete);
    store.db.keep_pages(Pages::Few)?;
    taken
}

/// Takes in one segment.
fn take_one(
    store: &mut Store,
    file: &ShareFile,
    segment: &Segment,
    far: TakingIn,
    synced: &mut Synced,
    warnings: &mut Vec<Warning>,
) -> Result<()> {
    let mut writing = Writing::begin(store)?;
    let on_taking_in = &writing.store.open.on_taking_in;
    let on_the_way = |records: usize| {
        let part = file.stamp.size_bytes / segment.records.len() as u64 * records as u64;
        on_taking_in(TakingIn { bytes: far.bytes.saturating_add(part), ..far });
    };
    let received = receive(&mut writing, &segment.records, &on_the_way)?;
    synced.segments += usize::from(received.records > 0);
    synced.records += received.records;
    writing.read(|tx| remember(tx, file, segment))?;
    if received.ahead_of_us {
        writing.read(|tx| identity::mint(tx, &writing.store.open))?;
        warnings.push(
            "the share held more of this replica's records than its own database: it was restored or \
             copied, so it goes on under a new id"
                .to_owned(),
        );
    }
    if received.parted {
        warnings.push(
            "another copy of this replica wrote under its id too: both histories are kept, and this one goes on \
             under a new id"
                .to_owned(),
        );
    }
    writing.commit()?;
    if received.ahead_of_us || received.parted {
        store.me = store.db.read(identity::me)?;
    }
    Ok(())
}

fn is_new(db: &Connection, file: &ShareFile) -> rusqlite::Result<bool> {
    db.prepare_cached(
        "select not exists (select 1 from taken_files
             where path = ?1 and size = ?2 and mtime_us = ?3 and inode = ?4)",
    )?
    .query_row(
        params![file.path, file.stamp.size_bytes as i64, file.stamp.mtime_us, file.stamp.inode as i64],
        |row| row.get(0),
    )
}

/// Remembers a segment, and what it carries: names are hints only.
fn remember(db: &Connection, file: &ShareFile, segment: &Segment) -> rusqlite::Result<()> {
    db.prepare_cached(
        "insert or replace into taken_files
             (path, size, mtime_us, inode, replica, stream, first, last, hash, weight)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        file.path,
        file.stamp.size_bytes as i64,
        file.stamp.mtime_us,
        file.stamp.inode as i64,
        segment.replica.0,
        segment.stream.number(),
        segment.first(),
        segment.last(),
        segment.records.last().map(|record| record.hash().0),
        weight(&segment.records)
    ])?;
    Ok(())
}

/// Forgets files that are no longer there. One that comes back is read again, which is harmless.
fn forget_gone(store: &Store, listing: &Listing) -> Result<()> {
    if listing.cut {
        return Ok(());
    }
    let listed: BTreeSet<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
    let known: Vec<String> = store
        .db
        .read(|db| db.prepare("select path from taken_files")?.query_map([], |row| row.get(0))?.collect())?;
    let gone: Vec<&str> = known.iter().map(String::as_str).filter(|path| !listed.contains(path)).collect();
    forget(store, &gone)
}

/// Forgets files that were taken.
pub(crate) fn forget(store: &Store, paths: &[&str]) -> Result<()> {
    if paths.is_empty() {
        return Ok(());
    }
    let tx = store.db.begin()?;
    let delete = || {
        let mut delete = tx.prepare_cached("delete from taken_files where path = ?1")?;
        paths.iter().try_for_each(|path| delete.execute([path]).map(drop))
    };
    delete().and_then(|()| tx.commit()).map_err(|error| store.db.trouble(error))
}

/// Remembers which replicas there are, and what they say of themselves, for people.
fn note_replicas(store: &Store, share: &dyn Share, listing: &Listing) -> Result<()> {
    for replica in &listing.replicas {
        let known: Option<Option<String>> = store.db.read(|db| {
            db.query_row("select device from replicas where id = ?1", [replica.0], |row| row.get(0))
                .optional()
        })?;
        if matches!(known, Some(Some(_))) || *replica == store.me.id {
            continue;
        }
        let path = memlore_exchange::about_path(*replica);
        let about = share.read(&path, 64 * 1024).ok();
        let about = about.and_then(|bytes| About::from_json(&String::from_utf8_lossy(&bytes)));
        if let Some(about) = about {
            let tx = store.db.begin()?;
            let write = || {
                let number = crate::writing::replica_number(&tx, *replica)?;
                tx.execute("update replicas set device = ?2 where num = ?1", params![number, about.device])
            };
            write().and_then(|_| tx.commit()).map_err(|error| store.db.trouble(error))?;
        }
    }
    Ok(())
}
