//! Searches that tell what they find while they go on, for programs that show it: alpha-beta on several threads, and a tree with a network.

mod parallel;
mod tree;

pub use parallel::Parallel;
pub use tree::TreeThinker;

use crate::game::{Action, Game, Position};
use crate::search::{Budget, Decision};

/// What a search may spend, and what it is asked.
#[derive(Clone, Debug)]
pub struct Limits {
    /// What it may spend.
    pub budget: Budget,
    /// How many of the best moves are to have values of their own.
    pub lines: usize,
    /// The moves to choose from; all if there is none.
    pub moves: Option<Vec<Action>>,
}

/// What a search has found so far.
#[derive(Clone, Debug)]
pub struct Thought {
    /// Its choice, and what it thinks of the other moves.
    pub decision: Decision,
    /// The greatest ply it looked at.
    pub deepest: u32,
    /// Positions visited, or simulations.
    pub nodes: u64,
    /// How full its memory is, in thousandths.
    pub filled: u32,
    /// What it thinks of each move at the root, where it is a tree search.
    pub moves: Vec<Judged>,
}

/// What a tree search thinks of a move, for the mover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The move.
    pub action: Action,
    /// Its visits.
    pub visits: u32,
    /// Its prior.
    pub prior: f32,
    /// Its mean value, in utilities; that of the position before it was visited.
    pub value: f32,
    /// What exploration adds to it.
    pub bonus: f32,
    /// What the network alone thinks of the position it leads to, where it is known.
    pub network: Option<f32>,
}

/// A search that can be watched.
pub trait Thinker<G: Game>: Send {
    /// Searches a position in which a player is to move. `watch` is told of what is found, now and then, and says whether to go on.
    fn think(&mut self, position: &Position<G>, limits: &Limits, watch: &mut dyn FnMut(&Thought) -> bool) -> Thought;

    /// Forgets what it found in earlier searches.
    fn forget(&mut self);
}
