//! The versions of a view: what was rendered and imported, and which texts stood in which of them.

use super::View;
use super::witness::Witnesses;
use crate::shelf::{Shelf, Standing};
use memlore_view::{SetHash, VersionNumber};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::HashMap;

/// The newest version of a view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Newest {
    pub(super) number: u64,
    /// The keyed hash of the file's bytes.
    pub(super) hash: [u8; 32],
    /// Whether it was read before its present witness was made.
    pub(super) read: bool,
    /// What is noted of whether it, and the version before it, were read.
    noted: [Option<bool>; 2],
    /// Whether something in it belongs to somebody else.
    pub(super) framed: bool,
    /// Whether that is, or holds, a secret.
    pub(super) secret: bool,
}

/// A version about to be remembered.
pub(super) struct NewVersion<'a> {
    /// The keyed hash of its bytes.
    pub(super) hash: [u8; 32],
    /// Its texts in order, with the digests of their keys.
    pub(super) texts: Vec<(&'a str, [u8; 16])>,
    /// The wall time.
    pub(super) at_us: u64,
    /// The number of the last record that is reflected in it.
    pub(super) last_record: i64,
    /// Whether it is an import of which something was held.
    pub(super) held_back: bool,
    /// Whether it is an import.
    pub(super) imported: bool,
    /// Whether something in it belongs to somebody else.
    pub(super) framed: bool,
    /// Whether that is, or holds, a secret.
    pub(super) secret: bool,
}

/// The newest version of a view, if there is any.
pub(super) fn newest(db: &Connection, view: i64) -> rusqlite::Result<Option<Newest>> {
    let mut query = db.prepare_cached(
        "select number, hash, framed, read from versions where view = ?1 order by number desc limit 2",
    )?;
    let mut rows = query.query([view])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let (number, hash, framed): (_, _, u8) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let read: Option<bool> = row.get(3)?;
    let before = rows.next()?.map(|row| row.get(3)).transpose()?.flatten();
    let (framed, secret) = (framed > 0, framed > 1);
    Ok(Some(Newest { number, hash, read: read == Some(true), noted: [read, before], framed, secret }))
}

/// The hash of a version's bytes.
pub(super) fn hash_of(db: &Connection, view: i64, number: u64) -> rusqlite::Result<Option<[u8; 32]>> {
    db.prepare_cached("select hash from versions where view = ?1 and number = ?2")?
        .query_row(params![view, number], |row| row.get(0))
        .optional()
}

/// The number of the last record that a version reflects.
pub(super) fn last_record(db: &Connection, view: i64, version: VersionNumber) -> rusqlite::Result<i64> {
    db.prepare_cached("select last_record from versions where view = ?1 and number = ?2")?
        .query_row(params![view, version.0], |row| row.get(0))
        .optional()
        .map(Option::unwrap_or_default)
}

