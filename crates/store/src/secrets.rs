//! Secrets at this store's doors: what refuses them, and the little that is remembered of one.

use crate::writing::Writing;
use crate::{Error, Result, Store};
use data_encoding::BASE32_NOPAD;
use memlore_model::{SecretKind, find_secret};
use std::collections::BTreeMap;

impl Store {
    /// Refuses words that hold a secret.
    pub(crate) fn check_secret(&self, words: &str) -> Result<()> {
        find_secret(words).map_or(Ok(()), |kind| Err(Error::Secret { kind }))
    }

    /// Refuses a secret in what is said beside a text.
    pub(crate) fn check_beside(&self, source: Option<&str>, labels: &BTreeMap<String, String>) -> Result<()> {
        source.map_or(Ok(()), |source| self.check_secret(source))?;
        // A label may name what its value is, as `password: …` does.
        labels.iter().try_for_each(|(label, value)| self.check_secret(&format!("{label}: {value}")))
    }

    /// What a file is known by. A file may hold a secret, so the hash tells nothing without the key of this store.
    pub(crate) fn file_hash(&self, bytes: &[u8]) -> [u8; 32] {
        *blake3::keyed_hash(&self.me.key, bytes).as_bytes()
    }
}

/// Notes a text that is not taken over, by its keyed hash; returns whether it was reported before.
pub(crate) fn was_reported(writing: &Writing<'_>, text: &str) -> Result<bool> {
    let hash = blake3::keyed_hash(&writing.store.me.key, text.as_bytes());
    let what = format!("left in a file {}", BASE32_NOPAD.encode(&hash.as_bytes()[..20]).to_lowercase());
    writing.read(|tx| {
        let known: bool = tx
            .prepare_cached("select exists (select 1 from reported where what = ?1)")?
            .query_row([&what], |row| row.get(0))?;
        if !known && !writing.unheard {
            tx.prepare_cached("insert into reported (what, at_us) values (?1, ?2)")?
                .execute(rusqlite::params![what, writing.now_us])?;
        }
        Ok(known)
    })
}

/// The kind of secret in the text of a file, wherever it stands there.
pub(crate) fn in_file(bytes: Option<&[u8]>, text: Option<&str>) -> Option<SecretKind> {
    text.and_then(find_secret).or_else(|| find_secret(&String::from_utf8_lossy(bytes?)))
}
