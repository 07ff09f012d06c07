//! What a game is: its rules as a value, its positions as small plain data, and the words the rest of the program uses.
//!
//! A game knows nothing of search, networks or training. Two decisions made here save code everywhere else:
//! [`Turn`] says who acts or how it ended, so that every search is a three-armed match with no sentinel values; and a
//! [`Payoff`] is absolute, one utility a player, so that passed turns, chance and general sums need no signs.

pub mod census;
pub mod conformance;
mod fingerprint;
mod four_in_a_row;
mod knowledge;
mod notation;
mod position;
mod registry;
pub mod symmetry;
mod variant;
pub mod zobrist;

use std::fmt;
use std::hash::Hash;

use serde::{Deserialize, Serialize};

pub use four_in_a_row::{ShowStones, Stones};
pub use knowledge::{Fit, Knowledge, Known, Lesson, Term};
pub use notation::{InvalidPosition, Notation};
pub use position::{Position, Step, draw, draw_from};
pub use registry::{End, Entry, Games, Listed, Registry, Rung, SHIPPED, ShippedNetwork, Visit};
pub use symmetry::Symmetry;
pub use variant::{GameOption, InvalidGame, Variant};

/// One of the two players. `First` moves first in the initial position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Player {
    /// The player who opens the game.
    First,
    /// The other one.
    Second,
}

impl Player {
    /// Both players, in order.
    pub const BOTH: [Player; 2] = [Player::First, Player::Second];

    /// The other player.
    #[must_use]
    pub const fn other(self) -> Player {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }

    /// The mark of the player's stones on a drawn board: X moves first.
    #[must_use]
    pub const fn mark(self) -> char {
        match self {
            Player::First => 'X',
            Player::Second => 'O',
        }
    }

    /// 0 for the first player, 1 for the second: the place in a [`Payoff`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// One utility a player, absolute: who is to move plays no part in it. Utilities lie in [-1, 1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Payoff(pub [f32; 2]);

impl Payoff {
    /// Nobody gained anything: a draw of a zero-sum game.
    pub const DRAW: Payoff = Payoff([0.0, 0.0]);

    /// The largest utility there is.
    pub const MOST: f32 = 1.0;

    /// `winner` has won a zero-sum game.
    #[must_use]
    pub const fn win(winner: Player) -> Payoff {
        Payoff::zero_sum(winner, 1.0)
    }

    /// `utility` for `player` and its negation for the other.
    #[must_use]
    pub const fn zero_sum(player: Player, utility: f32) -> Payoff {
        match player {
            Player::First => Payoff([utility, 0.0 - utility]),
            Player::Second => Payoff([0.0 - utility, utility]),
        }
    }

    /// The utility of `player`.
    #[must_use]
    pub const fn of(self, player: Player) -> f32 {
        self.0[player.index()]
    }
}

/// Who acts in a position, or how the game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// This player chooses an [`Action`].
    Move(Player),
    /// Chance draws an [`Outcome`].
    Chance,
    /// The game is over.
    Over(Payoff),
}

/// A move: an index of the policy head, from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Action(pub u16);

impl Action {
    /// The index as a `usize`.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A result of chance. Never a policy index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Outcome(pub u16);

/// Its number behind a `#`: how it is called where moves are, in text.
impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}", self.0)
    }
}

/// What is true of every position of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The name used on the command line and in files: `snake_case`, and for a game with options its [`Variant::name`].
    pub id: String,
    /// The size of the policy head: every [`Action`] is below it.
    pub actions: usize,
    /// `[planes, height, width]` of an encoded position.
    pub planes: [usize; 3],
    /// Whether chance ever acts.
    pub chance: bool,
    /// Bounds (lowest, highest) of u1 + u2 over every terminal: (0, 0) is zero-sum.
    pub sum: (f32, f32),
    /// No game is longer, in plies (chance counts). A game cut here is unfinished, never a draw.
    pub max_plies: usize,
    /// Whether every payoff is a win, a draw or a loss, so that a value head may predict three classes.
    pub wdl: bool,
}

/// Text that names no legal move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a legal move here; legal moves are {legal}")]
pub struct ParseMoveError {
    /// What was read.
    pub text: String,
    /// The labels of the legal moves, separated by blanks.
    pub legal: String,
}

/// The rules of a two-player game with perfect information, perhaps with chance.
///
/// Every method is a pure function of the rules and of the position. [`conformance::check`] tries an implementation on random
/// games; so does `plyzero check`. Methods that come with a body are right for every game that says nothing else: one without
/// chance, without symmetries, and without an incremental key.
pub trait Game: Send + Sync + 'static {
    /// A position: small, plain data that holds whatever the rules need of the past.
    type State: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;

    /// What is true of every position.
    fn facts(&self) -> &Facts;

    /// The position that games start from.
    fn initial(&self) -> Self::State;

    /// Who acts in `state`, or how it ended.
    fn turn(&self, state: &Self::State) -> Turn;

    /// Appends the legal moves to `out`, in a fixed order: at least one where a player is to move, none otherwise.
    fn actions(&self, state: &Self::State, out: &mut Vec<Action>);

    /// Appends the results of chance with their probabilities, which sum to 1: some where chance acts, none otherwise. In a game
    /// without chance there are none.
    fn outcomes(&self, state: &Self::State, out: &mut Vec<(Outcome, f32)>) {
        let _ = (state, out);
    }

    /// Plays a legal move; an illegal one is a bug of the caller.
    fn play(&self, state: &mut Self::State, action: Action);

    /// Applies a listed result of chance. In a game without chance nothing is listed.
    fn roll(&self, state: &mut Self::State, outcome: Outcome) {
        let _ = (state, outcome);
    }

    /// Whether the end of the game in `state`, which is over, rests on a past that [`Game::key`] leaves out: a search that remembers
    /// positions by their keys must not take it for a property of the position. In most games nothing is left out.
    fn ends_by_past(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// Writes the position from the mover's view into `planes`, which has the length of `facts().planes` and any content.
    /// Layout: `[planes, height, width]`, row-major.
    fn encode(&self, state: &Self::State, planes: &mut [f32]);

    /// The symmetries of the board, the identity first: that alone unless the game names others.
    fn symmetries(&self) -> &[Symmetry] {
        &symmetry::IDENTITY
    }

    /// The image of `state` under one of [`Game::symmetries`]; under the identity the state itself.
    fn transform(&self, state: &Self::State, by: &Symmetry) -> Self::State {
        let _ = by;
        state.clone()
    }

    /// A key of the position. Equal positions have equal keys; the reverse is likely only. A game that keeps one has its Zobrist
    /// key here, and leaves out history that its states hold; else the whole state is hashed, by a fixed function.
    fn key(&self, state: &Self::State) -> u64 {
        fingerprint::of(state)
    }

    /// The board as text, lines ending with a newline.
    fn draw(&self, state: &Self::State) -> String;

    /// The name of a legal move in the game's notation.
    fn label(&self, state: &Self::State, action: Action) -> String;

    /// The legal move that `text` names: the inverse of [`Game::label`], without regard to case and surrounding blanks.
    ///
    /// # Errors
    /// When no legal move has that label; the error lists those there are.
    fn parse(&self, state: &Self::State, text: &str) -> Result<Action, ParseMoveError> {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        let wanted = text.trim();
        let labels: Vec<String> = actions.iter().map(|&action| self.label(state, action)).collect();
        match labels.iter().position(|label| label.eq_ignore_ascii_case(wanted)) {
            Some(found) => Ok(actions[found]),
            None => Err(ParseMoveError { text: wanted.to_owned(), legal: labels.join(" ") }),
        }
    }
}
