//! One exchange with the share: what others published comes in, what we have goes out.

use crate::answer::{Answered, ShareTrouble, Synced, Warning};
use crate::database::Pages;
use crate::operate::Books;
use crate::place::OpenedShare;
use crate::receive::{Received, receive, run};
use crate::views::{Trust, take_conflict_copies};
use crate::writing::Writing;
use crate::{Error, Result, Store, copied, identity, sessions};
use memlore_exchange::{
    About, Effort, Listing, MarkerDecision, MarkerFacts, Refusal, Share, ShareFile, ShareProblem, StoreId,
    Take, decide, fit, list, make_marker, publish, publish_about, publish_kept, take,
};
use memlore_model::{ReplicaId, Stream};
use rusqlite::{OptionalExtension as _, params};
use std::collections::BTreeSet;

/// How many records are read into memory at once to be published.
const PUBLISHED_AT_ONCE: u64 = 10_000;

/// Whether the conversations of another program in this home are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follow {
    Yes,
    No,
}

/// Exchanges once. A share that is named here is made ours, when it is nobody else's, and remembered.
pub(crate) fn sync(store: &mut Store, named: Option<&str>, follow: Follow) -> Result<Answered<Synced>> {
    let mut synced = Synced::default();
    let mut warnings = take_pending(store);
    let address = named.map(in_full).or_else(|| store.config.share.clone());
    let share = match address.as_ref().map(|address| open_share(store, address)).transpose() {
        Ok(share) => share,
        Err(problem) => {
            synced.share_problem = Some(trouble_of(&problem));
            None
        }
    };
    let usable = match &share {
        None => false,
        Some(share) => match enter(store, share, named.is_some()) {
            Ok(()) => true,
            Err(trouble) => {
                synced.share_problem = Some(trouble);
                false
            }
        },
    };
    if usable && named.is_some() && store.config.share != address {
        store.config.share.clone_from(&address);
        store.config.save(&store.open.state)?;
    }
    let mut listing = None;
    if usable && let Some(share) = &share {
        match list(&**share) {
            Ok(found) => {
                take_in(store, &**share, &found, &mut synced, &mut warnings)?;
                listing = Some(found);
            }
            Err(problem) => synced.share_problem = Some(trouble_of(&problem)),
        }
    }
    // After the records of others: what another device took from the same conversations is not taken again.
    if follow == Follow::Yes {
        warnings.extend(follow_hermes(store));
    }
    // The records of others come before the edits of files: a file may show what they already tell.
    let copies = take_conflict_copies(store)?;
    warnings.extend(copies.warnings);
    let edits = store.bring_views_up_to_date(Books::All, Trust::Evidence)?;
    synced.edits = edits.answer;
    synced.edits.added += copies.answer;
    warnings.extend(edits.warnings);
    settle_copied(store, &mut warnings)?;
    if let (Some(share), Some(listing)) = (&share, &listing)
        && let Err(problem) = publish_missing(store, &**share, listing, &mut synced)
    {
        synced.share_problem = Some(trouble_of(&problem));
    }
    synced.waiting = waiting(store)?;
    synced.views = store.views()?;
    Ok(Answered { answer: synced, warnings })
}

/// Takes in what is pending. What stands in the way of it is told and stops nothing.
fn take_pending(store: &mut Store) -> Vec<Warning> {
    match sessions::recover(store) {
        Ok((_, told)) => told,
        Err(error) => vec![format!("pending messages wait: {}", sessions::told(&error))],
    }
}

/// Takes in what hermes-agent wrote since the last time, when this is its home.
fn follow_hermes(store: &Store) -> Option<Warning> {
    let state_db = store.open.home.join("state.db");
    let followed = state_db.is_file().then(|| sessions::import_hermes(store, &state_db))?;
    let wait = |error| format!("the conversations of hermes-agent wait: {}", sessions::told(&error));
    followed.err().map(wait)
}

/// A folder is remembered by its whole path: the next command may be run elsewhere.
fn in_full(address: &str) -> String {
    match std::path::absolute(address) {
        Ok(path) if !address.contains("://") => path.to_string_lossy().into_owned(),
        _ => address.to_owned(),
    }
}

fn open_share(store: &Store, address: &str) -> std::result::Result<OpenedShare, ShareProblem> {
    let staging = store.open.state.join("staging");
    clear(&staging);
    store.open.share(address, &staging)
}

