//! The root of alpha-beta: iterative deepening, and a choice among equal moves that favours none.
//!
//! A move that only fails low could equal the best one. To choose fairly, each root move has a rank, shuffled in play,
//! and the lowest rank among the best moves wins, in whatever order they are searched: a move of lower rank than the
//! best so far is searched with a window that lets an equal value through.
//!
//! In play a move is dropped once it is known to be no better than the best. In analysis each is searched with an open window,
//! as chess programs do to show several variations, which gives every move its value and costs a search a move.

use std::cmp::Reverse;

use rand::seq::SliceRandom as _;

use super::{AlphaBeta, Window};
use crate::game::{Action, Game, Payoff, Player, Turn};
use crate::rng::Rng;
use crate::search::score::Score;
use crate::search::{Budget, Candidate, Decision};

/// A legal move of the root.
#[derive(Clone)]
struct RootMove {
    action: Action,
    /// The lowest of the best moves is chosen.
    rank: usize,
    /// For the mover, where this iteration found it exactly.
    score: Option<Score>,
    /// The play expected after it where there is a score.
    line: Vec<Action>,
}

/// The best move of an iteration.
#[derive(Clone, Copy)]
struct Best {
    action: Action,
    rank: usize,
    score: Score,
}

/// How far from the last iteration's value the next one is expected, in steps of a score: a utility of 1/32.
const ASPIRATION: i32 = Score::steps_of_one() / 32;

/// What is asked of a search besides its best move.
pub struct Request<'a> {
    /// So many of the best moves are to have exact values.
    pub lines: usize,
    /// The moves to choose from; all if there is none.
    pub moves: Option<&'a [Action]>,
    /// Is told what every iteration finds, with the greatest ply looked at, and says whether to go on.
    pub watch: &'a mut dyn FnMut(&Decision, u32) -> bool,
}

impl<G: Game> AlphaBeta<G> {
    /// Chooses a best move of `state`, in which a player must be to move.
    ///
    /// The answer depends on the arguments alone, not on earlier searches, unless the table is kept. However small the budget,
    /// the move is legal: it is the best of the last iteration that valued a move. In [`Decision::candidates`] only values that
    /// are exact at the depth of that iteration are given; a principal variation ends where the table answered and has since
    /// forgotten.
    ///
    /// # Panics
    /// When nobody is to move in `state`.
    pub fn search(&mut self, state: &G::State, budget: &Budget, rng: &mut Rng) -> Decision {
        self.start();
        self.answer(state, budget, rng, Request { lines: 1, moves: None, watch: &mut |_, _| true })
    }

    /// As [`AlphaBeta::search`], with the exact value of every legal move at the depth of the last whole iteration: what a search
    /// of that move alone would give. Only a budget that ends before the first iteration does leaves moves without. With a budget
    /// of depth alone it chooses as `search` does.
    ///
    /// # Panics
    /// When nobody is to move in `state`.
    pub fn analyse(&mut self, state: &G::State, budget: &Budget, rng: &mut Rng) -> Decision {
        self.start();
        self.answer(state, budget, rng, Request { lines: usize::MAX, moves: None, watch: &mut |_, _| true })
    }

    /// Forgets what earlier searches found, but for the table if that is kept. Searches that share the table are made between this and
    /// [`AlphaBeta::answer`].
    pub fn start(&mut self) {
        self.table.start_search();
    }

    /// Searches `state`, in which a player must be to move, as [`AlphaBeta::search`] does once the search has been started, and answers `request`.
    ///
    /// # Panics
    /// When nobody is to move in `state`, or no move is among those to choose from.
    pub fn answer(&mut self, state: &G::State, budget: &Budget, rng: &mut Rng, request: Request) -> Decision {
        let Request { lines, moves, watch } = request;
        self.meter = budget.start();
        self.ordering.start_search();
        self.deepest = 0;
        let mover = match self.judge.game.turn(state) {
            Turn::Move(mover) => mover,
            Turn::Chance | Turn::Over(_) => Player::First,
        };
        let mut moves = self.root_moves(state, moves, rng);
        let (mut best, mut reached) = (None, None);
        for depth in self.depths(budget) {
            let before = moves.clone();
            let (found, complete) = self.aspire(state, mover, depth, &mut moves, lines, best);
            // A part of an iteration can better the choice, but it would take their values from the moves it did not come to.
            let keeps = found.is_none() || lines > 1 && !complete && best.is_some();
            if keeps {
                moves = before
            } else {
                best = found
            }
            let Some(best) = best.filter(|_| complete) else { break };
            reached = Some(depth);
            let goes_on = watch(&self.decision(mover, moves.clone(), Some(best), reached), self.deepest);
            let is_decided = |entry: &&RootMove| entry.score.is_some_and(Score::is_decided);
            let decided = match lines {
                1 => best.score.is_decided(),
                _ => moves.iter().filter(is_decided).count() >= lines.min(moves.len()),
            };
            let forced = lines == 1 && moves.len() == 1 && budget.time.is_some();
            if self.options.distance && decided || forced || !self.met_horizon || !goes_on || self.meter.is_late() {
                break;
            }
            put_first(&mut moves, best.action);
        }
        self.decision(mover, moves, best, reached)
    }

