//! A replica's own settings: which views it renders, which limits hold, which share it uses.
//!
//! They stand in `config.json` in the state folder, apart from the database, so that they outlive it. They are
//! never replicated: each device has its own.

use crate::ask::Init;
use crate::{Error, Result, hermes_config};
use memlore_model::{BookName, Limit};
use memlore_view::{DefaultLimits, Dialect, default_limits};
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
    pub(crate) dialect: Dialect,
}

impl ViewConfig {
    /// Whether its file lists topics, each of which has a file beside it.
    pub(crate) fn has_index(&self) -> bool {
        self.dialect == Dialect::Bullets && self.book == BookName::memory()
    }
}

/// A replica's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) share: Option<String>,
    /// The dialect of what is said to be in none.
    pub(crate) dialect: Dialect,
    pub(crate) views: Vec<ViewConfig>,
    pub(crate) limits: Vec<(BookName, BookLimit)>,
    pub(crate) entry_limit: Option<Limit>,
    /// Whether the limits of the dialect's own program hold for the books that have no other.
    pub(crate) program_limits: bool,
    /// Whether the home is synced, when somebody said so.
    pub(crate) synced: Option<bool>,
}

impl Config {
    /// The settings that a home gets when nobody names any.
    pub(crate) fn for_home(home: &Path) -> Self {
        let is_hermes = home.join("memories").is_dir();
        let has_list = !is_hermes && home.join("MEMORY.md").exists();
        let dialect = if has_list { Dialect::Bullets } else { Dialect::Hermes };
        let limit = if is_hermes { BookLimit::Hermes } else { BookLimit::None };
        let limits = vec![(BookName::memory(), limit), (BookName::user(), limit)];
        Self {
            share: None,
            dialect,
            views: default_views(home, dialect),
            limits: if has_list { Vec::new() } else { limits },
            entry_limit: if has_list { default_limits(dialect, &BookName::memory()).entry } else { None },
            program_limits: has_list,
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
    ///
    /// A dialect named together with views is theirs; alone, or when the settings are `new`, it is the home's.
    pub(crate) fn change(&mut self, home: &Path, init: &Init, new: bool) -> Result<()> {
        let dialect = match &init.dialect {
            Some(name) => named_dialect(name)?,
            None => self.dialect,
        };
        if new || init.views.is_empty() {
            self.set_dialect(home, dialect);
        }
        if let Some(share) = &init.share {
            self.share = Some(share.clone());
        }
        for (book, path) in &init.views {
            self.views.retain(|view| view.book != *book || view.dialect != dialect);
            self.views.push(ViewConfig { book: book.clone(), path: path.clone(), dialect });
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

    /// Writes what is in the home's old dialect in another one from now on; views at their usual places move.
    fn set_dialect(&mut self, home: &Path, dialect: Dialect) {
        let old = std::mem::replace(&mut self.dialect, dialect);
        if old == dialect {
            return;
        }
        if std::mem::take(&mut self.program_limits) {
            let program = default_limits(old, &BookName::memory()).entry;
            self.entry_limit.take_if(|limit| Some(*limit) == program);
        }
        let (usual, next) = (default_views(home, old), default_views(home, dialect));
        self.views.retain(|view| !usual.contains(view));
        self.views.iter_mut().filter(|view| view.dialect == old).for_each(|view| view.dialect = dialect);
        let new = next
            .into_iter()
            .filter(|new| self.views.iter().all(|view| view.book != new.book || view.dialect != dialect));
        let new: Vec<_> = new.collect();
        self.views.extend(new);
    }

    /// The limit of a book.
    pub(crate) fn limit(&self, home: &Path, book: &BookName) -> Option<Limit> {
        match self.limits.iter().find(|(limited, _)| limited == book) {
            Some((_, BookLimit::Hermes)) => hermes_config::limit(home, book),
            Some((_, BookLimit::None)) => None,
            Some((_, BookLimit::Of(limit))) => Some(*limit),
            None => self.program_limits(book).book,
        }
    }

    /// The limits of the dialect's own program, where they hold.
    pub(crate) fn program_limits(&self, book: &BookName) -> DefaultLimits {
        if self.program_limits { default_limits(self.dialect, book) } else { DefaultLimits::default() }
    }

    /// The first view of a book.
    pub(crate) fn view(&self, book: &BookName) -> Option<&ViewConfig> {
        self.views.iter().find(|view| view.book == *book)
    }

    /// The folder in which each topic has a file, where the home keeps topics.
    pub(crate) fn topic_folder(&self) -> Option<&Path> {
        let index = self.views.iter().find(|view| view.has_index())?;
        Some(index.path.parent().unwrap_or(Path::new("")))
    }

    fn to_json(&self) -> Value {
        let views = self.views.iter().map(
            |view| json!({"book": view.book.as_str(), "path": view.path, "dialect": view.dialect.name()}),
        );
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
            "program_limits": self.program_limits,
            "synced": self.synced,
        })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let dialect = Dialect::from_name(value.get("dialect")?.as_str()?)?;
        let views = value.get("views")?.as_array()?.iter().map(|view| {
            let book = view.get("book")?.as_str()?.parse().ok()?;
            let dialect = match view.get("dialect") {
                Some(name) => Dialect::from_name(name.as_str()?)?,
                None => dialect,
            };
            Some(ViewConfig { book, path: view.get("path")?.as_str()?.into(), dialect })
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
            dialect,
            views: views.collect::<Option<_>>()?,
            limits: limits.collect::<Option<_>>()?,
            entry_limit,
            program_limits: value.get("program_limits").and_then(Value::as_bool).unwrap_or_default(),
            synced: value.get("synced").and_then(Value::as_bool),
        })
    }
}

fn named_dialect(name: &str) -> Result<Dialect> {
    let known = || Dialect::ALL.map(Dialect::name).join(", ");
    Dialect::from_name(name)
        .ok_or_else(|| Error::Usage(format!("there is no dialect {name:?}; there is {}", known())))
}

/// Where the programs of a dialect look for their memory.
fn default_views(home: &Path, dialect: Dialect) -> Vec<ViewConfig> {
    let view = |book, path: &str| ViewConfig { book, path: path.into(), dialect };
    let memory = |path| vec![view(BookName::memory(), path)];
    match dialect {
        Dialect::Hermes => {
            vec![view(BookName::memory(), "memories/MEMORY.md"), view(BookName::user(), "memories/USER.md")]
        }
        Dialect::Bullets => memory("MEMORY.md"),
        Dialect::Section if home.join("CLAUDE.md").exists() => memory("CLAUDE.md"),
        Dialect::Section => memory("AGENTS.md"),
        Dialect::Gemini => memory("GEMINI.md"),
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
        config.change(state.path(), &init, false).unwrap();
        config.save(state.path()).unwrap();
        assert_eq!(Config::load(state.path()).unwrap(), Some(config));
    }

    #[test]
    fn two_books_never_share_a_file() {
        let mut config = Config::for_home(Path::new("/nowhere"));
        let views = vec![("notes".parse().unwrap(), "memories/USER.md".into())];
        let change = config.change(Path::new("/nowhere"), &Init { views, ..Init::default() }, false);
        assert!(change.is_err());
    }

    #[test]
    fn a_dialect_is_the_homes_or_that_of_the_views_named_with_it() {
        let home = tempfile::tempdir().unwrap();
        let mut config = Config::for_home(home.path());
        let shown = |config: &Config| -> Vec<String> {
            let view = |view: &ViewConfig| format!("{} {}", view.dialect.name(), view.path.display());
            config.views.iter().map(view).collect()
        };
        let init = |dialect: &str, view: Option<&str>| Init {
            dialect: Some(dialect.into()),
            views: view.map(|path| (BookName::memory(), path.into())).into_iter().collect(),
            ..Init::default()
        };
        config.change(home.path(), &init("section", Some("CLAUDE.md")), false).unwrap();
        let both = ["hermes memories/MEMORY.md", "hermes memories/USER.md", "section CLAUDE.md"];
        assert_eq!((shown(&config), config.dialect), (both.map(str::to_owned).into(), Dialect::Hermes));
        config.change(home.path(), &init("bullets", None), false).unwrap();
        assert_eq!(shown(&config), ["section CLAUDE.md", "bullets MEMORY.md"]);
        std::fs::write(home.path().join("MEMORY.md"), "").unwrap();
        let found = Config::for_home(home.path());
        assert_eq!(shown(&found), ["bullets MEMORY.md"]);
        assert_eq!(found.entry_limit, Some("300:utf16".parse().unwrap()));
        let limit = |book: &str| found.limit(home.path(), &book.parse().unwrap()).unwrap().to_string();
        assert_eq!([limit("memory"), limit("travel")], ["4000:utf16", "16000:utf16"]);
    }
}
