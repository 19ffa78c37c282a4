//! The limits that hermes-agent sets itself, in its `config.yaml`.

use memlore_model::{BookName, Limit, Unit};
use saphyr::{LoadableYamlNode as _, Yaml};
use std::fs;
use std::path::Path;

const MEMORY_CHARS: u64 = 2_200;
const USER_CHARS: u64 = 1_375;

/// The limit that hermes has for a book: `memory.memory_char_limit` and `memory.user_char_limit`, else its own
/// defaults; other books have none.
pub(crate) fn limit(home: &Path, book: &BookName) -> Option<Limit> {
    let (key, default) = match book.as_str() {
        "memory" => ("memory_char_limit", MEMORY_CHARS),
        "user" => ("user_char_limit", USER_CHARS),
        _ => return None,
    };
    let most = configured(home, key).unwrap_or(default);
    Some(Limit { most, unit: Unit::Chars })
}

fn configured(home: &Path, key: &str) -> Option<u64> {
    let text = fs::read_to_string(home.join("config.yaml")).ok()?;
    // Parsing costs more than a whole add, and hardly anybody sets this.
    if !text.contains(key) {
        return None;
    }
    let documents = Yaml::load_from_str(&text).ok()?;
    let value = documents.first()?.as_mapping_get("memory")?.as_mapping_get(key)?.as_integer()?;
    u64::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hermes_own_settings_hold_in_its_home() {
        let home = tempfile::tempdir().unwrap();
        let chars = |book| limit(home.path(), &book).map(|limit| limit.most);
        assert_eq!(chars(BookName::memory()), Some(2_200));
        fs::write(home.path().join("config.yaml"), "memory:\n  user_char_limit: 900\nmodel: x\n").unwrap();
        assert_eq!(chars(BookName::user()), Some(900));
        assert_eq!(chars(BookName::memory()), Some(2_200));
        fs::write(home.path().join("config.yaml"), "memory: [user_char_limit\n").unwrap();
        assert_eq!(chars(BookName::user()), Some(1_375));
    }
}
