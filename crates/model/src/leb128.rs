//! Numbers as seven bits a byte, lowest first: how contexts, segments and automerge write them.

/// Appends a number to the bytes.
pub fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number from the front of the bytes; `None` when they end too early or the number passes 64 bits.
///
/// Spellings with needless bytes are taken too.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        number |= part.checked_shl(shift).filter(|shifted| shifted >> shift == part)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            let mut rest = &bytes[..];
            assert_eq!((take(&mut rest), rest), (Some(number), &[][..]));
            assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None);
        }
    }

    #[test]
    fn what_passes_64_bits_is_no_number() {
        assert_eq!(take(&mut &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02][..]), None);
        assert_eq!(take(&mut &[0x80; 20][..]), None);
    }
}
