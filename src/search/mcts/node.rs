//! What a tree is made of: nodes, which are positions, and edges, which are moves and results of chance.
//!
//! An edge leads to one node and a node is led to by one edge, so what was backed up through both is the same and stands on the
//! edge. The edges of a node lie side by side.

use std::num::NonZeroU32;
use std::ops::Range;

use crate::eval::Forecast;
use crate::game::{Payoff, Player, Turn};

/// A position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) turn: Turn,
    /// Its edges; none until it is expanded.
    pub(super) first: u32,
    pub(super) count: u16,
    /// Whether its leaf was given out and has not come back yet.
    pub(super) waiting: bool,
    /// Which of its edges wins on the spot, where the search found one that does.
    pub(super) win: Option<u16>,
    /// The prior mass of its visited moves.
    pub(super) seen: f32,
}

/// A move, or a result of chance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The number of the action, or of the outcome where chance acts.
    pub(super) step: u16,
    /// Who chooses; nobody where chance does.
    pub(super) mover: Option<Player>,
    /// The probability of the move by the evaluator, or of the outcome by the rules.
    pub(super) prior: f32,
    pub(super) stats: Stats,
    /// Descents through it that wait for their evaluation.
    pub(super) pending: u32,
    /// The node it leads to, once one exists. Nothing leads to the root, which is node 0.
    child: Option<NonZeroU32>,
}

/// What was backed up through an edge.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stats {
    pub(super) visits: u32,
    pub(super) sum: [f32; 2],
    /// The sum of the chances of a draw, which no selection reads.
    draws: f32,
}

impl Node {
    pub(super) fn new(turn: Turn) -> Self {
        Self { turn, first: 0, count: 0, waiting: false, win: None, seen: 0.0 }
    }

    pub(super) fn edges(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }

    pub(super) fn is_expanded(&self) -> bool {
        self.count > 0
    }

    /// Of so many descents through it, those that went on below: where a player moves, the first gave its own evaluation.
    pub(super) fn below(&self, descents: u32) -> u32 {
        match self.turn {
            Turn::Move(_) => descents.saturating_sub(1),
            Turn::Chance => descents,
            Turn::Over(_) => 0,
        }
    }
}

impl Edge {
    pub(super) fn new(step: u16, mover: Option<Player>, prior: f32) -> Self {
        Self { step, mover, prior, stats: Stats::default(), pending: 0, child: None }
    }

    /// Visits with and without a value.
    pub(super) fn descents(&self) -> u32 {
        self.stats.visits + self.pending
    }

    /// The same, leading nowhere and waiting for nothing.
    pub(super) fn detached(&self) -> Self {
        Self { pending: 0, child: None, ..*self }
    }

    /// The node it leads to, once one exists.
    pub(super) fn child(&self) -> Option<usize> {
        self.child.map(|child| child.get() as usize)
    }

    /// Makes it lead to `child`, which is not the root.
    pub(super) fn lead_to(&mut self, child: usize) {
        self.child = NonZeroU32::new(child as u32);
    }
}

impl Stats {
    pub(super) fn add(&mut self, Forecast { payoff, draw }: Forecast) {
        self.visits += 1;
        self.sum = [self.sum[0] + payoff.0[0], self.sum[1] + payoff.0[1]];
        self.draws += draw;
    }

    /// The mean of what was backed up; none before the first visit.
    pub(super) fn mean(&self) -> Option<Forecast> {
        let mean = |sum: f32| sum / self.visits as f32;
        (self.visits > 0).then(|| Forecast { payoff: Payoff(self.sum.map(mean)), draw: mean(self.draws) })
    }

    /// The mean of what was backed up for one player; 0 before the first visit.
    pub(super) fn mean_of(&self, player: Player) -> f32 {
        if self.visits > 0 { self.sum[player.index()] / self.visits as f32 } else { 0.0 }
    }
}
