//! What a reader had seen: making contexts, and asking them.

use crate::books::Live;
use crate::branch::{family, find, hash_at, lineage, written_under};
use crate::{Error, Result};
use memlore_model::{BookName, Context, ContextProblem, RecordHash, ReplicaId, Seen, Stream};
use rusqlite::{Connection, OptionalExtension as _};

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
        let stream = Stream::Memory;
        if let Some(seen) = context.seen.get(&entry.replica_id)
            && hash_at(db, entry.replica, stream, seen.seq_last)?.is_some_and(|hash| names(*seen, hash))
        {
            return Ok(seen.seq_last >= entry.seq);
        }
        // The stream may have forked since: what was seen then stands in its branches now.
        let family = family(db, written_under(db, entry.replica)?)?;
        for (replica, seen) in &context.seen {
            let Some(found) = locate(db, *replica, *seen)?.filter(|found| family.contains(found)) else {
                continue;
            };
            let upto = if found == entry.replica { seen.seq_last } else { u64::MAX };
            if upto >= entry.seq && lineage(db, found, stream)?.contains(&entry.replica) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn names(seen: Seen, hash: RecordHash) -> bool {
    Seen::up_to(seen.seq_last, hash) == seen
}

/// The number under which the last record stands that a context names of a replica.
pub(crate) fn locate(db: &Connection, replica: ReplicaId, seen: Seen) -> rusqlite::Result<Option<i64>> {
    let known = db
        .prepare_cached("select num from replicas where id = ?1")?
        .query_row([replica.0], |row| row.get(0))
        .optional()?;
    let Some(number) = known else { return Ok(None) };
    let family = family(db, written_under(db, number)?)?;
    find(db, &family, Stream::Memory, seen.seq_last, |hash| names(seen, hash))
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
        .prepare_cached(
            "select id, seq, hash from streams join replicas on num = replica where stream = ?1 and seq > 0",
        )?
        .query_map([Stream::Memory.number()], |row| {
            Ok((ReplicaId(row.get(0)?), Seen::up_to(row.get(1)?, RecordHash(row.get(2)?))))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let books = books.iter().map(BookName::to_string).collect();
    Ok(Context { seen, books, dialect: dialect.map(str::to_owned), list: None })
}
