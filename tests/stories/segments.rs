//! What becomes of the files of a share: they are merged, they go, they are lost and come back.

use memlore_model::ReplicaId;
use memlore_store::answer::Check;
use memlore_testing::{At, Network};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

const DAY: u64 = 24 * 3_600;

/// Devices that look into one folder, as over a network.
fn one_folder<const N: usize>(names: [&str; N]) -> (Network, [At; N]) {
    let mut net = Network::default();
    let all = net.devices(names);
    let folder = net.at(all[0]).share();
    for at in &all[1..] {
        let own = net.at(*at).share();
        fs::remove_dir_all(&own).unwrap();
        symlink(&folder, &own).unwrap();
    }
    (net, all)
}

/// The segments of a share with their bytes, by path.
fn segments(share: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![share.join("r")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "seg") {
                found.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn put_back(files: &BTreeMap<PathBuf, Vec<u8>>) {
    for (path, bytes) in files {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Adds as many texts, each exchanged on its own.
fn add_one_by_one(net: &mut Network, at: At, count: usize) {
    for number in 0..count {
        net.add(at, &format!("text {number}"));
        net.exchange(at);
    }
}

fn folder_of(net: &Network, at: At, replica: ReplicaId) -> PathBuf {
    net.at(at).share().join("r").join(replica.to_string())
}

fn id(net: &mut Network, at: At) -> ReplicaId {
    net.store(at).status().unwrap().replica
}

#[test]
fn many_exchanges_leave_few_files_and_a_new_device_gets_everything() {
    let (mut net, [laptop, desktop]) = one_folder(["laptop", "desktop"]);
    add_one_by_one(&mut net, laptop, 150);
    assert!(segments(&net.at(laptop).share()).len() > 150, "nothing goes before its time");
    net.wait(7 * DAY);
    net.exchange(laptop);
    let left = segments(&net.at(laptop).share()).len();
    assert!(left <= 16, "{left} files");
    net.exchange(desktop);
    assert_eq!(net.texts(desktop).len(), 150);
}

#[test]
fn a_crowded_folder_is_tidied_after_an_hour() {
    let (mut net, [laptop]) = one_folder(["laptop"]);
    add_one_by_one(&mut net, laptop, 210);
    net.wait(3_600);
    net.exchange(laptop);
    let left = segments(&net.at(laptop).share()).len();
    assert!(left <= 16, "{left} files");
}

#[test]
fn files_that_were_merged_and_come_back_are_harmless() {
    let (mut net, [laptop, desktop]) = one_folder(["laptop", "desktop"]);
    add_one_by_one(&mut net, laptop, 20);
    let before = segments(&net.at(laptop).share());
    let compacted = net.store(laptop).compact(Duration::ZERO).unwrap().answer;
    assert_eq!((compacted.share_problem, compacted.written, compacted.files), (None, 1, 1));
    assert_eq!(segments(&net.at(laptop).share()).len(), 1);
    put_back(&before);
    net.exchange(desktop);
    assert_eq!(net.texts(desktop), net.texts(laptop));
    net.exchange(laptop);
    assert!(segments(&net.at(laptop).share()).len() > 20);
    net.wait(7 * DAY);
    net.exchange(laptop);
    assert_eq!(segments(&net.at(laptop).share()).len(), 1);
}

#[test]
fn a_file_stays_as_long_as_the_larger_one_cannot_be_read_back() {
    let (mut net, [laptop, desktop]) = one_folder(["laptop", "desktop"]);
    add_one_by_one(&mut net, laptop, 7);
    let small = segments(&net.at(laptop).share());
    net.store(laptop).compact(Duration::from_secs(7 * DAY)).unwrap();
    let share = net.at(laptop).share();
    let (large, bytes) = segments(&share).into_iter().find(|(path, _)| !small.contains_key(path)).unwrap();
    // Damaged where neither its size nor its time shows it.
    let modified = fs::metadata(&large).unwrap().modified().unwrap();
    let mut damaged = bytes.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&large, &damaged).unwrap();
    fs::File::options().append(true).open(&large).unwrap().set_modified(modified).unwrap();
    net.wait(8 * DAY);
    net.exchange(laptop);
    net.wait(8 * DAY);
    net.exchange(laptop);
    net.exchange(desktop);
    assert_eq!(net.texts(desktop).len(), 7);
    assert!(small.keys().all(|path| path.exists()), "the small ones are all there");
}

#[test]
fn two_processes_of_one_replica_may_merge_at_once() {
    let (mut net, [laptop, desktop]) = one_folder(["laptop", "desktop"]);
    add_one_by_one(&mut net, laptop, 7);
    std::thread::scope(|threads| {
        for _ in 0..4 {
            let mut process = net.another_process(laptop);
            threads.spawn(move || {
                for _ in 0..5 {
                    assert_eq!(process.compact(Duration::ZERO).unwrap().answer.share_problem, None);
                    assert_eq!(process.sync(None).unwrap().answer.share_problem, None);
                }
            });
        }
    });
    assert_eq!(segments(&net.at(laptop).share()).len(), 1);
    net.exchange(desktop);
    assert_eq!(net.texts(desktop).len(), 7);
}

#[test]
fn a_lost_replicas_records_are_published_again_by_one_holder() {
    let (mut net, [lost, one, two, new]) = one_folder(["lost", "one", "two", "new"]);
    add_one_by_one(&mut net, lost, 3);
    for at in [one, two] {
        net.exchange(at);
    }
    let lost_id = id(&mut net, lost);
    fs::remove_dir_all(folder_of(&net, one, lost_id)).unwrap();
    for _ in 0..2 {
        for at in [one, two] {
            net.exchange(at);
            net.wait(3 * DAY);
        }
    }
    assert!(segments(&net.at(one).share()).is_empty(), "it may come back by itself");
    net.wait(2 * DAY);
    for _ in 0..3 {
        for at in [two, one] {
            net.exchange(at);
        }
        net.wait(8 * DAY);
    }
    let kept = segments(&net.at(one).share());
    assert_eq!(kept.len(), 1, "{:?}", kept.keys());
    let (one_id, two_id) = (id(&mut net, one), id(&mut net, two));
    net.exchange(new);
    assert_eq!(net.texts(new).len(), 3);
    // Whoever looks first rescues; the one with the smaller id is the one that keeps its file for good.
    let holder = kept.keys().next().unwrap().to_string_lossy().into_owned();
    assert!(holder.contains(&one_id.to_string()) || holder.contains(&two_id.to_string()), "{holder}");
}

#[test]
fn of_several_holders_the_one_with_the_smallest_id_keeps_its_file() {
    let (mut net, [lost, one, two, new]) = one_folder(["lost", "one", "two", "new"]);
    add_one_by_one(&mut net, lost, 3);
    let share = net.at(one).share();
    for at in [one, two] {
        net.exchange(at);
    }
    let lost_id = id(&mut net, lost);
    fs::remove_dir_all(folder_of(&net, one, lost_id)).unwrap();
    // Each rescues without seeing what the other did.
    let mut kept = BTreeMap::new();
    for at in [one, two] {
        let named = share.to_str().unwrap().to_owned();
        net.store(at).sync(Some(&named)).unwrap();
        let there = segments(&share);
        there.keys().for_each(|path| fs::remove_file(path).unwrap());
        kept.extend(there);
    }
    put_back(&kept);
    assert_eq!(segments(&share).len(), 2);
    for _ in 0..2 {
        for at in [one, two] {
            net.exchange(at);
        }
        net.wait(8 * DAY);
    }
    let least = id(&mut net, one).min(id(&mut net, two));
    let left = segments(&share);
    assert_eq!(left.len(), 1);
    assert!(left.keys().next().unwrap().to_string_lossy().contains(&least.to_string()));
    net.exchange(new);
    assert_eq!(net.texts(new).len(), 3);
    // The writer is back, and nobody needs to keep anything for it.
    net.exchange(lost);
    for _ in 0..2 {
        for at in [one, two] {
            net.exchange(at);
        }
        net.wait(8 * DAY);
    }
    assert!(segments(&share).keys().all(|path| path.to_string_lossy().contains(&lost_id.to_string())));
}

#[test]
fn records_that_wait_are_published_again_too_and_by_one_holder() {
    let (mut net, [lost, one, two, new]) = one_folder(["lost", "one", "two", "new"]);
    net.add(lost, "text 0");
    net.exchange(lost);
    let share = net.at(one).share();
    let first = segments(&share);
    for text in ["text 1", "text 2"] {
        net.add(lost, text);
        net.exchange(lost);
    }
    first.keys().for_each(|path| fs::remove_file(path).unwrap());
    for at in [one, two] {
        assert_eq!(net.exchange(at).waiting.len(), 1);
    }
    let lost_id = id(&mut net, lost);
    fs::remove_dir_all(folder_of(&net, one, lost_id)).unwrap();
    for at in [one, two] {
        net.exchange(at);
    }
    net.wait(6 * DAY);
    net.exchange(one);
    assert!(segments(&share).is_empty(), "they may come back by themselves");
    let told = net.store(one).doctor(false, true).unwrap();
    let of_lost =
        |check: &Check| check.detail.contains(&format!("2 records of lost ({lost_id}) that are here"));
    assert!(told.iter().any(of_lost), "{told:?}");
    net.wait(2 * DAY);
    // Each publishes without seeing what the other did.
    let mut kept = BTreeMap::new();
    for at in [one, two] {
        net.exchange(at);
        let there = segments(&share);
        there.keys().for_each(|path| fs::remove_file(path).unwrap());
        kept.extend(there);
    }
    put_back(&kept);
    assert_eq!(kept.len(), 2);
    for _ in 0..2 {
        for at in [one, two] {
            net.exchange(at);
        }
        net.wait(8 * DAY);
    }
    let left = segments(&share);
    assert_eq!(left.len(), 1, "{:?}", left.keys());
    let least = id(&mut net, one).min(id(&mut net, two));
    assert!(left.keys().next().unwrap().to_string_lossy().contains(&least.to_string()));
    put_back(&first);
    net.exchange(new);
    assert_eq!(net.texts(new), ["text 0", "text 1", "text 2"]);
}

#[test]
fn an_emptied_share_is_filled_again_at_once_when_it_is_named() {
    let (mut net, [gone, here, new]) = one_folder(["gone", "here", "new"]);
    add_one_by_one(&mut net, gone, 3);
    net.exchange(here);
    net.add(here, "from here");
    net.exchange(here);
    let share = net.at(here).share();
    fs::remove_dir_all(share.join("r")).unwrap();
    fs::remove_file(share.join("memlore.json")).unwrap();
    let named = share.to_str().unwrap().to_owned();
    assert_eq!(net.store(here).sync(Some(&named)).unwrap().answer.share_problem, None);
    net.exchange(new);
    assert_eq!(net.texts(new).len(), 4);
}
