//! Positions to start games from, so that two players without randomness do not play the same game a hundred times.
//!
//! Rule: walk a number of uniformly random legal moves from the initial position; keep where one arrives if the game is open,
//! the player to move cannot win at once, and no symmetric image was kept before. When walks bring nothing new, the length is
//! enumerated: every position of that length is looked at, up to symmetry, so that none is missed. Then walk further.
//!
//! Hypotheses: none of the game; results of chance are drawn with their probabilities, and enumerated whatever these are. A
//! length is enumerated if none up to it has more than `MOST` positions; of a larger one that brought nothing in `PATIENCE` walks
//! in a row, rare positions may be missed, but nothing is ever found twice.
//!
//! Cost: a walk and one look at every reply a candidate; at most `PATIENCE` walks in vain a length, and `MOST` positions of each
//! length up to it where it is enumerated.

use std::collections::HashSet;
use std::sync::Arc;

use rand::RngExt as _;

use crate::game::{Game, Position, Turn};
use crate::rng::{self, Rng};

/// Walks in a row that bring nothing new before a length is enumerated.
const PATIENCE: usize = 512;
/// Positions of a length, up to symmetry, that may be enumerated.
const MOST: usize = 20_000;

/// What was found.
#[derive(Debug)]
pub struct Openings<G: Game> {
    /// The openings.
    pub positions: Vec<Position<G>>,
    /// Whether they are all there are of the length asked for and of every longer one: fewer than were asked for, by enumeration.
    pub complete: bool,
}

/// The openings of [`find`].
#[must_use]
pub fn distinct<G: Game>(game: &Arc<G>, count: usize, plies: usize, seed: u64) -> Vec<Position<G>> {
    find(game, count, plies, seed).positions
}

/// `count` openings of `plies` random moves each, drawn from the streams `(seed, "openings", walk)`.
///
/// Of no plies there is the initial position alone. Others are distinct up to the game's symmetries, undecided, and leave the player to move no win in one. Where the game has
/// too few of that length, longer ones follow; where it has too few at all, there are fewer. A game that has none gives its
/// initial position.
#[must_use]
pub fn find<G: Game>(game: &Arc<G>, count: usize, plies: usize, seed: u64) -> Openings<G> {
    if plies == 0 {
        return Openings { positions: vec![Position::initial(game); count.min(1)], complete: count > 1 };
    }
    let mut walks = (0..).map(|walk| rng::stream(seed, "openings", walk));
    let mut seen = HashSet::new();
    let (mut positions, mut is_small) = (Vec::new(), true);
    for length in plies..game.facts().max_plies {
        if positions.len() == count {
            break;
        }
        let mut in_vain = 0;
        while positions.len() < count && in_vain < PATIENCE {
            let Some(mut rng) = walks.next() else { break };
            match walk(game, length, &mut rng).filter(|position| is_new(position, &mut seen)) {
                Some(position) => {
                    positions.push(position);
                    in_vain = 0;
                }
                None => in_vain += 1,
            }
        }
        let rest = if positions.len() < count && is_small { all(game, length) } else { Some(Vec::new()) };
        // Longer lengths would be too large as well.
        is_small &= rest.is_some();
        let rest = rest.into_iter().flatten().filter(|position| is_fit(position) && is_new(position, &mut seen));
        positions.extend(rest.take(count - positions.len()));
    }
    let complete = is_small && positions.len() < count;
    if positions.is_empty() && count > 0 {
        positions.push(Position::initial(game));
    }
    Openings { positions, complete }
}

/// Where `plies` random moves lead, if that is a fit opening.
fn walk<G: Game>(game: &Arc<G>, plies: usize, rng: &mut Rng) -> Option<Position<G>> {
    let mut position = Position::initial(game);
    position.settle(rng);
    for _ in 0..plies {
        let actions = position.actions();
        if actions.is_empty() {
            return None;
        }
        position.play(actions[rng.random_range(0..actions.len())]);
        position.settle(rng);
    }
    is_fit(&position).then_some(position)
}

/// Every position that `plies` moves lead to, one of each class of symmetric ones; nothing where there are too many.
fn all<G: Game>(game: &Arc<G>, plies: usize) -> Option<Vec<Position<G>>> {
    let mut positions = settled(Position::initial(game));
    for _ in 0..plies {
        let (mut seen, mut next) = (HashSet::new(), Vec::new());
        for position in &positions {
            for action in position.actions() {
                let mut after = position.clone();
                after.play(action);
                next.extend(settled(after).into_iter().filter(|position| is_new(position, &mut seen)));
                if next.len() > MOST {
                    return None;
                }
            }
        }
        positions = next;
    }
    Some(positions)
}

/// Every position that chance makes of this one before a player is to move or the game is over.
fn settled<G: Game>(position: Position<G>) -> Vec<Position<G>> {
    if position.turn() != Turn::Chance {
        return vec![position];
    }
    let mut outcomes = Vec::new();
    position.game().outcomes(position.state(), &mut outcomes);
    let possible = outcomes.into_iter().filter(|&(_, probability)| probability > 0.0);
    let after = |(outcome, _)| {
        let mut after = position.clone();
        after.roll(outcome);
        settled(after)
    };
    possible.flat_map(after).collect()
}

/// Whether there is something left to play, and a player is to move who cannot win at once.
fn is_fit<G: Game>(position: &Position<G>) -> bool {
    let Turn::Move(mover) = position.turn() else { return false };
    let wins = |&action| {
        let mut state = position.state().clone();
        position.game().play(&mut state, action);
        matches!(position.game().turn(&state), Turn::Over(payoff) if payoff.of(mover) > 0.0)
    };
    // Results of chance are plies too, and a game that has no plies left is no game.
    position.steps().len() < position.game().facts().max_plies && !position.actions().iter().any(wins)
}

/// Whether no image of the position is among `seen`, which from now on holds it.
fn is_new<G: Game>(position: &Position<G>, seen: &mut HashSet<G::State>) -> bool {
    let (game, state) = (position.game(), position.state());
    let is_known = game.symmetries().iter().any(|symmetry| seen.contains(&game.transform(state, symmetry)));
    !is_known && seen.insert(state.clone())
}
