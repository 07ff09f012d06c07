//! Rules applied to copies.

use plyzero::game::{Action, Game};

/// The legal moves of `state`.
pub fn actions<G: Game>(game: &G, state: &G::State) -> Vec<Action> {
    let mut actions = Vec::new();
    game.actions(state, &mut actions);
    actions
}

/// `state` after `action`.
pub fn after<G: Game>(game: &G, state: &G::State, action: Action) -> G::State {
    let mut next = state.clone();
    game.play(&mut next, action);
    next
}
