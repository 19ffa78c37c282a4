//! Listing a bucket as if it had folders.

use crate::Bucket;
use crate::bucket::Trouble;
use crate::trouble::is_absent;
use futures_util::StreamExt as _;
use memlore_exchange::{FileStamp, Found, FoundKind, Share as _, ShareProblem, ignored};
use object_store::ObjectMeta;
use object_store::path::Path;
use std::ops::ControlFlow;

/// After so many objects a listing ends, unfinished.
const OBJECTS_MOST: usize = 1_000_000;

impl Bucket {
    /// Visits objects in the order of their names, and each folder before what lies in it.
    ///
    /// One page of the listing is in memory at a time. What lies too deep is skipped by asking for names after it.
    pub(crate) fn walk_objects(
        &self,
        under: &str,
        depth: usize,
        visit: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ShareProblem> {
        let top = self.within(under)?;
        let mut walk =
            Walk { base: top.parts().count(), under: under.to_owned(), depth, folder: Vec::new(), visit };
        let mut objects = self.store.list(Some(&top));
        for _ in 0..OBJECTS_MOST {
            // One at a time: whoever is visited may use the share meanwhile.
            let next = self.wait(async { objects.next().await.transpose() });
            let Some(object) = next.map_err(|trouble| self.unlisted(under, &trouble))? else { return Ok(()) };
            match walk.take(&object) {
                Step::Next => {}
                Step::Skip(folder) => objects = self.store.list_with_offset(Some(&top), &folder),
                Step::End => return Ok(()),
            }
        }
        let _broken = (walk.visit)(Found { path: under.to_owned(), kind: FoundKind::Unlisted });
        Ok(())
    }

    fn unlisted(&self, under: &str, trouble: &Trouble) -> ShareProblem {
        match trouble {
            Trouble::Store(error) if is_absent(error) => ShareProblem::Missing { title: self.title() },
            trouble => {
                let path = if under.is_empty() { self.title() } else { under.to_owned() };
                ShareProblem::List { path, source: self.explain(trouble) }
            }
        }
    }
}

struct Walk<'a> {
    /// How many names stand above what is listed.
    base: usize,
    under: String,
    depth: usize,
    /// The names of the folder that was visited last.
    folder: Vec<String>,
    visit: &'a mut dyn FnMut(Found) -> ControlFlow<()>,
}

enum Step {
    Next,
    /// Goes on after everything in a folder.
    Skip(Path),
    /// The visitor has seen enough.
    End,
}

impl Walk<'_> {
    fn take(&mut self, object: &ObjectMeta) -> Step {
        let names: Vec<String> =
            object.location.parts().skip(self.base).map(|part| part.as_ref().to_owned()).collect();
        let Some((file, folders)) = names.split_last() else { return Step::Next };
        let unknown = folders.len().min(self.depth);
        let known = self.folder.iter().zip(folders).take_while(|(known, name)| known == name).count();
        if names.iter().any(|name| ignored(name)) {
            return Step::Next;
        }
        for level in known..unknown {
            let path = self.path(&folders[..=level]);
            if (self.visit)(Found { path, kind: FoundKind::Folder }).is_break() {
                return Step::End;
            }
        }
        let new = known < unknown;
        self.folder = folders[..unknown].to_vec();
        if folders.len() >= self.depth {
            // A name after every other that a share has; what comes after it is passed over one by one.
            let last = object.location.parts().take(self.base + self.depth).chain(["~".into()]).collect();
            return if new { Step::Skip(last) } else { Step::Next };
        }
        let stamp = FileStamp {
            size_bytes: object.size,
            mtime_us: object.last_modified.timestamp_micros(),
            inode: 0,
        };
        let path = self.path(&[folders, std::slice::from_ref(file)].concat());
        match (self.visit)(Found { path, kind: FoundKind::File { stamp, remote: false } }) {
            ControlFlow::Continue(()) => Step::Next,
            ControlFlow::Break(()) => Step::End,
        }
    }

    fn path(&self, names: &[String]) -> String {
        match self.under.as_str() {
            "" => names.join("/"),
            under => format!("{under}/{}", names.join("/")),
        }
    }
}
