//! Which edge a simulation follows from a node where a player is to move.

use serde::{Deserialize, Serialize};

use super::tree::Edge;
use crate::game::{Payoff, Player};

/// A rule of selection.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// `Q + c_puct * prior * sqrt(N) / (1 + n)`, with n the visits of the move and N those of the node, its own evaluation included.
    Puct {
        /// The weight of exploration.
        c_puct: f32,
        /// First-play urgency: an unvisited move is taken to be worth the node's value less this times the square root of the
        /// prior mass of its visited siblings (Wu, "Accelerating self-play learning in Go", 2019).
        fpu_reduction: f32,
        /// The same at the root.
        root_fpu_reduction: f32,
    },
    /// `Q + c * sqrt(ln N / n)` over rewards in [0, 1], every move once first (Auer, Cesa-Bianchi and Fischer 2002).
    Ucb1 {
        /// The weight of exploration; sqrt(2) is the theory's.
        c: f32,
    },
}

/// What a node knows when it selects.
pub(super) struct Parent {
    pub(super) mover: Player,
    pub(super) value: Payoff,
    pub(super) is_root: bool,
}

impl Rule {
    /// The weight of exploration in play, where nothing else is asked for.
    pub const C_PUCT: f32 = 2.0;
    /// The first-play urgency reduction in play, where nothing else is asked for.
    pub const FPU_REDUCTION: f32 = 0.2;
    /// PUCT for play: the root is a node like any other.
    pub const PLAY: Rule =
        Rule::Puct { c_puct: Self::C_PUCT, fpu_reduction: Self::FPU_REDUCTION, root_fpu_reduction: Self::FPU_REDUCTION };

    /// The index in `edges` of the edge to follow: the first of the best. Descents still waiting for their evaluation count as
    /// visits without a value (Liu et al., "Watch the unobserved", 2020), which spreads the leaves of one batch.
    pub(super) fn select(self, parent: &Parent, edges: &[Edge]) -> usize {
        let total: u32 = edges.iter().map(Edge::descents).sum();
        match self {
            Rule::Puct { c_puct, fpu_reduction, root_fpu_reduction } => {
                let reduction = if parent.is_root { root_fpu_reduction } else { fpu_reduction };
                let seen: f32 = edges.iter().filter(|edge| edge.stats.visits > 0).map(|edge| edge.prior).sum();
                let unvisited = parent.value.of(parent.mover) - reduction * seen.sqrt();
                let exploration = c_puct * ((1 + total) as f32).sqrt();
                argmax(edges, |edge| {
                    let value = edge.stats.mean().map_or(unvisited, |mean| mean.of(parent.mover));
                    value + exploration * edge.prior / (1 + edge.descents()) as f32
                })
            }
            Rule::Ucb1 { c } => {
                let log = (total.max(1) as f32).ln();
                argmax(edges, |edge| match edge.descents() {
                    0 => f32::INFINITY,
                    descents => {
                        let value = edge.stats.mean().map_or(0.0, |mean| mean.of(parent.mover));
                        f32::midpoint(value, 1.0) + c * (log / descents as f32).sqrt()
                    }
                })
            }
        }
    }
}

fn argmax(edges: &[Edge], score: impl Fn(&Edge) -> f32) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (at, edge) in edges.iter().enumerate() {
        let score = score(edge);
        if score > best.1 {
            best = (at, score);
        }
    }
    best.0
}
