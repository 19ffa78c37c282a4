//! Squeezed changes: automerge chunks without what a reader can compute again.
//!
//! Within a run of one replica's changes most of a small chunk says nothing new: its magic, checksum and
//! length, its actor, its number, and the hash of the change before it. A segment leaves those out.

use crate::{ChangeHash, ReplicaId, leb128};
use sha2::{Digest as _, Sha256};

const MAGIC: [u8; 4] = [0x85, 0x6f, 0x4a, 0x83];
const CHANGE_CHUNK: u8 = 1;
const HASH_BYTES: usize = 32;
/// A squeezed change that leaves out what its [`Link`] says.
const FOLLOWS: u8 = 1;
/// A squeezed change that stands alone.
const ALONE: u8 = 0;

/// What the next change of a run needs to know of the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The change's hash.
    pub hash: ChangeHash,
    /// Its number among its replica's changes.
    pub seq: u64,
    /// Its first operation's number.
    pub start_op: u64,
}

/// Squeezes one change of `replica`; `previous` is the change before it in the run, when there is one.
///
/// Returns the squeezed bytes, of which [`unsqueeze`] makes the very same chunk (this is tried before they are
/// returned), and the link for the next change. Returns `None` for whatever does not come back byte for byte,
/// and for what would not become shorter: it has to travel as it is.
pub fn squeeze(bytes: &[u8], previous: Option<&Link>, replica: ReplicaId) -> Option<(Vec<u8>, Link)> {
    let parts = Parts::read(bytes)?;
    let mut squeezed = Vec::with_capacity(bytes.len());
    match previous.filter(|link| parts.follows(link)) {
        Some(link) => {
            squeezed.push(FOLLOWS);
            let others: Vec<_> =
                parts.dependencies.chunks_exact(HASH_BYTES).filter(|hash| **hash != link.hash.0).collect();
            leb128::put(&mut squeezed, others.len() as u64);
            squeezed.extend(others.concat());
            leb128::put(&mut squeezed, parts.start_op - link.start_op);
        }
        None => {
            squeezed.push(ALONE);
            leb128::put(&mut squeezed, (parts.dependencies.len() / HASH_BYTES) as u64);
            squeezed.extend_from_slice(parts.dependencies);
            leb128::put(&mut squeezed, parts.seq);
            leb128::put(&mut squeezed, parts.start_op);
        }
    }
    squeezed.extend_from_slice(parts.rest);
    let (back, link) = unsqueeze(&squeezed, previous, replica)?;
    (back == bytes && squeezed.len() < bytes.len()).then_some((squeezed, link))
}

/// Makes the chunk of which [`squeeze`] made these bytes, given the same link and replica.
///
/// The chunk has the right checksum, but whether it holds a readable change is for [`crate::change::read`] to
/// say. Returns `None` when the bytes are no squeezed change.
pub fn unsqueeze(squeezed: &[u8], previous: Option<&Link>, replica: ReplicaId) -> Option<(Vec<u8>, Link)> {
    let (&form, mut rest) = squeezed.split_first()?;
    let count = usize::try_from(leb128::take(&mut rest)?).ok()?;
    let mut dependencies: Vec<&[u8]> =
        take(&mut rest, count.checked_mul(HASH_BYTES)?)?.chunks_exact(HASH_BYTES).collect();
    let (seq, start_op) = match (form, previous) {
        (ALONE, _) => (leb128::take(&mut rest)?, leb128::take(&mut rest)?),
        (FOLLOWS, Some(link)) => {
            let place = dependencies.partition_point(|hash| **hash < link.hash.0[..]);
            dependencies.insert(place, &link.hash.0);
            (link.seq.checked_add(1)?, link.start_op.checked_add(leb128::take(&mut rest)?)?)
        }
        _ => return None,
    };

    let mut content = Vec::with_capacity(rest.len() + (dependencies.len() + 2) * HASH_BYTES);
    leb128::put(&mut content, dependencies.len() as u64);
    content.extend(dependencies.concat());
    leb128::put(&mut content, replica.0.len() as u64);
    content.extend_from_slice(&replica.0);
    leb128::put(&mut content, seq);
    leb128::put(&mut content, start_op);
    content.extend_from_slice(rest);

    let mut body = Vec::with_capacity(content.len() + 6);
    body.push(CHANGE_CHUNK);
    leb128::put(&mut body, content.len() as u64);
    body.extend_from_slice(&content);
    let hash: [u8; 32] = Sha256::digest(&body).into();
    let chunk = [&MAGIC, &hash[..4], &body].concat();
    Some((chunk, Link { hash: ChangeHash(hash), seq, start_op }))
}

