//! Positions that were solved before, as a [`Solver`]: nothing is searched, and nothing else is known.

use std::collections::HashMap;
use std::hash::Hash;

use super::score::verdict;
use super::sets::Solved;
use crate::game::{Action, Game};
use crate::solver::{Solver, Verdict};

/// Solved positions of a game whose states are of type `S`, and which can show them as four in a row.
pub struct Known<S> {
    moves: HashMap<S, Vec<(Action, Verdict)>>,
}

impl<S: Clone + Eq + Hash> Known<S> {
    /// The positions of `solved` as states of `game`, in this order, and what is known of them.
    pub fn of<G: Game<State = S>>(game: &G, solved: &[Solved]) -> (Vec<S>, Self) {
        let entry = |one: &Solved| {
            let mut state = game.initial();
            let columns = one.position.moves.chars().filter_map(|column| column.to_digit(10));
            columns.for_each(|column| game.play(&mut state, Action(column as u16 - 1)));
            let known = one.columns.into_iter().zip(0..);
            let moves = known.filter_map(|(score, column)| Some((Action(column), verdict(score?, one.position.board.plies()))));
            (state, moves.collect())
        };
        let entries: Vec<(S, Vec<(Action, Verdict)>)> = solved.iter().map(entry).collect();
        (entries.iter().map(|(state, _)| state.clone()).collect(), Known { moves: entries.into_iter().collect() })
    }
}

impl<G: Game> Solver<G> for Known<G::State> {
    fn moves(&mut self, state: &G::State) -> Vec<(Action, Verdict)> {
        self.moves.get(state).cloned().unwrap_or_default()
    }
}
