//! Dirichlet noise on the root's priors, so that the search tries what the evaluator thinks little of.
//!
//! Silver et al., "Mastering the game of Go without human knowledge", 2017; shaped: the documentation of `KataGo` ("Other methods", 2020).
//!
//! Rule: the priors become (1 - weight) P + weight d, with d drawn from a Dirichlet law. Plain noise has the same concentration, alpha,
//! for each of the n moves. Shaped noise has the same sum, alpha n: a share of it goes to each move by how far the logarithm of its prior, which
//! counts as 0.01 at most, is above the mean of these logarithms, and to none below the mean; the rest is even. Where no move is above it, all is even. So
//! what is thought poor without being absurd is tried more often.
//!
//! Hypothesis of the shape: the moves that matter and are overlooked still have larger priors than most. Cost: one draw from a Gamma law a move.

use rand_distr::{Distribution, Gamma};

use super::root::draw_by;
use super::tree::Tree;
use crate::game::Game;
use crate::rng::{Rng, stream};

/// The largest prior that the shape of noise tells from larger ones.
const MOST: f64 = 0.01;
/// What is added to priors so that they have a logarithm.
const LEAST: f64 = 1e-20;

/// Noise for a root whose priors are not known yet.
#[derive(Clone, Debug)]
pub(super) enum Noise {
    /// One number a legal move.
    Drawn(Vec<f32>),
    /// Drawn once the priors are known, from the stream of this seed.
    Shaped { alpha: f32, shape: f32, seed: u64 },
}

impl Noise {
    /// One number a move.
    pub(super) fn draw(self, priors: &[f32]) -> Vec<f32> {
        match self {
            Noise::Drawn(noise) => noise,
            Noise::Shaped { alpha, shape, seed } => spread(&shaped(priors, alpha, shape), &mut stream(seed, "noise", 0)),
        }
    }
}

impl<G: Game> Tree<G> {
    /// Mixes `noise`, one number a legal move, into the root's priors as soon as they are known:
    /// `(1 - weight) * prior + weight * noise`. A root with an immediate win has none.
    pub fn set_root_noise(&mut self, noise: Vec<f32>, weight: f32) {
        self.noise = Some((Noise::Drawn(noise), weight));
        self.open_root();
    }

    /// The same with noise that is drawn when the priors are known, a share `shape` of its concentration by them, from a stream of this `seed`.
    pub fn set_shaped_noise(&mut self, alpha: f32, shape: f32, weight: f32, seed: u64) {
        self.noise = Some((Noise::Shaped { alpha, shape, seed }, weight));
        self.open_root();
    }
}

/// The concentration for each of the moves with these priors.
fn shaped(priors: &[f32], alpha: f32, shape: f32) -> Vec<f32> {
    let logarithms: Vec<f64> = priors.iter().map(|&prior| (f64::from(prior).min(MOST) + LEAST).ln()).collect();
    let mean = logarithms.iter().sum::<f64>() / priors.len() as f64;
    let above = logarithms.iter().map(|logarithm| (logarithm - mean).max(0.0));
    let (even, total) = (1.0 / priors.len() as f64, above.clone().sum::<f64>());
    let (shape, all) = (f64::from(shape), f64::from(alpha) * priors.len() as f64);
    let share = |above: f64| if total > 0.0 { even + shape * (above / total - even) } else { even };
    above.map(|above| (all * share(above)) as f32).collect()
}

/// A draw from the symmetric Dirichlet law of `count` parts with concentration `alpha` each.
#[must_use]
pub fn dirichlet(count: usize, alpha: f32, rng: &mut Rng) -> Vec<f32> {
    if Gamma::new(f64::from(alpha), 1.0).is_err() {
        return vec![1.0 / count as f32; count];
    }
    spread(&vec![alpha; count], rng)
}

/// A draw from the Dirichlet law with these concentrations; a part without any is 0.
fn spread(concentrations: &[f32], rng: &mut Rng) -> Vec<f32> {
    let part = |&alpha: &f32| Gamma::new(f64::from(alpha), 1.0).map_or(0.0, |law| law.sample(rng));
    let parts: Vec<f64> = concentrations.iter().map(part).collect();
    let total: f64 = parts.iter().sum();
    if total > 0.0 {
        return parts.iter().map(|part| (part / total) as f32).collect();
    }
    // Tiny concentrations can underflow every part. The law is then that of one part, drawn by concentration, which is everything.
    let most = concentrations.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let whole = draw_by(concentrations.iter().map(|alpha| alpha / most), rng);
    (0..concentrations.len()).map(|part| if part == whole { 1.0 } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: &[f32], expected: &[f32]) {
        assert!(found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-6), "{found:?} {expected:?}");
    }

    #[test]
    fn shapes_by_hand() {
        // Logarithms of priors that are powers of ten: -2 (at most), -3, -4, -5 and the mean -3.5. Above it: 1.5, 0.5, 0, 0.
        let priors = [0.9, 1e-3, 1e-4, 1e-5];
        assert_close(&shaped(&priors, 0.25, 0.0), &[0.25; 4]);
        assert_close(&shaped(&priors, 0.25, 1.0), &[0.75, 0.25, 0.0, 0.0]);
        assert_close(&shaped(&priors, 0.25, 0.5), &[0.5, 0.25, 0.125, 0.125]);
        // No prior is above the mean.
        assert_close(&shaped(&[0.5, 0.3, 0.2], 2.0, 0.5), &[2.0; 3]);
        assert_close(&shaped(&[0.0, 1.0], 1.0, 0.5), &[0.5, 1.5]);
        assert!(shaped(&[], 1.0, 0.5).is_empty());
    }

    #[test]
    fn noise_follows_its_concentrations() {
        let mut sums = [0.0; 3];
        for seed in 0..2000 {
            let noise = Noise::Shaped { alpha: 1.0, shape: 1.0, seed }.draw(&[0.5, 1e-3, 1e-6]);
            assert!((noise.iter().sum::<f32>() - 1.0).abs() < 1e-6 && noise[2] == 0.0, "{noise:?}");
            sums.iter_mut().zip(noise).for_each(|(sum, part)| *sum += part / 2000.0);
        }
        // Above the mean, -11/3, are -2 and -3: by 5/3 and 2/3.
        assert!((sums[0] - 5.0 / 7.0).abs() < 0.02, "{sums:?}");
    }
}
