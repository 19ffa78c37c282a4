//! A file that is no view of ours.

use super::Trust;
use crate::answer::Imported;
use crate::books::live_with_key;
use crate::draft::{Draft, NewEntry};
use crate::views::file;
use crate::views::taken::parse_elsewhere;
use crate::{Error, Result, Store};
use memlore_model::{BookName, Position, clean_text};
use memlore_view::{Reading, read_bytes};

/// Takes in a file that is no view: what it holds is added to the book `memory`; it removes nothing.
pub(crate) fn import_file(
    store: &Store,
    path: &std::path::Path,
    trust: Trust,
) -> Result<crate::answer::Answered<Imported>> {
    let same = |view: &crate::config::ViewConfig| {
        let ours = store.open.home.join(&view.path).canonicalize();
        matches!((ours, path.canonicalize()), (Ok(ours), Ok(named)) if ours == named)
    };
    if let Some(view) = store.all_views()?.iter().find(|view| same(view)) {
        return store.bring_views_up_to_date(crate::operate::Books::One(&view.book), trust);
    }
    let failed = |source| Error::File { what: "read", path: path.to_owned(), source };
    let gone = || failed(std::io::ErrorKind::NotFound.into());
    let bytes = file::read(path).map_err(failed)?.bytes.ok_or_else(gone)?;
    let dialect = store.config.dialect;
    let book = BookName::memory();
    store
        .operate(crate::operate::Books::One(&book), |writing, _| {
            let mut imported = Imported::default();
            let text = match read_bytes(dialect, Some(&bytes), &[]) {
                Reading::Text(text) => text,
                Reading::Guarded(guard) => {
                    return Ok((imported, vec![format!("{}: {guard}", path.display())]));
                }
            };
            let (parsed, left) = parse_elsewhere(store, dialect, &text);
            let warning = |why| format!("a text of {} is not taken over: {why}", path.display());
            let warnings = left.into_iter().map(|untaken| warning(untaken.why)).collect();
            let mut draft = Draft::default();
            let mut position = writing.next_position(&book)?;
            for item in parsed.items {
                let text = clean_text(&item.text)?;
                if !writing.read(|tx| live_with_key(tx, item.key.digest(), Some(&book)))?.is_empty() {
                    continue;
                }
                let name =
                    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                let entry = NewEntry::plain(book.clone(), text, position.clone());
                draft.add(entry.said_by(dialect, &item, name));
                position = Position::after(Some(&position));
                imported.added += 1;
            }
            draft.record(writing)?;
            Ok((imported, warnings))
        })
        .map(|answered| {
            let (answer, mut warnings) = answered.answer;
            warnings.extend(answered.warnings);
            crate::answer::Answered { answer, warnings }
        })
}
