//! The record of how far a review has read, and the JSON it travels in.

use crate::{LAST_US, Stamp};
use serde_json::{Value, json};

/// How far one replica has read a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The conversation's key.
    pub conversation: String,
    /// The number of the last line read.
    pub through: u64,
    /// When it was set.
    pub at: Stamp,
    /// The agent that set it.
    pub by: String,
    /// The device it was set on, for people.
    pub device: String,
    /// Whether somebody set it by hand; only then may it go back.
    pub reset: bool,
}

impl Cursor {
    /// The payload of its record.
    pub fn to_json(&self) -> String {
        let Self { conversation, through, at, by, device, reset } = self;
        let mut fields = json!({"conversation": conversation, "through": through, "at": at.us});
        if at.logical > 0 {
            fields["n"] = json!(at.logical);
        }
        for (key, text) in [("by", by), ("device", device)] {
            if !text.is_empty() {
                fields[key] = json!(text);
            }
        }
        if *reset {
            fields["reset"] = json!(true);
        }
        fields.to_string()
    }

    /// Reads a payload; none when it is no cursor of this version.
    pub fn from_json(json: &[u8]) -> Option<Self> {
        let fields: Value = serde_json::from_slice(json).ok()?;
        let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |key: &str| fields.get(key).and_then(Value::as_u64);
        Some(Self {
            conversation: fields.get("conversation")?.as_str()?.to_owned(),
            through: number("through").filter(|through| *through <= i64::MAX as u64)?,
            at: Stamp { us: number("at")?.min(LAST_US), logical: number("n").unwrap_or_default() },
            by: text("by"),
            device: text("device"),
            reset: fields.get("reset").and_then(Value::as_bool).unwrap_or_default(),
        })
    }
}
