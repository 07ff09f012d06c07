//! A memory of evaluations. It never changes a result: whole states are compared, and whoever changes what is behind it makes
//! a new one.
//!
//! A table with one place a key, in which a newcomer replaces what it collides with. Keys are the game's own, so nothing is
//! hashed here. Cost: a look and a comparison a position, and a copy of each evaluation that is new.

use std::cell::Cell;
use std::sync::Arc;

use super::{Evaluation, Evaluator};
use crate::game::Game;

/// Remembers the evaluations of `inner`.
#[derive(Debug)]
pub struct Cached<G: Game, E> {
    inner: E,
    game: Arc<G>,
    places: Vec<Option<(G::State, Evaluation)>>,
    recalls: Cell<Recalls>,
    /// Of the batch in hand: positions to evaluate, for each leaf its number among them, and their evaluations.
    misses: Vec<G::State>,
    numbers: Vec<Option<usize>>,
    fresh: Vec<Evaluation>,
}

/// How often a memory was asked, and how often it knew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recalls {
    /// Positions asked about.
    pub asked: u64,
    /// Those it knew.
    pub found: u64,
}

impl std::ops::AddAssign for Recalls {
    fn add_assign(&mut self, other: Self) {
        self.asked += other.asked;
        self.found += other.found;
    }
}

impl<G: Game, E: Evaluator<G>> Cached<G, E> {
    /// Remembers up to `capacity` positions; none where it is 0.
    #[must_use]
    pub fn new(game: &Arc<G>, inner: E, capacity: usize) -> Self {
        Self {
            inner,
            game: Arc::clone(game),
            places: vec![None; capacity],
            recalls: Cell::default(),
            misses: Vec::new(),
            numbers: Vec::new(),
            fresh: Vec::new(),
        }
    }

    /// What came of [`Evaluator::recall`] so far.
    #[must_use]
    pub fn recalls(&self) -> Recalls {
        self.recalls.get()
    }

    fn place(&self, state: &G::State) -> usize {
        (self.game.key(state) % self.places.len() as u64) as usize
    }

    fn known(&self, leaf: &G::State) -> Option<&Evaluation> {
        if self.places.is_empty() {
            return None;
        }
        self.places[self.place(leaf)].as_ref().filter(|(state, _)| state == leaf).map(|(_, evaluation)| evaluation)
    }

    /// Sorts out which leaves have to be evaluated. A position that stands among them several times has to be once; batches are
    /// small enough to look through.
    fn sort_out(&mut self, leaves: &[G::State]) {
        self.misses.clear();
        self.numbers.clear();
        for leaf in leaves {
            let number = self.known(leaf).is_none().then(|| {
                self.misses.iter().position(|miss| miss == leaf).unwrap_or_else(|| {
                    self.misses.push(leaf.clone());
                    self.misses.len() - 1
                })
            });
            self.numbers.push(number);
        }
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Cached<G, E> {
    /// Positions that stand in `leaves` several times are evaluated once, unless nothing is remembered.
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        if self.places.is_empty() {
            return self.inner.evaluate(leaves, out);
        }
        self.sort_out(leaves);
        self.fresh.clear();
        self.inner.evaluate(&self.misses, &mut self.fresh);
        for (leaf, number) in leaves.iter().zip(&self.numbers) {
            match number {
                Some(number) => out.push(self.fresh[*number].clone()),
                None => out.extend(self.known(leaf).cloned()),
            }
        }
        let mut misses = std::mem::take(&mut self.misses);
        let mut fresh = std::mem::take(&mut self.fresh);
        for (state, evaluation) in misses.drain(..).zip(fresh.drain(..)) {
            let place = self.place(&state);
            self.places[place] = Some((state, evaluation));
        }
        (self.misses, self.fresh) = (misses, fresh);
    }

    fn recall(&self, leaf: &G::State) -> Option<&Evaluation> {
        let known = self.known(leaf);
        let Recalls { asked, found } = self.recalls.get();
        self.recalls.set(Recalls { asked: asked + 1, found: found + u64::from(known.is_some()) });
        known
    }
}