/// Removes what a killed process left of files on their way to the share; what is fresh may be another process's.
fn clear(staging: &std::path::Path) {
    const LEFT_BEHIND: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);
    for entry in std::fs::read_dir(staging).into_iter().flatten().flatten() {
        let age =
            entry.metadata().and_then(|metadata| metadata.modified()).map(|modified| modified.elapsed());
        if matches!(age, Ok(Ok(age)) if age > LEFT_BEHIND) {
            drop(std::fs::remove_file(entry.path()));
        }
    }
}

/// Looks whether the share is ours, and makes or adopts its marker where that is right.
fn enter(store: &Store, share: &OpenedShare, named: bool) -> std::result::Result<(), ShareTrouble> {
    let unusable = |what: String| ShareTrouble { what, foreign: false, newer: false };
    if let Some(folder) = &share.folder {
        refuse_our_own_folders(store, folder)?;
        if named && !folder.exists() && folder.parent().is_some_and(std::path::Path::is_dir) {
            // Somebody named a folder to be made; a share that was known and is gone is never made again.
            if store.config.share.as_deref().is_none_or(|known| std::path::Path::new(known) != folder) {
                drop(std::fs::create_dir(folder));
            }
        }
    }
    let is_there = share.folder.as_ref().is_none_or(|folder| folder.is_dir());
    let share: &dyn Share = &**share;
    let accepted = accepted(store).map_err(|error| unusable(error.to_string()))?;
    let own = own_ids(store).map_err(|error| unusable(error.to_string()))?;
    let facts = MarkerFacts::gather(share, &own, &accepted, named).map_err(|problem| trouble_of(&problem))?;
    match decide(&facts) {
        MarkerDecision::Use => Ok(()),
        MarkerDecision::Adopt(stores) => accept(store, &stores).map_err(|error| unusable(error.to_string())),
        MarkerDecision::Make => {
            let id = first_store(store).map_err(|error| unusable(error.to_string()))?;
            make_marker(share, id).map_err(|problem| trouble_of(&problem))?;
            // Another device may have made one at the same moment; what is there now decides.
            let facts = MarkerFacts::gather(share, &own, &BTreeSet::from([id]), named)
                .map_err(|problem| trouble_of(&problem))?;
            accept(store, &facts.stores().chain([id]).collect()).map_err(|error| unusable(error.to_string()))
        }
        MarkerDecision::Missing if is_there => Err(unusable(format!(
            "{} has lost its marker memlore.json; `memlore sync --share` uses the folder again",
            share.title()
        ))),
        MarkerDecision::Missing => Err(unusable(format!(
            "{} is not there; it is used again when it is, and a new one is made where the folder above it exists",
            share.title()
        ))),
        MarkerDecision::Refuse(refusal) => Err(ShareTrouble {
            foreign: matches!(refusal, Refusal::Foreign(_) | Refusal::NotNamed | Refusal::NotEmpty),
            newer: matches!(refusal, Refusal::Newer(_)),
            what: refusal.to_string(),
        }),
    }
}

/// The share is a mailbox and holds nothing else: neither the home nor a replica's own folder can be one.
fn refuse_our_own_folders(store: &Store, share: &std::path::Path) -> std::result::Result<(), ShareTrouble> {
    let title = share.display().to_string();
    let refuse =
        |what: &str| Err(ShareTrouble { what: format!("{title} {what}"), foreign: true, newer: false });
    if share.to_string_lossy().contains("://") {
        return refuse("is an address of a kind that this program does not know");
    }
    let Ok(share) = share.canonicalize() else { return Ok(()) };
    let home = store.open.home.canonicalize().unwrap_or_default();
    let state = store.open.state.canonicalize().unwrap_or_default();
    if share == home {
        return refuse("cannot be the home itself; name a folder of its own, inside or outside of it");
    }
    if share.starts_with(&state) || state.starts_with(&share) && state != std::path::Path::new("") {
        return refuse("overlaps the state folder, which is never synced; name another folder");
    }
    Ok(())
}

