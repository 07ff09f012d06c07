//! Expectimax: minimax in which a position where chance acts is worth the mean of its results. Unlike minimax it needs
//! utilities on a scale: a change of them that keeps their order can change the best move.
//!
//! The values are those of the first player, whom the second opposes. Pruning by windows works as in alpha-beta; through chance
//! it works because utilities are bounded (star1 and star2, see `chance.rs`). None of [`Options`] changes the value: it is
//! equal to the bit, as cuts through chance keep a margin far above all rounding.
//!
//! Hypotheses: two players, a constant sum of utilities, which lie in [-1, 1]; chance or none. Depth counts moves of players,
//! chance is free, so that every estimate is of a position in which a player is to move. Cost: (b n)^d positions for b moves, n
//! results of chance and d moves; memory d. D. Michie, "Game-playing and game-learning automata", 1966; B. Ballard, "The
//! *-minimax search procedure for trees containing chance nodes", 1983; T. Hauk, M. Buro and J. Schaeffer, "Rediscovering
//! *-minimax search", 2004.

mod chance;
mod node;
mod window;

use std::sync::Arc;

use rand::seq::SliceRandom as _;

use super::buffers::Buffers;
use super::variations::Variations;
use super::{Budget, Candidate, Decision, Meter, Unsuited};
use crate::game::{Action, Game, Known, Payoff, Player, Turn};
use crate::rng::Rng;
use window::{Window, liking};

/// The parts of expectimax that can be left out. None changes the value of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Leave a position once a player has refuted it.
    pub alpha_beta: bool,
    /// Leave a position where chance acts once its results not yet searched cannot bring its mean back into the window.
    pub star1: bool,
    /// Before that, try one move after each result, whose value bounds what the result is worth. Needs `star1`.
    pub star2: bool,
    /// Try moves early that knowledge of the game, where there is any, holds for promising.
    pub knowledge_ordering: bool,
    /// Choose among equal best moves with equal probability, not the first that the rules list.
    pub shuffle_root: bool,
}

impl Options {
    /// Everything on: the way to play.
    #[must_use]
    pub const fn play() -> Self {
        Self { alpha_beta: true, star1: true, star2: true, knowledge_ordering: true, shuffle_root: true }
    }

    /// Everything off: the definition.
    #[must_use]
    pub const fn textbook() -> Self {
        Self { alpha_beta: false, star1: false, star2: false, knowledge_ordering: false, shuffle_root: false }
    }
}

/// Expectimax for game `G`.
pub struct Expectimax<G: Game> {
    game: Arc<G>,
    knowledge: Option<Known<G::State>>,
    options: Options,
    /// What both utilities always add up to.
    sum: f64,
    /// Legal moves, a buffer for each ply of the path.
    moves: Buffers<Vec<Action>>,
    lines: Variations,
    meter: Meter,
}

/// A root move, with its value for the first player where that was found, and the play expected after it.
struct RootMove {
    action: Action,
    value: Option<f64>,
    line: Vec<Action>,
}

impl<G: Game> Expectimax<G> {
    /// A search of `game`. Positions at the depth limit are valued by `knowledge`, or as draws without it.
    ///
    /// # Errors
    /// When the utilities of the game do not always have the same sum.
    pub fn new(game: &Arc<G>, knowledge: Option<Known<G::State>>, options: Options) -> Result<Self, Unsuited> {
        let facts = game.facts();
        let (lo, hi) = facts.sum;
        if lo != hi || lo.abs() > 2.0 {
            return Err(Unsuited {
                search: "expectimax",
                needs: "a game whose utilities always have the same sum",
                game: facts.id.clone(),
            });
        }
        let (game, meter) = (Arc::clone(game), Budget::default().start());
        Ok(Self { game, knowledge, options, sum: lo.into(), moves: Buffers::default(), lines: Variations::default(), meter })
    }

    /// Chooses a best move of `state`, in which a player must be to move. Moves known to be no better have no value in
    /// [`Decision::candidates`]. The depth of the budget counts moves of players. A budget that ends early leaves the moves not
    /// finished without a value.
    ///
    /// # Panics
    /// When nobody is to move in `state`.
    pub fn search(&mut self, state: &G::State, budget: &Budget, rng: &mut Rng) -> Decision {
        self.decide(state, budget, rng, false)
    }

    /// As [`Expectimax::search`], with the value of every legal move.
    ///
    /// # Panics
    /// When nobody is to move in `state`.
    pub fn analyse(&mut self, state: &G::State, budget: &Budget, rng: &mut Rng) -> Decision {
        self.decide(state, budget, rng, true)
    }

    fn decide(&mut self, state: &G::State, budget: &Budget, rng: &mut Rng, every: bool) -> Decision {
        self.meter = budget.start();
        let depth = budget.depth_within(self.game.facts().max_plies);
        let mover = match self.game.turn(state) {
            Turn::Move(mover) => mover,
            Turn::Chance | Turn::Over(_) => Player::First,
        };
        let mut actions = Vec::new();
        self.game.actions(state, &mut actions);
        if self.options.shuffle_root {
            // The first of the best is chosen, so any of them may be.
            actions.shuffle(rng);
        }
        let mut moves: Vec<_> = actions.iter().map(|&action| RootMove { action, value: None, line: vec![action] }).collect();
        let (best, complete) = self.value_all(state, mover, depth, &mut moves, every);
        let place = best.and_then(|best| moves.iter().position(|entry| entry.value == Some(best))).unwrap_or(0);
        moves[..=place].rotate_right(1);
        let rank = |entry: &RootMove| entry.value.map_or(f64::NEG_INFINITY, |value| liking(mover, value));
        moves[1..].sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        let candidate = |entry: RootMove| Candidate {
            value: entry.value.map(|value| self.payoff(value)),
            principal_variation: entry.line,
            ..Candidate::new(entry.action)
        };
        let candidates = moves.into_iter().map(candidate).collect();
        let value = best.map(|best| self.payoff(best));
        Decision::for_first(candidates, value, self.meter.nodes(), complete.then_some(depth))
    }

    /// Fills in the values that are exact: the best, and whether the budget lasted.
    fn value_all(
        &mut self,
        state: &G::State,
        mover: Player,
        depth: u32,
        moves: &mut [RootMove],
        every: bool,
    ) -> (Option<f64>, bool) {
        let mut best: Option<f64> = None;
        if !self.meter.spend() {
            return (None, false);
        }
        for entry in moves {
            let mut next = state.clone();
            self.game.play(&mut next, entry.action);
            let narrow = self.options.alpha_beta && !every;
            let window = best.filter(|_| narrow).map_or(Window::OPEN, |best| Window::OPEN.after(mover, best));
            let Some(value) = self.visit(&next, 1, depth - 1, window) else { return (best, false) };
            if window.holds(value) {
                entry.value = Some(value);
                entry.line = self.lines.after_root_move(entry.action);
            }
            if best.is_none_or(|best| liking(mover, value) > liking(mover, best)) {
                best = Some(value);
            }
        }
        (best, true)
    }

    /// Both utilities, from the first player's.
    fn payoff(&self, value: f64) -> Payoff {
        Payoff([value as f32, (self.sum - value) as f32])
    }
}
