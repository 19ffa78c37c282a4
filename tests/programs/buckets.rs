//! A bucket of an S3 server is the share.

use super::s3::{Network, Server};
use super::side::{Side, agree, work_at_once};
use std::thread;

/// Two devices that know how to reach the bucket.
fn sides(port: u16) -> [Side; 2] {
    ["ann", "ben"].map(|name| {
        let mut side = Side::new(name);
        for (name, value) in Server::variables(port) {
            side.device.set(name, &value);
        }
        side
    })
}

/// How many segments of a stream lie in the bucket.
fn segments(server: &Server, prefix: &str, stream: &str) -> usize {
    let names = server.names(prefix);
    names.iter().filter(|name| name.ends_with(".seg") && name.contains(&format!("/{stream}/"))).count()
}

#[test]
fn two_devices_exchange_entries_and_messages_through_a_bucket() {
    let server = Server::start();
    let mut sides = sides(server.port());
    sides.iter().for_each(|side| side.init("s3://attic/agents/ann".as_ref()));
    sides[0].add("the office is in Mainz");
    agree(&sides, &|| ());
    sides.iter_mut().for_each(|side| side.replace_common("the office is in Mainz"));
    work_at_once(&mut sides, 3);
    let [_, _, conflicts] = agree(&sides, &|| ());
    assert_eq!(conflicts.as_array().unwrap().len(), 1, "{conflicts:#}");
    let status = sides[0].device.json(&["status"]);
    assert_eq!(status["share"]["path"], "s3://attic/agents/ann");
    assert_eq!(status["share"]["replicas"].as_array().unwrap().len(), 1, "{status:#}");
    // Another place in the bucket is another share.
    assert!(server.names("agents/anna").is_empty());
    let names = server.names("agents/ann");
    assert!(names.iter().all(|name| name.ends_with("memlore.json") || name.contains("/r/")), "{names:?}");
}

#[test]
fn of_two_markers_made_at_once_in_a_bucket_one_is_there_and_both_devices_use_it() {
    let server = Server::start();
    for round in 0..4 {
        let sides = sides(server.port());
        let share = format!("s3://attic/round-{round}");
        thread::scope(|scope| {
            for side in &sides {
                scope.spawn(|| side.init(share.as_ref()));
            }
        });
        sides[0].device.json(&["add", "written by ann"]);
        sides[0].sync();
        sides[1].sync();
        assert_eq!(sides[1].device.texts(), ["written by ann"]);
        let markers = server.names(&format!("round-{round}"));
        assert_eq!(markers.iter().filter(|name| name.contains("memlore")).count(), 1, "{markers:?}");
    }
}

#[test]
fn an_answer_that_is_lost_makes_no_segment_twice() {
    let server = Server::start();
    let network = Network::before(&server);
    let mut sides = sides(network.port);
    sides.iter().for_each(|side| side.init("s3://attic/lossy".as_ref()));
    // One lost answer is mended by the same call; many are told, and mended by the next exchange.
    for (lost, code) in [(1, 0), (20, 6)] {
        let before = segments(&server, "lossy", "m");
        sides[0].add(&format!("written while {lost} answers are lost"));
        network.weather.lock().unwrap().answers_lost = lost;
        let (ended, answer) = sides[0].device.run(&["sync"]);
        assert_eq!(ended, code, "{answer:#}");
        network.weather.lock().unwrap().answers_lost = 0;
        sides[0].sync();
        assert_eq!(segments(&server, "lossy", "m"), before + 1);
    }
    agree(&sides, &|| ());
}

#[test]
fn a_bucket_that_lists_late_shows_everything_once_in_the_end() {
    let server = Server::start();
    let network = Network::before(&server);
    let mut sides = sides(network.port);
    sides.iter().for_each(|side| side.init("s3://attic/late".as_ref()));
    sides[0].add("the office is in Mainz");
    agree(&sides, &|| ());
    network.weather.lock().unwrap().lists_late = true;
    sides.iter_mut().for_each(|side| side.replace_common("the office is in Mainz"));
    work_at_once(&mut sides, 3);
    // Late is not never: the listing that follows tells.
    agree(&sides, &|| ());
}

#[test]
fn a_bucket_that_cannot_be_reached_or_is_not_there_keeps_nothing_from_being_stored() {
    let server = Server::start();
    let sides = sides(server.port());
    let told = |arguments: &[&str], code: i32| {
        let (ended, answer) = sides[0].device.run(arguments);
        assert_eq!(ended, code, "{answer:#}");
        answer["error"]["message"].as_str().unwrap_or_default().to_owned()
    };
    let message = told(&["init", "--share", "s3://cellar/x"], 6);
    assert!(message.contains("s3://cellar/x is not there"), "{message}");
    let message = told(&["sync", "--share", "s3://"], 2);
    assert!(message.contains("s3://bucket/prefix"), "{message}");
    sides[0].init("s3://attic/x".as_ref());
    sides[0].device.json(&["add", "written before the server went"]);
    drop(server);
    let message = told(&["sync"], 6);
    assert!(message.contains("tries again"), "{message}");
    assert_eq!(sides[0].device.texts(), ["written before the server went"]);
}

#[test]
fn an_address_of_a_folder_is_that_folder() {
    let side = Side::new("ann");
    let share = side.device.path("my share");
    let address = format!("file://{}", share.display().to_string().replace(' ', "%20"));
    side.init(address.as_ref());
    assert!(share.join("memlore.json").is_file());
    assert_eq!(side.device.json(&["status"])["share"]["path"], share.to_str().unwrap());
}
