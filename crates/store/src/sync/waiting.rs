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
        let records: Vec<(Vec<u8>, String, u64)> = db
            .prepare(
                "select replica, why, count(*) from waiting group by replica, why order by replica, why",
            )?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<rusqlite::Result<_>>()?;
        for (replica, why, count) in records {
            let replica = ReplicaId(replica.try_into().unwrap_or_default());
            waiting.push(match why.as_str() {
                "fork" => format!(
                    "{count} records of {replica} contradict others of the same number; they are kept"
                ),
                _ => format!("{count} records of {replica} wait for earlier ones"),
            });
        }
        Ok(waiting)
    })
}
