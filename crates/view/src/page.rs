//! A file of lines, some of which are entries or links: where each of ours stands among a person's own.
//!
//! An entry that stands in the file keeps its place among the person's lines. Entries with no such line between them
//! are in the order of the book, so equal memories give equal lists. A new one goes after the last one; one that
//! comes where another went, in the book's order too, takes that one's place.

use crate::lines::{End, heading_level, is_blank};
use memlore_model::{BookName, TextKey};
use std::collections::HashMap;
use std::ops::Range;

/// What a line of ours shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    Entry(TextKey),
    Link(BookName),
}

/// One line of a file. Without a slot it belongs to somebody else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) end: End,
    pub(crate) slot: Option<Slot>,
}

impl Line {
    pub(crate) fn foreign(text: impl Into<String>, end: End) -> Self {
        Self { text: text.into(), end, slot: None }
    }

    pub(crate) fn is_blank(&self) -> bool {
        is_blank(&self.text)
    }
}

/// A file taken apart: what comes before the lines that may be ours, these lines, and what comes after them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) before: String,
    pub(crate) lines: Vec<Line>,
    pub(crate) after: String,
    /// The end that new lines get.
    pub(crate) end: End,
    /// Whether the part that is ours was there.
    pub(crate) found: bool,
}

impl Page {
    /// The file, its lines as they are now.
    pub(crate) fn into_text(self) -> String {
        let mut text = self.before;
        let last = self.lines.len();
        for (index, line) in self.lines.iter().enumerate() {
            text.push_str(&line.text);
            let more = index + 1 < last || !self.after.is_empty();
            text.push_str(if line.end == End::Nothing && more { self.end } else { line.end }.as_str());
        }
        text.push_str(&self.after);
        text
    }
}

/// A line that is to stand in the page.
pub(crate) struct Wanted {
    pub(crate) slot: Slot,
    /// The line as it is written anew.
    pub(crate) text: String,
}

/// Where lines of one kind are put.
pub(crate) struct Fill<'a> {
    pub(crate) wanted: &'a [Wanted],
    /// Whether a slot is of the kind at work; the others are left alone.
    pub(crate) is_ours: fn(&Slot) -> bool,
    /// Whether a line in the file shows what the line written anew shows; then it stays as it is.
    pub(crate) shows: fn(old: &str, new: &str) -> bool,
    /// The lines among which new ones are put.
    pub(crate) within: Range<usize>,
    /// Whether a blank line parts a list from what stands around it.
    pub(crate) airy: bool,
    pub(crate) end: End,
}

