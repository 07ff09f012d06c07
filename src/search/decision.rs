//! What a search says of a position.

use crate::game::{Action, Payoff};

/// A chosen move and what the search thought of the others.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The chosen move.
    pub action: Action,
    /// Every legal move the search can say something of, best first.
    pub candidates: Vec<Candidate>,
    /// Expected play from here, the chosen move first: the line of its candidate.
    pub principal_variation: Vec<Action>,
    /// The value of the position.
    pub value: Option<Payoff>,
    /// Positions visited.
    pub nodes: u64,
    /// Depth reached, in plies, where that means something.
    pub depth: Option<u32>,
}

impl Decision {
    /// The decision for the first of `candidates`, of which there is one.
    pub(super) fn for_first(candidates: Vec<Candidate>, value: Option<Payoff>, nodes: u64, depth: Option<u32>) -> Self {
        let (action, principal_variation) = (candidates[0].action, candidates[0].principal_variation.clone());
        Self { action, candidates, principal_variation, value, nodes, depth }
    }
}

/// What a search thinks of one move.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The move.
    pub action: Action,
    /// Its value, where the search knows one.
    pub value: Option<Payoff>,
    /// How often a tree search visited it.
    pub visits: Option<u32>,
    /// The evaluator's prior probability of it.
    pub prior: Option<f32>,
    /// Plies until the game ends, the move included, where the search proved who wins.
    pub plies_to_end: Option<u32>,
    /// Expected play once it is made, the move itself first; that alone where the search knows no more.
    pub principal_variation: Vec<Action>,
}

impl Candidate {
    /// A move of which nothing is known.
    #[must_use]
    pub fn new(action: Action) -> Self {
        Self { action, value: None, visits: None, prior: None, plies_to_end: None, principal_variation: vec![action] }
    }
}

/// A game that does not meet a search's hypotheses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{search} needs {needs}, which {game} is not")]
pub struct Unsuited {
    /// The search.
    pub search: &'static str,
    /// What it needs of a game.
    pub needs: &'static str,
    /// The game.
    pub game: String,
}
