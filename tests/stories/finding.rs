//! Which entry a caller means by a text.

use memlore_store::Error;
use memlore_testing::Network;

#[test]
fn a_short_text_names_itself_before_it_names_what_contains_it() {
    let mut net = Network::default();
    let [ada, _bob] = net.devices(["ada", "bob"]);
    for text in ["test", "smoke test runs nightly", ";", "alpha;beta"] {
        net.add(ada, text);
    }
    net.remove(ada, "test");
    net.remove(ada, ";");
    assert_eq!(net.texts(ada), ["smoke test runs nightly", "alpha;beta"]);
    net.settle();
}

#[test]
fn what_two_entries_contain_names_neither_and_the_refusal_names_both() {
    let mut net = Network::default();
    let [ada, _bob] = net.devices(["ada", "bob"]);
    net.add(ada, "nightly build");
    net.add(ada, "nightly backup");
    let refused = net.try_remove(ada, "nightly", None).unwrap_err();
    let Error::Ambiguous { candidates, .. } = refused else { panic!("{refused}") };
    let named: Vec<_> = candidates.into_iter().map(|candidate| candidate.text).collect();
    assert_eq!(named, ["nightly build", "nightly backup"]);
    assert_eq!(net.texts(ada).len(), 2);
    net.settle();
}

#[test]
fn an_empty_text_names_nothing() {
    let mut net = Network::default();
    let [ada, _bob] = net.devices(["ada", "bob"]);
    net.add(ada, "tea");
    for blank in ["", " ", "\n\t ", "\u{a0}"] {
        assert!(net.try_remove(ada, blank, None).is_err(), "{blank:?}");
    }
    assert_eq!(net.texts(ada), ["tea"]);
    net.settle();
}

#[test]
fn forms_of_one_text_name_one_entry_and_other_cases_do_not() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    net.add(ada, "caf\u{e9}");
    net.add(bob, "cafe\u{301}");
    net.add(bob, "CAF\u{c9}");
    net.settle();
    assert_eq!(net.texts(ada).len(), 2);
    net.remove(ada, "cafe\u{301}\r\n");
    net.settle();
    assert_eq!(net.texts(bob), ["CAF\u{c9}"]);
}
