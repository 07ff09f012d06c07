//! Positions and moves as other programs write them, for games that have such a notation.

use super::{Action, Game};

/// Text that describes no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no position: {problem}")]
pub struct InvalidPosition {
    /// What was read, or its beginning.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

impl InvalidPosition {
    /// Letters of a text that are repeated in an error.
    const SHOWN: usize = 100;

    /// `text` is no position because of `problem`.
    #[must_use]
    pub fn new(text: &str, problem: String) -> Self {
        let mut shown: String = text.chars().take(Self::SHOWN).collect();
        if shown.len() < text.len() {
            shown.push_str("...");
        }
        Self { text: shown, problem }
    }
}

/// A notation that programs share: of chess, FEN and Standard Algebraic Notation.
pub trait Notation: Game {
    /// The position that `text` describes, without a past.
    ///
    /// # Errors
    /// When it is not well formed, or describes nothing that the rules know.
    fn read(&self, text: &str) -> Result<Self::State, InvalidPosition>;

    /// The text that describes `state`, its past apart.
    fn write(&self, state: &Self::State) -> String;

    /// A legal move as people write it down.
    fn short(&self, state: &Self::State, action: Action) -> String;

    /// A legal move as programs send it to each other: its label, or where `as_in_chess960` asks for it, with castling as a step onto
    /// the rook.
    fn sent(&self, state: &Self::State, action: Action, as_in_chess960: bool) -> String;

    /// The variant of the game that programs must be told of where a game starts at `start`, if there is one.
    fn variant(&self, start: &Self::State) -> Option<&'static str>;

    /// The position as if nothing had been before it, for those who play on where the rules let players claim a draw and here end
    /// the game.
    fn forget(&self, state: &Self::State) -> Self::State;

    /// A utility in hundredths of a pawn, or of what else such a notation counts in.
    fn hundredths(&self, utility: f32) -> f32;

    /// The inverse of [`Notation::hundredths`].
    fn utility(&self, hundredths: f32) -> f32;
}
