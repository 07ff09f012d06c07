//! What the solver of four in a row sees of a position: the stones of seven columns of six cells, lowest first, with gravity.
//!
//! A game that can show its positions so has perfect play; see [`super::Entry::four_in_a_row`].

/// A position of four in a row as two sets of cells: bit `7 * column + row`, rows counted from the bottom, the seventh bit of each
/// column empty. Whoever has an even number of stones before him on the board, 0 included, moves first in the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stones {
    /// Those of the player to move.
    pub mover: u64,
    /// Those of both players.
    pub occupied: u64,
}

/// Shows a state of type `S` as stones.
pub type ShowStones<S> = fn(&S) -> Stones;
