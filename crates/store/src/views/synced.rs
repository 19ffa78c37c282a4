//! Whether a home lies in a synced folder, where a file may travel faster than its records.

use crate::Store;
use std::fs;
use std::path::Path;

/// The folder in a home where each replica that renders there leaves its name.
const PRESENCE: &str = ".memlore";

/// Folder names that sync programs give their roots, in lower case.
const ROOTS: [&str; 9] = [
    "onedrive",
    "dropbox",
    "icloud drive",
    "iclouddrive",
    "com~apple~clouddocs",
    "mobile documents",
    "google drive",
    "googledrive",
    "nextcloud",
];

/// Whether the home is synced: it was said so, it lies in a known sync root, or another replica renders there.
pub(crate) fn is_synced(store: &Store) -> bool {
    store.config.synced.unwrap_or_else(|| in_sync_root(&store.open.home) || others_render_here(store))
}

/// Whether another replica renders into the same files.
pub(crate) fn others_render_here(store: &Store) -> bool {
    let entries = fs::read_dir(store.open.home.join(PRESENCE)).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).any(|name| {
        let id = name.split('.').next().unwrap_or_default();
        id.parse().is_ok_and(|id| !store.was_ever_us(id))
    })
}

/// Leaves our name in the home, so that other replicas that render there know of us.
pub(crate) fn announce(store: &Store) {
    let folder = store.open.home.join(PRESENCE);
    let path = folder.join(format!("{}.txt", store.me.id));
    if !path.exists() && fs::create_dir_all(&folder).is_ok() {
        // Only a hint: without it the home counts as synced by its place or by the configuration.
        drop(fs::write(&path, format!("memlore on {} renders into this folder.\n", store.open.device)));
    }
}

fn in_sync_root(home: &Path) -> bool {
    let resolved = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    resolved.ancestors().any(|folder| {
        let name = folder.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        // Work accounts add their name: "OneDrive - Contoso", "Dropbox (Personal)".
        let known = ROOTS.iter().any(|root| {
            name.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '-', '(']))
        });
        known || folder.join(".stfolder").exists()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_sync_roots_are_recognised() {
        let folder = tempfile::tempdir().unwrap();
        for (path, synced) in [
            ("OneDrive - Contoso/agent", true),
            ("Dropbox/agent", true),
            ("Nextcloud", true),
            ("onedriver/agent", false),
            ("plain/agent", false),
        ] {
            let home = folder.path().join(path);
            fs::create_dir_all(&home).unwrap();
            assert_eq!(in_sync_root(&home), synced, "{path}");
        }
        fs::create_dir_all(folder.path().join("st/.stfolder")).unwrap();
        fs::create_dir_all(folder.path().join("st/deep/home")).unwrap();
        assert!(in_sync_root(&folder.path().join("st/deep/home")));
    }
}
