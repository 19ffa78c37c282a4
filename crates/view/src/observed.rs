//! What was noticed about the present file, beside its text.

/// How long before the new file's birth the newest version may have been read, for the two to be one change.
pub const READ_AND_WRITE_US: u64 = 1_000_000;

/// Whether somebody read the newest version since it was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewestRead {
    /// No link to the file, or access times are not kept.
    #[default]
    NotKnown,
    /// Its access time did not move.
    Nobody,
    /// It was read first at this time, in microseconds since the epoch.
    FirstAt(u64),
    /// It was read, at a time that is not known.
    SomeTime,
}

/// What the store observed about the file that is to be judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// A program opened the lock, read the newest version and replaced the file, and nothing else replaced it
    /// since; or several such steps in an unbroken chain. A person's `--confirm` counts as one.
    pub episode: bool,
    /// The home lies in a synced folder, or another replica renders there.
    pub synced: bool,
    /// A lock file as the dialect's own program makes it lies beside the view.
    pub lock_file: bool,
    /// Whether somebody read the newest version.
    pub newest_read: NewestRead,
    /// When the present file was born, in microseconds since the epoch, where the file system tells.
    pub file_born_us: Option<u64>,
    /// A stale writer was proved in this home before, so nothing is inferred here any more.
    pub inference_ended: bool,
}

impl Observed {
    /// Whether the newest version was read and the file then written, by a program that locks: no sync program's
    /// file counts, since those read and write too.
    pub fn read_and_write(&self) -> bool {
        let (NewestRead::FirstAt(read_us), Some(born_us)) = (self.newest_read, self.file_born_us) else {
            return false;
        };
        let close = read_us <= born_us && born_us - read_us <= READ_AND_WRITE_US;
        self.lock_file && !self.synced && close
    }
}
