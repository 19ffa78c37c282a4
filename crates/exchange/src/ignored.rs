//! Names that sync programs and desktops leave behind: neither read nor deleted, and no content of a share.

/// Whether a file or folder of this name is somebody's bookkeeping.
///
/// Conflict copies are none: what they hold is said by their content.
pub fn ignored(name: &str) -> bool {
    let lower = name.to_lowercase();
    let between = |prefix: &str, suffix: &str| lower.starts_with(prefix) && lower.ends_with(suffix);
    FIXED.contains(&lower.as_str())
        || STARTS.iter().any(|start| lower.starts_with(start))
        || between(".syncthing.", ".tmp")
        || between("~syncthing~", ".tmp")
        || between(".", ".icloud")
        || lower.ends_with(".partial")
}

/// Written in lower case: where case folds, they come in any.
const FIXED: [&str; 16] = [
    ".tmp.driveupload",
    ".tmp.drivedownload",
    "desktop.ini",
    "thumbs.db",
    "icon\r",
    ".ds_store",
    ".stfolder",
    ".stignore",
    ".stversions",
    ".dropbox",
    ".dropbox.cache",
    ".fseventsd",
    ".spotlight-v100",
    ".trashes",
    "lost+found",
    "system volume information",
];

const STARTS: [&str; 5] = ["._", "~$", ".~lock.", ".nfs", ".trash-"];

/// A name for an unfinished file of ours: of all temporary names, the one that Syncthing, Dropbox, OneDrive and
/// readers of a share leave alone.
pub(crate) fn unfinished(of: &str, attempt: u32) -> String {
    format!("~syncthing~memlore-{of}-{attempt}.tmp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bookkeeping_is_ignored() {
        for name in [
            ".syncthing.1to2habc.seg.tmp",
            "~syncthing~1to2habc.seg.tmp",
            "1to2habc.seg.partial",
            ".tmp.driveupload",
            ".tmp.drivedownload",
            "desktop.ini",
            "Desktop.ini",
            "Icon\r",
            ".DS_Store",
            "._1to2habc.seg",
            "~$report.docx",
            ".~lock.notes.odt#",
            ".1to2habc.seg.icloud",
            ".nfs0000001234",
            ".stfolder",
            ".stignore",
            "Thumbs.db",
            &unfinished("1to2habc.seg", 7),
        ] {
            assert!(ignored(name), "{name:?}");
        }
    }

    #[test]
    fn copies_and_other_files_are_not() {
        for name in [
            "1to2habc.seg",
            "1to2habc-LAPTOP7.seg",
            "1to2habc (Ann's conflicted copy 2026-01-02).seg",
            "1to2habc.sync-conflict-20260102-101010-ABCDEF7.seg",
            "1to2habc 2.seg",
            "memlore.json",
            "r",
            ".hidden",
            "tmp",
        ] {
            assert!(!ignored(name), "{name:?}");
        }
    }
}
