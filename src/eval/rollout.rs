//! Monte-Carlo evaluation: the result of one game of uniformly random moves. Under UCB1 it makes the tree search UCT
//! (Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006).
//!
//! It is no [`super::Evaluator`]: what it says of a position depends on a random stream, which is that of the descent that
//! reached it. Cost: the plies of a game, without allocation once its lists have grown.

use std::sync::Arc;

use rand::RngExt as _;

use crate::game::{Action, Game, Outcome, Payoff, Turn, draw_from};
use crate::rng::Quick;

/// Plays positions to their end at random.
#[derive(Debug)]
pub struct Rollout<G> {
    game: Arc<G>,
    /// Room for the legal moves, and for the results of chance.
    actions: Vec<Action>,
    outcomes: Vec<(Outcome, f32)>,
}

impl<G: Game> Rollout<G> {
    /// Rollouts of a game.
    #[must_use]
    pub fn new(game: &Arc<G>) -> Self {
        Self { game: Arc::clone(game), actions: Vec::new(), outcomes: Vec::new() }
    }

    /// The payoff of one random game from `state`. A game cut at its longest length is no draw, yet a search needs a number: it
    /// counts as nothing for anybody.
    pub fn play(&mut self, mut state: G::State, rng: &mut Quick) -> Payoff {
        let game = self.game.as_ref();
        for _ in 0..=game.facts().max_plies {
            match game.turn(&state) {
                Turn::Over(payoff) => return payoff,
                Turn::Chance => {
                    self.outcomes.clear();
                    game.outcomes(&state, &mut self.outcomes);
                    game.roll(&mut state, draw_from(&self.outcomes, rng));
                }
                Turn::Move(_) => {
                    self.actions.clear();
                    game.actions(&state, &mut self.actions);
                    game.play(&mut state, self.actions[rng.random_range(0..self.actions.len())]);
                }
            }
        }
        Payoff::DRAW
    }
}
