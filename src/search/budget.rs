//! How much a search may spend.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Limits of one decision; an absent one does not bind.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Raised by someone else to end the search early.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// No limit but the depth.
    #[must_use]
    pub fn depth(plies: u32) -> Self {
        Self { depth: Some(plies), ..Self::default() }
    }

    /// How deep to search a game of at most `longest` plies: at least one, and no deeper than the game.
    #[must_use]
    pub(super) fn depth_within(&self, longest: usize) -> u32 {
        let longest = u32::try_from(longest).unwrap_or(u32::MAX);
        self.depth.unwrap_or(longest).min(longest).max(1)
    }

    /// Starts to spend it.
    #[must_use]
    pub fn start(&self) -> Meter {
        Meter {
            nodes: 0,
            limit: self.nodes.unwrap_or(u64::MAX),
            // A time too long for the clock to name binds nobody.
            deadline: self.time.and_then(|time| Instant::now().checked_add(time)),
            stop: self.stop.clone(),
        }
    }
}

/// What has been spent of a [`Budget`] apart from depth.
#[derive(Debug)]
pub struct Meter {
    nodes: u64,
    limit: u64,
    deadline: Option<Instant>,
    stop: Option<Arc<AtomicBool>>,
}

impl Meter {
    /// Nodes between two looks at the clock and at the stop flag: they cost more than a node.
    const PATIENCE: u64 = 1024;

    /// Counts a node if the budget allows one more; false once it is spent, and from then on.
    pub fn spend(&mut self) -> bool {
        let next = self.nodes + 1;
        if next > self.limit || next.is_multiple_of(Self::PATIENCE) && self.is_late() {
            return false;
        }
        self.nodes = next;
        true
    }

    /// Nodes counted so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether time is up or somebody said stop.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}
