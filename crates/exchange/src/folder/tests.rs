use super::*;
use crate::{
    About, Effort, Listing, Marker, MarkerDecision, MarkerFacts, NotYet, Refusal, SegmentName, StoreId, Take,
    decide, folder_of, list, make_marker, publish, publish_about, publish_kept, take,
};
use memlore_model::{Kind, Payload, Record, RecordHash, RecordName, ReplicaId, Stream};
use std::collections::BTreeSet;
use std::fs;
use tempfile::TempDir;

const ADA: ReplicaId = ReplicaId([1; 16]);
const BOB: ReplicaId = ReplicaId([2; 16]);

/// A share in a fresh folder, and a staging folder beside it.
struct Home {
    share: Folder,
    root: TempDir,
}

impl Home {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["share", "staging"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { share: Folder::new(root.path().join("share"), root.path().join("staging")), root }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join("share").join(path)
    }

    /// Puts a file somewhere into the share, as other programs do.
    fn put(&self, path: &str, bytes: &[u8]) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), bytes).unwrap();
    }

    fn publish(&self, records: &[Record]) -> String {
        publish(&self.share, records, Effort::Quick).unwrap().path
    }

    fn list(&self) -> Listing {
        list(&self.share).unwrap()
    }

    fn paths(&self) -> Vec<String> {
        self.list().files.into_iter().map(|file| file.path).collect()
    }

    /// What each file of the share turns out to be.
    fn take_all(&self) -> Vec<Take> {
        self.list().files.iter().map(|file| take(&self.share, file)).collect()
    }

    fn taken(&self) -> Vec<Vec<Record>> {
        let segments = self.take_all().into_iter().filter_map(|take| match take {
            Take::Taken(segment) => Some(segment.records),
            _ => None,
        });
        segments.collect()
    }

    fn staging_is_empty(&self) -> bool {
        fs::read_dir(self.root.path().join("staging")).unwrap().count() == 0
    }
}

/// A run of a replica's messages that begins at 1.
fn run(replica: ReplicaId, count: u64) -> Vec<Record> {
    let mut previous = RecordHash::NONE;
    let records = (1..=count).map(|seq| {
        let name = RecordName { replica, stream: Stream::Sessions, seq };
        let payload = Payload::Present(format!(r#"{{"content":"{seq}"}}"#).into_bytes());
        let record = Record { name, previous, kind: Kind::MESSAGE, payload };
        previous = record.hash();
        record
    });
    records.collect()
}

#[test]
fn what_is_published_is_listed_and_taken() {
    let home = Home::new();
    let path = home.publish(&run(ADA, 3));
    home.publish(&run(BOB, 2));
    let listing = home.list();
    assert_eq!(listing.replicas, BTreeSet::from([ADA, BOB]));
    assert_eq!((listing.cut, listing.skipped.len()), (false, 0));
    let file = listing.files.iter().find(|file| file.path == path).unwrap();
    assert!(path.starts_with(&format!("{}/s/1to3h", folder_of(ADA))));
    assert_eq!((file.replica, file.name.map(|name| name.last)), (Some(ADA), Some(3)));
    assert_eq!(home.taken(), [run(ADA, 3), run(BOB, 2)]);
    assert!(home.staging_is_empty());
}

#[test]
fn publishing_a_run_again_changes_nothing() {
    let home = Home::new();
    let path = home.publish(&run(ADA, 3));
    let before = home.list();
    let again = publish(&home.share, &run(ADA, 3), Effort::Quick).unwrap();
    assert_eq!((again.path, again.already), (path, true));
    assert_eq!(home.list(), before);
    assert!(home.staging_is_empty());
}

#[test]
fn publishers_that_race_make_one_file() {
    let home = Home::new();
    let news = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| publish(&home.share, &run(ADA, 50), Effort::Quick).unwrap().already))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).filter(|already| !already).count()
    });
    assert_eq!(news, 1);
    assert_eq!(home.taken(), [run(ADA, 50)]);
    assert!(home.staging_is_empty());
}

#[test]
fn records_of_others_are_kept_in_a_folder_of_our_own() {
    let home = Home::new();
    let kept = publish_kept(&home.share, BOB, &run(ADA, 3), Effort::Quick).unwrap();
    assert!(kept.path.starts_with(&format!("r/{BOB}/x/1to3h")));
    assert_eq!(home.list().files[0].replica, Some(BOB));
    assert_eq!(home.taken(), [run(ADA, 3)]);
}

