//! Judging a position without searching from it.

mod cached;
mod rollout;
mod uniform;

pub use cached::{Cached, Recalls};
pub use rollout::Rollout;
pub use uniform::Uniform;

use serde::{Deserialize, Serialize};

use crate::game::{Game, Payoff, Player};

/// How likely a game is to end in each way, for the one who is to move; the three sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// The mover wins.
    pub win: f32,
    /// Nobody does.
    pub draw: f32,
    /// The other player wins.
    pub loss: f32,
}

/// How a game is expected to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// The expected utilities.
    pub payoff: Payoff,
    /// The chance of a draw, where utilities are those of wins, draws and losses.
    pub draw: f32,
}

impl Forecast {
    /// A game that ends, or is sure to end, with `payoff`.
    #[must_use]
    pub fn certain(payoff: Payoff) -> Self {
        Self { payoff, draw: if payoff == Payoff::DRAW { 1.0 } else { 0.0 } }
    }

    /// `share` of `other` and the rest of `self`.
    #[must_use]
    pub fn mixed(self, other: Self, share: f32) -> Self {
        let mix = |one: f32, other: f32| one + share * (other - one);
        let part = |player: Player| mix(self.payoff.of(player), other.payoff.of(player));
        Self { payoff: Payoff(Player::BOTH.map(part)), draw: mix(self.draw, other.draw) }
    }
}

/// What an evaluator thinks of one position in which a player is to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The probability of each legal move, in the order of [`Game::actions`]; sums to 1. Illegal moves have no place here, so
    /// none can be given mass.
    pub priors: Vec<f32>,
    /// The expected utilities.
    pub payoff: Payoff,
    /// What is behind them, where the evaluator tells wins, draws and losses apart. Nothing is selected by it.
    pub chances: Option<Chances>,
}

impl Evaluation {
    /// The same without the priors. An evaluator without chances tells no draws.
    #[must_use]
    pub fn forecast(&self) -> Forecast {
        Forecast { payoff: self.payoff, draw: self.chances.map_or(0.0, |chances| chances.draw) }
    }

    /// Even priors over `actions` legal moves, and no chances.
    #[must_use]
    pub fn even(actions: usize, payoff: Payoff) -> Self {
        Self { priors: vec![1.0 / actions as f32; actions], payoff, chances: None }
    }
}

/// Judges positions in batches. What it says of a position depends on nothing else.
pub trait Evaluator<G: Game>: Send {
    /// Appends one evaluation a leaf to `out`, in order. Every leaf is a position in which a player is to move.
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>);

    /// The evaluation of `leaf`, if it is at hand and costs next to nothing. It is the one that `evaluate` would give.
    fn recall(&self, leaf: &G::State) -> Option<&Evaluation> {
        let _ = leaf;
        None
    }

    /// The evaluation of a single position.
    fn evaluate_one(&mut self, leaf: &G::State) -> Evaluation {
        if let Some(known) = self.recall(leaf) {
            return known.clone();
        }
        let mut out = Vec::with_capacity(1);
        self.evaluate(std::slice::from_ref(leaf), &mut out);
        out.swap_remove(0)
    }
}

impl<G: Game, E: Evaluator<G> + ?Sized> Evaluator<G> for Box<E> {
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        (**self).evaluate(leaves, out);
    }

    fn recall(&self, leaf: &G::State) -> Option<&Evaluation> {
        (**self).recall(leaf)
    }
}
