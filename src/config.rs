//! Reading configurations: a shipped file gives every key a value, a user's file and `--set` change some of them, and a key that
//! the shipped file does not have is an error, with the nearest one that it has. What is nearest is decided here, for all names,
//! and how options are written behind them.

pub mod options;

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::storage::{StorageError, read_capped};

/// The largest configuration that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Not a file that could be one.
    #[error(transparent)]
    File(StorageError),
    /// Not TOML.
    #[error("{origin} is not valid TOML: {message}")]
    Syntax {
        /// Where it stands.
        origin: String,
        /// What is wrong.
        message: String,
    },
    /// No such key.
    #[error("{origin}: unknown key {key}; did you mean {nearest}?")]
    UnknownKey {
        /// Where it stands.
        origin: String,
        /// The key, with its section.
        key: String,
        /// The known key most like it.
        nearest: String,
    },
    /// A value of the wrong type.
    #[error("configuration: {message}")]
    Value {
        /// What is wrong, with the key.
        message: String,
    },
    /// Not `section.key=value`.
    #[error("--set {text}: expected section.key=value, for example --set learner.batch=256")]
    Assignment {
        /// What was given.
        text: String,
    },
}

/// Layers of keys over a complete base.
#[derive(Clone, Debug)]
pub struct Layers {
    table: Table,
}

impl Layers {
    /// Starts from a complete configuration.
    ///
    /// # Errors
    /// When it is not TOML.
    pub fn base(origin: &str, text: &str) -> Result<Self, ConfigError> {
        Ok(Self { table: parse(origin, text)? })
    }

    /// Changes the keys that `over` names.
    ///
    /// # Errors
    /// When the base lacks one of them.
    pub fn overlay(&mut self, origin: &str, over: &Table) -> Result<(), ConfigError> {
        for (section, value) in over {
            match (self.table.get_mut(section), value) {
                (Some(Value::Table(known)), Value::Table(keys)) => {
                    for (key, value) in keys {
                        match known.get_mut(key) {
                            Some(place) => *place = value.clone(),
                            None => return Err(self.unknown(origin, &format!("{section}.{key}"))),
                        }
                    }
                }
                _ => return Err(self.unknown(origin, section)),
            }
        }
        Ok(())
    }

    /// Changes one key by `section.key=value`. A value that is not TOML is taken as text.
    ///
    /// # Errors
    /// When the text has another form or the key is unknown.
    pub fn set(&mut self, text: &str) -> Result<(), ConfigError> {
        let malformed = || ConfigError::Assignment { text: text.to_owned() };
        let (path, value) = text.split_once('=').ok_or_else(malformed)?;
        let (section, key) = path.trim().split_once('.').ok_or_else(malformed)?;
        let value = value.trim();
        let value = format!("value = {value}")
            .parse::<Table>()
            .ok()
            .and_then(|mut table| table.remove("value"))
            .unwrap_or_else(|| Value::String(value.to_owned()));
        let keys = Table::from_iter([(key.to_owned(), value)]);
        self.overlay(&format!("--set {text}"), &Table::from_iter([(section.to_owned(), Value::Table(keys))]))
    }

    /// The whole configuration as its struct.
    ///
    /// # Errors
    /// When a value has the wrong type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        // Through text, so that an error can point at a line.
        let text = self.to_string();
        toml::from_str(&text).map_err(|error| ConfigError::Value { message: explain(&error, &text) })
    }

    fn unknown(&self, origin: &str, key: &str) -> ConfigError {
        let keys_of = |(section, value): (&String, &Value)| {
            let keys = value.as_table().into_iter().flat_map(Table::keys);
            keys.map(|key| format!("{section}.{key}")).collect::<Vec<_>>()
        };
        let known: Vec<String> = self.table.iter().flat_map(keys_of).collect();
        let nearest = nearest(key, &known).cloned().unwrap_or_default();
        ConfigError::UnknownKey { origin: origin.to_owned(), key: key.to_owned(), nearest }
    }
}

impl std::fmt::Display for Layers {
    /// The whole configuration as TOML.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&toml::to_string(&self.table).map_err(|_| std::fmt::Error)?)
    }
}

/// The keys, with their sections, that two configurations both have and give different values, in order.
///
/// # Errors
/// When one of them is not TOML.
pub fn differences(before: &str, after: &str) -> Result<Vec<String>, ConfigError> {
    let (before, after) = (parse("the configuration before", before)?, parse("the configuration after", after)?);
    let mut changed = Vec::new();
    for (section, value) in &after {
        for (key, value) in value.as_table().into_iter().flatten() {
            let old = before.get(section).and_then(|section| section.get(key));
            if old.is_some_and(|old| old != value) {
                changed.push(format!("{section}.{key}"));
            }
        }
    }
    Ok(changed)
}

/// The name among `known` that is most like `name`, for "did you mean": by the share of letters to change, the first of several.
/// None where nothing is known.
pub fn nearest<'a, S: AsRef<str>>(name: &str, known: &'a [S]) -> Option<&'a S> {
    let similarity = |other: &S| strsim::normalized_damerau_levenshtein(name, other.as_ref());
    known.iter().reduce(|best, other| if similarity(other) > similarity(best) { other } else { best })
}

/// Parses the file at `path`.
///
/// # Errors
/// When it cannot be read or is not TOML.
pub fn read_file(path: &Path) -> Result<Table, ConfigError> {
    let bytes = read_capped(path, LARGEST).map_err(|error| match error {
        StorageError::Io { source, .. } => ConfigError::Read { path: path.to_owned(), source },
        other => ConfigError::File(other),
    })?;
    let origin = path.display().to_string();
    match String::from_utf8(bytes) {
        Ok(text) => parse(&origin, &text),
        Err(_) => Err(ConfigError::Syntax { origin, message: "it is not UTF-8 text".to_owned() }),
    }
}

fn parse(origin: &str, text: &str) -> Result<Table, ConfigError> {
    text.parse().map_err(|error: toml::de::Error| {
        let line = text[..error.span().map_or(0, |span| span.start)].matches('\n').count() + 1;
        let message = error.message().lines().map(str::trim).collect::<Vec<_>>().join(", ");
        ConfigError::Syntax { origin: origin.to_owned(), message: format!("line {line}: {message}") }
    })
}

/// The reader's message with the key it is about, which it points at by place only.
fn explain(error: &toml::de::Error, text: &str) -> String {
    let (before, after) = text.split_at(error.span().map_or(0, |span| span.start));
    let section = before.lines().rev().find(|line| line.starts_with('[')).unwrap_or_default().trim_matches(['[', ']']);
    // It points at the value of a key, or at the head of a section.
    let name = match before.rsplit('\n').next().and_then(|line| line.split_once('=')) {
        Some((key, _)) => format!("{section}.{}", key.trim()),
        None => after.lines().next().unwrap_or_default().trim_matches(['[', ']']).to_owned(),
    };
    format!("{name}: {}", error.message().lines().map(str::trim).collect::<Vec<_>>().join(", "))
}
