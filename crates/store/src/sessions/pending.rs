//! Pending files: where they lie, what they are called, and how they are locked.

use super::name::{PENDING, file_name, session_of};
use super::recover::{Reading, Taken};
use crate::answer::Warning;
use crate::database::Patience;
use crate::writing::Writing;
use crate::{Open, Result, Store};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a reader waits for a pending file's lock.
pub(super) const READ_WAIT: Duration = Duration::from_millis(50);

/// More unread bytes than these are left to a recovery.
const MOST_ALONG: u64 = 1024 * 1024;

/// The name that a pending file has while it waits for its last look.
pub(super) const TAKEN: &str = ".taken";

/// The folders that hold pending files, the first for new ones.
pub(super) fn pending_folders(open: &Open) -> [PathBuf; 2] {
    [open.home.join("sessions"), open.state.join("sessions")]
}

/// A pending file, locked where locks work.
#[derive(Debug)]
pub(super) struct Locked {
    pub(super) file: File,
    pub(super) path: PathBuf,
}

/// Opens and locks a pending file; nothing when the lock cannot be had in time.
///
/// A file that was renamed or replaced while the lock was waited for is opened anew.
pub(super) fn lock(path: &Path, create: bool, wait: Duration) -> io::Result<Option<Locked>> {
    let mut patience = Patience::of(wait);
    loop {
        let flags = rustix::fs::OFlags::NOFOLLOW.bits();
        let flags = i32::try_from(flags).unwrap_or_default();
        let mut options = fs::OpenOptions::new();
        options.read(true).append(true).create(create).mode(0o600).custom_flags(flags);
        let file = match options.open(path) {
            // A file that only can be read is read all the same.
            Err(error) if !create && error.kind() == io::ErrorKind::PermissionDenied => {
                fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?
            }
            opened => opened?,
        };
        match file.try_lock() {
            Ok(()) => {
                let here = file.metadata()?;
                if fs::metadata(path)
                    .is_ok_and(|there| (there.dev(), there.ino()) == (here.dev(), here.ino()))
                {
                    return Ok(Some(Locked { file, path: path.to_owned() }));
                }
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(_)) => return Ok(None),
        }
        if !patience.wait() {
            return Ok(None);
        }
    }
}

/// Whether a name is that of a pending file or of a conflict copy of one.
pub(super) fn reads_as_pending(name: &str) -> bool {
    let passed_over = name.starts_with('.') || name.starts_with('~');
    let unfinished = name.ends_with(".tmp") || name.ends_with(".partial");
    !passed_over && !unfinished && name.rfind(".pending").is_some_and(|at| name[at..].contains(".jsonl"))
}

/// Whether a name is that of a pending file of this conversation.
pub(super) fn reads_as_pending_of(name: &str, session: &str) -> bool {
    let own = file_name(session);
    reads_as_pending(name) && name.strip_prefix(&own).is_some_and(|rest| rest.starts_with('.'))
}

/// The conversation that a pending file belongs to, for lines that do not say so.
pub(super) fn session_named_by(name: &str) -> String {
    let plain = name.strip_suffix(".jsonl").unwrap_or(name);
    let stem = name.rfind(".pending").map_or(plain, |at| &name[..at]);
    let spelt = |stem: &str| session_of(stem);
    // Names that we make hold no dot, but for one before the random part.
    let random = |part: &str| part.len() == 12 && part.bytes().all(|b| b.is_ascii_hexdigit());
    let ours = spelt(stem).or_else(|| {
        let (stem, _) = stem.split_once('.').filter(|(_, part)| random(part))?;
        spelt(stem)
    });
    ours.unwrap_or_else(|| stem.to_owned())
}

/// A pending file of a conversation, with lines that nobody took in yet, locked.
pub(super) struct Unread {
    reading: std::cell::RefCell<Reading>,
}

/// The unread lines of a conversation's pending file, when they can be taken in along with an append.
pub(super) fn unread_of(store: &Store, session: &str) -> Option<Unread> {
    let name = format!("{}{PENDING}", file_name(session));
    pending_folders(&store.open).iter().find_map(|folder| {
        let path = folder.join(&name);
        let size = fs::metadata(&path).ok()?.len();
        let locked = lock(&path, false, READ_WAIT).ok()??;
        let reading = Reading::begin(store, locked).ok()?;
        let unread = size.saturating_sub(reading.read_bytes());
        (unread > 0 && unread <= MOST_ALONG).then(|| Unread { reading: reading.into() })
    })
}

impl Unread {
    /// Takes the lines in; nothing when they cannot be read.
    pub(super) fn take_in(&self, writing: &mut Writing<'_>) -> Result<Option<Taken>> {
        self.reading.borrow_mut().take_in(writing, u64::MAX).map(Some)
    }

    /// Settles what becomes of the file, after the commit.
    pub(super) fn finish(self, store: &Store, taken: &Taken) -> Vec<Warning> {
        self.reading.into_inner().settle(store, taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflict_copies_are_pending_files_too() {
        for name in [
            "s.pending.jsonl",
            "s.0011aabbccdd.pending.jsonl",
            "s.pending-LAPTOP7.jsonl",
            "s.pending-LAPTOP7-2.jsonl",
            "s.pending (Ann's conflicted copy 2026-01-02).jsonl",
            "s.pending.sync-conflict-20260102-101010-ABCDEF7.jsonl",
            "s.pending 2.jsonl",
            "s.pending (1).jsonl",
            "s.pending.jsonl.conflict1",
            "s.pending.jsonl..path1",
            "s.pending.jsonl.taken",
        ] {
            assert!(reads_as_pending(name), "{name}");
            assert_eq!(session_named_by(name), "s", "{name}");
        }
        for name in ["s.jsonl", "sessions.json", ".syncthing.s.pending.jsonl.tmp", "s.pending.jsonl.partial"]
        {
            assert!(!reads_as_pending(name), "{name}");
        }
        assert_eq!(session_named_by("x.Y.pending.jsonl"), "x.Y");
        assert_eq!(session_named_by("+41.pending.jsonl"), "A");
    }
}
