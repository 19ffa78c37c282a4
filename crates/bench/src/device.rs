//! A new device that takes 100,000 entries and 100,000 messages in.

use anyhow::Result;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::bare;
use crate::figure::Figure;
use crate::messages::talk;
use crate::process::child;
use crate::scratch::{Scratch, open, sync};
use crate::turns::{Turn, medians, timed};

const ROUNDS: usize = 5;
const ENTRIES: usize = 100_000;
const MOST: f64 = 2.0;
const MOST_MIB: f64 = 64.0;

pub(crate) fn ask(scratch: &Scratch) -> Result<Vec<Figure>> {
    let share = share_with_messages(scratch)?;
    let mut devices = 0;
    let mut greatest_kib = 0;
    let mut ours = || {
        devices += 1;
        let folder = scratch.path(&format!("device-{devices}"));
        let said = child("take-in", &[&folder, &share])?;
        greatest_kib = greatest_kib.max(said[1]);
        Ok(Duration::from_nanos(said[0]))
    };
    ours()?;
    let copied = Copied::of(&scratch.path("device-1/state/memlore.db"))?;
    let mut bares = 0;
    let mut theirs = || {
        bares += 1;
        copied.insert(&scratch.path(&format!("device-{bares}.db")))
    };
    let [ours, theirs] = medians(ROUNDS, [&mut ours as Turn<'_>, &mut theirs])?;
    let greatest = greatest_kib as f64 / 1024.0;
    Ok(vec![
        Figure::ratio(
            "a new device takes 100,000 entries and 100,000 messages in, beside bare inserts",
            (ours, theirs),
            MOST,
            "ms",
        ),
        Figure::at_most("… its memory", greatest, MOST_MIB, "MiB", "greatest of the process"),
    ])
}

/// A share with as many messages as entries, of another device.
fn share_with_messages(scratch: &Scratch) -> Result<PathBuf> {
    let share = scratch.path("share-with-messages");
    copy(&scratch.share_of(ENTRIES)?, &share)?;
    let mut talker = open(&scratch.path("talker"))?;
    talk(&mut talker, ENTRIES)?;
    sync(&mut talker, Some(&share))?;
    Ok(share)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Makes a device and lets it take a share in; only that is timed.
pub(crate) fn take_in(folder: &Path, share: &Path) -> Result<Duration> {
    let mut store = open(folder)?;
    timed(|| sync(&mut store, Some(share))).map(|(_, passed)| passed)
}

/// The rows that the new device has in the end, and the tables and indexes they stand in.
struct Copied {
    schema: Vec<String>,
    tables: Vec<(String, Vec<Vec<Value>>)>,
}

impl Copied {
    fn of(database: &Path) -> Result<Self> {
        let db = Connection::open(database)?;
        let column = |sql: &str| -> Result<Vec<String>> {
            Ok(db.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
        };
        // The order of making keeps an index behind its table.
        let schema = column("select sql from sqlite_schema where sql is not null order by rowid")?;
        let mut tables = Vec::new();
        for name in
            column("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")?
        {
            let mut select = db.prepare(&format!("select * from {name}"))?;
            let columns = select.column_count();
            let row = |row: &rusqlite::Row<'_>| (0..columns).map(|at| row.get(at)).collect();
            let rows: Vec<Vec<Value>> = select.query_map([], row)?.collect::<rusqlite::Result<_>>()?;
            tables.extend((!rows.is_empty()).then_some((name, rows)));
        }
        Ok(Self { schema, tables })
    }

    /// Makes the tables, and inserts every row in one transaction; only that is timed.
    fn insert(&self, database: &Path) -> Result<Duration> {
        let db = bare::open(database)?;
        for sql in &self.schema {
            db.execute_batch(sql)?;
        }
        let insert = || {
            let all = db.unchecked_transaction()?;
            for (name, rows) in &self.tables {
                let places = vec!["?"; rows[0].len()].join(", ");
                let mut insert = all.prepare(&format!("insert into {name} values ({places})"))?;
                for row in rows {
                    insert.execute(rusqlite::params_from_iter(row))?;
                }
            }
            Ok(all.commit()?)
        };
        timed(insert).map(|(_, passed)| passed)
    }
}
