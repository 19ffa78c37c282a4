//! What is not here yet, in words.

use crate::{Result, Store};
use memlore_model::ReplicaId;

/// What is not yet here, in sentences for people.
pub(crate) fn waiting(store: &Store) -> Result<Vec<String>> {
    store.db.read(|db| {
        let mut waiting: Vec<String> = db
            .prepare("select problem from taken_files where problem is not null order by path limit 100")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let records: Vec<([u8; 16], u64)> = db
            .prepare("select replica, count(*) from waiting group by replica order by replica")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        waiting.extend(records.into_iter().map(|(replica, count)| {
            format!("{count} records of {} wait for earlier ones", ReplicaId(replica))
        }));
        Ok(waiting)
    })
}
