//! Proofs: what a position is worth when both players play perfectly, where the tree has seen enough of it to know.
//!
//! MCTS-Solver: Winands, Björnsson and Saito, "Monte-Carlo Tree Search Solver", 2008; with draws, as Cazenave and Saffidine,
//! "Score bounded Monte-Carlo Tree Search", 2010, have them.
//!
//! Rule: the end of a game is proven. Where a player moves, a move that leads to a proven win proves a win, the soonest that is
//! known; once every move is proven, the best of them is proven: a win as soon, anything else as late as possible. A descent
//! that reaches a proven position takes its payoff at once. A move to a proven loss is never selected; at the root it has no
//! share in the policy either, nor has a move that another proven one beats, unless the position is proven as a whole: then the best
//! moves share the policy evenly.
//!
//! Hypotheses: utilities lie in [-1, 1], and each player maximises its own. A win is the best payoff there is, a loss the worst,
//! so that nothing unproven can be better than the one or worse than the other. A proof holds the payoff of both players; where
//! utilities do not cancel out, it is that of the line whose moves each mover takes first among equals. Where chance acts nothing is proven.
//! Distances are of the lines that are proven: a win may be nearer by moves that were not searched, never farther.
//!
//! Cost: a proof looks at each move of the position before it once; 16 bytes a node. Without the rule: an empty list.

use super::node::Edge;
use super::select::Score;
use super::tree::Tree;
use crate::game::{Action, Game, Payoff, Player, Turn};

/// What a position is worth to both players, and how long it lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proof {
    /// How the game ends.
    pub payoff: Payoff,
    /// Plies until then.
    pub plies: u32,
}

impl Proof {
    fn a_ply_before(self) -> Self {
        Self { plies: self.plies + 1, ..self }
    }

    fn is_won_by(self, player: Player) -> bool {
        self.payoff.of(player) >= Payoff::MOST
    }

    fn is_lost_by(self, player: Player) -> bool {
        self.payoff.of(player) <= -Payoff::MOST
    }

    /// Whether `player` would rather have this: a larger utility; of equal ones a gain as soon, anything else as late as possible.
    fn is_better_than(self, other: Self, player: Player) -> bool {
        let (own, others) = (self.payoff.of(player), other.payoff.of(player));
        own > others || (own >= others && if own > 0.0 { self.plies < other.plies } else { self.plies > other.plies })
    }
}

impl<G: Game> Tree<G> {
    /// What is proven of the position at the root; nothing unless the rule asks for proofs.
    #[must_use]
    pub fn proof(&self) -> Option<Proof> {
        self.proof_of(0)
    }

    pub(super) fn proof_of(&self, node: usize) -> Option<Proof> {
        self.proofs.get(node).copied().flatten()
    }

    /// What is proven where `edge` of the root leads.
    pub(super) fn proof_at_root(&self, edge: &Edge) -> Option<Proof> {
        if self.proofs.is_empty() {
            return None;
        }
        // A win on the spot is known before any move of its position is followed.
        self.proof_below(edge).or_else(|| self.nodes[0].win.and_then(|_| self.end_after(edge)))
    }

    /// What is proven where `edge` leads.
    fn proof_below(&self, edge: &Edge) -> Option<Proof> {
        self.proof_of(edge.child()?)
    }

    /// The end that `edge` of the root leads to at once.
    fn end_after(&self, edge: &Edge) -> Option<Proof> {
        let mut after = self.root.clone();
        self.game.play(&mut after, Action(edge.step));
        match self.game.turn(&after) {
            Turn::Over(payoff) => Some(Proof { payoff, plies: 0 }),
            Turn::Move(_) | Turn::Chance => None,
        }
    }

    /// Makes room for the proof of a node that was just added.
    pub(super) fn add_proof(&mut self, turn: Turn) {
        if self.rule.solves() {
            self.proofs.push(match turn {
                Turn::Over(payoff) => Some(Proof { payoff, plies: 0 }),
                Turn::Move(_) | Turn::Chance => None,
            });
        }
    }

    /// Notes that a move of `node` wins on the spot.
    pub(super) fn prove_win(&mut self, node: u32, payoff: Payoff) {
        if let Some(proof) = self.proofs.get_mut(node as usize) {
            *proof = Some(Proof { payoff, plies: 1 });
        }
    }

