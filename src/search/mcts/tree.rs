//! The tree itself: descend to a leaf, absorb its evaluation, step on to the position after a move.

use std::sync::Arc;

use super::gumbel::Halving;
use super::node::{Edge, Node, Stats};
use super::noise::Noise;
use super::prove::Proof;
use super::root::{Evaluated, draw_by};
use super::select::{Parent, Rule, Score};
use crate::eval::{Evaluation, Forecast, Rollout};
use crate::game::{Action, Game, Outcome, Payoff, Step, Turn};
use crate::rng::Lazy;

/// Edges that fill a tree: a gibibyte and a quarter of them. Indices have room for more.
const MOST_EDGES: usize = 1 << 25;
/// Visits that fill a tree: beyond, a sum in single precision may no longer count one win more.
const MOST_VISITS: u32 = 1 << 24;

/// A search tree over one position.
#[derive(Debug)]
pub struct Tree<G: Game> {
    pub(super) game: Arc<G>,
    pub(super) rule: Rule,
    pub(super) root: G::State,
    /// Of the streams that descents draw from.
    seed: u64,
    /// Descents so far, apart from those that collided: the index of the next stream.
    descents: u64,
    /// What was backed up in all, and how many descents below the root wait for their evaluation.
    pub(super) total: Stats,
    pending: u32,
    /// The root is `nodes[0]`.
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    /// One an edge.
    pub(super) scores: Vec<Score>,
    /// What is proven: one a node, none at all unless the rule asks for proofs.
    pub(super) proofs: Vec<Option<Proof>>,
    /// What the evaluator said of the root.
    pub(super) evaluated: Option<Evaluated>,
    /// To be mixed into the root's priors once they are known, with its weight.
    pub(super) noise: Option<(Noise, f32)>,
    /// Of the root's priors, applied once they are known and before the noise.
    pub(super) temperature: Option<f32>,
    /// How much visits at the root are forced; 0 for not at all.
    pub(super) forced: f32,
    /// How sequential halving searches the root, where it does.
    pub(super) halving: Option<Halving>,
    pub(super) room: Room,
}

/// Lists kept for their room.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// The edges that the last descent followed.
    path: Vec<u32>,
    /// Paths of leaves that have come back.
    paths: Vec<Vec<u32>>,
    pub(super) actions: Vec<Action>,
    pub(super) outcomes: Vec<(Outcome, f32)>,
}

/// A position that the tree wants evaluated.
#[derive(Debug)]
pub struct Leaf<S> {
    /// The position; a player is to move in it.
    pub state: S,
    /// The stream of the descent that reached it, after what chance drew on the way: what a rollout draws from.
    pub stream: Lazy,
    node: u32,
    path: Vec<u32>,
}

/// Where a descent ended.
#[derive(Debug)]
pub enum Descent<S> {
    /// At a new position: evaluate it and [`Tree::absorb`] the result.
    Leaf(Leaf<S>),
    /// At the end of a game or one move before it, at a payoff that the rules tell, or at a proven position; backed up.
    Terminal,
    /// At a position that an earlier descent is still waiting for; nothing was changed.
    Collision,
}

/// Where following the rule ends. The path is in [`Room::path`].
enum Arrival<S> {
    /// At a position without an evaluation.
    New { state: S, node: u32 },
    /// Where the rules or a proof tell the payoff.
    Known(Payoff),
    /// At a position that was given out.
    Waiting,
}

impl<G: Game> Tree<G> {
    /// A tree that holds nothing but its root. Its `seed` decides what chance and rollouts draw.
    #[must_use]
    pub fn new(game: &Arc<G>, rule: Rule, root: G::State, seed: u64) -> Self {
        let mut tree = Self {
            game: Arc::clone(game),
            rule,
            root,
            seed,
            descents: 0,
            total: Stats::default(),
            pending: 0,
            nodes: Vec::new(),
            edges: Vec::new(),
            scores: Vec::new(),
            proofs: Vec::new(),
            evaluated: None,
            noise: None,
            temperature: None,
            forced: 0.0,
            halving: None,
            room: Room::default(),
        };
        tree.plant();
        tree
    }

    /// Makes it a tree that holds nothing but `root`, in the room that it has.
    pub fn restart(&mut self, root: G::State, seed: u64) {
        (self.root, self.seed, self.descents) = (root, seed, 0);
        (self.total, self.pending, self.evaluated) = (Stats::default(), 0, None);
        (self.noise, self.temperature, self.halving) = (None, None, None);
        self.clear();
        self.plant();
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.scores.clear();
        self.proofs.clear();
    }

    /// Gives an empty tree its root.
    fn plant(&mut self) {
        let turn = self.game.turn(&self.root);
        self.add_node(turn);
    }

