//! Gumbel search: noise and sequential halving choose which moves of the root are tried, and the policy to learn from is better than the
//! priors however few of them were.
//!
//! Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel", 2022; sequential halving: Karnin, Koren
//! and Somekh, "Almost optimal exploration in multi-armed bandits", 2013.
//!
//! Rule: each move of the root has a logit, the logarithm of its prior, and a draw g from the standard Gumbel law. The m moves of the largest
//! g + logit are considered: m draws from the priors without replacement. The n simulations are spent in rounds. In each, the moves
//! still considered are visited alike often; then the better half of them stays, by g + logit + sigma(q), and never fewer than
//! two. Here q is the mean of what a move brought its mover, in utilities, from -1 to 1, and
//! sigma(q) = (`c_visit` + visits of the most visited move) * `c_scale` * q. The move to play is the best by that sum among the most visited.
//!
//! The policy to learn from is softmax(logit + sigma(q)) over all moves. A move that was not visited has the mixed value there,
//! (v + N * w) / (1 + N), with v the evaluation of the root, N all visits and w the mean of q over the visited moves, weighted by their priors.
//!
//! Below the root PUCT selects as it always does; the paper's own rule for that is not here.
//!
//! With proofs, a move that is proven to lose is as good as illegal: it is never followed, and the one with the next most visits takes its
//! place. A proven value counts for q, and a proven root has its proven moves alone. Leaves that wait count as visits without a
//! value, so that gathering keeps the plan of visits and only makes it act on what is known.
//!
//! Hypotheses: utilities lie in [-1, 1], so that one `c_scale` serves all games; the number of simulations is known beforehand. The
//! policy is better than the priors where the values q are exact. A prior below 1e-30 counts as that.
//!
//! Cost: a few looks at each move of the root a simulation, and a logarithm for each that may be the next.

use rand::RngExt as _;
use rand_distr::Open01;

use super::node::Edge;
use super::select::Rule;
use super::tree::Tree;
use crate::game::{Action, Game, Player, Turn};
use crate::rng::Rng;

/// What the shares of the improved policy are rounded to parts of, as whole numbers.
const PARTS: f32 = 65536.0;
/// The least that a prior counts, so that its logarithm is a number.
const LEAST: f32 = 1e-30;

/// How a root is searched by sequential halving.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gumbel {
    /// m, the most moves that are considered; 0 counts as 1.
    pub considered: u32,
    /// n, the simulations that the plan is made for. Further ones go on with the last two moves.
    pub simulations: u32,
    /// `c_visit`, the visits that are added to those of the most visited move.
    pub visit_scale: f32,
    /// `c_scale`, the weight of values beside logits.
    pub value_scale: f32,
}

impl Gumbel {
    /// The visits that the move has which the next simulation follows, once so many are made or started in all: the plan of
    /// sequential halving over so many legal moves.
    fn due(self, moves: usize, started: u32) -> u32 {
        let most = self.considered.min(moves as u32);
        if most <= 1 {
            return started;
        }
        let rounds = most.next_power_of_two().ilog2();
        let (mut considered, mut left, mut visits) = (most, started, 0);
        loop {
            let each = (self.simulations / (rounds * considered)).max(1);
            if considered == 2 || left < each * considered {
                return visits + left / considered;
            }
            (left, visits) = (left - each * considered, visits + each);
            considered = (considered / 2).max(2);
        }
    }
}

/// A method with the draws for one root, by the places of its moves.
#[derive(Debug)]
pub(super) struct Halving {
    method: Gumbel,
    draws: Vec<f32>,
}

impl<G: Game> Tree<G> {
    /// Searches the root by sequential halving, with one of these `draws` ([`gumbel`]) a legal move in their order, until the root is
    /// another. It takes the place of noise and of forced playouts. UCT, which has no priors, is left as it is.
    pub fn set_gumbel(&mut self, method: Gumbel, draws: Vec<f32>) {
        self.halving = matches!(self.rule, Rule::Puct { .. }).then_some(Halving { method, draws });
    }

    /// The move that sequential halving ends with, the draws multiplied by `temperature` in this last comparison: at 1 it is a
    /// sample as in the paper, at 0 the best that is known. None where the root is searched otherwise or was not evaluated.
    #[must_use]
    pub fn gumbel_move(&self, temperature: f32) -> Option<Action> {
        let (halving, Turn::Move(mover)) = (self.halving.as_ref()?, self.nodes[0].turn) else { return None };
        let edges = &self.edges[self.nodes[0].edges()];
        let open = self.candidates(mover);
        let visits = edges.iter().zip(&open).filter(|(_, open)| **open).map(|(edge, _)| edge.stats.visits).max()?;
        let best = self.best(halving, temperature, mover, |at| open[at] && edges[at].stats.visits == visits)?;
        Some(Action(edges[best].step))
    }

    /// The move of the root that sequential halving follows next, by its place.
    pub(super) fn considered_move(&self) -> Option<usize> {
        let (halving, Turn::Move(mover)) = (self.halving.as_ref()?, self.nodes[0].turn) else { return None };
        let edges = &self.edges[self.nodes[0].edges()];
        let due = halving.method.due(edges.len(), self.started());
        // Where proofs leave no move with as many visits as the plan says, others take the place.
        let reached = edges.iter().filter(|edge| !self.is_lost(edge)).map(Edge::descents);
        let visits = reached.clone().filter(|&visits| visits <= due).max().or_else(|| reached.min())?;
        self.best(halving, 1.0, mover, |at| edges[at].descents() == visits && !self.is_lost(&edges[at]))
    }

