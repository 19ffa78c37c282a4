//! A replica's own settings: which views it renders, which limits hold, which share it uses.
//!
//! They stand in `config.json` in the state folder, apart from the database, so that they outlive it. They are
//! never replicated: each device has its own.

use crate::ask::Init;
use crate::{Error, Result, hermes_config};
use memlore_model::{BookName, Limit};
use memlore_view::Dialect;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

const NAME: &str = "config.json";

/// How large a book may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BookLimit {
    /// As hermes itself limits the book, following its `config.yaml`.
    Hermes,
    /// No limit.
    None,
    /// This limit.
    Of(Limit),
}

/// One view: a book in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ViewConfig {
    pub(crate) book: BookName,
    /// Relative to the home, when it lies there.
    pub(crate) path: PathBuf,
}

/// A replica's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) share: Option<String>,
    pub(crate) dialect: Dialect,
    pub(crate) views: Vec<ViewConfig>,
    pub(crate) limits: Vec<(BookName, BookLimit)>,
    pub(crate) entry_limit: Option<Limit>,
    /// Whether the home is synced, when somebody said so.
    pub(crate) synced: Option<bool>,
}

impl Config {
    /// The settings that a home gets when nobody names any.
    pub(crate) fn for_home(home: &Path) -> Self {
        let limit = if home.join("memories").is_dir() { BookLimit::Hermes } else { BookLimit::None };
        let view = |book, name| ViewConfig { book, path: Path::new("memories").join(name) };
        Self {
            share: None,
            dialect: Dialect::Hermes,
            views: vec![view(BookName::memory(), "MEMORY.md"), view(BookName::user(), "USER.md")],
            limits: vec![(BookName::memory(), limit), (BookName::user(), limit)],
            entry_limit: None,
            synced: None,
        }
    }

    /// Reads the settings of a state folder; none when there are none yet.
    pub(crate) fn load(state: &Path) -> Result<Option<Self>> {
        let path = state.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::File { what: "read the settings", path, source }),
        };
        let settings = serde_json::from_str(&text).ok().and_then(|value| Self::from_json(&value));
        settings.map(Some).ok_or(Error::Settings { path })
    }

    /// Writes the settings so that they are whole at any moment.
    pub(crate) fn save(&self, state: &Path) -> Result<()> {
        let path = state.join(NAME);
        let staged = state.join(format!("{NAME}.new"));
        let write = || {
            let mut file =
                fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&staged)?;
            file.write_all(format!("{:#}\n", self.to_json()).as_bytes())?;
            file.sync_all()?;
            fs::rename(&staged, &path)
        };
        write().map_err(|source| Error::File { what: "write the settings", path, source })
    }

    /// Sets what `init` names and keeps the rest.
    pub(crate) fn change(&mut self, init: &Init) -> Result<()> {
        if let Some(name) = &init.dialect {
            let known: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
            let unknown =
                || Error::Usage(format!("there is no dialect {name:?}; there is {}", known.join(", ")));
            self.dialect = Dialect::from_name(name).ok_or_else(unknown)?;
        }
        if let Some(share) = &init.share {
            self.share = Some(share.clone());
        }
        for (book, path) in &init.views {
            self.views.retain(|view| view.book != *book);
            self.views.push(ViewConfig { book: book.clone(), path: path.clone() });
        }
        for (book, limit) in &init.limits {
            self.limits.retain(|(limited, _)| limited != book);
            self.limits.push((book.clone(), limit.map_or(BookLimit::None, BookLimit::Of)));
        }
        if let Some(limit) = init.entry_limit {
            self.entry_limit = limit;
        }
        self.synced = init.synced.or(self.synced);
        let mut paths: Vec<_> = self.views.iter().map(|view| &view.path).collect();
        paths.sort_unstable();
        if let Some(twice) = paths.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::Usage(format!("two books would share the view {}", twice[0].display())));
        }
        Ok(())
    }

    /// The limit of a book.
    pub(crate) fn limit(&self, home: &Path, book: &BookName) -> Option<Limit> {
        match self.limits.iter().find(|(limited, _)| limited == book)?.1 {
            BookLimit::Hermes => hermes_config::limit(home, book),
            BookLimit::None => None,
            BookLimit::Of(limit) => Some(limit),
        }
    }

    /// The view of a book.
    pub(crate) fn view(&self, book: &BookName) -> Option<&ViewConfig> {
        self.views.iter().find(|view| view.book == *book)
    }

    fn to_json(&self) -> Value {
        let views = self.views.iter().map(|view| json!({"book": view.book.as_str(), "path": view.path}));
        let limits = self.limits.iter().map(|(book, limit)| {
            let limit = match limit {
                BookLimit::Hermes => "hermes".to_owned(),
                BookLimit::None => "none".to_owned(),
                BookLimit::Of(limit) => limit.to_string(),
            };
            (book.to_string(), json!(limit))
        });
        json!({
            "dialect": self.dialect.name(),
            "share": self.share,
            "views": views.collect::<Vec<_>>(),
            "limits": limits.collect::<Map<_, _>>(),
            "entry_limit": self.entry_limit.map(|limit| limit.to_string()),
            "synced": self.synced,
        })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let views = value.get("views")?.as_array()?.iter().map(|view| {
            let book = view.get("book")?.as_str()?.parse().ok()?;
            Some(ViewConfig { book, path: view.get("path")?.as_str()?.into() })
        });
        let limits = value.get("limits")?.as_object()?.iter().map(|(book, limit)| {
            let limit = match limit.as_str()? {
                "hermes" => BookLimit::Hermes,
                "none" => BookLimit::None,
                limit => BookLimit::Of(limit.parse().ok()?),
            };
            Some((book.parse().ok()?, limit))
        });
        let entry_limit = match value.get("entry_limit").and_then(Value::as_str) {
            Some(limit) => Some(limit.parse().ok()?),
            None => None,
        };
        Some(Self {
            share: value.get("share").and_then(Value::as_str).map(str::to_owned),
            dialect: Dialect::from_name(value.get("dialect")?.as_str()?)?,
            views: views.collect::<Option<_>>()?,
            limits: limits.collect::<Option<_>>()?,
            entry_limit,
            synced: value.get("synced").and_then(Value::as_bool),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_read_back_from_their_file() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(Config::load(state.path()).unwrap(), None);
        let mut config = Config::for_home(state.path());
        let init = Init {
            share: Some("/mnt/share".into()),
            views: vec![("notes".parse().unwrap(), "NOTES.md".into())],
            limits: vec![("notes".parse().unwrap(), Some("10:bytes".parse().unwrap()))],
            entry_limit: Some(Some("300:utf16".parse().unwrap())),
            synced: Some(true),
            ..Init::default()
        };
        config.change(&init).unwrap();
        config.save(state.path()).unwrap();
        assert_eq!(Config::load(state.path()).unwrap(), Some(config));
    }

    #[test]
    fn two_books_never_share_a_file() {
        let mut config = Config::for_home(Path::new("/nowhere"));
        let views = vec![("notes".parse().unwrap(), "memories/USER.md".into())];
        assert!(config.change(&Init { views, ..Init::default() }).is_err());
    }
}
