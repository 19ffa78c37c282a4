//! What a share holds at the moment.

use crate::layout::REPLICAS;
use crate::{FileStamp, Found, FoundKind, SegmentName, Share, ShareProblem};
use memlore_model::ReplicaId;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The most files of a listing whose names are those of segments.
pub const MAX_NAMED: usize = 100_000;
/// The most other files of a listing.
pub const MAX_STRAYS: usize = 4_096;
const MAX_SKIPPED: usize = 100;
const MAX_REPLICAS: usize = 65_536;
/// Files may lie in `r`, in a replica's folder, in one of its folders, and in one folder more.
const DEPTH: usize = 4;

/// The files of a share that may be segments.
///
/// Bounded: of a folder full of other things only [`MAX_STRAYS`] are kept to be tried, and [`Self::cut`] says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files, by path.
    pub files: Vec<ShareFile>,
    /// The replicas that have a folder.
    pub replicas: BTreeSet<ReplicaId>,
    /// What was passed over, the first hundred.
    pub skipped: Vec<Skipped>,
    /// Whether there was more than is listed: an absence proves even less than usual.
    pub cut: bool,
}

/// A file of a share that may be a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareFile {
    /// Its path, relative to the share.
    pub path: String,
    /// The replica in whose folder it lies; of what it carries only the content speaks.
    pub replica: Option<ReplicaId>,
    /// Its name, when it has that of a segment; others are tried by their content.
    pub name: Option<SegmentName>,
    /// What tells its present content from another.
    pub stamp: FileStamp,
    /// Whether its content is only in the cloud, so that reading it may take long.
    pub remote: bool,
}

/// Something in a share that is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Where it lies.
    pub path: String,
    /// Why it is not read.
    pub why: &'static str,
}

/// Lists the files of a share that may be segments.
///
/// # Errors
/// Returns [`ShareProblem::Missing`] when the share is not there. A folder that cannot be listed is among
/// [`Listing::skipped`] and sets [`Listing::cut`].
pub fn list(share: &dyn Share) -> Result<Listing, ShareProblem> {
    let mut collector = Collector::default();
    share.walk(REPLICAS, DEPTH, &mut |found| collector.take(found))?;
    let mut listing = collector.listing;
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

#[derive(Default)]
struct Collector {
    listing: Listing,
    named: usize,
    strays: usize,
}

impl Collector {
    fn take(&mut self, found: Found) -> ControlFlow<()> {
        match found.kind {
            FoundKind::File { stamp, remote } => self.file(found.path, stamp, remote),
            FoundKind::Folder => self.folder(&found.path),
            FoundKind::Other(why) => self.skip(found.path, why),
            FoundKind::Unlisted => {
                self.listing.cut = true;
                self.skip(found.path, "the folder cannot be listed");
            }
        }
        ControlFlow::Continue(())
    }

    fn file(&mut self, path: String, stamp: FileStamp, remote: bool) {
        let mut parts = path.split('/').skip(1);
        let replica = parts.next().and_then(|folder| folder.parse().ok());
        let file_name = path.rsplit('/').next().unwrap_or_default();
        if file_name == "about.json" {
            return;
        }
        let name: Option<SegmentName> = file_name.parse().ok();
        let (count, most) = match name {
            Some(_) => (&mut self.named, MAX_NAMED),
            None => (&mut self.strays, MAX_STRAYS),
        };
        if *count == most {
            self.listing.cut = true;
            return self.skip(path, "there are too many files");
        }
        *count += 1;
        self.listing.files.push(ShareFile { path, replica, name, stamp, remote });
    }

    fn folder(&mut self, path: &str) {
        let mut parts = path.split('/').skip(1);
        if let (Some(folder), None) = (parts.next(), parts.next())
            && let Ok(replica) = folder.parse()
        {
            if self.listing.replicas.len() < MAX_REPLICAS {
                self.listing.replicas.insert(replica);
            } else {
                self.listing.cut = true;
            }
        }
    }

    fn skip(&mut self, path: String, why: &'static str) {
        if self.listing.skipped.len() < MAX_SKIPPED {
            self.listing.skipped.push(Skipped { path, why });
        }
    }
}
