//! The addresses of buckets.

use crate::trouble::unusable;
use memlore_exchange::ShareProblem;
use object_store::path::Path;

/// Which provider's store is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Amazon S3, and other stores that speak its language.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage; its buckets are called containers.
    Azure,
}

impl Kind {
    const ALL: [Self; 3] = [Self::S3, Self::Google, Self::Azure];

    /// What an address of this kind begins with.
    pub fn scheme(self) -> &'static str {
        match self {
            Self::S3 => "s3://",
            Self::Google => "gs://",
            Self::Azure => "az://",
        }
    }

    /// The environment's variables that say who asks, for people to look at.
    pub fn variables(self) -> &'static str {
        match self {
            Self::S3 => "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT",
            Self::Google => "GOOGLE_SERVICE_ACCOUNT or GOOGLE_APPLICATION_CREDENTIALS",
            Self::Azure => "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
        }
    }
}

/// A bucket, and where in it the share begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Whose store it is.
    pub kind: Kind,
    /// The bucket.
    pub bucket: String,
    /// The names above the share within the bucket; empty when the bucket is the share.
    pub prefix: Path,
}

impl Address {
    /// Reads an address: `s3://bucket`, `gs://bucket/prefix`, `az://container/prefix`. `None` when it begins like none of these.
    ///
    /// Slashes at the end mean nothing.
    ///
    /// # Errors
    /// Returns what is wrong with an address of these kinds.
    pub fn parse(address: &str) -> Option<Result<Self, ShareProblem>> {
        let kind = Kind::ALL.into_iter().find(|kind| address.starts_with(kind.scheme()))?;
        let rest = address[kind.scheme().len()..].trim_end_matches('/');
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
        if bucket.is_empty() || !bucket.chars().all(plain) {
            let example = format!("an address looks like {}bucket/prefix", kind.scheme());
            return Some(Err(unusable(address, &example)));
        }
        let parsed = Path::parse(prefix)
            .map(|prefix| Self { kind, bucket: bucket.to_owned(), prefix })
            .map_err(|problem| unusable(address, &problem.to_string()));
        Some(parsed)
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let slash = if self.prefix.as_ref().is_empty() { "" } else { "/" };
        write!(f, "{}{}{slash}{}", self.kind.scheme(), self.bucket, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

    use super::*;

    #[test]
    fn an_address_names_a_bucket_and_a_place_in_it() {
        for (address, kind, bucket, prefix) in [
            ("s3://attic", Kind::S3, "attic", ""),
            ("s3://attic/", Kind::S3, "attic", ""),
            ("gs://my.attic/agents/ann/", Kind::Google, "my.attic", "agents/ann"),
            ("az://attic/a b", Kind::Azure, "attic", "a b"),
        ] {
            let parsed = Address::parse(address).unwrap().unwrap();
            assert_eq!((parsed.kind, parsed.bucket.as_str(), parsed.prefix.as_ref()), (kind, bucket, prefix));
            assert_eq!(parsed.to_string(), address.trim_end_matches('/'));
        }
    }

    #[test]
    fn what_names_no_bucket_is_refused() {
        for address in [
            "s3://",
            "s3:///prefix",
            "gs://user:key@attic/x",
            "s3://attic/a//x",
            "az://attic/../x",
            "s3://attic?x",
        ] {
            let problem = Address::parse(address).unwrap().unwrap_err();
            assert!(problem.to_string().contains(address), "{problem}");
        }
    }

    #[test]
    fn other_addresses_and_folders_are_somebody_elses() {
        for address in
            ["/srv/share", "share", "ftp://attic/x", "s3", "S3://attic", "https://attic", "file:///srv"]
        {
            assert!(Address::parse(address).is_none(), "{address}");
        }
    }
}
