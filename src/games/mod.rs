//! The games, one file each, and the one list that names them.

mod connect_four;
mod tic_tac_toe;

pub use connect_four::ConnectFour;
pub use tic_tac_toe::TicTacToe;

use crate::game::{Games, Registry};

/// What a game without a configuration of its own is trained with, but for its name. Its opponents can play any game.
pub const DEFAULT_CONFIG: &str = include_str!("../../configs/default.toml");

/// The games that the `plyzero` program knows.
#[must_use]
pub fn registry() -> Registry<impl Games> {
    Registry::new().with(tic_tac_toe::entry()).with(connect_four::entry())
}
