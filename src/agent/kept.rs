//! A search tree kept from move to move.

use crate::game::{Game, Position};
use crate::search::mcts::Tree;

/// The tree of the last search, with the position of its root.
pub(super) struct Kept<G: Game>(Option<(Tree<G>, Position<G>)>);

impl<G: Game> Kept<G> {
    /// No tree.
    pub(super) const NONE: Self = Self(None);

    /// What there is of the tree below `position`, if that follows on its root. The rest is gone.
    pub(super) fn take(&mut self, position: &Position<G>) -> Option<Tree<G>> {
        let (mut tree, root) = self.0.take()?;
        for &step in position.steps_since(&root)? {
            tree.advance(step);
        }
        Some(tree)
    }

    /// Keeps the tree of `position`.
    pub(super) fn keep(&mut self, tree: Tree<G>, position: &Position<G>) {
        self.0 = Some((tree, position.clone()));
    }
}