fn trouble_of(problem: &ShareProblem) -> ShareTrouble {
    let mut what = problem.to_string();
    let mut cause = std::error::Error::source(problem);
    while let Some(inner) = cause {
        what.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    ShareTrouble { what, foreign: false, newer: false }
}

fn accepted(store: &Store) -> Result<BTreeSet<StoreId>> {
    store.db.read(|db| {
        let ids: Vec<String> = db
            .prepare("select id from stores")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
    })
}

fn accept(store: &Store, stores: &BTreeSet<StoreId>) -> Result<()> {
    let tx = store.db.begin()?;
    let insert = || {
        for id in stores {
            tx.execute(
                "insert or ignore into stores (id, first) values (?1, not exists (select 1 from stores))",
                [id.to_string()],
            )?;
        }
        Ok(())
    };
    insert().and_then(|()| tx.commit()).map_err(|error| store.db.trouble(error))
}

/// The store's id: that of the first share it met, or a new one.
fn first_store(store: &Store) -> Result<StoreId> {
    let known: Option<String> = store
        .db
        .read(|db| db.query_row("select id from stores where first = 1", [], |row| row.get(0)).optional())?;
    if let Some(id) = known.and_then(|id| id.parse().ok()) {
        return Ok(id);
    }
    let mut id = [0; 16];
    (store.open.random)(&mut id);
    Ok(StoreId(id))
}

fn own_ids(store: &Store) -> Result<Vec<ReplicaId>> {
    let former = store.db.read(identity::former_ids)?;
    Ok(former.iter().map(|former| former.id).chain([store.me.id]).collect())
}

/// Reads the files of the share that are new or changed since they were last read.
fn take_in(
    store: &mut Store,
    share: &dyn Share,
    listing: &Listing,
    synced: &mut Synced,
    warnings: &mut Vec<Warning>,
) -> Result<()> {
    note_replicas(store, share, listing)?;
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
    writing.read(|tx| remember(tx, file, problem.as_deref()))?;
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

fn is_new(db: &rusqlite::Connection, file: &ShareFile) -> rusqlite::Result<bool> {
    db.prepare_cached(
        "select not exists (select 1 from taken_files
             where path = ?1 and size = ?2 and mtime_us = ?3 and inode = ?4)",
    )?
    .query_row(
        params![file.path, file.stamp.size_bytes as i64, file.stamp.mtime_us, file.stamp.inode as i64],
        |row| row.get(0),
    )
}

fn remember(db: &rusqlite::Connection, file: &ShareFile, problem: Option<&str>) -> rusqlite::Result<()> {
    db.prepare_cached(
        "insert or replace into taken_files (path, size, mtime_us, inode, problem) values (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        file.path,
        file.stamp.size_bytes as i64,
        file.stamp.mtime_us,
        file.stamp.inode as i64,
        problem
    ])?;
    Ok(())
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

fn settle_copied(store: &Store, warnings: &mut Vec<Warning>) -> Result<()> {
    let any: bool =
        store.db.read(|db| db.query_row("select exists (select 1 from copied)", [], |row| row.get(0)))?;
    if any {
        let settled = store.operate(Books::All, |writing, _| copied::settle(writing))?;
        warnings.extend(settled.warnings);
    }
    Ok(())
}

/// Publishes every record of ours that no file in our folder carries.
fn publish_missing(
    store: &Store,
    share: &dyn Share,
    listing: &Listing,
    synced: &mut Synced,
) -> std::result::Result<(), ShareProblem> {
    let reading = |error: Error| ShareProblem::Read {
        path: "the database".into(),
        source: std::io::Error::other(error),
    };
    let me = (store.me.number, store.me.id);
    // A file of ours that cannot be taken carries nothing, whatever its name says.
    let unusable = store.db.read(unusable_files).map_err(reading)?;
    let mut listing = listing.clone();
    listing.files.retain(|file| !unusable.contains(&file.path));
    let listing = &listing;
    for stream in Stream::ALL {
        let head = store.db.read(|db| crate::writing::head(db, me.0, stream)).map_err(reading)?;
        for (first, last) in missing(listing, &memlore_exchange::stream_folder(me.1, stream), head.seq_last) {
            publish_run(store, me, stream, (first, last), synced, &|records| {
                publish(share, records, Effort::Quick)
            })?;
        }
    }
    for former in store.db.read(identity::former_ids).map_err(reading)? {
        for stream in Stream::ALL {
            let folder = memlore_exchange::stream_folder(former.id, stream);
            let gone = missing(listing, &folder, former.last(stream));
            let kept = memlore_exchange::kept_folder(me.1);
            let kept_there = listing.files.iter().any(|file| file.path.starts_with(&format!("{kept}/")));
            for (first, last) in gone.into_iter().filter(|_| !kept_there) {
                let of = (former.number, former.id);
                publish_run(store, of, stream, (first, last), synced, &|records| {
                    publish_kept(share, me.1, records, Effort::Quick)
                })?;
            }
        }
    }
    let about = About {
        device: store.open.device.clone(),
        agent: store.open.agent.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    publish_about(share, me.1, &about)
}

fn unusable_files(db: &rusqlite::Connection) -> rusqlite::Result<BTreeSet<String>> {
    db.prepare("select path from taken_files where problem is not null")?
        .query_map([], |row| row.get(0))?
        .collect()
}

fn publish_run(
    store: &Store,
    of: (i64, ReplicaId),
    stream: Stream,
    (mut first, last): (u64, u64),
    synced: &mut Synced,
    publish: &dyn Fn(
        &[memlore_model::Record],
    ) -> std::result::Result<memlore_exchange::Published, ShareProblem>,
) -> std::result::Result<(), ShareProblem> {
    while first <= last {
        let upto = last.min(first + PUBLISHED_AT_ONCE - 1);
        let records = run(store, of, stream, first, upto).map_err(|error| ShareProblem::Read {
            path: "the database".into(),
            source: std::io::Error::other(error),
        })?;
        let count = fit(&records);
        if count == 0 {
            return Ok(());
        }
        let published = publish(&records[..count])?;
        synced.published_segments += usize::from(!published.already);
        synced.published_records += if published.already { 0 } else { count };
        first += count as u64;
    }
    Ok(())
}

/// The runs of records that no file of a folder carries, by the files' names.
fn missing(listing: &Listing, folder: &str, last: u64) -> Vec<(u64, u64)> {
    let prefix = format!("{folder}/");
    let mut carried: Vec<(u64, u64)> = listing
        .files
        .iter()
        .filter(|file| file.path.starts_with(&prefix))
        .filter_map(|file| file.name.map(|name| (name.first, name.last)))
        .collect();
    carried.sort_unstable();
    let mut missing = Vec::new();
    let mut next = 1;
    for (first, end) in carried {
        if first > next {
            missing.push((next, (first - 1).min(last)));
        }
        next = next.max(end.saturating_add(1));
    }
    if next <= last {
        missing.push((next, last));
    }
    missing.retain(|(first, last)| first <= last);
    missing
}

/// What is not yet here, in sentences for people.
pub(crate) fn waiting(store: &Store) -> Result<Vec<String>> {
    store.db.read(|db| {
        let mut waiting: Vec<String> = db
            .prepare("select problem from taken_files where problem is not null order by path limit 100")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let records: Vec<(Vec<u8>, String, u64)> = db
            .prepare(
                "select replica, why, count(*) from waiting group by replica, why order by replica, why",
            )?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<rusqlite::Result<_>>()?;
        for (replica, why, count) in records {
            let replica = ReplicaId(replica.try_into().unwrap_or_default());
            waiting.push(match why.as_str() {
                "fork" => format!(
                    "{count} records of {replica} contradict others of the same number; they are kept"
                ),
                _ => format!("{count} records of {replica} wait for earlier ones"),
            });
        }
        Ok(waiting)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use memlore_exchange::{FileStamp, SegmentName};

    #[test]
    fn what_no_file_carries_is_missing() {
        let file = |first, last| ShareFile {
            path: format!("r/x/m/{}", SegmentName::new(first, last, &[0; 32])),
            replica: None,
            name: Some(SegmentName::new(first, last, &[0; 32])),
            stamp: FileStamp { size_bytes: 0, mtime_us: 0, inode: 0 },
            remote: false,
        };
        let listing = Listing { files: vec![file(6, 7), file(1, 3), file(2, 2)], ..Listing::default() };
        assert_eq!(missing(&listing, "r/x/m", 9), [(4, 5), (8, 9)]);
        assert_eq!(missing(&listing, "r/x/m", 7), [(4, 5)]);
        assert_eq!(missing(&listing, "r/y/m", 2), [(1, 2)]);
        assert_eq!(missing(&listing, "r/x/m", 0), []);
    }
}
