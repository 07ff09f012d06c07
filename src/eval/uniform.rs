//! The evaluator that knows nothing: even priors, a draw.

use std::sync::Arc;

use super::{Evaluation, Evaluator};
use crate::game::{Game, Payoff};

/// Even priors and a draw, whatever the position.
#[derive(Debug)]
pub struct Uniform<G> {
    game: Arc<G>,
}

impl<G: Game> Uniform<G> {
    /// The evaluator for a game.
    #[must_use]
    pub fn new(game: &Arc<G>) -> Self {
        Self { game: Arc::clone(game) }
    }
}

impl<G: Game> Evaluator<G> for Uniform<G> {
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        let mut actions = Vec::new();
        out.extend(leaves.iter().map(|leaf| {
            actions.clear();
            self.game.actions(leaf, &mut actions);
            Evaluation::even(actions.len(), Payoff::DRAW)
        }));
    }
}
