//! How every operation runs: views locked, one transaction, views written after the commit.

use crate::answer::{Answered, Imported, Warning};
use crate::views::{Edits, Rendered, Trust, View, Written, set_trouble, settle_held};
use crate::writing::Writing;
use crate::{Result, Store};
use memlore_model::BookName;
use memlore_view::Frame;
use std::collections::BTreeMap;

/// How often a view is taken in again because somebody wrote it between our look and our rename.
const MOST_RACES: usize = 5;

/// The books an operation may touch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Books<'a> {
    /// One book.
    One(&'a BookName),
    /// Any book.
    All,
}

impl Books<'_> {
    /// Whether a book is among them.
    pub(crate) fn include(self, book: &BookName) -> bool {
        match self {
            Self::One(one) => one == book,
            Self::All => true,
        }
    }
}

/// What stands in the files of the books at work and belongs to somebody else.
#[derive(Debug, Default)]
pub(crate) struct Frames(BTreeMap<BookName, Frame>);

impl Frames {
    /// The frame of a book's first view, which its limit is counted with.
    pub(crate) fn of(&self, book: &BookName) -> Frame {
        self.0.get(book).cloned().unwrap_or_default()
    }
}

impl Store {
    /// Runs an operation: takes in hand edits, does the work, renders, commits, writes the files.
    ///
    /// When the work is refused, nothing of it is stored; the hand edits that came before it are.
    pub(crate) fn operate<T>(
        &self,
        books: Books<'_>,
        work: impl FnOnce(&mut Writing<'_>, &Frames) -> Result<T>,
    ) -> Result<Answered<T>> {
        let mut views = self.open_views(books)?;
        let mut warnings = Vec::new();
        let mut writing = Writing::begin(self)?;
        let (edits, frames) = import_all(&mut views, &mut writing, Trust::Evidence, &mut warnings)?;
        let answer = match work(&mut writing, &frames) {
            Ok(answer) => answer,
            Err(error) => {
                drop(writing);
                let mut writing = Writing::begin(self)?;
                writing.unheard = true;
                let (edits, _) = import_all(&mut views, &mut writing, Trust::Evidence, &mut warnings)?;
                self.finish(&mut views, writing, edits, &mut warnings)?;
                return Err(error);
            }
        };
        self.finish(&mut views, writing, edits, &mut warnings)?;
        Ok(Answered { answer, warnings })
    }

    /// Takes in hand edits and renders, with no other work.
    pub(crate) fn bring_views_up_to_date(
        &self,
        books: Books<'_>,
        trust: Trust,
    ) -> Result<Answered<Imported>> {
        let mut views = self.open_views(books)?;
        let mut warnings = Vec::new();
        let imported = self.catch_up(&mut views, trust, &mut warnings)?;
        Ok(Answered { answer: imported, warnings })
    }

    pub(crate) fn open_views(&self, books: Books<'_>) -> Result<Vec<View>> {
        self.views_of(books)?.into_iter().map(|view| View::open(self, view)).collect()
    }

    fn catch_up(&self, views: &mut [View], trust: Trust, warnings: &mut Vec<Warning>) -> Result<Imported> {
        let mut writing = Writing::begin(self)?;
        let (edits, _) = import_all(views, &mut writing, trust, warnings)?;
        let imported = total(&edits);
        self.finish(views, writing, edits, warnings)?;
        Ok(imported)
    }

    /// Renders, commits and writes. Somebody may write a view after it was read: what they wrote is taken in, and
    /// the view is rendered again.
    fn finish<'a>(
        &'a self,
        views: &mut [View],
        mut writing: Writing<'a>,
        mut edits: Vec<Edits>,
        warnings: &mut Vec<Warning>,
    ) -> Result<()> {
        for _ in 0..MOST_RACES {
            let rendered = render_and_commit(views, writing, &edits)?;
            if !self.write_all(views, &rendered, warnings) {
                return Ok(());
            }
            writing = Writing::begin(self)?;
            (edits, _) = import_all(views, &mut writing, Trust::Evidence, warnings)?;
        }
        render_and_commit(views, writing, &edits)?;
        warnings.push(
            "another program keeps rewriting a view; everything is stored, and it is rendered later".into(),
        );
        Ok(())
    }

    /// Writes the files; returns whether one of them was changed by somebody else meanwhile.
    fn write_all(&self, views: &[View], rendered: &[Rendered], warnings: &mut Vec<Warning>) -> bool {
        let mut raced = false;
        for (view, rendered) in views.iter().zip(rendered) {
            match view.write(self, rendered) {
                Written::Done => {}
                Written::Raced => raced = true,
                Written::Failed(warning) => self.note_trouble(view, warning, warnings),
            }
        }
        raced
    }

    fn note_trouble(&self, view: &View, warning: Warning, warnings: &mut Vec<Warning>) {
        // The operation is stored; that its view is not written is worth a note, never a failure.
        if let Ok(tx) = self.db.begin()
            && set_trouble(&tx, view.number, Some(&warning)).is_ok()
        {
            drop(tx.commit());
        }
        warnings.push(warning);
    }
}

fn import_all(
    views: &mut [View],
    writing: &mut Writing<'_>,
    trust: Trust,
    warnings: &mut Vec<Warning>,
) -> Result<(Vec<Edits>, Frames)> {
    let mut all = Vec::with_capacity(views.len());
    let mut frames = Frames::default();
    for view in views {
        let mut edits = view.import(writing, trust)?;
        warnings.append(&mut edits.warnings);
        frames.0.entry(view.config.book.clone()).or_insert_with(|| edits.frame.clone());
        all.push(edits);
    }
    Ok((all, frames))
}

fn render_and_commit(views: &[View], writing: Writing<'_>, edits: &[Edits]) -> Result<Vec<Rendered>> {
    settle_held(&writing)?;
    let rendered =
        views.iter().zip(edits).map(|(view, edits)| view.render(&writing, edits)).collect::<Result<_>>()?;
    writing.commit()?;
    Ok(rendered)
}

fn total(edits: &[Edits]) -> Imported {
    edits.iter().fold(Imported::default(), |sum, edits| Imported {
        added: sum.added + edits.imported.added,
        removed: sum.removed + edits.imported.removed,
        replaced: sum.replaced + edits.imported.replaced,
        held: sum.held + edits.imported.held,
    })
}
