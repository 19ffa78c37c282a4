//! Which share it is, when two devices made it at once.

use memlore_model::BookName;
use memlore_store::Store;
use memlore_store::answer::ShareTroubleKind;
use memlore_store::ask::{Add, Init, ListQuery};
use memlore_testing::Network;
use std::fs;
use std::path::{Path, PathBuf};

/// Carries all files of one copy of the share into another, over what is there.
fn carry(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&target).unwrap();
            carry(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn empty(folder: &Path) {
    fs::remove_dir_all(folder).unwrap();
    fs::create_dir(folder).unwrap();
}

/// Two devices that each made a share of their own.
fn twins(place: &Path) -> [(Store, PathBuf); 2] {
    let net = Network::new(3);
    ["ada", "bob"].map(|name| {
        let share = place.join(name).join("share");
        fs::create_dir_all(&share).expect("an empty share");
        let open = || net.open_at(name, &place.join(name).join("home"), &place.join(name).join("state"));
        let init =
            Init { share: Some(share.to_str().expect("a path of text").to_owned()), ..Init::default() };
        drop(Store::init(open(), &init).expect("a new replica"));
        (Store::open(open()).expect("it opens"), share)
    })
}

fn marker(share: &Path) -> Vec<u8> {
    fs::read(share.join("memlore.json")).expect("a marker")
}

#[test]
fn who_took_another_devices_marker_for_their_own_makes_a_lost_one_again_as_the_other_knows_it() {
    let place = tempfile::tempdir().unwrap();
    let [(mut ada, adas), (mut bob, bobs)] = twins(place.path());
    drop(ada.add(&Add::new(BookName::memory(), "from ada")).unwrap());
    assert_eq!(ada.sync(None).unwrap().answer.share_problem, None);
    let made_by_bob = marker(&bobs);
    assert_ne!(marker(&adas), made_by_bob);

    // The sync program lets bob's marker win, and keeps no copy of ada's. Her segment is here: the share is hers too.
    carry(&bobs, &adas);
    assert_eq!(ada.sync(None).unwrap().answer.share_problem, None);

    // Before bob saw any of it, somebody empties the folder.
    empty(&adas);
    empty(&bobs);
    assert_eq!(ada.sync(adas.to_str()).unwrap().answer.share_problem, None);
    assert_eq!(marker(&adas), made_by_bob, "bob knows no other");
    carry(&adas, &bobs);
    drop(bob.add(&Add::new(BookName::memory(), "from bob")).unwrap());
    assert_eq!(bob.sync(None).unwrap().answer.share_problem, None);
    carry(&bobs, &adas);
    assert_eq!(ada.sync(None).unwrap().answer.share_problem, None);
    for store in [&mut ada, &mut bob] {
        assert_eq!(store.list(&ListQuery::default()).unwrap().entries.len(), 2);
    }
}

#[test]
fn two_stores_become_one_where_all_files_of_one_share_are_copied_into_the_other() {
    let place = tempfile::tempdir().unwrap();
    let [(mut ada, adas), (mut bob, bobs)] = twins(place.path());
    for (store, text) in [(&mut ada, "from ada"), (&mut bob, "from bob")] {
        drop(store.add(&Add::new(BookName::memory(), text)).unwrap());
        assert_eq!(store.sync(None).unwrap().answer.share_problem, None);
    }
    let refused = bob.sync(adas.to_str()).unwrap().answer.share_problem.expect("another store's share");
    assert!(
        refused.kind == ShareTroubleKind::Foreign && refused.what.contains("makes one store of two"),
        "{}",
        refused.what
    );

    fs::rename(bobs.join("memlore.json"), bobs.join("memlore (1).json")).unwrap();
    carry(&bobs, &adas);
    for _ in 0..2 {
        for store in [&mut ada, &mut bob] {
            assert_eq!(store.sync(adas.to_str()).unwrap().answer.share_problem, None);
        }
    }
    for store in [&mut ada, &mut bob] {
        assert_eq!(store.list(&ListQuery::default()).unwrap().entries.len(), 2);
    }
}
