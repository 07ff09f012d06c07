//! Weights fitted to the results of games, and to what searches expected in them.
//!
//! Rule: the points to expect grow with the value v of a position as 1 / (1 + e^(-s v)). First s is chosen so that the present weights foretell the results as well as
//! they can. A result is one of many that a position may have, so it is blended with the points that the value a search found there foretells. Then weights near the
//! present ones are found that foretell the blend better: those with the least squared error and, times a pull, the least squared distance from the
//! present ones (P. Österlund, "Texel's tuning method", 2014; ridge regression by Gauss-Newton steps, each solved by conjugate gradients). How strong the pull must
//! be is found out on the last tenth of the positions, which the fit does not see: positions of a game share its result, so that far fewer things are to be
//! learnt from them than they are many. Hypotheses: positions are quiet, so that their values mean something; those in check or with an exchange that wins are
//! left out; games are in no order. Cost: a hundred looks or so at the features of each position, times the number of pulls.

use std::iter::zip;

use super::evaluation::Weights;
use super::features::{self, FEATURES, WHOLE};
use super::knowledge::hundredths;
use super::{Board, Chess};
use crate::game::{Fit, Knowledge, Lesson, Player};

/// Pulls that are tried, as errors per squared hundredth of a pawn.
const PULLS: [f64; 8] = [1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8, 1e-8, 3e-9];
/// The part of the positions that the pull is chosen by.
const HELD_OUT: usize = 10;
/// Gauss-Newton steps, and steps of conjugate gradients in each.
const OUTER_STEPS: usize = 5;
const INNER_STEPS: usize = 40;

/// A weight in the middle game and in the endgame for each feature, one after the other.
type Vector = Vec<f64>;

/// A position as the fit sees it.
struct Sample {
    /// Weights with what they are multiplied by.
    parts: Vec<(u16, f32)>,
    /// Points of White that are to be expected.
    target: f64,
}

impl Sample {
    fn new(board: &Board, target: f64) -> Self {
        let mut counts = vec![0; FEATURES];
        features::count(board.setup(), |feature, number| counts[feature] += number);
        let middle = features::phase(board.setup()) as f32 / WHOLE as f32;
        let counts = counts.into_iter().enumerate().filter(|&(_, count)| count != 0);
        let parts = counts.flat_map(|(feature, count)| {
            [middle, 1.0 - middle]
                .into_iter()
                .zip(0..)
                .map(move |(share, phase)| ((2 * feature + phase) as u16, share * count as f32))
        });
        Self { parts: parts.filter(|&(_, part)| part != 0.0).collect(), target }
    }

    /// The sum of its parts, weighed.
    fn dot(&self, weights: &[f64]) -> f64 {
        self.parts.iter().map(|&(at, part)| weights[usize::from(at)] * f64::from(part)).sum()
    }

    /// Adds its parts, times `factor`, to a vector.
    fn add_to(&self, vector: &mut [f64], factor: f64) {
        self.parts.iter().for_each(|&(at, part)| vector[usize::from(at)] += factor * f64::from(part));
    }
}

/// The points that a value foretells.
fn foretold(value: f64, scale: f64) -> f64 {
    1.0 / (1.0 + (-scale * value).exp())
}

/// The mean squared error of what weights foretell.
fn error(samples: &[Sample], weights: &[f64], scale: f64) -> f64 {
    let squared = |sample: &Sample| (foretold(sample.dot(weights), scale) - sample.target).powi(2);
    samples.iter().map(squared).sum::<f64>() / samples.len().max(1) as f64
}