#[test]
fn our_own_file_is_mended_when_it_is_torn_and_left_when_it_is_another() {
    let home = Home::new();
    let path = home.publish(&run(ADA, 3));
    let whole = fs::read(home.path(&path)).unwrap();
    for torn in [&whole[..0], &whole[..40], &vec![0; whole.len()]] {
        fs::write(home.path(&path), torn).unwrap();
        assert!(!publish(&home.share, &run(ADA, 3), Effort::Quick).unwrap().already);
        assert_eq!(fs::read(home.path(&path)).unwrap(), whole);
    }
    let other = home.publish(&run(BOB, 1));
    fs::copy(home.path(&other), home.path(&path)).unwrap();
    let problem = publish(&home.share, &run(ADA, 3), Effort::Quick);
    assert!(matches!(problem, Err(ShareProblem::Occupied { .. })));
    assert_eq!(home.taken(), [run(BOB, 1), run(BOB, 1)]);
}

#[test]
fn a_file_that_comes_bit_by_bit_is_taken_when_it_is_whole() {
    let home = Home::new();
    let path = home.publish(&run(ADA, 3));
    let whole = fs::read(home.path(&path)).unwrap();
    let mut stamps = BTreeSet::new();
    for cut in [0, 4, 8, 60, whole.len() - 1] {
        home.put(&path, &whole[..cut]);
        stamps.insert(home.list().files[0].stamp.size_bytes);
        assert!(matches!(home.take_all()[..], [Take::NotYet(NotYet::Incomplete)]), "cut at {cut}");
    }
    home.put(&path, &vec![0; whole.len()]);
    assert!(matches!(home.take_all()[..], [Take::NotYet(NotYet::Incomplete)]));
    home.put(&path, &[&whole[..], &[0; 50]].concat());
    assert!(matches!(home.take_all()[..], [Take::NotYet(NotYet::Incomplete)]));
    home.put(&path, &whole);
    assert_eq!(home.taken(), [run(ADA, 3)]);
    assert_eq!(stamps.len(), 5);
}

#[test]
fn a_file_that_went_away_is_not_there_yet() {
    let home = Home::new();
    let path = home.publish(&run(ADA, 3));
    let listing = home.list();
    fs::remove_file(home.path(&path)).unwrap();
    assert!(matches!(take(&home.share, &listing.files[0]), Take::NotYet(NotYet::Gone)));
    home.share.delete(&path).unwrap();
}

#[test]
fn conflict_copies_are_taken_by_their_content_wherever_they_lie() {
    let home = Home::new();
    let path = home.publish(&run(ADA, 3));
    let (folder, name) = path.rsplit_once('/').unwrap();
    let stem = name.strip_suffix(".seg").unwrap();
    let copies = [
        format!("{stem}-LAPTOP7.seg"),
        format!("{stem}-LAPTOP7-2.seg"),
        format!("{stem}-LAPTOP7-LAPTOP7.seg"),
        format!("{stem}-Pc d'Été.seg"),
        format!("{stem}-laptop7-safeBackup-0001.seg"),
        format!("{stem} (Ann's conflicted copy 2026-01-02).seg"),
        format!("{stem} (Case Conflict).seg"),
        format!("{stem}.sync-conflict-20260102-101010-ABCDEF7.seg"),
        format!("{stem} (conflicted copy 2026-01-02 101010).seg"),
        format!("{stem} 2.seg"),
        format!("{stem} (1).seg"),
        format!("{name}.conflict1"),
        format!("{name}..path1"),
        name.to_uppercase(),
        "renamed by hand".to_owned(),
    ];
    let places =
        [folder, &format!("r/{BOB}/m"), &format!("r/{BOB}"), "r", "r/r (1)/s", &format!("r/{ADA}/s/backup")];
    for place in places {
        for copy in &copies {
            home.put(&format!("{place}/{copy}"), &fs::read(home.path(&path)).unwrap());
        }
    }
    let taken = home.taken();
    assert_eq!(taken.len(), 1 + copies.len() * places.len());
    assert!(taken.iter().all(|records| *records == run(ADA, 3)));
}

#[test]
fn other_files_are_ignored_and_bookkeeping_is_not_even_listed() {
    let home = Home::new();
    let path = home.publish(&run(ADA, 3));
    let folder = path.rsplit_once('/').unwrap().0;
    for name in [
        ".syncthing.1to3habc.seg.tmp",
        "~syncthing~1to3habc.seg.tmp",
        "1to3habc.seg.partial",
        ".tmp.driveupload/1",
        ".tmp.drivedownload/2",
        "desktop.ini",
        "Icon\r",
        ".DS_Store",
        "._1to3habc.seg",
        "~$1to3habc.seg",
        ".~lock.1to3habc.seg#",
        ".1to3habc.seg.icloud",
        ".nfs000000000001",
        ".stfolder/x",
        ".stignore",
    ] {
        home.put(&format!("{folder}/{name}"), &fs::read(home.path(&path)).unwrap());
    }
    publish_about(&home.share, ADA, &About { device: "d".into(), agent: "a".into(), version: "v".into() })
        .unwrap();
    assert_eq!(home.paths(), std::slice::from_ref(&path));

    home.put(&format!("{folder}/notes.md"), b"# Notes");
    home.put("r/empty", b"");
    let takes = home.take_all();
    assert!(matches!(takes[..], [Take::Taken(_), Take::Ignored, Take::Ignored]), "{takes:?}");
    assert!(home.path(&format!("{folder}/notes.md")).exists());
}

