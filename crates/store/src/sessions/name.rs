//! File names made from the names of conversations.

use data_encoding::BASE32_NOPAD;

/// The end of every pending file's name.
pub(super) const PENDING: &str = ".pending.jsonl";

/// Names of at most this many characters are spelt out.
const MOST_SPELT: usize = 120;

/// Names that Windows keeps for devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Returns a file name for a conversation: lower-case letters, digits, `_`, `-` and `+`.
///
/// Two names never give one file, also where case folds or Unicode is normalised. What is no small ASCII letter,
/// digit, `_` or `-` is spelt `+` and two hexadecimal digits for each byte. A name that would be too long ends in
/// `+x` and a hash.
pub(super) fn file_name(session: &str) -> String {
    let device = {
        let stem = session.get(..3).unwrap_or_default();
        DEVICES.contains(&stem) && session.len() <= 4
    };
    let mut name = String::with_capacity(session.len());
    for (index, byte) in session.bytes().enumerate() {
        // A hyphen in front would look like an option, and device names are told by how they begin.
        let plain = matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_') || (byte == b'-' && index > 0);
        if plain && !(device && index == 0) {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("+{byte:02x}"));
        }
        if name.len() > MOST_SPELT {
            let hash = BASE32_NOPAD.encode(blake3::hash(session.as_bytes()).as_bytes()).to_ascii_lowercase();
            let begin: String = name.chars().take(40).collect();
            return format!("{begin}+x{hash}");
        }
    }
    if name.is_empty() { "+".to_owned() } else { name }
}

/// The conversation that a file name was made from; nothing when it is no name that we make, or ends in a hash.
pub(super) fn session_of(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'+' || name == "+" {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    let session = if name == "+" { String::new() } else { String::from_utf8(bytes).ok()? };
    (file_name(&session) == name).then_some(session)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_conversations_share_a_file() {
        let long = "x".repeat(5000);
        let longer = "x".repeat(5001);
        let names = [
            "20261130_141502_3fa9c1",
            "a",
            "A",
            "a.",
            "a ",
            "",
            "+",
            "+41",
            "..",
            "../../x",
            "/abs",
            "a/b",
            "CON",
            "con",
            "+63on",
            "com1",
            "comm",
            "a\0b",
            "x.pending",
            "caf\u{e9}",
            "cafe\u{301}",
            "-rf",
            &long,
            &longer,
        ];
        let files: BTreeSet<String> = names.iter().map(|name| file_name(name)).collect();
        assert_eq!(files.len(), names.len());
        for file in &files {
            assert!(file.len() <= 200 && !file.is_empty());
            assert!(
                file.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'+')),
                "{file}"
            );
        }
        for name in names.iter().filter(|name| name.len() < 100) {
            assert_eq!(session_of(&file_name(name)).as_deref(), Some(*name));
        }
        assert_eq!(file_name("20261130_141502_3fa9c1"), "20261130_141502_3fa9c1");
        assert_eq!(session_of(&file_name(&long)), None);
        assert_eq!(session_of("A"), None);
    }
}