/// The scale with the least error, by thirds of an interval.
fn best_scale(samples: &[Sample], weights: &[f64]) -> f64 {
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

/// Fits the weights of `game` to lessons, in which results have the share `results`. Those of a game are next to each other.
pub(super) fn fit(game: &Chess, lessons: &[Lesson<Board>], results: f64) -> Fit {
    let quiet: Vec<_> = lessons.iter().filter(|lesson| is_quiet(game, &lesson.state)).collect();
    let mut samples: Vec<Sample> = quiet.iter().map(|lesson| Sample::new(&lesson.state, lesson.points.into())).collect();
    let present: Vector = game.weights.phases().iter().flatten().map(|&weight| weight.into()).collect();
    let scale = best_scale(&samples, &present);
    for (sample, lesson) in zip(&mut samples, quiet) {
        if let Some(expected) = lesson.expected {
            let value = hundredths(expected.of(Player::First)).into();
            sample.target = results * sample.target + (1.0 - results) * foretold(value, scale);
        }
    }
    let (seen, unseen) = samples.split_at(samples.len() - samples.len() / HELD_OUT);
    let tried = PULLS.map(|pull| (pull, error(unseen, &pulled(seen, &present, scale, pull), scale)));
    let before = error(unseen, &present, scale);
    let (pull, after) = tried.into_iter().min_by(|(_, one), (_, other)| one.total_cmp(other)).unwrap_or((PULLS[0], before));
    // Weights that foretell what they were not fitted to no better than those before have learnt nothing.
    let weights = if after < before { pulled(&samples, &present, scale, pull) } else { present };
    let rounded = weights.chunks(2).map(|phases| [phases[0].round() as i32, phases[1].round() as i32]).collect();
    Fit { table: Weights::of(rounded).write(), positions: samples.len(), before, after: after.min(before) }
}

/// The weights with the least error and distance from `present`.
fn pulled(samples: &[Sample], present: &[f64], scale: f64, pull: f64) -> Vector {
    let mut weights = present.to_vec();
    let share = 1.0 / samples.len().max(1) as f64;
    for _ in 0..OUTER_STEPS {
        // How fast what is foretold grows with the value, in each position.
        let mut slopes = Vec::with_capacity(samples.len());
        let mut descent: Vector = zip(&weights, present).map(|(weight, present)| pull * (present - weight)).collect();
        for sample in samples {
            let foretold = foretold(sample.dot(&weights), scale);
            let slope = scale * foretold * (1.0 - foretold);
            sample.add_to(&mut descent, share * slope * (sample.target - foretold));
            slopes.push(slope);
        }
        let curvature = |direction: &[f64]| {
            let mut image: Vector = direction.iter().map(|part| pull * part).collect();
            for (sample, slope) in zip(samples, &slopes) {
                sample.add_to(&mut image, share * slope * slope * sample.dot(direction));
            }
            image
        };
        let step = solved(curvature, descent);
        let along = |share: f64| -> Vector { zip(&weights, &step).map(|(weight, step)| weight + share * step).collect() };
        let cost = |weights: &[f64]| {
            let apart = zip(weights, present).map(|(weight, present)| (weight - present).powi(2)).sum::<f64>();
            error(samples, weights, scale) + pull * apart
        };
        // A step may lead too far where what is foretold is far from linear in the weights.
        let shares = [1.0, 0.5, 0.25, 0.125];
        let better = shares.into_iter().map(along).find(|weights_there| cost(weights_there) < cost(&weights));
        let Some(better) = better else { break };
        weights = better;
    }
    weights
}

/// The x for which `matrix` x is `target`, a positive definite matrix by what it makes of a vector: conjugate gradients.
fn solved(matrix: impl Fn(&[f64]) -> Vector, target: Vector) -> Vector {
    let dot = |one: &[f64], other: &[f64]| zip(one, other).map(|(a, b)| a * b).sum::<f64>();
    let mut solution = vec![0.0; target.len()];
    let (mut residual, mut direction) = (target.clone(), target);
    let mut length = dot(&residual, &residual);
    let least = 1e-12 * length;
    for _ in 0..INNER_STEPS {
        if length <= least {
            break;
        }
        let image = matrix(&direction);
        let step = length / dot(&direction, &image);
        zip(&mut solution, &direction).for_each(|(part, way)| *part += step * way);
        zip(&mut residual, &image).for_each(|(part, way)| *part -= step * way);
        let left = dot(&residual, &residual);
        direction = zip(&residual, &direction).map(|(part, way)| part + left / length * way).collect();
        length = left;
    }
    solution
}
