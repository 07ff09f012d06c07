//! Positions to start games from, so that two players without randomness do not play the same game a hundred times.
//!
//! Rule: walk a number of uniformly random legal moves from the initial position; keep where one arrives if the game is open,
//! the player to move cannot win at once, and no symmetric image was kept before. When a length seems exhausted, walk further.
//!
//! Hypotheses: none of the game; results of chance are drawn with their probabilities. A length counts as exhausted after
//! `PATIENCE` walks in a row that brought nothing, so that a rare position may be missed, but nothing is ever found twice.
//! Cost: a walk and one look at every reply a candidate; at most `PATIENCE` walks in vain a length.

use std::collections::HashSet;
use std::sync::Arc;

use rand::RngExt as _;

use crate::game::{Game, Position, Turn};
use crate::rng::{self, Rng};

/// Walks in a row that bring nothing new before a length counts as exhausted.
const PATIENCE: usize = 512;

/// `count` openings of `plies` random moves each, drawn from the streams `(seed, "openings", walk)`.
///
/// They are distinct up to the game's symmetries, undecided, and leave the player to move no win in one. Where the game has
/// too few of that length, longer ones follow; where it has too few at all, there are fewer. A game that has none gives its
/// initial position.
#[must_use]
pub fn distinct<G: Game>(game: &Arc<G>, count: usize, plies: usize, seed: u64) -> Vec<Position<G>> {
    let mut walks = (0..).map(|walk| rng::stream(seed, "openings", walk));
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for length in plies..game.facts().max_plies {
        if found.len() == count {
            break;
        }
        let mut in_vain = 0;
        while found.len() < count && in_vain < PATIENCE {
            let Some(mut rng) = walks.next() else { break };
            match walk(game, length, &mut rng).filter(|position| is_new(position, &mut seen)) {
                Some(position) => {
                    found.push(position);
                    in_vain = 0;
                }
                None => in_vain += 1,
            }
        }
    }
    if found.is_empty() && count > 0 {
        found.push(Position::initial(game));
    }
    found
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
    // Results of chance are plies too, and a game that has no plies left is no game.
    (position.steps().len() < game.facts().max_plies && is_quiet(&position)).then_some(position)
}

/// Whether a player is to move who cannot win at once.
fn is_quiet<G: Game>(position: &Position<G>) -> bool {
    let Turn::Move(mover) = position.turn() else { return false };
    let wins = |&action| {
        let mut state = position.state().clone();
        position.game().play(&mut state, action);
        matches!(position.game().turn(&state), Turn::Over(payoff) if payoff.of(mover) > 0.0)
    };
    !position.actions().iter().any(wins)
}

/// Whether no image of the position is among `seen`, which from now on holds it.
fn is_new<G: Game>(position: &Position<G>, seen: &mut HashSet<G::State>) -> bool {
    let (game, state) = (position.game(), position.state());
    let is_known = game.symmetries().iter().any(|symmetry| seen.contains(&game.transform(state, symmetry)));
    !is_known && seen.insert(state.clone())
}
