//! What a player told of a move, and how long it took: for people, never for what happens next.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::game::Payoff;
use crate::search::Decision;

/// What a player told of a move that it chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Remark {
    /// What it expects.
    pub value: Option<Payoff>,
    /// How deep it searched, in plies.
    pub depth: Option<u32>,
    /// Plies to the end of the game, where it saw that.
    pub plies_to_end: Option<u32>,
    /// How long it took, in milliseconds.
    pub millis: u32,
}

/// Measures how long a move takes.
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// What was told of the move that was chosen meanwhile.
    pub(super) fn remark(&self, decision: &Decision) -> Remark {
        let chosen = decision.candidates.iter().find(|candidate| candidate.action == decision.action);
        Remark {
            value: decision.value,
            depth: decision.depth,
            plies_to_end: chosen.and_then(|candidate| candidate.plies_to_end),
            millis: u32::try_from(self.0.elapsed().as_millis()).unwrap_or(u32::MAX),
        }
    }
}
