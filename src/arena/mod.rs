//! Measuring players against each other: openings, single games, matches, tournaments and what their scores say.
//!
//! A match or a tournament is a function of its openings, its agents and its seed: never of the number of threads, nor of a
//! clock.

pub mod accuracy;
mod adjudication;
pub mod agreement;
mod archive;
pub mod choices;
mod cross_table;
mod duel;
pub mod openings;
mod queue;
pub mod ratings;
mod remark;
mod result;
mod schedule;
pub mod sprt;
pub mod statistics;
mod terms;
mod tournament;
mod trial;
mod versus;

pub use adjudication::{Adjudication, Agreement};
pub use archive::{Archive, ArchiveError, Archived};
pub use cross_table::{CrossTable, Pairing, Place};
pub use duel::{AgentPanic, Conditions, Ending, GameRecord, Played, panic_message, play_game};
pub use remark::Remark;
pub use result::{MatchResult, Tally};
pub use schedule::{Format, Schedule, Seating};
pub use terms::{Entrant, OpeningSource, Terms};
pub use tournament::{Tournament, TournamentError};
pub use trial::Trial;
pub use versus::{ArenaError, Match};
