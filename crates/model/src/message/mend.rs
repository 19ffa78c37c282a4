//! Making JSON readable that carries halves of surrogate pairs.

/// Returns JSON text on one line, with every lone surrogate made U+FFFD; nothing when it is not UTF-8.
///
/// Both ways of writing one are known: as an escape (`\ud83d`), and as the three bytes that some programs make of
/// it. White space between values that would end the line becomes a blank.
pub fn mend(json: &[u8]) -> Option<String> {
    let mut bytes = json.to_vec();
    if !bytes.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r' | 0xed)) {
        return String::from_utf8(bytes).ok();
    }
    let mut quoted = false;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => quoted = !quoted,
            b'\\' if quoted => {
                at += mend_escape(&mut bytes, at);
                continue;
            }
            b'\n' | b'\r' if !quoted => bytes[at] = b' ',
            0xed if bytes.get(at + 1).is_some_and(|b| (0xa0..0xc0).contains(b)) && at + 2 < bytes.len() => {
                bytes[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
            }
            _ => {}
        }
        at += 1;
    }
    String::from_utf8(bytes).ok()
}

/// Mends the escape that begins here; returns how many bytes to pass over.
fn mend_escape(bytes: &mut [u8], at: usize) -> usize {
    let Some(unit) = unit_at(bytes, at) else { return 2 };
    if !(0xd800..0xe000).contains(&unit) {
        return 6;
    }
    let low = unit_at(bytes, at + 6).is_some_and(|low| (0xdc00..0xe000).contains(&low));
    if unit < 0xdc00 && low {
        return 12;
    }
    bytes[at + 2..at + 6].copy_from_slice(b"fffd");
    6
}

fn unit_at(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    if !escape.starts_with(b"\\u") {
        return None;
    }
    let digits = std::str::from_utf8(&escape[2..]).ok()?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_are_replaced_and_pairs_stay() {
        let mended = mend(br#"{"a":"\ud83d end","b":"\ud83d\ude00","c":"\\ud83d","d":"\ude00\ud83d"}"#);
        let wanted = r#"{"a":"\ufffd end","b":"\ud83d\ude00","c":"\\ud83d","d":"\ufffd\ufffd"}"#;
        assert_eq!(mended.as_deref(), Some(wanted));
        assert_eq!(mend(b"\"\xed\xa0\xbd\"").as_deref(), Some("\"\u{fffd}\""));
        assert_eq!(mend("\"\u{d55c}\"".as_bytes()).as_deref(), Some("\"\u{d55c}\""));
        assert_eq!(mend(b"\"\xe9\""), None);
    }

    #[test]
    fn a_message_stands_on_one_line() {
        assert_eq!(mend(b"{\n\"a\":\r\n1}").as_deref(), Some("{ \"a\":  1}"));
    }

    #[test]
    fn nothing_that_is_cut_off_panics() {
        for text in [&b"\"\\"[..], b"\"\\u", b"\"\\ud8", b"\"\\ud83d\\u", b"\"\xed\xa0", b"\"\\ud83d\\"] {
            drop(mend(text));
        }
    }
}
