//! memlore and hermes at work on one home at the same time.

use super::hermes::{Instance, assert_no_backup};
use crate::device::Device;
use serde_json::json;
use std::collections::BTreeSet;
use std::thread;

const EACH: usize = 25;

#[test]
fn two_memlore_processes_and_hermes_lose_nothing_of_each_other() {
    let device = Device::default();
    device.json(&["init", "--limit", "memory=none"]);
    device.json(&["add", "the first entry"]);
    let device = &device;
    thread::scope(|scope| {
        for worker in 0..2 {
            scope.spawn(move || {
                for n in 0..EACH {
                    device.json(&["add", &format!("memlore {worker} remembers {n}")]);
                }
            });
        }
        scope.spawn(move || {
            let mut hermes = Instance::start(device);
            for n in 0..EACH {
                hermes.must(&json!({"do": "add", "content": format!("hermes remembers {n}")}));
            }
        });
    });
    device.json(&["import"]);
    let texts = device.texts();
    let expected: BTreeSet<String> = (0..EACH)
        .flat_map(|n| {
            [
                format!("memlore 0 remembers {n}"),
                format!("memlore 1 remembers {n}"),
                format!("hermes remembers {n}"),
            ]
        })
        .chain(["the first entry".to_owned()])
        .collect();
    assert_eq!(texts.len(), expected.len());
    assert_eq!(texts.iter().cloned().collect::<BTreeSet<_>>(), expected);
    assert_eq!(device.shown(), texts);
    assert_no_backup(device);
    device.json(&["doctor", "--deep"]);
}
