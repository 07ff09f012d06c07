//! Moves, turns, chance and the end of games.

use std::collections::HashSet;

use super::sample::Sample;
use super::{Fault, Property, Test, ensure};
use crate::game::{Game, Step, Turn};

pub(super) fn properties<G: Game>() -> Vec<Property<G>> {
    vec![
        Property { name: "endings", law: "random games end, within max_plies", test: Test::Game(endings) },
        Property {
            name: "moves",
            law: "a player to move has distinct moves within the policy head, and nobody else has any",
            test: Test::Position(moves),
        },
        Property {
            name: "lists",
            law: "moves and outcomes are appended to what is there, in a fixed order",
            test: Test::Position(lists),
        },
        Property { name: "repetition", law: "asked twice, the rules answer alike", test: Test::Position(repetition) },
        Property {
            name: "chance",
            law: "outcomes are listed where chance acts, and there only; they are distinct, possible and sum to 1",
            test: Test::Position(chance),
        },
    ]
}

fn endings<G: Game>(sample: &Sample<G>) -> Result<(), Fault> {
    if let Some(Fault { at, problem }) = sample.faults.first() {
        return Err(Fault { at: *at, problem: problem.clone() });
    }
    let is_over = |state: &G::State| matches!(sample.game().turn(state), Turn::Over(_));
    let ends = sample.positions.iter().any(|reached| is_over(&reached.state));
    Ok(ensure(ends, || "no game was played to its end".to_owned())?)
}

fn moves<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let actions = sample.actions(state);
    let (turn, size) = (sample.game().turn(state), sample.game().facts().actions);
    ensure(actions.is_empty() != matches!(turn, Turn::Move(_)), || {
        format!("{} moves, while the turn is {turn:?}", actions.len())
    })?;
    let beyond = actions.iter().find(|action| action.index() >= size);
    ensure(beyond.is_none(), || format!("{beyond:?} is not below the {size} actions of the facts"))?;
    let mut seen = HashSet::new();
    let twice = actions.iter().find(|&&action| !seen.insert(action));
    ensure(twice.is_none(), || format!("{twice:?} is listed twice"))
}

fn lists<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let (mut actions, mut outcomes) = (sample.actions(state), sample.outcomes(state));
    let (twice, drawn_twice) = ([actions.clone(), actions.clone()].concat(), [outcomes.clone(), outcomes.clone()].concat());
    sample.game().actions(state, &mut actions);
    ensure(actions == twice, || format!("moves listed twice are {actions:?}, not {twice:?}"))?;
    sample.game().outcomes(state, &mut outcomes);
    ensure(outcomes == drawn_twice, || format!("outcomes listed twice are {outcomes:?}, not {drawn_twice:?}"))
}

fn repetition<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let game = sample.game();
    ensure(game.turn(state) == game.turn(state), || "the turn changes".to_owned())?;
    ensure(game.draw(state) == game.draw(state), || "the drawn board changes".to_owned())?;
    let moves = sample.actions(state).into_iter().map(Step::Move);
    let rolls = sample.outcomes(state).into_iter().map(|(outcome, _)| Step::Chance(outcome));
    let fickle = moves.chain(rolls).find(|&step| sample.after(state, step) != sample.after(state, step));
    ensure(fickle.is_none(), || format!("{fickle:?} leads to different positions"))
}

fn chance<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let (outcomes, turn) = (sample.outcomes(state), sample.game().turn(state));
    let acts = turn == Turn::Chance;
    ensure(outcomes.is_empty() != acts, || format!("{} outcomes, while the turn is {turn:?}", outcomes.len()))?;
    ensure(!acts || sample.game().facts().chance, || "chance acts, which the facts deny".to_owned())?;
    let impossible = outcomes.iter().find(|&&(_, probability)| probability.is_nan() || probability <= 0.0);
    ensure(impossible.is_none(), || format!("{impossible:?} has no probability above 0"))?;
    let total: f32 = outcomes.iter().map(|&(_, probability)| probability).sum();
    ensure(!acts || (total - 1.0).abs() < 1e-5, || format!("probabilities sum to {total}"))?;
    let mut seen = HashSet::new();
    let twice = outcomes.iter().find(|&&(outcome, _)| !seen.insert(outcome));
    ensure(twice.is_none(), || format!("{twice:?} is listed twice"))
}
