//! Applying an answer: its changes and the cursor, in one transaction.

use super::changes::Changes;
use super::{cursor, list};
use crate::answer::{Answered, Reviewed};
use crate::ask::Review;
use crate::limits::check_books;
use crate::operate::Books;
use crate::seen::Sight;
use crate::{Error, Result, Store};
use memlore_model::review::{AnswerProblem, Fitness, MOST_CHANGES, MOST_PASSES, read_answer};
use memlore_model::{clean_text, find_secret};

/// Applies a model's answer.
pub(crate) fn apply(store: &Store, review: &Review) -> Result<Answered<Reviewed>> {
    cursor::check_key(store, &review.conversation)?;
    let sight = Sight::of_token(review.context.as_deref())?;
    let answer = read_answer(&review.answer).map_err(AnswerProblem::from)?;
    if answer.names_entries() && review.context.is_none() {
        let what = "an edit or removal needs the context of the list that was shown";
        return Err(Error::Usage(what.to_owned()));
    }
    let digest = digest(store, review);
    let answered = store.operate(Books::All, |writing, frames| {
        let conversation = review.conversation.as_str();
        let own = writing.own;
        let read = writing.read(|tx| cursor::of(tx, own, conversation))?;
        if let Some(again) = writing.read(|tx| cursor::applied_before(tx, digest))? {
            let again = again && read.is_none_or(|read| read < review.through);
            return Ok((Reviewed { cursor: read, again, ..nothing_done(true) }, Vec::new()));
        }
        if let Some(read) = read.filter(|read| review.through <= *read) {
            return Err(Error::Moved {
                conversation: conversation.to_owned(),
                through: review.through,
                cursor: read,
            });
        }
        let listed = match &sight {
            Sight::Of(context) if answer.names_entries() => list::shown(writing, context)?,
            _ => Vec::new(),
        };
        let plan = answer.plan(listed.len(), |text| fitness(store, text))?;
        let mut changes = Changes::new(&listed, &sight, &review.books, plan.0.len());
        changes.take(writing, plan)?;
        check_books(writing, changes.draft(), frames)?;
        let (done, warnings) = changes.finish(writing)?;
        let pass = 1 + writing.read(|tx| cursor::passes(tx, conversation, read))?;
        let again = done.applied.len() >= MOST_CHANGES && pass < MOST_PASSES;
        if !again {
            cursor::set(writing, conversation, review.through, false)?;
        }
        writing.read(|tx| cursor::remember(tx, digest, conversation, read, again))?;
        let read = if again { read } else { Some(review.through) };
        Ok((Reviewed { cursor: read, again, ..done }, warnings))
    })?;
    let (answer, mut warnings) = answered.answer;
    warnings.splice(0..0, answered.warnings);
    Ok(Answered { answer, warnings })
}

pub(super) fn nothing_done(already: bool) -> Reviewed {
    Reviewed { applied: Vec::new(), left_out: Vec::new(), secrets: 0, cursor: None, again: false, already }
}

/// What an answer is known by. It may hold a secret, so the hash is keyed.
fn digest(store: &Store, review: &Review) -> [u8; 32] {
    let mut bytes = Vec::with_capacity(review.answer.len() + 64);
    for part in [&review.conversation, review.context.as_deref().unwrap_or_default(), &review.answer] {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    bytes.extend_from_slice(&review.through.to_le_bytes());
    store.file_hash(&bytes)
}

/// Whether memory can keep a text. A secret comes first, whatever else is wrong.
fn fitness(store: &Store, text: &str) -> Fitness {
    if find_secret(text).is_some() {
        return Fitness::Secret;
    }
    match clean_text(text).map_err(Error::from).and_then(|text| store.check_entry(&text).map(|()| text)) {
        Ok(text) => Fitness::Fit(text),
        Err(Error::Secret { .. }) => Fitness::Secret,
        Err(error) => Fitness::Unfit(error.to_string()),
    }
}
