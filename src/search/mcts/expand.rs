//! How a node gets its edges: from an evaluation's priors, from the rules where chance acts or where a move wins on the spot.

use std::ops::Range;

use super::node::Edge;
use super::select::Rule;
use super::tree::Tree;
use crate::game::{Action, Game, Payoff, Player, Turn};

impl<G: Game> Tree<G> {
    /// The legal moves of `state`, into their room.
    pub(super) fn list(&mut self, state: &G::State) {
        self.room.actions.clear();
        self.game.actions(state, &mut self.room.actions);
    }

    /// Under PUCT, the first move that ends the game with the best payoff there is, by its place in the list, and that payoff.
    pub(super) fn win(&mut self, state: &G::State, mover: Player) -> Option<(usize, Payoff)> {
        let Rule::Puct { .. } = self.rule else { return None };
        self.list(state);
        self.room.actions.iter().enumerate().find_map(|(at, &action)| {
            let mut after = state.clone();
            self.game.play(&mut after, action);
            match self.game.turn(&after) {
                Turn::Over(payoff) if payoff.of(mover) >= Payoff::MOST => Some((at, payoff)),
                _ => None,
            }
        })
    }

    /// Expands a node whose moves were just listed and of which the one at `win` ends the game with `payoff`.
    pub(super) fn expand_win(&mut self, node: u32, win: usize, payoff: Payoff) {
        self.expand_moves(node, |at| if at == win { 1.0 } else { 0.0 });
        self.nodes[node as usize].win = Some(win as u16);
        self.prove_win(node, payoff);
        self.open_root();
    }

    /// Expands a node whose moves were just listed.
    pub(super) fn expand_moves(&mut self, node: u32, prior: impl Fn(usize) -> f32) {
        let mover = match self.nodes[node as usize].turn {
            Turn::Move(mover) => Some(mover),
            Turn::Chance | Turn::Over(_) => None,
        };
        let first = self.edges.len();
        let edge = |(at, action): (usize, &Action)| Edge::new(action.0, mover, prior(at));
        self.edges.extend(self.room.actions.iter().enumerate().map(edge));
        self.expand(node, first);
    }

    pub(super) fn expand_chance(&mut self, node: u32, state: &G::State) -> Range<usize> {
        self.room.outcomes.clear();
        self.game.outcomes(state, &mut self.room.outcomes);
        let first = self.edges.len();
        self.edges.extend(self.room.outcomes.iter().map(|&(outcome, probability)| Edge::new(outcome.0, None, probability)));
        self.expand(node, first);
        first..self.edges.len()
    }

    /// Gives the node the edges from `first` on.
    fn expand(&mut self, node: u32, first: usize) {
        self.scores.extend(self.edges[first..].iter().map(|edge| self.rule.score(edge)));
        let node = &mut self.nodes[node as usize];
        (node.first, node.count, node.waiting) = (first as u32, (self.edges.len() - first) as u16, false);
    }

    /// Applies the temperature to the root's priors and mixes the noise into them, each once: there are none before the root was
    /// evaluated, nor where chance acts.
    pub(super) fn open_root(&mut self) {
        let root = self.nodes[0];
        if !root.is_expanded() || root.turn == Turn::Chance {
            return;
        }
        if let Some(temperature) = self.temperature.take().filter(|_| root.win.is_none()) {
            self.temper(temperature);
            self.reweigh_root();
        }
        if let Some((noise, weight)) = self.noise.take().filter(|_| root.win.is_none()) {
            let priors: Vec<f32> = self.edges[root.edges()].iter().map(|edge| edge.prior).collect();
            for (edge, noise) in self.edges[root.edges()].iter_mut().zip(noise.draw(&priors)) {
                edge.prior += weight * (noise - edge.prior);
            }
            self.reweigh_root();
        }
    }

    /// Raises the root's priors to `1 / temperature` and makes them sum to 1 again.
    fn temper(&mut self, temperature: f32) {
        let edges = self.nodes[0].edges();
        let edges = &mut self.edges[edges];
        let most = edges.iter().map(|edge| edge.prior).fold(0.0, f32::max);
        if most > 0.0 {
            // Relative to the largest, so that a low temperature does not underflow.
            edges.iter_mut().for_each(|edge| edge.prior = (edge.prior / most).powf(1.0 / temperature));
            let total: f32 = edges.iter().map(|edge| edge.prior).sum();
            edges.iter_mut().for_each(|edge| edge.prior /= total);
        }
    }

    /// Brings up to date what depends on the root's priors.
    fn reweigh_root(&mut self) {
        let mut seen = 0.0;
        for at in self.nodes[0].edges() {
            let edge = &self.edges[at];
            seen += if edge.stats.visits > 0 { edge.prior } else { 0.0 };
            self.rescore(at);
        }
        self.nodes[0].seen = seen;
    }
}
