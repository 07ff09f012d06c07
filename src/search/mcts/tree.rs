//! The tree itself: descend to a leaf, absorb its evaluation, step on to the position after a move.

use std::ops::Range;
use std::sync::Arc;

use super::select::{Parent, Rule};
use crate::eval::Evaluation;
use crate::game::{Action, Game, Outcome, Payoff, Step, Turn};
use crate::rng::Rng;

/// Edges that fill a tree: a gibibyte of them. Indices have room for more.
const MOST_EDGES: usize = 1 << 25;
/// Visits that fill a tree: beyond, a sum in single precision may no longer count one win more.
const MOST_VISITS: u32 = 1 << 24;

/// A search tree over one position.
#[derive(Debug)]
pub struct Tree<G: Game> {
    pub(super) game: Arc<G>,
    rule: Rule,
    root: G::State,
    /// The root is `nodes[0]`.
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    /// To be mixed into the root's priors once they are known, with its weight.
    noise: Option<(Vec<f32>, f32)>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) turn: Turn,
    /// Its edges in [`Tree::edges`]; empty until an evaluation has been absorbed.
    first: u32,
    count: u16,
    /// Whether its leaf was given out and has not come back yet.
    waiting: bool,
    /// Its own evaluation and all those below.
    stats: Stats,
}

/// What was backed up through a node or an edge.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stats {
    pub(super) visits: u32,
    sum: [f32; 2],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The number of the action, or of the outcome where chance acts.
    pub(super) step: u16,
    /// The probability of the move by the evaluator, or of the outcome by the rules.
    pub(super) prior: f32,
    pub(super) stats: Stats,
    /// Descents through it that wait for their evaluation.
    pending: u32,
    /// The node it leads to, once one exists.
    child: Option<u32>,
}

/// A position that the tree wants evaluated.
#[derive(Debug)]
pub struct Leaf<S> {
    /// The position; a player is to move in it.
    pub state: S,
    node: u32,
    path: Vec<u32>,
}

/// Where a descent ended.
#[derive(Debug)]
pub enum Descent<S> {
    /// At a new position: evaluate it and [`Tree::absorb`] the result.
    Leaf(Leaf<S>),
    /// At the end of a game, whose payoff has been backed up.
    Terminal,
    /// At a position that an earlier descent is still waiting for; nothing was changed.
    Collision,
}

impl Stats {
    fn add(&mut self, payoff: Payoff) {
        self.visits += 1;
        self.sum = [self.sum[0] + payoff.0[0], self.sum[1] + payoff.0[1]];
    }

    /// The mean of what was backed up; none before the first visit.
    pub(super) fn mean(&self) -> Option<Payoff> {
        (self.visits > 0).then(|| Payoff(self.sum.map(|sum| sum / self.visits as f32)))
    }
}

impl Edge {
    /// Visits with and without a value.
    pub(super) fn descents(&self) -> u32 {
        self.stats.visits + self.pending
    }

    /// The node it leads to, once one exists.
    pub(super) fn child(&self) -> Option<usize> {
        self.child.map(|child| child as usize)
    }
}

impl Node {
    fn new(turn: Turn) -> Self {
        Self { turn, first: 0, count: 0, waiting: false, stats: Stats::default() }
    }

    /// The mean of what was backed up; none before the first visit.
    pub(super) fn mean(&self) -> Option<Payoff> {
        self.stats.mean()
    }

    pub(super) fn edges(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }
}

impl<G: Game> Tree<G> {
    /// A tree that holds nothing but its root.
    #[must_use]
    pub fn new(game: &Arc<G>, rule: Rule, root: G::State) -> Self {
        let node = Node::new(game.turn(&root));
        Self { game: Arc::clone(game), rule, root, nodes: vec![node], edges: Vec::new(), noise: None }
    }

    /// The position at the root.
    #[must_use]
    pub fn root(&self) -> &G::State {
        &self.root
    }

