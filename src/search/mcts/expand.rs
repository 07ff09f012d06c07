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

    /// Expands a node whose moves were just listed and of which the one at `win` wins.
    pub(super) fn expand_win(&mut self, node: u32, win: usize) {
        self.expand_moves(node, |at| if at == win { 1.0 } else { 0.0 });
        self.nodes[node as usize].win = Some(win as u16);
        self.mix_noise();
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

    /// Mixes the noise into the root's priors, once: there are none before the root was evaluated, nor where chance acts.
    pub(super) fn mix_noise(&mut self) {
        let root = self.nodes[0];
        if !root.is_expanded() || root.turn == Turn::Chance {
            return;
        }
        if let Some((noise, weight)) = self.noise.take().filter(|_| root.win.is_none()) {
            let mut seen = 0.0;
            for (at, noise) in root.edges().zip(noise) {
                let edge = &mut self.edges[at];
                edge.prior += weight * (noise - edge.prior);
                seen += if edge.stats.visits > 0 { edge.prior } else { 0.0 };
                self.scores[at] = self.rule.score(edge);
            }
            self.nodes[0].seen = seen;
        }
    }
}
