//! Playing against an agent. This module decides how people and programs talk about a game; it knows no search and no network,
//! only that an agent answers with a decision.

mod command;
mod terminal;
mod wording;

pub use terminal::Table;
