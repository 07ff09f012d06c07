//! The recursion of alpha-beta, below the root: fail-soft, so that a value outside the window is still the tightest bound
//! known (J. Fishburn, "Another optimization of alpha-beta search", 1983).
//!
//! Values are asked for by a viewer, the mover of the position before. Only where the turn passes is anything negated, and in
//! one place; a player who moves twice in a row needs no special code.

use super::selective::Standing;
use super::table::{Bound, Finding};
use super::{AlphaBeta, Window};
use crate::game::{Game, Player};
use crate::search::score::{Arrival, Score};

/// What is known of a position before its moves are searched.
#[derive(Clone, Copy)]
struct Beforehand {
    /// As [`AlphaBeta::standing`] gives it.
    standing: Option<Standing>,
    /// What the table holds.
    known: Option<Finding>,
}

impl<G: Game> AlphaBeta<G> {
    /// The value of `state` for `viewer`, searched `depth` plies deep: exact strictly inside `window`, an upper bound at or
    /// below alpha, a lower bound at or above beta. `None` when the budget ends first.
    pub(super) fn visit(&mut self, state: &G::State, viewer: Player, ply: u32, depth: u32, window: Window) -> Option<Score> {
        if !self.meter.spend() {
            return None;
        }
        self.lines.clear(ply);
        self.deepest = self.deepest.max(ply);
        let depth = self.extended(state, ply, depth);
        match self.judge.arrive(state, viewer, ply, depth) {
            Arrival::End(score) => {
                self.met_horizon |= self.judge.game.ends_by_past(state);
                Some(score)
            }
            Arrival::Horizon(mover) if mover == viewer => self.settle(state, mover, ply, 0, window),
            Arrival::Horizon(mover) => self.settle(state, mover, ply, 0, window.for_other()).map(Score::for_other),
            Arrival::Move(mover) if mover == viewer => self.expand(state, mover, ply, depth, window),
            Arrival::Move(mover) => self.expand(state, mover, ply, depth, window.for_other()).map(Score::for_other),
        }
    }

    /// As [`AlphaBeta::visit`], for a position that is likely no better than one visited before it, which alpha speaks for.
    pub(super) fn visit_later(
        &mut self,
        state: &G::State,
        viewer: Player,
        ply: u32,
        depth: u32,
        window: Window,
    ) -> Option<Score> {
        if !self.options.scout {
            return self.visit(state, viewer, ply, depth, window);
        }
        let score = self.visit(state, viewer, ply, depth, window.scout())?;
        // Without depth an estimate is exact whatever the window.
        let is_known = score <= window.alpha || score >= window.beta || depth == 0 && !self.is_tactical();
        if is_known { Some(score) } else { self.visit(state, viewer, ply, depth, window) }
    }

    /// The value for `mover`, who is to move: from the table where it answers, else searched and stored there.
    fn expand(&mut self, state: &G::State, mover: Player, ply: u32, depth: u32, window: Window) -> Option<Score> {
        let (key, known) = self.recall(state, ply);
        if let Some(found) = known.filter(|&found| self.answers(found, depth, window)) {
            self.met_horizon |= !found.complete;
            return Some(found.score);
        }
        let depth = self.shortened(depth, known);
        let standing = self.standing(state, mover, ply, window);
        if let Some(standing) = standing.filter(|standing| standing.decides) {
            if self.is_beyond(standing, depth, window) {
                self.met_horizon = true;
                return Some(standing.score);
            }
            if let Some(bound) = self.refuted_by_passing(state, mover, ply, depth, window, standing)? {
                return Some(bound);
            }
        }
        let elsewhere = std::mem::replace(&mut self.met_horizon, false);
        let found = self.best(state, mover, ply, depth, window, Beforehand { standing, known })?;
        self.remember(key, ply, Finding { complete: !self.met_horizon, ..found });
        self.met_horizon |= elsewhere;
        Some(found.score)
    }

    /// The key of a position `ply` plies below the root, where there is a table, and what that holds of it.
    pub(super) fn recall(&self, state: &G::State, ply: u32) -> (Option<u64>, Option<Finding>) {
        let key = self.table.is_on().then(|| self.judge.game.key(state));
        let counted = |found: Finding| Finding { score: found.score.counted_from_root(self.judge.counted(ply)), ..found };
        (key, key.and_then(|key| self.table.probe(key)).map(counted))
    }

    /// Puts what was found of the position with this key into the table.
    pub(super) fn remember(&self, key: Option<u64>, ply: u32, found: Finding) {
        if let Some(key) = key {
            self.table.store(key, Finding { score: found.score.counted_from_node(self.judge.counted(ply)), ..found });
        }
    }

    /// Searches the moves of `state`. The score found counts its distance from the root.
    fn best(
        &mut self,
        state: &G::State,
        mover: Player,
        ply: u32,
        depth: u32,
        window: Window,
        beforehand: Beforehand,
    ) -> Option<Finding> {
        let Beforehand { standing, known } = beforehand;
        let mut moves = self.moves.take(ply);
        self.ordering.rank(&self.judge, state, mover, ply, known.map(|found| found.action), &mut moves);
        let (mut best, mut best_action, mut alpha, mut tried) = (Score::LOWEST, None, window.alpha, 0);
        let deciding = standing.filter(|standing| standing.decides);
        while let Some(candidate) = moves.pick(tried) {
            let action = candidate.action;
            tried += 1;
            let mut next = state.clone();
            self.judge.game.play(&mut next, action);
            let is_futile = |standing| self.is_futile(standing, depth, tried, best, alpha) && !self.judge.is_threatened(&next);
            if (candidate.is_quiet || candidate.is_losing) && deciding.is_some_and(is_futile) {
                // It is taken for no better than alpha.
                self.met_horizon = true;
                best = best.max(alpha);
                continue;
            }
            let inside = Window { alpha, beta: window.beta };
            let score = if tried == 1 {
                self.visit(&next, mover, ply + 1, depth - 1, inside)?
            } else {
                let reduction = self.reduction(candidate, standing, &next, depth, tried);
                self.visit_reduced(&next, mover, ply + 1, depth - 1, reduction, inside)?
            };
            if score > best {
                (best, best_action) = (score, Some(action));
            }
            if score > alpha {
                alpha = score;
                self.lines.raise(ply, action);
            }
            if alpha >= window.beta {
                self.ordering.cut(&self.judge, state, mover, (ply, depth), &moves, tried);
                break;
            }
        }
        self.moves.put_back(ply, moves);
        // Where a player is to move there is a move.
        let depth = u16::try_from(depth).unwrap_or(u16::MAX);
        Some(Finding { score: best, bound: Bound::of(best, window), depth, complete: false, action: best_action? })
    }
}
