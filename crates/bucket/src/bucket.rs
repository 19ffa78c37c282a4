//! The share in a bucket.

use crate::trouble::{explain, is_absent, too_slow, unconfigured, unusable};
use crate::{Address, Kind};
use futures_util::StreamExt as _;
use memlore_exchange::{Found, Share, ShareProblem, Written};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientConfigKey, Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt as _, PutMode,
    RetryConfig,
};
use std::io;
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::runtime::Runtime;

/// One call to a share takes no longer than this, whatever the network does.
const CALL_SECONDS_MOST: u64 = 180;

/// Limits of one request within a call: the largest segment passes at 1 Mbit/s.
const CLIENT: [(ClientConfigKey, &str); 2] =
    [(ClientConfigKey::ConnectTimeout, "5 seconds"), (ClientConfigKey::Timeout, "90 seconds")];

/// A share in a bucket of an object store.
///
/// An object appears with all of its bytes or not at all, so there are no unfinished files. One is created only
/// if there is none of its name, which the store itself decides.
pub struct Bucket {
    title: String,
    kind: Kind,
    pub(crate) prefix: Path,
    pub(crate) store: Box<dyn ObjectStore>,
    runtime: Runtime,
}

/// What one call came to.
pub(crate) enum Trouble {
    /// The store refused, or could not be reached.
    Store(Error),
    /// It took too long.
    Slow,
}

impl Bucket {
    /// Opens the bucket at an address, for whom the environment says.
    ///
    /// # Errors
    /// Returns [`ShareProblem::Address`] when the environment does not say enough, or contradicts itself.
    pub fn open(address: &Address) -> Result<Self, ShareProblem> {
        // Only the first call of a process counts, and it said the same.
        drop(rustls::crypto::ring::default_provider().install_default());
        let store = store(address).map_err(|error| unconfigured(address, &error))?;
        Self::over(address, store)
    }

    /// A share in any store, at an address that speaks for it.
    ///
    /// # Errors
    /// Returns [`ShareProblem::Address`] when the system has nothing left to run it on.
    pub fn over(address: &Address, store: Box<dyn ObjectStore>) -> Result<Self, ShareProblem> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| unusable(&address.to_string(), &error.to_string()))?;
        Ok(Self {
            title: address.to_string(),
            kind: address.kind,
            prefix: address.prefix.clone(),
            store,
            runtime,
        })
    }

    /// Waits for what the store answers.
    pub(crate) fn wait<T>(&self, call: impl Future<Output = Result<T, Error>>) -> Result<T, Trouble> {
        let limited = async { tokio::time::timeout(Duration::from_secs(CALL_SECONDS_MOST), call).await };
        match self.runtime.block_on(limited) {
            Ok(answer) => answer.map_err(Trouble::Store),
            Err(_) => Err(Trouble::Slow),
        }
    }

    pub(crate) fn explain(&self, trouble: &Trouble) -> io::Error {
        match trouble {
            Trouble::Store(error) => explain(self.kind, error),
            Trouble::Slow => too_slow(CALL_SECONDS_MOST),
        }
    }

    /// Where in the bucket a place of the share lies.
    pub(crate) fn within(&self, path: &str) -> Result<Path, ShareProblem> {
        let outside = |_| ShareProblem::Outside { path: path.to_owned() };
        let relative = Path::parse(path).map_err(outside)?;
        Ok(self.prefix.parts().chain(relative.parts()).collect())
    }

    fn put(&self, path: &str, bytes: &[u8], mode: PutMode) -> Result<(), Trouble> {
        let place = self.within(path).map_err(|problem| {
            let source = problem.to_string().into();
            Trouble::Store(Error::Generic { store: "share", source })
        })?;
        self.wait(async { self.store.put_opts(&place, bytes.to_vec().into(), mode.into()).await }).map(drop)
    }

    fn unwritten(&self, path: &str, trouble: &Trouble) -> ShareProblem {
        match trouble {
            Trouble::Store(error) if is_absent(error) => ShareProblem::Missing { title: self.title() },
            _ => ShareProblem::Write { path: path.to_owned(), source: self.explain(trouble) },
        }
    }
}

