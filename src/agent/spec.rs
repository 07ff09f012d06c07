//! Agents named by strings: `alpha-beta:depth=8`, `net:PATH`, `puct:net=PATH,sims=400`.
//!
//! This module decides how such a string is taken apart and how a wrong one is refused. It does not know which agents exist
//! nor which options they have: whoever builds an agent takes the options it knows, and [`Spec::finish`] refuses the rest.
//!
//! # Grammar
//! ```text
//! spec = kind | kind ":" options | "net:" path | "uci:" command
//! ```
//! [`crate::config::options`] has the grammar of options; blanks around kinds do not count. After `net:` everything is the path,
//! letter for letter, without quotes or options. It is kept under the key [`Spec::PATH`]. After `uci:` what holds no `=` is a command, kept under
//! the key `cmd`.

mod error;
mod parse;

use std::fmt;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

pub use error::SpecError;

use crate::config::nearest;

/// A specification taken apart. Options leave it as they are taken; its text ([`Display`]) stays whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The canonical text, quoted only where needed; it parses back to an equal specification.
    text: String,
    kind: String,
    options: Vec<(String, String)>,
    /// Keys that somebody asked for, in order: what the agent understands.
    known: Vec<&'static str>,
}

impl Spec {
    /// The key under which the path of `net:PATH` is kept.
    pub const PATH: &'static str = "path";

    /// The specification of an agent of `kind` with these options; it quotes where it must.
    #[must_use]
    pub fn new(kind: &str, options: &[(&str, &str)]) -> Self {
        let options: Vec<_> = options.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        Self { text: parse::render(kind, &options), kind: kind.to_owned(), options, known: Vec::new() }
    }

    /// What is in front of the colon: the kind of agent.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The options not taken yet, as written.
    #[must_use]
    pub fn options(&self) -> &[(String, String)] {
        &self.options
    }

    /// Takes the value of option `key`, if it was given. The key is known from now on.
    pub fn take(&mut self, key: &'static str) -> Option<String> {
        self.known.push(key);
        let place = self.options.iter().position(|(name, _)| name == key)?;
        Some(self.options.remove(place).1)
    }

    /// Takes the value of option `key`.
    ///
    /// # Errors
    /// When it was not given.
    pub fn take_required(&mut self, key: &'static str) -> Result<String, SpecError> {
        self.take(key).ok_or_else(|| SpecError::MissingOption { kind: self.kind.clone(), key, spec: self.text.clone() })
    }

    /// Takes option `key` as a value of type `T`, if it was given.
    ///
    /// # Errors
    /// When its value cannot be read as a `T`.
    pub fn take_parsed<T>(&mut self, key: &'static str) -> Result<Option<T>, SpecError>
    where
        T: FromStr,
        T::Err: Display,
    {
        self.take_with(key, |value| value.parse().map_err(|error: T::Err| error.to_string()))
    }

    /// Takes option `key` as a length of time above zero, if it was given: `50ms`, `2s`, `1.5s`, `1m`.
    ///
    /// # Errors
    /// When its value is no such length.
    pub fn take_duration(&mut self, key: &'static str) -> Result<Option<Duration>, SpecError> {
        self.take_with(key, |value| {
            parse::duration(value).ok_or_else(|| "it is no length of time such as 50ms, 1.5s or 1m".to_owned())
        })
    }

    /// Takes option `key` as `true` or `false`, if it was given.
    ///
    /// # Errors
    /// When its value is neither.
    pub fn take_bool(&mut self, key: &'static str) -> Result<Option<bool>, SpecError> {
        self.take_with(key, |value| value.parse().map_err(|_| "it is neither true nor false".to_owned()))
    }

    /// Takes option `key`, if it was given, and reads it with `read`, which says why it cannot.
    ///
    /// # Errors
    /// When `read` fails.
    pub fn take_with<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, SpecError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match read(&value) {
            Ok(read) => Ok(Some(read)),
            Err(reason) => Err(SpecError::InvalidValue { key, value, reason, spec: self.text.clone() }),
        }
    }

    /// Takes all options that are left, whatever they are called.
    pub fn take_rest(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.options)
    }

    /// Ends the taking of options.
    ///
    /// # Errors
    /// When an option is left, which nobody asked for; the error names it and the nearest of those that were asked for.
    pub fn finish(self) -> Result<(), SpecError> {
        let Some((key, _)) = self.options.first() else { return Ok(()) };
        let advice = match nearest(key, &self.known) {
            Some(nearest) => format!("did you mean {nearest:?}? Its options are {}", self.known.join(", ")),
            None => "it takes no options: remove this one".to_owned(),
        };
        Err(SpecError::UnknownOption { kind: self.kind, key: key.clone(), advice, spec: self.text })
    }

    /// The error to return when no agent of this kind exists; `kinds` are those that do.
    #[must_use]
    pub fn unknown_kind(&self, kinds: &[&str]) -> SpecError {
        let nearest = nearest(&self.kind, kinds).copied().unwrap_or_default().to_owned();
        SpecError::UnknownKind { kind: self.kind.clone(), nearest, kinds: kinds.join(", "), spec: self.text.clone() }
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (kind, options) = parse::spec(text)?;
        Ok(Self { text: parse::render(&kind, &options), kind, options, known: Vec::new() })
    }
}

/// Writes the whole specification, whatever has been taken of it.
impl Display for Spec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
