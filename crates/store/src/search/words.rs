//! Texts as the index sees them: words by white space, and two characters at a time where words have none.

use serde_json::Value;

/// Whether a character belongs to a script that writes words without spaces between them: Chinese and Japanese.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}')
}

/// A text for the index: each run of Chinese or Japanese becomes its pairs of characters, and its last character.
pub(super) fn indexed(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut characters = text.chars().peekable();
    let mut in_run = false;
    while let Some(c) = characters.next() {
        if !is_cjk(c) {
            if in_run {
                out.push(' ');
            }
            in_run = false;
            // NUL would end the text.
            out.push(if c == '\0' { ' ' } else { c });
            continue;
        }
        out.push(' ');
        out.push(c);
        in_run = true;
        if let Some(next) = characters.peek().filter(|next| is_cjk(**next)) {
            out.push(*next);
        }
    }
    out
}

/// The words of a message: what it says, and the tools that it calls and with what.
pub(crate) fn of_message(fields: &[(String, String)]) -> String {
    let mut text = String::new();
    for name in ["content", "tool_name", "tool_calls"] {
        let Some((_, json)) = fields.iter().rev().find(|(field, _)| field == name) else { continue };
        match serde_json::from_str::<Value>(json) {
            Ok(value) if name == "tool_calls" => calls(&mut text, &value),
            Ok(value) => content(&mut text, &value),
            Err(_) => {}
        }
    }
    text
}

fn line(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push('\n');
    }
    text.push_str(more);
}

fn content(text: &mut String, value: &Value) {
    match value {
        Value::String(more) => line(text, more),
        Value::Array(parts) => parts.iter().for_each(|part| content(text, part)),
        Value::Object(part) => part.get("text").into_iter().for_each(|more| content(text, more)),
        _ => {}
    }
}

fn calls(text: &mut String, value: &Value) {
    let list = match value {
        Value::String(json) => serde_json::from_str(json).unwrap_or_default(),
        list => list.clone(),
    };
    for call in list.as_array().into_iter().flatten() {
        let function = call.get("function").unwrap_or(call);
        for name in ["name", "arguments"] {
            if let Some(more) = function.get(name).and_then(Value::as_str) {
                line(text, more);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_become_pairs() {
        assert_eq!(indexed("see 数据库 now"), "see  数据 据库 库  now");
        assert_eq!(indexed("記憶"), " 記憶 憶");
        assert_eq!(indexed("plain text"), "plain text");
    }

    #[test]
    fn a_message_is_found_by_what_it_says_and_calls() {
        let fields = [
            ("content", r#"[{"type":"text","text":"two"},{"type":"image","url":"x"}]"#),
            (
                "tool_calls",
                r#""[{\"function\":{\"name\":\"shell\",\"arguments\":\"{\\\"cmd\\\":\\\"ls\\\"}\"}}]""#,
            ),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(of_message(&fields), "two\nshell\n{\"cmd\":\"ls\"}");
    }
}
