//! Contexts: opaque tokens for what a reader had seen.

use crate::{RecordHash, ReplicaId, leb128};
use data_encoding::BASE64URL_NOPAD;
use std::collections::BTreeMap;

const VERSION: u8 = 1;
const CHECK_BYTES: usize = 4;

/// How much of one replica's memory stream was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The last record seen; all before it were seen too.
    pub seq_last: u64,
    /// The first eight bytes of that record's hash: after a fork it tells which branch was seen.
    pub hash: [u8; 8],
}

impl Seen {
    /// What has been seen when the record at `seq_last` has this hash.
    pub fn up_to(seq_last: u64, hash: RecordHash) -> Self {
        let mut short = [0; 8];
        short.copy_from_slice(&hash.0[..8]);
        Self { seq_last, hash: short }
    }
}

/// What somebody had seen when they read.
///
/// It stays valid for ever and on every replica: it names records, which nothing renumbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Of each replica, how much was seen.
    pub seen: BTreeMap<ReplicaId, Seen>,
    /// The books that were shown; of others nothing was seen.
    pub books: Vec<String>,
    /// The dialect they were shown in, when it was a view.
    pub dialect: Option<String>,
    /// The first bytes of a hash of the list that was shown, when its entries had numbers.
    pub list: Option<[u8; 8]>,
}

/// Why a token is no context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContextProblem {
    /// Cut, mistyped, or never a token.
    #[error("the context is damaged: pass it on exactly as it was given")]
    Damaged,
    /// Made by a later version.
    #[error("the context has format {0}; this version reads format {VERSION}")]
    Newer(u8),
}

impl Context {
    /// The token that stands for this context: letters, digits, `-` and `_`.
    pub fn to_token(&self) -> String {
        let mut bytes = vec![VERSION];
        leb128::put(&mut bytes, self.seen.len() as u64);
        for (replica, seen) in &self.seen {
            bytes.extend_from_slice(&replica.0);
            leb128::put(&mut bytes, seen.seq_last);
            bytes.extend_from_slice(&seen.hash);
        }
        leb128::put(&mut bytes, self.books.len() as u64);
        for book in &self.books {
            put_text(&mut bytes, book);
        }
        put_text(&mut bytes, self.dialect.as_deref().unwrap_or(""));
        bytes.extend(self.list.iter().flatten());
        let check = blake3::hash(&bytes);
        bytes.extend_from_slice(&check.as_bytes()[..CHECK_BYTES]);
        BASE64URL_NOPAD.encode(&bytes)
    }

    /// Reads a token.
    ///
    /// # Errors
    /// Returns whether it is damaged or from a later version.
    pub fn from_token(token: &str) -> Result<Self, ContextProblem> {
        let bytes = BASE64URL_NOPAD.decode(token.trim().as_bytes()).map_err(|_| ContextProblem::Damaged)?;
        let body_end = bytes.len().checked_sub(CHECK_BYTES).ok_or(ContextProblem::Damaged)?;
        let (body, check) = bytes.split_at(body_end);
        if blake3::hash(body).as_bytes()[..CHECK_BYTES] != *check {
            return Err(ContextProblem::Damaged);
        }
        match body.split_first() {
            Some((&VERSION, body)) => read_body(body).ok_or(ContextProblem::Damaged),
            Some((&newer, _)) => Err(ContextProblem::Newer(newer)),
            None => Err(ContextProblem::Damaged),
        }
    }
}

fn read_body(mut body: &[u8]) -> Option<Context> {
    let mut context = Context::default();
    for _ in 0..leb128::take(&mut body)? {
        let replica = ReplicaId(take(&mut body, 16)?.try_into().ok()?);
        let seq_last = leb128::take(&mut body)?;
        let hash = take(&mut body, 8)?.try_into().ok()?;
        context.seen.insert(replica, Seen { seq_last, hash });
    }
    for _ in 0..leb128::take(&mut body)? {
        context.books.push(take_text(&mut body)?);
    }
    context.dialect = Some(take_text(&mut body)?).filter(|dialect| !dialect.is_empty());
    if !body.is_empty() {
        context.list = Some(take(&mut body, 8)?.try_into().ok()?);
    }
    body.is_empty().then_some(context)
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    leb128::put(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

fn take_text(body: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(leb128::take(body)?).ok()?;
    String::from_utf8(take(body, length)?.to_vec()).ok()
}

fn take<'a>(body: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = body.split_at_checked(count)?;
    *body = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_reads_back_from_its_token() {
        let seen = Seen::up_to(300, RecordHash([9; 32]));
        let context = Context {
            seen: [(ReplicaId([1; 16]), seen), (ReplicaId([2; 16]), Seen { seq_last: u64::MAX, ..seen })]
                .into(),
            books: vec!["memory".into(), "user".into()],
            dialect: Some("hermes".into()),
            list: None,
        };
        assert_eq!(Context::from_token(&context.to_token()), Ok(context.clone()));
        let numbered = Context { list: Some([7; 8]), ..context };
        assert_eq!(Context::from_token(&numbered.to_token()), Ok(numbered));
    }

    #[test]
    fn a_damaged_token_is_refused() {
        let token = Context::default().to_token();
        for cut in 0..token.len() {
            assert!(Context::from_token(&token[..cut]).is_err());
        }
        assert_eq!(Context::from_token(&format!("{token}A")), Err(ContextProblem::Damaged));
        assert_eq!(Context::from_token("naïve"), Err(ContextProblem::Damaged));
    }
}
