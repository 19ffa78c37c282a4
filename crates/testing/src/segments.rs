//! Bodies that feed the readers of segments and changes with anything.

use memlore_exchange::{Effort, decode, encode};
use memlore_model::{Link, ReplicaId, change, squeeze};
use sha2::{Digest as _, Sha256};

/// Reads the bytes as a segment, once as they are and once with the hash at the end made right, as a hostile
/// writer would. What is taken must be a run that can be published and taken again.
pub fn check_segment(bytes: &[u8]) {
    for file in [bytes, &seal_segment(bytes)] {
        let Ok(segment) = decode(file) else { continue };
        let again = encode(&segment.records, Effort::Quick).expect("a segment that was read is a run");
        assert_eq!(decode(&again), Ok(segment));
    }
}

/// Reads the bytes as a change, once as they are and once with the checksum made right; squeezes and unsqueezes
/// them. Nothing may panic, and what is squeezed must come back.
pub fn check_change(bytes: &[u8]) {
    let repaired = repair_change(bytes);
    for bytes in [bytes, &repaired] {
        let read = change::read(bytes);
        let actor = read.as_ref().map_or(ReplicaId([7; 16]), |change| change.actor);
        let own = read.ok().and_then(|change| change.dependencies.first().copied());
        let link = own.map(|hash| Link { hash, seq: 1, start_op: 1 });
        if let Some((squeezed, next)) = squeeze::squeeze(bytes, link.as_ref(), actor) {
            let back = squeeze::unsqueeze(&squeezed, link.as_ref(), actor);
            assert_eq!(back, Some((bytes.to_vec(), next)));
        }
        drop(squeeze::unsqueeze(bytes, link.as_ref(), actor));
    }
}

/// The bytes with a change's magic and the checksum made right, as a hostile writer would.
pub fn repair_change(bytes: &[u8]) -> Vec<u8> {
    let mut repaired = bytes.to_vec();
    if repaired.len() > 8 {
        repaired[..4].copy_from_slice(&[0x85, 0x6f, 0x4a, 0x83]);
        let digest: [u8; 32] = Sha256::digest(&repaired[8..]).into();
        repaired[4..8].copy_from_slice(&digest[..4]);
    }
    repaired
}

/// The bytes of a segment without its hash, with the hash made right, as a hostile writer would.
pub fn seal_segment(bytes: &[u8]) -> Vec<u8> {
    [bytes, blake3::hash(bytes).as_bytes()].concat()
}
