//! What the root says: visits, values, the policy to learn from, the move to play.

use std::cmp::Reverse;

use rand::RngExt as _;

use super::node::Edge;
use super::tree::Tree;
use crate::eval::Forecast;
use crate::game::{Action, Game, Payoff, Turn};
use crate::rng::Rng;
use crate::search::{Candidate, Decision};

/// What the tree knows of one move at its root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub action: Action,
    /// Its prior, noise included.
    pub prior: f32,
    /// Its visits.
    pub visits: u32,
    /// The payoff that is proven of it, else the mean of what was backed up through it; none before the first visit.
    pub value: Option<Payoff>,
}

/// What an evaluator said of the position at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// How the game is to end.
    pub forecast: Forecast,
    /// The probability of each legal move, before temperature and noise.
    pub priors: Vec<f32>,
}

impl<G: Game> Tree<G> {
    /// What the evaluator said of the root; none before it was asked, or where a win on the spot made asking needless, or once the
    /// root is another.
    #[must_use]
    pub fn evaluated(&self) -> Option<&Evaluated> {
        self.evaluated.as_ref()
    }

    /// The moves at the root in the order of [`Game::actions`]; none before the root was evaluated.
    pub fn moves(&self) -> impl Iterator<Item = RootMove> {
        self.edges[self.nodes[0].edges()].iter().map(|edge| RootMove {
            action: Action(edge.step),
            prior: edge.prior,
            visits: edge.stats.visits,
            value: self.worth_at_root(edge).map(|forecast| forecast.payoff),
        })
    }

    /// What the search expects of each move at the root, in the order of [`Game::actions`]: what is proven of it, else the mean of
    /// what was backed up through it; none before the first visit.
    pub fn forecasts(&self) -> impl Iterator<Item = Option<Forecast>> {
        self.edges[self.nodes[0].edges()].iter().map(|edge| self.worth_at_root(edge))
    }

    fn worth_at_root(&self, edge: &Edge) -> Option<Forecast> {
        self.proof_at_root(edge).map(|proof| Forecast::certain(proof.payoff)).or_else(|| edge.stats.mean())
    }

    /// The search's value of the position: what is proven, else the mean of everything backed up. None before the root was evaluated.
    #[must_use]
    pub fn value(&self) -> Option<Payoff> {
        self.forecast().map(|forecast| forecast.payoff)
    }

    /// The same with the chance of a draw.
    #[must_use]
    pub fn forecast(&self) -> Option<Forecast> {
        self.proof().map(|proof| Forecast::certain(proof.payoff)).or_else(|| self.total.mean())
    }

    /// What each move counts in the policy: its visits, less those that were forced, as far as nothing is proven; after sequential
    /// halving its part of 65536 in the improved policy, rounded.
    #[must_use]
    pub fn weights(&self) -> Vec<(Action, u32)> {
        let mut weights = self.moves().map(|mv| (mv.action, mv.visits)).collect::<Vec<_>>();
        if let Some(improved) = self.improved_weights() {
            weights.iter_mut().zip(improved).for_each(|((_, weight), improved)| *weight = improved);
        } else if self.forced > 0.0 {
            self.prune_forced(&mut weights);
        }
        if !self.proofs.is_empty() {
            self.respect_proofs(&mut weights);
        }
        weights
    }

    /// The move that a method prescribes for the next simulation, before any rule of selection is asked.
    pub(super) fn root_move(&self, node: usize) -> Option<usize> {
        if node > 0 {
            return None;
        }
        if self.halving.is_some() { self.considered_move() } else { self.forced_move() }
    }

    /// The share of each move in the weights: the policy target, whatever temperature the game is played at. The priors where no
    /// move was visited.
    #[must_use]
    pub fn policy(&self) -> Vec<(Action, f32)> {
        let weights = self.weights();
        match weights.iter().map(|(_, weight)| weight).sum::<u32>() {
            0 => self.moves().map(|mv| (mv.action, mv.prior)).collect(),
            total => weights.into_iter().map(|(action, weight)| (action, weight as f32 / total as f32)).collect(),
        }
    }

