//! Moving a damaged database aside, whole, so that nothing of it is ever overwritten.

use crate::database::Database;
use crate::{Error, Open, Result};

/// Moves the database and what belongs to it aside; returns a sentence that says where to.
pub(crate) fn move_aside(open: &Open, what: &str) -> Result<String> {
    let path = Database::path_in(&open.state);
    let folder = open.state.join(format!("damaged-{}", (open.now)()));
    let moved = std::fs::create_dir_all(&folder).and_then(|()| {
        for suffix in ["", "-wal", "-shm"] {
            let mut from = path.clone().into_os_string();
            from.push(suffix);
            let from = std::path::PathBuf::from(from);
            let name = from.file_name().unwrap_or_default().to_owned();
            match std::fs::rename(&from, folder.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    });
    moved.map_err(|source| Error::File {
        what: "move the damaged database to",
        path: folder.clone(),
        source,
    })?;
    Ok(format!(
        "the database was damaged ({what}); it was moved whole to {} and begun anew from the share and the views",
        folder.display()
    ))
}
