//! A folder with the view's file in it: inodes, births and access times.

use super::oracle::Tokens;
use super::thoughts::TextId;
use memlore_view::NewestRead;

/// A file's texts, each with the thoughts behind it.
pub(super) type Page = Vec<(TextId, Tokens)>;

/// The view's file, and the hard link that the store keeps to the newest version.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk {
    pub(super) page: Page,
    pub(super) born_us: u64,
    inode: u64,
    /// Whether anybody read this content, since it was written or since the link was made.
    read_since_written: bool,
    linked: u64,
    /// Whether the version was read before it was linked.
    read_before: bool,
    first_read_us: Option<u64>,
}

impl Disk {
    /// Somebody opens the file and reads it. Returns whether this is the first read of the newest version.
    pub(super) fn read(&mut self, now_us: u64) -> (Page, bool) {
        self.read_since_written = true;
        let first = self.inode == self.linked && self.first_read_us.is_none();
        if first {
            self.first_read_us = Some(now_us);
        }
        (self.page.clone(), first)
    }

    /// Somebody replaces the file by a new one.
    pub(super) fn replace(&mut self, page: Page, now_us: u64) {
        self.page = page;
        self.inode += 1;
        self.born_us = now_us;
        self.read_since_written = false;
    }

    /// Somebody writes into the file that is there.
    pub(super) fn write_in_place(&mut self, page: Page) {
        self.page = page;
        self.read_since_written = false;
    }

    /// The store links the file as the newest version.
    pub(super) fn link(&mut self) {
        self.linked = self.inode;
        self.read_before = self.read_since_written;
        self.first_read_us = None;
    }

    /// The same bytes lie there in another file: the link follows, and what was read of it meanwhile is not known.
    pub(super) fn link_again(&mut self) {
        if self.inode != self.linked {
            self.linked = self.inode;
            self.read_before = true;
            self.first_read_us = None;
        }
    }

    /// What the link tells about reads of the newest version.
    pub(super) fn newest_read(&self) -> NewestRead {
        match self.first_read_us {
            Some(at_us) => NewestRead::FirstAt(at_us),
            None if self.read_before => NewestRead::SomeTime,
            None => NewestRead::Nobody,
        }
    }
}
