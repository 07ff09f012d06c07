//! Which edge a simulation follows from a node where a player is to move.

use serde::{Deserialize, Serialize};

use super::node::Edge;

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
        /// Whether the tree keeps proofs and heeds them ([`super::Proof`]).
        solve: bool,
    },
    /// `Q + c * sqrt(ln N / n)` over rewards in [0, 1], every move once first (Auer, Cesa-Bianchi and Fischer 2002).
    Ucb1 {
        /// The weight of exploration; sqrt(2) is the theory's.
        c: f32,
    },
}

/// What a node knows when it selects.
pub(super) struct Parent {
    /// The mean of its payoffs, for the player who selects.
    pub(super) value: f32,
    /// Descents below it, waiting ones among them.
    pub(super) descents: u32,
    /// The prior mass of its visited moves.
    pub(super) seen: f32,
    pub(super) is_root: bool,
}

/// What selection reads of a move. It is brought up to date where a descent comes through, so that selecting takes no division
/// and no root for each move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Score {
    /// What it is worth to its mover, on the scale of the rule; 0 before the first visit.
    value: f32,
    /// 1 where first-play urgency says what it is worth, else 0: before the first visit under PUCT, before the first descent
    /// under UCB1.
    unknown: f32,
    /// By how much exploration calls for it.
    bonus: f32,
}

impl Score {
    /// The same for a move of known worth.
    pub(super) fn worth(self, value: f32) -> Self {
        Self { value, unknown: 0.0, ..self }
    }
}

impl Rule {
    /// The weight of exploration in play, where nothing else is asked for.
    pub const C_PUCT: f32 = 2.0;
    /// The first-play urgency reduction in play, where nothing else is asked for.
    pub const FPU_REDUCTION: f32 = 0.2;
    /// PUCT for play: the root is a node like any other, and what is proven counts.
    pub const PLAY: Rule = Self::play(true);
    /// The same by means alone.
    pub const PLAIN: Rule = Self::play(false);

    const fn play(solve: bool) -> Rule {
        let (c_puct, fpu_reduction) = (Self::C_PUCT, Self::FPU_REDUCTION);
        Rule::Puct { c_puct, fpu_reduction, root_fpu_reduction: fpu_reduction, solve }
    }

    /// Whether the tree keeps proofs.
    pub(super) fn solves(self) -> bool {
        matches!(self, Rule::Puct { solve: true, .. })
    }

    /// What selection will read of `edge`. Descents still waiting for their evaluation count as visits without a value (Liu et
    /// al., "Watch the unobserved", 2020), which spreads the leaves of one batch.
    #[inline]
    pub(super) fn score(self, edge: &Edge) -> Score {
        let value = edge.mover.map_or(0.0, |mover| edge.stats.mean_of(mover));
        match self {
            Rule::Puct { .. } => {
                let unknown = if edge.stats.visits == 0 { 1.0 } else { 0.0 };
                Score { value, unknown, bonus: edge.prior / (1 + edge.descents()) as f32 }
            }
            Rule::Ucb1 { .. } => {
                let unknown = if edge.descents() == 0 { 1.0 } else { 0.0 };
                let bonus = (edge.descents().max(1) as f32).sqrt().recip();
                Score { value: f32::midpoint(value, 1.0), unknown, bonus }
            }
        }
    }

    /// The index in `scores` of the move to follow: the first of the best.
    pub(super) fn select(self, parent: &Parent, scores: &[Score]) -> usize {
        match self {
            Rule::Puct { c_puct, fpu_reduction, root_fpu_reduction, .. } => {
                let reduction = if parent.is_root { root_fpu_reduction } else { fpu_reduction };
                let first_play = parent.value - reduction * parent.seen.sqrt();
                argmax(scores, first_play, c_puct * ((1 + parent.descents) as f32).sqrt())
            }
            // A move that was never tried beats all that were.
            Rule::Ucb1 { c } => argmax(scores, f32::MAX, c * (parent.descents.max(1) as f32).ln().sqrt()),
        }
    }
}

fn argmax(scores: &[Score], first_play: f32, exploration: f32) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (at, score) in scores.iter().enumerate() {
        let score = score.value + score.unknown * first_play + score.bonus * exploration;
        if score > best.1 {
            best = (at, score);
        }
    }
    best.0
}
