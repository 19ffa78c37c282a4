//! What the tables remember of a view, as the rules of evidence ask for it.

use memlore_model::{BookName, TextKey};
use memlore_view::{History, SetHash, Span, Version, VersionNumber};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// The history of one view inside one transaction.
pub(super) struct Tables<'a> {
    db: &'a Connection,
    view: i64,
    book: &'a BookName,
    access_times: bool,
    /// The spans of the texts that stand in the newest version, once somebody asked.
    standing: OnceCell<HashMap<[u8; 16], Span>>,
}

impl<'a> Tables<'a> {
    /// The history of a view. Where access times are not kept now, nothing is known of any reading.
    pub(super) fn of(db: &'a Connection, view: i64, book: &'a BookName, access_times: bool) -> Self {
        Self { db, view, book, access_times, standing: OnceCell::new() }
    }

    fn newest_number(&self) -> rusqlite::Result<Option<u64>> {
        Ok(super::versions::newest(self.db, self.view)?.map(|newest| newest.number))
    }

    fn standing(&self) -> rusqlite::Result<&HashMap<[u8; 16], Span>> {
        if let Some(known) = self.standing.get() {
            return Ok(known);
        }
        let last = VersionNumber(self.newest_number()?.unwrap_or_default());
        let read = self
            .db
            .prepare_cached("select key, first, imported_at from standing where view = ?1")?
            .query_map([self.view], |row| {
                Ok((row.get(0)?, Span { first: VersionNumber(row.get(1)?), last, place: row.get(2)? }))
            })?
            .collect::<rusqlite::Result<_>>()?;
        Ok(self.standing.get_or_init(|| read))
    }
}

impl History for Tables<'_> {
    type Problem = rusqlite::Error;

    fn newest(&self) -> rusqlite::Result<Option<(VersionNumber, Vec<TextKey>)>> {
        let Some(number) = self.newest_number()? else { return Ok(None) };
        let texts = super::versions::newest_texts(self.db, self.view)?;
        Ok(Some((VersionNumber(number), texts.iter().map(|text| TextKey::of(text)).collect())))
    }

    fn first(&self) -> rusqlite::Result<Vec<TextKey>> {
        self.db
            .prepare_cached(
                "select text from (
                     select text, imported_at, place from standing where view = ?1 and first = 1
                     union all select text, imported_at, place from stood where view = ?1 and first = 1
                 ) order by imported_at, place",
            )?
            .query_map([self.view], |row| row.get::<_, String>(0).map(|text| TextKey::of(&text)))?
            .collect()
    }

    fn spans(&self, key: &TextKey) -> rusqlite::Result<Vec<Span>> {
        let mut spans: Vec<Span> = self
            .db
            .prepare_cached(
                "select first, last, imported_at from stood where view = ?1 and key = ?2 order by first",
            )?
            .query_map(params![self.view, key.digest()], |row| {
                let (first, last) = (VersionNumber(row.get(0)?), VersionNumber(row.get(1)?));
                Ok(Span { first, last, place: row.get(2)? })
            })?
            .collect::<rusqlite::Result<_>>()?;
        spans.extend(self.standing()?.get(&key.digest()));
        Ok(spans)
    }

    fn first_read(
        &self,
        first: VersionNumber,
        last: VersionNumber,
    ) -> rusqlite::Result<Option<VersionNumber>> {
        if !self.access_times {
            return Ok(Some(first));
        }
        self.db
            .prepare_cached(
                "select number from versions
                 where view = ?1 and number between ?2 and ?3 and (read is null or read = 1)
                 order by number limit 1",
            )?
            .query_row(params![self.view, first.0, last.0], |row| row.get(0).map(VersionNumber))
            .optional()
    }

    fn versions_of(&self, set: SetHash) -> rusqlite::Result<Vec<Version>> {
        super::versions::index_sets(self.db, self.view)?;
        self.db
            .prepare_cached(
                "select number, held_back, read from version_sets join versions using (view, number)
                 where view = ?1 and version_sets.set_hash = ?2 order by number",
            )?
            .query_map(params![self.view, set.to_bytes()], |row| {
                let read: Option<bool> = row.get(2)?;
                Ok(Version {
                    number: VersionNumber(row.get(0)?),
                    held_back: row.get(1)?,
                    read: read.filter(|_| self.access_times),
                })
            })?
            .collect()
    }

    fn ever_removed(&self, key: &TextKey) -> rusqlite::Result<bool> {
        self.db
            .prepare_cached(
                "select exists (select 1 from entries e join books b on b.num = e.book
                    where e.key = ?1 and b.name = ?2 and e.live = 0)",
            )?
            .query_row(params![key.digest(), self.book.as_str()], |row| row.get(0))
    }

    fn known_texts(
        &self,
        chars: RangeInclusive<u64>,
        visit: &mut dyn FnMut(&TextKey),
    ) -> rusqlite::Result<()> {
        let mut query = self.db.prepare_cached(
            "select e.text from entries e join books b on b.num = e.book
                where b.name = ?1 and length(e.text) between ?3 and ?4
             union select text from standing where view = ?2 and length(text) between ?3 and ?4
             union select text from stood where view = ?2 and length(text) between ?3 and ?4",
        )?;
        // Normalising can change a length a little; a wider range costs nothing but a look.
        let last = i64::try_from(chars.end().saturating_mul(2)).unwrap_or(i64::MAX);
        let mut rows = query.query(params![self.book.as_str(), self.view, chars.start() / 2, last])?;
        while let Some(row) = rows.next()? {
            visit(&TextKey::of(&row.get::<_, String>(0)?));
        }
        Ok(())
    }
}
