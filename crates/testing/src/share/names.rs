//! The names that sync programs give to a second copy of a file.

/// Every way in which a conflict copy of a file is named, those that fold or decompose names among them.
pub(super) fn copies_of(path: &str) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let beside = |name: String| if folder.is_empty() { name } else { format!("{folder}/{name}") };
    let marked = |mark: &str| beside(format!("{stem}{mark}.{ending}"));
    vec![
        marked("-LAPTOP7"),
        marked("-LAPTOP7-2"),
        marked("-LAPTOP7-LAPTOP7"),
        marked("-Büro René"),
        marked("-Bu\u{308}ro Rene\u{301}"),
        marked("-laptop7-safeBackup-0001"),
        marked(" (Ann's conflicted copy 2026-01-02)"),
        marked(" (In Konflikt stehende Kopie von Ümit 2026-01-02)"),
        marked(" (Case Conflict)"),
        marked(" (Unicode Encoding Conflict)"),
        marked(".sync-conflict-20260102-101010-ABCDEF7"),
        marked(" (conflicted copy 2026-01-02 101010)"),
        marked(" 2"),
        marked(" (1)"),
        beside(format!("{name}.conflict1")),
        beside(format!("{name}..path1")),
        beside(name.to_uppercase()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stay_beside_the_file_and_none_has_its_name() {
        let copies = copies_of("r/x/m/1to2habc.seg");
        assert!(copies.iter().all(|copy| copy.starts_with("r/x/m/") && copy != "r/x/m/1to2habc.seg"));
        assert_eq!(copies_of("memlore.json")[0], "memlore-LAPTOP7.json");
    }
}
