//! What a file's own texts prove about the versions that its writer had seen.

use super::changed::Changed;
use super::differences::Differences;
use crate::frame::Parsed;
use crate::history::History;
use crate::observed::NewestRead;
use crate::version::{SetHash, Span, VersionNumber};
use memlore_model::TextKey;
use std::collections::{BTreeMap, BTreeSet};

/// Answers which versions may have been read, the newest included.
pub(super) struct Reads<'a, H> {
    pub(super) history: &'a H,
    pub(super) newest: VersionNumber,
    pub(super) newest_read: NewestRead,
}

impl<H: History> Reads<'_, H> {
    /// The first version in these spans that somebody may have read.
    pub(super) fn first_of(&self, spans: &[Span]) -> Result<Option<VersionNumber>, H::Problem> {
        for span in spans {
            let last_old = span.last.min(VersionNumber(self.newest.0.saturating_sub(1)));
            if span.first <= last_old
                && let Some(read) = self.history.first_read(span.first, last_old)?
            {
                return Ok(Some(read));
            }
            if span.last == self.newest && self.newest_read != NewestRead::Nobody {
                return Ok(Some(self.newest));
            }
        }
        Ok(None)
    }
}

/// The differences that the file itself proves to be meant.
#[derive(Default)]
pub(super) struct Proofs {
    /// Absent texts, and the version at which the writer had surely seen them.
    pub(super) absent: BTreeMap<TextKey, VersionNumber>,
    /// Returning texts of which the writer had surely seen that they were gone.
    pub(super) returning: BTreeSet<TextKey>,
}

impl Proofs {
    pub(super) fn find<H: History>(
        file: &Parsed,
        found: &Differences,
        absent: &[&TextKey],
        returning: &[(usize, TextKey)],
        changed: &Changed,
        reads: &Reads<'_, H>,
    ) -> Result<Self, H::Problem> {
        let mut proofs = Self::default();
        let mut provers = BTreeSet::new();
        // What was never read proves nothing: its writer may have thought of it too.
        let mut known = Vec::new();
        for (index, spans) in &found.known {
            if let Some(read) = reads.first_of(spans)? {
                known.push((*index, spans, read));
            }
        }
        for key in absent {
            let gone = reads.history.spans(key)?;
            let mut seen_at = None;
            for (index, spans, read) in &known {
                if spans.iter().all(|span| gone.iter().any(|gone| came_later(span, gone))) {
                    provers.insert(*index);
                    seen_at = seen_at.max(Some(*read));
                }
            }
            if let Some(new) = changed.new_of(key) {
                provers.insert(new);
                seen_at = seen_at.max(reads.first_of(&gone)?);
            }
            if let Some(seen_at) = seen_at {
                proofs.absent.insert((*key).clone(), seen_at);
            }
        }
        for (_, key) in returning {
            let Some(stood) = reads.history.spans(key)?.last().copied() else { continue };
            for (index, spans, _) in &known {
                if spans.iter().all(|span| came_after_end(span, &stood)) {
                    provers.insert(*index);
                    proofs.returning.insert(key.clone());
                }
            }
        }
        // Two writers may have had one thought, one of them with an old file before him: that shows where nobody read
        // the newest version, where texts are absent and others returning, or where the rest is an older version.
        let started_old = reads.newest_read == NewestRead::Nobody
            || !found.absent.is_empty() && !found.returning.is_empty();
        if let Some(only) = provers.first()
            && provers.len() == 1
            && (started_old || is_old_without(*only, file, found, reads)?)
        {
            return Ok(Self::default());
        }
        Ok(proofs)
    }
}

/// Whether a text that stood in `span` came after the one that stood in `other`, and never without it.
fn came_later(span: &Span, other: &Span) -> bool {
    other.covers(span)
        && (span.first > other.first
            || span.place.is_some() && other.place.is_some() && span.place > other.place)
}

/// Whether a text that stood in `span` came when the one that stood in `other` was already gone.
fn came_after_end(span: &Span, other: &Span) -> bool {
    // The import that lacked the one may have brought the other before it: its file grew while nobody looked.
    let gone_at = other.last.0 + 1;
    span.first.0 > gone_at || span.first.0 == gone_at && span.place.is_none()
}

/// Whether the file without this item and without its new texts is an older version that somebody may have read.
fn is_old_without<H: History>(
    only: usize,
    file: &Parsed,
    found: &Differences,
    reads: &Reads<'_, H>,
) -> Result<bool, H::Problem> {
    let rest = found.known.iter().filter(|(index, _)| *index != only);
    let set = SetHash::of(rest.map(|(index, _)| &file.items[*index].key));
    let versions = reads.history.versions_of(set)?;
    Ok(versions.iter().any(|version| version.number < reads.newest && version.read != Some(false)))
}
