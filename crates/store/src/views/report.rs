//! The state of the views, for people. Looks, and changes nothing.

use super::render::shown_here;
use super::taken::parse_here;
use super::topics::topics_of;
use super::{file, held, number, versions};
use crate::answer::{ViewReport, ViewState};
use crate::books::{Visible, visible_in};
use crate::config::ViewConfig;
use crate::{Result, Store};
use memlore_view::{Dialect, Frame, Reading, Sheet, Shown, read_anyway, read_bytes, render, wants_file};

/// Tells the state of every view.
pub(crate) fn report(store: &Store) -> Result<Vec<ViewReport>> {
    store.all_views()?.iter().map(|view| report_one(store, view)).collect()
}

/// What stands in a view's file now and belongs to somebody else.
pub(crate) fn frame_now(store: &Store, config: &ViewConfig) -> Result<Frame> {
    let bytes = file::read(&store.open.home.join(&config.path)).ok().and_then(|file| file.bytes);
    let text = bytes.and_then(|bytes| read_anyway(config.dialect, Some(&bytes)));
    let parsed = text.map(|text| {
        let (dialect, book) = (config.dialect, &config.book);
        store.db.read(|db| parse_here(store, db, dialect, book, &text).map(|(parsed, _)| parsed.frame))
    });
    parsed.unwrap_or_else(|| Ok(Frame::default()))
}

fn report_one(store: &Store, config: &ViewConfig) -> Result<ViewReport> {
    let path = store.open.home.join(&config.path);
    let name = config.path.to_string_lossy();
    let (held, trouble) = store.db.read(|db| {
        let Some(view) = number(db, &name)? else { return Ok((Vec::new(), None)) };
        let trouble = db.query_row("select trouble from views where num = ?1", [view], |row| row.get(0))?;
        Ok((held::of_view(db, view)?.into_iter().map(Into::into).collect(), trouble))
    })?;
    let state = match file::read(&path) {
        Err(_) => ViewState::Unusable,
        // A topic that has no entries has no file.
        Ok(now) => state_of(store, config, now.bytes.as_deref())?,
    };
    Ok(ViewReport { book: config.book.clone(), path, state, held, trouble })
}

fn state_of(store: &Store, config: &ViewConfig, bytes: Option<&[u8]>) -> Result<ViewState> {
    let dialect = config.dialect;
    let here = store.db.read(|db| shown_here(store, db, visible_in(db, &config.book)?))?;
    let shown: Vec<Shown<'_>> = here.iter().map(Visible::shown).collect();
    let topics = store.db.read(|db| topics_of(store, db, &config.book))?;
    let sheet = Sheet { dialect, book: Some(&config.book), topics: &topics };
    let Some(bytes) = bytes else {
        let wanted = dialect == Dialect::Hermes || wants_file(sheet, &shown, &Frame::default());
        return Ok(if wanted { ViewState::Missing } else { ViewState::Current });
    };
    let frame = match read_bytes(dialect, Some(bytes), &[]) {
        Reading::Guarded(_) => return Ok(ViewState::Unusable),
        Reading::Text(text) => {
            let book = &config.book;
            let (parsed, _) = store.db.read(|db| parse_here(store, db, dialect, book, &text))?;
            if parsed.stands_as(here.iter().map(|entry| entry.key)) {
                return Ok(ViewState::Current);
            }
            parsed.frame
        }
    };
    if render(sheet, &shown, &frame).as_bytes() == bytes || shown.is_empty() && bytes.is_empty() {
        return Ok(ViewState::Current);
    }
    let hash = store.file_hash(bytes);
    let name = config.path.to_string_lossy();
    let ours = store.db.read(|db| match number(db, &name)? {
        Some(view) => versions::is_known(db, view, hash),
        None => Ok(false),
    })?;
    Ok(if ours { ViewState::Outdated } else { ViewState::Edited })
}
