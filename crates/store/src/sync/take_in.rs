//! Taking in what others published.

use crate::answer::{Synced, Warning};
use crate::database::Pages;
use crate::receive::{Received, receive};
use crate::writing::Writing;
use crate::{Result, Store, identity};
use memlore_exchange::{About, Listing, NotYet, Segment, Share, ShareFile, Take, take, weight};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::BTreeSet;

/// Reads the files of the share that are new or changed since they were last read.
pub(super) fn take_in(
    store: &mut Store,
    share: &dyn Share,
    listing: &Listing,
    synced: &mut Synced,
    warnings: &mut Vec<Warning>,
) -> Result<()> {
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
        return Ok(());
    }
    store.db.keep_pages(Pages::Many)?;
    let taken = new.into_iter().try_for_each(|file| take_one(store, share, file, synced, warnings));
    store.db.keep_pages(Pages::Few)?;
    taken
}

/// Reads one file of the share.
fn take_one(
    store: &mut Store,
    share: &dyn Share,
    file: &ShareFile,
    synced: &mut Synced,
    warnings: &mut Vec<Warning>,
) -> Result<()> {
    let taken = take(share, file);
    let problem = match &taken {
        Take::Taken(_) | Take::Ignored => None,
        // A listing may be older than what lies there.
        Take::NotYet(NotYet::Gone) => return Ok(()),
        Take::NotYet(why @ NotYet::Unreadable(_)) => Some(format!("{}: {why}; it is tried again", file.path)),
        Take::NotYet(why) => Some(format!("{}: {why}; it is tried again when it changes", file.path)),
        Take::Newer(what) => Some(format!("{}: a later version wrote it ({what})", file.path)),
        Take::Refused(problem) => Some(format!("{}: {problem}; it is ignored", file.path)),
    };
    let mut writing = Writing::begin(store)?;
    let mut received = Received::default();
    if let Take::Taken(segment) = &taken {
        received = receive(&mut writing, &segment.records)?;
        synced.segments += usize::from(received.records > 0);
        synced.records += received.records;
    }
    let segment = if let Take::Taken(segment) = &taken { Some(segment) } else { None };
    writing.read(|tx| match &taken {
        Take::NotYet(NotYet::Unreadable(_)) => remember_unread(tx, file, problem.as_deref()),
        _ => remember(tx, file, segment, problem.as_deref()),
    })?;
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
            "another copy of this replica wrote under its id too: what was written here goes on under a new id, \
             and what the other wrote is taken in"
                .to_owned(),
        );
    }
    writing.commit()?;
    if received.ahead_of_us || received.parted {
        store.me = store.db.read(identity::me)?;
    }
    warnings.extend(problem);
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

/// Remembers a file, and what it carries: names are hints only.
fn remember(
    db: &Connection,
    file: &ShareFile,
    segment: Option<&Segment>,
    problem: Option<&str>,
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "insert or replace into taken_files
             (path, size, mtime_us, inode, problem, replica, stream, first, last, hash, weight)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        file.path,
        file.stamp.size_bytes as i64,
        file.stamp.mtime_us,
        file.stamp.inode as i64,
        problem,
        segment.map(|segment| segment.replica.0),
        segment.map(|segment| segment.stream.number()),
        segment.map(Segment::first),
        segment.map(Segment::last),
        segment.and_then(|segment| segment.records.last()).map(|record| record.hash().0),
        segment.map(|segment| weight(&segment.records))
    ])?;
    Ok(())
}

/// Remembers a file that cannot be read now, under a size that no file has, so that it is tried again: what was held, or
/// only in the cloud, looks the same from outside when it can be read.
fn remember_unread(db: &Connection, file: &ShareFile, problem: Option<&str>) -> rusqlite::Result<()> {
    db.prepare_cached(
        "insert or replace into taken_files (path, size, mtime_us, inode, problem) values (?1, -1, 0, 0, ?2)",
    )?
    .execute(params![file.path, problem])?;
    Ok(())
}

/// Forgets files that are no longer there. One that comes back is read again, which is harmless.
fn forget_gone(store: &Store, listing: &Listing) -> Result<()> {
    if listing.cut {
        return Ok(());
    }
    let listed: BTreeSet<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
    let mut gone: Vec<String> = store
        .db
        .read(|db| db.prepare("select path from taken_files")?.query_map([], |row| row.get(0))?.collect())?;
    gone.retain(|path| !listed.contains(path.as_str()));
    if gone.is_empty() {
        return Ok(());
    }
    let tx = store.db.begin()?;
    let forget = || {
        let mut delete = tx.prepare_cached("delete from taken_files where path = ?1")?;
        gone.iter().try_for_each(|path| delete.execute([path]).map(drop))
    };
    forget().and_then(|()| tx.commit()).map_err(|error| store.db.trouble(error))
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
