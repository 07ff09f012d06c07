//! The value of a position as an integer, which is what minimax and alpha-beta compare, and where its leaves come from.
//!
//! Integers, because pruning asks for exact comparisons and because a win in three plies must beat a win in five. Utilities
//! enter and leave at the edge: a decided game is exactly -1 or 1, every estimate and every smaller stake lies strictly inside.

use std::sync::Arc;

use crate::game::{Action, Game, Known, Payoff, Player, Turn};
use crate::search::Unsuited;

/// A value for one player, named by whoever holds it. Higher is better for that player. The layout, for a gain:
///
/// | score                       | meaning                                                     |
/// |-----------------------------|-------------------------------------------------------------|
/// | 0                           | a draw                                                      |
/// | 1 to 2^24 - 1               | a utility below 1, in units of 2^-24: an estimate or a stake |
/// | 2^24 + 2^16 - plies         | won, `plies` (below 2^16) from the root                     |
///
/// and the negation for what the other player gains. A dyadic utility is represented exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Score(i32);

impl Score {
    /// The utility 1, were it not decided.
    const UNIT: i32 = 1 << 24;
    /// More plies than any distance to the end.
    const HORIZON: u32 = 1 << 16;
    /// Won on the spot.
    const WON: i32 = Self::UNIT + Self::HORIZON as i32;

    /// Below every value.
    pub(crate) const LOWEST: Score = Score(-i32::MAX);
    /// Above every value.
    pub(crate) const HIGHEST: Score = Score(i32::MAX);

    /// The game ended with `utility`, `plies` from the root.
    pub(crate) fn end(utility: f32, plies: u32) -> Self {
        let won = Self::WON - plies.min(Self::HORIZON - 1) as i32;
        match utility {
            _ if utility >= 1.0 => Score(won),
            _ if utility <= -1.0 => Score(-won),
            _ => Self::estimate(utility),
        }
    }

    /// A judgement of an undecided position: kept strictly inside the decided ones.
    pub(crate) fn estimate(utility: f32) -> Self {
        let units = (utility * Self::UNIT as f32).round() as i32;
        Score(units.clamp(1 - Self::UNIT, Self::UNIT - 1))
    }

    /// The same value for the other player of a zero-sum game.
    pub(crate) const fn for_other(self) -> Self {
        Score(-self.0)
    }

    /// The score so many steps of the scale above this one; below it where `steps` is negative.
    pub(crate) const fn shifted(self, steps: i32) -> Self {
        Score(self.0.saturating_add(steps))
    }

    /// The score as a number, for keeping.
    pub(crate) const fn steps(self) -> i32 {
        self.0
    }

    /// The inverse of [`Score::steps`].
    pub(crate) const fn from_steps(steps: i32) -> Self {
        Score(steps)
    }

    /// Plies from the root to the end of a decided game.
    pub(crate) fn plies_to_end(self) -> Option<u32> {
        self.is_decided().then(|| (Self::WON - self.0.abs()) as u32)
    }

    /// The steps of the scale in a utility of 1.
    pub(crate) const fn steps_of_one() -> i32 {
        Self::UNIT
    }

    /// Whether it is a proven win or loss.
    pub(crate) const fn is_decided(self) -> bool {
        self.0.abs() >= Self::UNIT
    }

    /// The utility, in [-1, 1].
    pub(crate) fn utility(self) -> f32 {
        if self.is_decided() { self.0.signum() as f32 } else { self.0 as f32 / Self::UNIT as f32 }
    }

    /// A value counted from the root, counted from a node `plies` below it instead: how it may be kept for other paths.
    pub(crate) const fn counted_from_node(self, plies: u32) -> Self {
        if self.is_decided() { Score(self.0 + self.0.signum() * plies as i32) } else { self }
    }

    /// The inverse of [`Score::counted_from_node`].
    pub(crate) const fn counted_from_root(self, plies: u32) -> Self {
        if self.is_decided() { Score(self.0 - self.0.signum() * plies as i32) } else { self }
    }
}

/// What a search finds on entering a position. Scores are for the player who asks.
pub(crate) enum Arrival {
    /// The game is over.
    End(Score),
    /// No depth is left, and this player would be to move.
    Horizon(Player),
    /// This player is to move and there is depth left.
    Move(Player),
}