    /// The moves at the root that are not proven to lose; all of them where every one is.
    #[must_use]
    pub fn open_moves(&self) -> Vec<Action> {
        let edges = &self.edges[self.nodes[0].edges()];
        let all_lose = edges.iter().all(|edge| self.is_lost(edge));
        edges.iter().filter(|edge| all_lose || !self.is_lost(edge)).map(|edge| Action(edge.step)).collect()
    }

    /// Follows the most visited moves from the root, and those that are proven best where that is known.
    #[must_use]
    pub fn principal_variation(&self) -> Vec<Action> {
        self.expected(0).map_or_else(Vec::new, |edge| self.line(edge))
    }

    /// The move of `edge`, then those expected below it, as far as players move and anything was visited.
    fn line(&self, edge: usize) -> Vec<Action> {
        let (mut next, mut line) = (Some(edge), Vec::new());
        while let Some(edge) = next {
            line.push(Action(self.edges[edge].step));
            next = self.edges[edge].child().and_then(|child| self.expected(child));
        }
        line
    }

    /// The move that is proven best, else the most visited one that is not proven to lose.
    fn expected(&self, node: usize) -> Option<usize> {
        let here = &self.nodes[node];
        matches!(here.turn, Turn::Move(_)).then_some(())?;
        self.proven_move(node).or_else(|| {
            here.edges()
                .filter(|&edge| self.edges[edge].stats.visits > 0 && !self.is_lost(&self.edges[edge]))
                .min_by_key(|&edge| (Reverse(self.edges[edge].stats.visits), edge))
        })
    }

    /// The decision to play `action`, with what the tree thinks of every move, most visited first.
    #[must_use]
    pub fn decision(&self, action: Action) -> Decision {
        let candidate = |(mv, edge): (RootMove, usize)| Candidate {
            action: mv.action,
            value: mv.value,
            plies_to_end: None,
            visits: Some(mv.visits),
            prior: Some(mv.prior),
            principal_variation: self.line(edge),
        };
        let mut candidates: Vec<Candidate> = self.moves().zip(self.nodes[0].edges()).map(candidate).collect();
        candidates.sort_by_key(|candidate| (candidate.action != action, Reverse(candidate.visits)));
        let chosen = candidates.iter().find(|candidate| candidate.action == action);
        let principal_variation = chosen.map_or_else(|| vec![action], |chosen| chosen.principal_variation.clone());
        Decision { action, candidates, principal_variation, value: self.value(), nodes: self.nodes.len() as u64, depth: None }
    }
}

/// The most probable move of a policy, the first among equals. The policy must not be empty.
#[must_use]
pub fn most_probable(policy: &[(Action, f32)]) -> Action {
    let better = |best: (Action, f32), next: (Action, f32)| if next.1 > best.1 { next } else { best };
    policy[1..].iter().copied().fold(policy[0], better).0
}

/// Draws from a policy at a temperature: probabilities are raised to its inverse; at 0 only the most probable move is left. The
/// policy must not be empty.
#[must_use]
pub fn pick(policy: &[(Action, f32)], temperature: f32, rng: &mut Rng) -> Action {
    if temperature <= 0.0 {
        return most_probable(policy);
    }
    let most = policy.iter().map(|&(_, share)| share).fold(f32::NEG_INFINITY, f32::max);
    // Relative to the largest, so that a low temperature does not underflow.
    policy[draw_by(policy.iter().map(|&(_, share)| (share / most).powf(1.0 / temperature)), rng)].0
}

/// An index drawn with probability proportional to its weight.
pub(super) fn draw_by(weights: impl Iterator<Item = f32> + Clone, rng: &mut impl rand::Rng) -> usize {
    let total: f32 = weights.clone().sum();
    let mut left = rng.random::<f32>() * total;
    let mut last = 0;
    for (at, weight) in weights.enumerate() {
        if weight > 0.0 {
            if left < weight {
                return at;
            }
            left -= weight;
            last = at;
        }
    }
    last
}
