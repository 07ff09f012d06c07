//! Monte-Carlo tree search: one tree for PUCT and for UCT, with any evaluator.
//!
//! The tree does no input or output and knows no thread. Whoever drives it takes leaves out ([`Tree::descend`]) and puts
//! evaluations in ([`Tree::absorb`]), so that one thread can step many games and ask a network about all their leaves at once.
//!
//! - UCT: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006 (rule [`Rule::Ucb1`], evaluator `Rollout`).
//! - PUCT: Silver et al., "Mastering the game of Go without human knowledge", 2017, Methods.
//!
//! Where chance acts, a simulation follows a result drawn with its probability, and nobody selects. It is drawn, as noise is,
//! from the one stream that the tree's driver passes to [`Tree::descend`], and leaves are handed out one after the other, so
//! what a tree draws depends on its own seed and on how many leaves are gathered, never on threads or on other trees. Rollouts
//! draw from a stream of the evaluator, in the order of their leaves.
//!
//! Cost: a simulation visits one path; memory is one node a simulation and one edge a legal move of each node.

mod drive;
mod root;
mod select;
mod tree;

pub use drive::{Driver, lockstep, next_leaf};
pub use root::{RootMove, dirichlet, most_probable, pick};
pub use select::Rule;
pub use tree::{Descent, Leaf, Tree};
