//! The search as the [`Solver`] of any game that can show its positions as four in a row.

use super::board::Board;
use super::score::verdict;
use super::search::{Goal, Options, Search};
use crate::game::{Action, Game, ShowStones};
use crate::solver::{Solver, Verdict};
use crate::storage::System;

/// Perfect play of a game whose states are of type `S`. What is new in its cache is saved after each position.
pub struct FourInARow<S> {
    show: ShowStones<S>,
    search: Search,
}

impl<S> FourInARow<S> {
    /// Perfect play of the game whose states `show` shows.
    #[must_use]
    pub fn new(show: ShowStones<S>, options: Options) -> Self {
        Self { show, search: Search::new(options) }
    }
}

impl<G: Game> Solver<G> for FourInARow<G::State> {
    fn moves(&mut self, state: &G::State) -> Vec<(Action, Verdict)> {
        let board = Board::from((self.show)(state));
        if board.is_over() {
            return Vec::new();
        }
        let columns = self.search.solve_columns(board, Goal::Score);
        if let Some(cache) = self.search.cache() {
            // A file that cannot be written costs time later and nothing now.
            let _ = cache.save(&System);
        }
        let known = columns.into_iter().flatten().zip(0..);
        known.filter_map(|(score, column)| Some((Action(column), verdict(score?, board.plies())))).collect()
    }
}
