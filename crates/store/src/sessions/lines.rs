//! Conversations as JSON lines, for other programs and back again.

use super::show::show;
use crate::{Result, Store};
use memlore_model::Message;
use memlore_model::message::Line;

/// Hands over a conversation's messages as lines, each with its end.
pub(crate) fn export(
    store: &Store,
    session: &str,
    with: &mut dyn FnMut(&str) -> std::io::Result<()>,
) -> Result<()> {
    show(store, session, None, &mut |shown| {
        let mut json = String::from("{");
        for (index, (name, value)) in shown.fields.iter().enumerate() {
            json.push_str(if index > 0 { ", " } else { "" });
            memlore_model::canonical::push_string(&mut json, name);
            json.push_str(": ");
            json.push_str(value);
        }
        json.push('}');
        let message = Message::parse(json.as_bytes()).map_err(std::io::Error::other)?;
        let line = Line {
            session: Some(shown.session),
            writer: None,
            after: None,
            flush_us: Some(shown.flush_us),
            device: Some(shown.device),
            message,
        };
        with(&line.to_export())
    })
}
