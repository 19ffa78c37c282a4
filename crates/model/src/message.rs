//! Messages of a conversation: kept as they were written, and named so that each is kept once.

mod line;
mod mend;
mod record;
mod seconds;

use crate::canonical::{canonical, push_string, string_of};
pub use line::{Line, MAX_MESSAGE_BYTES};
pub use mend::mend;
pub use record::{FactsRecord, Hidden, HidingRecord, MessageRecord, SameRecord};
pub use seconds::{micros, seconds};
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The first sixteen bytes of the blake3 hash of what a message says.
///
/// Hashed is the canonical JSON (RFC 8785) of the list of its role, content, tool name, tool calls and tool call id:
/// what is absent is null, and tool calls given as text are parsed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 16]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&data_encoding::HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// Why something can be no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageProblem {
    /// The bytes are not UTF-8.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// It is no JSON.
    #[error("it is no JSON: {0}")]
    NotJson(String),
    /// It is JSON, but no object.
    #[error("it is no JSON object")]
    NoObject,
    /// Its `flush_timestamp` is not a whole number of microseconds.
    #[error("its flush_timestamp is no whole number of microseconds")]
    Stamp,
}

/// One message, verbatim.
///
/// Invariant: the text is a JSON object on one line, with no lone surrogate and no `flush_timestamp`, which is kept
/// beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    text: String,
    digest: Digest,
    given_us: Option<i64>,
    calls: Vec<String>,
    answers: Vec<String>,
}

impl Message {
    /// Reads a message from its JSON.
    ///
    /// # Errors
    /// Returns why it is none.
    pub fn parse(json: &[u8]) -> Result<Self, MessageProblem> {
        let text = mend(json).ok_or(MessageProblem::NotUtf8)?;
        Self::from_mended(text)
    }

    fn from_mended(mut text: String) -> Result<Self, MessageProblem> {
        let fields = Fields::of(&text)?;
        let given = fields.last("flush_timestamp").map(RawValue::get);
        let given_us = match given {
            Some(written) if written != "null" => Some(written.parse().map_err(|_| MessageProblem::Stamp)?),
            _ => ["_flush_timestamp", "_fallback_timestamp", "timestamp"]
                .iter()
                .find_map(|name| micros(fields.last(name)?.get())),
        };
        let role = fields.last("role").map_or("null", RawValue::get);
        let tool_calls = fields.last("tool_calls").map_or("null", RawValue::get);
        let as_text = if tool_calls.starts_with('"') { string_of(tool_calls) } else { None };
        // Text that holds no JSON stays the text that it is.
        let parsed = as_text.as_deref().filter(|text| canonical(text).is_some());
        let tool_calls = parsed.unwrap_or(tool_calls);
        let told = [
            role,
            fields.last("content").map_or("null", RawValue::get),
            fields.last("tool_name").map_or("null", RawValue::get),
            tool_calls,
            fields.last("tool_call_id").map_or("null", RawValue::get),
        ];
        let calls = match tool_calls {
            "null" => Vec::new(),
            calls => call_ids(calls),
        };
        let is_tool = string_of(role).as_deref() == Some("tool");
        let answers = fields.last("tool_call_id").filter(|_| is_tool);
        let answers = answers.and_then(|id| string_of(id.get())).map(std::borrow::Cow::into_owned);
        let answers = Vec::from_iter(answers);
        let digest = digest_of(told);
        let without = given.is_some().then(|| fields.without("flush_timestamp"));
        text = without.unwrap_or(text);
        Ok(Self { text, digest, given_us, calls, answers })
    }

    /// The message as JSON, on one line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the message says, in short.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The stamp that came with it, in microseconds since the epoch.
    pub fn given_us(&self) -> Option<i64> {
        self.given_us
    }

    /// The ids of the tool calls that it makes.
    pub fn calls(&self) -> &[String] {
        &self.calls
    }

    /// The id of the tool call whose result it is; none, or one.
    pub fn answers(&self) -> &[String] {
        &self.answers
    }

    /// The fields at the top, in their order, each as it was written.
    pub fn fields(&self) -> Vec<(String, &RawValue)> {
        Fields::of(&self.text).map(|fields| fields.0).unwrap_or_default()
    }
}

fn digest_of(told: [&str; 5]) -> Digest {
    let mut list = String::with_capacity(64 + told.iter().map(|part| part.len()).sum::<usize>());
    for (index, part) in told.into_iter().enumerate() {
        list.push(if index == 0 { '[' } else { ',' });
        match canonical(part) {
            Some(canonical) => list.push_str(&canonical),
            // Nested deeper than anybody reads: it is what it is, byte by byte.
            None => push_string(&mut list, part),
        }
    }
    list.push(']');
    let mut digest = [0; 16];
    digest.copy_from_slice(&blake3::hash(list.as_bytes()).as_bytes()[..16]);
    Digest(digest)
}

fn call_ids(calls: &str) -> Vec<String> {
    let Ok(calls) = serde_json::from_str::<Vec<&RawValue>>(calls) else { return Vec::new() };
    let id = |call: &RawValue| Some(string_of(Fields::of(call.get()).ok()?.last("id")?.get())?.into_owned());
    calls.into_iter().filter_map(id).collect()
}

/// The fields at the top of a JSON object, in their order.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Fields<'a> {
    fn of(json: &'a str) -> Result<Self, MessageProblem> {
        if !json.trim_start().starts_with('{') {
            return Err(match serde_json::from_str::<&RawValue>(json) {
                Ok(_) => MessageProblem::NoObject,
                Err(error) => MessageProblem::NotJson(error.to_string()),
            });
        }
        let mut reader = serde_json::Deserializer::from_str(json);
        let fields = reader.deserialize_map(FieldsVisitor);
        let fields = fields.and_then(|fields| reader.end().map(|()| fields));
        fields.map(Self).map_err(|error| MessageProblem::NotJson(error.to_string()))
    }

    fn last(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    fn without(&self, name: &str) -> String {
        let mut text = String::from("{");
        for (key, value) in self.0.iter().filter(|(key, _)| key != name) {
            if text.len() > 1 {
                text.push_str(", ");
            }
            push_string(&mut text, key);
            text.push_str(": ");
            text.push_str(value.get());
        }
        text.push('}');
        text
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(fields)
    }
}

#[cfg(test)]
mod tests;
