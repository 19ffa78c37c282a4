//! `session list`: the conversations that are here.

use super::super::Result;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{Page, QUIET, count, glimpse, paint};
use crate::world::World;
use memlore_store::answer::SessionReport;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub(super) fn run(world: &World) -> Result<impl Answer + use<>> {
    let store = world.open()?;
    let sessions = store.sessions().map_err(CommandError::from)?;
    Ok(Reply::new(ListAnswer { sessions: sessions.into_iter().map(Listed::from).collect() }, Vec::new()))
}

#[derive(Serialize)]
struct ListAnswer {
    sessions: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    session: String,
    title: Value,
    messages: u64,
    first: Option<i64>,
    last: Option<i64>,
    devices: Vec<String>,
    facts: Map<String, Value>,
}

impl From<SessionReport> for Listed {
    fn from(report: SessionReport) -> Self {
        let SessionReport { session, messages, first_us, last_us, devices, facts } = report;
        let facts: Map<String, Value> = facts
            .into_iter()
            .filter_map(|(name, value)| Some((name, serde_json::from_str(&value).ok()?)))
            .collect();
        let title = facts.get("title").cloned().unwrap_or(json!(null));
        Self { session, title, messages, first: first_us, last: last_us, devices, facts }
    }
}

impl Answer for ListAnswer {
    fn write(&self, page: &mut Page) {
        if self.sessions.is_empty() {
            page.line(paint(QUIET, "no conversations yet"));
        }
        for listed in &self.sessions {
            let title =
                listed.title.as_str().map(|title| format!("  {}", glimpse(title))).unwrap_or_default();
            page.line(format_args!("{}{title}", glimpse(&listed.session)));
            let messages =
                count(usize::try_from(listed.messages).unwrap_or(usize::MAX), "message", "messages");
            let last = listed.last.and_then(|us| u64::try_from(us).ok()).map(|us| page.age(us));
            let parts: Vec<String> =
                [Some(messages), last, Some(listed.devices.join(", "))].into_iter().flatten().collect();
            page.line(paint(QUIET, format_args!("  {}", parts.join(" · "))));
        }
    }
}
