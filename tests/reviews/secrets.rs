//! Secrets on every path that writes an entry: refused or left where they are, and nowhere else.

use memlore_model::BookName;
use memlore_store::answer::BatchStatus;
use memlore_store::ask::{Add, BatchOp, Removal};
use memlore_store::{Error, Kind};
use memlore_testing::{At, Network};
use std::fs;
use std::path::Path;

/// Made up, of a common shape.
const KEY: &str = "sk-Zt4vB9qLm2Xc7Wd1Rf6Tg8Yh3Uj5Ik0OpAsDfGhJ";

/// How many files below a folder hold the key.
fn files_with_key(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with_key(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            if bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes()) {
                found.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }
    found
}

/// Everything that a device has: its home, its state, its share.
fn files_of(net: &Network, at: At) -> Vec<String> {
    files_with_key(net.at(at).home().parent().unwrap())
}

fn holding() -> String {
    format!("The key is {KEY}")
}

#[test]
fn calls_refuse_a_secret_and_keep_nothing_of_it() {
    let mut net = Network::default();
    let ada = net.replica("ada");
    net.add(ada, "tea");
    let memory = BookName::memory();
    let store = net.store(ada);
    let labelled = |label: &str, value: &str| {
        let mut add = Add::new(BookName::memory(), "tea for two");
        add.labels.insert(label.to_owned(), value.to_owned());
        add
    };
    let refused = [
        store.add(&Add::new(memory.clone(), holding())).map(drop),
        store.add(&Add { source: Some(KEY.to_owned()), ..Add::new(memory.clone(), "x") }).map(drop),
        store.add(&labelled("note", KEY)).map(drop),
        store.add(&labelled("password", "tulip99")).map(drop),
        store.replace("tea", &holding(), &Removal::default()).map(drop),
        store.remove("tea", &Removal { why: Some(holding()), ..Removal::default() }).map(drop),
    ];
    for refusal in refused {
        let error = refusal.unwrap_err();
        assert!(matches!(error, Error::Secret { .. }), "{error}");
        assert_eq!(error.kind(), Kind::Refused);
        assert!(!format!("{error} {error:?}").contains(KEY));
    }
    let unmatched = net.store(ada).remove(&holding(), &Removal::default()).unwrap_err();
    assert!(!unmatched.to_string().contains(KEY), "{unmatched}");
    assert_eq!(net.texts(ada), ["tea"]);
    assert_eq!(files_of(&net, ada), [""; 0]);
}

#[test]
fn a_batch_leaves_the_secret_out_alone() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    let texts = ["Uses port 8080", &holding(), "The word secret is fine"].map(str::to_owned);
    let ops = texts.map(|text| BatchOp::Add { text });
    let results = net.store(ada).batch(&BookName::memory(), &ops).unwrap().answer;
    let statuses: Vec<_> = results.iter().map(|result| result.status.clone()).collect();
    assert_eq!(statuses, [BatchStatus::Done, BatchStatus::Refused, BatchStatus::Done]);
    assert!(results[1].reason.as_ref().is_some_and(|reason| !reason.contains(KEY)));
    net.settle();
    for device in [ada, bob] {
        assert_eq!(net.texts(device), ["Uses port 8080", "The word secret is fine"]);
        assert_eq!(files_of(&net, device), [""; 0]);
    }
}

#[test]
fn a_secret_in_the_file_stays_there_to_the_byte_and_is_reported_once() {
    for place in 0..3 {
        let mut net = Network::default();
        let [ada, bob] = net.devices(["ada", "bob"]);
        net.add(ada, "tea");
        net.add(ada, "coffee");
        let mut texts = vec!["tea".to_owned(), "coffee".to_owned()];
        texts.insert(place, holding());
        let file = texts.join("\n§\n");
        net.at(ada).write_view(&file);
        let warnings = net.import(ada);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("an access key") && !warnings[0].contains(KEY), "{warnings:?}");
        assert_eq!(net.at(ada).view(), file.as_bytes());
        net.restart(ada);
        assert_eq!(net.import(ada), [""; 0]);
        net.meet(ada, bob);
        assert_eq!(net.at(ada).view(), file.as_bytes());
        assert_eq!(net.texts(bob), ["tea", "coffee"]);
        assert_eq!(files_of(&net, ada), ["MEMORY.md"]);
        assert_eq!(files_of(&net, bob), [""; 0]);

        // Memory goes on around it, and the secret stays until the person takes it out.
        net.add(ada, "juice");
        let view = String::from_utf8(net.at(ada).view()).unwrap();
        assert!(view.contains(KEY) && view.contains("juice"), "{view}");
        assert_eq!(files_of(&net, ada), ["MEMORY.md"]);
        net.edit(
            ada,
            view.replace(&format!("\n§\n{}", holding()), "").replace(&format!("{}\n§\n", holding()), ""),
        );
        assert_eq!(net.texts(ada), ["tea", "coffee", "juice"]);
        assert_eq!(files_of(&net, ada), [""; 0]);
    }
}

