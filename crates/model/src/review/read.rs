//! From a model's words to an [`Answer`].

use super::{Answer, Change, Malformation, Op};
use serde_json::{Map, Value};

/// Reads an answer: one JSON object, perhaps in a code fence or with prose around it.
///
/// # Errors
/// Returns what is malformed first.
pub fn read_answer(answer: &str) -> Result<Answer, Malformation> {
    let object = answer.find('{').zip(answer.rfind('}')).and_then(|(first, last)| answer.get(first..=last));
    let object = object.and_then(|object| serde_json::from_str(object).ok());
    let Some(Value::Object(object)) = object else { return Err(Malformation::NoObject) };
    let Some(Value::Array(changes)) = object.get("changes") else { return Err(Malformation::NoList) };
    let changes = changes.iter().enumerate().map(|(index, change)| read_change(index, change));
    Ok(Answer { changes: changes.collect::<Result<_, _>>()? })
}

fn read_change(index: usize, change: &Value) -> Result<Change, Malformation> {
    let fields = change.as_object().ok_or(Malformation::NoChange(index))?;
    let op = match fields.get("op").and_then(Value::as_str) {
        Some("add") => Op::Add { text: text(index, fields)? },
        Some("edit") => {
            let text = text(index, fields)?;
            Op::Edit { entry: entry(index, fields)?, text }
        }
        Some("remove") => Op::Remove { entry: entry(index, fields)? },
        _ => return Err(Malformation::Op(index)),
    };
    let topic = match fields.get("topic") {
        None => None,
        Some(Value::String(topic)) => Some(topic.clone()),
        Some(_) => return Err(Malformation::Topic(index)),
    };
    let team = match fields.get("team") {
        None => false,
        Some(Value::Bool(team)) => *team,
        Some(_) => return Err(Malformation::Team(index)),
    };
    Ok(Change { op, topic, team })
}

fn text(index: usize, fields: &Map<String, Value>) -> Result<String, Malformation> {
    let text = fields.get("text").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or(Malformation::Text(index))
}

/// A whole number from 1, or a string that is one.
fn entry(index: usize, fields: &Map<String, Value>) -> Result<u64, Malformation> {
    let number = match fields.get("entry") {
        Some(Value::Number(number)) => number.as_u64().or_else(|| number.as_f64().and_then(whole)),
        Some(Value::String(digits)) => digits.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| *number >= 1).ok_or(Malformation::Entry(index))
}

/// A number written with a fraction or an exponent; one that is too large names nothing that was ever listed.
fn whole(number: f64) -> Option<u64> {
    (number >= 1.0 && number.fract() == 0.0).then_some(number as u64)
}
