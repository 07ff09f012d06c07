//! Seeded random games, for the properties that must hold everywhere.

use std::sync::Arc;

use plyzero::game::{Game, Player, Position, Turn};
use plyzero::rng::stream;
use rand::RngExt as _;

/// Who is to move in `state`, if anyone.
pub fn mover<G: Game>(game: &G, state: &G::State) -> Option<Player> {
    match game.turn(state) {
        Turn::Move(player) => Some(player),
        Turn::Chance | Turn::Over(_) => None,
    }
}

/// The random game `index` of `purpose` from the initial position: its states, the last one finished.
pub fn playout<G: Game>(game: &Arc<G>, purpose: &str, index: u64) -> Vec<G::State> {
    let mut rng = stream(1, purpose, index);
    let mut position = Position::initial(game);
    let mut states = vec![position.state().clone()];
    loop {
        match position.turn() {
            Turn::Over(_) => return states,
            Turn::Chance => position.settle(&mut rng),
            Turn::Move(_) => {
                let actions = position.actions();
                position.play(actions[rng.random_range(0..actions.len())]);
            }
        }
        states.push(position.state().clone());
        assert!(position.steps().len() <= game.facts().max_plies, "a game of {} is too long", game.facts().id);
    }
}
