//! Trees as textbooks draw them, as games: what searches are explained, tested and measured on. They are no games of the
//! program's list.
//!
//! [`Written`] is a tree with every leaf spelled out; [`Uniform`] has the same number of moves everywhere, and leaves by a rule.

mod uniform;
mod written;

pub use uniform::{Leaves, Uniform};
pub use written::{Node, Written, chance, max, min, pair, worth};