#[test]
fn newer_and_broken_segments_are_told_apart() {
    let home = Home::new();
    let mut bytes = crate::encode(&run(ADA, 1), Effort::Quick).unwrap();
    let seal = |bytes: &mut Vec<u8>| {
        bytes.truncate(bytes.len() - 32);
        let hash = blake3::hash(bytes);
        bytes.extend_from_slice(hash.as_bytes());
    };
    bytes[8] = 9;
    seal(&mut bytes);
    home.put("r/a", &bytes);
    bytes[8] = 1;
    bytes[15] = 1;
    seal(&mut bytes);
    home.put("r/b", &bytes);
    home.put("r/c", &[b"memlore\x1a", &vec![1; crate::MAX_SEGMENT_BYTES][..]].concat());
    let takes = home.take_all();
    assert!(matches!(takes[..], [Take::Newer(_), Take::Refused(_), Take::Refused(_)]), "{takes:?}");
}

#[test]
fn a_folder_full_of_other_files_is_listed_in_part_and_says_so() {
    let home = Home::new();
    let path = home.publish(&run(ADA, 3));
    for at in 0..crate::MAX_STRAYS + 500 {
        home.put(&format!("r/{ADA}/s/junk-{at}"), b"");
    }
    let listing = home.list();
    assert!(listing.cut);
    assert_eq!(listing.files.len(), crate::MAX_STRAYS + 1);
    assert_eq!(listing.skipped.len(), 100);
    assert!(listing.files.iter().any(|file| file.path == path));
}

#[test]
fn a_share_that_is_not_there_is_missing_and_is_not_made() {
    let home = Home::new();
    let gone = Folder::new(home.path("gone"), home.root.path());
    assert!(matches!(list(&gone), Err(ShareProblem::Missing { .. })));
    let published = publish(&gone, &run(ADA, 1), Effort::Quick);
    assert!(matches!(published, Err(ShareProblem::Missing { .. })));
    assert!(matches!(gone.read("memlore.json", 10), Err(ShareProblem::Missing { .. })));
    assert!(!home.path("gone").exists());
    let facts = MarkerFacts::gather(&gone, &[ADA], &BTreeSet::new(), &BTreeSet::new(), true).unwrap();
    assert_eq!(decide(&facts), MarkerDecision::Missing);
}

#[test]
fn a_staging_folder_that_cannot_be_used_is_done_without() {
    let home = Home::new();
    let share = Folder::new(home.path(""), home.root.path().join("no such folder"));
    assert!(!publish(&share, &run(ADA, 3), Effort::Quick).unwrap().already);
    assert_eq!(home.taken(), [run(ADA, 3)]);
    assert_eq!(fs::read_dir(home.path(&format!("r/{ADA}/s"))).unwrap().count(), 1);
}

