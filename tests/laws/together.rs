//! What an open store keeps in memory is never what it goes by when somebody else has written.

use super::convergence::config;
use memlore_model::BookName;
use memlore_store::Store;
use memlore_store::ask::{Add, ListQuery, Removal};
use memlore_testing::Network;
use proptest::prelude::*;

/// An open store adds a text, removes one, or has another program write the file.
#[derive(Clone, Debug)]
enum Turn {
    Add(usize, bool, u8),
    Remove(usize, bool, u8),
    Append,
    Reopen(usize),
}

fn turn() -> impl Strategy<Value = Turn> {
    let (who, user, text) = (0..3_usize, any::<bool>(), 0..8_u8);
    prop_oneof![
        5 => (who.clone(), user, text.clone()).prop_map(|(who, user, text)| Turn::Add(who, user, text)),
        3 => (who.clone(), user, text).prop_map(|(who, user, text)| Turn::Remove(who, user, text)),
        1 => Just(Turn::Append),
        1 => who.prop_map(Turn::Reopen),
    ]
}

fn book(user: bool) -> BookName {
    if user { "user".parse().unwrap() } else { BookName::memory() }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn several_open_stores_of_one_home_show_and_remember_the_same(turns in prop::collection::vec(turn(), 1..30)) {
        let net = Network::default();
        let folder = tempfile::tempdir().unwrap();
        let (home, state) = (folder.path().join("home"), folder.path().join("state"));
        let open = || Store::open_or_create(net.open_at("desk", &home, &state)).unwrap().answer;
        let mut stores = [open(), open(), open()];
        let mut known: [Vec<String>; 2] = Default::default();
        let name = |user: bool, text: u8| format!("{} {text}", if user { "habit" } else { "thought" });
        for (number, turn) in turns.iter().enumerate() {
            match turn {
                Turn::Add(who, user, text) => {
                    stores[*who].add(&Add::new(book(*user), name(*user, *text))).unwrap();
                    let known = &mut known[usize::from(*user)];
                    if !known.contains(&name(*user, *text)) {
                        known.push(name(*user, *text));
                    }
                }
                Turn::Remove(who, user, text) => {
                    let removed = stores[*who].remove(&name(*user, *text), &Removal::default());
                    let known = &mut known[usize::from(*user)];
                    prop_assert_eq!(removed.is_ok(), known.contains(&name(*user, *text)));
                    known.retain(|known| *known != name(*user, *text));
                }
                Turn::Append => {
                    let view = home.join("memories/MEMORY.md");
                    let file = std::fs::read_to_string(&view).unwrap_or_default();
                    let delimiter = if file.is_empty() { "" } else { "\n§\n" };
                    let text = format!("written {number}");
                    std::fs::write(&view, format!("{file}{delimiter}{text}")).unwrap();
                    known[0].push(text);
                }
                Turn::Reopen(who) => stores[*who] = open(),
            }
        }
        for store in &mut stores {
            store.import(None, false).unwrap();
            for (user, known) in [false, true].into_iter().zip(&known) {
                let query = ListQuery { book: Some(book(user)), ..ListQuery::default() };
                let listed = store.list(&query).unwrap();
                let texts: Vec<_> = listed.entries.iter().map(|entry| &entry.entry.text).collect();
                prop_assert_eq!(texts, known.iter().collect::<Vec<_>>());
            }
            let view = std::fs::read_to_string(home.join("memories/MEMORY.md")).unwrap_or_default();
            prop_assert_eq!(view, known[0].join("\n§\n"));
            prop_assert!(store.doctor(false, true).unwrap().iter().all(|check| check.ok));
        }
    }
}
