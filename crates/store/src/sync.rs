//! One exchange with the share: what others published comes in, what we have goes out.

mod carried;
mod enter;
mod publish;
mod rescue;
mod take_in;
mod untaken;
mod waiting;

pub(crate) use carried::{Carried, CarriedFile};
pub(crate) use publish::reading;
pub(crate) use take_in::forget;
pub(crate) use waiting::{behind, ignored, lacking, waiting};

use crate::answer::{Answered, Compacted, ShareTrouble, Synced, Warning};
use crate::compact::{Compacting, compact, tend};
use crate::operate::Books;
use crate::place::OpenedShare;
use crate::views::{Trust, take_conflict_copies};
use crate::{Result, Store, copied, sessions};
use enter::{enter, in_full, open_share, trouble_of};
use memlore_exchange::{Listing, Share, ShareProblem, list};
use publish::publish_missing;
use rescue::{Urgency, rescue};
use take_in::take_in;

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
    let mut share = enter_share(store, named, &mut synced)?;
    let mut listing = None;
    if let Some(entered) = &share {
        match take_in(store, &**entered, &mut synced, &mut warnings)? {
            Ok(found) => listing = Some(found),
            Err(problem) => {
                synced.share_problem = Some(trouble_of(&problem));
                share = None;
            }
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
    if let (Some(share), Some(listing)) = (&share, &listing) {
        let urgency = if named.is_some() { Urgency::AtOnce } else { Urgency::AfterAWhile };
        if let Err(problem) = give(store, &**share, listing, urgency, &mut synced) {
            synced.share_problem = Some(trouble_of(&problem));
        }
    }
    synced.waiting = waiting(store)?;
    synced.views = store.views()?;
    Ok(Answered { answer: synced, warnings })
}

/// Merges our own segments now, after taking in what the share holds.
pub(crate) fn compact_now(store: &mut Store, grace_us: u64) -> Result<Answered<Compacted>> {
    let (mut synced, mut warnings) = (Synced::default(), Vec::new());
    let mut compacted = Compacted::default();
    if let Some(share) = enter_share(store, None, &mut synced)? {
        match take_in(store, &*share, &mut synced, &mut warnings)? {
            Ok(listing) => {
                let carried = Carried::read(store, &listing)?;
                let how = Compacting::Now { grace_us };
                if let Err(problem) = compact(store, &*share, &carried, how, &mut compacted) {
                    synced.share_problem = Some(trouble_of(&problem));
                }
            }
            Err(problem) => synced.share_problem = Some(trouble_of(&problem)),
        }
    }
    compacted.share_problem = synced.share_problem;
    Ok(Answered { answer: compacted, warnings })
}

/// Opens the share and looks whether it is ours to use; a share that was named and is, is remembered.
fn enter_share(store: &mut Store, named: Option<&str>, synced: &mut Synced) -> Result<Option<OpenedShare>> {
    let Some(address) = named.map(in_full).or_else(|| store.config.share.clone()) else { return Ok(None) };
    let entered: std::result::Result<OpenedShare, ShareTrouble> = open_share(store, &address)
        .map_err(|problem| trouble_of(&problem))
        .and_then(|share| enter(store, &share, named.is_some()).map(|()| share));
    match entered {
        Ok(share) => {
            if named.is_some() && store.config.share.as_ref() != Some(&address) {
                store.config.share = Some(address);
                store.config.save(&store.open.state)?;
            }
            Ok(Some(share))
        }
        Err(trouble) => {
            synced.share_problem = Some(trouble);
            Ok(None)
        }
    }
}

/// Puts into the share what it lacks, and keeps our part of it tidy.
fn give(
    store: &Store,
    share: &dyn Share,
    listing: &Listing,
    urgency: Urgency,
    synced: &mut Synced,
) -> std::result::Result<(), ShareProblem> {
    let carried = Carried::read(store, listing).map_err(reading)?;
    publish_missing(store, share, &carried, synced)?;
    rescue(store, share, &carried, urgency, synced)?;
    tend(store, share, &carried, listing)
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

fn settle_copied(store: &Store, warnings: &mut Vec<Warning>) -> Result<()> {
    let any: bool =
        store.db.read(|db| db.query_row("select exists (select 1 from copied)", [], |row| row.get(0)))?;
    if any {
        let settled = store.operate(Books::All, |writing, _| copied::settle(writing))?;
        warnings.extend(settled.warnings);
    }
    Ok(())
}

/// Looks at the share, writes nothing, and tells what lies there.
pub(crate) fn look(store: &Store, address: &str) -> Result<Vec<String>> {
    let listing = match open_share(store, address).and_then(|share| list(&*share)) {
        Ok(listing) => listing,
        Err(problem) => return Ok(vec![trouble_of(&problem).what]),
    };
    let ours = format!("{}/", memlore_exchange::folder_of(store.me.id));
    let (own, others): (Vec<_>, Vec<_>) = listing.files.iter().partition(|file| file.path.starts_with(&ours));
    let mut told =
        vec![format!("{address} holds {} files of ours and {} of others", own.len(), others.len())];
    let remote = listing.files.iter().filter(|file| file.remote).count();
    if remote > 0 {
        told.push(format!("{remote} of them are only in the cloud"));
    }
    told.extend(listing.skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.why)));
    if listing.cut {
        told.push("there is more than can be listed".to_owned());
    }
    Ok(told)
}
