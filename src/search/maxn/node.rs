//! The recursion of max-n, below the root.

use std::cmp::Reverse;

use super::worth::{Choice, Worth};
use super::{MaxN, Ties};
use crate::game::{Action, Game, Payoff, Player, Turn};

/// Estimates are compared as multiples of the inverse of this.
const PROMISE: f32 = (1 << 24) as f32;

/// What a visit to a position brings.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    /// What it is worth.
    Exact(Worth),
    /// No more than that the player who may avoid it does so. It has no value.
    Avoided,
}

/// A move that a player has already valued, in the position above.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) player: Player,
    /// What it is worth to that player.
    pub(super) alpha: f64,
    /// Whether a move that is just as good counts too.
    pub(super) ties: Ties,
}

impl<G: Game> MaxN<G> {
    /// Visits `state` with `depth` moves left, when the mover above holds another option; `None` when the budget ends first.
    pub(super) fn visit(&mut self, state: &G::State, ply: u32, depth: u32, held: Option<Held>) -> Option<Found> {
        self.meter.spend().then_some(())?;
        self.lines.clear(ply);
        match self.game.turn(state) {
            Turn::Over(payoff) => {
                self.leaves += 1;
                Some(Found::Exact(payoff.into()))
            }
            Turn::Move(_) if depth == 0 => {
                self.leaves += 1;
                let estimate = self.knowledge.as_ref().map_or(Payoff::DRAW, |knowledge| knowledge.heuristic(state));
                Some(Found::Exact(self.bounds.fit(estimate)))
            }
            // Only a position of the other player can be avoided before its best move is known.
            Turn::Move(mover) => self.choose(state, mover, ply, depth, held.filter(|held| held.player != mover)),
            Turn::Chance => self.average(state, ply, depth).map(Found::Exact),
        }
    }

    /// The pair that `mover` brings about.
    fn choose(&mut self, state: &G::State, mover: Player, ply: u32, depth: u32, held: Option<Held>) -> Option<Found> {
        let mut moves = self.list(state, ply);
        self.put_promising_first(state, mover, depth, &mut moves, |&action| action);
        let mut choice = Choice::new(mover, self.bounds.ties_below(self.ties));
        let mut avoided = false;
        for &action in &moves {
            let mut next = state.clone();
            self.game.play(&mut next, action);
            let Found::Exact(worth) = self.visit(&next, ply + 1, depth - 1, choice.held())? else { continue };
            if choice.offer(worth) {
                self.lines.raise(ply, action);
            }
            let best = held.zip(choice.worth());
            if best.is_some_and(|(held, best)| self.bounds.refute(held, best, self.pruning)) {
                avoided = true;
                break;
            }
        }
        self.moves.put_back(ply, moves);
        // Where a player is to move there is a move, and the first one tried is never avoided.
        if avoided { Some(Found::Avoided) } else { choice.worth().map(Found::Exact) }
    }

    /// The mean over the results of chance. The line of play ends here.
    fn average(&mut self, state: &G::State, ply: u32, depth: u32) -> Option<Worth> {
        let mut outcomes = Vec::new();
        self.game.outcomes(state, &mut outcomes);
        let (mut sum, mut total) = (Worth::NOTHING, 0.0);
        for (outcome, probability) in outcomes {
            let mut next = state.clone();
            self.game.roll(&mut next, outcome);
            // Nobody holds anything here, so nothing is avoided.
            if let Found::Exact(worth) = self.visit(&next, ply + 1, depth, None)? {
                sum = sum.plus(probability.into(), worth);
                total += f64::from(probability);
            }
        }
        Some(sum.over(total))
    }

    /// Sorts `moves` by what an estimate says of the positions they lead to, the best for `mover` first, so that others are avoided
    /// sooner. Only where the order decides nothing, for equal moves are drawn, where more than estimates follows, and where no
    /// chance comes between that lets nothing be avoided.
    pub(super) fn put_promising_first<M>(
        &self,
        state: &G::State,
        mover: Player,
        depth: u32,
        moves: &mut [M],
        action: impl Fn(&M) -> Action,
    ) {
        let is_of_use = self.ties == Ties::Drawn && depth > 1 && !self.game.facts().chance;
        let Some(knowledge) = self.knowledge.as_ref().filter(|_| is_of_use) else { return };
        moves.sort_by_cached_key(|entry| {
            let mut next = state.clone();
            self.game.play(&mut next, action(entry));
            let promise = match self.game.turn(&next) {
                Turn::Over(payoff) => payoff,
                Turn::Move(_) | Turn::Chance => knowledge.heuristic(&next),
            };
            Reverse((promise.of(mover) * PROMISE) as i32)
        });
    }

    /// The legal moves, in the buffer of this ply.
    fn list(&mut self, state: &G::State, ply: u32) -> Vec<Action> {
        let mut moves = self.moves.take(ply);
        moves.clear();
        self.game.actions(state, &mut moves);
        moves
    }
}
