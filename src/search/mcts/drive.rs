//! Driving trees with an evaluator: one tree for play, many in lockstep for throughput. Both are plain loops around
//! [`Tree::descend`] and [`Tree::absorb`].

use super::{Descent, Leaf, Tree};
use crate::eval::{Evaluator, Rollout};
use crate::game::Game;
use crate::search::Meter;

/// How a tree is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Simulations in all.
    pub simulations: u32,
    /// Leaves gathered from one tree before they are evaluated together; 0 counts as 1.
    pub gather: usize,
}

impl Driver {
    /// Searches one tree until its simulations are done or the budget is spent, or the tree is exhausted. The root is
    /// always evaluated.
    pub fn run<G: Game>(self, tree: &mut Tree<G>, evaluator: &mut dyn Evaluator<G>, meter: &mut Meter) {
        if tree.value().is_none()
            && let Descent::Leaf(root) = tree.descend()
        {
            let evaluation = evaluator.evaluate_one(&root.state);
            tree.absorb(root, &evaluation);
        }
        let gather = self.gather.max(1);
        let (mut leaves, mut states, mut evaluations) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            while leaves.len() < gather && tree.started() < self.simulations && !tree.is_exhausted() && meter.spend() {
                match tree.descend() {
                    Descent::Leaf(leaf) => leaves.push(leaf),
                    Descent::Terminal => {}
                    Descent::Collision => break,
                }
            }
            if leaves.is_empty() {
                return;
            }
            states.clear();
            states.extend(leaves.iter().map(|leaf| leaf.state.clone()));
            evaluations.clear();
            evaluator.evaluate(&states, &mut evaluations);
            for (leaf, evaluation) in leaves.drain(..).zip(&evaluations) {
                tree.absorb(leaf, evaluation);
            }
            // The meter looks at the clock once in many nodes, and an evaluation may cost as much as all of them.
            if meter.is_late() {
                return;
            }
        }
    }

    /// UCT: searches one tree with a random game a leaf, one leaf at a time, until its simulations are done or the budget is
    /// spent, or the tree is exhausted. The root always has its random game.
    pub fn roll_out<G: Game>(self, tree: &mut Tree<G>, rollout: &mut Rollout<G>, meter: &mut Meter) {
        if tree.value().is_none() {
            tree.simulate(rollout);
        }
        let goes_on = |tree: &Tree<G>| tree.started() < self.simulations && !tree.is_exhausted();
        while goes_on(tree) && meter.spend() && tree.simulate(rollout) {}
    }
}

/// Simulates in `tree` until it needs an evaluation that is not at hand, which is returned, or until `simulations` are done or
/// the tree is exhausted.
pub fn next_leaf<G: Game>(tree: &mut Tree<G>, evaluator: &dyn Evaluator<G>, simulations: u32) -> Option<Leaf<G::State>> {
    while tree.value().is_none() || (!tree.is_exhausted() && tree.simulations() < simulations) {
        if let Descent::Leaf(leaf) = tree.descend() {
            match evaluator.recall(&leaf.state) {
                Some(evaluation) => tree.absorb(leaf, evaluation),
                None => return Some(leaf),
            }
        }
    }
    None
}

/// Searches many trees, one leaf of each a batch, until all have done their simulations. No tree's result depends on another.
pub fn lockstep<G: Game>(trees: &mut [Tree<G>], evaluator: &mut dyn Evaluator<G>, simulations: u32) {
    let (mut states, mut evaluations) = (Vec::new(), Vec::new());
    loop {
        let leaves: Vec<(usize, Leaf<G::State>)> = trees
            .iter_mut()
            .enumerate()
            .filter_map(|(at, tree)| next_leaf(tree, evaluator, simulations).map(|leaf| (at, leaf)))
            .collect();
        if leaves.is_empty() {
            return;
        }
        states.clear();
        states.extend(leaves.iter().map(|(_, leaf)| leaf.state.clone()));
        evaluations.clear();
        evaluator.evaluate(&states, &mut evaluations);
        for ((at, leaf), evaluation) in leaves.into_iter().zip(&evaluations) {
            trees[at].absorb(leaf, evaluation);
        }
    }
}
