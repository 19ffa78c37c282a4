//! One event in the life of an entry, told.

use crate::answer::{Shown, who};
use crate::page::{ADDED, CHANGED, Page, QUIET, REMOVED, glimpse, paint, safe};
use anstyle::Style;
use memlore_model::Stamp;
use memlore_store::answer::{Event, Recalled};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use serde_json::{Value, json};

/// An event, told to people or programs.
pub(in crate::commands) struct Telling(pub(in crate::commands) Event);

/// What an event consists of, whichever kind it is.
struct Told<'a> {
    op: &'static str,
    mark: &'static str,
    style: Style,
    at: Stamp,
    by: &'a str,
    device: &'a str,
    entry: &'a Recalled,
    old: &'a [Recalled],
    why: Option<&'a str>,
}

impl Telling {
    /// The entry that the event is about.
    pub(in crate::commands) fn entry(&self) -> &Recalled {
        self.told().entry
    }

    /// The older entries whose place it took.
    pub(in crate::commands) fn old(&self) -> &[Recalled] {
        self.told().old
    }

    fn told(&self) -> Told<'_> {
        let (op, mark, style, entry, old) = match &self.0 {
            Event::Added { entry } => ("add", "+", ADDED, entry, &[][..]),
            Event::Replaced { entry, old } => ("replace", "~", CHANGED, entry, &old[..]),
            Event::Removed { entry, .. } => ("remove", "-", REMOVED, entry, &[][..]),
        };
        let (at, by, device, why) = match &self.0 {
            Event::Removed { removal, .. } => {
                (removal.at, &removal.by, &removal.device, removal.why.as_deref())
            }
            _ => (entry.entry.written, &entry.entry.by, &entry.entry.device, None),
        };
        Told { op, mark, style, at, by, device, entry, old, why }
    }
}

impl Serialize for Telling {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let told = self.told();
        let mut fields = to.serialize_struct("Event", 9)?;
        fields.serialize_field("op", told.op)?;
        fields.serialize_field("at", &told.at.us)?;
        fields.serialize_field("by", told.by)?;
        fields.serialize_field("device", told.device)?;
        fields.serialize_field("id", &Shown(told.entry.id))?;
        fields.serialize_field("book", told.entry.entry.book.as_str())?;
        fields.serialize_field("text", &told.entry.entry.text)?;
        let old = |old: &Recalled| json!({"id": old.id.to_string(), "text": old.entry.text});
        fields.serialize_field("old", &told.old.iter().map(old).collect::<Vec<Value>>())?;
        fields.serialize_field("why", &told.why)?;
        fields.end()
    }
}

/// Writes events below each other: when, what, and whose doing.
pub(in crate::commands) fn write_events(page: &mut Page, events: &[Telling]) {
    let width = events.iter().map(|event| page.age(event.told().at.us).len()).max().unwrap_or_default();
    for event in events {
        let told = event.told();
        let age = page.age(told.at.us);
        let mut what: Vec<String> = told.old.iter().map(|old| glimpse(&old.entry.text)).collect();
        what.dedup();
        let before = if what.is_empty() { String::new() } else { format!("{} → ", what.join(", ")) };
        let mut aside = vec![told.entry.entry.book.to_string()];
        aside.extend(who(told.by, told.device));
        aside.extend(told.why.map(|why| format!("because {why}")));
        page.line(format_args!(
            "{} {} {before}{}  {}",
            paint(QUIET, format_args!("{age:>width$}")),
            paint(told.style, told.mark),
            glimpse(&told.entry.entry.text),
            paint(QUIET, safe(&aside.join(" · "))),
        ));
        if page.detailed() {
            let indent = width + 3;
            page.line(format_args!("{:indent$}{}", "", paint(QUIET, told.entry.id)));
        }
    }
}
