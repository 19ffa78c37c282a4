//! One device's way to its copy of the share.

use super::cloud::{Ailment, Cloud, Moment, torn};
use super::files::{Bytes, Files};
use memlore_exchange::{FileStamp, Found, FoundKind, Share, ShareProblem, Written, ignored};
use std::io;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard};

/// A device's copy of the share in a [`Cloud`].
pub struct SharedCopy {
    cloud: Arc<Mutex<Cloud>>,
    at: usize,
}

impl SharedCopy {
    pub(super) fn new(cloud: Arc<Mutex<Cloud>>, at: usize) -> Self {
        Self { cloud, at }
    }

    fn cloud(&self) -> MutexGuard<'_, Cloud> {
        self.cloud.lock().expect("no test goes on after a panic")
    }

    fn missing(&self) -> ShareProblem {
        ShareProblem::Missing { title: self.title() }
    }

    /// What keeps the device from reading.
    fn look(&self, path: &str) -> Result<MutexGuard<'_, Cloud>, ShareProblem> {
        let cloud = self.cloud();
        let place = &cloud.places[self.at];
        let read = |kind: io::ErrorKind| ShareProblem::Read { path: path.to_owned(), source: kind.into() };
        if place.dead {
            return Err(read(io::ErrorKind::Interrupted));
        }
        match place.ailment {
            Some((_, Ailment::Unmounted)) => Err(self.missing()),
            Some((_, Ailment::Denied)) => Err(read(io::ErrorKind::PermissionDenied)),
            Some((_, Ailment::Held)) if path.ends_with(".seg") => Err(read(io::ErrorKind::ResourceBusy)),
            _ => Ok(cloud),
        }
    }

    /// Changes a file as the device itself, unless something keeps it from that.
    fn write(&self, path: &str, bytes: Option<Bytes>) -> Result<(), ShareProblem> {
        let mut cloud = self.cloud();
        let wrong = |kind: io::ErrorKind| ShareProblem::Write { path: path.to_owned(), source: kind.into() };
        let place = &mut cloud.places[self.at];
        if place.dead {
            return Err(wrong(io::ErrorKind::Interrupted));
        }
        let cut = match place.ailment {
            Some((_, Ailment::Unmounted)) => return Err(self.missing()),
            Some((_, Ailment::ReadOnly)) => return Err(wrong(io::ErrorKind::ReadOnlyFilesystem)),
            Some((_, Ailment::Denied)) => return Err(wrong(io::ErrorKind::PermissionDenied)),
            Some((_, Ailment::Held)) => {
                let source = io::ErrorKind::ResourceBusy.into();
                return Err(ShareProblem::Held { path: path.to_owned(), source });
            }
            Some((_, Ailment::Full)) => Some((Moment::Within, io::ErrorKind::StorageFull)),
            None => None,
        };
        let moment = match &mut place.dies {
            Some((0, moment)) => {
                let moment = *moment;
                (place.dies, place.dead) = (None, true);
                Some((moment, io::ErrorKind::Interrupted))
            }
            Some((left, _)) => {
                *left -= 1;
                None
            }
            None => None,
        };
        place.touched.push(path.to_owned());
        match moment.or(cut) {
            None => {
                cloud.change(self.at, path, bytes);
                Ok(())
            }
            Some((Moment::Before, kind)) => Err(wrong(kind)),
            Some((Moment::After, kind)) => {
                cloud.change(self.at, path, bytes);
                Err(wrong(kind))
            }
            Some((Moment::Within, kind)) => {
                // Full disks and crashes leave half a file where there was none.
                if let Some(bytes) = bytes
                    && cloud.places[self.at].files.get(path).is_none()
                    && cloud.random.percent(50)
                {
                    let half = torn(&bytes, &mut cloud.random);
                    cloud.change(self.at, path, Some(half));
                }
                Err(wrong(kind))
            }
        }
    }
}

/// The name under which a path is found, where names fold.
fn as_it_stands(files: &Files, folds: bool, path: &str) -> String {
    let folded = |other: &&str| folds && other.to_lowercase() == path.to_lowercase();
    match files.get(path) {
        Some(_) => path.to_owned(),
        None => files.present().map(|(path, ..)| path).find(folded).unwrap_or(path).to_owned(),
    }
}

impl Share for SharedCopy {
    fn title(&self) -> String {
        format!("sim:{}", self.at)
    }

    fn walk(
        &self,
        under: &str,
        depth: usize,
        visit: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ShareProblem> {
        let found = {
            let cloud = self.look(under)?;
            let place = &cloud.places[self.at];
            let files = place.stale.as_ref().map_or(&place.files, |(_, files)| files);
            found_in(files, under, depth, cloud.now)
        };
        for found in found {
            if visit(found).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn read(&self, path: &str, bytes_most: usize) -> Result<Vec<u8>, ShareProblem> {
        let cloud = self.look(path)?;
        let place = &cloud.places[self.at];
        let standing = as_it_stands(&place.files, place.folds, path);
        let Some((version, bytes)) = place.files.get(&standing) else {
            return Err(ShareProblem::Gone { path: path.to_owned() });
        };
        if version.remote_until > cloud.now {
            let source = io::ErrorKind::TimedOut.into();
            return Err(ShareProblem::Read { path: path.to_owned(), source });
        }
        Ok(bytes[..bytes.len().min(bytes_most)].to_vec())
    }

    fn write_new(&self, path: &str, bytes: &[u8]) -> Result<Written, ShareProblem> {
        let there = {
            let cloud = self.look("")?;
            let place = &cloud.places[self.at];
            place.files.get(&as_it_stands(&place.files, place.folds, path)).is_some()
        };
        if there {
            return Ok(Written::Exists);
        }
        self.write(path, Some(bytes.into())).map(|()| Written::New)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), ShareProblem> {
        let standing = {
            let cloud = self.look("")?;
            let place = &cloud.places[self.at];
            as_it_stands(&place.files, place.folds, path)
        };
        self.write(&standing, Some(bytes.into()))
    }

    fn delete(&self, path: &str) -> Result<(), ShareProblem> {
        let there = self.look("")?.places[self.at].files.get(path).is_some();
        if there { self.write(path, None) } else { Ok(()) }
    }
}

/// What lies below a folder: folders before what is in them.
fn found_in(files: &Files, under: &str, depth: usize, now: u64) -> Vec<Found> {
    let prefix = if under.is_empty() { String::new() } else { format!("{under}/") };
    let mut found: Vec<Found> = Vec::new();
    for (path, version, bytes) in files.present() {
        let Some(rest) = path.strip_prefix(&prefix) else { continue };
        if rest.split('/').any(ignored) {
            continue;
        }
        let levels = rest.split('/').count();
        for level in 1..levels.min(depth + 1) {
            let folder: Vec<&str> = rest.split('/').take(level).collect();
            let path = format!("{prefix}{}", folder.join("/"));
            if !found.iter().any(|known| known.path == path) {
                found.push(Found { path, kind: FoundKind::Folder });
            }
        }
        if levels <= depth {
            let stamp = FileStamp {
                size_bytes: bytes.len() as u64,
                mtime_us: version.mtime_us,
                inode: version.inode,
            };
            let kind = FoundKind::File { stamp, remote: version.remote_until > now };
            found.push(Found { path: path.to_owned(), kind });
        }
    }
    found
}