#[test]
fn a_share_on_another_volume_is_written_too() {
    let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else { return };
    let home = Home::new();
    let share = Folder::new(home.path(""), elsewhere.path());
    assert!(!publish(&share, &run(ADA, 3), Effort::Quick).unwrap().already);
    assert!(publish(&share, &run(ADA, 3), Effort::Quick).unwrap().already);
    assert_eq!(home.taken(), [run(ADA, 3)]);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn links_out_of_the_share_are_not_followed() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    let path = home.publish(&run(ADA, 3));
    let outside = home.root.path().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, home.path(&format!("r/{BOB}"))).unwrap();
    symlink(home.path(&path), home.path("r/link.seg")).unwrap();
    symlink(home.path("r"), home.path("r/loop")).unwrap();
    let published = publish(&home.share, &run(BOB, 1), Effort::Quick);
    assert!(matches!(published, Err(ShareProblem::Outside { .. })));
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
    assert_eq!(home.list().skipped.len(), 3);
    assert_eq!(home.paths(), [path]);
    for path in ["../outside/x", "/etc/x", "r/../../x"] {
        assert!(matches!(home.share.write_new(path, b""), Err(ShareProblem::Outside { .. })), "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_segment_blocks_nobody() {
    let home = Home::new();
    let path = home.publish(&run(ADA, 3));
    let listing = home.list();
    fs::remove_file(home.path(&path)).unwrap();
    let mode = rustix::fs::Mode::RWXU;
    rustix::fs::mknodat(rustix::fs::CWD, home.path(&path), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(matches!(take(&home.share, &listing.files[0]), Take::NotYet(NotYet::Unreadable(_))));
    assert_eq!((home.paths().len(), home.list().skipped.len()), (0, 1));
}

#[test]
fn the_facts_about_a_share_are_what_lies_there() {
    let home = Home::new();
    let (ours, theirs) = (StoreId([1; 16]), StoreId([2; 16]));
    let none = BTreeSet::new();
    let decided = |accepted: &BTreeSet<StoreId>, named| {
        decide(&MarkerFacts::gather(&home.share, &[ADA], &BTreeSet::new(), accepted, named).unwrap())
    };
    home.put(".DS_Store", b"x");
    home.put(".stfolder/x", b"x");
    assert_eq!(
        (decided(&none, false), decided(&none, true)),
        (MarkerDecision::Missing, MarkerDecision::Make)
    );

    assert_eq!(make_marker(&home.share, ours).unwrap(), Written::New);
    assert_eq!(make_marker(&home.share, theirs).unwrap(), Written::Exists);
    let accepted = BTreeSet::from([ours]);
    assert_eq!(decided(&accepted, false), MarkerDecision::Use);

    home.put("memlore-LAPTOP7.json", Marker::json_of(theirs).as_bytes());
    home.put("memlore notes.json", b"{}");
    assert_eq!(decided(&accepted, false), MarkerDecision::Adopt([theirs].into()));

    fs::remove_file(home.path("memlore.json")).unwrap();
    let foreign = || MarkerDecision::Refuse(Refusal::Foreign([theirs].into()));
    assert_eq!(decided(&accepted, true), foreign());
    // A file in our folder that is no segment of ours proves nothing.
    let name = SegmentName::new(1, 1, &[0; 32]);
    home.put(&format!("r/{ADA}/s/{name}"), b"");
    assert_eq!(decided(&accepted, false), foreign());
    home.publish(&run(ADA, 3));
    assert_eq!(decided(&accepted, false), MarkerDecision::Adopt([theirs].into()));

    fs::remove_file(home.path("memlore-LAPTOP7.json")).unwrap();
    assert_eq!(
        (decided(&accepted, false), decided(&accepted, true)),
        (MarkerDecision::Missing, MarkerDecision::Make)
    );
    let bobs = MarkerFacts::gather(&home.share, &[BOB], &BTreeSet::new(), &accepted, true).unwrap();
    assert_eq!(decide(&bobs), MarkerDecision::Refuse(Refusal::NoMarkerYet));
    let known = BTreeSet::from([ADA]);
    let bobs = MarkerFacts::gather(&home.share, &[BOB], &known, &accepted, true).unwrap();
    assert_eq!(decide(&bobs), MarkerDecision::Make);
    home.put("memlore.json", b"");
    assert_eq!(decided(&accepted, true), MarkerDecision::Refuse(Refusal::Unreadable));
}

#[test]
fn a_share_that_lost_its_marker_is_known_by_what_we_said_there_of_ourselves() {
    let home = Home::new();
    let accepted = BTreeSet::from([StoreId([1; 16])]);
    let about = About { device: "d".into(), agent: "a".into(), version: "1".into() };
    publish_about(&home.share, ADA, &about).unwrap();
    let decided = |replica| {
        decide(&MarkerFacts::gather(&home.share, &[replica], &BTreeSet::new(), &accepted, true).unwrap())
    };
    assert_eq!(decided(ADA), MarkerDecision::Make);
    assert_eq!(decided(BOB), MarkerDecision::Refuse(Refusal::NotEmpty));
}

#[test]
fn a_share_of_which_only_folders_are_left_is_empty() {
    let home = Home::new();
    fs::create_dir_all(home.path(&format!("r/{ADA}/m"))).unwrap();
    let facts =
        || MarkerFacts::gather(&home.share, &[BOB], &BTreeSet::new(), &BTreeSet::new(), true).unwrap();
    assert_eq!(decide(&facts()), MarkerDecision::Make);
    home.put("r/notes.txt", b"somebody's");
    assert_eq!(decide(&facts()), MarkerDecision::Refuse(Refusal::NotEmpty));
}

#[test]
fn what_a_replica_says_about_itself_may_change() {
    let home = Home::new();
    let about = |version: &str| About { device: "d".into(), agent: "a".into(), version: version.into() };
    for version in ["1", "1", "2"] {
        publish_about(&home.share, ADA, &about(version)).unwrap();
        let json = fs::read_to_string(home.path(&format!("r/{ADA}/about.json"))).unwrap();
        assert_eq!(About::from_json(&json), Some(about(version)));
    }
    assert!(home.staging_is_empty());
}
