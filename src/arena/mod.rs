//! Measuring players against each other: openings, single games, matches and what their scores say.
//!
//! A match is a function of its openings, its agents and its seed: never of the number of threads, nor of a clock.

pub mod accuracy;
pub mod choices;
mod duel;
pub mod openings;
mod result;
pub mod statistics;
mod versus;

pub use duel::{AgentPanic, Ending, GameRecord, panic_message, play_game};
pub use result::{MatchResult, Tally};
pub use versus::{ArenaError, Match};
