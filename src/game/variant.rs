//! Games with options: `hex:size=5` names the game `hex` in one of its variants.
//!
//! Rule: a game asks a [`Variant`] for its options one after the other, each with what it may be and what it is unless something
//! else is said, and makes its rules of the answers; the rules are a value. What options a game has is known from what it asks.
//!
//! The canonical name, [`Variant::name`], holds the options that are not as they are by default, in the order in which the game
//! asks. It names the same rules again, and files call games by it: so the default of an option must never change, while a game
//! may gain options.

use std::fmt;
use std::ops::RangeInclusive;

use crate::config::nearest;
use crate::config::options::{self, Options, OptionsError};

/// A name that is none of a game, or of none of its variants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidGame {
    /// No game is called so.
    #[error("no game is called {id:?}; {advice}")]
    Unknown {
        /// What was asked for, without options.
        id: String,
        /// The name most like it, and all there are.
        advice: String,
    },
    /// A colon with nothing behind it.
    #[error("nothing follows the colon of {name:?}; add options or remove the colon")]
    NothingAfterColon {
        /// The name.
        name: String,
    },
    /// What follows the colon is no list of options.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// An option that the game does not have.
    #[error("{game} has no option {key:?} (in {name:?}); {advice}")]
    UnknownOption {
        /// The game.
        game: String,
        /// The option.
        key: String,
        /// The nearest known option, and all of them.
        advice: String,
        /// The whole name.
        name: String,
    },
    /// A value that the option cannot have.
    #[error("option {key:?} in {name:?} cannot be {value:?}: it must be {wanted}")]
    InvalidValue {
        /// The option.
        key: &'static str,
        /// The value.
        value: String,
        /// What it may be.
        wanted: String,
        /// The whole name.
        name: String,
    },
}

impl InvalidGame {
    /// No game is called `id`; `known` are those that exist.
    pub(super) fn unknown(id: &str, known: &[String]) -> Self {
        let advice = match nearest(id, known) {
            Some(nearest) => format!("did you mean {nearest}? Known games are {}", known.join(", ")),
            None => "this program knows no games".to_owned(),
        };
        Self::Unknown { id: id.to_owned(), advice }
    }
}

/// An option of a game, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameOption {
    /// Its name.
    pub key: &'static str,
    /// What it may be; of a game whose options depend on each other, beside the others as they were asked for.
    pub values: String,
    /// What it is unless something else is said.
    pub default: String,
}

impl fmt::Display for GameOption {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}={} [default: {}]", self.key, self.values, self.default)
    }
}

/// The variant of a game that somebody asks for.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The name as it was given.
    text: String,
    game: String,
    /// What was given and not asked for yet.
    given: Options,
    asked: Vec<GameOption>,
    /// What is not as it is by default.
    chosen: Options,
}

impl Variant {
    /// The variant that `text` names: `GAME` or `GAME:key=value,...`.
    ///
    /// # Errors
    /// When options are not well formed. Whether the game has them is not known here.
    pub fn parse(text: &str) -> Result<Self, InvalidGame> {
        let (game, given) = match text.split_once(':') {
            None => (text, Vec::new()),
            Some((_, rest)) if rest.trim().is_empty() => {
                return Err(InvalidGame::NothingAfterColon { name: text.to_owned() });
            }
            Some((game, rest)) => (game, options::parse(rest, text)?),
        };
        Ok(Self { given, text: text.to_owned(), ..Self::plain(game.trim()) })
    }

    /// The variant in which every option of `game` is as it is by default.
    #[must_use]
    pub fn plain(game: &str) -> Self {
        Self { text: game.to_owned(), game: game.to_owned(), given: Vec::new(), asked: Vec::new(), chosen: Vec::new() }
    }

    /// The game, without options.
    #[must_use]
    pub fn game(&self) -> &str {
        &self.game
    }

    /// The canonical name of the rules, once all options have been asked for.
    #[must_use]
    pub fn name(&self) -> String {
        options::render(&self.game, &self.chosen)
    }

    /// The value of option `key`, a whole number in `range`.
    ///
    /// # Errors
    /// When something else was given.
    pub fn number(&mut self, key: &'static str, range: RangeInclusive<usize>, default: usize) -> Result<usize, InvalidGame> {
        let values = format!("{} to {}", range.start(), range.end());
        let wanted = format!("a number from {values}");
        let read =
            |text: &str| text.parse().ok().filter(|number| range.contains(number)).map(|number| (number.to_string(), number));
        self.ask(GameOption { key, values, default: default.to_string() }, default, &wanted, read)
    }

    /// What the word given for option `key` stands for: `default`, or one of `others`.
    ///
    /// # Errors
    /// When another word was given.
    pub fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        default: (&'static str, T),
        others: &[(&'static str, T)],
    ) -> Result<T, InvalidGame> {
        let words: Vec<&str> = std::iter::once(&default).chain(others).map(|&(word, _)| word).collect();
        let wanted = words.join(" or ");
        let read = |text: &str| {
            let mut choices = std::iter::once(&default).chain(others);
            choices.find(|(word, _)| *word == text).map(|&(word, value)| (word.to_owned(), value))
        };
        self.ask(GameOption { key, values: words.join("|"), default: default.0.to_owned() }, default.1, &wanted, read)
    }

    /// Whether option `key` is `true`; it is `false` by default.
    ///
    /// # Errors
    /// When something else was given.
    pub fn flag(&mut self, key: &'static str) -> Result<bool, InvalidGame> {
        self.choice(key, ("false", false), &[("true", true)])
    }

    /// Takes the value of an option, `read` giving its canonical text with it, and notes what was asked.
    fn ask<T>(
        &mut self,
        option: GameOption,
        default: T,
        wanted: &str,
        read: impl FnOnce(&str) -> Option<(String, T)>,
    ) -> Result<T, InvalidGame> {
        let key = option.key;
        self.asked.push(option.clone());
        let Some(place) = self.given.iter().position(|(given, _)| given == key) else { return Ok(default) };
        let (_, value) = self.given.remove(place);
        let Some((text, read)) = read(&value) else {
            return Err(InvalidGame::InvalidValue { key, value, wanted: wanted.to_owned(), name: self.text.clone() });
        };
        if text != option.default {
            self.chosen.push((key.to_owned(), text));
        }
        Ok(read)
    }

    /// Ends the asking, and tells what was asked for.
    ///
    /// # Errors
    /// When an option is left that the game did not ask for.
    pub(super) fn finish(self) -> Result<Vec<GameOption>, InvalidGame> {
        let Some((key, _)) = self.given.first() else { return Ok(self.asked) };
        let known: Vec<&str> = self.asked.iter().map(|option| option.key).collect();
        let advice = match nearest(key, &known) {
            Some(nearest) => format!("did you mean {nearest:?}? Its options are {}", known.join(", ")),
            None => "it takes no options: remove this one".to_owned(),
        };
        Err(InvalidGame::UnknownOption { game: self.game, key: key.clone(), advice, name: self.text })
    }
}
