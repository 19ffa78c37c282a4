//! Lines of pending files, and of every other file of messages: wrapped ones and plain ones.

use super::{Fields, Message, MessageProblem, mend, micros, seconds};
use crate::canonical::{push_string, string_of};
use crate::{LAST_US, ReplicaId, Stamp};
use serde_json::value::RawValue;

/// The most bytes that a message, or a line that carries one, may have; longer ones are reported and passed over.
pub const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;

/// One line of a file of messages.
///
/// Wrapped, it is an object whose `message` is the message; plain, it is the message itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The conversation, when the line names it.
    pub session: Option<String>,
    /// The replica that wrote the line.
    pub writer: Option<ReplicaId>,
    /// The last clock of the conversation that the writer could read.
    pub after: Option<Stamp>,
    /// The flush timestamp, when the line has one.
    pub flush_us: Option<i64>,
    /// The device on which the message was handed over.
    pub device: Option<String>,
    /// The message.
    pub message: Message,
}

impl Line {
    /// Reads a line.
    ///
    /// # Errors
    /// Returns why it carries no message.
    pub fn parse(bytes: &[u8]) -> Result<Self, MessageProblem> {
        let text = mend(bytes).ok_or(MessageProblem::NotUtf8)?;
        let fields = Fields::of(&text)?;
        let wrapped = fields
            .last("message")
            .filter(|inner| inner.get().starts_with('{') && fields.last("role").is_none());
        let Some(inner) = wrapped else {
            let message = Message::from_mended(text.clone())?;
            let flush_us = message.given_us();
            return Ok(Self { session: None, writer: None, after: None, flush_us, device: None, message });
        };
        let text_of =
            |name| string_of(fields.last(name).map_or("null", RawValue::get)).map(|text| text.into_owned());
        let message = Message::from_mended(inner.get().to_owned())?;
        let whole = match fields.last("flush_timestamp").map(RawValue::get) {
            Some(written) if written != "null" => Some(written.parse().map_err(|_| MessageProblem::Stamp)?),
            _ => None,
        };
        let fallback = || micros(fields.last("_fallback_timestamp")?.get());
        Ok(Self {
            session: text_of("_session"),
            writer: text_of("_writer").and_then(|id| id.parse().ok()),
            after: text_of("_after").and_then(|clock| clock_of(&clock)),
            flush_us: whole.or_else(fallback).or(message.given_us()),
            device: text_of("device"),
            message,
        })
    }

    /// Writes the line as a pending file has it, with its end.
    pub fn to_pending(&self) -> String {
        let mut line = String::with_capacity(self.message.text().len() + 200);
        line.push('{');
        if let Some(flush_us) = self.flush_us {
            line.push_str(&format!("\"_fallback_timestamp\": {}, ", seconds(flush_us)));
        }
        if let Some(writer) = self.writer {
            line.push_str(&format!("\"_writer\": \"{writer}\", "));
        }
        if let Some(after) = self.after {
            line.push_str(&format!("\"_after\": \"{after}\", "));
        }
        self.end(line)
    }

    /// Writes the line as an export has it, with its end.
    pub fn to_export(&self) -> String {
        let mut line = String::with_capacity(self.message.text().len() + 200);
        line.push('{');
        if let Some(flush_us) = self.flush_us {
            line.push_str(&format!("\"flush_timestamp\": {flush_us}, "));
        }
        if let Some(device) = &self.device {
            line.push_str("\"device\": ");
            push_string(&mut line, device);
            line.push_str(", ");
        }
        self.end(line)
    }

    fn end(&self, mut line: String) -> String {
        if let Some(session) = &self.session {
            line.push_str("\"_session\": ");
            push_string(&mut line, session);
            line.push_str(", ");
        }
        line.push_str("\"message\": ");
        line.push_str(self.message.text());
        line.push_str("}\n");
        line
    }
}

/// Reads a clock from `microseconds.logical`.
fn clock_of(text: &str) -> Option<Stamp> {
    let (us, logical) = text.split_once('.')?;
    let logical: u64 = logical.parse().ok()?;
    Some(Stamp { us: us.parse::<u64>().ok()?.min(LAST_US), logical: logical.min(i64::MAX as u64) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn wrapped_and_plain_lines_carry_the_same_message() {
        let wrapped = line(
            r#"{"_fallback_timestamp": 1764511200.123456, "message": {"role": "user", "content": "x"}}"#,
        );
        let plain = line(r#"{"role":"user","content":"x","_flush_timestamp":1764511200.123456}"#);
        assert_eq!(wrapped.flush_us, Some(1_764_511_200_123_456));
        assert_eq!(wrapped.flush_us, plain.flush_us);
        assert_eq!(wrapped.message.digest(), plain.message.digest());
        assert_eq!(line(r#"{"role":"user","message":{}}"#).message.text(), r#"{"role":"user","message":{}}"#);
        assert_eq!(line(r#"{"message":{"role":"user"}}"#).flush_us, None);
    }

    #[test]
    fn lines_read_back() {
        let line = Line {
            session: Some("a\nb".into()),
            writer: Some(ReplicaId([7; 16])),
            after: Some(Stamp { us: 5, logical: 3 }),
            flush_us: Some(-1_234_567),
            device: None,
            message: Message::parse(br#"{"role":"user","content":"\u2028"}"#).unwrap(),
        };
        assert_eq!(Line::parse(line.to_pending().trim_end().as_bytes()), Ok(line.clone()));
        let exported = Line { writer: None, after: None, device: Some("laptop".into()), ..line };
        assert_eq!(Line::parse(exported.to_export().trim_end().as_bytes()), Ok(exported));
    }
}
