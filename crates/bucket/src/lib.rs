//! A share in an object store: S3 and whatever speaks like it, Google Cloud Storage, Azure.
//!
//! [`open`] makes a [`Bucket`], which is a [`Share`] with the layout of every other, from an
//! address such as `s3://bucket/prefix`. Who asks may do what is the environment's to say: the variables that each
//! provider's own tools read ([`Kind::variables`]).
//!
//! The only crate that knows `object_store` and tokio. A bucket has a runtime of its own, on the thread that calls
//! it; until one is opened nothing is started or loaded. Nothing is kept between two calls: there is no cache, and no
//! upload goes on in the background.

mod address;
mod bucket;
mod trouble;
mod walk;

pub use address::{Address, Kind};
pub use bucket::Bucket;

use memlore_exchange::{Share, ShareProblem};

/// Opens the share at an address; `None` when it is none of an object store.
///
/// Nothing is asked of the store yet: whether it is there is found out when it is used.
pub fn open(address: &str) -> Option<Result<Box<dyn Share>, ShareProblem>> {
    let address = Address::parse(address)?;
    Some(address.and_then(|address| Bucket::open(&address)).map(|bucket| Box::new(bucket) as Box<dyn Share>))
}
