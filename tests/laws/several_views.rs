//! One book shown in files of every dialect at once, each of which people and programs edit.

use super::convergence::config;
use memlore_model::{BookName, TextKey};
use memlore_store::Store;
use memlore_store::ask::{Add, Init, ListQuery, Removal};
use memlore_testing::Network;
use memlore_view::{Dialect, as_shown, parse};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const VIEWS: [(Dialect, &str); 4] = [
    (Dialect::Hermes, "memories/MEMORY.md"),
    (Dialect::Bullets, "LIST.md"),
    (Dialect::Section, "CLAUDE.md"),
    (Dialect::Gemini, "GEMINI.md"),
];

const THEIRS: &str = "# A project\n\nTheir own words.\n";

/// Texts, some of which some dialects show otherwise than they are.
const TEXTS: [&str; 8] =
    ["tea", "two\nlines", "- a bullet", "a\n§\nb", "x [key: value]", "記憶", "## Index", "caf\u{e9}"];

#[derive(Clone, Debug)]
enum Turn {
    Add(usize),
    Remove(usize),
    /// Somebody adds a text to one of the files.
    Write(usize, usize),
    /// Somebody takes a text out of one of the files.
    TakeOut(usize, usize),
    /// Somebody writes into two files before anybody looks.
    WriteBoth(usize, usize, usize),
    Reopen,
}

fn turn() -> impl Strategy<Value = Turn> {
    let (view, text) = (0..VIEWS.len(), 0..TEXTS.len());
    prop_oneof![
        3 => text.clone().prop_map(Turn::Add),
        2 => text.clone().prop_map(Turn::Remove),
        3 => (view.clone(), text.clone()).prop_map(|(view, text)| Turn::Write(view, text)),
        2 => (view.clone(), 0..4_usize).prop_map(|(view, index)| Turn::TakeOut(view, index)),
        1 => (view.clone(), view, text).prop_map(|(one, other, text)| Turn::WriteBoth(one, other, text)),
        1 => Just(Turn::Reopen),
    ]
}

/// What a text is in a file, as somebody types it there who knows its format.
fn typed(dialect: Dialect, text: &str) -> String {
    let entry = [memlore_view::Shown::plain(text)];
    let rendered = memlore_view::render(dialect, &entry, &memlore_view::Frame::default());
    match dialect {
        Dialect::Hermes => format!("\n§\n{rendered}"),
        _ => rendered.lines().find(|line| line.starts_with("- ")).unwrap().to_owned() + "\n",
    }
}

/// Writes a text as an entry of its own after the last one; nothing where the file shows none yet.
fn write(home: &Path, (dialect, name): (Dialect, &str), text: &str) -> bool {
    let path = home.join(name);
    let file = fs::read_to_string(&path).unwrap_or_default();
    let typed = typed(dialect, text);
    let edited = match dialect {
        Dialect::Hermes if file.is_empty() => return false,
        Dialect::Hermes => file + &typed,
        _ => {
            // A link of the index is no entry, and stands below the entries.
            let end = file.find("## Index\n").filter(|_| dialect == Dialect::Bullets);
            let Some(last) = file[..end.unwrap_or(file.len())].rfind("\n- ") else { return false };
            let at = last + 1 + file[last + 1..].find('\n').unwrap() + 1;
            format!("{}{typed}{}", &file[..at], &file[at..])
        }
    };
    replace(&path, &edited);
    true
}

fn replace(path: &Path, content: &str) {
    let new = path.with_extension("new");
    fs::write(&new, content).and_then(|()| fs::rename(&new, path)).unwrap();
}

/// Takes one text out of a file. Returns it.
fn take_out(home: &Path, (dialect, name): (Dialect, &str), index: usize) -> Option<TextKey> {
    let path = home.join(name);
    let file = fs::read_to_string(&path).ok()?;
    let item = parse(dialect, &file).items.into_iter().nth(index)?;
    let typed = typed(dialect, &item.text);
    let edited = match dialect {
        Dialect::Hermes => file.replacen(&typed, "", 1),
        _ => file.replacen(&format!("\n{typed}"), "\n", 1),
    };
    replace(&path, &edited);
    (edited != file).then_some(item.key)
}

