//! Which of a file's differences are edits: the six rows of evidence.
//!
//! A text that the newest version holds and the file lacks, or that was removed and stands in the file again, may
//! be somebody's wish, or may only mean that the writer started from an old file. What the writer had seen
//! decides. An edit that is wrongly held is shown and can be confirmed; one that is wrongly obeyed loses somebody's
//! entry. So without proof a text is held.

mod changed;
mod differences;
mod proof;

#[cfg(test)]
mod tests;

use crate::frame::Parsed;
use crate::history::History;
use crate::observed::{NewestRead, Observed};
use crate::version::VersionNumber;
use changed::Changed;
use differences::Differences;
use memlore_model::TextKey;
use proof::{Proofs, Reads};
use std::collections::BTreeSet;

/// A removal to obey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The text that was removed.
    pub key: TextKey,
    /// The version that the writer had seen: entries that came later with this text were not observed.
    pub seen_at: VersionNumber,
    /// Whether nothing proved it, and nothing spoke against it.
    pub inferred: bool,
}

/// A change of a text to obey: one entry takes the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The text that was changed.
    pub old: TextKey,
    /// The index of the file's item that takes its place.
    pub new: usize,
    /// The version that the writer had seen.
    pub seen_at: VersionNumber,
    /// Whether nothing proved the removal of the old text, and nothing spoke against it.
    pub inferred: bool,
}

/// How the file and the memory differ about a text that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HeldKind {
    /// The file lacks it; it stays live and is rendered.
    Absent,
    /// The file holds it; it stays removed and out of the rendering.
    Returning,
}

/// A difference that is shown to people instead of being obeyed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The text.
    pub key: TextKey,
    /// Whether it stays or stays out.
    pub kind: HeldKind,
    /// Whether it is certain that the writer had not seen what it seems to undo.
    pub unseen: bool,
}

/// What a file's differences are. No text stands in two of the lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// Indexes of the file's items that are new entries.
    pub added: Vec<usize>,
    /// Texts whose entries the writer removed.
    pub removed: Vec<Removed>,
    /// Texts that the writer changed.
    pub replaced: Vec<Replaced>,
    /// Indexes of the file's items that were removed once and are to live again, as new entries.
    pub returned: Vec<usize>,
    /// What is held, absent texts first.
    pub held: Vec<Held>,
    /// Whether this file proves that the home has a stale writer.
    pub stale_writer: bool,
}

