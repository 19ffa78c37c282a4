//! A share in a folder, with somebody who sees each call and may refuse it.

use memlore_exchange::{Folder, Found, Share, ShareProblem, Written};
use memlore_store::OpenShare;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

/// What is done to a file of the share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// It is read.
    Read,
    /// It is written, replaced or deleted.
    Changed,
}

/// Is told of a touch, with the file's path, before it happens; an error is what the caller gets instead.
pub type Watcher = Arc<dyn Fn(Touch, &str) -> Result<(), ShareProblem> + Send + Sync>;

/// Opens the folder at `share`, whatever the address says, under the eyes of a watcher. Listings are not watched.
pub fn watched(share: PathBuf, staging: PathBuf, watcher: Watcher) -> OpenShare {
    Box::new(move |_| {
        let folder = Folder::new(&share, &staging);
        Some(Ok(Box::new(Watched { folder, watcher: Arc::clone(&watcher) }) as Box<dyn Share>))
    })
}

struct Watched {
    folder: Folder,
    watcher: Watcher,
}

impl Share for Watched {
    fn title(&self) -> String {
        self.folder.title()
    }

    fn walk(
        &self,
        under: &str,
        depth: usize,
        visit: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ShareProblem> {
        self.folder.walk(under, depth, visit)
    }

    fn read(&self, path: &str, bytes_most: usize) -> Result<Vec<u8>, ShareProblem> {
        (self.watcher)(Touch::Read, path)?;
        self.folder.read(path, bytes_most)
    }

    fn write_new(&self, path: &str, bytes: &[u8]) -> Result<Written, ShareProblem> {
        (self.watcher)(Touch::Changed, path)?;
        self.folder.write_new(path, bytes)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), ShareProblem> {
        (self.watcher)(Touch::Changed, path)?;
        self.folder.replace(path, bytes)
    }

    fn delete(&self, path: &str) -> Result<(), ShareProblem> {
        (self.watcher)(Touch::Changed, path)?;
        self.folder.delete(path)
    }
}
