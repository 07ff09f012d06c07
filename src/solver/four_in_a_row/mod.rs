//! Perfect play of four in a row on seven columns of six cells, known as Connect Four: scores of the solver literature, for positions
//! and for columns.

mod board;
mod cache;
mod known;
mod player;
pub mod score;
mod search;
pub mod sets;
pub mod shipped;
mod table;

pub use board::{Board, CELLS, COLUMNS, PlayError};
pub use cache::Cache;
pub use known::Known;
pub use player::FourInARow;
pub use search::{Goal, Options, Search};
