//! Monte-Carlo evaluation: the result of one game of uniformly random moves. Under UCB1 it makes the tree search UCT
//! (Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006).

use std::sync::Arc;

use rand::RngExt as _;

use super::{Evaluation, Evaluator};
use crate::game::{Game, Payoff, Turn, draw};
use crate::rng::Rng;

/// Plays each leaf to its end at random.
#[derive(Debug)]
pub struct Rollout<G> {
    game: Arc<G>,
    rng: Rng,
}

impl<G: Game> Rollout<G> {
    /// Rollouts that draw from `rng`.
    #[must_use]
    pub fn new(game: &Arc<G>, rng: Rng) -> Self {
        Self { game: Arc::clone(game), rng }
    }

    /// The payoff of one random game from `state`. A game cut at its longest length is no draw, yet a search needs a number: it
    /// counts as nothing for anybody.
    fn play(&mut self, mut state: G::State) -> Payoff {
        let mut actions = Vec::new();
        for _ in 0..=self.game.facts().max_plies {
            match self.game.turn(&state) {
                Turn::Over(payoff) => return payoff,
                Turn::Chance => {
                    let outcome = draw(self.game.as_ref(), &state, &mut self.rng);
                    self.game.roll(&mut state, outcome);
                }
                Turn::Move(_) => {
                    actions.clear();
                    self.game.actions(&state, &mut actions);
                    let at = self.rng.random_range(0..actions.len());
                    self.game.play(&mut state, actions[at]);
                }
            }
        }
        Payoff::DRAW
    }
}

impl<G: Game> Evaluator<G> for Rollout<G> {
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        let mut actions = Vec::new();
        for leaf in leaves {
            actions.clear();
            self.game.actions(leaf, &mut actions);
            let payoff = self.play(leaf.clone());
            out.push(Evaluation::even(actions.len(), payoff));
        }
    }
}