#[test]
fn no_link_keeps_a_file_into_which_somebody_wrote_a_secret() {
    let mut net = Network::default();
    let ada = net.replica("ada");
    net.add(ada, "tea");
    let path = net.at(ada).view_path();
    // As `echo … >> MEMORY.md` does: the very file that the store links to.
    fs::write(&path, format!("tea\n§\n{}", holding())).unwrap();
    net.import(ada);
    assert_eq!(files_of(&net, ada), ["MEMORY.md"]);
    net.add(ada, "coffee");
    fs::write(&path, "tea\n§\ncoffee").unwrap();
    net.import(ada);
    assert_eq!(files_of(&net, ada), [""; 0]);
}

#[test]
fn a_report_that_nobody_heard_is_made_again() {
    let mut net = Network::default();
    let ada = net.replica("ada");
    net.add(ada, "tea");
    net.at(ada).write_view(format!("tea\n§\n{}", holding()));
    assert!(net.store(ada).remove("never said", &Removal::default()).is_err());
    assert_eq!(net.import(ada).len(), 1);
    assert_eq!(net.import(ada), [""; 0]);
}

#[test]
fn a_damaged_file_with_a_secret_is_not_kept_aside() {
    let mut net = Network::default();
    let ada = net.replica("ada");
    net.add(ada, "tea");
    let damaged = [b"tea\n\xa7\n".as_slice(), holding().as_bytes()].concat();
    net.at(ada).write_view(&damaged);
    let warnings = net.import(ada);
    assert!(warnings.iter().any(|warning| warning.contains("an access key")), "{warnings:?}");
    assert_eq!(net.at(ada).view(), damaged);
    assert_eq!(files_of(&net, ada), ["MEMORY.md"]);
    net.edit(ada, "tea\n§\ncoffee");
    assert_eq!(net.texts(ada), ["tea", "coffee"]);
    assert_eq!(files_of(&net, ada), [""; 0]);
}

#[test]
fn a_conflict_copy_with_a_secret_gives_its_other_texts_and_stays() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    net.add(ada, "tea");
    net.add(ada, "coffee");
    net.settle();
    for device in [ada, bob] {
        let copy = net.at(device).view_path().with_file_name("MEMORY-LAPTOP7.md");
        fs::write(&copy, format!("tea\n§\n{}\n§\ncoffee\n§\njuice", holding())).unwrap();
        let warnings = net.import(device);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("left where it is") && !warnings[0].contains(KEY), "{warnings:?}");
        assert_eq!(net.import(device), [""; 0]);
        assert_eq!(net.texts(device), ["tea", "coffee", "juice"]);
        assert_eq!(files_of(&net, device), ["MEMORY-LAPTOP7.md"]);
    }
    net.settle();
    assert_eq!(net.happened().live(&BookName::memory()).len(), 3, "both devices made the same entries");
}

#[test]
fn a_file_that_is_imported_gives_its_other_texts() {
    let mut net = Network::default();
    let ada = net.replica("ada");
    let file = net.at(ada).home().join("notes.txt");
    fs::write(&file, format!("tea\n§\n{}\n§\ncoffee", holding())).unwrap();
    let imported = net.store(ada).import(Some(&file), false).unwrap();
    assert_eq!(imported.answer.added, 2);
    assert!(imported.warnings.len() == 1 && !imported.warnings[0].contains(KEY), "{:?}", imported.warnings);
    assert_eq!(files_of(&net, ada), ["notes.txt"]);
}
