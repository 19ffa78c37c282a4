//! Which share this is, and whether it is ours to use.

use crate::answer::{ShareTrouble, ShareTroubleKind};
use crate::branch::branches;
use crate::place::{OpenedShare, folder_at};
use crate::{Result, Store, identity};
use memlore_exchange::{
    MarkerDecision, MarkerFacts, Refusal, Share, ShareProblem, StoreId, decide, make_marker,
};
use memlore_model::ReplicaId;
use rusqlite::OptionalExtension as _;
use std::collections::BTreeSet;

/// A folder is remembered by its whole path: the next command may be run elsewhere.
pub(super) fn in_full(address: &str) -> String {
    if let Some(folder) = folder_at(address) {
        return folder.to_string_lossy().into_owned();
    }
    match std::path::absolute(address) {
        Ok(path) if !address.contains("://") => path.to_string_lossy().into_owned(),
        _ => address.to_owned(),
    }
}

pub(super) fn open_share(store: &Store, address: &str) -> std::result::Result<OpenedShare, ShareProblem> {
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
pub(super) fn enter(
    store: &Store,
    share: &OpenedShare,
    named: bool,
) -> std::result::Result<(), ShareTrouble> {
    let unusable = |what: String| ShareTrouble { what, kind: ShareTroubleKind::Unreachable };
    if let Some(folder) = &share.folder {
        refuse_our_own_folders(store, folder)?;
        if named && !folder.exists() && folder.parent().is_some_and(std::path::Path::is_dir) {
            // Somebody named a folder to be made; a share that was known and is gone is never made again.
            if store.config.share.as_deref().is_none_or(|known| std::path::Path::new(known) != folder) {
                drop(std::fs::create_dir(folder));
            }
        }
    }
    let is_folder = share.folder.is_some();
    let share: &dyn Share = &**share;
    let accepted = accepted(store).map_err(|error| unusable(error.to_string()))?;
    let own = own_ids(store).map_err(|error| unusable(error.to_string()))?;
    // Only somebody who names a share can give it a marker.
    let known = if named { known_ids(store) } else { Ok(BTreeSet::new()) };
    let known = known.map_err(|error| unusable(error.to_string()))?;
    let facts =
        MarkerFacts::gather(share, &own, &known, &accepted, named).map_err(|problem| trouble_of(&problem))?;
    match decide(&facts) {
        MarkerDecision::Use => Ok(()),
        MarkerDecision::Adopt(stores) => {
            let nobody_knows_ours = facts.stores().all(|id| !accepted.contains(&id));
            let adopted = accept(store, &stores)
                .and_then(|()| if nobody_knows_ours { go_by(store, &stores) } else { Ok(()) });
            adopted.map_err(|error| unusable(error.to_string()))
        }
        MarkerDecision::Make => {
            let id = first_store(store).map_err(|error| unusable(error.to_string()))?;
            make_marker(share, id).map_err(|problem| trouble_of(&problem))?;
            // Another device may have made one at the same moment; what is there now decides.
            let facts = MarkerFacts::gather(share, &own, &known, &BTreeSet::from([id]), named)
                .map_err(|problem| trouble_of(&problem))?;
            accept(store, &facts.stores().chain([id]).collect()).map_err(|error| unusable(error.to_string()))
        }
        MarkerDecision::Missing if facts.there => Err(unusable(format!(
            "{} has lost its marker memlore.json; `memlore sync --share` uses it again",
            share.title()
        ))),
        MarkerDecision::Missing if !is_folder => Err(unusable(format!(
            "the bucket of {} is not there; it is used when it is, and memlore makes none",
            share.title()
        ))),
        MarkerDecision::Missing => Err(unusable(format!(
            "{} is not there; it is used again when it is, and a new one is made where the folder above it exists",
            share.title()
        ))),
        MarkerDecision::Refuse(refusal) => {
            let kind = match refusal {
                Refusal::Foreign(_) | Refusal::NotNamed | Refusal::NotEmpty => ShareTroubleKind::Foreign,
                Refusal::Newer(_) => ShareTroubleKind::Newer,
                _ => ShareTroubleKind::Unreachable,
            };
            Err(ShareTrouble { what: refusal.to_string(), kind })
        }
    }
}

/// The share is a mailbox and holds nothing else: neither the home nor a replica's own folder can be one.
fn refuse_our_own_folders(store: &Store, share: &std::path::Path) -> std::result::Result<(), ShareTrouble> {
    let title = share.display().to_string();
    let refuse =
        |what: &str| Err(ShareTrouble { what: format!("{title} {what}"), kind: ShareTroubleKind::Foreign });
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

pub(super) fn trouble_of(problem: &ShareProblem) -> ShareTrouble {
    let mut what = problem.to_string();
    let mut cause = std::error::Error::source(problem);
    while let Some(inner) = cause {
        what.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    let kind = match problem {
        ShareProblem::Address { .. } => ShareTroubleKind::Address,
        _ => ShareTroubleKind::Unreachable,
    };
    ShareTrouble { what, kind }
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

/// Takes another id for the store's: a marker is made with the one that the other replicas know.
fn go_by(store: &Store, stores: &BTreeSet<StoreId>) -> Result<()> {
    let Some(id) = stores.first() else { return Ok(()) };
    let tx = store.db.begin()?;
    let changed = tx.execute("update stores set first = (id = ?1)", [id.to_string()]);
    changed.and_then(|_| tx.commit()).map_err(|error| store.db.trouble(error))
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

/// The replicas whose records are here, by the ids that are written in them.
fn known_ids(store: &Store) -> Result<BTreeSet<ReplicaId>> {
    let branches = store.db.read(branches)?;
    Ok(branches.into_iter().map(|(branch, _)| branch.written).collect())
}

fn own_ids(store: &Store) -> Result<Vec<ReplicaId>> {
    let former = store.db.read(identity::former_ids)?;
    Ok(former.iter().map(|former| former.id).chain([store.me.id]).collect())
}
