//! Reading and replacing a view's file without leaving traces of our own reading.

use crate::database::Patience;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatxFlags};
use std::fs::{self, File, FileTimes};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The part of a second that we give to the access time of a file. No clock leaves exactly this number, so a
/// file that still has it was read by nobody.
const UNREAD_NANOS: u32 = 987_654_321;

/// A view larger than this is not taken in.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// How long a rename is tried again while a scanner or a sync program holds the file.
const RENAME_PATIENCE: Duration = Duration::from_millis(400);

/// Which file stands at a path, and in which state: equal values mean that nobody touched it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) device: u64,
    pub(super) inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Stamp {
    fn of(metadata: &fs::Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }

    /// The stamp of what stands at a path, following links.
    pub(super) fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::of(&metadata))
    }
}

/// A view's file as it was read.
pub(super) struct FileNow {
    /// Its bytes; none when there is no file.
    pub(super) bytes: Option<Vec<u8>>,
    /// Which file it was.
    pub(super) stamp: Option<Stamp>,
    /// Whether the reading left no trace in its access time.
    pub(super) unnoticed: bool,
}

/// Reads the file at a path. A missing file is no error.
pub(super) fn read(path: &Path) -> io::Result<FileNow> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let (opened, unnoticed) = match rustix::fs::open(path, flags | OFlags::NOATIME, Mode::empty()) {
        // Another user's file: reading it plainly is allowed, but then its access time proves nothing.
        Err(rustix::io::Errno::PERM) => (rustix::fs::open(path, flags, Mode::empty()), false),
        opened => (opened, true),
    };
    let mut file = match opened {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT) => return Ok(FileNow { bytes: None, stamp: None, unnoticed }),
        Err(error) => return Err(error.into()),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {MAX_BYTES} bytes"),
        ));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    (&mut file).take(MAX_BYTES).read_to_end(&mut bytes)?;
    // Read again after the bytes: what was appended meanwhile shows as another stamp before the rename.
    let stamp = if bytes.len() as u64 == metadata.len() {
        Stamp::of(&metadata)
    } else {
        Stamp::of(&file.metadata()?)
    };
    Ok(FileNow { bytes: Some(bytes), stamp: Some(stamp), unnoticed })
}

/// What became of the attempt to replace a file.
pub(super) enum Replaced {
    /// The file holds the new bytes.
    Done,
    /// Somebody changed the file since it was read; it was left as it is.
    Changed,
}

/// Replaces the file at `path` by `bytes`, unless it is no longer the one that `seen` names.
///
/// Links are followed and stay; mode and owner stay. Readers see the old or the new file, never a part. There is
/// no fsync: what a power failure takes back is an older version of ours, which is mended at the next opening.
///
/// `before` is given the finished file under its temporary name, right before it takes its place.
pub(super) fn replace(
    path: &Path,
    seen: Option<Stamp>,
    bytes: &[u8],
    temp_tag: &str,
    before: impl FnOnce(&Path),
) -> io::Result<Replaced> {
    let target = target_of(path)?;
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let temp = target.with_file_name(format!(".{name}.{temp_tag}.tmp"));
    let result = write_temp(&temp, &target, bytes).and_then(|()| {
        if Stamp::at(&target) != seen {
            return Ok(Replaced::Changed);
        }
        before(&temp);
        let mut patience = Patience::of(RENAME_PATIENCE);
        loop {
            match fs::rename(&temp, &target) {
                Ok(()) => return Ok(Replaced::Done),
                Err(error) if is_held(&error) && patience.wait() => {}
                Err(error) => return Err(error),
            }
        }
    });
    if !matches!(result, Ok(Replaced::Done)) {
        // Nothing may be left behind; what cannot be removed is replaced by the next writing.
        drop(fs::remove_file(&temp));
    }
    result
}

/// Removes the file at `path`, unless it is no longer the one that `seen` names.
pub(super) fn remove(path: &Path, seen: Option<Stamp>) -> io::Result<Replaced> {
    if Stamp::at(path) != seen {
        return Ok(Replaced::Changed);
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(Replaced::Done),
    }
}

fn write_temp(temp: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let create = || {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        rustix::fs::open(temp, flags, Mode::RUSR | Mode::WUSR)
    };
    let created = match create() {
        // Left by a writer that was killed: whoever writes holds the view's lock, so nobody uses it.
        Err(rustix::io::Errno::EXIST) => {
            fs::remove_file(temp)?;
            create()
        }
        created => created,
    };
    let mut file = File::from(created?);
    file.write_all(bytes)?;
    if let Ok(old) = fs::metadata(target) {
        let new = file.metadata()?;
        if old.uid() != new.uid() || old.gid() != new.gid() {
            // Only root may give a file away; for anybody else the file becomes the writer's, as with any editor.
            drop(std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid())));
        }
        if old.mode() & 0o7777 != new.mode() & 0o7777 {
            file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o7777))?;
        }
    }
    mark_unread(&file)
}

/// Gives a file an access time that any reading moves.
pub(super) fn mark_unread(file: &File) -> io::Result<()> {
    let modified = file.metadata()?.modified()?;
    let seconds =
        modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs().saturating_sub(1);
    let unread = SystemTime::UNIX_EPOCH + Duration::new(seconds, UNREAD_NANOS);
    file.set_times(FileTimes::new().set_accessed(unread).set_modified(modified))
}

/// Whether the access time is still the one that [`mark_unread`] gave.
pub(super) fn is_unread(metadata: &fs::Metadata) -> bool {
    metadata.atime_nsec() == i64::from(UNREAD_NANOS)
}

/// When the file at a path was born, in microseconds since the epoch.
pub(super) fn born_us(path: &Path) -> Option<u64> {
    let stat = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::BTIME).ok()?;
    if stat.stx_mask & StatxFlags::BTIME.bits() == 0 {
        return None;
    }
    let seconds = u64::try_from(stat.stx_btime.tv_sec).ok()?;
    Some(seconds * 1_000_000 + u64::from(stat.stx_btime.tv_nsec) / 1_000)
}

/// The file that a path leads to, through any links, whether it is there or not.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            // Not a link, or not there.
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => {
                return Ok(target);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "its links lead in a circle"))
}

fn is_held(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ResourceBusy)
}
