//! Classical searches as agents.

use super::{Agent, Analysis, Forfeit};
use crate::game::{Game, Position};
use crate::rng::Rng;
use crate::search::{AlphaBeta, Budget, Decision, Expectimax, MaxN, Minimax};

/// A classical search.
pub(super) enum Search<G: Game> {
    Minimax(Minimax<G>),
    AlphaBeta(AlphaBeta<G>),
    Expectimax(Expectimax<G>),
    MaxN(MaxN<G>),
}

/// A classical search with what it may spend on a move.
pub(super) struct Classical<G: Game> {
    pub(super) name: String,
    pub(super) search: Search<G>,
    pub(super) budget: Budget,
}

impl<G: Game> Agent<G> for Classical<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn decide(&mut self, position: &Position<G>, rng: &mut Rng) -> Result<Decision, Forfeit> {
        Ok(match &mut self.search {
            Search::Minimax(search) => search.search(position.state(), &self.budget, rng),
            Search::AlphaBeta(search) => search.search(position.state(), &self.budget, rng),
            Search::Expectimax(search) => search.search(position.state(), &self.budget, rng),
            Search::MaxN(search) => search.search(position.state(), &self.budget, rng),
        })
    }

    fn analyse(&mut self, position: &Position<G>, rng: &mut Rng) -> Result<Analysis, Forfeit> {
        let decision = match &mut self.search {
            Search::Minimax(search) => search.search(position.state(), &self.budget, rng),
            Search::AlphaBeta(search) => search.analyse(position.state(), &self.budget, rng),
            Search::Expectimax(search) => search.analyse(position.state(), &self.budget, rng),
            Search::MaxN(search) => search.analyse(position.state(), &self.budget, rng),
        };
        Ok(Analysis { decision, network: None })
    }
}
