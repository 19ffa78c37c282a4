//! Entries and tombstones, and the JSON they travel in.

use crate::{BookName, EntryId, Position, Stamp};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Where an entry is rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everywhere.
    #[default]
    Profile,
    /// Only on the device that wrote it.
    Device,
}

/// One remembered thing, as its add recorded it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The text, cleaned (see [`crate::clean_text`]).
    pub text: String,
    /// The book it belongs to.
    pub book: BookName,
    /// When it was added.
    pub written: Stamp,
    /// The agent that added it; provenance, never causality.
    pub by: String,
    /// The device it was added on, for people.
    pub device: String,
    /// Where it comes from, when the writer said so.
    pub source: Option<String>,
    /// Open labels.
    pub labels: BTreeMap<String, String>,
    /// Its place in the book.
    pub position: Position,
    /// The entries whose place it takes.
    pub replaces: Vec<EntryId>,
    /// Where it is rendered.
    pub scope: Scope,
    /// Fields that a newer version wrote: kept, never read.
    pub more: Map<String, Value>,
}

/// The record that one entry was removed.
#[derive(Clone, Debug, PartialEq)]
pub struct Tombstone {
    /// When it was removed.
    pub at: Stamp,
    /// The agent that removed it.
    pub by: String,
    /// The device it was removed on, for people.
    pub device: String,
    /// Why, in a few words.
    pub why: Option<String>,
    /// The entries that took its place.
    pub replaced_by: Vec<EntryId>,
    /// Fields that a newer version wrote: kept, never read.
    pub more: Map<String, Value>,
}

/// Why a value is no entry or tombstone of this version.
///
/// Such a value is kept and forwarded, and projected nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldsProblem {
    /// No JSON object.
    #[error("the value is no JSON object")]
    NoObject,
    /// A field is missing or has another type.
    #[error("the field {0:?} is missing or unreadable")]
    Field(&'static str),
}

impl Entry {
    /// The JSON text that stands for this entry in a change.
    pub fn to_json(&self) -> String {
        let mut fields = Map::new();
        fields.insert("text".into(), json!(self.text));
        fields.insert("book".into(), json!(self.book.as_str()));
        put_stamp(&mut fields, self.written);
        put_text(&mut fields, "by", &self.by);
        put_text(&mut fields, "device", &self.device);
        if let Some(source) = &self.source {
            fields.insert("source".into(), json!(source));
        }
        if !self.labels.is_empty() {
            fields.insert("labels".into(), json!(self.labels));
        }
        fields.insert("pos".into(), json!(self.position.as_str()));
        put_ids(&mut fields, "replaces", &self.replaces);
        if self.scope == Scope::Device {
            fields.insert("scope".into(), json!("device"));
        }
        with_more(fields, &self.more)
    }

    /// Reads what [`Self::to_json`] wrote, or what a newer version did.
    ///
    /// # Errors
    /// Returns what is missing.
    pub fn from_json(json: &str) -> Result<Self, FieldsProblem> {
        let mut fields = object(json)?;
        let text = take_text(&mut fields, "text").ok_or(FieldsProblem::Field("text"))?;
        // Another version may have other rules for texts; what we could not add ourselves we do not show.
        let text = crate::clean_text(&text).map_err(|_| FieldsProblem::Field("text"))?;
        let book = take_text(&mut fields, "book").and_then(|name| name.parse().ok());
        let labels = match fields.remove("labels") {
            None => BTreeMap::new(),
            Some(Value::Object(labels)) => {
                labels.into_iter().map(|(key, value)| (key, as_label(value))).collect()
            }
            Some(_) => return Err(FieldsProblem::Field("labels")),
        };
        let position = take_text(&mut fields, "pos").unwrap_or_default();
        let scope = match take_text(&mut fields, "scope").as_deref() {
            None | Some("profile") => Scope::Profile,
            // A narrower scope that we do not know must not be shown more widely than its writer meant.
            Some(_) => Scope::Device,
        };
        Ok(Self {
            text,
            book: book.ok_or(FieldsProblem::Field("book"))?,
            written: take_stamp(&mut fields)?,
            by: take_text(&mut fields, "by").unwrap_or_default(),
            device: take_text(&mut fields, "device").unwrap_or_default(),
            source: take_text(&mut fields, "source"),
            labels,
            position: Position::read(&position),
            replaces: take_ids(&mut fields, "replaces")?,
            scope,
            more: fields,
        })
    }
}

impl Tombstone {
    /// The JSON text that stands for this tombstone in a change.
    pub fn to_json(&self) -> String {
        let mut fields = Map::new();
        put_stamp(&mut fields, self.at);
        put_text(&mut fields, "by", &self.by);
        put_text(&mut fields, "device", &self.device);
        if let Some(why) = &self.why {
            fields.insert("why".into(), json!(why));
        }
        put_ids(&mut fields, "replaced_by", &self.replaced_by);
        with_more(fields, &self.more)
    }

