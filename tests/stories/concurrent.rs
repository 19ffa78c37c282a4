//! What becomes of operations that did not see each other: one test for each pair of them.

use memlore_testing::{At, Network};

/// Two replicas that both hold this text and will not hear of each other until [`Network::settle`].
fn apart_with(text: &str) -> (Network, At, At) {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    net.add(ada, text);
    net.meet(ada, bob);
    (net, ada, bob)
}

#[test]
fn one_text_added_twice_is_shown_once_and_removed_in_one_go() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    let first = net.add(ada, "tea");
    let second = net.add(bob, "tea");
    net.settle();
    assert_eq!(net.texts(ada), ["tea"]);
    let mut removed = net.try_remove(bob, "tea", None).unwrap();
    removed.sort_unstable();
    let mut both = [first, second];
    both.sort_unstable();
    assert_eq!(removed, both);
    net.settle();
    assert!(net.texts(ada).is_empty());
}

#[test]
fn an_add_that_the_remover_had_not_seen_stays() {
    let (mut net, ada, bob) = apart_with("tea");
    net.remove(ada, "tea");
    net.add(bob, "tea");
    net.settle();
    assert_eq!(net.texts(ada), ["tea"]);
}

#[test]
fn two_removals_of_one_entry_are_no_conflict() {
    let (mut net, ada, bob) = apart_with("tea");
    net.remove(ada, "tea");
    net.remove(bob, "tea");
    net.settle();
    assert!(net.texts(bob).is_empty());
    assert!(net.conflicts(bob).is_empty());
}

#[test]
fn two_replacements_both_live_until_someone_picks() {
    let (mut net, ada, bob) = apart_with("tea");
    net.replace(ada, "tea", "green tea");
    net.replace(bob, "tea", "black tea");
    net.settle();
    let mut texts = net.texts(ada);
    texts.sort();
    assert_eq!(texts, ["black tea", "green tea"]);
    assert_eq!(net.conflicts(ada).len(), 1);
    net.remove(bob, "green tea");
    net.settle();
    assert_eq!(net.texts(ada), ["black tea"]);
    assert!(net.conflicts(ada).is_empty());
}

#[test]
fn two_equal_replacements_are_shown_once_and_are_no_conflict() {
    let (mut net, ada, bob) = apart_with("tea");
    net.replace(ada, "tea", "green tea");
    net.replace(bob, "tea", "green tea");
    net.settle();
    assert_eq!(net.texts(ada), ["green tea"]);
    assert!(net.conflicts(ada).is_empty());
}

#[test]
fn a_replacement_outlives_a_removal_of_the_old_text() {
    let (mut net, ada, bob) = apart_with("tea");
    net.replace(ada, "tea", "green tea");
    net.remove(bob, "tea");
    net.settle();
    assert_eq!(net.texts(bob), ["green tea"]);
}

#[test]
fn a_replaced_text_that_is_added_again_lives_beside_the_new_one() {
    let (mut net, ada, bob) = apart_with("tea");
    net.replace(ada, "tea", "green tea");
    net.add(bob, "tea");
    net.settle();
    let mut texts = net.texts(ada);
    texts.sort();
    assert_eq!(texts, ["green tea", "tea"]);
}

#[test]
fn somebody_with_an_old_list_removes_nothing_that_was_added_since() {
    let (mut net, ada, bob) = apart_with("tea");
    let old = net.context(bob);
    net.remove(ada, "tea");
    net.add(ada, "tea");
    net.meet(ada, bob);
    assert!(net.try_remove(bob, "tea", Some(old)).is_err());
    net.settle();
    assert_eq!(net.texts(bob), ["tea"]);
}

#[test]
fn an_old_list_removes_what_it_showed_and_no_more() {
    let (mut net, ada, bob) = apart_with("tea");
    let old = net.context(bob);
    let shown = net.happened().live_ids(&memlore_model::BookName::memory(), "tea");
    let unseen = net.add(ada, "coffee");
    net.meet(ada, bob);
    let removed = net.try_remove(bob, "tea", Some(old.clone())).unwrap();
    assert_eq!(removed, Vec::from_iter(shown));
    assert!(net.try_remove(bob, "coffee", Some(old.clone())).is_err());
    assert!(net.try_remove(bob, &unseen.to_string(), Some(old)).is_err());
    net.settle();
    assert_eq!(net.texts(ada), ["coffee"]);
}
