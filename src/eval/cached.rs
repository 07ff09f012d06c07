//! A memory of evaluations. It never changes a result: whole states are compared, and whoever changes what is behind it makes
//! a new one.

use std::sync::Arc;

use super::{Evaluation, Evaluator};
use crate::game::Game;

/// Remembers the evaluations of `inner` in a table with one place a key; a newcomer replaces what it collides with.
#[derive(Debug)]
pub struct Cached<G: Game, E> {
    inner: E,
    game: Arc<G>,
    places: Vec<Option<(G::State, Evaluation)>>,
    misses: Vec<G::State>,
    fresh: Vec<Evaluation>,
}

impl<G: Game, E: Evaluator<G>> Cached<G, E> {
    /// Remembers up to `capacity` positions (at least one).
    #[must_use]
    pub fn new(game: &Arc<G>, inner: E, capacity: usize) -> Self {
        let places = vec![None; capacity.max(1)];
        Self { inner, game: Arc::clone(game), places, misses: Vec::new(), fresh: Vec::new() }
    }

    fn place(&self, state: &G::State) -> usize {
        (self.game.key(state) % self.places.len() as u64) as usize
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Cached<G, E> {
    /// Positions that stand in `leaves` several times are evaluated once.
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        let known: Vec<Option<Evaluation>> = leaves.iter().map(|leaf| self.recall(leaf)).collect();
        let mut misses = std::mem::take(&mut self.misses);
        misses.clear();
        for (leaf, _) in leaves.iter().zip(&known).filter(|(_, known)| known.is_none()) {
            if !misses.contains(leaf) {
                misses.push(leaf.clone());
            }
        }
        self.fresh.clear();
        self.inner.evaluate(&misses, &mut self.fresh);
        for (leaf, known) in leaves.iter().zip(known) {
            let miss = || misses.iter().position(|miss| miss == leaf).map(|at| self.fresh[at].clone());
            out.extend(known.or_else(miss));
        }
        for (state, evaluation) in misses.drain(..).zip(self.fresh.drain(..)) {
            let place = (self.game.key(&state) % self.places.len() as u64) as usize;
            self.places[place] = Some((state, evaluation));
        }
        self.misses = misses;
    }

    fn recall(&self, leaf: &G::State) -> Option<Evaluation> {
        match &self.places[self.place(leaf)] {
            Some((state, evaluation)) if state == leaf => Some(evaluation.clone()),
            _ => None,
        }
    }
}
