//! A tree search with a network that can be watched.

use std::sync::Arc;

use super::super::kept::Kept;
use super::{Judged, Limits, Thinker, Thought};
use crate::eval::{Cached, Evaluator};
use crate::game::{Game, Position, Turn};
use crate::net::{Frozen, NetworkEvaluator};
use crate::search::mcts::{Driver, Rule, Tree, most_probable};

/// Evaluations that are remembered.
const CACHE: usize = 1 << 18;
/// Simulations after which the first thought is told; then after half as many again.
const FIRST: u32 = 16;
/// Simulations between two looks at what the search finds, at most.
const PATIENCE: u32 = 4096;

/// PUCT with a network.
pub struct TreeThinker<G: Game> {
    game: Arc<G>,
    network: Frozen,
    evaluator: Cached<G, NetworkEvaluator<G>>,
    rule: Rule,
    gather: usize,
    seed: u64,
    last: Kept<G>,
}

impl<G: Game> TreeThinker<G> {
    /// A search by `rule`, which gathers so many leaves before they are evaluated together.
    #[must_use]
    pub fn new(game: &Arc<G>, network: Frozen, rule: Rule, gather: usize, seed: u64) -> Self {
        let evaluator = Self::remembering(game, &network);
        Self { game: Arc::clone(game), network, evaluator, rule, gather, seed, last: Kept::NONE }
    }

    fn remembering(game: &Arc<G>, network: &Frozen) -> Cached<G, NetworkEvaluator<G>> {
        Cached::new(game, NetworkEvaluator::new(game, network.clone()), CACHE)
    }

    /// What is kept of the last tree below a position, or a fresh one.
    fn tree(&mut self, position: &Position<G>) -> Tree<G> {
        let fresh = || Tree::new(position.game(), self.rule, position.state().clone(), self.seed);
        self.last.take(position).unwrap_or_else(fresh)
    }

    /// What the tree has found, of the moves to choose from.
    fn thought(&self, tree: &Tree<G>, position: &Position<G>, limits: &Limits) -> Thought {
        let chosen = |action: &_| limits.moves.as_ref().is_none_or(|moves| moves.contains(action));
        let policy: Vec<_> = tree.policy().into_iter().filter(|(action, _)| chosen(action)).collect();
        let decision = tree.decision(most_probable(&policy));
        let deepest = decision.candidates.iter().map(|candidate| candidate.principal_variation.len()).max().unwrap_or(0) as u32;
        Thought { deepest, nodes: tree.simulations().into(), filled: 0, moves: self.judged(tree, position), decision }
    }

    /// Every move at the root, for the mover.
    fn judged(&self, tree: &Tree<G>, position: &Position<G>) -> Vec<Judged> {
        let Turn::Move(mover) = position.turn() else { return Vec::new() };
        let own = tree.value().map_or(0.0, |value| value.of(mover));
        let visits: u32 = tree.moves().map(|mv| mv.visits).sum();
        let c_puct = if let Rule::Puct { c_puct, .. } = self.rule { c_puct } else { 0.0 };
        let network = |action| {
            let mut next = position.state().clone();
            self.game.play(&mut next, action);
            self.evaluator.recall(&next).map(|evaluation| evaluation.payoff.of(mover))
        };
        let judged = |mv: crate::search::mcts::RootMove| Judged {
            action: mv.action,
            visits: mv.visits,
            prior: mv.prior,
            value: mv.value.map_or(own, |value| value.of(mover)),
            bonus: c_puct * mv.prior * (visits as f32).sqrt() / (1 + mv.visits) as f32,
            network: network(mv.action),
        };
        tree.moves().map(judged).collect()
    }
}

impl<G: Game> Thinker<G> for TreeThinker<G> {
    fn think(&mut self, position: &Position<G>, limits: &Limits, watch: &mut dyn FnMut(&Thought) -> bool) -> Thought {
        let mut tree = self.tree(position);
        let mut meter = limits.budget.start();
        // Nodes of a budget are simulations of this search.
        let most = limits.budget.nodes.map_or(u32::MAX, |nodes| u32::try_from(nodes).unwrap_or(u32::MAX));
        let most = most.saturating_add(tree.simulations());
        let mut target = tree.simulations();
        loop {
            target = target.saturating_add((target / 2).clamp(FIRST, PATIENCE)).min(most);
            Driver { simulations: target, gather: self.gather }.run(&mut tree, &mut self.evaluator, &mut meter);
            let thought = self.thought(&tree, position, limits);
            let is_deep = limits.budget.depth.is_some_and(|depth| thought.decision.principal_variation.len() >= depth as usize);
            let ends = tree.simulations() < target || target == most || tree.is_exhausted() || is_deep || meter.is_late();
            if !watch(&thought) || ends {
                self.last.keep(tree, position);
                return thought;
            }
        }
    }

    fn forget(&mut self) {
        self.last = Kept::NONE;
        self.evaluator = Self::remembering(&self.game, &self.network);
    }
}
