//! A position that the command line names: where it starts, and the moves that lead on from there.

use super::error::CliError;
use crate::game::{Entry, Game, ParseMoveError, Position, Turn};
use crate::play::wording::plies;

#[derive(clap::Args)]
pub(super) struct Place {
    /// The position to start from instead of the initial one, in the game's notation, where it has one: of chess, FEN.
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,
    /// The moves that lead to the position, separated by blanks or commas; none is where it starts. A result of chance is its
    /// number behind a #.
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    moves: Vec<String>,
}

impl Place {
    /// The position, in which somebody is to move, and the labels of the moves that lead to it.
    pub(super) fn find<G: Game>(&self, entry: &Entry<G>) -> Result<(Position<G>, Vec<String>), CliError> {
        let start = match (&self.position, &entry.notation) {
            (None, _) => Position::initial(&entry.game),
            (Some(text), Some(notation)) => Position::at(&entry.game, notation.read(text)?),
            (Some(_), None) => {
                return Err(CliError::NoNotation {
                    asked: "--position",
                    game: entry.game.facts().id.clone(),
                    instead: "lead to the position with --moves",
                });
            }
        };
        Ok(lead(entry, start, &self.moves, usize::MAX)?)
    }

    /// Whether nothing is said, so that it is the initial position.
    pub(super) fn is_initial(&self) -> bool {
        self.position.is_none() && self.moves.is_empty()
    }
}

/// Moves that lead to no position in which somebody is to move.
#[derive(Debug, thiserror::Error)]
pub(super) enum MovesError {
    /// A word that is no legal move.
    #[error("move {number}: {source}")]
    Illegal {
        /// The place of the word, from 1.
        number: usize,
        source: ParseMoveError,
    },
    /// A move after the end.
    #[error("the game is over after {}; leave out {text:?} and what follows", plies(*.played))]
    AfterTheEnd { played: usize, text: String },
    /// Nothing to analyse.
    #[error("the game is over after {}: nobody is to move; leave out the last of these moves", plies(*.played))]
    Over { played: usize },
    /// A word that is no result of chance.
    #[error("move {number}: {text:?} is no result of chance, which is to act here; its results are {results}")]
    Impossible { number: usize, text: String, results: String },
    /// Nobody is to move yet.
    #[error("chance is to act after {}: end with one of its results, {results}", plies(*.played))]
    Chance { played: usize, results: String },
}

/// The words of `text`, which blanks or commas separate.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || letter == ',').filter(|word| !word.is_empty())
}

/// The position that the first `most` of `moves` lead to from `start`, and their labels. Columns of four in a row need nothing between them.
pub(super) fn lead<G: Game>(
    entry: &Entry<G>,
    start: Position<G>,
    moves: &[impl AsRef<str>],
    most: usize,
) -> Result<(Position<G>, Vec<String>), MovesError> {
    let words = moves.iter().flat_map(|text| words(text.as_ref()));
    let mut words: Vec<&str> = match entry.four_in_a_row {
        Some(_) => words.flat_map(|columns| columns.split("").filter(|column| !column.is_empty())).collect(),
        None => words.collect(),
    };
    words.truncate(most);
    let (mut position, mut labels) = (start, Vec::new());
    for word in words {
        let played = labels.len();
        let (number, text) = (played + 1, word.to_owned());
        match position.turn() {
            Turn::Move(_) => {
                let illegal = |source| MovesError::Illegal { number, source };
                let action = entry.game.parse(position.state(), word).map_err(illegal)?;
                labels.push(entry.game.label(position.state(), action));
                position.play(action);
            }
            Turn::Chance => {
                let outcome = position.outcomes().into_iter().find(|outcome| outcome.to_string() == word);
                let impossible = || MovesError::Impossible { number, text, results: results(&position) };
                let outcome = outcome.ok_or_else(impossible)?;
                labels.push(outcome.to_string());
                position.roll(outcome);
            }
            Turn::Over(_) => return Err(MovesError::AfterTheEnd { played, text }),
        }
    }
    match position.turn() {
        Turn::Move(_) => Ok((position, labels)),
        Turn::Over(_) => Err(MovesError::Over { played: labels.len() }),
        Turn::Chance => Err(MovesError::Chance { played: labels.len(), results: results(&position) }),
    }
}

/// The results of chance that are possible, separated by blanks.
fn results<G: Game>(position: &Position<G>) -> String {
    position.outcomes().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