    /// What selection will read of `edge`: what is proven counts for what was backed up.
    #[inline]
    pub(super) fn score(&self, edge: &Edge) -> Score {
        let score = self.rule.score(edge);
        if self.proofs.is_empty() {
            return score;
        }
        match (edge.mover, self.proof_below(edge)) {
            (Some(mover), Some(proof)) if proof.is_lost_by(mover) => score.worth(f32::NEG_INFINITY),
            (Some(mover), Some(proof)) => score.worth(proof.payoff.of(mover)),
            _ => score,
        }
    }

    /// Carries the proof of the node that `path` ends at towards the root, as far as it proves anything.
    pub(super) fn prove(&mut self, path: &[u32]) {
        if self.proofs.is_empty() {
            return;
        }
        for (depth, &edge) in path.iter().enumerate().rev() {
            self.rescore(edge as usize);
            let parent = path[..depth].last().and_then(|&above| self.edges[above as usize].child()).unwrap_or(0);
            let proof = self.conclude(parent);
            if proof.is_none() {
                return;
            }
            self.proofs[parent] = proof;
        }
    }

    /// What the moves of `node` prove of it.
    fn conclude(&self, node: usize) -> Option<Proof> {
        let Turn::Move(mover) = self.nodes[node].turn else { return None };
        let (mut best, mut all) = (None, true);
        for edge in &self.edges[self.nodes[node].edges()] {
            match self.proof_below(edge) {
                Some(proof) if best.is_none_or(|best| proof.is_better_than(best, mover)) => best = Some(proof),
                Some(_) => {}
                None => all = false,
            }
        }
        best.filter(|best| all || best.is_won_by(mover)).map(Proof::a_ply_before)
    }

    /// The first of the moves that make a proven `node` what it is.
    pub(super) fn proven_move(&self, node: usize) -> Option<usize> {
        let proof = self.proof_of(node)?;
        let win = self.nodes[node].win.map(|win| self.nodes[node].first as usize + usize::from(win));
        let is_best = |&edge: &usize| self.proof_below(&self.edges[edge]).map(Proof::a_ply_before) == Some(proof);
        win.or_else(|| self.nodes[node].edges().find(is_best))
    }

    /// Whether `edge` leads to a proven loss of the player who chooses it.
    pub(super) fn is_lost(&self, edge: &Edge) -> bool {
        edge.mover.zip(self.proof_below(edge)).is_some_and(|(mover, proof)| proof.is_lost_by(mover))
    }

    /// Which moves of the root no proof is against: the best ones where the root is proven, else those that neither lose nor are beaten
    /// by another that is proven.
    pub(super) fn unbeaten(&self, mover: Player) -> Vec<bool> {
        let proofs = || self.edges[self.nodes[0].edges()].iter().map(|edge| self.proof_at_root(edge));
        if let Some(known) = self.proof() {
            return proofs().map(|proof| proof.map(Proof::a_ply_before) == Some(known)).collect();
        }
        let most = proofs().flatten().map(|proof| proof.payoff.of(mover)).fold(f32::NEG_INFINITY, f32::max);
        let is_beaten = |proof: Proof| proof.is_lost_by(mover) || proof.payoff.of(mover) < most;
        proofs().map(|proof| !proof.is_some_and(is_beaten)).collect()
    }

    /// Turns the visits of the root's moves into what they count for under the proofs there are.
    pub(super) fn respect_proofs(&self, weights: &mut [(Action, u32)]) {
        let Turn::Move(mover) = self.nodes[0].turn else { return };
        let open = self.unbeaten(mover);
        let was_searched = weights.iter().any(|(_, visits)| *visits > 0);
        for ((_, weight), &open) in weights.iter_mut().zip(&open) {
            *weight *= u32::from(open);
        }
        // All that was visited is beaten, or all is known: what is left counts alike.
        if self.proof().is_some() || was_searched && weights.iter().all(|(_, weight)| *weight == 0) {
            weights.iter_mut().zip(open).for_each(|((_, weight), open)| *weight = u32::from(open));
        }
    }
}
