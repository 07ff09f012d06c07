//! What people know about a game beyond its rules. Classical search uses it; the learner never does.

use std::sync::Arc;

use serde::Serialize;

use super::{Action, Game, Payoff};

/// A part of an estimate, for people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// What is counted.
    pub name: String,
    /// What the first player has more of than the second.
    pub count: i32,
    /// The weight of one, in units of the game's own; none where they differ.
    pub weight: Option<f64>,
    /// What it adds to the estimate for the first player, in the same units.
    pub part: f64,
}

/// A position of a game that was played, from which weights are learnt.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson<S> {
    /// The position.
    pub state: S,
    /// How the game ended for the first player: 1, a half or 0.
    pub points: f32,
    /// What the search of the player to move expected of it.
    pub expected: Option<Payoff>,
}

/// Weights that were fitted to games.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Their table, as [`Knowledge::with_weights`] reads it.
    pub table: String,
    /// Positions that count.
    pub positions: usize,
    /// The mean squared error of the points that the weights before foretell, in positions that the fit did not see.
    pub before: f64,
    /// The same of the fitted ones.
    pub after: f64,
}

/// Knowledge of a game whose states are `S`, shared.
pub type Known<S> = Arc<dyn Knowledge<State = S>>;

/// Hand-written judgement of positions, for classical search alone. Only the first two methods need be written: without the
/// others a search treats all moves and all positions alike.
pub trait Knowledge: Game {
    /// An estimate of an undecided position, strictly inside the range of decided ones: every utility is in (-1, 1).
    fn heuristic(&self, state: &Self::State) -> Payoff;

    /// How promising a move looks before any search; higher is searched first.
    fn ordering(&self, state: &Self::State, action: Action) -> i32;

    /// The parts of the estimate, where it is a sum of such.
    fn terms(&self, state: &Self::State) -> Vec<Term> {
        let _ = state;
        Vec::new()
    }

    /// The weights of the estimate, fitted to lessons, those of a game next to each other, in which how a game ended has the share `results` and what was expected
    /// the rest; `None` where it has no weights.
    fn fit(&self, lessons: &[Lesson<Self::State>], results: f32) -> Option<Fit> {
        let _ = (lessons, results);
        None
    }

    /// The same knowledge with the weights of a table, or what is wrong with that; `None` where it has no weights.
    fn with_weights(&self, table: &str) -> Option<Result<Known<Self::State>, String>> {
        let _ = table;
        None
    }

    /// Whether the game tells exchanges from quiet moves: a search may then look less deep at what comes late among the latter.
    fn is_tactical(&self) -> bool {
        false
    }

    /// Whether the player to move must meet a threat at once, as a check in chess: an estimate says little of such a position.
    fn is_threatened(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// What the exchange that `action` begins is likely to win for its mover, in units of the game's own; what it loses is negative. `None`
    /// where it exchanges nothing: a quiet move.
    fn exchange(&self, state: &Self::State, action: Action) -> Option<i32> {
        let _ = (state, action);
        None
    }

    /// Appends the moves after which an estimate may be far from that of `state`: exchanges, and if `threats` are wanted, moves
    /// that leave the other player threatened.
    fn noisy(&self, state: &Self::State, threats: bool, out: &mut Vec<Action>) {
        let _ = (state, threats, out);
    }

    /// A utility that no estimate of the position after `action` is likely to exceed for its mover, for whom that of `state` is
    /// `estimate`.
    fn reach(&self, state: &Self::State, action: Action, estimate: f32) -> f32 {
        let _ = (state, action, estimate);
        Payoff::MOST
    }

    /// What an estimate of `estimate` for the mover may come to in so many plies of quiet play, at best; at worst where they are negative.
    fn drift(&self, estimate: f32, plies: i32) -> f32 {
        let _ = estimate;
        if plies < 0 { -Payoff::MOST } else { Payoff::MOST }
    }

    /// The position with the other player to move, where the mover would almost surely rather move than pass.
    fn pass(&self, state: &Self::State) -> Option<Self::State> {
        let _ = state;
        None
    }
}
