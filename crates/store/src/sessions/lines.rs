//! Conversations as JSON lines, for other programs and back again.

use super::pending::Locked;
use super::recover::Reading;
use super::show::show;
use crate::answer::{Answered, SessionsImported};
use crate::{Error, Result, Store};
use memlore_model::Message;
use memlore_model::message::Line;
use std::path::Path;

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

/// Takes in a file of lines, wrapped ones or plain ones; what cannot be read is told in the warnings.
pub(crate) fn import(store: &Store, path: &Path) -> Result<Answered<SessionsImported>> {
    let file = std::fs::File::open(path).map_err(|source| Error::File {
        what: "read",
        path: path.to_owned(),
        source,
    })?;
    let locked = Locked { file, path: path.to_owned() };
    let taken = Reading::from_the_beginning(locked).take_all(store)?;
    let answer = SessionsImported {
        sessions: taken.sessions.len(),
        messages: taken.recovered,
        duplicates: taken.duplicates,
    };
    let damaged = taken.damaged.iter().map(|(line, reason)| {
        format!("line {line} of {} cannot be read: {reason}; it is left out", path.display())
    });
    Ok(Answered { answer, warnings: damaged.collect() })
}