    fn add_node(&mut self, turn: Turn) {
        self.nodes.push(Node::new(turn));
        self.add_proof(turn);
    }

    /// The position at the root.
    #[must_use]
    pub fn root(&self) -> &G::State {
        &self.root
    }

    /// Whether there is nothing more to search: the game is over at the root, or the root is proven, or the tree is full.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        let is_known = matches!(self.nodes[0].turn, Turn::Over(_)) || self.proof().is_some();
        is_known || self.total.visits >= MOST_VISITS || self.edges.len() >= MOST_EDGES
    }

    /// Raises the root's priors to `1 / temperature` as soon as they are known, and before noise: above 1, moves that the evaluator
    /// thinks little of are tried more (the root policy temperature of `KataGo`).
    pub fn set_root_temperature(&mut self, temperature: f32) {
        self.temperature = Some(temperature);
        self.open_root();
    }

    /// Simulations so far: visits of the root's moves.
    #[must_use]
    pub fn simulations(&self) -> u32 {
        self.nodes[0].below(self.total.visits)
    }

    /// Simulations started so far, those that wait for an evaluation included.
    #[must_use]
    pub fn started(&self) -> u32 {
        self.simulations() + self.pending
    }

    /// Follows the selection rule from the root, and chance by the stream of this descent, to a position without an evaluation
    /// or to the end of a game.
    pub fn descend(&mut self) -> Descent<G::State> {
        let mut stream = Lazy::new(self.seed, self.descents);
        match self.follow(&mut stream) {
            Arrival::Waiting => Descent::Collision,
            Arrival::Known(payoff) => {
                self.descents += 1;
                self.back_up_last(Forecast::certain(payoff), true);
                Descent::Terminal
            }
            Arrival::New { state, node } => {
                self.descents += 1;
                self.nodes[node as usize].waiting = true;
                let path = std::mem::replace(&mut self.room.path, self.room.paths.pop().unwrap_or_default());
                self.wait(&path, 1);
                Descent::Leaf(Leaf { state, stream, node, path })
            }
        }
    }

    /// Puts the evaluation of a leaf that [`Tree::descend`] gave out into the tree. Leaves given out together may come back in
    /// any order; a leaf of another tree, or one from before [`Tree::advance`], is a bug of the caller.
    pub fn absorb(&mut self, leaf: Leaf<G::State>, evaluation: &Evaluation) {
        self.wait(&leaf.path, u32::MAX);
        self.list(&leaf.state);
        debug_assert_eq!(self.room.actions.len(), evaluation.priors.len());
        self.expand_moves(leaf.node, |at| evaluation.priors[at]);
        if leaf.node == 0 {
            self.evaluated = Some(Evaluated { forecast: evaluation.forecast(), priors: evaluation.priors.clone() });
        }
        self.open_root();
        self.back_up(&leaf.path, evaluation.forecast());
        self.room.paths.push(leaf.path);
    }

    /// One simulation of UCT, in its four phases: selection, expansion, a random game from the stream of this descent, backup.
    /// It does what [`Tree::descend`] and [`Tree::absorb`] do with even priors and the payoff of a rollout. Returns false where
    /// it collided with a leaf that was given out, and nothing was changed.
    pub fn simulate(&mut self, rollout: &mut Rollout<G>) -> bool {
        let mut stream = Lazy::new(self.seed, self.descents);
        let (payoff, is_known) = match self.follow(&mut stream) {
            Arrival::Waiting => return false,
            Arrival::Known(payoff) => (payoff, true),
            Arrival::New { state, node } => {
                self.list(&state);
                let even = 1.0 / self.room.actions.len() as f32;
                self.expand_moves(node, |_| even);
                (rollout.play(state, stream.get()), false)
            }
        };
        self.descents += 1;
        self.back_up_last(Forecast::certain(payoff), is_known);
        true
    }

    /// Makes the position after `step` the root and keeps what is known below it. Returns whether anything was known.
    pub fn advance(&mut self, step: Step) -> bool {
        let number = match step {
            Step::Move(Action(number)) | Step::Chance(Outcome(number)) => number,
        };
        let edge = self.edges[self.nodes[0].edges()].iter().find(|edge| edge.step == number).copied();
        let mut state = self.root.clone();
        self.step(&mut state, self.nodes[0].turn, number);
        let mut after = Tree::new(&self.game, self.rule, state, self.seed);
        (after.descents, after.forced) = (self.descents, self.forced);
        let known = edge.and_then(|edge| Some((edge.stats, edge.child()?)));
        if let Some((stats, child)) = known {
            after.total = stats;
            after.clear();
            self.copy_below(child, &mut after);
        }
        *self = after;
        known.is_some()
    }

    fn follow(&mut self, stream: &mut Lazy) -> Arrival<G::State> {
        self.room.path.clear();
        let (mut state, mut node, mut stats, mut pending) = (self.root.clone(), 0, self.total, self.pending);
        loop {
            let Node { turn, first, count, waiting, win, seen } = self.nodes[node];
            if let Some(proof) = self.proof_of(node) {
                return Arrival::Known(proof.payoff);
            }
            let edges = first as usize..first as usize + count as usize;
            let chosen = match turn {
                Turn::Over(payoff) => return Arrival::Known(payoff),
                Turn::Move(_) if waiting => return Arrival::Waiting,
                Turn::Move(mover) if count == 0 => {
                    return match self.win(&state, mover) {
                        Some((at, payoff)) => {
                            self.expand_win(node as u32, at, payoff);
                            Arrival::Known(payoff)
                        }
                        None => Arrival::New { state, node: node as u32 },
                    };
                }
                Turn::Move(mover) => win.map(usize::from).or_else(|| self.root_move(node)).unwrap_or_else(|| {
                    let descents = stats.visits + pending - 1;
                    let parent = Parent { value: stats.mean_of(mover), descents, seen, is_root: node == 0 };
                    self.rule.select(&parent, &self.scores[edges])
                }),
                Turn::Chance => {
                    let outcomes = if count == 0 { self.expand_chance(node as u32, &state) } else { edges };
                    draw_by(self.edges[outcomes].iter().map(|edge| edge.prior), stream.get())
                }
            };
            let at = self.nodes[node].first as usize + chosen;
            let edge = &self.edges[at];
            self.step(&mut state, turn, edge.step);
            (stats, pending) = (edge.stats, edge.pending);
            self.room.path.push(at as u32);
            node = match edge.child() {
                Some(child) => child,
                None => self.add_child(at, &state),
            };
        }
    }

    fn step(&self, state: &mut G::State, turn: Turn, step: u16) {
        match turn {
            Turn::Chance => self.game.roll(state, Outcome(step)),
            Turn::Move(_) | Turn::Over(_) => self.game.play(state, Action(step)),
        }
    }

    fn add_child(&mut self, edge: usize, state: &G::State) -> usize {
        let child = self.nodes.len();
        self.add_node(self.game.turn(state));
        self.edges[edge].lead_to(child);
        child
    }

    /// Adds `by` waiting descents, in the arithmetic that wraps, to the edges of `path`.
    fn wait(&mut self, path: &[u32], by: u32) {
        if !path.is_empty() {
            self.pending = self.pending.wrapping_add(by);
        }
        for &at in path {
            let edge = &mut self.edges[at as usize];
            edge.pending = edge.pending.wrapping_add(by);
            self.rescore(at as usize);
        }
    }

    /// Brings what selection reads of an edge up to date.
    #[inline]
    pub(super) fn rescore(&mut self, at: usize) {
        self.scores[at] = self.score(&self.edges[at]);
    }

    /// Backs up where the last descent arrived, and what follows where that is known for good.
    fn back_up_last(&mut self, forecast: Forecast, is_known: bool) {
        let path = std::mem::take(&mut self.room.path);
        self.back_up(&path, forecast);
        if is_known {
            self.prove(&path);
        }
        self.room.path = path;
    }

    /// Adds `forecast` to the root and to every edge on the way. A payoff is absolute, so nothing changes sign.
    fn back_up(&mut self, path: &[u32], forecast: Forecast) {
        self.total.add(forecast);
        let mut parent = 0;
        for &at in path {
            let edge = &mut self.edges[at as usize];
            if edge.stats.visits == 0 {
                self.nodes[parent].seen += edge.prior;
            }
            edge.stats.add(forecast);
            parent = edge.child().unwrap_or(parent);
            self.rescore(at as usize);
        }
    }

    /// Copies the nodes below `node` into the empty `after`, parents before children. Nothing there waits: leaves given out
    /// before cannot come back.
    fn copy_below(&self, node: usize, after: &mut Tree<G>) {
        let mut queue = vec![node];
        let mut at = 0;
        while at < queue.len() {
            let old = &self.nodes[queue[at]];
            after.nodes.push(Node { first: after.edges.len() as u32, waiting: false, ..*old });
            after.proofs.extend(self.proofs.get(queue[at]));
            for edge in &self.edges[old.edges()] {
                let mut copy = edge.detached();
                if let Some(child) = edge.child() {
                    queue.push(child);
                    copy.lead_to(queue.len() - 1);
                }
                after.edges.push(copy);
            }
            at += 1;
        }
        // Scores read the proofs of what edges lead to.
        let scores = after.edges.iter().map(|edge| after.score(edge)).collect();
        after.scores = scores;
    }
}
