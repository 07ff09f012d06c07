//! Looking deeper where a position is sharp and less deep where it is not. All of it rests on knowledge of the game, and changes the value of a search
//! for the sake of what the time saved finds elsewhere.
//!
//! - Extension: a ply more where the player to move is threatened, so that a series of checks does not push what follows beyond the horizon.
//! - Null move: a position that is good enough even if its mover passes is not searched in full (C. Donninger, "Null move and deep
//!   search", 1993). Hypothesis: some move is better than none (no zugzwang); knowledge of the game says where to trust it.
//! - Late-move reductions: of a move that comes late in a good order is asked first, with less depth, whether it is better than the best.
//!
//! Cost: an estimate where a null move is thought of; a pass or a reduced search that fails is searched again.

use super::table::Finding;
use super::{AlphaBeta, Window};
use crate::game::{Game, Player};
use crate::search::score::Score;

/// The selective parts of alpha-beta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selective {
    /// Go on beyond the depth limit with exchanges and threats until an estimate can be trusted.
    pub quiescence: bool,
    /// Search a ply deeper where the player to move is threatened.
    pub extensions: bool,
    /// Give up positions that would be too good even after a pass.
    pub null_move: bool,
    /// Search late quiet moves less deep.
    pub reductions: bool,
}

impl Selective {
    /// Every part.
    pub const ALL: Selective = Selective { quiescence: true, extensions: true, null_move: true, reductions: true };
    /// Every position at the depth limit is estimated as it is, and no other is given up.
    pub const NONE: Selective = Selective { quiescence: false, extensions: false, null_move: false, reductions: false };
}

/// The depth from which a null move is tried and late moves are reduced.
const LEAST_DEPTH: u32 = 3;
/// Moves that are never reduced.
const FIRST_MOVES: usize = 3;

impl<G: Game> AlphaBeta<G> {
    /// Whether what the table holds answers for a search of `depth` plies.
    pub(super) fn answers(&self, found: Finding, depth: u32, window: Window, score: Score) -> bool {
        found.answers(depth, self.is_tactical(), window, score)
    }

    /// Whether depths are no promise: the game has exchanges, and the search looks at them.
    pub(super) fn is_tactical(&self) -> bool {
        self.options.selective != Selective::NONE
            && self.judge.knowledge.as_ref().is_some_and(|knowledge| knowledge.is_tactical())
    }

    /// The depth of a position that has been reached with `depth` plies left.
    pub(super) fn extended(&self, state: &G::State, ply: u32, depth: u32) -> u32 {
        // A game of checks alone would never come to its horizon.
        let may = self.options.selective.extensions && ply < 2 * self.depth;
        if may && self.judge.is_threatened(state) { depth + 1 } else { depth }
    }

    /// A lower bound of a position's value at or above beta, where passing already keeps it there. The outer option is empty when the
    /// budget ends first.
    pub(super) fn refuted_by_passing(
        &mut self,
        state: &G::State,
        mover: Player,
        ply: u32,
        depth: u32,
        window: Window,
    ) -> Option<Option<Score>> {
        let may = self.options.selective.null_move
            && depth >= LEAST_DEPTH
            && window.is_scout()
            && !window.beta.is_decided()
            && self.passed_to != Some(ply)
            && !self.judge.is_threatened(state);
        if !may || self.judge.estimate(state, mover) < window.beta {
            return Some(None);
        }
        let Some(next) = self.judge.knowledge.as_ref().and_then(|knowledge| knowledge.pass(state)) else { return Some(None) };
        let before = self.passed_to.replace(ply + 1);
        let left = depth.saturating_sub(3 + depth / 4);
        let score = self.visit(&next, mover, ply + 1, left, window);
        self.passed_to = before;
        // A pass proves nothing for good, least of all a mate.
        self.met_horizon = true;
        Some((score? >= window.beta).then_some(window.beta))
    }

    /// The plies by which a quiet move, the `tried`-th of `state`, is searched less deep; `next` is where it leads.
    pub(super) fn reduction(&self, state: &G::State, next: &G::State, depth: u32, tried: usize) -> u32 {
        let may = self.options.selective.reductions
            && self.options.scout
            && depth >= LEAST_DEPTH
            && tried > FIRST_MOVES
            && self.is_tactical()
            && !self.judge.is_threatened(state)
            && !self.judge.is_threatened(next);
        if may { (((depth as f32).ln() * (tried as f32).ln() / 2.0) as u32).clamp(1, depth - 2) } else { 0 }
    }

    /// As [`AlphaBeta::visit_later`], first with less depth. A value above alpha is found again without reduction.
    pub(super) fn visit_reduced(
        &mut self,
        state: &G::State,
        viewer: Player,
        ply: u32,
        depth: u32,
        reduction: u32,
        window: Window,
    ) -> Option<Score> {
        if reduction > 0 {
            let score = self.visit(state, viewer, ply, depth - reduction, window.scout())?;
            if score <= window.alpha {
                return Some(score);
            }
        }
        self.visit_later(state, viewer, ply, depth, window)
    }
}
