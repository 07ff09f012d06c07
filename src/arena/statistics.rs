//! What a number of games says about two players: pure functions, and none of them knows a game.
//!
//! Sources: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927 (the score interval); W.
//! G. Cochran, "Sampling Techniques", 1977, chapters 6 and 9 (the ratio estimator over clusters); A. E. Elo, "The Rating of
//! Chessplayers", 1978, in its logistic form; G. Marsaglia, "Evaluating the normal distribution", 2004 (the series of
//! [`normal`]).

use serde::{Deserialize, Serialize};

/// The two-sided 95 % quantile of the normal distribution.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// A standard error of shares that is zero but for rounding: all clusters are alike.
const ALIKE: f64 = 1e-9;

/// A share of the points with its 95 % confidence interval; all three in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The share.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// A difference in Elo points with its 95 % confidence interval; what is unbounded is absent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EloDifference {
    /// The difference; absent where all points went to one side.
    pub value: Option<f64>,
    /// The lower end; absent where it is minus infinity.
    pub low: Option<f64>,
    /// The upper end; absent where it is infinity.
    pub high: Option<f64>,
}

/// The share of the points from clusters `(points, games)`, where games within a cluster may depend on each other (two games
/// from the same opening do) and clusters do not. No clusters, or none with a game, give no share.
///
/// The interval is normal, with the standard error of [`clustered`]; where that is unknown or zero (one cluster; all alike) it
/// is Wilson's, with a trial a cluster.
#[must_use]
pub fn share(clusters: &[(f64, usize)]) -> Option<Share> {
    let (value, error) = clustered(clusters)?;
    let (low, high) = match error {
        Some(error) if error > ALIKE => (value - Z_95 * error, value + Z_95 * error),
        _ => wilson(value, clusters.iter().filter(|(_, games)| *games > 0).count(), Z_95),
    };
    Some(Share { value, low: low.max(0.0), high: high.min(1.0) })
}

/// Points a game over clusters `(points, games)`, and its standard error where at least two clusters have a game.
///
/// With r = points / games in all and m clusters, the variance is m / (m - 1) times the sum of (points of the cluster minus
/// r times its games) squared, over all games squared. For clusters of one size that is the mean of the clusters' shares with
/// its standard error.
#[must_use]
pub fn clustered(clusters: &[(f64, usize)]) -> Option<(f64, Option<f64>)> {
    let played: Vec<(f64, f64)> =
        clusters.iter().filter(|(_, games)| *games > 0).map(|&(points, games)| (points, games as f64)).collect();
    if played.is_empty() {
        return None;
    }
    let games: f64 = played.iter().map(|(_, games)| games).sum();
    let ratio = played.iter().map(|(points, _)| points).sum::<f64>() / games;
    let count = played.len() as f64;
    let squares: f64 = played.iter().map(|(points, games)| (points - ratio * games).powi(2)).sum();
    let error = (played.len() > 1).then(|| (count / (count - 1.0) * squares).sqrt() / games);
    Some((ratio, error))
}

/// The likelihood of superiority: how likely it is that the expected share of the points is above one half, given the points of
/// clusters `(points, games)` and no opinion beforehand. No clusters, or none with a game, give none.
///
/// It is the normal probability of (share - 1/2) / error with the standard error of [`clustered`]; where that is unknown or zero,
/// the error is that of a fair coin thrown once a cluster, 1 / (2 sqrt(clusters)).
#[must_use]
pub fn superiority(clusters: &[(f64, usize)]) -> Option<f64> {
    let (value, error) = clustered(clusters)?;
    let coin = || 0.5 / (clusters.iter().filter(|(_, games)| *games > 0).count() as f64).sqrt();
    let error = error.filter(|error| *error > ALIKE).unwrap_or_else(coin);
    Some(normal((value - 0.5) / error))
}

/// The probability that a normal variable of mean 0 and variance 1 is at most `x`.
#[must_use]
pub fn normal(x: f64) -> f64 {
    // Beyond this a float cannot tell the probability from 0 or 1 by the series.
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut sum, mut term, mut odd) = (x, x, 1.0);
    while sum + term != sum {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    (0.5 + sum * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()).clamp(0.0, 1.0)
}

/// The mean of `values` and its standard error (sample variance over n - 1); neither for fewer than two values.
#[must_use]
pub fn mean_and_error(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Some((mean, (variance / count).sqrt()))
}

/// Wilson's score interval (low, high) for a probability of which `trials` trials showed the share `share`, at `z` standard
/// deviations. Without trials nothing is known: (0, 1).
#[must_use]
pub fn wilson(share: f64, trials: usize, z: f64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let trials = trials as f64;
    let (square, shrink) = (z * z, 1.0 + z * z / trials);
    let centre = (share + square / (2.0 * trials)) / shrink;
    let half = z / shrink * (share * (1.0 - share) / trials + square / (4.0 * trials * trials)).sqrt();
    // The interval holds the share; rounding must not push it out where both are 0 or 1.
    ((centre - half).min(share).max(0.0), (centre + half).max(share).min(1.0))
}

/// The difference in Elo points at which `share` of the points is expected: 400 log10(share / (1 - share)). None for shares of
/// 0, 1 and beyond, which no finite difference explains.
#[must_use]
pub fn elo(share: f64) -> Option<f64> {
    (share > 0.0 && share < 1.0).then(|| 400.0 * (share / (1.0 - share)).log10())
}

