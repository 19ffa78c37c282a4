//! Checking every invariant that can be checked, and mending what can be mended.

use super::document;
use crate::answer::{Check, ViewState};
use crate::branch::{beginning, payload_of};
use crate::database::Database;
use crate::set::{self, Origin};
use crate::{Result, Store, reviews, sessions, sync};
use memlore_model::{Kind, Put, Record, RecordHash, RecordName, ReplicaId, Stream, change};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Checks everything.
pub(crate) fn doctor(store: &mut Store, repair: bool, deep: bool) -> Result<Vec<Check>> {
    if repair {
        // Whatever the checks find is judged after what can be mended was mended.
        store.render()?;
    }
    let chains = chains(store)?;
    // From records that are not all there nothing is built again: it would drop what the missing ones brought.
    let whole = repair && chains.ok;
    let mut checks = vec![database(store)?, chains, projections(store, whole)?];
    checks.push(conversations(store, whole)?);
    checks.push(spool(store)?);
    if deep {
        checks.push(as_document(store)?);
    }
    checks.push(views(store)?);
    checks.push(permissions(store, repair));
    checks.push(share(store)?);
    checks.push(identity(store)?);
    Ok(checks)
}

fn check(name: &'static str, problems: &[String], fine: String, fix: &str) -> Check {
    let ok = problems.is_empty();
    let detail = if ok { fine } else { problems.join("; ") };
    Check { name, ok, detail, fix: (!ok).then(|| fix.to_owned()) }
}

fn database(store: &Store) -> Result<Check> {
    let found: Vec<String> = store.db.read(|db| {
        db.prepare("pragma quick_check(10)")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()
    })?;
    let problems: Vec<String> = found.into_iter().filter(|line| line != "ok").collect();
    let fix =
        "move the state folder aside and run `memlore sync`: it is begun anew from the share and the views";
    Ok(check("database", &problems, "SQLite finds no fault".to_owned(), fix))
}

/// Every record's hash follows from its content and its predecessor, and no number is missing.
fn chains(store: &Store) -> Result<Check> {
    let (records, problems) = store.db.read(|db| {
        let mut problems = Vec::new();
        let mut count = 0usize;
        let streams: Vec<(i64, ReplicaId, u8)> = db
            .prepare("select replica, coalesce(written, id), stream from streams join replicas on num = replica")?
            .query_map([], |row| Ok((row.get(0)?, ReplicaId(row.get(1)?), row.get(2)?)))?
            .collect::<rusqlite::Result<_>>()?;
        for (number, replica, stream_number) in streams {
            let Some(stream) = Stream::from_number(stream_number) else { continue };
            let head = crate::writing::head(db, number, stream)?;
            let mut query = db.prepare_cached(
                "select seq, kind, payload, erased, hash from records where replica = ?1 and stream = ?2 order by seq",
            )?;
            let mut rows = query.query(params![number, stream_number])?;
            let (mut next, mut previous) = beginning(db, number, stream)?;
            while let Some(row) = rows.next()? {
                let record = Record {
                    name: RecordName { replica, stream, seq: row.get(0)? },
                    previous,
                    kind: Kind(row.get(1)?),
                    payload: payload_of(row.get(2)?, row.get(3)?),
                };
                previous = RecordHash(row.get(4)?);
                if record.name.seq != next || record.hash() != previous {
                    problems.push(format!("record {next} of {replica} does not continue its stream"));
                    break;
                }
                next += 1;
                count += 1;
            }
            if next != head.seq_last + 1 || previous != head.hash {
                problems.push(format!("the stream of {replica} ends at {}, not {}", next - 1, head.seq_last));
            }
        }
        Ok((count, problems))
    })?;
    let fix =
        "move the state folder aside and run `memlore sync`: it is begun anew from the share and the views";
    Ok(check("chains", &problems, format!("every stream is whole, {records} records in all"), fix))
}

const REBUILD: &str = "run `memlore doctor --repair`";

