//! A share that is a folder, which some sync program or network carries about.

mod read;
mod walk;
mod write;

use crate::{Found, Share, ShareProblem, Written};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A share in a folder.
///
/// Writing goes through temporary files outside the share where that is possible, so that no sync program ever
/// sees half a file. Symbolic links out of the share are not followed, neither for reading nor for writing.
pub struct Folder {
    path: PathBuf,
    staging: PathBuf,
    patience: Duration,
    sleep: Box<dyn Fn(Duration) + Send + Sync>,
}

impl Folder {
    /// The share at `path`; unfinished files are kept in `staging`, a folder of ours outside the share.
    ///
    /// Nothing is read or made: whether the share is there is found out when it is used.
    pub fn new(path: impl Into<PathBuf>, staging: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), staging: staging.into(), patience: Duration::ZERO, sleep: Box::new(|_| ()) }
    }

    /// Waits for files that another program holds: pauses that grow, together no longer than `patience`, each
    /// made by calling `sleep`. Without this the first refusal counts.
    pub fn with_patience(
        mut self,
        patience: Duration,
        sleep: impl Fn(Duration) + Send + Sync + 'static,
    ) -> Self {
        self.patience = patience;
        self.sleep = Box::new(sleep);
        self
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Share for Folder {
    fn title(&self) -> String {
        self.path.display().to_string()
    }

    fn walk(
        &self,
        under: &str,
        depth: usize,
        visit: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ShareProblem> {
        self.walk_folder(under, depth, visit)
    }

    fn read(&self, path: &str, bytes_most: usize) -> Result<Vec<u8>, ShareProblem> {
        self.read_file(path, bytes_most)
    }

    fn write_new(&self, path: &str, bytes: &[u8]) -> Result<Written, ShareProblem> {
        self.write_file(path, bytes, write::Standing::Kept)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), ShareProblem> {
        self.write_file(path, bytes, write::Standing::Replaced).map(|_| ())
    }

    fn delete(&self, path: &str) -> Result<(), ShareProblem> {
        self.delete_file(path)
    }
}

#[cfg(test)]
mod tests;
