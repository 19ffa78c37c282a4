//! `session show`: a conversation's messages.

use super::super::Result;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{LOUD, Page, QUIET, paint};
use crate::world::World;
use memlore_model::message::Hidden;
use memlore_store::answer::ShownMessage;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The conversation
    #[arg(allow_hyphen_values = true)]
    session: String,
    /// Only the last N messages
    #[arg(long, value_name = "N")]
    last: Option<usize>,
}

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let store = world.open()?;
    let mut messages = Vec::new();
    let shown = store.session(&args.session, args.last, &mut |message| {
        messages.push(message);
        Ok(())
    });
    shown.map_err(unknown)?;
    Ok(Reply::new(ShowAnswer { messages }, Vec::new()))
}

/// Says where to look for conversations that are there.
pub(super) fn unknown(error: memlore_store::Error) -> CommandError {
    let unknown = matches!(error, memlore_store::Error::NothingMatched { .. });
    let error = CommandError::from(error);
    if unknown { error.hint("`memlore session list` shows the conversations that there are") } else { error }
}

struct ShowAnswer {
    messages: Vec<ShownMessage>,
}

impl Serialize for ShowAnswer {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = to.serialize_map(Some(1))?;
        let messages: Vec<MessageJson<'_>> = self.messages.iter().map(MessageJson).collect();
        fields.serialize_entry("messages", &messages)?;
        fields.end()
    }
}

/// A message's JSON: its own fields as they were written, and what is known of it.
struct MessageJson<'a>(&'a ShownMessage);

/// What is known of a message goes before a field of the same name.
const OURS: [&str; 3] = ["flush_timestamp", "device", "hidden"];

impl Serialize for MessageJson<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let message = self.0;
        let mut fields = to.serialize_map(None)?;
        for first in ["role", "content"] {
            let written = message.fields.iter().rev().find(|(name, _)| name == first);
            fields.serialize_entry(first, &written.map(|(_, value)| raw::<S>(value)).transpose()?)?;
        }
        fields.serialize_entry("flush_timestamp", &message.flush_us)?;
        fields.serialize_entry("device", &message.device)?;
        if message.hidden != Hidden::No {
            fields.serialize_entry("hidden", message.hidden.name())?;
        }
        for (index, (name, value)) in message.fields.iter().enumerate() {
            let again = message.fields[index + 1..].iter().any(|(later, _)| later == name);
            if !again && name != "role" && name != "content" && !OURS.contains(&name.as_str()) {
                fields.serialize_entry(name, &raw::<S>(value)?)?;
            }
        }
        fields.end()
    }
}

fn raw<S: Serializer>(json: &str) -> std::result::Result<&RawValue, S::Error> {
    serde_json::from_str(json).map_err(serde::ser::Error::custom)
}

impl Answer for ShowAnswer {
    fn write(&self, page: &mut Page) {
        for message in &self.messages {
            let text = |name: &str| {
                let value = message.fields.iter().rev().find(|(field, _)| field == name);
                value.and_then(|(_, value)| serde_json::from_str::<String>(value).ok())
            };
            let role = text("role").unwrap_or_else(|| "?".to_owned());
            let age = u64::try_from(message.flush_us).map(|us| page.age(us)).unwrap_or_default();
            let head = format!(
                "{} {}  ",
                paint(LOUD, &role),
                paint(QUIET, format_args!("{age} · {}", message.device))
            );
            page.line(head);
            let content = text("content").or_else(|| {
                let shown = ["content", "tool_calls"];
                message
                    .fields
                    .iter()
                    .find(|(name, value)| shown.contains(&name.as_str()) && value != "null")
                    .map(|(_, value)| value.clone())
            });
            page.indented("  ", 2, content.as_deref().unwrap_or_default());
        }
    }
}
