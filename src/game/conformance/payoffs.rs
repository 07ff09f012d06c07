//! What a game says of itself, and what its ends are worth.

use super::sample::Sample;
use super::{Fault, Property, Test, ensure};
use crate::config::options;
use crate::game::{Game, Player, Turn};

pub(super) fn properties<G: Game>() -> Vec<Property<G>> {
    vec![
        Property { name: "facts", law: "what the game says of itself makes sense", test: Test::Game(facts) },
        Property {
            name: "payoffs",
            law: "payoffs are dyadic, in [-1, 1] and as the facts say of their sum and kind",
            test: Test::Position(payoffs),
        },
    ]
}

fn facts<G: Game>(sample: &Sample<G>) -> Result<(), Fault> {
    let (game, facts) = (sample.game(), sample.game().facts());
    let say = |problem: &str| problem.to_owned();
    ensure(is_name(&facts.id), || format!("the id {:?} is not in snake_case, perhaps with options", facts.id))?;
    ensure((1..=usize::from(u16::MAX)).contains(&facts.actions), || format!("there cannot be {} actions", facts.actions))?;
    ensure(facts.max_plies > 0, || say("max_plies is 0"))?;
    ensure(facts.planes.iter().all(|&size| size > 0), || format!("planes {:?} are empty", facts.planes))?;
    ensure(facts.sum.0 <= facts.sum.1, || format!("the bounds of the sum, {:?}, are in the wrong order", facts.sum))?;
    ensure(game.initial() == game.initial(), || say("the initial position is not always the same"))?;
    Ok(())
}

/// `snake_case`, and where options follow, written as they are written canonically.
fn is_name(id: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let (name, written) = id.split_once(':').map_or((id, None), |(name, rest)| (name, Some(rest)));
    let is_canonical = |rest| options::parse(rest, id).is_ok_and(|options| options::render(name, &options) == id);
    !name.is_empty() && name.chars().all(is_plain) && written.is_none_or(is_canonical)
}

/// Dyadic, because pruning compares utilities and its laws are exact only where they are.
fn payoffs<G: Game>(sample: &Sample<G>, state: &G::State) -> Result<(), String> {
    let (game, facts) = (sample.game(), sample.game().facts());
    let Turn::Over(payoff) = game.turn(state) else { return Ok(()) };
    let total = payoff.of(Player::First) + payoff.of(Player::Second);
    ensure((facts.sum.0..=facts.sum.1).contains(&total), || {
        format!("the utilities {:?} sum to {total}, which is not within {:?}", payoff.0, facts.sum)
    })?;
    for utility in payoff.0 {
        ensure((-1.0..=1.0).contains(&utility), || format!("a utility is {utility}"))?;
        ensure((utility * 1024.0).fract() == 0.0, || format!("the utility {utility} is no multiple of 1/1024"))?;
        ensure(!facts.wdl || [-1.0, 0.0, 1.0].contains(&utility), || {
            format!("the utility {utility} is neither a win, a draw nor a loss, which the facts promise")
        })?;
    }
    Ok(())
}
