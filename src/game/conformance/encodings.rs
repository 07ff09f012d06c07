//! What a network sees of a position.

use std::collections::HashMap;

use super::sample::Sample;
use super::{Fault, Property, Test, ensure};
use crate::game::{Action, Game, Step, Turn, fingerprint};

pub(super) fn properties<G: Game>() -> Vec<Property<G>> {
    vec![
        Property {
            name: "encodings",
            law: "every entry of an encoding is written, finite and owes nothing to what was in the buffer",
            test: Test::Position(written),
        },
        Property {
            name: "telling encodings",
            law: "positions with equal encodings have equal moves, with equal results for their mover",
            test: Test::Game(telling),
        },
    ]
}

fn written<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let (over_nan, over_sevens) = (sample.encoding(state, f32::NAN), sample.encoding(state, 7.0));
    let wrong = over_nan.iter().position(|value| !value.is_finite());
    ensure(wrong.is_none(), || format!("entry {wrong:?} of {} was not written, or with no finite number", over_nan.len()))?;
    let differs = over_nan.iter().zip(&over_sevens).position(|(left, right)| left != right);
    ensure(differs.is_none(), || format!("entry {differs:?} depends on what was in the buffer"))
}

/// A network can tell apart only what its input does. Encodings and what follows from them are kept as 64-bit hashes.
fn telling<G: Game>(sample: &Sample<G>) -> Result<(), Fault> {
    let mut seen: HashMap<u64, (u64, usize)> = HashMap::new();
    for (at, reached) in sample.positions.iter().enumerate().filter(|(_, reached)| sample.mover(&reached.state).is_some()) {
        for symmetry in sample.game().symmetries() {
            let image = sample.game().transform(&reached.state, symmetry);
            let bits: Vec<u32> = sample.encoding(&image, 0.0).into_iter().map(f32::to_bits).collect();
            let futures = fingerprint::of(&futures(sample, &image));
            let (known, before) = *seen.entry(fingerprint::of(&bits)).or_insert((futures, at));
            let problem = || {
                format!(
                    "another position is encoded alike, up to symmetry {}, but differs in its moves or their results: {}",
                    symmetry.index,
                    sample.describe(before)
                )
            };
            ensure(known == futures, problem).map_err(|problem| Fault { at: Some(at), problem })?;
        }
    }
    Ok(())
}

/// The legal moves of `state`, each with the utility of its mover where it ends the game.
fn futures<G: Game>(sample: &Sample<G>, state: &G::State) -> Vec<(Action, Option<u32>)> {
    let viewer = sample.mover(state);
    let ended = |action| match (viewer, sample.game().turn(&sample.after(state, Step::Move(action)))) {
        (Some(viewer), Turn::Over(payoff)) => Some(payoff.of(viewer).to_bits()),
        _ => None,
    };
    sample.actions(state).into_iter().map(|action| (action, ended(action))).collect()
}
