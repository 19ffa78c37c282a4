//! What a row says, as the message that hermes wrote.

use memlore_model::canonical::{canonical, push_string};
use rusqlite::Row;
use rusqlite::types::ValueRef;

/// Columns that say where a row stands and not what it says.
const NOT_SAID: [&str; 4] = ["id", "session_id", "active", "compacted"];

/// Columns that hold JSON as text.
const JSON: [&str; 4] = ["tool_calls", "reasoning_details", "codex_reasoning_items", "codex_message_items"];

/// What stands before the JSON of a content that is no text.
const STRUCTURED: &[u8] = b"\0json:";

/// The message in a row, as JSON: role and content, and every other column that holds anything.
pub(super) fn message(row: &Row<'_>, columns: &[String]) -> rusqlite::Result<String> {
    let mut message = String::from("{");
    for (index, column) in columns.iter().enumerate() {
        let value = row.get_ref(column.as_str()).or_else(|_| row.get_ref(index))?;
        let said = column == "role" || column == "content";
        if NOT_SAID.contains(&column.as_str()) || (value == ValueRef::Null && !said) {
            continue;
        }
        if column == "observed" && value == ValueRef::Integer(0) {
            continue;
        }
        if message.len() > 1 {
            message.push_str(", ");
        }
        push_string(&mut message, column);
        message.push_str(": ");
        let json_text = match value {
            ValueRef::Text(text) if column == "content" => text.strip_prefix(STRUCTURED),
            ValueRef::Text(text) if JSON.contains(&column.as_str()) => Some(text),
            _ => None,
        };
        let structured =
            json_text.and_then(memlore_model::message::mend).filter(|text| canonical(text).is_some());
        message.push_str(&structured.unwrap_or_else(|| json(value)));
    }
    message.push('}');
    Ok(message)
}

/// A value as JSON.
pub(super) fn json(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) if number.is_finite() => format!("{number:?}"),
        ValueRef::Real(_) => "null".to_owned(),
        ValueRef::Text(text) => quoted(&String::from_utf8_lossy(text)),
        ValueRef::Blob(bytes) => quoted(&data_encoding::BASE64.encode(bytes)),
    }
}

fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    push_string(&mut json, text);
    json
}

/// Seconds as microseconds; 0 for what is no number.
pub(super) fn micros(value: ValueRef<'_>) -> i64 {
    match value {
        ValueRef::Integer(seconds) => seconds.saturating_mul(1_000_000),
        ValueRef::Real(seconds) => memlore_model::message::micros(&format!("{seconds:?}")).unwrap_or(0),
        ValueRef::Text(text) => {
            std::str::from_utf8(text).ok().and_then(memlore_model::message::micros).unwrap_or(0)
        }
        _ => 0,
    }
}
