//! What the records of the sessions stream hold.

use super::{Digest, Message};
use crate::canonical::push_string;
use crate::{LAST_US, Stamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The greatest logical part that orders messages; a greater one counts as this.
const LAST_LOGICAL: u64 = i64::MAX as u64;

/// A message as a record carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRecord {
    /// The conversation it belongs to.
    pub session: String,
    /// Its flush timestamp, in microseconds since the epoch.
    pub flush_us: i64,
    /// Its place in the conversation.
    pub clock: Stamp,
    /// The agent that handed it over.
    pub by: String,
    /// The device on which it was handed over.
    pub device: String,
    /// The message.
    pub message: Message,
}

/// Facts about a conversation; of each field the value with the greatest clock counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsRecord {
    /// The conversation.
    pub session: String,
    /// When they were stated.
    pub clock: Stamp,
    /// The values, each as JSON; null takes a value back.
    pub facts: BTreeMap<String, String>,
}

/// How a message is kept out of sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hidden {
    /// It is in sight.
    No,
    /// A summary took its place in what the agent sends to its model.
    Compacted,
    /// It was taken back.
    Rewound,
    /// The agent no longer has it.
    Gone,
}

impl Hidden {
    /// Every way, with its name and its number.
    const ALL: [(Self, &str); 4] = [
        (Self::No, "shown"),
        (Self::Compacted, "compacted"),
        (Self::Rewound, "rewound"),
        (Self::Gone, "gone"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL[usize::from(self.number())].1
    }

    /// Its number in tables.
    pub fn number(self) -> u8 {
        match self {
            Self::No => 0,
            Self::Compacted => 1,
            Self::Rewound => 2,
            Self::Gone => 3,
        }
    }

    /// The way with this number; any other is in sight.
    pub fn from_number(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).map_or(Self::No, |(hidden, _)| *hidden)
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(hidden, _)| *hidden)
    }
}

/// Messages of a conversation that are hidden, or in sight again; of each the word with the greatest clock counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HidingRecord {
    /// The conversation.
    pub session: String,
    /// When it was said.
    pub clock: Stamp,
    /// How they are hidden.
    pub hidden: Hidden,
    /// Their flush timestamps and digests.
    pub messages: Vec<(i64, Digest)>,
}

/// Messages that are known under two flush timestamps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameRecord {
    /// The conversation.
    pub session: String,
    /// The stamp that is another name, the stamp that stays, and what both say.
    pub same: Vec<(i64, i64, Digest)>,
}

#[derive(Deserialize)]
struct Read<'a> {
    #[serde(borrow)]
    session: Cow<'a, str>,
    #[serde(default)]
    flush: i64,
    #[serde(default)]
    at: u64,
    #[serde(default)]
    n: u64,
    #[serde(borrow, default)]
    by: Cow<'a, str>,
    #[serde(borrow, default)]
    device: Cow<'a, str>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    facts: BTreeMap<Cow<'a, str>, &'a RawValue>,
    #[serde(borrow, default)]
    hidden: Cow<'a, str>,
    #[serde(default)]
    messages: Vec<(i64, String)>,
    #[serde(default)]
    same: Vec<(i64, i64, String)>,
}

impl<'a> Read<'a> {
    fn new(payload: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(payload).ok()
    }

    fn clock(&self) -> Stamp {
        Stamp { us: self.at.min(LAST_US), logical: self.n.min(LAST_LOGICAL) }
    }
}

fn digest(hex: &str) -> Option<Digest> {
    let bytes = data_encoding::HEXLOWER.decode(hex.as_bytes()).ok()?;
    bytes.try_into().ok().map(Digest)
}

