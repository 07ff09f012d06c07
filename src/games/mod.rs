//! The games, one file each, and the one list that names them.

mod chess;
mod connect_four;
mod einstein;
mod hex;
mod othello;
mod tempo;
mod tic_tac_toe;

pub use chess::Chess;
pub use connect_four::ConnectFour;
pub use einstein::Einstein;
pub use hex::Hex;
pub use othello::Othello;
pub use tempo::Tempo;
pub use tic_tac_toe::TicTacToe;

use crate::game::{Games, Registry};

/// What a game without a configuration of its own is trained with, but for its name. Its opponents can play any game.
pub const DEFAULT_CONFIG: &str = include_str!("../../configs/default.toml");

/// The games that the `plyzero` program knows.
#[must_use]
pub fn registry() -> Registry<impl Games> {
    Registry::new()
        .with(tic_tac_toe::entry())
        .with(connect_four::entry())
        .with_options("tic_tac_toe_tempo", tempo::tic_tac_toe)
        .with_options("connect_four_tempo", tempo::connect_four)
        .with(othello::entry())
        .with_options("hex", hex::entry)
        .with_options("einstein", einstein::entry)
        .with_options("chess", chess::entry)
}
