//! Looking deeper where a position is sharp and less deep where it is not. All of it rests on knowledge of the game, and changes the value of a search
//! for the sake of what the time saved finds elsewhere.
//!
//! - Extension: a ply more where the player to move is threatened, so that a series of checks does not push what follows beyond the horizon.
//! - Null move: a position that is good enough even if its mover passes is not searched in full (C. Donninger, "Null move and deep
//!   search", 1993). Hypothesis: some move is better than none (no zugzwang); knowledge of the game says where to trust it.
//! - Futility: near the horizon a position is given up whose estimate exceeds beta by more than quiet play may change, and so are its quiet moves where the
//!   estimate lies as far below alpha, and the late ones of many (E. Heinz, "Extended futility pruning", 1998).
//! - Late-move reductions: of a move that comes late in a good order is asked first, with less depth, whether it is better than the best; and where nothing is
//!   known that makes a good order, the depth is a ply less.
//!
//! Cost: an estimate where a null move is thought of; a pass or a reduced search that fails is searched again.

use super::ordering::Tried;
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
    /// Give up what an estimate says is hopeless, or too good, near the horizon.
    pub futility: bool,
}

impl Selective {
    /// Every part.
    pub const ALL: Selective =
        Selective { quiescence: true, extensions: true, null_move: true, reductions: true, futility: true };
    /// Every position at the depth limit is estimated as it is, and no other is given up.
    pub const NONE: Selective =
        Selective { quiescence: false, extensions: false, null_move: false, reductions: false, futility: false };
}

/// The depth from which a null move is tried and late moves are reduced.
const LEAST_DEPTH: u32 = 3;
/// Moves that are never reduced.
const FIRST_MOVES: usize = 3;
/// The plies by which a move is reduced less that always refuted positions, and more that never did.
const OF_HISTORY: f32 = 3.0;
/// The depth up to which an estimate may give up a position.
const FUTILE_DEPTH: u32 = 6;
/// The depth up to which late moves may be left out.
const COUNTED_DEPTH: u32 = 6;
/// The most plies that a surplus of the estimate adds to what a null move is reduced by.
const SURPLUS: i32 = 3;

/// What is thought of a position before its moves are searched.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    /// The estimate, for its mover.
    pub(super) score: Score,
    /// Whether it is more than its mover had two plies ago.
    pub(super) improves: bool,
    /// Whether it may decide what is not searched: a scout asks, and no mate is at hand.
    pub(super) decides: bool,
}

impl<G: Game> AlphaBeta<G> {
    /// Whether what the table holds answers for a search of `depth` plies.
    pub(super) fn answers(&self, found: Finding, depth: u32, window: Window) -> bool {
        found.answers(depth, self.is_tactical(), window)
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

    /// What is thought of a position, if nothing is threatened.
    pub(super) fn standing(&mut self, state: &G::State, mover: Player, ply: u32, window: Window) -> Option<Standing> {
        let Selective { futility, null_move, reductions, .. } = self.options.selective;
        if !(futility || null_move || reductions) || !self.is_tactical() {
            return None;
        }
        let score = (!self.judge.is_threatened(state)).then(|| self.judge.estimate(state, mover));
        let ply = ply as usize;
        if self.standings.len() <= ply {
            self.standings.resize(ply + 1, None);
        }
        self.standings[ply] = score;
        let before = ply.checked_sub(2).and_then(|before| self.standings[before]);
        let decides = window.is_scout() && !window.beta.is_decided();
        score.map(|score| Standing { score, improves: before.is_none_or(|before| score > before), decides })
    }

    /// What the estimate `standing` may come to in so many plies of quiet play.
    fn drifted(&self, standing: Score, plies: i32) -> Score {
        let knowledge = self.judge.knowledge.as_ref();
        Score::estimate(knowledge.map_or(standing.utility(), |knowledge| knowledge.drift(standing.utility(), plies)))
    }

    /// Whether a position is too good to be searched, with so many plies left.
    pub(super) fn is_beyond(&self, standing: Standing, depth: u32, window: Window) -> bool {
        let may = self.options.selective.futility && depth <= FUTILE_DEPTH && !standing.score.is_decided();
        may && self.drifted(standing.score, i32::from(standing.improves) - depth as i32) >= window.beta
    }

    /// The depth of a position of which the table knows `known`: a ply less where that is nothing, since the search of its moves will go in a poor order
    /// (internal iterative reduction).
    pub(super) fn shortened(&self, depth: u32, known: Option<Finding>) -> u32 {
        let may = self.options.selective.reductions && self.table.is_on() && depth > LEAST_DEPTH && self.is_tactical();
        if may && known.is_none() { depth - 1 } else { depth }
    }

    /// Whether no quiet or losing move of a position can better alpha that comes after `tried - 1` others, the best of which has the score `best`, or the
    /// `tried`-th comes too late for that.
    pub(super) fn is_futile(&self, standing: Standing, depth: u32, tried: usize, best: Score, alpha: Score) -> bool {
        if !self.options.selective.futility || tried == 1 || best.is_decided() || standing.score.is_decided() {
            return false;
        }
        let count = (4 + depth * depth) as usize / if standing.improves { 1 } else { 2 };
        let is_late = depth <= COUNTED_DEPTH && tried > count;
        is_late || depth <= FUTILE_DEPTH && self.drifted(standing.score, depth as i32 + 1) <= alpha
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
        standing: Standing,
    ) -> Option<Option<Score>> {
        let may = self.options.selective.null_move && depth >= LEAST_DEPTH && self.passed_to != Some(ply);
        if !may || standing.score < window.beta {
            return Some(None);
        }
        let Some(next) = self.judge.knowledge.as_ref().and_then(|knowledge| knowledge.pass(state)) else { return Some(None) };
        let before = self.passed_to.replace(ply + 1);
        let surplus = (1..=SURPLUS).take_while(|plies| self.drifted(standing.score, -2 * plies) >= window.beta).count() as u32;
        let left = depth.saturating_sub(4 + depth / 3 + surplus);
        let score = self.visit(&next, mover, ply + 1, left, window);
        self.passed_to = before;
        // A pass proves nothing for good, least of all a mate.
        self.met_horizon = true;
        Some((score? >= window.beta).then_some(window.beta))
    }

    /// The plies by which `candidate`, the `tried`-th of a position, is searched less deep; `next` is where it leads.
    pub(super) fn reduction(
        &self,
        candidate: Tried,
        standing: Option<Standing>,
        next: &G::State,
        depth: u32,
        tried: usize,
    ) -> u32 {
        let may = self.options.selective.reductions
            && self.options.scout
            && standing.is_some()
            && depth >= LEAST_DEPTH
            && tried > FIRST_MOVES
            && (candidate.is_quiet || candidate.is_losing)
            && !self.judge.is_threatened(next);
        if !may {
            return 0;
        }
        let late = (depth as f32).ln() * (tried as f32).ln() / 2.0;
        ((late - OF_HISTORY * candidate.history) as u32).min(depth - 2)
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
