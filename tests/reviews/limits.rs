//! Limits on every path that writes an entry, in every unit and every dialect: the same verdict for the same size.

use memlore_model::{BookName, EntryId, Limit, Unit};
use memlore_store::answer::BatchStatus;
use memlore_store::ask::{Add, BatchOp, Init, Removal, Review};
use memlore_store::{Error, Store};
use memlore_testing::{At, Network};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

const UNITS: [Unit; 3] = [Unit::Chars, Unit::Utf16, Unit::Bytes];

/// One byte, two bytes, and four bytes that are a surrogate pair in UTF-16.
const LETTERS: [&str; 3] = ["x", "é", "🔑"];

/// Each dialect, where its view is, and what stands there between two entries.
const DIALECTS: [(&str, &str, &str); 4] = [
    ("hermes", "memories/MEMORY.md", "\n§\n"),
    ("bullets", "MEMORY.md", "\n- "),
    ("section", "AGENTS.md", "\n- "),
    ("gemini", "GEMINI.md", "\n- "),
];

/// How many units an entry may have here.
const MOST: u64 = 24;

/// A path by which a text may become an entry. Tells whether it was taken.
type Way = fn(&mut Home, &str) -> bool;

const WAYS: [(&str, Way); 8] = [
    ("add", |home, text| home.store().add(&Add::new(BookName::memory(), text)).is_ok()),
    ("replace", |home, text| home.store().replace("first", text, &Removal::default()).is_ok()),
    ("batch", |home, text| home.batch(text)),
    ("review", |home, text| home.review(text)),
    ("edit of the file", |home, text| home.edit(text)),
    ("import of a file", |home, text| home.import(text)),
    ("restore", |home, text| home.restore(text)),
    ("undo", |home, text| home.undo(text)),
];

/// A home with limits; what another device says comes from one that has none.
struct Home {
    net: Network,
    ada: At,
    view: PathBuf,
    between: &'static str,
}

