//! Games as they were played. The window is always filled from records, so what a chunk on disk gives back is what the learner saw.

use serde::{Deserialize, Serialize};

use super::Opinion;
use crate::game::{Action, Payoff, Step};

/// One game of self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number within the run, which also names its random stream.
    pub id: u64,
    /// The iteration of the network that played it.
    pub network: u32,
    /// What happened, oldest first.
    pub plies: Vec<Ply>,
    /// How it ended.
    pub ending: Ending,
}

/// How a game of self-play ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ending {
    /// Not at all: it was cut at the game's longest length.
    Unfinished,
    /// By the rules.
    Over(Payoff),
    /// One ply after a position in which a search proved this payoff.
    Proven(Payoff),
}

impl Ending {
    /// What it was worth to both players, where that is known.
    #[must_use]
    pub fn payoff(self) -> Option<Payoff> {
        match self {
            Ending::Unfinished => None,
            Ending::Over(payoff) | Ending::Proven(payoff) => Some(payoff),
        }
    }
}

/// One ply of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ply {
    /// What was played or drawn.
    pub step: Step,
    /// What each legal move counted in the search's policy: its visits, but where proofs say more; empty where nothing was searched
    /// (random plies and chance), or nothing that is to be learned.
    pub visits: Vec<(Action, u32)>,
    /// What a search thought of the position before the ply.
    pub opinion: Option<Opinion>,
}

impl Ply {
    /// A ply before which nothing was searched.
    #[must_use]
    pub fn unsearched(step: Step) -> Self {
        Self { step, visits: Vec::new(), opinion: None }
    }

    /// The value that the search gave to the position before it.
    #[must_use]
    pub fn value(&self) -> Option<Payoff> {
        self.opinion.map(|opinion| opinion.value.payoff)
    }
}
