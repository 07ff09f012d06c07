//! Forced playouts at the root, and the policy target without them.
//!
//! Wu, "Accelerating Self-Play Learning in Go", 2019, section 3.2.
//!
//! Rule: a move of the root that was visited at all is followed before any other until it has sqrt(k P(c) N) visits, with P(c) its
//! prior, noise included, and N the visits of all moves; so noise is tried in earnest where a plain search would drop it after one look. The
//! policy target must not learn these visits. So from each move but the most visited one, up to as many visits as
//! were forced are taken, one by one, as long as selection would still prefer the most visited move, whose score is held as
//! it is; a move of which one visit is left loses that too.
//!
//! Cost: one look at each move of the root a simulation.

use std::cmp::Reverse;

use super::select::Rule;
use super::tree::Tree;
use crate::game::{Action, Game, Turn};

impl<G: Game> Tree<G> {
    /// Forces visits at the root by this k from now on; 0 forces none. UCT, which has no priors, forces none whatever it is.
    pub fn set_forced_playouts(&mut self, k: f32) {
        self.forced = if matches!(self.rule, Rule::Puct { .. }) { k } else { 0.0 };
    }

    /// The square of the visits that a move of this prior is to have after so many visits of all.
    fn quota(&self, prior: f32, total: u32) -> f32 {
        self.forced * prior * total as f32
    }

    /// The first move of the root, by its place, that was visited and lacks forced visits.
    pub(super) fn forced_move(&self) -> Option<usize> {
        if self.forced <= 0.0 {
            return None;
        }
        let total = self.started();
        self.edges[self.nodes[0].edges()].iter().position(|edge| {
            let visits = edge.descents() as f32;
            visits > 0.0 && visits * visits < self.quota(edge.prior, total) && !self.is_lost(edge)
        })
    }

    /// Takes from the weights of the root's moves what was forced.
    pub(super) fn prune_forced(&self, weights: &mut [(Action, u32)]) {
        let (Rule::Puct { c_puct, .. }, Turn::Move(mover)) = (self.rule, self.nodes[0].turn) else { return };
        let (edges, total) = (&self.edges[self.nodes[0].edges()], self.simulations());
        let kept = (0..weights.len()).filter(|&at| !self.is_lost(&edges[at]));
        let Some(best) = kept.min_by_key(|&at| (Reverse(weights[at].1), at)) else { return };
        let exploration = c_puct * ((1 + total) as f32).sqrt();
        let score = |at: usize, visits: u32| {
            let value =
                self.proof_at_root(&edges[at]).map_or_else(|| edges[at].stats.mean_of(mover), |proof| proof.payoff.of(mover));
            value + exploration * edges[at].prior / (1 + visits) as f32
        };
        let bound = score(best, weights[best].1);
        for (at, (_, weight)) in weights.iter_mut().enumerate().filter(|(at, _)| *at != best) {
            let forced = self.quota(edges[at].prior, total).sqrt() as u32;
            let least = weight.saturating_sub(forced);
            while *weight > least && score(at, *weight - 1) < bound {
                *weight -= 1;
            }
            if *weight == 1 {
                *weight = 0;
            }
        }
    }
}
