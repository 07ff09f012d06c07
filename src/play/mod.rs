//! Playing against an agent, and showing games that were played. This module decides how people and programs talk about a game;
//! it knows no network and no particular search, only that an agent answers with a decision.

mod command;
pub mod pgn;
pub mod replay;
mod terminal;
pub mod uci;
pub mod wording;

pub use terminal::Table;