impl Share for Bucket {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn walk(
        &self,
        under: &str,
        depth: usize,
        visit: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ShareProblem> {
        self.walk_objects(under, depth, visit)
    }

    fn read(&self, path: &str, bytes_most: usize) -> Result<Vec<u8>, ShareProblem> {
        let place = self.within(path)?;
        let read = self.wait(async {
            let range = Some(GetRange::Bounded(0..bytes_most as u64));
            let answer = self.store.get_opts(&place, GetOptions { range, ..GetOptions::default() }).await;
            let mut parts = match answer {
                Ok(answer) => answer.into_stream(),
                Err(error @ Error::NotFound { .. }) => return Err(error),
                // An empty object has no range at all.
                Err(error) => {
                    return match self.store.head(&place).await {
                        Ok(object) if object.size == 0 => Ok(Vec::new()),
                        _ => Err(error),
                    };
                }
            };
            let mut bytes = Vec::new();
            while bytes.len() < bytes_most
                && let Some(part) = parts.next().await
            {
                bytes.extend_from_slice(&part?);
            }
            bytes.truncate(bytes_most);
            Ok(bytes)
        });
        read.map_err(|trouble| match trouble {
            Trouble::Store(Error::NotFound { .. }) => ShareProblem::Gone { path: path.to_owned() },
            _ => ShareProblem::Read { path: path.to_owned(), source: self.explain(&trouble) },
        })
    }

    fn write_new(&self, path: &str, bytes: &[u8]) -> Result<Written, ShareProblem> {
        let create = || match self.put(path, bytes, PutMode::Create) {
            Ok(()) => Ok(Written::New),
            Err(Trouble::Store(Error::AlreadyExists { .. } | Error::Precondition { .. })) => {
                Ok(Written::Exists)
            }
            Err(trouble) => Err(trouble),
        };
        // The answer may have been lost, not the object: creating it again tells, and can do no harm.
        let written = match create() {
            Err(Trouble::Store(Error::Generic { .. })) => create(),
            written => written,
        };
        written.map_err(|trouble| self.unwritten(path, &trouble))
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), ShareProblem> {
        self.put(path, bytes, PutMode::Overwrite).map_err(|trouble| self.unwritten(path, &trouble))
    }

    fn delete(&self, path: &str) -> Result<(), ShareProblem> {
        let place = self.within(path)?;
        match self.wait(async { self.store.delete(&place).await }) {
            Ok(()) | Err(Trouble::Store(Error::NotFound { .. })) => Ok(()),
            Err(trouble) => Err(self.unwritten(path, &trouble)),
        }
    }
}

/// The store of an address, as the environment describes it.
fn store(address: &Address) -> Result<Box<dyn ObjectStore>, Error> {
    let bucket = &address.bucket;
    Ok(match address.kind {
        Kind::S3 => {
            let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retries());
            for (key, value) in CLIENT {
                builder = builder.with_config(AmazonS3ConfigKey::Client(key), value);
            }
            Box::new(builder.build()?)
        }
        Kind::Google => {
            let mut builder =
                GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket).with_retry(retries());
            for (key, value) in CLIENT {
                builder = builder.with_config(GoogleConfigKey::Client(key), value);
            }
            Box::new(builder.build()?)
        }
        Kind::Azure => {
            let mut builder =
                MicrosoftAzureBuilder::from_env().with_container_name(bucket).with_retry(retries());
            for (key, value) in CLIENT {
                builder = builder.with_config(AzureConfigKey::Client(key), value);
            }
            Box::new(builder.build()?)
        }
    })
}

/// A command that is waited for gives up after seconds; the next exchange does what this one did not.
fn retries() -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(2),
        base: 2.,
    };
    RetryConfig { backoff, max_retries: 4, retry_timeout: Duration::from_secs(30) }
}

#[cfg(test)]
mod tests;
