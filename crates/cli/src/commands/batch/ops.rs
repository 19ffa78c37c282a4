//! The operations of a batch, as they are read.

use crate::error::CommandError;
use memlore_model::{find_secret, quoted};
use memlore_store::answer::BatchResult;
use memlore_store::ask::BatchOp;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// What a batch asks for: operations, and the name that each was given.
pub(super) struct Asked {
    pub(super) ops: Vec<BatchOp>,
    names: Vec<String>,
}

impl Asked {
    /// The name that the operation of a result was given.
    pub(super) fn name(&self, result: &BatchResult) -> String {
        self.names
            .get(result.index)
            .filter(|name| !name.is_empty())
            .map_or(result.op, String::as_str)
            .to_owned()
    }
}

/// Reads a JSON list of operations; an item that cannot be read is refused in its place, by its reason.
///
/// # Errors
/// Returns an error when this is no JSON list at all.
pub(super) fn parse(json: &[u8]) -> Result<Asked, CommandError> {
    // Each item is parsed by itself, so that a broken string inside one spoils no other.
    let items: Vec<&RawValue> = serde_json::from_slice(json).map_err(|problem| {
        // The problem may repeat what stands there.
        let problem = Some(problem.to_string()).filter(|problem| find_secret(problem).is_none());
        let problem = problem.unwrap_or_else(|| "it holds something else".to_owned());
        CommandError::usage(format!("stdin holds no JSON list of operations: {problem}"))
            .hint(r#"write a list such as [{"op":"add","text":"…"},{"op":"remove","old":"…"}]"#)
    })?;
    let (names, ops) = items.into_iter().map(item).unzip();
    Ok(Asked { ops, names })
}

fn item(json: &RawValue) -> (String, BatchOp) {
    let fields: Map<String, Value> = match serde_json::from_str(json.get()) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return (String::new(), unreadable("the item is no JSON object")),
        Err(problem) => return (String::new(), unreadable(&format!("the item cannot be read: {problem}"))),
    };
    let Some(name) = fields.get("op").and_then(Value::as_str) else {
        return (String::new(), unreadable("the item has no `op`"));
    };
    let op = op(name, &fields).unwrap_or_else(|reason| unreadable(&reason));
    let name = if find_secret(name).is_some() { String::new() } else { name.to_owned() };
    (name, op)
}

fn op(name: &str, fields: &Map<String, Value>) -> Result<BatchOp, String> {
    let text = |key: &str| match fields.get(key) {
        Some(Value::String(text)) => Ok(text.clone()),
        None | Some(Value::Null) => Err(format!("{name} needs `{key}`")),
        Some(_) => Err(format!("`{key}` is no string")),
    };
    match name {
        "add" => Ok(BatchOp::Add { text: text("text")? }),
        "replace" => Ok(BatchOp::Replace { old: text("old")?, text: text("text")? }),
        "remove" => Ok(BatchOp::Remove { old: text("old")? }),
        _ => Err(format!("{} is none of add, replace and remove", quoted(name))),
    }
}

fn unreadable(reason: &str) -> BatchOp {
    BatchOp::Unreadable { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(json: &str) -> Vec<String> {
        let asked = parse(json.as_bytes()).map_err(|error| error.message).unwrap();
        let reason = |op| match op {
            BatchOp::Unreadable { reason } => reason,
            op => format!("{op:?}"),
        };
        asked.ops.into_iter().map(reason).collect()
    }

    #[test]
    fn an_item_that_cannot_be_read_is_refused_in_its_place() {
        let json = r#"[{"op":"add","text":"a"}, {"op":"drop"}, {"op":"replace","old":"a"}, 7,
            {"op":"add","text":"bad \ud83d end"}, {"op":"add","text":5}, {"text":"a"}, {"op":"remove","old":"a"}]"#;
        let reasons = reasons(json);
        assert_eq!(reasons[0], r#"Add { text: "a" }"#);
        assert_eq!(reasons[1], r#""drop" is none of add, replace and remove"#);
        assert_eq!(reasons[2], "replace needs `text`");
        assert_eq!(reasons[3], "the item is no JSON object");
        assert!(reasons[4].starts_with("the item cannot be read: "), "{}", reasons[4]);
        assert_eq!(reasons[5], "`text` is no string");
        assert_eq!(reasons[6], "the item has no `op`");
        assert_eq!(reasons[7], r#"Remove { old: "a" }"#);
    }

    #[test]
    fn what_is_no_list_is_no_batch() {
        for json in ["", "{}", "nonsense", "[1,", "[] []", "[\"\u{1}\"] x"] {
            assert_eq!(parse(json.as_bytes()).err().map(|error| error.exit as u8), Some(2), "{json}");
        }
        assert_eq!(parse(b"[\"\xff\"").err().map(|error| error.exit as u8), Some(2));
    }
}
