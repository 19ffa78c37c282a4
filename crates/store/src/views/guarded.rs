//! Files that were guarded: what a person's confirmation would make of them.

use rusqlite::{Connection, OptionalExtension as _, params};

/// A guarded file, as it is remembered until something else happens to the view.
pub(super) struct Guarded {
    /// The text that counts when the person confirms.
    pub(super) text: String,
    /// The last record that the version before it reflected.
    pub(super) last_record: i64,
}

/// Remembers a guarded file that could be confirmed. `version` is the rendering that follows it.
pub(super) fn remember(
    db: &Connection,
    view: i64,
    text: Option<&str>,
    last_record: i64,
    version: u64,
    now_us: u64,
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "insert or replace into guarded (view, version, last_record, text, since_us) values (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![view, version, last_record, text, now_us])?;
    Ok(())
}

/// The guarded file of a view, as long as nothing but its mending followed.
pub(super) fn pending(db: &Connection, view: i64, newest: u64) -> rusqlite::Result<Option<Guarded>> {
    db.prepare_cached(
        "select text, last_record from guarded where view = ?1 and version >= ?2 and text is not null",
    )?
    .query_row(params![view, newest], |row| Ok(Guarded { text: row.get(0)?, last_record: row.get(1)? }))
    .optional()
}

/// Forgets the guarded file of a view.
pub(super) fn forget(db: &Connection, view: i64) -> rusqlite::Result<()> {
    db.prepare_cached("delete from guarded where view = ?1")?.execute([view])?;
    Ok(())
}
