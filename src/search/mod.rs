//! Choosing a move. A search sees rules, an evaluation and a budget; it knows no network, no thread, no channel, and no clock
//! but its budget's.

pub mod alpha_beta;
mod budget;
mod buffers;
mod decision;
pub mod expectimax;
pub mod maxn;
pub mod mcts;
mod minimax;
mod score;
pub mod textbook;
mod variations;

pub use alpha_beta::AlphaBeta;
pub use budget::{Budget, Meter};
pub use decision::{Candidate, Decision, Unsuited};
pub use expectimax::Expectimax;
pub use maxn::MaxN;
pub use minimax::Minimax;

/// What bounds of means keep from a cut: above what any number of roundings in double precision come to, below every difference of
/// payoffs that matters.
const MARGIN: f64 = 1.0 / (1u64 << 32) as f64;
