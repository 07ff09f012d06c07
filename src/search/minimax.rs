//! Plain minimax: the value of a position is the best that its mover can force. Every move of every node is searched, which
//! makes it slow, simple and the judge of [`super::AlphaBeta`].
//!
//! Hypotheses: two players, zero-sum, no chance. Cost: b^d positions for b moves a position and d plies; memory d.
//! J. von Neumann, "Zur Theorie der Gesellschaftsspiele", 1928; C. Shannon, "Programming a computer for playing chess", 1950.

use std::cmp::Reverse;
use std::sync::Arc;

use rand::RngExt as _;

use super::buffers::Buffers;
use super::score::{Arrival, Judge, Score};
use super::variations::Variations;
use super::{Budget, Candidate, Decision, Meter, Unsuited};
use crate::game::{Action, Game, Known, Payoff, Player, Turn};
use crate::rng::Rng;

/// Minimax for game `G`.
pub struct Minimax<G: Game> {
    judge: Judge<G>,
    /// Legal moves, a buffer for each ply of the path.
    moves: Buffers<Vec<Action>>,
    lines: Variations,
    meter: Meter,
}

/// A root move with its value for the mover, where the budget allowed to find it, and the play expected after it.
struct RootMove {
    action: Action,
    score: Option<Score>,
    line: Vec<Action>,
}

impl<G: Game> Minimax<G> {
    /// A search of `game`. Positions at the depth limit are valued by `knowledge`, or as draws without it. With `distance`, a
    /// quicker win and a slower loss are better.
    ///
    /// # Errors
    /// When the game has chance or is not zero-sum.
    pub fn new(game: &Arc<G>, knowledge: Option<Known<G::State>>, distance: bool) -> Result<Self, Unsuited> {
        let judge = Judge::new("minimax", game, knowledge, distance)?;
        Ok(Self { judge, moves: Buffers::default(), lines: Variations::default(), meter: Budget::default().start() })
    }

    /// Values every legal move of `state`, in which a player must be to move, and chooses one of the best with equal
    /// probability. A budget other than depth may end it early: the moves not finished by then have no value.
    ///
    /// # Panics
    /// When nobody is to move in `state`.
    pub fn search(&mut self, state: &G::State, budget: &Budget, rng: &mut Rng) -> Decision {
        self.meter = budget.start();
        let depth = budget.depth_within(self.judge.game.facts().max_plies);
        let mut actions = Vec::new();
        self.judge.game.actions(state, &mut actions);
        let mut moves: Vec<_> = actions.iter().map(|&action| RootMove { action, score: None, line: vec![action] }).collect();
        let mover = match self.judge.game.turn(state) {
            Turn::Move(mover) => mover,
            Turn::Chance | Turn::Over(_) => Player::First,
        };
        let complete = self.value_all(state, mover, depth, &mut moves).is_some();
        self.decide(mover, moves, complete.then_some(depth), rng)
    }

    /// Fills in the values; `None` when the budget ends first.
    fn value_all(&mut self, state: &G::State, mover: Player, depth: u32, moves: &mut [RootMove]) -> Option<()> {
        self.spend()?;
        for entry in moves {
            entry.score = Some(self.after(state, entry.action, mover, 0, depth)?);
            entry.line = self.lines.after_root_move(entry.action);
        }
        Some(())
    }

    fn decide(&self, mover: Player, mut moves: Vec<RootMove>, depth: Option<u32>, rng: &mut Rng) -> Decision {
        moves.sort_by_key(|entry| Reverse(entry.score));
        let best = moves[0].score;
        let ties = moves.iter().take_while(|entry| entry.score == best).count();
        let chosen = rng.random_range(0..ties);
        moves[..=chosen].rotate_right(1);
        let payoff = |score: Score| Payoff::zero_sum(mover, score.utility());
        let candidate = |entry: RootMove| Candidate {
            value: entry.score.map(payoff),
            principal_variation: entry.line,
            ..Candidate::new(entry.action)
        };
        let candidates = moves.into_iter().map(candidate).collect();
        Decision::for_first(candidates, best.map(payoff), self.meter.nodes(), depth)
    }

    /// The value for `mover` of playing `action` at `ply` with `depth` plies left, that move included.
    fn after(&mut self, state: &G::State, action: Action, mover: Player, ply: u32, depth: u32) -> Option<Score> {
        let mut next = state.clone();
        self.judge.game.play(&mut next, action);
        self.value(&next, mover, ply + 1, depth - 1)
    }

    /// The value of `state` for `viewer`; `None` when the budget ends first.
    fn value(&mut self, state: &G::State, viewer: Player, ply: u32, depth: u32) -> Option<Score> {
        self.spend()?;
        self.lines.clear(ply);
        match self.judge.arrive(state, viewer, ply, depth) {
            Arrival::End(score) => Some(score),
            Arrival::Horizon(_) => Some(self.judge.estimate(state, viewer)),
            Arrival::Move(mover) if mover == viewer => self.best(state, mover, ply, depth),
            Arrival::Move(mover) => self.best(state, mover, ply, depth).map(Score::for_other),
        }
    }

    /// The value for `mover`, who is to move.
    fn best(&mut self, state: &G::State, mover: Player, ply: u32, depth: u32) -> Option<Score> {
        let mut best = Score::LOWEST;
        let moves = self.list(state, ply);
        for &action in &moves {
            let score = self.after(state, action, mover, ply, depth)?;
            if score > best {
                best = score;
                self.lines.raise(ply, action);
            }
        }
        self.moves.put_back(ply, moves);
        Some(best)
    }

    /// The legal moves, in the buffer of this ply.
    fn list(&mut self, state: &G::State, ply: u32) -> Vec<Action> {
        let mut moves = self.moves.take(ply);
        moves.clear();
        self.judge.game.actions(state, &mut moves);
        moves
    }

    fn spend(&mut self) -> Option<()> {
        self.meter.spend().then_some(())
    }
}