/// The rules and the judgement that value the leaves of a search.
pub(crate) struct Judge<G: Game> {
    pub(crate) game: Arc<G>,
    pub(crate) knowledge: Option<Known<G::State>>,
    /// Whether a quicker win and a slower loss are better.
    distance: bool,
}

impl<G: Game> Clone for Judge<G> {
    fn clone(&self) -> Self {
        Self { game: Arc::clone(&self.game), knowledge: self.knowledge.clone(), distance: self.distance }
    }
}

impl<G: Game> Judge<G> {
    /// Refuses games with chance and games that are not zero-sum, in the name of `search`.
    pub(crate) fn new(
        search: &'static str,
        game: &Arc<G>,
        knowledge: Option<Known<G::State>>,
        distance: bool,
    ) -> Result<Self, Unsuited> {
        let facts = game.facts();
        if facts.chance || facts.sum != (0.0, 0.0) {
            return Err(Unsuited { search, needs: "a zero-sum game without chance", game: facts.id.clone() });
        }
        Ok(Self { game: Arc::clone(game), knowledge, distance })
    }

    /// What a search with `depth` plies left finds `ply` plies below the root, with values for `viewer`.
    pub(crate) fn arrive(&self, state: &G::State, viewer: Player, ply: u32, depth: u32) -> Arrival {
        match self.game.turn(state) {
            Turn::Over(payoff) => Arrival::End(Score::end(payoff.of(viewer), self.counted(ply))),
            Turn::Move(mover) if depth > 0 => Arrival::Move(mover),
            Turn::Move(mover) => Arrival::Horizon(mover),
            // Chance never acts in the games that `new` accepts.
            Turn::Chance => Arrival::Horizon(viewer),
        }
    }

    /// `ply` as far as it counts in scores.
    pub(crate) fn counted(&self, ply: u32) -> u32 {
        if self.distance { ply } else { 0 }
    }

    /// Whether the player to move must meet a threat, as far as knowledge of the game tells.
    pub(crate) fn is_threatened(&self, state: &G::State) -> bool {
        self.knowledge.as_ref().is_some_and(|knowledge| knowledge.is_threatened(state))
    }

    /// What the exchange that a move begins wins, as far as knowledge of the game tells; nothing of a quiet move.
    pub(crate) fn exchange(&self, state: &G::State, action: Action) -> Option<i32> {
        self.knowledge.as_ref()?.exchange(state, action)
    }

    /// The heuristic where there is one, else a draw.
    pub(crate) fn estimate(&self, state: &G::State, viewer: Player) -> Score {
        let payoff = self.knowledge.as_ref().map_or(Payoff::DRAW, |knowledge| knowledge.heuristic(state));
        Score::estimate(payoff.of(viewer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_ordered_as_people_want_games_to_end() {
        let ordered = [
            Score::LOWEST,
            Score::end(-1.0, 0),
            Score::end(-1.0, 7),
            Score::estimate(-1.0),
            Score::estimate(-0.5),
            Score::end(0.0, 3),
            Score::end(0.5, 3),
            Score::estimate(7.0),
            Score::end(1.0, u32::MAX),
            Score::end(1.0, 5),
            Score::end(1.0, 3),
            Score::HIGHEST,
        ];
        assert!(ordered.is_sorted_by(|a, b| a < b), "{ordered:?}");
        assert!(ordered.map(Score::for_other).is_sorted_by(|a, b| a > b));
    }

    #[test]
    fn utilities_survive_and_decided_ones_are_whole() {
        for utility in [-1.0, -0.75, -1.0 / 1024.0, 0.0, 0.5, 1.0] {
            assert_eq!(Score::end(utility, 9).utility(), utility);
        }
        assert!(Score::estimate(1.0).utility() < 1.0);
        assert!(Score::estimate(-1.0).utility() > -1.0);
        assert!(!Score::estimate(1.0).is_decided() && Score::end(-1.0, u32::MAX).is_decided());
    }

    #[test]
    fn a_distance_can_be_counted_from_a_node_and_back() {
        assert_eq!(Score::end(1.0, 9).counted_from_node(4), Score::end(1.0, 5));
        assert_eq!(Score::end(-1.0, 9).counted_from_node(4), Score::end(-1.0, 5));
        for score in [Score::end(1.0, 9), Score::end(-1.0, 9), Score::end(0.0, 9), Score::estimate(0.3)] {
            assert_eq!(score.counted_from_node(4).counted_from_root(4), score);
        }
    }
}
