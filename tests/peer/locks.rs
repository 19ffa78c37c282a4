//! One lock for both: hermes' own.

use super::hermes::Instance;
use crate::device::Device;
use serde_json::json;
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn hermes_waits_for_the_lock_that_memlore_takes() {
    let device = Device::default();
    device.json(&["add", "likes tea"]);
    let mut hermes = Instance::start(&device);
    let lock = File::open(device.memories().join("MEMORY.md.lock")).unwrap();
    lock.lock().unwrap();
    let released = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            hermes.must(&json!({"do": "add", "content": "by hermes"}));
            assert!(released.load(Ordering::SeqCst), "hermes wrote while the lock was held");
        });
        thread::sleep(Duration::from_millis(500));
        assert_eq!(device.read_view(), "likes tea");
        released.store(true, Ordering::SeqCst);
        lock.unlock().unwrap();
    });
    assert_eq!(device.texts(), ["likes tea", "by hermes"]);
}

#[test]
fn while_hermes_holds_its_lock_memlore_stores_and_leaves_the_file_alone() {
    let device = Device::default();
    device.json(&["add", "likes tea"]);
    // The lock as hermes takes it: exclusive, on the file beside the view.
    let lock = File::options().write(true).open(device.memories().join("MEMORY.md.lock")).unwrap();
    lock.lock().unwrap();
    let began = Instant::now();
    let added = device.json(&["add", "stored meanwhile"]);
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    assert_eq!(added["warnings"].as_array().unwrap().len(), 1, "{added}");
    assert_eq!(device.read_view(), "likes tea");
    assert_eq!(device.texts(), ["likes tea", "stored meanwhile"]);
    lock.unlock().unwrap();
    device.json(&["render"]);
    assert_eq!(device.shown(), ["likes tea", "stored meanwhile"]);
}