impl Judgement {
    /// Whether the file asks for nothing: no edit and nothing held.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Judges a file against the versions of its view.
///
/// `live` holds the keys of all live entries of the view's books, after the records of other replicas were taken in.
/// Texts that cannot be entries are to be left in the frame before (see [`parse_taking`](crate::parse_taking)). The order of the
/// file's items is no edit.
///
/// # Errors
/// Returns why the history could not be read.
pub fn judge<H: History>(
    file: &Parsed,
    live: &BTreeSet<TextKey>,
    history: &H,
    observed: &Observed,
) -> Result<Judgement, H::Problem> {
    let found = Differences::find(file, live, history, observed)?;
    if found.absent.is_empty() && found.returning.is_empty() {
        return Ok(Judgement { added: found.new, ..Judgement::default() });
    }
    let changed = Changed::find(file, &found, history)?;
    let mut judgement = Judgement::default();
    // Rows 1 and 2: the writer read the newest version and wrote this file from it. A file that lacks some texts and
    // has others back looks like an old one; then somebody else's reading in the very second proves nothing.
    let looks_old = !found.absent.is_empty() && !found.returning.is_empty();
    if observed.episode || observed.read_and_write() && !looks_old {
        for key in &found.absent {
            judgement.obey(key, &changed, found.newest, false);
        }
        judgement.returned = found.returning.iter().map(|&(index, _)| index).collect();
        return Ok(judgement.with_added(&found.new));
    }

    let reads = Reads { history, newest: found.newest, newest_read: observed.newest_read };
    // Row 3: what nobody had read, nobody can have meant.
    let mut absent = Vec::new();
    for key in &found.absent {
        if reads.first_of(&history.spans(key)?)?.is_none() {
            judgement.hold(key, HeldKind::Absent, true);
        } else {
            absent.push(key);
        }
    }
    let returning = if observed.newest_read == NewestRead::Nobody {
        for (_, key) in &found.returning {
            judgement.hold(key, HeldKind::Returning, true);
        }
        &[]
    } else {
        found.returning.as_slice()
    };

    // Row 4: the file itself proves what its writer had seen.
    let proofs = if observed.synced {
        Proofs::default()
    } else {
        Proofs::find(file, &found, &absent, returning, &changed, &reads)?
    };
    absent.retain(|key| match proofs.absent.get(*key) {
        Some(&seen_at) => {
            judgement.obey(key, &changed, seen_at, false);
            false
        }
        None => true,
    });
    let (returned, returning): (Vec<_>, Vec<_>) =
        returning.iter().partition(|(_, key)| proofs.returning.contains(key));
    judgement.returned = returned.into_iter().map(|&(index, _)| index).collect();

    let unseen = judgement.held.iter().any(|held| held.unseen);
    judgement.stale_writer = unseen || !absent.is_empty() && !returning.is_empty();
    // Row 5: nothing proves it, and nothing speaks against it.
    if !judgement.stale_writer && may_infer(file, &found, history, observed)? {
        for key in absent.drain(..) {
            judgement.obey(key, &changed, found.newest, true);
        }
    }
    // Row 6.
    for key in absent {
        judgement.hold(key, HeldKind::Absent, false);
    }
    for (_, key) in returning {
        judgement.hold(key, HeldKind::Returning, false);
    }
    judgement.held.sort_by_key(|held| held.kind);
    Ok(judgement.with_added(&found.new))
}

/// Whether an absence without proof may be obeyed in this file at all.
fn may_infer<H: History>(
    file: &Parsed,
    found: &Differences,
    history: &H,
    observed: &Observed,
) -> Result<bool, H::Problem> {
    // A newest version that nobody read is not the one that the writer started from.
    let read = matches!(observed.newest_read, NewestRead::FirstAt(_) | NewestRead::SomeTime);
    if observed.synced || !read || observed.inference_ended {
        return Ok(false);
    }
    if found.absent.len() > 2 || !found.returning.is_empty() {
        return Ok(false);
    }
    // Somebody who saves an old snapshot rarely does it without a text of his own.
    if found.new.is_empty() {
        return Ok(true);
    }
    let old: BTreeSet<&TextKey> = found.known.iter().map(|&(index, _)| &file.items[index].key).collect();
    let versions = history.versions_of(crate::SetHash::of(old.iter().copied()))?;
    if versions.iter().any(|version| !version.held_back) {
        return Ok(false);
    }
    // Before the first version the file grew without us, at its end.
    let first = history.first()?;
    Ok(first.len() < old.len() || first[..old.len()].iter().collect::<BTreeSet<_>>() != old)
}

impl Judgement {
    fn obey(&mut self, key: &TextKey, changed: &Changed, seen_at: VersionNumber, inferred: bool) {
        match changed.new_of(key) {
            Some(new) => self.replaced.push(Replaced { old: key.clone(), new, seen_at, inferred }),
            None => self.removed.push(Removed { key: key.clone(), seen_at, inferred }),
        }
    }

    fn hold(&mut self, key: &TextKey, kind: HeldKind, unseen: bool) {
        self.held.push(Held { key: key.clone(), kind, unseen });
    }

    /// Adds the new texts that replace nothing.
    fn with_added(mut self, new: &[usize]) -> Self {
        let replacing = |index: &usize| self.replaced.iter().any(|replaced| replaced.new == *index);
        self.added = new.iter().copied().filter(|index| !replacing(index)).collect();
        self
    }
}
