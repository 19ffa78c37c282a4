//! How a replica is doing, for people.

use crate::answer::{BookReport, ReplicaReport, ShareReport, Status, Usage};
use crate::books::{Visible, count_shown, shown_once, visible_in};
use crate::database::FORMAT;
use crate::limits::kept_size;
use crate::views::{frame_now, topics_of};
use crate::{Result, Store, sessions, sync};
use memlore_model::{BookName, ReplicaId, Unit};
use memlore_view::{Dialect, Frame, Sheet, Shown, usage};

/// Tells how the replica is doing.
pub(crate) fn status(store: &Store) -> Result<Status> {
    let books = store.books()?.iter().map(|book| report(store, book)).collect::<Result<Vec<_>>>()?;
    let (format, unknown_records) = store.db.read(|db| {
        let format: i64 = db.query_row("pragma user_version", [], |row| row.get(0))?;
        let unknown: u64 =
            db.query_row("select count(*) from records where applied = 0", [], |row| row.get(0))?;
        Ok((format, unknown))
    })?;
    let share = match &store.config.share {
        None => None,
        Some(path) => Some(ShareReport {
            path: path.clone(),
            replicas: replicas(store)?,
            waiting: sync::waiting(store)?,
            ignored: sync::ignored(store)?,
            lacking: sync::lacking(store)?,
        }),
    };
    let mut warnings = Vec::new();
    for report in books.iter().filter(|report| report.usage.over()) {
        warnings.push(format!(
            "{} holds {} of {} {}; nothing is dropped, and nothing is added until it is smaller",
            report.book,
            report.usage.used,
            report.usage.limit.unwrap_or_default(),
            report.usage.unit
        ));
    }
    debug_assert_eq!(format, FORMAT);
    Ok(Status {
        replica: store.me.id,
        device: store.open.device.clone(),
        books,
        share,
        sessions: sessions::report(store)?,
        views: store.views()?,
        format,
        unknown_records,
        warnings,
    })
}

fn report(store: &Store, book: &BookName) -> Result<BookReport> {
    if store.size_is_kept(book) {
        // It may be as large as anything, so it is counted where it lies.
        let (entries, used) = store.db.read(|db| Ok((count_shown(db, book)?, kept_size(db, book)?)))?;
        let usage = Usage { used, limit: None, unit: Unit::Chars.name() };
        return Ok(BookReport { book: book.clone(), entries, usage });
    }
    let entries = shown_once(store.db.read(|db| visible_in(db, book))?);
    let limit = store.limit_of(book);
    let unit = limit.map_or(Unit::Chars, |limit| limit.unit);
    let texts: Vec<Shown<'_>> = entries.iter().map(Visible::shown).collect();
    let view = store.main_view(book);
    // What others wrote into the file counts where their program counts the whole file.
    let frame = match &view {
        Some(view) if view.dialect == Dialect::Bullets => frame_now(store, view)?,
        _ => Frame::default(),
    };
    let topics = store.db.read(|db| topics_of(store, db, book))?;
    let dialect = view.map_or(store.config.dialect, |view| view.dialect);
    let used = usage(Sheet { dialect, book: Some(book), topics: &topics }, &texts, &frame, unit);
    let usage = Usage { used, limit: limit.map(|limit| limit.most), unit: unit.name() };
    Ok(BookReport { book: book.clone(), entries: entries.len(), usage })
}

fn replicas(store: &Store) -> Result<Vec<ReplicaReport>> {
    store.db.read(|db| {
        let mut replicas: Vec<ReplicaReport> = db
            .prepare(
                "select id, device, last_seen_us,
                     (select count(*) from replicas b where b.written = p.id)
                 from replicas p
                 where num <> ?1 and written is null and num not in (select replica from own_ids) order by id",
            )?
            .query_map([store.me.number], |row| {
                Ok(ReplicaReport {
                    replica: ReplicaId(row.get(0)?),
                    device: row.get(1)?,
                    last_seen_us: row.get(2)?,
                    behind: 0,
                    branches: row.get(3)?,
                })
            })?
            .collect::<rusqlite::Result<_>>()?;
        for report in &mut replicas {
            report.behind = sync::behind(db, report.replica)?;
        }
        Ok(replicas)
    })
}