/// Begins a payload with the conversation and, where there is one, the clock.
fn begin(session: &str, clock: Option<Stamp>, room: usize) -> String {
    let mut json = String::with_capacity(room + session.len() + 80);
    json.push_str("{\"session\":");
    push_string(&mut json, session);
    if let Some(clock) = clock {
        json.push_str(&format!(",\"at\":{}", clock.us));
        if clock.logical > 0 {
            json.push_str(&format!(",\"n\":{}", clock.logical));
        }
    }
    json
}

impl MessageRecord {
    /// The payload.
    pub fn to_payload(&self) -> Vec<u8> {
        let mut json = begin(&self.session, Some(self.clock), self.message.text().len());
        json.push_str(&format!(",\"flush\":{}", self.flush_us));
        for (name, value) in [("by", &self.by), ("device", &self.device)] {
            if !value.is_empty() {
                json.push_str(&format!(",\"{name}\":"));
                push_string(&mut json, value);
            }
        }
        json.push_str(",\"message\":");
        json.push_str(self.message.text());
        json.push('}');
        json.into_bytes()
    }

    /// Reads a payload; nothing when it holds no message.
    pub fn from_payload(payload: &[u8]) -> Option<Self> {
        let read = Read::new(payload)?;
        let clock = read.clock();
        let message = Message::parse(read.message?.get().as_bytes()).ok()?;
        Some(Self {
            session: read.session.into_owned(),
            flush_us: read.flush,
            clock,
            by: read.by.into_owned(),
            device: read.device.into_owned(),
            message,
        })
    }
}

impl FactsRecord {
    /// The payload.
    pub fn to_payload(&self) -> Vec<u8> {
        let mut json = begin(&self.session, Some(self.clock), 0);
        json.push_str(",\"facts\":{");
        for (index, (name, value)) in self.facts.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            push_string(&mut json, name);
            json.push(':');
            json.push_str(value);
        }
        json.push_str("}}");
        json.into_bytes()
    }

    /// Reads a payload; nothing when it holds no facts.
    pub fn from_payload(payload: &[u8]) -> Option<Self> {
        let read = Read::new(payload)?;
        let facts = read.facts.iter().map(|(name, value)| (name.to_string(), value.get().to_owned()));
        Some(Self { clock: read.clock(), facts: facts.collect(), session: read.session.into_owned() })
    }
}

impl HidingRecord {
    /// The payload.
    pub fn to_payload(&self) -> Vec<u8> {
        let mut json = begin(&self.session, Some(self.clock), self.messages.len() * 54);
        json.push_str(&format!(",\"hidden\":\"{}\",\"messages\":[", self.hidden.name()));
        for (index, (us, digest)) in self.messages.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            json.push_str(&format!("{comma}[{us},\"{digest}\"]"));
        }
        json.push_str("]}");
        json.into_bytes()
    }

    /// Reads a payload; nothing when it hides nothing in a way that is known here.
    pub fn from_payload(payload: &[u8]) -> Option<Self> {
        let read = Read::new(payload)?;
        let messages = read.messages.iter().map(|(us, hex)| Some((*us, digest(hex)?)));
        Some(Self {
            clock: read.clock(),
            hidden: Hidden::from_name(&read.hidden)?,
            messages: messages.collect::<Option<_>>()?,
            session: read.session.into_owned(),
        })
    }
}

impl SameRecord {
    /// The payload.
    pub fn to_payload(&self) -> Vec<u8> {
        let mut json = begin(&self.session, None, self.same.len() * 72);
        json.push_str(",\"same\":[");
        for (index, (from, to, digest)) in self.same.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            json.push_str(&format!("{comma}[{from},{to},\"{digest}\"]"));
        }
        json.push_str("]}");
        json.into_bytes()
    }

    /// Reads a payload; nothing when it names no messages.
    pub fn from_payload(payload: &[u8]) -> Option<Self> {
        let read = Read::new(payload)?;
        let same = read.same.iter().map(|(from, to, hex)| Some((*from, *to, digest(hex)?)));
        Some(Self { same: same.collect::<Option<_>>()?, session: read.session.into_owned() })
    }
}