/// The tables that reading uses are what the records say.
fn projections(store: &Store, repair: bool) -> Result<Check> {
    let differs = |db: &Connection| -> rusqlite::Result<Vec<String>> {
        let mut problems = Vec::new();
        let scratch = Connection::open_in_memory()?;
        scratch.execute_batch(include_str!("../database/schema.sql"))?;
        copy_replicas(db, &scratch)?;
        project_all(db, &scratch)?;
        for (what, query) in COMPARED {
            if rows(db, query)? != rows(&scratch, query)? {
                problems.push(format!("the {what} differ from what the records say"));
            }
        }
        Ok(problems)
    };
    let mut problems = store.db.read(differs)?;
    let mut fine = "entries and tombstones are what the records say".to_owned();
    if repair && !problems.is_empty() {
        let tx = store.db.begin()?;
        rebuild_within(&tx).and_then(|()| tx.commit()).map_err(|error| store.db.trouble(error))?;
        problems = store.db.read(differs)?;
        fine = "entries and tombstones were built again from the records".to_owned();
    }
    Ok(check("projections", &problems, fine, REBUILD))
}

const COMPARED: [(&str, &str); 4] = [
    (
        "cursors",
        "select replica || '.' || seq || conversation || through || '.' || at_us || '.' || at_logical from cursors
         order by replica, seq",
    ),
    (
        "entries",
        "select hex(id) || name || text || hex(key) || position || written_us || '.' || written_logical || by
            || device || ifnull(source, '') || ifnull(labels, '') || ifnull(replaces, '') || scope || live
         from entries join books on books.num = book order by id",
    ),
    (
        "tombstones",
        "select hex(entry) || at_us || '.' || at_logical || by || device || ifnull(why, '') || ifnull(replaced_by, '')
         from tombstones order by entry, record",
    ),
    ("replacements", "select hex(old) || hex(new) from replacements order by old, new"),
];

fn rows(db: &Connection, query: &str) -> rusqlite::Result<Vec<String>> {
    db.prepare(query)?.query_map([], |row| row.get(0))?.collect()
}

fn copy_replicas(from: &Connection, to: &Connection) -> rusqlite::Result<()> {
    let mut query = from.prepare("select num, id from replicas")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        to.execute(
            "insert into replicas (num, id) values (?1, ?2)",
            params![row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?],
        )?;
    }
    Ok(())
}

/// Makes entries and tombstones again from the records, inside a transaction.
pub(crate) fn rebuild_within(tx: &Connection) -> rusqlite::Result<()> {
    tx.execute_batch(
        "delete from entries; delete from tombstones; delete from replacements; delete from cursors;
         update books set live_count = null, live_chars = null; update replica set generation = generation + 1",
    )?;
    project_all(tx, tx)
}

fn project_all(from: &Connection, to: &Connection) -> rusqlite::Result<()> {
    let mut query = from.prepare(
        "select r.num, r.replica, p.id, r.seq, r.payload from records r join replicas p on p.num = r.replica
         where r.change_hash is not null and r.payload is not null order by r.num",
    )?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let payload: Vec<u8> = row.get(4)?;
        let Ok(change) = change::read(&payload) else { continue };
        let origin = Origin {
            record: row.get(0)?,
            own_number: row.get(1)?,
            replica: ReplicaId(row.get(2)?),
            seq: row.get(3)?,
        };
        set::project(to, origin, &change.puts)?;
    }
    reviews::project_cursors(from, to)
}

/// The tables of conversations are what the records say.
fn conversations(store: &Store, repair: bool) -> Result<Check> {
    let mut differing = sessions::differing(store)?;
    let mut fine = "conversations are what the records say".to_owned();
    if repair && !differing.is_empty() {
        sessions::rebuild(store)?;
        differing = sessions::differing(store)?;
        fine = "conversations were built again from the records".to_owned();
    }
    let problems: Vec<String> =
        differing.iter().map(|what| format!("the {what} differ from what the records say")).collect();
    Ok(check("conversations", &problems, fine, REBUILD))
}

/// No message waits outside the database. Lines that cannot be read are kept aside and are no damage of ours.
fn spool(store: &Store) -> Result<Check> {
    let report = sessions::report(store)?;
    let mut fine = "no message waits in a pending file".to_owned();
    if report.damaged > 0 {
        fine.push_str(&format!(", and {} lines that nobody can read are kept aside", report.damaged));
    }
    let problems = match report.pending {
        0 => Vec::new(),
        pending => vec![format!("{pending} messages wait in pending files")],
    };
    Ok(check("spool", &problems, fine, "run `memlore session recover`"))
}

