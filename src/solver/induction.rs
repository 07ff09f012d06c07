//! What the positions of a small game are worth to both players, whatever its utilities: backward induction, each mover taking what is best for
//! itself (max-n: Luckhardt and Irani, "An algorithmic solution of N-person games", 1986).
//!
//! Hypotheses: no chance, no position that leads back to itself, and few enough positions to hold. Where what is equal for one player differs
//! for the other, the first of equal moves counts. Cost: time and memory in the number of reachable positions.

use std::collections::HashMap;
use std::sync::Arc;

use super::successors;
use crate::game::{Action, Game, Payoff, Turn};
use crate::search::Unsuited;

/// The worth of positions of a small game.
pub struct Induction<G: Game> {
    game: Arc<G>,
    known: HashMap<G::State, Payoff>,
}

impl<G: Game> Induction<G> {
    /// Positions are solved as they are asked for.
    ///
    /// # Errors
    /// When the game has chance.
    pub fn new(game: &Arc<G>) -> Result<Self, Unsuited> {
        if game.facts().chance {
            let needs = "a game without chance";
            return Err(Unsuited { search: "backward induction", needs, game: game.facts().id.clone() });
        }
        Ok(Self { game: Arc::clone(game), known: HashMap::new() })
    }

    /// Every legal move of `state`, in the order of the rules, with what both players get after it; none where the game is over.
    pub fn moves(&mut self, state: &G::State) -> Vec<(Action, Payoff)> {
        let successors = successors(self.game.as_ref(), state);
        successors.into_iter().map(|(action, next)| (action, self.worth(&next))).collect()
    }

    /// The same with what the mover gets alone.
    pub fn utilities(&mut self, state: &G::State) -> Vec<(Action, f32)> {
        match self.game.turn(state) {
            Turn::Move(mover) => self.moves(state).into_iter().map(|(action, worth)| (action, worth.of(mover))).collect(),
            Turn::Chance | Turn::Over(_) => Vec::new(),
        }
    }

    /// What both players get from `state` on.
    pub fn worth(&mut self, state: &G::State) -> Payoff {
        let mover = match self.game.turn(state) {
            Turn::Over(payoff) => return payoff,
            Turn::Move(mover) => mover,
            // Chance never acts in the games that `new` accepts.
            Turn::Chance => return Payoff::DRAW,
        };
        if let Some(&known) = self.known.get(state) {
            return known;
        }
        let better = |best: Payoff, next: Payoff| if next.of(mover) > best.of(mover) { next } else { best };
        let worth = self.moves(state).into_iter().map(|(_, worth)| worth).reduce(better).unwrap_or(Payoff::DRAW);
        self.known.insert(state.clone(), worth);
        worth
    }
}
