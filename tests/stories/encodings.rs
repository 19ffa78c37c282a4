//! One memory in every encoding that an editor may leave it in.

use memlore_testing::{At, Network};

/// What an editor makes of a file.
type Rewrite = fn(&str) -> String;

/// A replica with three entries, another one, and the bytes of its view.
fn three() -> (Network, At, At, String) {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    for text in ["a", "caf\u{e9}", "c"] {
        net.add(ada, text);
    }
    let view = String::from_utf8(net.at(ada).view()).unwrap();
    (net, ada, bob, view)
}

fn utf16le(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

/// After the file was rewritten in some encoding, memory goes on as if nothing had happened.
fn goes_on(mut net: Network, ada: At, bob: At) {
    net.add(ada, "d");
    net.remove(ada, "a");
    net.settle();
    assert_eq!(net.texts(bob), ["caf\u{e9}", "c", "d"]);
    assert_eq!(net.at(bob).view(), "caf\u{e9}\n§\nc\n§\nd".as_bytes());
}

#[test]
fn marks_line_ends_and_blank_lines_are_no_edits() {
    let rewritings: [(&str, Rewrite); 9] = [
        ("a byte order mark", |view| format!("\u{feff}{view}")),
        ("CRLF", |view| view.replace('\n', "\r\n")),
        ("lone CR", |view| view.replace('\n', "\r")),
        ("mixed line ends", |view| view.replacen('\n', "\r\n", 1)),
        ("both", |view| format!("\u{feff}{}", view.replace('\n', "\r\n"))),
        ("a final newline", |view| format!("{view}\n")),
        ("ten blank lines", |view| format!("{view}{}", "\n".repeat(10))),
        ("another form", |view| view.replace('\u{e9}', "e\u{301}")),
        ("another order", |view| view.rsplit("\n§\n").collect::<Vec<_>>().join("\n§\n")),
    ];
    for (name, rewrite) in rewritings {
        let (mut net, ada, bob, view) = three();
        let happened = net.happened().clone();
        net.edit(ada, rewrite(&view));
        assert_eq!(*net.happened(), happened, "{name} is an edit");
        goes_on(net, ada, bob);
    }
}

#[test]
fn bytes_that_are_no_utf8_remove_nothing_and_are_kept_aside() {
    let latin1 = |view: &str| view.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect::<Vec<u8>>();
    let (mut net, ada, bob, view) = three();
    let bytes = latin1(&view);
    let happened = net.happened().clone();
    net.at(ada).write_view(&bytes);
    let warnings = net.import(ada);
    assert_eq!(*net.happened(), happened);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let attic = net.at(ada).home().parent().unwrap().join("state/attic");
    let kept = std::fs::read_dir(attic).unwrap().next().unwrap().unwrap().path();
    assert_eq!(std::fs::read(kept).unwrap(), bytes);
    goes_on(net, ada, bob);
}

#[test]
fn utf16_with_its_mark_is_read() {
    let (mut net, ada, bob, view) = three();
    net.edit(ada, utf16le(&format!("{view}\n§\nby hand")));
    assert_eq!(net.texts(ada), ["a", "caf\u{e9}", "c", "by hand"]);
    net.remove(ada, "by hand");
    goes_on(net, ada, bob);
}

#[test]
fn touching_a_file_is_nothing() {
    let (mut net, ada, _, view) = three();
    let happened = net.happened().clone();
    let files = |net: &Network| walk(net.at(ada).home().parent().unwrap());
    let before = files(&net);
    for _ in 0..50 {
        net.edit(ada, &view);
    }
    assert_eq!(*net.happened(), happened);
    assert_eq!(files(&net), before);
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        // Links that witness readings come and go with the file they stand for.
        let passing = path.to_string_lossy().contains("/views/")
            || path.extension().is_some_and(|ending| ending == "db-wal" || ending == "db-shm");
        match path.is_dir() {
            true => files.extend(walk(&path)),
            false if passing => {}
            false => files.push(path),
        }
    }
    files.sort();
    files
}

#[test]
fn a_rewriting_that_changes_nothing_stops_no_add() {
    let mut net = Network::default();
    let [ada, _bob] = net.devices(["ada", "bob"]);
    for text in ["one", "two", "three", "four", "five"] {
        net.add(ada, text);
    }
    let happened = net.happened().clone();
    net.edit(ada, "\u{feff}one\r\n§\r\nfour\r\n§\r\nthree\r\n§\r\ntwo\r\n§\r\nfive\r\n\r\n\r\n");
    assert_eq!(*net.happened(), happened);
    net.add(ada, "new one");
    assert_eq!(net.texts(ada), ["one", "two", "three", "four", "five", "new one"]);
    net.settle();
}
