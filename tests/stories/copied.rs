//! One folder on two devices: texts that come with the file before their records do.

use memlore_testing::{At, Network};

/// Two devices whose homes are copies of one folder.
fn one_folder() -> (Network, At, At) {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    net.set_synced(ada);
    net.set_synced(bob);
    (net, ada, bob)
}

/// The sync program carries one device's file to the other, which takes it in.
fn carry_file(net: &mut Network, from: At, to: At) {
    net.wait(60);
    net.edit(to, net.at(from).view());
}

#[test]
fn a_copied_text_and_its_original_are_one() {
    let (mut net, ada, bob) = one_folder();
    net.add(ada, "tea");
    carry_file(&mut net, ada, bob);
    net.settle();
    assert_eq!(net.try_remove(ada, "tea", None).unwrap().len(), 1);
    net.settle();
    assert!(net.texts(bob).is_empty());
}

#[test]
fn a_copy_that_is_removed_takes_its_original_with_it_however_late_that_comes() {
    for removed in [true, false] {
        let (mut net, ada, bob) = one_folder();
        net.add(ada, "tea");
        carry_file(&mut net, ada, bob);
        net.wait(60);
        match removed {
            true => net.remove(bob, "tea"),
            false => net.replace(bob, "tea", "coffee"),
        }
        // Bob looks at the share more than once before Ada's records are there.
        net.exchange(bob);
        net.exchange(bob);
        net.settle();
        let left: &[&str] = if removed { &[] } else { &["coffee"] };
        assert_eq!(net.texts(ada), left);
    }
}

#[test]
fn a_text_that_was_added_again_after_its_copying_outlives_the_copy() {
    let (mut net, ada, bob) = one_folder();
    net.add(ada, "tea");
    carry_file(&mut net, ada, bob);
    net.wait(60);
    net.add(ada, "tea");
    net.remove(bob, "tea");
    net.settle();
    assert_eq!(net.texts(bob), ["tea"]);
}

#[test]
fn a_removed_text_does_not_come_back_out_of_a_conflict_copy() {
    let (mut net, ada, bob) = one_folder();
    net.add(ada, "water");
    net.meet(ada, bob);
    net.wait(60);
    net.add(ada, "tea");
    let copy = net.at(ada).view();
    net.remove(ada, "tea");
    // The copy is faster than the records of what it shows.
    std::fs::write(net.at(bob).view_path().with_file_name("MEMORY-ADA.md"), copy).unwrap();
    net.wait(60);
    net.import(bob);
    assert_eq!(net.texts(bob), ["water", "tea"]);
    net.settle();
    assert_eq!(net.texts(bob), ["water"]);
}

#[test]
fn a_file_that_is_carried_to_and_fro_comes_to_rest() {
    let (mut net, ada, bob) = one_folder();
    net.add(ada, "tea");
    carry_file(&mut net, ada, bob);
    net.add(bob, "coffee");
    net.add(ada, "water");
    let mut last_writing = 0;
    for round in 0..8 {
        for (from, to) in [(ada, bob), (bob, ada)] {
            let carried = net.at(from).view();
            net.edit(to, &carried);
            if net.at(to).view() != carried {
                last_writing = round;
            }
        }
    }
    assert!(last_writing < 3, "{last_writing}");
    net.settle();
    assert_eq!(net.texts(ada).len(), 3);
}
