//! Looking into a database without changing anything around it.

use crate::database::log_of;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// Opens a database read-only and reads from it.
///
/// Where not even the shared memory of its log can be made, a database without a log is read as a file that nobody
/// changes.
pub(super) fn look_into<T>(
    path: &Path,
    wait: Duration,
    read: impl Fn(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<(Connection, T)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let look = |opened: rusqlite::Result<Connection>| {
        let db = opened?;
        db.busy_timeout(wait)?;
        let found = read(&db)?;
        Ok((db, found))
    };
    let plain = look(Connection::open_with_flags(path, flags));
    match (plain, path.to_str()) {
        (Err(_), Some(text)) if path.is_file() && !log_of(path).exists() => {
            let spelt = text.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
            let address = format!("file:{spelt}?immutable=1");
            look(Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI))
        }
        (plain, _) => plain,
    }
}
