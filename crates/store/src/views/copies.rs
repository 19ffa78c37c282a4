//! Conflict copies: files that sync programs leave beside a view when two devices wrote it at once.

use super::history::Tables;
use super::taken::parse_elsewhere;
use super::{View, attic, file, synced};
use crate::answer::{Answered, Warning};
use crate::books::live_in;
use crate::copied;
use crate::draft::{Draft, NewEntry};
use crate::operate::Books;
use crate::writing::Writing;
use crate::{Error, Result, Store, secrets};
use memlore_model::{EntryId, Kind, Position, ReplicaId, SecretKind, TextKey};
use memlore_view::{Parsed, Reading, as_shown, conflict_copy_of, read_bytes, texts_to_add};
use rusqlite::OptionalExtension as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Takes in the conflict copies of every view; returns how many texts they added.
///
/// They add what no version held, and remove nothing.
pub(crate) fn take_conflict_copies(store: &Store) -> Result<Answered<usize>> {
    let mut answered = Answered { answer: 0, warnings: Vec::new() };
    let views = store.all_views()?;
    // Of somebody else's file a copy holds what is not ours to put away.
    for config in views.iter().filter(|view| !view.dialect.is_guest()) {
        let path = store.open.home.join(&config.path);
        // `travel-notes.md` may be a topic beside `travel.md`.
        let is_view = |copy: &PathBuf| views.iter().any(|view| store.open.home.join(&view.path) == *copy);
        for copy in copies_beside(&path).into_iter().filter(|copy| !is_view(copy)) {
            let taken = store.operate(Books::One(&config.book), |writing, _| {
                let view = View::unlocked(store, config.clone())?;
                take_copy(writing, &view, &copy)
            })?;
            answered.warnings.extend(taken.warnings);
            if let Some(taken) = taken.answer {
                answered.answer += taken.added;
                put_away(store, &copy, &taken, &mut answered.warnings);
            }
        }
    }
    Ok(answered)
}

fn copies_beside(view: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (view.parent(), view.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let mut copies: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|candidate| conflict_copy_of(name, candidate)))
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.path())
        .collect();
    copies.sort();
    copies
}

/// What was taken from a conflict copy.
struct Taken {
    added: usize,
    /// Whether it was taken in before.
    known: bool,
    /// The secret it holds; then it is left where it is.
    secret: Option<SecretKind>,
}

/// Takes in one copy; none when its content says that it is somebody's own file.
fn take_copy(writing: &mut Writing<'_>, view: &View, copy: &Path) -> Result<Option<Taken>> {
    let (store, dialect) = (writing.store, view.config.dialect);
    let Ok(now) = file::read(copy) else { return Ok(None) };
    let Some(bytes) = now.bytes else { return Ok(None) };
    let Reading::Text(text) = read_bytes(dialect, Some(&bytes), &[]) else { return Ok(None) };
    let (parsed, left) = parse_elsewhere(store, dialect, &text);
    let secret = left
        .into_iter()
        .find_map(|untaken| if let Error::Secret { kind } = untaken.why { Some(kind) } else { None })
        .or_else(|| secrets::in_file(None, Some(&text)));
    if !shares_with(writing, view, &parsed)? {
        return Ok(None);
    }
    let hash = match secret {
        Some(_) => hash_of_texts(&parsed),
        None => *blake3::hash(&bytes).as_bytes(),
    };
    let known: bool = writing.read(|tx| {
        tx.prepare_cached("select 1 from conflict_copies where hash = ?1")?
            .query_row([hash], |_| Ok(()))
            .optional()
            .map(|found| found.is_some())
    })?;
    if known {
        return Ok(Some(Taken { added: 0, known, secret }));
    }
    let book = &view.config.book;
    let live = writing.read(|tx| live_in(tx, book))?;
    let live: Vec<TextKey> = live.iter().map(|entry| TextKey::of(&as_shown(dialect, &entry.text))).collect();
    let mut position = writing.next_position(book)?;
    let mut draft = Draft::default();
    let mut added = 0;
    let replica = ReplicaId::from_content(&hash);
    let new = {
        let tables = Tables::of(&writing.tx, view.number, book, false);
        let live = live.into_iter().collect();
        texts_to_add(&parsed, &live, &tables).map_err(|error| store.db.trouble(error))?
    };
    for index in new {
        let item = &parsed.items[index];
        let digest = item.key.digest();
        // Every device that sees this copy makes this very entry.
        let id = EntryId {
            replica,
            counter: u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]),
            nonce: u32::from_le_bytes([digest[4], digest[5], digest[6], digest[7]]),
        };
        let name = copy.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let entry = NewEntry::plain(book.clone(), item.text.clone(), position.clone());
        draft.add(NewEntry { id: Some(id), ..entry }.said_by(dialect, item, name));
        position = Position::after(Some(&position));
        added += 1;
    }
    let made: Vec<EntryId> = draft.adds().filter_map(|(_, entry)| entry.id).collect();
    draft.record(writing)?;
    if synced::is_synced(store) {
        // Its texts travelled faster than their records, as those of any file here.
        writing.read(|tx| copied::remember(tx, &made))?;
    }
    writing.append_other(Kind::CONFLICT_COPY, hash.to_vec())?;
    writing.read(|tx| {
        tx.prepare_cached("insert or ignore into conflict_copies (hash) values (?1)")?.execute([hash])
    })?;
    Ok(Some(Taken { added, known, secret }))
}

/// The hash of a copy that holds a secret: of the texts beside it, since the hash is a record that travels.
fn hash_of_texts(parsed: &Parsed) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for item in &parsed.items {
        hasher.update(&(item.text.len() as u64).to_le_bytes());
        hasher.update(item.text.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

fn shares_with(writing: &Writing<'_>, view: &View, parsed: &Parsed) -> Result<bool> {
    let tables = Tables::of(&writing.tx, view.number, &view.config.book, false);
    memlore_view::shares_entries(parsed, &tables).map_err(|error| writing.store.db.trouble(error))
}

fn put_away(store: &Store, copy: &Path, taken: &Taken, warnings: &mut Vec<Warning>) {
    let name = copy.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let added = taken.added;
    if let Some(kind) = taken.secret {
        if !taken.known {
            warnings.push(format!(
                "the conflict copy {name} was taken in ({added} new), but for {kind}; it is left where it is"
            ));
        }
        return;
    }
    let now_us = (store.open.now)();
    let kept = fs::read(copy).and_then(|bytes| attic::keep(&store.open.state, copy, &bytes, now_us));
    let moved = kept.and_then(|path| fs::remove_file(copy).map(|()| path));
    warnings.push(match moved {
        Ok(path) => {
            format!("the conflict copy {name} was taken in ({added} new) and moved to {}", path.display())
        }
        Err(error) => {
            format!("the conflict copy {name} was taken in ({added} new) and cannot be moved ({error})")
        }
    });
}
