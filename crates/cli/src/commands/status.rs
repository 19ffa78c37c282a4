//! `status`: how the memory is doing.

use super::Result;
use super::render::write_views;
use crate::answer::{usage_json, views_json};
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{CHANGED, LOUD, Page, QUIET, count, fullness, paint};
use crate::world::World;
use memlore_store::answer::{BookReport, ReplicaReport, SessionsReport, ShareReport, Status};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

pub(super) fn run(world: &World) -> Result<impl Answer + use<>> {
    let place = world.place()?;
    let (home, state) = (place.home.clone(), place.state.clone());
    let mut status = world.open()?.status().map_err(CommandError::from)?;
    let warnings = std::mem::take(&mut status.warnings);
    Ok(Reply::new(StatusAnswer { status, home, state }, warnings))
}

struct StatusAnswer {
    status: Status,
    home: PathBuf,
    state: PathBuf,
}

impl Serialize for StatusAnswer {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let status = &self.status;
        let mut fields = to.serialize_struct("Status", 10)?;
        fields.serialize_field("replica", &status.replica.to_string())?;
        fields.serialize_field("device", &status.device)?;
        fields.serialize_field("home", &self.home)?;
        fields.serialize_field("state", &self.state)?;
        fields.serialize_field("books", &books_json(&status.books))?;
        fields.serialize_field("sessions", &sessions_json(&status.sessions))?;
        fields.serialize_field("share", &status.share.as_ref().map(share_json))?;
        fields.serialize_field("views", &views_json(&status.views))?;
        fields.serialize_field("format", &status.format)?;
        fields.serialize_field("unknown_records", &status.unknown_records)?;
        fields.end()
    }
}

fn sessions_json(report: &SessionsReport) -> Value {
    let SessionsReport { sessions, messages, pending, damaged } = report;
    json!({"sessions": sessions, "messages": messages, "pending": pending, "damaged": damaged})
}

fn books_json(books: &[BookReport]) -> Value {
    let book = |report: &BookReport| {
        let mut fields = Map::from_iter([("entries".to_owned(), json!(report.entries))]);
        fields.extend(usage_json(&report.usage).as_object().cloned().unwrap_or_default());
        (report.book.to_string(), Value::Object(fields))
    };
    Value::Object(books.iter().map(book).collect())
}

fn share_json(share: &ShareReport) -> Value {
    let replica = |report: &ReplicaReport| {
        json!({
            "replica": report.replica.to_string(), "device": report.device, "last_seen": report.last_seen_us,
            "behind": report.behind, "branches": report.branches,
        })
    };
    let replicas: Vec<Value> = share.replicas.iter().map(replica).collect();
    json!({
        "path": share.path, "replicas": replicas, "waiting": share.waiting, "ignored": share.ignored,
        "lacking": share.lacking,
    })
}

impl Answer for StatusAnswer {
    fn write(&self, page: &mut Page) {
        let status = &self.status;
        page.line(format_args!("{}  {}", paint(LOUD, &status.device), paint(QUIET, self.home.display())));
        if page.detailed() {
            page.line(paint(QUIET, format_args!("  replica {}", status.replica)));
            page.line(paint(
                QUIET,
                format_args!("  state   {} (format {})", self.state.display(), status.format),
            ));
        }
        page.line(paint(LOUD, "books"));
        write_books(page, &status.books);
        let SessionsReport { sessions, messages, pending, damaged } = status.sessions;
        if sessions + pending + damaged > 0 {
            page.line(paint(LOUD, "conversations"));
            page.line(format_args!("  {sessions} with {messages} messages"));
        }
        if pending > 0 {
            page.line(format_args!(
                "  {} {pending} messages are not in the database yet",
                paint(CHANGED, "pending")
            ));
        }
        if damaged > 0 {
            page.line(format_args!("  {} {damaged} pending lines cannot be read", paint(CHANGED, "damaged")));
        }
        page.line(paint(LOUD, "views"));
        if status.views.is_empty() {
            page.line(paint(QUIET, "  none"));
        }
        write_views(page, &status.views);
        page.line(paint(LOUD, "share"));
        match &status.share {
            None => page.line(paint(QUIET, "  none; `memlore sync --share DIR` names one")),
            Some(share) => write_share(page, share),
        }
        if status.unknown_records > 0 {
            let records =
                count(usize::try_from(status.unknown_records).unwrap_or(usize::MAX), "record", "records");
            page.line(paint(
                QUIET,
                format_args!("{records} of a newer version: kept and passed on, not shown"),
            ));
        }
    }
}

fn write_books(page: &mut Page, books: &[BookReport]) {
    if books.is_empty() {
        page.line(paint(QUIET, "  none yet"));
    }
    let width = books.iter().map(|report| report.book.as_str().chars().count()).max().unwrap_or_default();
    for report in books {
        let entries = count(report.entries, "entry", "entries");
        let over =
            if report.usage.over() { "  over its limit: nothing is dropped, adds are refused" } else { "" };
        page.line(format_args!(
            "  {:<width$}  {entries:<12}  {}{}",
            report.book.as_str(),
            paint(QUIET, fullness(&report.usage)),
            paint(CHANGED, over)
        ));
    }
}

fn write_share(page: &mut Page, share: &ShareReport) {
    page.line(format_args!("  {}", share.path));
    if share.replicas.is_empty() {
        page.line(paint(QUIET, "  no other replica yet"));
    }
    for report in &share.replicas {
        let name = report.device.clone().unwrap_or_else(|| report.replica.to_string());
        let seen = report
            .last_seen_us
            .map_or_else(|| "never seen".to_owned(), |us| format!("seen {}", page.age(us)));
        let behind =
            if report.behind > 0 { format!(", {} records to come", report.behind) } else { String::new() };
        let branches = if report.branches > 0 {
            format!(", copies of it wrote on: {} branches, all kept", report.branches)
        } else {
            String::new()
        };
        page.line(format_args!("  {name}  {}", paint(QUIET, format_args!("{seen}{behind}{branches}"))));
    }
    let told = [("waiting", &share.waiting), ("ignored", &share.ignored), ("lacking", &share.lacking)];
    for (what, lines) in told {
        for line in lines {
            page.line(format_args!("  {} {line}", paint(CHANGED, what)));
        }
    }
}
