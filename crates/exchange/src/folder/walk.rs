//! Listing a folder without holding it in memory.

use super::Folder;
use crate::{FileStamp, Found, FoundKind, ShareProblem, ignored};
use std::fs::{self, Metadata};
use std::io;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};

/// After so many entries a listing ends, unfinished.
const ENTRIES_MOST: usize = 1_000_000;

const LINK: FoundKind = FoundKind::Other("it is a symbolic link, or lies behind one");

type Visit<'a> = &'a mut dyn FnMut(Found) -> ControlFlow<()>;

impl Folder {
    pub(super) fn walk_folder(
        &self,
        under: &str,
        depth: usize,
        visit: Visit<'_>,
    ) -> Result<(), ShareProblem> {
        self.check_there()?;
        let folder = match self.within(under) {
            Ok(folder) => folder,
            Err(_) => {
                let _broken = visit(Found { path: under.to_owned(), kind: LINK });
                return Ok(());
            }
        };
        let entries = match fs::read_dir(&folder) {
            Err(error) if is_absent(&error) => return Ok(()),
            other => {
                other.map_err(|source| ShareProblem::List { path: folder.display().to_string(), source })?
            }
        };
        let mut left = ENTRIES_MOST;
        let _broken = enter(entries, under, depth, &mut left, visit);
        Ok(())
    }

    /// The real path of a place in the share.
    ///
    /// # Errors
    /// Returns [`ShareProblem::Outside`] when a symbolic link stands on the way, or at its end.
    pub(super) fn within(&self, path: &str) -> Result<PathBuf, ShareProblem> {
        let outside = || ShareProblem::Outside { path: path.to_owned() };
        let mut real = self.path.clone();
        for part in Path::new(path).components() {
            let Component::Normal(part) = part else { return Err(outside()) };
            real.push(part);
            if fs::symlink_metadata(&real).is_ok_and(|metadata| metadata.is_symlink()) {
                return Err(outside());
            }
        }
        Ok(real)
    }

    pub(super) fn check_there(&self) -> Result<(), ShareProblem> {
        match fs::metadata(&self.path) {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            Err(source) if !is_absent(&source) => {
                Err(ShareProblem::List { path: self.path.display().to_string(), source })
            }
            _ => Err(ShareProblem::Missing { title: self.path.display().to_string() }),
        }
    }
}

/// Visits the entries of one folder, then of those in it.
fn enter(
    entries: fs::ReadDir,
    under: &str,
    depth: usize,
    left: &mut usize,
    visit: Visit<'_>,
) -> ControlFlow<()> {
    for entry in entries {
        let Some(fewer) = left.checked_sub(1).filter(|_| entry.is_ok()) else {
            return visit(Found { path: under.to_owned(), kind: FoundKind::Unlisted });
        };
        *left = fewer;
        let Ok(entry) = entry else { continue };
        let name = entry.file_name();
        if name.to_str().is_some_and(ignored) {
            continue;
        }
        let path = match under {
            "" => name.to_string_lossy().into_owned(),
            under => format!("{under}/{}", name.to_string_lossy()),
        };
        let kind = if name.to_str().is_none() {
            FoundKind::Other("its name is not UTF-8")
        } else {
            match entry.metadata() {
                Ok(metadata) => kind(&metadata),
                // Gone between the listing and the look.
                Err(error) if is_absent(&error) => continue,
                Err(_) => FoundKind::Other("it cannot be looked at"),
            }
        };
        let deeper = kind == FoundKind::Folder && depth > 1;
        visit(Found { path: path.clone(), kind })?;
        if deeper {
            match fs::read_dir(entry.path()) {
                Ok(entries) => enter(entries, &path, depth - 1, left, visit)?,
                Err(error) if is_absent(&error) => {}
                Err(_) => visit(Found { path, kind: FoundKind::Unlisted })?,
            }
        }
    }
    ControlFlow::Continue(())
}

fn kind(metadata: &Metadata) -> FoundKind {
    if metadata.is_dir() {
        FoundKind::Folder
    } else if metadata.is_file() {
        FoundKind::File { stamp: stamp(metadata), remote: is_remote(metadata) }
    } else if metadata.is_symlink() {
        LINK
    } else {
        FoundKind::Other("it is neither a file nor a folder")
    }
}

fn stamp(metadata: &Metadata) -> FileStamp {
    let since_epoch = metadata.modified().map(|time| time.duration_since(std::time::UNIX_EPOCH));
    let mtime_us = match since_epoch {
        Ok(Ok(after)) => i64::try_from(after.as_micros()).unwrap_or(i64::MAX),
        Ok(Err(before)) => i64::try_from(before.duration().as_micros()).map_or(i64::MIN, |us| -us),
        Err(_) => 0,
    };
    FileStamp { size_bytes: metadata.len(), mtime_us, inode: inode(metadata) }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

#[cfg(target_os = "macos")]
fn is_remote(metadata: &Metadata) -> bool {
    const SF_DATALESS: u32 = 0x4000_0000;
    std::os::macos::fs::MetadataExt::st_flags(metadata) & SF_DATALESS != 0
}

#[cfg(windows)]
fn is_remote(metadata: &Metadata) -> bool {
    const RECALL_ON_OPEN: u32 = 0x0004_0000;
    const RECALL_ON_DATA_ACCESS: u32 = 0x0040_0000;
    let attributes = std::os::windows::fs::MetadataExt::file_attributes(metadata);
    attributes & (RECALL_ON_OPEN | RECALL_ON_DATA_ACCESS) != 0
}

#[cfg(not(any(target_os = "macos", windows)))]
fn is_remote(_: &Metadata) -> bool {
    false
}

pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