    /// Whether there is nothing more to search: the game is over at the root, or the tree is full.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        let root = &self.nodes[0];
        matches!(root.turn, Turn::Over(_)) || root.stats.visits >= MOST_VISITS || self.edges.len() >= MOST_EDGES
    }

    /// Mixes `noise`, one number a legal move, into the root's priors as soon as they are known:
    /// `(1 - weight) * prior + weight * noise`.
    pub fn set_root_noise(&mut self, noise: Vec<f32>, weight: f32) {
        self.noise = Some((noise, weight));
        self.mix_noise();
    }

    /// Simulations so far: visits of the root's moves.
    #[must_use]
    pub fn simulations(&self) -> u32 {
        self.edges[self.nodes[0].edges()].iter().map(|edge| edge.stats.visits).sum()
    }

    /// Simulations started so far, those that wait for an evaluation included.
    #[must_use]
    pub fn started(&self) -> u32 {
        self.edges[self.nodes[0].edges()].iter().map(Edge::descents).sum()
    }

    /// Follows the selection rule from the root, and chance by `rng`, to a position without an evaluation or to the end of a
    /// game.
    pub fn descend(&mut self, rng: &mut Rng) -> Descent<G::State> {
        let (mut state, mut node, mut path) = (self.root.clone(), 0, Vec::new());
        loop {
            let here = &self.nodes[node as usize];
            match here.turn {
                Turn::Over(payoff) => {
                    self.back_up(node, &path, payoff);
                    return Descent::Terminal;
                }
                Turn::Chance if here.count == 0 => self.expand_chance(node, &state),
                Turn::Move(_) if here.count == 0 => return self.reach(state, node, path),
                Turn::Chance | Turn::Move(_) => {}
            }
            let edge = self.follow(node, rng);
            self.step(&mut state, node, self.edges[edge].step);
            path.push(edge as u32);
            node = match self.edges[edge].child {
                Some(child) => child,
                None => self.add_child(edge, &state),
            };
        }
    }

    /// Puts the evaluation of a leaf that [`Tree::descend`] gave out into the tree. Leaves given out together may come back in
    /// any order; a leaf of another tree, or one from before [`Tree::advance`], is a bug of the caller.
    pub fn absorb(&mut self, leaf: Leaf<G::State>, evaluation: &Evaluation) {
        for &edge in &leaf.path {
            self.edges[edge as usize].pending -= 1;
        }
        let mut actions = Vec::new();
        self.game.actions(&leaf.state, &mut actions);
        debug_assert_eq!(actions.len(), evaluation.priors.len());
        self.expand(leaf.node, actions.iter().map(|action| action.0).zip(evaluation.priors.iter().copied()));
        self.mix_noise();
        self.back_up(leaf.node, &leaf.path, evaluation.payoff);
    }

    /// Makes the position after `step` the root and keeps what is known below it. Returns whether anything was known.
    pub fn advance(&mut self, step: Step) -> bool {
        let number = match step {
            Step::Move(Action(number)) | Step::Chance(Outcome(number)) => number,
        };
        let child = self.edges[self.nodes[0].edges()].iter().find(|edge| edge.step == number).and_then(|edge| edge.child);
        let mut state = self.root.clone();
        self.step(&mut state, 0, number);
        let mut after = Tree::new(&self.game, self.rule, state);
        if let Some(child) = child {
            after.nodes.clear();
            self.copy_below(child, &mut after);
        }
        *self = after;
        child.is_some()
    }

    fn reach(&mut self, state: G::State, node: u32, path: Vec<u32>) -> Descent<G::State> {
        if std::mem::replace(&mut self.nodes[node as usize].waiting, true) {
            return Descent::Collision;
        }
        for &edge in &path {
            self.edges[edge as usize].pending += 1;
        }
        Descent::Leaf(Leaf { state, node, path })
    }

    fn follow(&self, node: u32, rng: &mut Rng) -> usize {
        let here = &self.nodes[node as usize];
        let edges = &self.edges[here.edges()];
        let chosen = match here.turn {
            Turn::Move(mover) => {
                let value = here.mean().unwrap_or(Payoff::DRAW);
                self.rule.select(&Parent { mover, value, is_root: node == 0 }, edges)
            }
            Turn::Chance | Turn::Over(_) => super::root::draw_by(edges.iter().map(|edge| edge.prior), rng),
        };
        here.first as usize + chosen
    }

    fn step(&self, state: &mut G::State, node: u32, step: u16) {
        match self.nodes[node as usize].turn {
            Turn::Chance => self.game.roll(state, Outcome(step)),
            Turn::Move(_) | Turn::Over(_) => self.game.play(state, Action(step)),
        }
    }

    fn add_child(&mut self, edge: usize, state: &G::State) -> u32 {
        let child = self.nodes.len() as u32;
        self.nodes.push(Node::new(self.game.turn(state)));
        self.edges[edge].child = Some(child);
        child
    }

    fn expand_chance(&mut self, node: u32, state: &G::State) {
        let mut outcomes = Vec::new();
        self.game.outcomes(state, &mut outcomes);
        self.expand(node, outcomes.into_iter().map(|(outcome, probability)| (outcome.0, probability)));
    }

    fn expand(&mut self, node: u32, steps: impl Iterator<Item = (u16, f32)>) {
        let first = self.edges.len();
        self.edges.extend(steps.map(|(step, prior)| Edge { step, prior, stats: Stats::default(), pending: 0, child: None }));
        let node = &mut self.nodes[node as usize];
        node.first = first as u32;
        node.count = (self.edges.len() - first) as u16;
        node.waiting = false;
    }

    /// Mixes the noise into the root's priors, once: there are none before the root was evaluated, nor where chance acts.
    fn mix_noise(&mut self) {
        let root = &self.nodes[0];
        let edges = root.edges();
        if edges.is_empty() || root.turn == Turn::Chance {
            return;
        }
        if let Some((noise, weight)) = self.noise.take() {
            for (edge, noise) in self.edges[edges].iter_mut().zip(noise) {
                edge.prior += weight * (noise - edge.prior);
            }
        }
    }

    /// Adds `payoff` to `node` and to every edge and node on the way to it. A payoff is absolute, so nothing changes sign.
    fn back_up(&mut self, node: u32, path: &[u32], payoff: Payoff) {
        if !path.is_empty() {
            self.nodes[0].stats.add(payoff);
        }
        for &edge in path {
            let edge = &mut self.edges[edge as usize];
            edge.stats.add(payoff);
            if let Some(child) = edge.child.filter(|&child| child != node) {
                self.nodes[child as usize].stats.add(payoff);
            }
        }
        self.nodes[node as usize].stats.add(payoff);
    }

    /// Copies the nodes below `node` into the empty `after`, parents before children. Nothing there waits: leaves given out
    /// before cannot come back.
    fn copy_below(&self, node: u32, after: &mut Tree<G>) {
        let mut queue = vec![node];
        let mut at = 0;
        while at < queue.len() {
            let old = &self.nodes[queue[at] as usize];
            after.nodes.push(Node { first: after.edges.len() as u32, waiting: false, ..*old });
            for edge in &self.edges[old.edges()] {
                let child = edge.child.map(|child| {
                    queue.push(child);
                    queue.len() as u32 - 1
                });
                after.edges.push(Edge { child, pending: 0, ..*edge });
            }
            at += 1;
        }
    }
}
