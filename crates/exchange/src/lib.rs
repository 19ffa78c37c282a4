//! Segments, and the share through which replicas exchange them.
//!
//! A share is a mailbox of immutable files: never a database, and absence never means deletion. Read in this
//! order: a [`Segment`] carries a run of one stream's records and is written by [`encode`] and read by
//! [`decode`]; a [`Share`] is a place where such files lie, and [`Folder`] is the usual one; [`decide`] says
//! from the marker whether a share is ours; [`publish()`] puts records into it, [`list`] and [`take()`] get the
//! records of others out; [`runs_to_merge`] says which files of our own are written as one, and [`needed`]
//! which may go then. `docs/format.md` has every byte.
//!
//! This crate keeps nothing between two calls: which files were taken already, what is waiting and what was
//! published is the store's to remember. It reads no clock and draws no random numbers, and knows neither
//! SQLite nor views.
//!
//! ```
//! use memlore_exchange::{Effort, Folder, Take, list, publish, take};
//! use memlore_model::{Kind, Payload, Record, RecordHash, RecordName, ReplicaId, Stream};
//!
//! let home = tempfile::tempdir()?;
//! std::fs::create_dir(home.path().join("share"))?;
//! let share = Folder::new(home.path().join("share"), home.path());
//!
//! let name = RecordName { replica: ReplicaId([7; 16]), stream: Stream::Sessions, seq: 1 };
//! let payload = Payload::Present(br#"{"role":"user"}"#.to_vec());
//! let record = Record { name, previous: RecordHash::NONE, kind: Kind::MESSAGE, payload };
//! publish(&share, &[record.clone()], Effort::Quick)?;
//!
//! let listing = list(&share)?;
//! let Take::Taken(segment) = take(&share, &listing.files[0]) else { panic!("it was published whole") };
//! assert_eq!(segment.records, [record]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod about;
mod folder;
mod ignored;
mod layout;
mod listing;
mod marker;
mod merge;
mod name;
mod publish;
mod segment;
mod share;
mod take;

pub use about::About;
pub use folder::Folder;
pub use ignored::ignored;
pub use layout::{MARKER, REPLICAS, about_path, folder_of, kept_folder, stream_folder};
pub use listing::{Listing, MAX_NAMED, MAX_STRAYS, ShareFile, Skipped, list};
pub use marker::{Marker, MarkerDecision, MarkerFacts, Refusal, SHARE_FORMAT, StoreId, decide, make_marker};
pub use merge::{ENOUGH, Merging, OwnFile, missing, needed, runs_to_merge};
pub use name::{NoSegmentName, SegmentName};
pub use publish::{Published, publish, publish_about, publish_kept};
pub use segment::{
    Effort, EncodeProblem, MAX_RECORDS, MAX_RUN_BYTES, MAX_SEGMENT_BYTES, Run, SEGMENT_MAJOR, Segment,
    SegmentProblem, decode, encode, fit, weight,
};
pub use share::{FileStamp, Found, FoundKind, Share, ShareProblem, Written};
pub use take::{NotYet, Take, take};
