//! Processes that are killed at any moment.

use super::talk::{Held, append, contents, lines, said};
use crate::device::Device;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::time::Duration;

#[test]
fn what_was_answered_before_a_kill_is_there_once() {
    let device = Device::default();
    append(&device, "s", &[said("user", "begin", 0)], "stored");
    let mut answered: Vec<String> = Vec::new();
    let mut handed: Vec<Value> = Vec::new();
    for round in 0..8_u64 {
        // Every other time the database is held for a while, so that the spool takes some and recovery is at work.
        let held = (round % 2 == 1).then(|| Held::by_somebody(&device));
        let mut child = device
            .command()
            .args(["session", "append", "s", "--deadline", "0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let messages: Vec<Value> =
            (0..60).map(|n| json!({"role": "user", "content": format!("{round}.{n}"), "flush_timestamp": round * 1000 + n})).collect();
        handed.extend(messages.clone());
        let writer = std::thread::spawn(move || {
            for message in &messages {
                // The other end may be gone by now.
                if writeln!(stdin, "{message}").and_then(|()| stdin.flush()).is_err() {
                    break;
                }
                std::thread::sleep(Duration::from_micros(300));
            }
        });
        let reader = std::thread::spawn(move || {
            let lines = stdout.lines().map_while(Result::ok);
            lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok()).collect::<Vec<_>>()
        });
        std::thread::sleep(Duration::from_millis(3 + 7 * round));
        drop(held);
        std::thread::sleep(Duration::from_millis(2));
        child.kill().unwrap();
        child.wait().unwrap();
        writer.join().unwrap();
        for (n, answer) in reader.join().unwrap().iter().enumerate() {
            assert_ne!(answer["status"], "failed");
            answered.push(format!("{round}.{n}"));
        }
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for content in contents(&device, "s") {
        *counts.entry(content).or_default() += 1;
    }
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    assert!(answered.iter().all(|text| counts.contains_key(text)), "{answered:?} {counts:?}");
    // Whoever was cut off hands everything over again.
    let (code, _) =
        super::talk::run(device.command().args(["session", "append", "s"]), lines(&handed).as_bytes());
    assert_eq!(code, 0);
    assert_eq!(contents(&device, "s").len(), 1 + 8 * 60);
    assert_eq!(device.run(&["doctor"]).0, 0);
}

#[test]
fn processes_on_one_conversation_at_once_lose_nothing() {
    let device = Device::default();
    append(&device, "s", &[said("user", "begin", 0)], "stored");
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let device = device.clone();
            std::thread::spawn(move || {
                for n in 0..10 {
                    let message = json!({"role": "user", "content": format!("{writer}.{n}")});
                    append(&device, "s", &[message], "stored");
                }
            })
        })
        .collect();
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let told = contents(&device, "s");
    assert_eq!(told.len(), 41);
    for writer in 0..4 {
        let own: Vec<String> =
            told.iter().filter(|text| text.starts_with(&format!("{writer}."))).cloned().collect();
        assert_eq!(own, (0..10).map(|n| format!("{writer}.{n}")).collect::<Vec<_>>());
    }
}
