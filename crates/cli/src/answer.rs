//! Entries as answers show them.

use crate::page::{Page, QUIET, paint, safe};
use memlore_model::{Entry, EntryId, Scope};
use memlore_store::answer::{HeldKind, Imported, Recalled, RemovedAt, Usage, ViewReport, ViewState};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// An entry's JSON.
///
/// Written field by field, without a tree of values between: lists can be long.
pub(crate) struct EntryJson<'a>(pub(crate) &'a Recalled);

impl Serialize for EntryJson<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Recalled { id, entry, removed } = self.0;
        let mut fields = to.serialize_struct("Entry", 11)?;
        fields.serialize_field("id", &Shown(id))?;
        fields.serialize_field("book", entry.book.as_str())?;
        fields.serialize_field("text", &entry.text)?;
        fields.serialize_field("written", &entry.written.us)?;
        fields.serialize_field("by", &entry.by)?;
        fields.serialize_field("device", &entry.device)?;
        fields.serialize_field("source", &entry.source)?;
        fields.serialize_field("labels", &entry.labels)?;
        fields.serialize_field("replaces", &Ids(&entry.replaces))?;
        match entry.scope {
            Scope::Profile => fields.skip_field("scope")?,
            Scope::Device => fields.serialize_field("scope", "device")?,
        }
        match removal(removed) {
            None => fields.skip_field("removed")?,
            Some(removal) => fields.serialize_field("removed", &removal)?,
        }
        fields.end()
    }
}

/// Something whose JSON is the string that it shows.
pub(crate) struct Shown<T>(pub(crate) T);

impl<T: std::fmt::Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

/// Ids, as a list of strings.
pub(crate) struct Ids<'a>(pub(crate) &'a [EntryId]);

impl Serialize for Ids<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(Shown))
    }
}

/// One removal stands for all that an entry suffered: the first, with everything that took its place.
fn removal(removed: &[RemovedAt]) -> Option<Value> {
    let first = removed.iter().min_by_key(|removal| removal.at)?;
    let replaced_by: BTreeSet<EntryId> =
        removed.iter().flat_map(|removal| removal.replaced_by.clone()).collect();
    Some(removal_json(first, &Vec::from_iter(replaced_by)))
}

fn removal_json(removal: &RemovedAt, replaced_by: &[EntryId]) -> Value {
    json!({
        "at": removal.at.us, "by": removal.by, "device": removal.device, "why": removal.why,
        "replaced_by": Ids(replaced_by),
    })
}

/// How full a book is.
pub(crate) fn usage_json(usage: &Usage) -> Value {
    json!({"used": usage.used, "limit": usage.limit, "unit": usage.unit, "over": usage.over()})
}

/// What an import took in.
pub(crate) fn imported_json(imported: &Imported) -> Value {
    let Imported { added, removed, replaced, held } = imported;
    json!({"added": added, "removed": removed, "replaced": replaced, "held": held})
}

/// The word for a view's state.
pub(crate) fn view_state(state: ViewState) -> &'static str {
    match state {
        ViewState::Current => "current",
        ViewState::Edited => "edited",
        ViewState::Outdated => "outdated",
        ViewState::Missing => "missing",
        ViewState::Unusable => "unusable",
    }
}

/// The word for a held edit.
pub(crate) fn held_kind(kind: HeldKind) -> &'static str {
    match kind {
        HeldKind::Absent => "absent",
        HeldKind::Returning => "returning",
    }
}

/// Views, as a list.
pub(crate) fn views_json(views: &[ViewReport]) -> Value {
    let view = |view: &ViewReport| {
        let held: Vec<Value> = view
            .held
            .iter()
            .map(|held| json!({"text": held.text, "kind": held_kind(held.kind), "since": held.since_us}))
            .collect();
        json!({
            "book": view.book.as_str(), "path": view.path.to_string_lossy(), "state": view_state(view.state),
            "held": held, "trouble": view.trouble,
        })
    };
    views.iter().map(view).collect()
}

/// Writes who wrote an entry, when and where, and how to name it.
pub(crate) fn write_provenance(page: &mut Page, indent: usize, id: &EntryId, entry: &Entry) {
    let mut words = vec![id.to_string()];
    words.extend(who(&entry.by, &entry.device));
    words.extend(entry.source.as_ref().map(|source| format!("source {source}")));
    words.extend(entry.labels.iter().map(|(key, value)| format!("{key}={value}")));
    if entry.scope == Scope::Device {
        words.push("here only".to_owned());
    }
    page.line(format_args!("{:indent$}{}", "", paint(QUIET, safe(&words.join(" · ")))));
}

/// Who did something, and where.
pub(crate) fn who(by: &str, device: &str) -> Option<String> {
    match (by, device) {
        ("", "") => None,
        ("", device) => Some(device.to_owned()),
        (by, "") => Some(by.to_owned()),
        (by, device) => Some(format!("{by} on {device}")),
    }
}
