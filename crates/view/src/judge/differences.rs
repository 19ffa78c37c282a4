//! How a file and the newest version differ, before anybody asks why.

use crate::frame::Parsed;
use crate::history::History;
use crate::observed::Observed;
use crate::version::{Span, VersionNumber};
use memlore_model::TextKey;
use std::collections::BTreeSet;

/// The differences between a file and the newest version, sorted by kind.
pub(super) struct Differences {
    /// The newest version; zero, which no version has, before the first.
    pub(super) newest: VersionNumber,
    /// Live texts of the newest version that the file lacks, in the version's order.
    pub(super) absent: Vec<TextKey>,
    /// Items that were removed before the newest version.
    pub(super) returning: Vec<(usize, TextKey)>,
    /// Items that no version held and that are not live.
    pub(super) new: Vec<usize>,
    /// Items that some version held, with the spans in which they stood. Filled when anything is absent or returning.
    pub(super) known: Vec<(usize, Vec<Span>)>,
}

impl Differences {
    pub(super) fn find<H: History>(
        file: &Parsed,
        live: &BTreeSet<TextKey>,
        history: &H,
        observed: &Observed,
    ) -> Result<Self, H::Problem> {
        let (newest, keys) = history.newest()?.unwrap_or((VersionNumber(0), Vec::new()));
        let in_file: BTreeSet<&TextKey> = file.items.iter().map(|item| &item.key).collect();
        let in_newest: BTreeSet<&TextKey> = keys.iter().collect();
        let mut found =
            Self { newest, absent: Vec::new(), returning: Vec::new(), new: Vec::new(), known: Vec::new() };
        for (index, item) in file.items.iter().enumerate() {
            // A text of the newest version that is live no more was removed by somebody else: no edit of this file.
            if live.contains(&item.key) || in_newest.contains(&item.key) {
                continue;
            }
            let stood = !history.spans(&item.key)?.is_empty();
            // In a synced home a file travels faster than the record that says why a text is not in it.
            if stood || observed.synced && history.ever_removed(&item.key)? {
                found.returning.push((index, item.key.clone()));
            } else {
                found.new.push(index);
            }
        }
        let is_absent = |key: &&TextKey| live.contains(*key) && !in_file.contains(*key);
        found.absent = keys.iter().filter(is_absent).cloned().collect();
        if !found.absent.is_empty() || !found.returning.is_empty() {
            for (index, item) in file.items.iter().enumerate() {
                let spans = history.spans(&item.key)?;
                if !spans.is_empty() {
                    found.known.push((index, spans));
                }
            }
        }
        Ok(found)
    }
}
