//! JSON in its canonical form (RFC 8785): equal values, equal bytes.

mod number;

use std::borrow::Cow;

/// How deep values may be nested; deeper ones have no canonical form here.
const MOST_DEPTH: usize = 256;

/// Returns the canonical form of a JSON value; nothing when it is nested too deep or is no JSON.
///
/// Of keys given twice the last counts. Lone surrogates become U+FFFD. A number beyond a double's range stays as
/// it was written.
pub fn canonical(json: &str) -> Option<String> {
    let mut reader = Reader { bytes: json.as_bytes(), text: json, at: 0 };
    let mut out = String::with_capacity(json.len());
    reader.value(&mut out, 0)?;
    reader.space();
    (reader.at == json.len()).then_some(out)
}

/// Writes a string as canonical JSON does.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            8 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            12 => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            byte => out.push_str(&format!("\\u{byte:04x}")),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

/// The text that a JSON string stands for; nothing when it is no string.
pub fn string_of(json: &str) -> Option<Cow<'_, str>> {
    let json = json.trim_matches([' ', '\t', '\n', '\r']);
    let mut reader = Reader { bytes: json.as_bytes(), text: json, at: 0 };
    let text = reader.string()?;
    (reader.at == json.len()).then_some(text)
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        self.space();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn value(&mut self, out: &mut String, depth: usize) -> Option<()> {
        self.space();
        match self.peek()? {
            b'"' => push_string(out, &self.string()?),
            b'{' | b'[' if depth == MOST_DEPTH => return None,
            b'{' => self.object(out, depth)?,
            b'[' => self.array(out, depth)?,
            b't' => self.word(out, "true")?,
            b'f' => self.word(out, "false")?,
            b'n' => self.word(out, "null")?,
            _ => self.number(out)?,
        }
        Some(())
    }

    fn word(&mut self, out: &mut String, word: &str) -> Option<()> {
        self.text.get(self.at..)?.starts_with(word).then(|| {
            out.push_str(word);
            self.at += word.len();
        })
    }

    fn number(&mut self, out: &mut String) -> Option<()> {
        let begin = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) {
            self.at += 1;
        }
        number::push(out, self.text.get(begin..self.at)?)
    }

    fn array(&mut self, out: &mut String, depth: usize) -> Option<()> {
        self.eat(b'[')?;
        out.push('[');
        if self.eat(b']').is_none() {
            loop {
                self.value(out, depth + 1)?;
                if self.eat(b',').is_none() {
                    break;
                }
                out.push(',');
            }
            self.eat(b']')?;
        }
        out.push(']');
        Some(())
    }

    fn object(&mut self, out: &mut String, depth: usize) -> Option<()> {
        self.eat(b'{')?;
        let mut members: Vec<(Cow<'a, str>, String)> = Vec::new();
        if self.eat(b'}').is_none() {
            loop {
                self.space();
                let key = self.string()?;
                self.eat(b':')?;
                let mut value = String::new();
                self.value(&mut value, depth + 1)?;
                members.push((key, value));
                if self.eat(b',').is_none() {
                    break;
                }
            }
            self.eat(b'}')?;
        }
        // The order is that of UTF-16 code units; it is stable, so of equal keys the last stays last.
        members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
        let mut first = true;
        out.push('{');
        for (index, (key, value)) in members.iter().enumerate() {
            if members.get(index + 1).is_some_and(|(next, _)| next == key) {
                continue;
            }
            if !first {
                out.push(',');
            }
            first = false;
            push_string(out, key);
            out.push(':');
            out.push_str(value);
        }
        out.push('}');
        Some(())
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        if self.peek()? != b'"' {
            return None;
        }
        self.at += 1;
        let begin = self.at;
        while !matches!(self.peek()?, b'"' | b'\\') {
            self.at += 1;
        }
        let plain = &self.text[begin..self.at];
        if self.peek()? == b'"' {
            self.at += 1;
            return Some(Cow::Borrowed(plain));
        }
        let mut text = plain.to_owned();
        loop {
            let begin = self.at;
            while !matches!(self.peek()?, b'"' | b'\\') {
                self.at += 1;
            }
            text.push_str(&self.text[begin..self.at]);
            self.at += 1;
            if self.bytes[self.at - 1] == b'"' {
                return Some(Cow::Owned(text));
            }
            text.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Option<char> {
        let byte = self.peek()?;
        self.at += 1;
        Some(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.unit()?;
                if !(0xd800..0xdc00).contains(&unit) {
                    return Some(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                let before = self.at;
                if self.text.get(self.at..)?.starts_with("\\u") {
                    self.at += 2;
                    let low = self.unit()?;
                    if (0xdc00..0xe000).contains(&low) {
                        let point = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                        return char::from_u32(point);
                    }
                    self.at = before;
                }
                char::REPLACEMENT_CHARACTER
            }
            _ => return None,
        })
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_rfc_has_its_canonical_form() {
        let json = "{\n \"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],\n \
                    \"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\n \
                    \"literals\": [null, true, false]\n}";
        let wanted = "{\"literals\":[null,true,false],\
                      \"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
                      \"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(canonical(json).as_deref(), Some(wanted));
    }

    #[test]
    fn keys_sort_by_utf_16_and_the_last_of_two_counts() {
        let json = "{\"\\ufb33\":1,\"\u{1f600}\":2,\"a\":3,\"a\":4,\"\":5}";
        let wanted = "{\"\":5,\"a\":4,\"\u{1f600}\":2,\"\u{fb33}\":1}";
        assert_eq!(canonical(json).as_deref(), Some(wanted));
    }

    #[test]
    fn a_lone_surrogate_becomes_the_replacement_character() {
        assert_eq!(
            canonical(r#""a\ud83d\u0041\ude00\ud83d\ude00""#).as_deref(),
            Some("\"a\u{fffd}A\u{fffd}\u{1f600}\"")
        );
        assert_eq!(string_of(r#" "\ud83d" "#).as_deref(), Some("\u{fffd}"));
    }

    #[test]
    fn what_is_no_json_has_no_canonical_form() {
        for text in ["", "{", "[1,]", "tru", "\"a", "1 2", "{\"a\":}", "\"\\x\"", "\"\\u12\""] {
            assert_eq!(canonical(text), None, "{text}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(canonical(&deep), None);
    }
}
