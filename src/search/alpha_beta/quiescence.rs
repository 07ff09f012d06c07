//! Quiescence: beyond the depth limit only moves are searched after which an estimate may change sharply, until there are none worth looking at. So an
//! estimate is never taken in the middle of an exchange (the horizon effect).
//!
//! Rule: the mover may stop at any time and take the estimate (stand pat), for one of the moves not looked at is likely no worse; not when threatened, when all
//! moves are searched. Exchanges that lose are left out, and so are those that cannot lift the estimate to alpha (delta pruning). Threats are looked at in the
//! first ply alone, so that it ends: each later move of a player who is not threatened is an exchange. D. Beal, "A generalised quiescence search algorithm", 1990.

use super::table::{Bound, Finding};
use super::{AlphaBeta, Window};
use crate::game::{Action, Game, Player, Turn};
use crate::search::score::Score;

impl<G: Game> AlphaBeta<G> {
    /// The value for `mover`, who would be to move, of a position `beyond` plies beyond the depth limit.
    pub(super) fn settle(&mut self, state: &G::State, mover: Player, ply: u32, beyond: u32, window: Window) -> Option<Score> {
        self.met_horizon = true;
        if !self.options.selective.quiescence || !self.is_tactical() {
            return Some(self.judge.estimate(state, mover));
        }
        let (key, known) = self.recall(state, ply);
        if let Some(found) = known.filter(|&found| self.answers(found, 0, window)) {
            return Some(found.score);
        }
        let (score, action) = self.exchange(state, mover, ply, beyond, window, known.map(|found| found.action))?;
        if let Some(action) = action {
            self.remember(key, ply, Finding { score, bound: Bound::of(score, window), depth: 0, complete: false, action });
        }
        Some(score)
    }

    /// The value of a position whose noisy moves are searched, and the move that gives it, unless it is to stop here.
    fn exchange(
        &mut self,
        state: &G::State,
        mover: Player,
        ply: u32,
        beyond: u32,
        window: Window,
        remembered: Option<Action>,
    ) -> Option<(Score, Option<Action>)> {
        let estimate = self.judge.estimate(state, mover);
        let is_threatened = self.judge.is_threatened(state);
        let (mut best, mut best_action, mut alpha) = (Score::LOWEST, None, window.alpha);
        if !is_threatened {
            best = estimate;
            alpha = alpha.max(estimate);
            if alpha >= window.beta {
                return Some((best, None));
            }
        }
        let mut moves = self.moves.take(ply);
        self.ordering.rank_noisy(&self.judge, state, is_threatened, beyond == 0, remembered, &mut moves);
        let mut tried = 0;
        while let Some(candidate) = moves.pick(tried) {
            tried += 1;
            if !is_threatened && !self.is_worth(state, candidate.action, candidate.is_losing, estimate, alpha) {
                continue;
            }
            let mut next = state.clone();
            self.judge.game.play(&mut next, candidate.action);
            let score = self.visit_beyond(&next, mover, ply + 1, beyond + 1, Window { alpha, beta: window.beta })?;
            if score > best {
                (best, best_action) = (score, Some(candidate.action));
            }
            if score > alpha {
                alpha = score;
                self.lines.raise(ply, candidate.action);
            }
            if alpha >= window.beta {
                break;
            }
        }
        self.moves.put_back(ply, moves);
        Some((best, best_action))
    }

    /// Whether a noisy move of a mover who is not threatened may better alpha.
    fn is_worth(&self, state: &G::State, action: Action, is_losing: bool, estimate: Score, alpha: Score) -> bool {
        let reach = |estimate| self.judge.knowledge.as_ref().map_or(1.0, |knowledge| knowledge.reach(state, action, estimate));
        !is_losing && (estimate.is_decided() || Score::estimate(reach(estimate.utility())) > alpha)
    }

    /// The value for `viewer` of a position that a move beyond the depth limit led to.
    fn visit_beyond(&mut self, state: &G::State, viewer: Player, ply: u32, beyond: u32, window: Window) -> Option<Score> {
        if !self.meter.spend() {
            return None;
        }
        self.lines.clear(ply);
        self.deepest = self.deepest.max(ply);
        match self.judge.game.turn(state) {
            Turn::Over(payoff) => Some(Score::end(payoff.of(viewer), self.judge.counted(ply))),
            Turn::Move(mover) if mover != viewer => {
                self.settle(state, mover, ply, beyond, window.for_other()).map(Score::for_other)
            }
            Turn::Move(_) | Turn::Chance => self.settle(state, viewer, ply, beyond, window),
        }
    }
}
