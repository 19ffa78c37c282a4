use super::*;
use std::cell::Cell;
use std::sync::{Arc, Mutex};

const HELD: io::ErrorKind = io::ErrorKind::PermissionDenied;

/// A folder that waits for up to a minute, and the pauses that it made.
fn patient() -> (Folder, Arc<Mutex<Vec<Duration>>>) {
    let pauses = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&pauses);
    let folder = Folder::new("/nowhere", "/nowhere");
    let sleep = move |pause| noted.lock().unwrap().push(pause);
    (folder.with_patience(Duration::from_secs(60), sleep), pauses)
}

#[test]
fn a_file_held_for_a_while_is_written_in_the_end() {
    let (folder, pauses) = patient();
    let attempts = Cell::new(0);
    let written = folder.retry("x", || {
        attempts.set(attempts.get() + 1);
        if attempts.get() < 4 { Err(HELD.into()) } else { Ok(attempts.get()) }
    });
    assert_eq!(written.unwrap(), 4);
    assert_eq!(*pauses.lock().unwrap(), [10, 20, 40].map(Duration::from_millis));
}

#[test]
fn patience_ends() {
    let (folder, pauses) = patient();
    let problem = folder.retry("x", || Err::<(), _>(io::ErrorKind::ResourceBusy.into()));
    assert!(matches!(problem, Err(ShareProblem::Held { .. })));
    let waited: Duration = pauses.lock().unwrap().iter().sum();
    assert!((Duration::from_secs(57)..=Duration::from_secs(60)).contains(&waited), "{waited:?}");
}

#[test]
fn what_waiting_cannot_help_is_not_waited_for() {
    let (folder, pauses) = patient();
    let problem = folder.retry("x", || Err::<(), _>(io::ErrorKind::StorageFull.into()));
    assert!(matches!(problem, Err(ShareProblem::Write { .. })));
    assert!(pauses.lock().unwrap().is_empty());
}

#[test]
fn a_folder_without_patience_gives_up_at_once() {
    let folder = Folder::new("/nowhere", "/nowhere");
    let attempts = Cell::new(0);
    let problem = folder.retry("x", || {
        attempts.set(attempts.get() + 1);
        Err::<(), _>(HELD.into())
    });
    assert!(matches!(problem, Err(ShareProblem::Held { .. })));
    assert_eq!(attempts.get(), 1);
}

#[test]
fn no_way_of_giving_a_name_replaces_a_file() {
    let home = tempfile::tempdir().unwrap();
    let (temporary, target) = (home.path().join("temporary"), home.path().join("target"));
    fs::write(&temporary, "new").unwrap();
    let ways: [fn(&Path, &Path) -> io::Result<Written>; 3] = [
        |from, to| exists_or(rename_without_replacing(from, to)),
        |from, to| link_new(from, to, b"new"),
        |_, to| write_in_place(to, b"new"),
    ];
    for way in ways {
        fs::write(&target, "old").unwrap();
        assert_eq!(way(&temporary, &target).unwrap(), Written::Exists);
        assert_eq!(fs::read(&target).unwrap(), b"old");
        fs::remove_file(&target).unwrap();
        assert_eq!(way(&temporary, &target).unwrap(), Written::New);
        assert_eq!(fs::read(&target).unwrap(), b"new");
        fs::write(&temporary, "new").unwrap();
    }
}

#[test]
fn an_unfinished_file_of_a_process_that_was_killed_is_in_nobodys_way() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(unfinished("x.seg", 0)), "half a fi").unwrap();
    let temporary = Temporary::write(home.path(), "x.seg", b"whole").unwrap();
    assert_eq!(fs::read(&temporary.path).unwrap(), b"whole");
    drop(temporary);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
}
