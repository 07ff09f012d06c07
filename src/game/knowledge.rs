//! What people know about a game beyond its rules. Classical search uses it; the learner never does.

use super::{Action, Game, Payoff};

/// Hand-written judgement of positions, for classical search alone.
pub trait Knowledge: Game {
    /// An estimate of an undecided position, strictly inside the range of decided ones: every utility is in (-1, 1).
    fn heuristic(&self, state: &Self::State) -> Payoff;

    /// Whether the estimate is about to change sharply (a capture pending, say), so that a search should look further.
    fn is_noisy(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// How promising a move looks before any search; higher is searched first.
    fn ordering(&self, state: &Self::State, action: Action) -> i32;
}