/// The parts of a change chunk that squeezing looks at.
struct Parts<'a> {
    dependencies: &'a [u8],
    seq: u64,
    start_op: u64,
    /// Everything from the time on: message, other actors, columns, extra bytes.
    rest: &'a [u8],
}

impl<'a> Parts<'a> {
    /// Reads a chunk's parts. What is passed over here is compared when the chunk has been made again.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = bytes.get(MAGIC.len() + 4 + 1..)?;
        leb128::take(&mut rest)?;
        let count = usize::try_from(leb128::take(&mut rest)?).ok()?;
        let dependencies = take(&mut rest, count.checked_mul(HASH_BYTES)?)?;
        let actor_bytes = usize::try_from(leb128::take(&mut rest)?).ok()?;
        take(&mut rest, actor_bytes)?;
        let seq = leb128::take(&mut rest)?;
        let start_op = leb128::take(&mut rest)?;
        Some(Self { dependencies, seq, start_op, rest })
    }

    fn follows(&self, link: &Link) -> bool {
        self.dependencies.chunks_exact(HASH_BYTES).any(|hash| *hash == link.hash.0)
            && link.seq.checked_add(1) == Some(self.seq)
            && self.start_op >= link.start_op
    }
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BookName, Entry, EntryId, NextChange, Position, Put, Scope, Stamp, change};

    const REPLICA: ReplicaId = ReplicaId([5; 16]);

    fn built(seq: u64, start_op: u64, dependencies: Vec<ChangeHash>) -> crate::BuiltChange {
        let id = EntryId { replica: REPLICA, counter: start_op as u32, nonce: 77 };
        let entry = Entry {
            text: format!("tea {seq}"),
            book: BookName::memory(),
            written: Stamp::at(1_764_511_200_000_000 + seq),
            by: "test".into(),
            device: "laptop".into(),
            source: None,
            labels: Default::default(),
            position: Position::after(None),
            replaces: Vec::new(),
            scope: Scope::Profile,
            more: Default::default(),
        };
        let next = NextChange { actor: REPLICA, seq, start_op, dependencies };
        change::build(&next, &[Put::Add(id, entry)]).unwrap()
    }

    #[test]
    fn a_chain_comes_back_byte_for_byte() {
        let foreign = [ChangeHash([0; 32]), ChangeHash([0xff; 32])];
        let (mut out, mut back) = (None, None);
        for seq in 1..200u64 {
            let own = out.map(|link: Link| link.hash);
            let dependencies = own.into_iter().chain(foreign).collect();
            let change = built(seq, seq * 300, dependencies);
            let (squeezed, link) = squeeze(&change.bytes, out.as_ref(), REPLICA).unwrap();
            assert_eq!(link.hash, change.hash);
            assert!(squeezed.len() + 25 < change.bytes.len());
            let (bytes, link_back) = unsqueeze(&squeezed, back.as_ref(), REPLICA).unwrap();
            assert_eq!((bytes, link_back), (change.bytes, link));
            (out, back) = (Some(link), Some(link_back));
        }
    }

    #[test]
    fn a_change_that_does_not_follow_stands_alone() {
        let link = Link { hash: ChangeHash([9; 32]), seq: 4, start_op: 70 };
        for change in [built(5, 80, vec![]), built(6, 80, vec![link.hash]), built(5, 60, vec![link.hash])] {
            let (squeezed, _) = squeeze(&change.bytes, Some(&link), REPLICA).unwrap();
            assert_eq!(squeezed[0], ALONE);
            assert_eq!(unsqueeze(&squeezed, None, REPLICA).unwrap().0, change.bytes);
        }
    }

    #[test]
    fn whatever_would_not_come_back_is_not_squeezed() {
        let change = built(1, 1, vec![]);
        assert_eq!(squeeze(&change.bytes, None, ReplicaId([6; 16])), None, "another actor");
        for at in (0..9).chain(10..29) {
            let mut other = change.bytes.clone();
            other[at] ^= 1;
            assert_eq!(squeeze(&other, None, REPLICA), None, "byte {at}");
        }
        for cut in 0..change.bytes.len() {
            assert_eq!(squeeze(&change.bytes[..cut], None, REPLICA), None);
        }
    }

    #[test]
    fn forged_counts_and_numbers_are_refused() {
        let link = Link { hash: ChangeHash([9; 32]), seq: u64::MAX, start_op: u64::MAX };
        let long = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(unsqueeze(&[&[ALONE][..], &long].concat(), None, REPLICA), None);
        assert_eq!(unsqueeze(&[FOLLOWS, 0, 1], Some(&link), REPLICA), None);
        assert_eq!(unsqueeze(&[FOLLOWS, 0, 1], None, REPLICA), None);
        assert_eq!(unsqueeze(&[7, 0, 1, 1], None, REPLICA), None);
        assert_eq!(unsqueeze(&[], None, REPLICA), None);
    }
}