impl EloDifference {
    /// The difference that `share` says, unknown at all where there is no share.
    #[must_use]
    pub fn of(share: Option<Share>) -> Self {
        let convert = |end: fn(Share) -> f64| share.and_then(|share| elo(end(share)));
        Self { value: convert(|share| share.value), low: convert(|share| share.low), high: convert(|share| share.high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64, tolerance: f64) {
        assert!((left - right).abs() < tolerance, "{left} is not {right}");
    }

    #[test]
    fn wilson_gives_the_textbook_intervals() {
        let cases =
            [(0.8, 10, 0.490_16, 0.943_32), (0.0, 10, 0.0, 0.277_54), (1.0, 10, 0.722_46, 1.0), (0.5, 100, 0.403_83, 0.596_17)];
        for (share, trials, low, high) in cases {
            let interval = wilson(share, trials, Z_95);
            close(interval.0, low, 1e-5);
            close(interval.1, high, 1e-5);
        }
        assert_eq!(wilson(0.5, 0, Z_95), (0.0, 1.0));
    }

    #[test]
    fn mean_and_error_of_a_known_sample() {
        // Squared deviations 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, over 7 values: 32 / 7; over 8 means: 4 / 7.
        let (mean, error) = mean_and_error(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        close(mean, 5.0, 1e-12);
        close(error, (4.0f64 / 7.0).sqrt(), 1e-12);
        assert_eq!(mean_and_error(&[1.0]), None);
    }

    #[test]
    fn normal_gives_the_textbook_probabilities() {
        let cases = [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (-2.0, 0.022_750_131_948_179_21),
            (Z_95, 0.975),
            (-4.0, 3.167_124_183_311_998e-5),
            (6.0, 0.999_999_999_013_412_3),
        ];
        for (x, probability) in cases {
            close(normal(x), probability, 1e-14);
        }
        assert_eq!((normal(50.0), normal(-50.0), normal(f64::INFINITY)), (1.0, 0.0, 1.0));
    }

    #[test]
    fn superiority_is_a_half_of_equals_and_sane_where_all_is_alike() {
        let clusters = [(2.0, 2), (1.0, 2), (0.5, 2), (1.5, 2), (1.5, 2)];
        let (value, error) = clustered(&clusters).unwrap();
        close(superiority(&clusters).unwrap(), normal((value - 0.5) / error.unwrap()), 1e-15);
        let mirrored = clusters.map(|(points, games)| (2.0 - points, games));
        close(superiority(&clusters).unwrap() + superiority(&mirrored).unwrap(), 1.0, 1e-12);
        close(superiority(&[(1.0, 2); 30]).unwrap(), 0.5, 1e-15);
        // Ten openings of ten won: as likely as ten heads of a fair coin are far from five, sqrt(10) errors.
        close(superiority(&[(2.0, 2); 10]).unwrap(), normal(10f64.sqrt()), 1e-12);
        close(superiority(&[(0.0, 2)]).unwrap(), normal(-1.0), 1e-12);
        assert_eq!((superiority(&[]), superiority(&[(0.0, 0)])), (None, None));
    }

    #[test]
    fn elo_of_known_shares() {
        close(elo(0.64).unwrap(), 99.95, 0.005);
        close(elo(0.5).unwrap(), 0.0, 1e-12);
        close(elo(0.25).unwrap(), -190.85, 0.005);
        close(elo(10.0 / 11.0).unwrap(), 400.0, 1e-9);
        assert_eq!((elo(0.0), elo(1.0)), (None, None));
    }

    #[test]
    fn equal_clusters_give_the_mean_of_their_shares() {
        let clusters = [(2.0, 2), (1.0, 2), (0.5, 2), (1.5, 2), (0.0, 2)];
        let shares: Vec<f64> = clusters.iter().map(|(points, _)| points / 2.0).collect();
        let (mean, error) = mean_and_error(&shares).unwrap();
        let (ratio, clustered) = clustered(&clusters).unwrap();
        close(ratio, mean, 1e-12);
        close(clustered.unwrap(), error, 1e-12);
        let share = share(&clusters).unwrap();
        close(share.high - share.low, 2.0 * Z_95 * error, 1e-12);
    }

    #[test]
    fn unequal_clusters_weigh_by_their_games() {
        // r = 2 / 3; residuals 2/3 and -2/3; variance 2 * (8/9) / 9.
        let (ratio, error) = clustered(&[(2.0, 2), (0.0, 1), (0.0, 0)]).unwrap();
        close(ratio, 2.0 / 3.0, 1e-12);
        close(error.unwrap(), 4.0 / 9.0, 1e-12);
        assert_eq!(clustered(&[(0.0, 0)]), None);
        assert_eq!(clustered(&[]), None);
    }

    #[test]
    fn without_variance_the_interval_is_wilsons() {
        let all_won = share(&[(2.0, 2); 10]).unwrap();
        close(all_won.low, 0.722_46, 1e-5);
        assert_eq!((all_won.value, all_won.high), (1.0, 1.0));
        assert_eq!(share(&[(0.0, 2); 10]).unwrap().low, 0.0);
        let one_pair = share(&[(1.0, 2)]).unwrap();
        close(one_pair.low, wilson(0.5, 1, Z_95).0, 1e-12);
        let elo = EloDifference::of(Some(all_won));
        assert_eq!((elo.value, elo.high), (None, None));
        close(elo.low.unwrap(), 400.0 * (0.722_46f64 / 0.277_54).log10(), 0.01);
        assert_eq!(EloDifference::of(None), EloDifference { value: None, low: None, high: None });
    }
}