    /// The legal moves, of those to choose from, in the order of the first iteration.
    fn root_moves(&self, state: &G::State, choice: Option<&[Action]>, rng: &mut Rng) -> Vec<RootMove> {
        let mut actions = Vec::new();
        self.judge.game.actions(state, &mut actions);
        actions.retain(|action| choice.is_none_or(|choice| choice.contains(action)));
        if self.options.shuffle_root {
            actions.shuffle(rng);
        }
        let ranked = actions.into_iter().enumerate();
        let mut moves: Vec<_> = ranked.map(|(rank, action)| RootMove { action, rank, score: None, line: vec![action] }).collect();
        moves.sort_by_key(|entry| Reverse(self.ordering.judgement(&self.judge, state, entry.action)));
        moves
    }

    /// The depths to search, in plies.
    fn depths(&self, budget: &Budget) -> std::ops::RangeInclusive<u32> {
        let last = budget.depth_within(self.judge.game.facts().max_plies);
        if self.options.iterative_deepening { 1..=last } else { last..=last }
    }

    /// Searches every move `depth` plies deep: the best of those valued, and whether the budget lasted for all of them. `last` is
    /// the best of the iteration before, whose value the window is laid around.
    fn aspire(
        &mut self,
        state: &G::State,
        mover: Player,
        depth: u32,
        moves: &mut [RootMove],
        lines: usize,
        last: Option<Best>,
    ) -> (Option<Best>, bool) {
        let last = last.filter(|_| self.options.aspiration && lines == 1);
        let mut window = last.map_or(Window::OPEN, |last| Window::around(last.score, ASPIRATION));
        (self.met_horizon, self.depth, self.passed_to) = (false, depth, None);
        loop {
            match self.iterate(state, mover, depth, moves, lines, window) {
                (Some(best), _) if best.score >= window.beta => window.beta = Score::HIGHEST,
                (None, true) if window.alpha > Score::LOWEST => window.alpha = Score::LOWEST,
                found => return found,
            }
        }
    }

    /// Searches every move with `window`, up to one at or above its beta: the best of those above its alpha, and whether the
    /// budget lasted.
    fn iterate(
        &mut self,
        state: &G::State,
        mover: Player,
        depth: u32,
        moves: &mut [RootMove],
        lines: usize,
        window: Window,
    ) -> (Option<Best>, bool) {
        let mut best: Option<Best> = None;
        for entry in moves.iter_mut() {
            entry.score = None;
            entry.line.truncate(1);
        }
        if !self.meter.spend() {
            return (None, false);
        }
        let mut exact: Vec<Score> = Vec::new();
        for entry in moves {
            // What the move must exceed to be the best.
            let bar = match &best {
                None => window.alpha,
                Some(best) if entry.rank < best.rank => best.score.shifted(-1),
                Some(best) => best.score,
            };
            // What it must exceed to have an exact value.
            let alpha = match lines {
                1 => bar,
                _ => exact.get(lines - 1).copied().unwrap_or(Score::LOWEST),
            };
            let mut next = state.clone();
            self.judge.game.play(&mut next, entry.action);
            let own = Window { alpha, beta: window.beta };
            let found = if alpha == window.alpha {
                self.visit(&next, mover, 1, depth - 1, own)
            } else {
                self.visit_later(&next, mover, 1, depth - 1, own)
            };
            let Some(score) = found else { return (best, false) };
            if score > alpha {
                entry.score = Some(score);
                entry.line = self.line(state, entry.action, depth);
                let place = exact.partition_point(|&other| other >= score);
                exact.insert(place, score);
            }
            if score > bar {
                best = Some(Best { action: entry.action, rank: entry.rank, score });
            }
            if score >= window.beta {
                break;
            }
        }
        (best, true)
    }

    /// The play expected once `action`, just searched `depth` plies deep, has been made in `state`. Where the table answered in
    /// place of a search, its best moves go on with the line.
    fn line(&self, state: &G::State, action: Action, depth: u32) -> Vec<Action> {
        let mut line = self.lines.after_root_move(action);
        let mut state = state.clone();
        line.iter().for_each(|&action| self.judge.game.play(&mut state, action));
        while let Some(next) = self.remembered(&state, depth.saturating_sub(line.len() as u32)) {
            self.judge.game.play(&mut state, next);
            line.push(next);
        }
        line
    }

    /// The best move of `state` that the table remembers from a search of `depth` plies.
    fn remembered(&self, state: &G::State, depth: u32) -> Option<Action> {
        let found = self.table.probe(self.judge.game.key(state)).filter(|_| depth > 0)?;
        let mut legal = Vec::new();
        self.judge.game.actions(state, &mut legal);
        // Another position may have the same key.
        let holds = self.answers(found, depth, Window::OPEN) && legal.contains(&found.action);
        holds.then_some(found.action)
    }

    fn decision(&self, mover: Player, mut moves: Vec<RootMove>, best: Option<Best>, depth: Option<u32>) -> Decision {
        let payoff = |score: Score| Payoff::zero_sum(mover, score.utility());
        moves.sort_by_key(|entry| Reverse(entry.score));
        if let Some(best) = &best {
            put_first(&mut moves, best.action);
        }
        let candidate = |entry: RootMove| Candidate {
            value: entry.score.map(payoff),
            plies_to_end: entry.score.and_then(Score::plies_to_end),
            principal_variation: entry.line,
            ..Candidate::new(entry.action)
        };
        let candidates = moves.into_iter().map(candidate).collect();
        Decision::for_first(candidates, best.map(|best| payoff(best.score)), self.meter.nodes(), depth)
    }
}

/// Moves `action` to the front; the others keep their order.
fn put_first(moves: &mut [RootMove], action: Action) {
    if let Some(place) = moves.iter().position(|entry| entry.action == action) {
        moves[..=place].rotate_right(1);
    }
}