/// The Automerge document of all changes holds exactly the puts that the records hold.
fn as_document(store: &Store) -> Result<Check> {
    let (problems, keys) = store.db.read(|db| {
        let (built, left_out) = document::build(db)?;
        let in_document = document::puts(&built);
        let mut in_records: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let payloads: Vec<Vec<u8>> = db
            .prepare("select payload from records where change_hash is not null and payload is not null")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        for payload in payloads {
            let Ok(change) = change::read(&payload) else { continue };
            for put in change.puts {
                let (key, value) = match put {
                    Put::Add(id, entry) => (format!("+{id}"), entry.to_json()),
                    Put::Remove(id, tombstone) => (format!("-{id}"), tombstone.to_json()),
                };
                in_records.entry(key).or_default().push(value);
            }
        }
        in_records.values_mut().for_each(|values| values.sort_unstable());
        let mut problems = Vec::new();
        if left_out > 0 {
            problems.push(format!("{left_out} changes do not fit into the document"));
        }
        let known = in_document.iter().filter(|(key, _)| in_records.contains_key(*key));
        if !known.eq(in_records.iter()) {
            problems.push("the document holds other puts than the records".to_owned());
        }
        Ok((problems, in_records.len()))
    })?;
    let fine = format!("all changes form one Automerge document of {keys} keys, equal to the records");
    Ok(check("document", &problems, fine, REBUILD))
}

/// A view that is edited or older is no damage: the next operation takes it in or renders it again.
fn views(store: &Store) -> Result<Check> {
    let mut problems = Vec::new();
    let mut notes = Vec::new();
    let views = store.views()?;
    for view in &views {
        let name = view.path.display();
        match view.state {
            ViewState::Current => continue,
            ViewState::Edited => notes.push(format!("{name} has edits that were not taken in yet")),
            ViewState::Outdated => notes.push(format!("{name} is an older rendering")),
            ViewState::Missing => notes.push(format!("{name} is missing and will be rendered")),
            ViewState::Unusable => problems.push(format!("{name} cannot be read as a view")),
        }
        notes.extend(view.trouble.clone());
    }
    let fine = match notes.as_slice() {
        [] => format!("{} views are up to date", views.len()),
        notes => notes.join("; "),
    };
    Ok(check("views", &problems, fine, "run `memlore render`"))
}

/// Nobody but the owner may look into the state.
fn permissions(store: &Store, repair: bool) -> Check {
    let state = &store.open.state;
    let database = Database::path_in(state);
    let mut problems = Vec::new();
    let private: [(&Path, u32); 2] = [(state, 0o700), (&database, 0o600)];
    for (path, wanted) in private {
        let mode =
            |path: &Path| std::fs::metadata(path).map(|metadata| metadata.permissions().mode() & 0o777);
        if repair && mode(path).is_ok_and(|mode| mode & 0o077 != 0) {
            // What cannot be changed is reported right below.
            drop(std::fs::set_permissions(path, std::fs::Permissions::from_mode(wanted)));
        }
        match mode(path) {
            Ok(mode) if mode & 0o077 == 0 => {}
            Ok(mode) => problems.push(format!("{} has mode {mode:o}", path.display())),
            Err(error) => problems.push(format!("{} cannot be looked at ({error})", path.display())),
        }
    }
    check("permissions", &problems, "the state is private".to_owned(), "run `memlore doctor --repair`")
}

/// What waits, what was passed over and what the share lacks is told, and no damage: files travel as they like.
fn share(store: &Store) -> Result<Check> {
    let Some(share) = &store.config.share else {
        return Ok(check("share", &[], "no share is set".to_owned(), ""));
    };
    let mut told = sync::look(store, share)?;
    told.extend(sync::waiting(store)?);
    told.extend(sync::ignored(store)?);
    told.extend(sync::lacking(store)?);
    Ok(check("share", &[], told.join("; "), ""))
}

fn identity(store: &Store) -> Result<Check> {
    let former = store.db.read(crate::identity::former_ids)?;
    let own: i64 = store.db.read(|db| db.query_row("select own from replica", [], |row| row.get(0)))?;
    let mut problems = Vec::new();
    if own != store.me.number {
        problems.push("the replica got a new id while this program ran".to_owned());
    }
    let fine = format!("this is replica {}, with {} former ids", store.me.id, former.len());
    Ok(check("identity", &problems, fine, "start the program again"))
}
