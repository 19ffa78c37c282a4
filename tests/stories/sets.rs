//! Adding, removing and adding again: cases that went wrong in other programs.

use memlore_testing::Network;

#[test]
fn a_text_added_again_after_its_removal_lives_until_it_is_removed_again() {
    let mut net = Network::default();
    let [ada, bob, cid] = net.devices(["ada", "bob", "cid"]);
    net.add(ada, "likes rye bread");
    net.meet(ada, bob);
    net.meet(ada, cid);
    net.remove(ada, "likes rye bread");
    net.meet(ada, bob);
    net.add(ada, "likes rye bread");
    net.meet(ada, bob);
    for at in [ada, bob] {
        assert_eq!(net.texts(at), ["likes rye bread"]);
    }
    net.settle();
    assert_eq!(net.texts(cid), ["likes rye bread"]);
    // Cid is away again, and what it still holds must not bring the text back.
    net.remove(bob, "likes rye bread");
    net.meet(ada, bob);
    assert!(net.texts(ada).is_empty());
    net.settle();
    assert!(net.texts(cid).is_empty());
}

#[test]
fn a_removed_text_that_another_device_writes_again_is_a_new_entry() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    net.add(ada, "Feature X notes");
    net.meet(ada, bob);
    net.remove(ada, "Feature X notes");
    net.meet(ada, bob);
    net.add(bob, "Feature X notes");
    net.settle();
    assert_eq!(net.texts(ada), ["Feature X notes"]);
}

#[test]
fn a_text_removed_on_two_devices_can_be_added_again_on_either() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    net.add(ada, "notes");
    net.meet(ada, bob);
    net.remove(ada, "notes");
    net.remove(bob, "notes");
    net.add(ada, "notes");
    net.settle();
    assert_eq!(net.texts(bob), ["notes"]);
}

#[test]
fn removing_a_whole_set_leaves_what_was_added_meanwhile() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    for text in ["a", "b", "c", "d"] {
        net.add(ada, text);
    }
    net.meet(ada, bob);
    for text in ["a", "b", "c", "d"] {
        net.remove(ada, text);
    }
    net.add(bob, "e");
    net.settle();
    assert_eq!(net.texts(ada), ["e"]);
}

#[test]
fn a_removal_takes_only_the_adds_that_it_saw() {
    let mut net = Network::default();
    let [ada, bob, cid] = net.devices(["ada", "bob", "cid"]);
    net.add(ada, "x");
    net.add(bob, "x");
    net.remove(ada, "x");
    assert!(net.texts(ada).is_empty());
    net.settle();
    assert_eq!(net.texts(ada), ["x"]);
    net.remove(cid, "x");
    net.settle();
    assert!(net.texts(bob).is_empty());
}

#[test]
fn two_edits_of_one_entry_keep_both_texts_and_mix_neither() {
    let mut net = Network::default();
    let [ada, bob, cid] = net.devices(["ada", "bob", "cid"]);
    net.add(ada, "Runs Debian 11");
    net.settle();
    net.replace(ada, "Runs Debian 11", "Runs Debian 12");
    net.replace(bob, "Runs Debian 11", "Runs Debian 11 on the laptop only");
    net.settle();
    let mut texts = net.texts(cid);
    texts.sort();
    assert_eq!(texts, ["Runs Debian 11 on the laptop only", "Runs Debian 12"]);
    net.replace(cid, "Runs Debian 12", "Runs Debian 13");
    net.settle();
    let mut texts = net.texts(ada);
    texts.sort();
    assert_eq!(texts, ["Runs Debian 11 on the laptop only", "Runs Debian 13"]);
}

#[test]
fn edits_made_in_two_files_at_once_keep_both_texts() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    net.add(ada, "Runs Debian 11");
    net.settle();
    net.edit(ada, "Runs Debian 12");
    net.edit(bob, "Runs Debian 13");
    net.settle();
    let mut texts = net.texts(ada);
    texts.sort();
    assert_eq!(texts, ["Runs Debian 12", "Runs Debian 13"]);
    assert_eq!(net.conflicts(bob).len(), 1);
}

#[test]
fn the_order_of_entries_is_the_same_everywhere_whatever_was_added_at_once() {
    let mut net = Network::default();
    let [ada, bob, cid] = net.devices(["ada", "bob", "cid"]);
    for round in 0..4 {
        for (at, name) in [(ada, "ada"), (bob, "bob"), (cid, "cid")] {
            net.add(at, &format!("{name} {round}"));
        }
    }
    net.settle();
    assert_eq!(net.texts(ada).len(), 12);
}

#[test]
fn a_clock_that_is_wrong_by_years_decides_nothing() {
    for off in [-10 * 365 * 86_400, 10 * 365 * 86_400] {
        let mut net = Network::default();
        let [ada, bob] = net.devices(["ada", "bob"]);
        net.set_clock_off(bob, off);
        net.add(ada, "tea");
        net.settle();
        net.remove(bob, "tea");
        net.settle();
        assert!(net.texts(ada).is_empty());
        net.add(ada, "tea");
        net.meet(ada, bob);
        net.replace(bob, "tea", "coffee");
        net.settle();
        assert_eq!(net.texts(ada).len(), 1);
    }
}