    /// What each move of the root counts in the improved policy, in parts of 65536; none where the root is searched otherwise.
    pub(super) fn improved_weights(&self) -> Option<Vec<u32>> {
        let (halving, Turn::Move(mover)) = (self.halving.as_ref()?, self.nodes[0].turn) else { return None };
        let (improved, open) = (self.improved(halving.method, mover), self.candidates(mover));
        let edges = self.edges[self.nodes[0].edges()].iter().zip(open);
        let scores: Vec<f32> = edges.map(|(edge, open)| if open { improved(edge) } else { f32::NEG_INFINITY }).collect();
        let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let shares = scores.iter().map(|score| (score - most).exp());
        let total: f32 = shares.clone().sum();
        Some(shares.map(|share| (PARTS * share / total).round() as u32).collect())
    }

    /// Which moves of the root may be played: the one that wins on the spot, else those that no proof is against.
    fn candidates(&self, mover: Player) -> Vec<bool> {
        match self.nodes[0].win.filter(|_| self.proof().is_none()) {
            Some(win) => (0..self.nodes[0].count).map(|at| at == win).collect(),
            None => self.unbeaten(mover),
        }
    }

    /// The first of the best moves that `fits`, by draw, logit and value.
    fn best(&self, halving: &Halving, temperature: f32, mover: Player, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let improved = self.improved(halving.method, mover);
        let edges = self.edges[self.nodes[0].edges()].iter().zip(&halving.draws).enumerate();
        let scores = edges.filter(|(at, _)| fits(*at)).map(|(at, (edge, draw))| (at, temperature * draw + improved(edge)));
        scores.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(at, _)| at)
    }

    /// The logit of a move of the root plus sigma of its value, or of the mixed value.
    fn improved(&self, method: Gumbel, mover: Player) -> impl Fn(&Edge) -> f32 {
        let most = self.edges[self.nodes[0].edges()].iter().map(Edge::descents).max().unwrap_or(0);
        let scale = (method.visit_scale + most as f32) * method.value_scale;
        let mixed = self.mixed_value(mover);
        move |edge| edge.prior.max(LEAST).ln() + scale * self.worth(edge, mover).unwrap_or(mixed)
    }

    /// What a move of the root that was not visited is taken to be worth.
    fn mixed_value(&self, mover: Player) -> f32 {
        let (mut own, mut mass, mut weighed) = (self.total.sum[mover.index()], 0.0, 0.0);
        for edge in &self.edges[self.nodes[0].edges()] {
            if let Some(worth) = self.worth(edge, mover) {
                let prior = edge.prior.max(LEAST);
                (mass, weighed) = (mass + prior, weighed + prior * worth);
                // What was not backed up through a move is the evaluation of the root.
                own -= edge.stats.sum[mover.index()];
            }
        }
        let visits = self.simulations() as f32;
        if mass > 0.0 { (own + visits * weighed / mass) / (1.0 + visits) } else { own }
    }

    /// What is proven of a move of the root, else the mean of what was backed up through it; none before the first visit.
    fn worth(&self, edge: &Edge, mover: Player) -> Option<f32> {
        let proven = self.proof_at_root(edge).map(|proof| proof.payoff.of(mover));
        proven.or_else(|| (edge.stats.visits > 0).then(|| edge.stats.mean_of(mover)))
    }
}

/// So many draws from the standard Gumbel law, -ln(-ln u) with u even between 0 and 1.
#[must_use]
pub fn gumbel(count: usize, rng: &mut Rng) -> Vec<f32> {
    (0..count).map(|_| -(-rng.sample::<f64, _>(Open01).ln()).ln() as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plan of so many simulations over so many moves.
    fn plan(considered: u32, moves: usize, simulations: u32) -> Vec<u32> {
        let method = Gumbel { considered, simulations, visit_scale: 50.0, value_scale: 1.0 };
        (0..simulations).map(|started| method.due(moves, started)).collect()
    }

    #[test]
    fn plans_by_hand() {
        // Four moves: two visits each, then four each for two of them.
        assert_eq!(plan(4, 9, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(plan(9, 4, 16), plan(4, 4, 16), "no more are considered than there are");
        // Seven: one visit each, then two each for three, then the rest for two.
        assert_eq!(plan(7, 7, 21), [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
        assert_eq!(plan(3, 7, 12), [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4]);
        assert_eq!(plan(2, 7, 5), [0, 0, 1, 1, 2]);
        assert_eq!(plan(16, 16, 5), [0, 0, 0, 0, 0], "fewer simulations than moves");
        for alone in [plan(1, 7, 4), plan(0, 7, 4), plan(7, 1, 4)] {
            assert_eq!(alone, [0, 1, 2, 3]);
        }
        assert!(plan(7, 7, 0).is_empty());
    }

    #[test]
    fn a_plan_visits_moves_that_have_the_visits_it_asks_for() {
        for moves in 1..=20 {
            for simulations in [1, 2, 7, 16, 50, 333] {
                let mut visits = vec![0; moves];
                // Some of these are simulations beyond those that the plan was made for.
                let method = Gumbel { considered: 16, simulations, visit_scale: 50.0, value_scale: 1.0 };
                for started in 0..2 * simulations {
                    let due = method.due(moves, started);
                    let next = visits.iter_mut().find(|had| **had == due);
                    *next.unwrap_or_else(|| panic!("{moves} moves, {simulations} simulations, {started} started")) += 1;
                }
                assert!(visits[16.min(moves)..].iter().all(|&had| had == 0), "no other move is considered");
            }
        }
    }
}
