//! Syncthing carries the share, or the whole home.

use super::node::Joined;
use super::side::{Side, agree, copies, work_at_once};
use super::{tree, until};
use std::fs;

#[test]
fn two_devices_that_syncthing_joins_end_equal_whatever_was_written_while_they_were_parted() {
    let mut sides = [Side::new("ann"), Side::new("ben")];
    let shares = [sides[0].device.path("share"), sides[1].device.path("share")];
    shares.iter().for_each(|share| fs::create_dir(share).unwrap());
    let joined = Joined::start([&shares[0], &shares[1]], -1);
    // Both make a marker before either has seen the other's.
    joined.part(true);
    sides.iter().zip(&shares).for_each(|(side, share)| side.init(share));
    work_at_once(&mut sides, 1);
    joined.part(false);
    joined.settle();
    assert!(!copies(&shares[0], "memlore.sync-conflict-").is_empty(), "two markers met");
    sides[0].add("the office is in Mainz");
    agree(&sides, &|| joined.settle());

    // While files travel.
    work_at_once(&mut sides, 2);
    joined.part(true);
    sides.iter_mut().for_each(|side| side.replace_common("the office is in Mainz"));
    work_at_once(&mut sides, 2);
    joined.part(false);
    let [_, _, conflicts] = agree(&sides, &|| joined.settle());
    assert_eq!(conflicts.as_array().unwrap().len(), 1, "{conflicts:#}");
}

#[test]
fn a_home_that_syncthing_carries_itself_ends_equal_in_its_files_too() {
    let mut sides = [Side::new("ann"), Side::new("ben")];
    let homes = [sides[0].device.home(), sides[1].device.home()];
    let joined = Joined::start([&homes[0], &homes[1]], 10);
    sides[0].init(&homes[0].join("exchange"));
    sides[0].add("the office is in Mainz");
    joined.settle();
    sides[1].init(&homes[1].join("exchange"));
    agree(&sides, &|| joined.settle());

    work_at_once(&mut sides, 2);
    agree(&sides, &|| joined.settle());
    joined.part(true);
    sides.iter_mut().for_each(|side| side.replace_common("the office is in Mainz"));
    work_at_once(&mut sides, 2);
    joined.part(false);
    agree(&sides, &|| joined.settle());

    // Neither device writes back and forth: what stands now goes on standing.
    let settled = tree(&homes[0]);
    assert_eq!(sides[0].device.read_view(), sides[1].device.read_view());
    assert!(copies(&homes[0], "MEMORY.sync-conflict-").is_empty(), "{:?}", settled.keys());
    for _ in 0..2 {
        sides.iter().for_each(Side::sync);
        joined.settle();
    }
    until("the files stand still", || tree(&homes[0]) == settled && tree(&homes[1]) == settled);
}
