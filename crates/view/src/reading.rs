//! From the bytes of a file to its text, and when they are no edit at all.

use crate::cut::is_cut_off;
use crate::dialect::{Dialect, parse};
use std::borrow::Cow;
use std::fmt;

/// What a file's bytes say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The text, without padding. For hermes also without a byte order mark and with line ends as LF; in the other
    /// dialects these may be a person's, and stay.
    Text(String),
    /// The file is damaged or not there: it removes nothing and is rendered again.
    Guarded(Guard),
}

/// Why a file is no edit. Its display is a sentence for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Guard {
    /// There is no file, and the newest version had entries.
    Missing,
    /// The file holds nothing, and the newest version had entries.
    Empty,
    /// The file holds NUL bytes alone.
    AllNul,
    /// The bytes are neither UTF-8 nor UTF-16 with its mark.
    NotUtf8,
    /// The file is a version that ends in the middle of an entry.
    CutOff,
    /// The file has lost the section that is ours, and the newest version had entries.
    NoSection,
    /// The file could not be read. For the caller to say; bytes never show it.
    Unreadable,
}

impl Guard {
    /// The guard's name in answers and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Empty => "empty",
            Self::AllNul => "all-nul",
            Self::NotUtf8 => "not-utf8",
            Self::CutOff => "cut-off",
            Self::NoSection => "no-section",
            Self::Unreadable => "unreadable",
        }
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "the file is missing; nothing was removed",
            Self::Empty => "the file is empty; nothing was removed",
            Self::AllNul => "the file holds NUL bytes alone; nothing was removed",
            Self::NotUtf8 => "the file is no UTF-8 text; nothing of it was taken over",
            Self::CutOff => "the file ends in the middle of an entry; nothing of it was taken over",
            Self::NoSection => "the file has lost its section of memories; nothing was removed",
            Self::Unreadable => "the file cannot be read; nothing was removed",
        })
    }
}

/// Reads a view's file.
///
/// `bytes` is None for a missing file. `versions` are the texts that the file may be a damaged copy of, the newest
/// version first (the rendering of the present state may follow); empty before the first version.
pub fn read_bytes(dialect: Dialect, bytes: Option<&[u8]>, versions: &[&str]) -> Reading {
    let newest = versions.first().copied().unwrap_or_default();
    let was_empty = parse(dialect, newest).items.is_empty();
    let Some(bytes) = bytes else {
        return if was_empty { Reading::Text(String::new()) } else { Reading::Guarded(Guard::Missing) };
    };
    if !bytes.is_empty() && bytes.iter().all(|byte| *byte == 0) {
        return Reading::Guarded(Guard::AllNul);
    }
    let text = match decode(dialect, bytes, newest) {
        Ok(text) => text,
        Err(whole) => {
            let cut = versions.iter().any(|version| {
                !whole.is_empty() && version.starts_with(whole) || is_cut_off(dialect, whole, version)
            });
            return Reading::Guarded(if cut { Guard::CutOff } else { Guard::NotUtf8 });
        }
    };
    if text.trim().is_empty() && !was_empty {
        Reading::Guarded(Guard::Empty)
    } else if !was_empty && !parse(dialect, &text).frame.has_our_part() {
        Reading::Guarded(Guard::NoSection)
    } else if versions.iter().any(|version| is_cut_off(dialect, &text, version)) {
        Reading::Guarded(Guard::CutOff)
    } else {
        Reading::Text(text)
    }
}

/// Reads a guarded file that counts after all, since its writer was watched or a person confirmed it.
///
/// None when there are no characters to be had: unreadable, no text, or NUL bytes alone.
pub fn read_anyway(dialect: Dialect, bytes: Option<&[u8]>) -> Option<String> {
    let bytes = bytes.unwrap_or_default();
    let nothing_but_padding = !bytes.is_empty() && bytes.iter().all(|byte| *byte == 0);
    if nothing_but_padding { None } else { decode(dialect, bytes, "").ok() }
}

