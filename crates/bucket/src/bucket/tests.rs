//! A bucket over a store in memory.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

use super::*;
use memlore_exchange::{FoundKind, list};
use object_store::memory::InMemory;

fn bucket() -> Bucket {
    let address = Address::parse("s3://attic/agents/ann").unwrap().unwrap();
    Bucket::over(&address, Box::new(InMemory::new())).unwrap()
}

fn walk(bucket: &Bucket, under: &str, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    let visited = bucket.walk(under, depth, &mut |it| {
        let mark = if it.kind == FoundKind::Folder { "/" } else { "" };
        found.push(format!("{}{mark}", it.path));
        ControlFlow::Continue(())
    });
    visited.unwrap();
    found
}

#[test]
fn an_object_is_created_once_and_read_no_further_than_asked() {
    let bucket = bucket();
    assert_eq!(bucket.write_new("r/x/m/a.seg", b"first").unwrap(), Written::New);
    assert_eq!(bucket.write_new("r/x/m/a.seg", b"second").unwrap(), Written::Exists);
    assert_eq!(bucket.read("r/x/m/a.seg", 100).unwrap(), b"first");
    assert_eq!(bucket.read("r/x/m/a.seg", 3).unwrap(), b"fir");
    bucket.replace("r/x/m/a.seg", b"").unwrap();
    assert_eq!(bucket.read("r/x/m/a.seg", 3).unwrap(), b"");
    bucket.delete("r/x/m/a.seg").unwrap();
    bucket.delete("r/x/m/a.seg").unwrap();
    assert!(matches!(bucket.read("r/x/m/a.seg", 3), Err(ShareProblem::Gone { .. })));
}

#[test]
fn nothing_is_written_beside_the_share() {
    for path in ["../x", "r//x", "r/../../x", "."] {
        let written = bucket().write_new(path, b"x");
        assert!(matches!(written, Err(ShareProblem::Write { .. })), "{path}: {written:?}");
    }
}

#[test]
fn a_bucket_is_listed_as_if_it_had_folders() {
    let bucket = bucket();
    for path in [
        "memlore.json",
        "r/a/m/1.seg",
        "r/a/m/2.seg",
        "r/a/about.json",
        "r/b/s/1.seg",
        "r/b/s/deep/er/1.seg",
        "z",
    ] {
        bucket.write_new(path, b"x").unwrap();
    }
    bucket.write_new(".DS_Store", b"x").unwrap();
    assert_eq!(walk(&bucket, "", 1), ["memlore.json", "r/", "z"]);
    assert_eq!(walk(&bucket, "r", 1), ["r/a/", "r/b/"]);
    assert_eq!(walk(&bucket, "r/a", 2), ["r/a/about.json", "r/a/m/", "r/a/m/1.seg", "r/a/m/2.seg"]);
    assert_eq!(walk(&bucket, "r/b", 2), ["r/b/s/", "r/b/s/1.seg", "r/b/s/deep/"]);
    assert_eq!(walk(&bucket, "r/c", 2), [""; 0]);
    assert_eq!(list(&bucket).unwrap().files.len(), 3);
}

#[test]
fn a_share_of_the_same_beginning_is_another() {
    let bucket = bucket();
    let place = Path::from("agents/anna/memlore.json");
    bucket.wait(async { bucket.store.put(&place, "x".into()).await }).ok().unwrap();
    assert_eq!(walk(&bucket, "", 4), [""; 0]);
}
