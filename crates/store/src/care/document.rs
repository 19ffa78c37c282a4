//! The one Automerge document that all changes form.

use automerge::{Automerge, Change, ReadDoc as _, ScalarValue, Value};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Builds the document of every change that counts here; returns it, and how many changes it could not take.
///
/// Its cost grows with history, so only `doctor --deep` and the export ask for it.
pub(super) fn build(db: &Connection) -> rusqlite::Result<(Automerge, usize)> {
    let payloads: Vec<Vec<u8>> = db
        .prepare(
            "select payload from records where change_hash is not null and payload is not null order by num",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let changes: Vec<Change> =
        payloads.into_iter().filter_map(|payload| Change::from_bytes(payload).ok()).collect();
    let count = changes.len();
    let mut document = Automerge::new();
    // These changes were checked when they came in; a panic here would still be somebody else's to explain.
    let applied = catch_unwind(AssertUnwindSafe(|| document.apply_changes(changes)));
    if !matches!(applied, Ok(Ok(()))) {
        return Ok((Automerge::new(), count));
    }
    let taken = document.get_changes(&[]).len();
    Ok((document, count.saturating_sub(taken)))
}

/// Every key of the document, with all the values that were put there.
pub(super) fn puts(document: &Automerge) -> BTreeMap<String, Vec<String>> {
    let mut puts = BTreeMap::new();
    for key in document.keys(automerge::ROOT) {
        let all = document.get_all(automerge::ROOT, &key).unwrap_or_default();
        let mut values: Vec<String> = all
            .into_iter()
            .filter_map(|(value, _)| match value {
                Value::Scalar(scalar) => match scalar.as_ref() {
                    ScalarValue::Str(text) => Some(text.to_string()),
                    _ => None,
                },
                Value::Object(_) => None,
            })
            .collect();
        values.sort_unstable();
        puts.insert(key, values);
    }
    puts
}
