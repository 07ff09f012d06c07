//! The games, one file each, and the one list that names them.

mod connect_four;
mod tic_tac_toe;

pub use connect_four::ConnectFour;
pub use tic_tac_toe::TicTacToe;

use crate::game::{Entry, Games, Registry};

/// What a game without a configuration of its own is trained with, but for its name.
pub const DEFAULT_CONFIG: &str = CONNECT_FOUR;

const TIC_TAC_TOE: &str = include_str!("../../configs/tic_tac_toe.toml");
const CONNECT_FOUR: &str = include_str!("../../configs/connect_four.toml");

/// The games that the `plyzero` program knows.
#[must_use]
pub fn registry() -> Registry<impl Games> {
    Registry::new()
        .with(Entry::new(TicTacToe::new(), "three in a row on 3x3").knowledge().config(TIC_TAC_TOE).enumerable())
        .with(Entry::new(ConnectFour::new(), "four in a row on 7x6, with gravity").knowledge().config(CONNECT_FOUR))
}