impl Fill<'_> {
    /// Puts every wanted line in its place, and takes away those of ours that are not wanted.
    pub(crate) fn fill(&self, lines: &[Line]) -> Vec<Line> {
        let ours = |line: &Line| line.slot.as_ref().is_some_and(self.is_ours);
        let place = self.place(lines);
        // The wanted lines of each list, by the index of the list's first line.
        let mut lists: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut first = None;
        let mut firsts = vec![None; lines.len()];
        for (at, line) in lines.iter().enumerate() {
            first = if ours(line) { first.or(Some(at)) } else { None };
            firsts[at] = first;
        }
        let standing: Vec<usize> = place.iter().flatten().copied().collect();
        let last = standing.into_iter().filter(|at| self.within.contains(at)).max();
        let last = last.or_else(|| self.within.clone().rev().find(|&at| ours(&lines[at])));
        let list_of_new = last.and_then(|at| firsts[at]);
        let insertion = if list_of_new.is_none() { Some(self.insertion(lines)) } else { None };
        for (order, at) in place.iter().enumerate() {
            let list = at.map_or(list_of_new, |at| firsts[at]);
            lists.entry(list.or(insertion).unwrap_or_default()).or_default().push(order);
        }

        let mut filled: Vec<Line> = Vec::with_capacity(lines.len() + self.wanted.len());
        let mut at = 0;
        while at <= lines.len() {
            let list = firsts.get(at).copied().flatten().is_some();
            let orders = if list || insertion == Some(at) {
                lists.remove(&at).unwrap_or_default()
            } else {
                Vec::new()
            };
            let new_list = !list && !orders.is_empty();
            if new_list && self.airy && filled.last().is_some_and(|line| !line.is_blank()) {
                filled.push(Line::foreign("", self.end));
            }
            for order in &orders {
                filled.push(self.line(*order, place[*order].map(|at| &lines[at])));
            }
            if list {
                at = (at..lines.len()).find(|&after| !ours(&lines[after])).unwrap_or(lines.len());
                let blank_before = filled.last().is_none_or(Line::is_blank);
                let blank_after = lines.get(at).is_none_or(Line::is_blank);
                // Where a whole list went, one of the two blank lines around it goes too.
                if orders.is_empty() && self.airy && blank_before && blank_after && at < lines.len() {
                    at += 1;
                }
                if at >= lines.len() {
                    break;
                }
                // The insertion point, if there is one, is no line of ours.
                continue;
            }
            let Some(line) = lines.get(at) else { break };
            if new_list && self.airy && !line.is_blank() {
                filled.push(Line::foreign("", self.end));
            }
            filled.push(line.clone());
            at += 1;
        }
        filled
    }

    fn line(&self, order: usize, old: Option<&Line>) -> Line {
        let wanted = &self.wanted[order];
        let slot = Some(wanted.slot.clone());
        match old {
            Some(old) if old.slot.as_ref() == Some(&wanted.slot) => {
                let text = if (self.shows)(&old.text, &wanted.text) { &old.text } else { &wanted.text };
                Line { text: text.clone(), end: old.end, slot }
            }
            _ => Line { text: wanted.text.clone(), end: old.map_or(self.end, |old| old.end), slot },
        }
    }

    /// For each wanted line the line of the file in whose place it stands: its own, or one that went between its
    /// neighbours.
    fn place(&self, lines: &[Line]) -> Vec<Option<usize>> {
        let order: HashMap<&Slot, usize> =
            self.wanted.iter().enumerate().map(|(order, wanted)| (&wanted.slot, order)).collect();
        let mut place = vec![None; self.wanted.len()];
        let mut gone = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let Some(slot) = line.slot.as_ref().filter(|slot| (self.is_ours)(slot)) else { continue };
            match order.get(slot) {
                Some(&order) if place[order].is_none() => place[order] = Some(at),
                Some(_) => {}
                None if self.within.contains(&at) => gone.push(at),
                None => {}
            }
        }
        if gone.is_empty() {
            return place;
        }
        let mut next = vec![None; place.len()];
        for order in (1..place.len()).rev() {
            next[order - 1] = place[order].or(next[order]);
        }
        let mut before = None;
        for order in 0..place.len() {
            if place[order].is_none() {
                let fits = |at: &usize| {
                    before.is_none_or(|before| before < *at) && next[order].is_none_or(|next| *at < next)
                };
                if let Some(index) = gone.iter().position(fits) {
                    place[order] = Some(gone.remove(index));
                }
            }
            before = place[order].or(before);
        }
        place
    }

    /// Where the first line of ours goes in a page that has none: after the last line that is not blank.
    fn insertion(&self, lines: &[Line]) -> usize {
        let last = self.within.clone().rev().find(|&at| !lines[at].is_blank());
        last.map_or(self.within.start, |last| last + 1)
    }
}

/// Where the heading that `is` accepts stands, with the lines up to the next heading.
pub(crate) fn under_heading(lines: &[Line], is: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let heading = lines.iter().position(|line| line.slot.is_none() && is(&line.text))?;
    let rest = &lines[heading + 1..];
    let end = rest.iter().position(|line| line.slot.is_none() && heading_level(&line.text).is_some());
    Some(heading..heading + 1 + end.unwrap_or(rest.len()))
}
