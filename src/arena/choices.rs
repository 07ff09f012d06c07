//! What a player chooses in many positions at once, to be judged by [`super::accuracy`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::eval::{Evaluation, Evaluator};
use crate::game::{Action, Game};
use crate::rng;
use crate::search::mcts::{Rule, Tree, lockstep, most_probable};

/// Positions looked at at the same time: enough to fill batches, few enough to hold their trees.
const LOCKSTEP: usize = 256;

/// The evaluator's most probable move in each position, without search.
pub fn raw<G: Game>(game: &G, evaluator: &mut dyn Evaluator<G>, positions: &[G::State]) -> Vec<Action> {
    preferred(game, positions, &evaluated(evaluator, positions))
}

/// What the evaluator thinks of each position.
pub fn evaluated<G: Game>(evaluator: &mut dyn Evaluator<G>, positions: &[G::State]) -> Vec<Evaluation> {
    let mut evaluations = Vec::with_capacity(positions.len());
    for part in positions.chunks(LOCKSTEP) {
        evaluator.evaluate(part, &mut evaluations);
    }
    evaluations
}

/// The most probable move of each position by its evaluation.
pub fn preferred<G: Game>(game: &G, positions: &[G::State], evaluations: &[Evaluation]) -> Vec<Action> {
    let choose = |(state, evaluation): (&G::State, &Evaluation)| {
        let mut actions = Vec::new();
        game.actions(state, &mut actions);
        let policy: Vec<(Action, f32)> = actions.into_iter().zip(evaluation.priors.iter().copied()).collect();
        most_probable(&policy)
    };
    positions.iter().zip(evaluations).map(choose).collect()
}

/// The most visited move in each position after `simulations` simulations from a fresh tree; of fewer positions where `stop` was raised.
pub fn searched<G: Game>(
    game: &Arc<G>,
    evaluator: &mut dyn Evaluator<G>,
    positions: &[G::State],
    rule: Rule,
    simulations: u32,
    stop: &AtomicBool,
) -> Vec<Action> {
    let mut choices = Vec::with_capacity(positions.len());
    for part in positions.chunks(LOCKSTEP) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let mut trees: Vec<_> = part
            .iter()
            .enumerate()
            .map(|(at, state)| Tree::new(game, rule, state.clone(), rng::seed(0, "choices", (choices.len() + at) as u64)))
            .collect();
        lockstep(&mut trees, evaluator, simulations);
        choices.extend(trees.iter().map(|tree| most_probable(&tree.policy())));
    }
    choices
}
