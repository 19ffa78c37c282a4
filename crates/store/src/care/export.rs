//! Writing everything out for other programs.

use super::document;
use crate::answer::Recalled;
use crate::ask::ListQuery;
use crate::books::{Visible, count_shown, shown_once, visible_in};
use crate::{Error, Result, Store, recall};
use memlore_model::BookName;
use memlore_view::{Dialect, Frame, Shown, render};
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;

/// How a store is written out for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// One JSON object a line: every entry, with what became of it.
    JsonLines,
    /// The book `memory` as a view in this dialect, by its name.
    View(&'static str),
    /// The Automerge document that all changes form.
    Automerge,
}

/// Writes the store out; the warnings say what an export cannot carry.
pub(crate) fn export(store: &Store, format: Export, out: &mut dyn Write) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    let written = match format {
        Export::JsonLines => {
            let live = recall::list(store, &ListQuery::default())?.entries;
            let removed = recall::list(store, &ListQuery { removed: true, ..ListQuery::default() })?.entries;
            live.iter().chain(&removed).try_for_each(|recalled| writeln!(out, "{}", line(recalled)))
        }
        Export::View(name) => {
            let unknown = || Error::Usage(format!("there is no dialect {name:?}"));
            let dialect = Dialect::from_name(name).ok_or_else(unknown)?;
            let entries = shown_once(store.db.read(|db| visible_in(db, &BookName::memory()))?);
            let texts: Vec<Shown<'_>> = entries.iter().map(Visible::shown).collect();
            for book in store.books()?.into_iter().filter(|book| *book != BookName::memory()) {
                let left_out = store.db.read(|db| count_shown(db, &book))?;
                if left_out > 0 {
                    warnings.push(format!(
                        "a view holds one book; {book} with its {left_out} entries is not in it"
                    ));
                }
            }
            out.write_all(render(dialect, &texts, &Frame::default()).as_bytes())
        }
        Export::Automerge => {
            let (document, left_out) = store.db.read(document::build)?;
            if left_out > 0 {
                warnings.push(format!("{left_out} changes do not fit into one document and are left out"));
            }
            out.write_all(&document.save())
        }
    };
    written.map_err(write_error)?;
    Ok(warnings)
}

fn write_error(source: io::Error) -> Error {
    Error::File { what: "write the export to", path: PathBuf::from("the output"), source }
}

fn line(recalled: &Recalled) -> serde_json::Value {
    let Recalled { id, entry, removed } = recalled;
    let ids = |ids: &[memlore_model::EntryId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut line = json!({
        "id": id.to_string(),
        "book": entry.book.as_str(),
        "text": entry.text,
        "written": entry.written.us,
        "by": entry.by,
        "device": entry.device,
        "source": entry.source,
        "labels": entry.labels,
        "replaces": ids(&entry.replaces),
    });
    if !removed.is_empty() {
        let removals = removed.iter().map(|removal| {
            json!({
                "at": removal.at.us,
                "by": removal.by,
                "device": removal.device,
                "why": removal.why,
                "replaced_by": ids(&removal.replaced_by),
            })
        });
        line["removed"] = removals.collect();
    }
    line
}