impl Home {
    fn new((dialect, view, between): (&str, &str, &'static str), init: Init) -> Self {
        let mut net = Network::default();
        let ada = net.replica("ada");
        let home = net.at(ada).home();
        let open = net.open_at("ada", &home, &home.with_file_name("state"));
        drop(Store::init(open, &Init { dialect: Some(dialect.to_owned()), ..init }).unwrap());
        net.restart(ada);
        Self { view: home.join(view), net, ada, between }
    }

    fn store(&mut self) -> &mut Store {
        self.net.store(self.ada)
    }

    fn add(&mut self, text: &str) {
        self.store().add(&Add::new(BookName::memory(), text)).unwrap();
    }

    fn texts(&mut self) -> Vec<String> {
        self.net.texts(self.ada)
    }

    fn read(&self) -> String {
        fs::read_to_string(&self.view).unwrap()
    }

    fn write(&self, path: &Path, content: &str) {
        let new = path.with_extension("new");
        fs::write(&new, content).and_then(|()| fs::rename(&new, path)).unwrap();
    }

    fn batch(&mut self, text: &str) -> bool {
        let ops = [BatchOp::Add { text: text.to_owned() }, BatchOp::Add { text: "beside".to_owned() }];
        let results = self.store().batch(&BookName::memory(), &ops).unwrap().answer;
        assert_eq!(results[1].status, BatchStatus::Done, "one refusal stops no other");
        results[0].status == BatchStatus::Done
    }

    fn review(&mut self, text: &str) -> bool {
        let changes = json!({"changes": [{"op": "add", "text": text}, {"op": "add", "text": "beside"}]});
        let review = Review {
            conversation: "chat:1".to_owned(),
            through: 1,
            answer: changes.to_string(),
            ..Review::default()
        };
        let done = self.store().review_apply(&review).unwrap().answer;
        assert_eq!((done.cursor, done.applied.len() + done.left_out.len()), (Some(1), 2));
        done.left_out.is_empty()
    }

    fn edit(&mut self, text: &str) -> bool {
        let edited = self.read().replace("last", &format!("last{}{text}", self.between));
        self.write(&self.view.clone(), &edited);
        let imported = self.store().import(None, false).unwrap();
        // What is not taken over stays in the person's file, whole.
        assert_eq!(self.read(), edited);
        assert_eq!(imported.warnings.len(), usize::from(imported.answer.added == 0), "{imported:?}");
        imported.answer.added == 1
    }

    fn import(&mut self, text: &str) -> bool {
        let file = self.view.with_file_name("notes.txt");
        let content = match self.between {
            "\n§\n" => text.to_owned(),
            _ => {
                format!("<!-- memlore:begin -->\n## Gemini Added Memories\n- {text}\n<!-- memlore:end -->\n")
            }
        };
        fs::write(&file, content).unwrap();
        let imported = self.store().import(Some(&file), false).unwrap();
        assert_eq!(imported.warnings.len(), usize::from(imported.answer.added == 0), "{imported:?}");
        imported.answer.added == 1
    }

    /// Takes in what another device has added.
    fn others(&mut self, texts: &[&str]) -> Vec<EntryId> {
        let bob = self.net.replica("bob");
        let ids = texts.iter().map(|text| self.net.add(bob, text)).collect();
        self.net.meet(self.ada, bob);
        ids
    }

    /// Another device's text comes in whole, however long, and is removed; may it come back?
    fn removed_here(&mut self, text: &str) -> EntryId {
        let id = self.others(&[text])[0];
        assert!(self.texts().iter().any(|known| known == text), "a merge drops nothing");
        self.store().remove(&id.to_string(), &Removal::default()).unwrap();
        id
    }

    fn restore(&mut self, text: &str) -> bool {
        let id = self.removed_here(text);
        self.store().restore(id).is_ok()
    }

    fn undo(&mut self, text: &str) -> bool {
        self.removed_here(text);
        self.store().undo().is_ok()
    }
}

/// A text of so many units.
fn long(letter: &str, unit: Unit, units: u64) -> String {
    let text = letter.repeat((units / unit.count(letter)) as usize);
    assert_eq!(unit.count(&text), units);
    text
}

/// Tries a text of the greatest size, and one that is a unit larger, on every path.
fn try_every_way(dialect: (&str, &str, &'static str)) {
    for (unit, letter) in UNITS.into_iter().flat_map(|unit| LETTERS.map(|letter| (unit, letter))) {
        let fits = long(letter, unit, MOST);
        for (way, take) in WAYS {
            for (text, passes) in [(fits.clone(), true), (format!("{fits}x"), false)] {
                let limit = Some(Limit { most: MOST, unit });
                let mut home = Home::new(dialect, Init { entry_limit: Some(limit), ..Init::default() });
                home.add("first");
                home.add("last");
                assert_eq!(take(&mut home, &text), passes, "{} {unit:?} {way} {text}", dialect.0);
                let texts = home.texts();
                // Whole or not at all: nothing is ever cut.
                let taken = texts.iter().find(|known| known.starts_with(letter));
                assert_eq!(taken, Some(&text).filter(|_| passes), "{} {unit:?} {way}", dialect.0);
                assert!(texts.iter().any(|known| known == "last"), "{} {way}: {texts:?}", dialect.0);
            }
        }
    }
}

#[test]
fn an_entry_of_a_hermes_file_passes_at_its_limit_and_not_above() {
    try_every_way(DIALECTS[0]);
}

#[test]
fn an_entry_of_a_list_passes_at_its_limit_and_not_above() {
    try_every_way(DIALECTS[1]);
}

#[test]
fn an_entry_of_a_marked_section_passes_at_its_limit_and_not_above() {
    try_every_way(DIALECTS[2]);
}

#[test]
fn an_entry_of_geminis_section_passes_at_its_limit_and_not_above() {
    try_every_way(DIALECTS[3]);
}

/// How large the book is here.
fn used(home: &mut Home) -> u64 {
    let status = home.store().status().unwrap();
    let memory = status.books.into_iter().find(|report| report.book == BookName::memory());
    memory.unwrap().usage.used
}

#[test]
fn a_book_at_its_limit_takes_no_unit_more_in_any_dialect() {
    for dialect in DIALECTS {
        for unit in UNITS {
            for letter in LETTERS {
                let second = long(letter, unit, MOST);
                let limits = |most| vec![(BookName::memory(), Some(Limit { most, unit }))];
                // As large as it gets with two entries is what it may have.
                let init = Init { limits: limits(100_000), ..Init::default() };
                let mut counted = Home::new(dialect, init);
                counted.add("first");
                counted.add(&second);
                let most = used(&mut counted);

                let init = Init { limits: limits(most), ..Init::default() };
                let mut full = Home::new(dialect, init);
                full.add("first");
                let more = format!("{second}x");
                let refused = full.store().add(&Add::new(BookName::memory(), &*more)).unwrap_err();
                let Error::Full { would, limit, entries, .. } = refused else { panic!("{refused}") };
                assert_eq!((would, limit), (most + 1, most), "{} {unit:?} {letter}", dialect.0);
                let named: Vec<_> = entries.iter().map(|entry| (entry.text.as_str(), entry.size)).collect();
                assert_eq!(named, [("first", 5)]);
                full.add(&second);
                assert_eq!(used(&mut full), most);
            }
        }
    }
}

#[test]
fn two_books_that_grow_too_large_together_drop_nothing_and_may_shrink() {
    for dialect in DIALECTS {
        for unit in UNITS {
            let limit = Limit { most: 120, unit };
            let init = Init { limits: vec![(BookName::memory(), Some(limit))], ..Init::default() };
            let mut home = Home::new(dialect, init);
            let long = |letter: &str| letter.repeat(30);
            home.add(&long("a"));
            home.others(&[&long("b"), &format!("{}🔑", long("c")), &long("d")]);
            assert_eq!(home.texts().len(), 4, "a merge drops nothing");
            let view = home.read();
            assert!(home.texts().iter().all(|text| view.contains(text)), "{view}");
            let status = home.store().status().unwrap();
            assert!(status.books.iter().any(|report| report.usage.over()), "{}", dialect.0);
            assert!(
                status.warnings.iter().any(|warning| warning.contains("memory")),
                "{:?}",
                status.warnings
            );

            let refused = home.store().add(&Add::new(BookName::memory(), "x")).unwrap_err();
            let Error::Full { would, entries, .. } = refused else { panic!("{refused}") };
            assert!(would > limit.most && entries.len() == 4, "{entries:?}");
            // What shrinks it passes, and so does what a person writes.
            home.store().replace(&long("a"), &long("a")[..20], &Removal::default()).unwrap();
            let grown = home.read().replace(&long("d"), &format!("{}{}by hand", long("d"), home.between));
            home.write(&home.view.clone(), &grown);
            assert_eq!(home.store().import(None, false).unwrap().answer.added, 1);
            for text in [long("b"), format!("{}🔑", long("c"))] {
                home.store().remove(&text, &Removal::default()).unwrap();
            }
            home.add("x");
            assert_eq!(home.texts().len(), 4);
        }
    }
}