fn keys<'a>(dialect: Dialect, texts: impl Iterator<Item = &'a str>) -> BTreeSet<TextKey> {
    texts.map(|text| TextKey::of(&as_shown(dialect, text))).collect()
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn every_view_shows_the_book_and_takes_in_its_own_edits(turns in prop::collection::vec(turn(), 1..16)) {
        let net = Network::default();
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let (home, state) = (folder.path().join("home"), folder.path().join("state"));
        let open = || net.open_at("desk", &home, &state);
        fs::create_dir_all(&home).unwrap();
        fs::write(home.join("CLAUDE.md"), THEIRS).unwrap();
        for (dialect, path) in VIEWS {
            let views = vec![(BookName::memory(), path.into())];
            let init = Init { dialect: Some(dialect.name().to_owned()), views, ..Init::default() };
            let home_dialect = Init { views: Vec::new(), ..init.clone() };
            drop(Store::init(open(), if dialect == Dialect::Hermes { &home_dialect } else { &init }).unwrap());
        }
        let mut store = Store::open(open()).unwrap();
        store.add(&Add::new(BookName::memory(), "the first")).unwrap();
        // What somebody said, as a list shows it, and nobody took back since in any way.
        let mut due: BTreeSet<TextKey> = keys(Dialect::Bullets, ["the first"].into_iter());
        for turn in &turns {
            net.wait(60);
            let text = |index: &usize| TEXTS[*index];
            let shown = |index: &usize| TextKey::of(&as_shown(Dialect::Bullets, TEXTS[*index]));
            match turn {
                Turn::Add(index) => {
                    store.add(&Add::new(BookName::memory(), text(index))).unwrap();
                    due.insert(shown(index));
                }
                Turn::Remove(index) => {
                    if store.remove(text(index), &Removal::default()).is_ok() {
                        due.remove(&shown(index));
                    }
                }
                Turn::Write(view, index) => {
                    let known = store.list(&ListQuery { removed: true, ..ListQuery::default() }).unwrap();
                    let texts = known.entries.iter().map(|known| known.entry.text.as_str());
                    let removed = keys(Dialect::Bullets, texts).contains(&shown(index));
                    // A text that was removed before may be an old file's, and be held.
                    if write(&home, VIEWS[*view], text(index)) && !removed {
                        due.insert(shown(index));
                    }
                }
                Turn::TakeOut(view, index) => {
                    if let Some(key) = take_out(&home, VIEWS[*view], *index) {
                        due.remove(&TextKey::of(&as_shown(Dialect::Bullets, key.as_str())));
                    }
                }
                Turn::WriteBoth(one, other, index) => {
                    write(&home, VIEWS[*one], "by the one");
                    write(&home, VIEWS[*other], text(index));
                }
                Turn::Reopen => store = Store::open(open()).unwrap(),
            }
            store.import(None, false).unwrap();
            let listed = store.list(&ListQuery::default()).unwrap();
            let texts = || listed.entries.iter().map(|listed| listed.entry.text.as_str());
            let remembered = keys(Dialect::Bullets, texts());
            prop_assert!(due.is_subset(&remembered), "{:?} lost: {:?} of {:?}", turn, due, remembered);
            let files = || VIEWS.map(|(_, name)| fs::read_to_string(home.join(name)).unwrap_or_default());
            let before = files();
            for ((dialect, name), file) in VIEWS.into_iter().zip(&before) {
                let items = parse(dialect, file).items;
                let in_file = items.into_iter().map(|item| item.key).collect::<BTreeSet<_>>();
                prop_assert_eq!(in_file, keys(dialect, texts()), "{} after {:?}", name, turn);
            }
            prop_assert!(before[2].starts_with(THEIRS));
            let again = store.import(None, false).unwrap().answer;
            prop_assert_eq!((again.added, again.removed, again.replaced), (0, 0, 0));
            prop_assert_eq!(files(), before, "nothing is written back and forth");
        }
        prop_assert!(store.doctor(false, true).unwrap().iter().all(|check| check.ok));
    }
}
