//! Hard links to versions of a view, whose access times tell whether anybody read them.
//!
//! The link of a version stays when somebody puts another file in the view's place, and so does its access time.
//! It proves that nobody read a version; it never proves who did.

use super::file::{is_unread, mark_unread};
use super::witness_folder;
use memlore_view::{NewestRead, VersionNumber};
use rustix::fs::StatVfsMountFlags;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The links of one view.
pub(super) struct Witnesses {
    folder: PathBuf,
    view: i64,
}

impl Witnesses {
    pub(super) fn of(state: &Path, view: i64) -> Self {
        Self { folder: witness_folder(state), view }
    }

    fn path(&self, version: u64) -> PathBuf {
        self.folder.join(format!("{}-{version}", self.view))
    }

    /// Whether somebody read a version; none when there is no link to tell.
    pub(super) fn was_read(&self, version: u64) -> Option<bool> {
        fs::symlink_metadata(self.path(version)).ok().map(|metadata| !is_unread(&metadata))
    }

    /// The device and inode of a version's file.
    pub(super) fn file_of(&self, version: u64) -> Option<(u64, u64)> {
        fs::symlink_metadata(self.path(version)).ok().map(|metadata| (metadata.dev(), metadata.ino()))
    }

    /// When the newest version was first read.
    pub(super) fn newest_read(&self, newest: VersionNumber) -> NewestRead {
        let path = self.path(newest.0);
        let Ok(metadata) = fs::symlink_metadata(&path) else { return NewestRead::NotKnown };
        if !access_times_are_kept(&self.folder) {
            return NewestRead::NotKnown;
        }
        if is_unread(&metadata) {
            return NewestRead::Nobody;
        }
        // Where every reading moves the time, or somebody wrote into this very file, the first reading is lost.
        let moved_once = mount_flags(&path).is_some_and(|flags| flags.contains(StatVfsMountFlags::RELATIME));
        let untouched =
            (metadata.mtime(), metadata.mtime_nsec()) <= (metadata.atime(), metadata.atime_nsec());
        match u64::try_from(metadata.atime()) {
            Ok(seconds) if moved_once && untouched => {
                NewestRead::FirstAt(seconds * 1_000_000 + metadata.atime_nsec() as u64 / 1_000)
            }
            _ => NewestRead::SomeTime,
        }
    }

    /// The version that was last written, where links cannot be made and a note has to do.
    pub(super) fn noted(&self) -> Option<u64> {
        fs::read_to_string(self.note()).ok()?.trim().parse().ok()
    }

    /// Notes that a version was written, unless its link tells.
    pub(super) fn note_written(&self, version: u64) {
        if self.file_of(version).is_none() && fs::create_dir_all(&self.folder).is_ok() {
            // Lost notes and torn ones only mean that less is known.
            drop(fs::write(self.note(), version.to_string()));
        }
    }

    fn note(&self) -> PathBuf {
        self.folder.join(format!("written-{}", self.view))
    }

    /// Links the view's file as this version's witness, in the place of any other; does nothing where links cannot
    /// be made.
    pub(super) fn add(&self, version: u64, file: &Path) {
        let path = self.path(version);
        let Err(error) = fs::hard_link(file, &path) else { return };
        let again = match error.kind() {
            std::io::ErrorKind::NotFound => fs::create_dir_all(&self.folder).is_ok(),
            // Of a writing that did not come to its end.
            std::io::ErrorKind::AlreadyExists => fs::remove_file(&path).is_ok(),
            _ => false,
        };
        if again {
            drop(fs::hard_link(file, &path));
        }
    }

    /// Links a file that somebody else wrote; returns whether it was read before, as far as that can be told.
    pub(super) fn adopt(&self, version: u64, file: &Path) -> Option<bool> {
        let opened = OpenOptions::new().read(true).custom_flags(libc_noatime()).open(file).ok()?;
        let metadata = opened.metadata().ok()?;
        let accessed = (metadata.atime(), metadata.atime_nsec());
        let read = accessed > (metadata.mtime(), metadata.mtime_nsec()) && !is_unread(&metadata);
        mark_unread(&opened).ok()?;
        // A link made to a link would witness nothing.
        self.add(version, &fs::canonicalize(file).ok()?);
        Some(read)
    }

    /// Takes a version's link away.
    pub(super) fn remove(&self, version: u64) {
        drop(fs::remove_file(self.path(version)));
    }

    /// The versions that have a link, newest first.
    pub(super) fn versions(&self) -> Vec<u64> {
        let prefix = format!("{}-", self.view);
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let number = |entry: fs::DirEntry| entry.file_name().to_str()?.strip_prefix(&prefix)?.parse().ok();
        let mut versions: Vec<u64> = entries.filter_map(number).collect();
        versions.sort_unstable_by(|a, b| b.cmp(a));
        versions
    }
}

fn libc_noatime() -> i32 {
    rustix::fs::OFlags::NOATIME.bits() as i32
}

fn mount_flags(path: &Path) -> Option<StatVfsMountFlags> {
    rustix::fs::statvfs(path).ok().map(|stat| stat.f_flag)
}

/// Whether this file system moves the access time of a file that is read: tried, not believed.
pub(super) fn access_times_are_kept(folder: &Path) -> bool {
    if mount_flags(folder).is_none_or(|flags| flags.contains(StatVfsMountFlags::NOATIME)) {
        return false;
    }
    let path = folder.join(format!("probe-{}", std::process::id()));
    let probe = || -> std::io::Result<bool> {
        let mut file = File::create(&path)?;
        file.write_all(b"read me")?;
        mark_unread(&file)?;
        drop(fs::read(&path)?);
        Ok(!is_unread(&fs::metadata(&path)?))
    };
    let kept = probe().unwrap_or(false);
    drop(fs::remove_file(&path));
    kept
}
