//! Trees to look at: an evaluator without sense, and short ways to search.

use std::sync::Arc;

use plyzero::eval::{Evaluation, Evaluator};
use plyzero::game::{Game, Payoff};
use plyzero::rng::mix;
use plyzero::search::Budget;
use plyzero::search::mcts::{Driver, Rule, Tree};

/// UCB1 as its theory has it.
pub const UCB1: Rule = Rule::Ucb1 { c: std::f32::consts::SQRT_2 };

/// Priors and payoffs are functions of a position's key. Utilities are multiples of 1/256, so that sums of many thousands are
/// exact; they do not add up to zero, so that no sign can hide.
pub struct Hashed<G>(pub Arc<G>);

impl<G: Game> Evaluator<G> for Hashed<G> {
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        for leaf in leaves {
            let mut actions = Vec::new();
            self.0.actions(leaf, &mut actions);
            let word = |question: u64| mix(self.0.key(leaf).wrapping_add(mix(question + 1)));
            let weights: Vec<f32> = actions.iter().map(|action| (1 + word(action.0.into()) % 1000) as f32).collect();
            let total: f32 = weights.iter().sum();
            let utility = |player: u64| (word(1000 + player) % 513) as f32 / 256.0 - 1.0;
            let priors = weights.iter().map(|weight| weight / total).collect();
            out.push(Evaluation { priors, payoff: Payoff([utility(0), utility(1)]), chances: None });
        }
    }
}

/// Searches until there are so many simulations in all.
pub fn drive<G: Game>(tree: &mut Tree<G>, evaluator: &mut dyn Evaluator<G>, simulations: u32, gather: usize) {
    Driver { simulations, gather }.run(tree, evaluator, &mut Budget::default().start());
}

/// A tree over the initial position after so many simulations, one at a time.
pub fn searched<G: Game>(game: &Arc<G>, rule: Rule, evaluator: &mut dyn Evaluator<G>, simulations: u32) -> Tree<G> {
    let mut tree = Tree::new(game, rule, game.initial(), 1);
    drive(&mut tree, evaluator, simulations, 1);
    tree
}

/// The visits of each move at the root.
pub fn visits<G: Game>(tree: &Tree<G>) -> Vec<u32> {
    tree.moves().map(|mv| mv.visits).collect()
}
