//! A copy of the share in a real folder.

use super::files::{Bytes, Files};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is kept equal to a copy in memory, and the changes that somebody else makes in it.
#[derive(Debug)]
pub(super) struct Disk {
    folder: PathBuf,
    last: BTreeMap<String, Bytes>,
}

impl Disk {
    pub(super) fn new(folder: PathBuf) -> Self {
        fs::create_dir_all(&folder).expect("a folder for the share");
        Self { folder, last: BTreeMap::new() }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the folder hold what the copy holds, as a sync program does: whole files appear under their names.
    pub(super) fn show(&mut self, files: &Files) {
        let wanted: BTreeMap<String, Bytes> =
            files.present().map(|(path, _, bytes)| (path.to_owned(), Bytes::clone(bytes))).collect();
        for path in self.last.keys().filter(|path| !wanted.contains_key(*path)) {
            fs::remove_file(self.folder.join(path)).expect("it is deleted");
        }
        for (path, bytes) in wanted.iter().filter(|(path, bytes)| self.last.get(*path) != Some(bytes)) {
            let target = self.folder.join(path);
            let folder = target.parent().expect("a file has a folder");
            let staged = folder.join("~syncthing~arriving.tmp");
            fs::create_dir_all(folder).expect("a folder");
            fs::write(&staged, bytes).and_then(|()| fs::rename(&staged, &target)).expect("it arrives");
        }
        self.last = wanted;
    }

    /// What changed in the folder since it was shown.
    pub(super) fn changes(&mut self) -> Vec<(String, Option<Bytes>)> {
        let mut now = BTreeMap::new();
        read_below(&self.folder, "", &mut now);
        let gone = self.last.keys().filter(|path| !now.contains_key(*path)).map(|path| (path.clone(), None));
        let new = now.iter().filter(|(path, bytes)| self.last.get(*path) != Some(bytes));
        let changes =
            gone.chain(new.map(|(path, bytes)| (path.clone(), Some(Bytes::clone(bytes))))).collect();
        self.last = now;
        changes
    }
}

fn read_below(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Bytes>) {
    for entry in fs::read_dir(folder).expect("the share's folder").flatten() {
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            read_below(&entry.path(), &format!("{path}/"), files);
        } else {
            files.insert(path, fs::read(entry.path()).expect("a file that was listed").into());
        }
    }
}
