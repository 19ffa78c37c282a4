//! What a reader had seen: making contexts, and asking them.

use crate::books::Live;
use crate::{Error, Result};
use memlore_model::{BookName, Context, ContextProblem, RecordHash, ReplicaId, Seen, Stream};
use rusqlite::{Connection, OptionalExtension as _, params};

/// What a remover had seen.
#[derive(Clone, Debug)]
pub(crate) enum Sight {
    /// Everything that is here now.
    Everything,
    /// What a context names.
    Of(Context),
}

impl Sight {
    /// Reads the token that a caller passes on.
    ///
    /// # Errors
    /// The token is damaged, or a later version made it.
    pub(crate) fn of_token(token: Option<&str>) -> Result<Self> {
        let Some(token) = token else { return Ok(Self::Everything) };
        Context::from_token(token).map(Self::Of).map_err(|problem| match problem {
            ContextProblem::Damaged => Error::Usage(problem.to_string()),
            ContextProblem::Newer(_) => Error::NewerContext(problem.to_string()),
        })
    }

    /// Whether the reader had seen this entry. What cannot be resolved here counts as not seen.
    pub(crate) fn covers(&self, db: &Connection, entry: &Live) -> rusqlite::Result<bool> {
        let Self::Of(context) = self else { return Ok(true) };
        if !context.books.iter().any(|book| book == entry.book.as_str()) {
            return Ok(false);
        }
        let Some(seen) = context.seen.get(&entry.replica_id) else { return Ok(false) };
        if seen.seq_last < entry.seq {
            return Ok(false);
        }
        let hash: Option<[u8; 32]> = db
            .prepare_cached("select hash from records where replica = ?1 and stream = ?2 and seq = ?3")?
            .query_row(params![entry.replica, Stream::Memory.number(), seen.seq_last], |row| row.get(0))
            .optional()?;
        Ok(hash.is_some_and(|hash| Seen::up_to(seen.seq_last, RecordHash(hash)) == *seen))
    }
}

/// The token for what is here now of these books.
pub(crate) fn context_now(
    db: &Connection,
    books: Vec<BookName>,
    dialect: Option<&str>,
) -> rusqlite::Result<String> {
    Ok(context_of(db, &books, dialect)?.to_token())
}

/// What is here now of these books.
pub(crate) fn context_of(
    db: &Connection,
    books: &[BookName],
    dialect: Option<&str>,
) -> rusqlite::Result<Context> {
    let seen = db
        .prepare_cached("select id, seq, hash from streams join replicas on num = replica where stream = ?1")?
        .query_map([Stream::Memory.number()], |row| {
            Ok((ReplicaId(row.get(0)?), Seen::up_to(row.get(1)?, RecordHash(row.get(2)?))))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let books = books.iter().map(BookName::to_string).collect();
    Ok(Context { seen, books, dialect: dialect.map(str::to_owned), list: None })
}
