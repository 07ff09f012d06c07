//! Games in Portable Game Notation (PGN; S. Edwards, 1994): read for the moves they begin with, written for other programs.

mod read;
mod write;

pub use read::{Fault, Game, read};
pub use write::write;
