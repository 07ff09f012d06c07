//! Symmetries of the board. A wrong one teaches a network nonsense: training shows it every position under a random symmetry,
//! board and policy alike.

use std::collections::{BTreeSet, HashSet};

use super::sample::Sample;
use super::{Fault, Property, Test, ensure};
use crate::game::{Action, Game, Step, Symmetry, fingerprint};

pub(super) fn properties<G: Game>() -> Vec<Property<G>> {
    vec![
        Property {
            name: "symmetries",
            law: "the identity comes first, and symmetries are distinct permutations of the actions",
            test: Test::Game(permutations),
        },
        Property { name: "identity", law: "the identity leaves every position as it is", test: Test::Position(identity) },
        Property {
            name: "symmetric play",
            law: "turns, moves and outcomes of an image are the images of turns, moves and outcomes",
            test: Test::Position(play),
        },
        Property {
            name: "inverses",
            law: "every symmetry is undone by one of the list, in states, keys and encodings, whose contents it keeps",
            test: Test::Position(inverses),
        },
    ]
}

fn every_action<G: Game>(sample: &Sample<G>) -> impl Iterator<Item = Action> + Clone {
    (0..sample.game().facts().actions).map(|action| Action(action as u16))
}

fn permutations<G: Game>(sample: &Sample<G>) -> Result<(), Fault> {
    let symmetries = sample.game().symmetries();
    let all: Vec<Action> = every_action(sample).collect();
    let images = |symmetry: &Symmetry| all.iter().map(|&action| symmetry.action(action)).collect::<Vec<_>>();
    let first = symmetries.first().ok_or_else(|| "no symmetries are listed, not even the identity".to_owned())?;
    ensure(images(first) == all, || "the first symmetry is not the identity".to_owned())?;
    let mut maps = HashSet::new();
    for (place, symmetry) in symmetries.iter().enumerate() {
        let (index, images) = (symmetry.index, images(symmetry));
        ensure(index == place, || format!("symmetry {place} says that it is number {index}"))?;
        let reached: HashSet<Action> = images.iter().copied().filter(|action| action.index() < all.len()).collect();
        ensure(reached.len() == all.len(), || format!("symmetry {place} is no permutation of the actions: {images:?}"))?;
        ensure(maps.insert(images), || format!("symmetry {place} is listed before"))?;
    }
    Ok(())
}

fn identity<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let image = sample.game().symmetries().first().map(|identity| sample.game().transform(state, identity));
    ensure(image.as_ref() == Some(state), || format!("its image is {image:?}"))
}

fn play<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let game = sample.game();
    for symmetry in game.symmetries() {
        let (index, image) = (symmetry.index, game.transform(state, symmetry));
        let (turn, wanted) = (game.turn(&image), game.turn(state));
        ensure(turn == wanted, || format!("under symmetry {index} the turn is {turn:?} instead of {wanted:?}"))?;
        let moved: BTreeSet<Action> = sample.actions(state).into_iter().map(|action| symmetry.action(action)).collect();
        let listed: BTreeSet<Action> = sample.actions(&image).into_iter().collect();
        let odd: Vec<u16> = moved.symmetric_difference(&listed).map(|action| action.0).collect();
        ensure(odd.is_empty(), || {
            format!("actions {odd:?} are either legal under symmetry {index} or images of legal ones, but not both")
        })?;
        for action in sample.actions(state) {
            let played_first = game.transform(&sample.after(state, Step::Move(action)), symmetry);
            let played_last = sample.after(&image, Step::Move(symmetry.action(action)));
            ensure(played_first == played_last, || {
                format!("{} does not commute with symmetry {index}", sample.name(state, action))
            })?;
        }
        for (outcome, probability) in sample.outcomes(state) {
            let rolled_first = game.transform(&sample.after(state, Step::Chance(outcome)), symmetry);
            let is_its_image = |&(other, likely): &(_, f32)| {
                (likely - probability).abs() < 1e-6 && sample.after(&image, Step::Chance(other)) == rolled_first
            };
            ensure(sample.outcomes(&image).iter().any(is_its_image), || {
                format!("{outcome:?} has no image under symmetry {index} that is as likely")
            })?;
        }
    }
    Ok(())
}

fn inverses<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let game = sample.game();
    for symmetry in game.symmetries() {
        let index = symmetry.index;
        let undoes = |other: &&Symmetry| every_action(sample).all(|action| other.action(symmetry.action(action)) == action);
        let inverse = game.symmetries().iter().find(undoes);
        let inverse = inverse.ok_or_else(|| format!("no symmetry moves actions back from where symmetry {index} moves them"))?;
        let image = game.transform(state, symmetry);
        let back = game.transform(&image, inverse);
        ensure(back == *state, || format!("symmetry {} does not bring back what symmetry {index} moves", inverse.index))?;
        ensure(fingerprint::of(&back) == fingerprint::of(state), || "equal states have different hashes".to_owned())?;
        ensure(game.key(&back) == game.key(state), || {
            format!(
                "the key is another after symmetry {index} and back: {:#018x}, not {:#018x}",
                game.key(&back),
                game.key(state)
            )
        })?;
        ensure(sample.encoding(&back, 0.0) == sample.encoding(state, 0.0), || {
            format!("the encoding is another after symmetry {index} and back")
        })?;
        let contents = |state: &G::State| {
            let mut planes = sample.encoding(state, 0.0);
            planes.sort_by(f32::total_cmp);
            planes
        };
        ensure(contents(&image) == contents(state), || {
            format!("under symmetry {index} the encoding does not hold the same numbers")
        })?;
    }
    Ok(())
}
