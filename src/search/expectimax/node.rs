//! The recursion of expectimax where players move.

use std::cmp::Reverse;
use std::iter::{once, repeat};

use super::Expectimax;
use super::window::{Window, liking};
use crate::game::{Action, Game, Payoff, Player, Turn};

impl<G: Game> Expectimax<G> {
    /// The value of `state` for the first player, with `depth` moves left: exact strictly inside `window`, an upper bound at or
    /// below alpha, a lower bound at or above beta. `None` when the budget ends first.
    pub(super) fn visit(&mut self, state: &G::State, ply: u32, depth: u32, window: Window) -> Option<f64> {
        self.meter.spend().then_some(())?;
        self.lines.clear(ply);
        match self.game.turn(state) {
            Turn::Over(payoff) => Some(payoff.of(Player::First).into()),
            Turn::Move(_) if depth == 0 => Some(self.estimate(state)),
            Turn::Move(mover) => self.best(state, mover, ply, depth, window, None),
            Turn::Chance => self.mean(state, ply, depth, window),
        }
    }

    /// As [`Expectimax::visit`], for a position of which the first move was tried: it is worth `first` there.
    pub(super) fn visit_tried(&mut self, state: &G::State, ply: u32, depth: u32, window: Window, first: f64) -> Option<f64> {
        let Turn::Move(mover) = self.game.turn(state) else { return self.visit(state, ply, depth, window) };
        self.meter.spend().then_some(())?;
        self.lines.clear(ply);
        self.best(state, mover, ply, depth, window, Some(first))
    }

    /// The value for the first player of a position in which `mover` is to move; `first` is that of the first move, where known.
    fn best(&mut self, state: &G::State, mover: Player, ply: u32, depth: u32, window: Window, first: Option<f64>) -> Option<f64> {
        let moves = self.list(state, ply);
        let (mut best, mut now) = (None, window);
        for (&action, tried) in moves.iter().zip(once(first).chain(repeat(None))) {
            let value = match tried {
                Some(value) => value,
                None => {
                    let mut next = state.clone();
                    self.game.play(&mut next, action);
                    self.visit(&next, ply + 1, depth - 1, now)?
                }
            };
            if best.is_none_or(|best| liking(mover, value) > liking(mover, best)) {
                best = Some(value);
                self.lines.raise(ply, action);
            }
            if self.options.alpha_beta {
                now = now.after(mover, value);
                if window.is_refuted(mover, value) {
                    break;
                }
            }
        }
        self.moves.put_back(ply, moves);
        best
    }

    /// The legal moves in the order of search, in the buffer of this ply.
    pub(super) fn list(&mut self, state: &G::State, ply: u32) -> Vec<Action> {
        let mut moves = self.moves.take(ply);
        moves.clear();
        self.game.actions(state, &mut moves);
        if let Some(knowledge) = self.knowledge.as_ref().filter(|_| self.options.knowledge_ordering) {
            moves.sort_by_key(|&action| Reverse(knowledge.ordering(state, action)));
        }
        moves
    }

    /// The heuristic where there is one, else a draw; within what utilities can be.
    fn estimate(&self, state: &G::State) -> f64 {
        let draw = self.sum / 2.0;
        let value = self.knowledge.as_ref().map_or(draw, |knowledge| {
            let Payoff([first, second]) = knowledge.heuristic(state);
            // Each utility speaks for the first player's; where they disagree, between the two.
            f64::midpoint(first.into(), self.sum - f64::from(second))
        });
        let (lowest, highest) = self.range();
        value.clamp(lowest, highest)
    }

    /// What the first player's utility can be: both utilities lie in [-1, 1].
    pub(super) fn range(&self) -> (f64, f64) {
        ((self.sum - 1.0).max(-1.0), (self.sum + 1.0).min(1.0))
    }
}
