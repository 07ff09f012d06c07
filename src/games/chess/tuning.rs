//! Weights fitted to the results of games.
//!
//! Rule: the chance of a win grows with the value v of a position as 1 / (1 + e^(-s v)). First s is chosen so that the present weights foretell the results as well as
//! they can, then the weights change down the gradient of the squared error until they foretell them better (P. Österlund, "Texel's tuning method", 2014; the steps are
//! Adam's, Kingma and Ba 2015). A pull towards the present weights keeps those that few positions speak of where they are. Hypotheses: positions are quiet,
//! so that their values mean something; those in check or with an exchange that wins are left out. Cost: one look at the features of each position a pass.

use super::evaluation::Weights;
use super::features::{self, FEATURES, WHOLE};
use super::{Board, Chess};
use crate::game::{Fit, Knowledge};

/// Hundredths of a pawn by which a weight moves in the first passes, at most.
const STEP: f64 = 1.0;
/// The pull towards the present weights, as a share of the error for a change of all by a pawn.
const PULL: f64 = 1e-4;

/// A position as the fit sees it.
struct Sample {
    /// Features with what White has more of.
    counts: Vec<(u16, f32)>,
    /// The share of the middle game.
    phase: f64,
    /// Points of White: 1, a half or 0.
    result: f64,
}

impl Sample {
    fn new(board: &Board, result: f32) -> Self {
        let mut counts = vec![0; FEATURES];
        features::count(board.setup(), |feature, number| counts[feature] += number);
        let counts = counts.into_iter().enumerate().filter(|&(_, count)| count != 0);
        let phase = f64::from(features::phase(board.setup())) / f64::from(WHOLE);
        Self { counts: counts.map(|(feature, count)| (feature as u16, count as f32)).collect(), phase, result: result.into() }
    }

    /// What each of the features counts in the middle game and in the endgame.
    fn parts(&self) -> impl Iterator<Item = (usize, [f64; 2])> {
        let shares = [self.phase, 1.0 - self.phase];
        self.counts.iter().map(move |&(feature, count)| (feature.into(), shares.map(|share| share * f64::from(count))))
    }

    fn value(&self, weights: &[[f64; 2]]) -> f64 {
        self.parts().map(|(feature, [middle, end])| weights[feature][0] * middle + weights[feature][1] * end).sum()
    }

    /// The points that are foretold.
    fn foretold(&self, weights: &[[f64; 2]], scale: f64) -> f64 {
        1.0 / (1.0 + (-scale * self.value(weights)).exp())
    }
}

/// The mean squared error of what weights foretell.
fn error(samples: &[Sample], weights: &[[f64; 2]], scale: f64) -> f64 {
    let squared = |sample: &Sample| (sample.foretold(weights, scale) - sample.result).powi(2);
    samples.iter().map(squared).sum::<f64>() / samples.len().max(1) as f64
}

/// The scale with the least error, by thirds of an interval.
fn best_scale(samples: &[Sample], weights: &[[f64; 2]]) -> f64 {
    let (mut low, mut high) = (1e-4, 0.05);
    for _ in 0..40 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if error(samples, weights, left) < error(samples, weights, right) { high = right } else { low = left }
    }
    f64::midpoint(low, high)
}

/// Whether the value of a position means something: no check, and no exchange that wins.
fn is_quiet(game: &Chess, board: &Board) -> bool {
    let mut noisy = Vec::new();
    game.noisy(board, false, &mut noisy);
    !game.is_threatened(board) && noisy.into_iter().all(|action| game.exchange(board, action).is_none_or(|won| won <= 0))
}

/// Fits the weights of `game` to positions with the points of White, in so many passes.
pub(super) fn fit(game: &Chess, positions: &[(Board, f32)], passes: u32) -> Fit {
    let quiet = positions.iter().filter(|(board, _)| is_quiet(game, board));
    let samples: Vec<Sample> = quiet.map(|(board, result)| Sample::new(board, *result)).collect();
    let present: Vec<[f64; 2]> = game.weights.phases().iter().map(|phases| phases.map(f64::from)).collect();
    let scale = best_scale(&samples, &present);
    let before = error(&samples, &present, scale);
    let mut weights = present.clone();
    let mut moments = vec![[[0.0; 2]; 2]; FEATURES];
    for pass in 1..=passes {
        let gradient = gradient(&samples, &weights, &present, scale);
        let corrections = [0.9, 0.999].map(|decay: f64| 1.0 - decay.powi(pass as i32));
        for ((weight, moment), slope) in
            weights.iter_mut().flatten().zip(moments.iter_mut().flatten()).zip(gradient.iter().flatten())
        {
            moment[0] = 0.9 * moment[0] + 0.1 * slope;
            moment[1] = 0.999 * moment[1] + 0.001 * slope * slope;
            *weight -= STEP * (moment[0] / corrections[0]) / ((moment[1] / corrections[1]).sqrt() + 1e-9);
        }
    }
    let after = error(&samples, &weights, scale);
    let rounded = weights.iter().map(|phases| phases.map(|weight| weight.round() as i32)).collect();
    Fit { table: Weights::of(rounded).write(), positions: samples.len(), before, after }
}

/// The gradient of the error and of the pull.
fn gradient(samples: &[Sample], weights: &[[f64; 2]], present: &[[f64; 2]], scale: f64) -> Vec<[f64; 2]> {
    let mut gradient = vec![[0.0; 2]; FEATURES];
    for sample in samples {
        let foretold = sample.foretold(weights, scale);
        let slope = 2.0 * (foretold - sample.result) * foretold * (1.0 - foretold) * scale / samples.len() as f64;
        for (feature, [middle, end]) in sample.parts() {
            gradient[feature][0] += slope * middle;
            gradient[feature][1] += slope * end;
        }
    }
    let pull = 2.0 * PULL / (100.0 * 100.0 * FEATURES as f64);
    for ((slope, weight), present) in gradient.iter_mut().flatten().zip(weights.iter().flatten()).zip(present.iter().flatten()) {
        *slope += pull * (weight - present);
    }
    gradient
}