/// Remembers a version after the newest one, and where each text stands in it; returns its number.
///
/// Writes a row for each text that came or went, none for those that stayed.
pub(super) fn remember(
    db: &Connection,
    view: i64,
    newest: Option<Newest>,
    version: &NewVersion<'_>,
    shelf: &Shelf,
) -> rusqlite::Result<u64> {
    let number = newest.map_or(1, |newest| newest.number + 1);
    let mut set = SetHash::default();
    version.texts.iter().for_each(|(_, digest)| set.insert_digest(*digest));
    db.prepare_cached(
        "insert into versions (view, number, hash, set_hash, at_us, last_record, held_back, imported, framed)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        view,
        number,
        version.hash,
        set.to_bytes(),
        version.at_us,
        version.last_record,
        version.held_back,
        version.imported,
        i64::from(version.framed) + i64::from(version.secret)
    ])?;
    // What stands there now comes in the order of the file, so most texts are found where they are looked for.
    let stood = match shelf.take_standing(view, number - 1) {
        Some(stood) => stood,
        None => standing_now(db, view)?,
    };
    let stays = stood.iter().zip(&version.texts).take_while(|((key, _), (_, digest))| key == digest).count();
    let (stay, rest) = stood.split_at(stays);
    let mut gone: HashMap<[u8; 16], f64> = rest.iter().copied().collect();
    let moved = version.texts[stays..].iter().map(|(_, digest)| gone.remove(digest));
    let places: Vec<Option<f64>> = stay.iter().map(|(_, place)| Some(*place)).chain(moved).collect();
    let mut standing = Vec::with_capacity(version.texts.len());
    let mut before = 0.0;
    for (index, (text, digest)) in version.texts.iter().enumerate() {
        if let Some(place) = places[index] {
            before = place;
            standing.push((*digest, place));
            continue;
        }
        let after = places[index..].iter().flatten().next();
        let place = after.map_or(before + 1.0, |after| f64::midpoint(before, *after));
        before = place;
        standing.push((*digest, place));
        db.prepare_cached(
            "insert into standing (view, key, first, text, place, imported_at) values (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![view, digest, number, text, place, version.imported.then_some(index)])?;
    }
    let mut gone: Vec<_> = gone.into_iter().collect();
    gone.sort_unstable_by_key(|(digest, _)| *digest);
    for (digest, place) in gone {
        db.prepare_cached(
            "insert into stood (view, key, first, last, text, place, imported_at)
             select view, key, first, ?4, text, place, imported_at from standing
             where view = ?1 and place = ?2 and key = ?3",
        )?
        .execute(params![view, place, digest, number - 1])?;
        db.prepare_cached("delete from standing where view = ?1 and place = ?2 and key = ?3")?
            .execute(params![view, place, digest])?;
    }
    // Places that are as good as equal are put apart by the table alone.
    if standing.is_sorted_by(|(_, before), (_, after)| before < after) {
        shelf.keep_standing(Standing { view, version: number, places: standing });
    }
    Ok(number)
}

fn standing_now(db: &Connection, view: i64) -> rusqlite::Result<Vec<([u8; 16], f64)>> {
    db.prepare_cached("select key, place from standing where view = ?1 order by place, key")?
        .query_map([view], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Catches the index of the versions' sets up: only rules of evidence ask for it, so no operation pays for it.
pub(super) fn index_sets(db: &Connection, view: i64) -> rusqlite::Result<()> {
    db.prepare_cached(
        "insert into version_sets (view, set_hash, number)
         select v.view, v.set_hash, v.number from views join versions v on v.view = views.num
         where views.num = ?1 and v.number > views.sets_upto",
    )?
    .execute([view])?;
    db.prepare_cached(
        "update views set sets_upto = newest
         from (select max(number) as newest from versions where view = ?1)
         where num = ?1 and newest > sets_upto",
    )?
    .execute([view])?;
    Ok(())
}

/// The texts of the newest version, in its order.
pub(super) fn newest_texts(db: &Connection, view: i64) -> rusqlite::Result<Vec<String>> {
    db.prepare_cached("select text from standing where view = ?1 order by place, key")?
        .query_map([view], |row| row.get(0))?
        .collect()
}

/// Writes down what the witnesses say of the versions that are about to be replaced.
///
/// A reader may still open the newest one between this look and the rename; so each version is looked at once
/// more when the next one is replaced, and its link is kept until then.
pub(super) fn note_readings(
    db: &Connection,
    view: &View,
    witnesses: &Witnesses,
    newest: Newest,
) -> rusqlite::Result<Option<u64>> {
    let before = newest.number.checked_sub(1).filter(|before| *before > 0);
    for (version, noted) in [Some(newest.number), before].into_iter().flatten().zip(newest.noted) {
        match witnesses.was_read(version) {
            Some(read) if Some(read) != noted => set_read(db, view.number, version, read)?,
            _ => {}
        }
    }
    Ok(before)
}

/// Remembers whether a version was read. That it was read is never taken back.
pub(super) fn set_read(db: &Connection, view: i64, version: u64, read: bool) -> rusqlite::Result<()> {
    db.prepare_cached(
        "update versions set read = ?3 where view = ?1 and number = ?2 and (read is null or read = 0)",
    )?
    .execute(params![view, version, read])?;
    Ok(())
}

/// Whether a version of the view has these bytes.
pub(super) fn is_known(db: &Connection, view: i64, hash: [u8; 32]) -> rusqlite::Result<bool> {
    db.prepare_cached("select exists (select 1 from versions where view = ?1 and hash = ?2)")?
        .query_row(params![view, hash], |row| row.get(0))
}
