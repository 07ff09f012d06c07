//! What a search found, in a form that can be compared.

use plyzero::game::Game;
use plyzero::search::mcts::Tree;

/// What a search found, to the bit.
pub fn findings<G: Game>(tree: &Tree<G>) -> String {
    format!("{:?} {:?} {:?}", tree.moves().collect::<Vec<_>>(), tree.value(), tree.principal_variation())
}
