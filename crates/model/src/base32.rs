//! Base32 as RFC 4648 has it, in lower case and without padding: the alphabet of ids and share names.

use data_encoding::{Encoding, Specification};
use std::sync::LazyLock;

static LOWER: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification.symbols.push_str("abcdefghijklmnopqrstuvwxyz234567");
    specification.encoding().expect("the alphabet has 32 different symbols")
});

pub(crate) fn encode(bytes: &[u8]) -> String {
    LOWER.encode(bytes)
}

pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    LOWER.decode(text.as_bytes()).ok()
}
