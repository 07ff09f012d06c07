//! The root of alpha-beta: iterative deepening, and a choice among equal moves that favours none.
//!
//! A move that only fails low could equal the best one. To choose fairly, each root move has a rank, shuffled in play,
//! and the lowest rank among the best moves wins, in whatever order they are searched: a move of lower rank than the
//! best so far is searched with a window that lets an equal value through.

use std::cmp::Reverse;

use rand::seq::SliceRandom as _;

use super::{AlphaBeta, Window};
use crate::game::{Action, Game, Payoff, Player, Turn};
use crate::rng::Rng;
use crate::search::score::Score;
use crate::search::{Budget, Candidate, Decision};

/// A legal move of the root.
#[derive(Clone, Copy)]
struct RootMove {
    action: Action,
    /// The lowest of the best moves is chosen.
    rank: usize,
    /// For the mover, where this iteration found it exactly.
    score: Option<Score>,
}

/// The best move of an iteration.
struct Best {
    action: Action,
    rank: usize,
    score: Score,
    line: Vec<Action>,
}

impl<G: Game> AlphaBeta<G> {
    /// Chooses a best move of `state`, in which a player must be to move.
    ///
    /// The answer depends on the arguments alone, not on earlier searches. However small the budget, the move is legal: it
    /// is the best of the last iteration that valued a move. In [`Decision::candidates`] only values that are exact at the depth
    /// of that iteration are given; [`Decision::principal_variation`] ends where the table answered.
    ///
    /// # Panics
    /// When nobody is to move in `state`.
    pub fn search(&mut self, state: &G::State, budget: &Budget, rng: &mut Rng) -> Decision {
        self.meter = budget.start();
        self.table.start_search();
        self.ordering.start_search();
        let mover = match self.judge.game.turn(state) {
            Turn::Move(mover) => mover,
            Turn::Chance | Turn::Over(_) => Player::First,
        };
        let mut moves = self.root_moves(state, rng);
        let (mut best, mut reached) = (None, None);
        for depth in self.depths(budget) {
            let before = moves.clone();
            let (found, complete) = self.iterate(state, mover, depth, &mut moves);
            match found {
                Some(found) => best = Some(found),
                None => moves = before,
            }
            let Some(best) = best.as_ref().filter(|_| complete) else { break };
            reached = Some(depth);
            let decided = self.options.distance && best.score.is_decided();
            let forced = moves.len() == 1 && budget.time.is_some();
            if decided || forced || !self.met_horizon || self.meter.is_late() {
                break;
            }
            put_first(&mut moves, best.action);
        }
        self.decision(mover, moves, best, reached)
    }

    /// The legal moves in the order of the first iteration.
    fn root_moves(&self, state: &G::State, rng: &mut Rng) -> Vec<RootMove> {
        let mut actions = Vec::new();
        self.judge.game.actions(state, &mut actions);
        if self.options.shuffle_root {
            actions.shuffle(rng);
        }
        let ranked = actions.into_iter().enumerate();
        let mut moves: Vec<_> = ranked.map(|(rank, action)| RootMove { action, rank, score: None }).collect();
        moves.sort_by_key(|entry| Reverse(self.ordering.judgement(&self.judge, state, entry.action)));
        moves
    }

    /// The depths to search, in plies.
    fn depths(&self, budget: &Budget) -> std::ops::RangeInclusive<u32> {
        let longest = u32::try_from(self.judge.game.facts().max_plies).unwrap_or(u32::MAX);
        let last = budget.depth.unwrap_or(longest).min(longest).max(1);
        if self.options.iterative_deepening { 1..=last } else { last..=last }
    }

    /// Searches every move `depth` plies deep: the best of those valued, and whether the budget lasted for all of them.
    fn iterate(&mut self, state: &G::State, mover: Player, depth: u32, moves: &mut [RootMove]) -> (Option<Best>, bool) {
        let mut best: Option<Best> = None;
        moves.iter_mut().for_each(|entry| entry.score = None);
        self.met_horizon = false;
        if !self.meter.spend() {
            return (None, false);
        }
        for entry in moves {
            let alpha = match &best {
                None => Score::LOWEST,
                Some(best) if entry.rank < best.rank => best.score.just_below(),
                Some(best) => best.score,
            };
            let mut next = state.clone();
            self.judge.game.play(&mut next, entry.action);
            let Some(score) = self.visit(&next, mover, 1, depth - 1, Window { alpha, ..Window::OPEN }) else {
                return (best, false);
            };
            if score > alpha {
                entry.score = Some(score);
                let line = self.lines.after_root_move(entry.action);
                best = Some(Best { action: entry.action, rank: entry.rank, score, line });
            }
        }
        (best, true)
    }

    fn decision(&self, mover: Player, mut moves: Vec<RootMove>, best: Option<Best>, depth: Option<u32>) -> Decision {
        let payoff = |score: Score| Payoff::zero_sum(mover, score.utility());
        moves.sort_by_key(|entry| Reverse(entry.score));
        if let Some(best) = &best {
            put_first(&mut moves, best.action);
        }
        let candidate =
            |entry: &RootMove| Candidate { action: entry.action, value: entry.score.map(payoff), visits: None, prior: None };
        Decision {
            action: moves[0].action,
            candidates: moves.iter().map(candidate).collect(),
            value: best.as_ref().map(|best| payoff(best.score)),
            nodes: self.meter.nodes(),
            depth,
            principal_variation: best.map_or_else(|| vec![moves[0].action], |best| best.line),
        }
    }
}

/// Moves `action` to the front; the others keep their order.
fn put_first(moves: &mut [RootMove], action: Action) {
    if let Some(place) = moves.iter().position(|entry| entry.action == action) {
        moves[..=place].rotate_right(1);
    }
}