    /// Reads what [`Self::to_json`] wrote, or what a newer version did.
    ///
    /// # Errors
    /// Returns what is missing.
    pub fn from_json(json: &str) -> Result<Self, FieldsProblem> {
        let mut fields = object(json)?;
        Ok(Self {
            at: take_stamp(&mut fields)?,
            by: take_text(&mut fields, "by").unwrap_or_default(),
            device: take_text(&mut fields, "device").unwrap_or_default(),
            why: take_text(&mut fields, "why"),
            replaced_by: take_ids(&mut fields, "replaced_by")?,
            more: fields,
        })
    }
}

fn object(json: &str) -> Result<Map<String, Value>, FieldsProblem> {
    match serde_json::from_str(json) {
        Ok(Value::Object(fields)) => Ok(fields),
        _ => Err(FieldsProblem::NoObject),
    }
}

fn with_more(mut fields: Map<String, Value>, more: &Map<String, Value>) -> String {
    for (key, value) in more {
        fields.entry(key.clone()).or_insert_with(|| value.clone());
    }
    Value::Object(fields).to_string()
}

fn put_stamp(fields: &mut Map<String, Value>, stamp: Stamp) {
    fields.insert("at".into(), json!(stamp.us));
    if stamp.logical > 0 {
        fields.insert("n".into(), json!(stamp.logical));
    }
}

fn put_text(fields: &mut Map<String, Value>, key: &str, text: &str) {
    if !text.is_empty() {
        fields.insert(key.into(), json!(text));
    }
}

fn put_ids(fields: &mut Map<String, Value>, key: &str, ids: &[EntryId]) {
    if !ids.is_empty() {
        let ids: Vec<String> = ids.iter().map(EntryId::to_string).collect();
        fields.insert(key.into(), json!(ids));
    }
}

/// Takes a text field away; a field of another type stays among the unknown ones.
fn take_text(fields: &mut Map<String, Value>, key: &str) -> Option<String> {
    fields.get(key)?.as_str()?;
    match fields.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn take_stamp(fields: &mut Map<String, Value>) -> Result<Stamp, FieldsProblem> {
    let us = fields.shift_remove("at").and_then(|us| us.as_u64()).ok_or(FieldsProblem::Field("at"))?;
    let logical = match fields.shift_remove("n") {
        None => 0,
        Some(logical) => logical.as_u64().ok_or(FieldsProblem::Field("n"))?,
    };
    Ok(Stamp { us: us.min(crate::LAST_US), logical })
}

fn take_ids(fields: &mut Map<String, Value>, key: &'static str) -> Result<Vec<EntryId>, FieldsProblem> {
    let Some(ids) = fields.shift_remove(key) else { return Ok(Vec::new()) };
    let ids = ids.as_array().ok_or(FieldsProblem::Field(key))?;
    ids.iter().map(|id| id.as_str().and_then(|id| id.parse().ok()).ok_or(FieldsProblem::Field(key))).collect()
}

fn as_label(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReplicaId;

    fn entry() -> Entry {
        let id = EntryId { replica: ReplicaId([3; 16]), counter: 4, nonce: 5 };
        Entry {
            text: "tea over coffee".into(),
            book: BookName::memory(),
            written: Stamp { us: 1_764_511_200_123_456, logical: 2 },
            by: "hermes".into(),
            device: "laptop".into(),
            source: Some("panel".into()),
            labels: [("topic".to_owned(), "tea".to_owned())].into(),
            position: Position::after(None),
            replaces: vec![id],
            scope: Scope::Device,
            more: Map::new(),
        }
    }

    #[test]
    fn an_entry_reads_back_from_its_json() {
        assert_eq!(Entry::from_json(&entry().to_json()), Ok(entry()));
    }

    #[test]
    fn fields_of_a_newer_version_are_kept() {
        let json = r#"{"text":"x","book":"memory","at":7,"pos":"a0","mood":{"a":[1]}}"#;
        let entry = Entry::from_json(json).unwrap();
        assert_eq!(entry.more["mood"], json!({"a": [1]}));
        assert!(entry.to_json().contains(r#""mood":{"a":[1]}"#));
    }

    #[test]
    fn a_tombstone_reads_back_from_its_json() {
        let tombstone = Tombstone {
            at: Stamp::at(9),
            by: String::new(),
            device: "laptop".into(),
            why: Some("moved".into()),
            replaced_by: entry().replaces,
            more: Map::new(),
        };
        assert_eq!(Tombstone::from_json(&tombstone.to_json()), Ok(tombstone));
    }

    #[test]
    fn what_is_no_entry_says_what_is_missing() {
        assert_eq!(Entry::from_json("[]"), Err(FieldsProblem::NoObject));
        assert_eq!(Entry::from_json(r#"{"text":" ","book":"m","at":1}"#), Err(FieldsProblem::Field("text")));
        assert_eq!(
            Entry::from_json(r#"{"text":"x","book":"../m","at":1}"#),
            Err(FieldsProblem::Field("book"))
        );
    }
}