/// Decodes bytes, or returns what was whole characters of a text that ends inside one.
fn decode<'a>(dialect: Dialect, bytes: &'a [u8], newest: &str) -> Result<String, &'a str> {
    const BOM: char = '\u{feff}';
    let text: Cow<'_, str> = match bytes {
        // Somebody else's file cannot be written back in another encoding.
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] if dialect.is_guest() => return Err(""),
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes).ok_or("")?),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes).ok_or("")?),
        _ => match std::str::from_utf8(unpadded(bytes)) {
            Ok(text) => Cow::Borrowed(text),
            Err(problem) if problem.error_len().is_none() => {
                return Err(std::str::from_utf8(&bytes[..problem.valid_up_to()]).unwrap_or_default());
            }
            Err(_) => return Err(""),
        },
    };
    if dialect != Dialect::Hermes {
        return Ok(text.trim_end_matches('\0').to_owned());
    }
    // An entry may begin with this character; then it is no mark that an editor put there.
    let text = if newest.starts_with(BOM) { &text } else { text.strip_prefix(BOM).unwrap_or(&text) };
    Ok(text.trim_end_matches('\0').replace("\r\n", "\n").replace('\r', "\n"))
}

fn unpadded(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &bytes[..end]
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    if rest.is_empty() { String::from_utf16(&units).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEWEST: &str = "Likes tea\n§\nLe café est fermé\n§\nShips on Tuesdays and Fridays";

    fn check(bytes: &[u8], expected: Reading) {
        let reading = read_bytes(Dialect::Hermes, Some(bytes), &[NEWEST]);
        assert_eq!(reading, expected, "{:?}", String::from_utf8_lossy(bytes));
    }

    #[test]
    fn how_an_editor_or_a_sync_program_writes_the_same_text_is_no_edit() {
        let entries = parse(Dialect::Hermes, NEWEST);
        let mut variants = vec![
            format!("\u{feff}{NEWEST}").into_bytes(),
            NEWEST.replace('\n', "\r\n").into_bytes(),
            NEWEST.replace('\n', "\r").into_bytes(),
            format!("\u{feff}{}\r\n\r\n\n", NEWEST.replacen('\n', "\r\n", 3)).into_bytes(),
            format!("{NEWEST}{}", "\0".repeat(50)).into_bytes(),
            format!("{NEWEST}\n\0\0").into_bytes(),
        ];
        let le = format!("\u{feff}{NEWEST}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be = format!("\u{feff}{NEWEST}").encode_utf16().flat_map(u16::to_be_bytes).collect();
        variants.extend([le, be]);
        for bytes in variants {
            let Reading::Text(text) = read_bytes(Dialect::Hermes, Some(&bytes), &[NEWEST]) else {
                panic!("{:?} is guarded", String::from_utf8_lossy(&bytes));
            };
            assert_eq!(parse(Dialect::Hermes, &text), entries);
        }
    }

    #[test]
    fn a_file_without_text_is_no_removal_of_everything() {
        check(b"", Reading::Guarded(Guard::Empty));
        check(b" \n\r\n", Reading::Guarded(Guard::Empty));
        check(&[0; 80], Reading::Guarded(Guard::AllNul));
        check(b"Likes tea\n\xa7\nx", Reading::Guarded(Guard::NotUtf8));
        check(b"\xff\xfea", Reading::Guarded(Guard::NotUtf8));
        assert_eq!(read_bytes(Dialect::Hermes, None, &[NEWEST]), Reading::Guarded(Guard::Missing));
    }

    #[test]
    fn an_empty_memory_may_have_an_empty_file_or_none() {
        for versions in [&[""] as &[&str], &[]] {
            for bytes in [None, Some(b"" as &[u8]), Some(b"\n")] {
                let reading = read_bytes(Dialect::Hermes, bytes, versions);
                assert!(matches!(reading, Reading::Text(text) if text.trim().is_empty()));
            }
        }
    }

    #[test]
    fn a_version_that_ends_inside_an_entry_is_guarded() {
        for end in
            ["Lik", "Likes tea\n§", "Likes tea\n§\nLe café e", "Likes tea\n§\nLe café est fermé\n§\nShi"]
        {
            check(end.as_bytes(), Reading::Guarded(Guard::CutOff));
            check(format!("{end}\0\0\0").as_bytes(), Reading::Guarded(Guard::CutOff));
        }
        let inside_a_character = NEWEST.find('é').unwrap() + 1;
        check(&NEWEST.as_bytes()[..inside_a_character], Reading::Guarded(Guard::CutOff));
    }

    #[test]
    fn an_entry_that_somebody_shortened_is_an_edit() {
        for text in [
            "Likes tea\n§\nLe café est\n§\nShips on Tuesdays and Fridays",
            "Likes tea\n§\nLe café est fermé\n§\nShips on Tue\n",
            "Likes tea\n§\nLe café est fermé",
            "Likes tea",
        ] {
            check(text.as_bytes(), Reading::Text(text.to_owned()));
        }
    }

    #[test]
    fn a_mark_that_an_entry_begins_with_is_its_own() {
        let newest = "\u{feff}a\n§\nb";
        let reading = read_bytes(Dialect::Hermes, Some(newest.as_bytes()), &[newest]);
        assert_eq!(reading, Reading::Text(newest.to_owned()));
    }

    #[test]
    fn a_watched_or_confirmed_file_counts_after_all() {
        assert_eq!(read_anyway(Dialect::Hermes, None), Some(String::new()));
        assert_eq!(read_anyway(Dialect::Hermes, Some(b"Lik")), Some("Lik".to_owned()));
        assert_eq!(read_anyway(Dialect::Hermes, Some(&[0, 0])), None);
        assert_eq!(read_anyway(Dialect::Hermes, Some(b"\xe9")), None);
    }

    const PAGE: &str =
        "# Memory\n\nMine.\n\n- Likes tea [by: user]\n- Le café est fermé\n- Ships on Tuesdays\n";

    fn check_page(file: &str, expected: Result<(), Guard>) {
        // No version keeps a person's lines.
        let version = PAGE.replace("Mine.\n\n", "");
        let reading = read_bytes(Dialect::Bullets, Some(file.as_bytes()), &[&version]);
        let expected = expected.map_or_else(Reading::Guarded, |()| Reading::Text(file.to_owned()));
        assert_eq!(reading, expected, "{file:?}");
    }

    #[test]
    fn a_list_that_ends_inside_an_entry_is_guarded() {
        for end in ["- Lik", "- Likes tea [by: u", "- Le café e", "- Ships on Tue", "- Ships on", "- Le "] {
            let at = PAGE.find(end).unwrap() + end.len();
            check_page(&PAGE[..at], Err(Guard::CutOff));
            check_page(&PAGE[..at].replace('\n', "\r\n"), Err(Guard::CutOff));
        }
        for end in ["Mine.", "- Likes tea [by: user]", "- Le café est fermé", "- Le café est fermé\n"] {
            let at = PAGE.find(end).unwrap() + end.len();
            check_page(&PAGE[..at], Ok(()));
        }
        let in_a_letter = &PAGE.as_bytes()[..PAGE.find('é').unwrap() + 1];
        let reading = read_bytes(Dialect::Bullets, Some(in_a_letter), &[PAGE]);
        assert_eq!(reading, Reading::Guarded(Guard::CutOff));
    }

    #[test]
    fn a_file_that_lost_its_section_removes_nothing() {
        let version = "<!-- memlore:begin -->\n- a\n<!-- memlore:end -->\n";
        let read = |file: &str| read_bytes(Dialect::Section, Some(file.as_bytes()), &[version]);
        let cut = version.trim_end_matches("end -->\n");
        for file in ["# Project\n", cut, &version[..30]] {
            assert_eq!(read(file), Reading::Guarded(Guard::NoSection), "{file}");
        }
        assert_eq!(
            read_bytes(Dialect::Section, Some(b"# Project\n"), &[]),
            Reading::Text("# Project\n".to_owned())
        );
        let utf16: Vec<u8> = "\u{feff}# Project".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read_bytes(Dialect::Section, Some(&utf16), &[]), Reading::Guarded(Guard::NotUtf8));
    }
}
