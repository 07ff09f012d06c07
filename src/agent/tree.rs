//! Monte-Carlo tree search as an agent: PUCT with a network, UCT with rollouts; and the network alone.

use std::sync::Arc;

use rand::Rng as _;

use super::kept::Kept;
use super::{Agent, Analysis, Forfeit, RawNetwork};
use crate::eval::{Cached, Evaluator, Rollout};
use crate::game::{Action, Game, Position};
use crate::net::{Frozen, NetworkEvaluator};
use crate::rng::Rng;
use crate::search::mcts::{Driver, Rule, Tree, most_probable};
use crate::search::{Budget, Candidate, Decision};

/// Evaluations that an agent remembers.
const CACHE: usize = 1 << 14;

/// What judges the leaves.
pub(super) enum Judgement<G: Game> {
    Network(Box<dyn Evaluator<G>>),
    Rollouts,
}

/// How a tree agent searches.
#[derive(Clone, Debug)]
pub struct TreeOptions {
    /// The selection rule.
    pub rule: Rule,
    /// Simulations a move; what is kept from the last move comes on top. `u32::MAX` leaves the limit to the budget, and to the
    /// size of a tree ([`Tree::is_exhausted`]).
    pub simulations: u32,
    /// Leaves gathered from the tree before they are evaluated together.
    pub gather: usize,
    /// Whether the part of the tree below the moves played is kept.
    pub reuse: bool,
    /// Further limits of a move, such as time.
    pub budget: Budget,
}

/// A tree search that keeps its tree from move to move.
pub struct TreeAgent<G: Game> {
    name: String,
    options: TreeOptions,
    judgement: Judgement<G>,
    last: Kept<G>,
}

impl<G: Game> TreeAgent<G> {
    /// PUCT with a network.
    #[must_use]
    pub fn puct(name: &str, game: &Arc<G>, network: Frozen, options: TreeOptions) -> Self {
        let evaluator = Cached::new(game, NetworkEvaluator::new(game, network), CACHE);
        Self { name: name.to_owned(), options, judgement: Judgement::Network(Box::new(evaluator)), last: Kept::NONE }
    }

    /// UCT: search by random games.
    #[must_use]
    pub fn uct(name: &str, options: TreeOptions) -> Self {
        Self { name: name.to_owned(), options, judgement: Judgement::Rollouts, last: Kept::NONE }
    }

    /// The tree of a position: what is kept of the last one, or a fresh one, whose seed is drawn.
    fn tree(&mut self, position: &Position<G>, rng: &mut Rng) -> Tree<G> {
        let kept = self.last.take(position).filter(|_| self.options.reuse);
        kept.unwrap_or_else(|| Tree::new(position.game(), self.options.rule, position.state().clone(), rng.next_u64()))
    }
}

impl<G: Game> Agent<G> for TreeAgent<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn decide(&mut self, position: &Position<G>, rng: &mut Rng) -> Result<Decision, Forfeit> {
        let mut tree = self.tree(position, rng);
        let driver =
            Driver { simulations: self.options.simulations.saturating_add(tree.simulations()), gather: self.options.gather };
        let mut meter = self.options.budget.start();
        match &mut self.judgement {
            Judgement::Network(evaluator) => driver.run(&mut tree, evaluator, &mut meter),
            Judgement::Rollouts => driver.roll_out(&mut tree, &mut Rollout::new(position.game()), &mut meter),
        }
        let decision = tree.decision(most_probable(&tree.policy()));
        self.last.keep(tree, position);
        Ok(decision)
    }

    fn analyse(&mut self, position: &Position<G>, rng: &mut Rng) -> Result<Analysis, Forfeit> {
        let decision = self.decide(position, rng)?;
        let network = match &mut self.judgement {
            Judgement::Network(evaluator) => Some(RawNetwork::judge(evaluator, position)),
            Judgement::Rollouts => None,
        };
        Ok(Analysis { decision, network })
    }
}

/// The network without search: its most probable move.
pub struct RawAgent<G: Game> {
    name: String,
    evaluator: NetworkEvaluator<G>,
}

impl<G: Game> RawAgent<G> {
    /// The agent.
    #[must_use]
    pub fn new(name: &str, game: &Arc<G>, network: Frozen) -> Self {
        Self { name: name.to_owned(), evaluator: NetworkEvaluator::new(game, network) }
    }
}

impl<G: Game> Agent<G> for RawAgent<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn decide(&mut self, position: &Position<G>, _: &mut Rng) -> Result<Decision, Forfeit> {
        let evaluation = self.evaluator.evaluate_one(position.state());
        let policy: Vec<(Action, f32)> = position.actions().into_iter().zip(evaluation.priors).collect();
        let action = most_probable(&policy);
        let mut candidates: Vec<Candidate> =
            policy.iter().map(|&(action, prior)| Candidate { prior: Some(prior), ..Candidate::new(action) }).collect();
        candidates.sort_by(|a, b| b.prior.unwrap_or(0.0).total_cmp(&a.prior.unwrap_or(0.0)));
        let value = Some(evaluation.payoff);
        Ok(Decision { action, candidates, principal_variation: vec![action], value, nodes: 1, depth: None })
    }

    fn analyse(&mut self, position: &Position<G>, rng: &mut Rng) -> Result<Analysis, Forfeit> {
        let decision = self.decide(position, rng)?;
        Ok(Analysis { decision, network: Some(RawNetwork::judge(&mut self.evaluator, position)) })
    }
}
