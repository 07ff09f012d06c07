//! The sequential probability ratio test over pairs of games: it stops a contest as soon as the games say which of two
//! hypotheses on the difference in strength holds.
//!
//! Rule: H0 says the first player is `elo0` stronger, H1 says `elo1`. A pair is one opening played from both sides, and counts by
//! the first player's points of it: 0, 1/2, 1, 3/2 or 2. After each pair, in their order, the log-likelihood ratio
//!
//! ```text
//! LLR = sum over i of n_i log(q1_i / q0_i),    q_H = argmax of sum n_i log q_i  subject to  sum q_i i / 4 = 1 / (1 + 10^(-elo_H / 400))
//! ```
//!
//! is compared with log(beta / (1 - alpha)), at or below which H0 is accepted, and log((1 - beta) / alpha), at or above which H1
//! is. The maximum is q_i proportional to n_i / (1 + x (i / 4 - s_H)), with the one x that gives the mean s_H.
//!
//! A result that has not come up yet counts as a thousandth of a pair, so that one-sided results have a finite ratio, and nothing
//! is decided before [`FEWEST_PAIRS`] pairs, whose spread says nothing. If one player wins all, each pair adds log(s_1 / s_0):
//! that is decided, but hypotheses close to each other explain it equally badly, and take their time (0 and 5 Elo 207 pairs, 0
//! and 50 Elo 23). Pairs are independent observations only if no opening comes twice; that is for the caller to see to.
//!
//! Cost: a bisection a hypothesis and pair. A. Wald, "Sequential tests of statistical hypotheses", 1945; M. Van den Bergh, "A
//! practical introduction to the GSPRT" and "Comments on normalized Elo", the notes behind Stockfish's fishtest.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Pairs before which nothing is decided.
pub const FEWEST_PAIRS: u64 = 8;
/// What a result counts that has not come up.
const UNSEEN: f64 = 1e-3;
/// Halvings of an interval: more than a float has digits.
const HALVINGS: u32 = 64;

/// The two hypotheses, and how often each may be rejected though it holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The difference in Elo points under H0.
    pub elo0: f64,
    /// The difference under H1, which is greater.
    pub elo1: f64,
    /// The chance of accepting H1 where H0 holds.
    pub alpha: f64,
    /// The chance of accepting H0 where H1 holds.
    pub beta: f64,
}

impl fmt::Display for Sprt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (H0) or {} Elo (H1), alpha {}, beta {}", self.elo0, self.elo1, self.alpha, self.beta)
    }
}

/// Hypotheses or error rates that make no test.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InvalidSprt {
    /// H0 must lie below H1.
    #[error("an SPRT needs elo0 below elo1, both from -2000 to 2000, and not {elo0} and {elo1}")]
    Hypotheses {
        /// The difference under H0.
        elo0: f64,
        /// The difference under H1.
        elo1: f64,
    },
    /// An error rate is a chance, and below a half.
    #[error("an error rate of an SPRT is above 0 and below 0.5, and not {0}")]
    ErrorRate(f64),
}

/// What the pairs so far say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// H0 is accepted.
    H0,
    /// H1 is accepted.
    H1,
    /// More pairs are needed.
    Undecided,
}

/// Pairs by their points for the first player: `[0, 1/2, 1, 3/2, 2]`.
pub type Pentanomial = [u64; 5];

impl Sprt {
    /// The test, if these are hypotheses and error rates.
    ///
    /// # Errors
    /// When `elo0` is not below `elo1`, or an error rate is not between 0 and 1/2.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, InvalidSprt> {
        let sane = -2000.0..=2000.0;
        if !(elo0 < elo1 && sane.contains(&elo0) && sane.contains(&elo1)) {
            return Err(InvalidSprt::Hypotheses { elo0, elo1 });
        }
        match [alpha, beta].into_iter().find(|rate| !(*rate > 0.0 && *rate < 0.5)) {
            Some(rate) => Err(InvalidSprt::ErrorRate(rate)),
            None => Ok(Self { elo0, elo1, alpha, beta }),
        }
    }

    /// The ratios at which H0 and H1 are accepted.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of H1 over H0; 0 without pairs.
    #[must_use]
    pub fn ratio(&self, pairs: &Pentanomial) -> f64 {
        if pairs.iter().sum::<u64>() == 0 {
            return 0.0;
        }
        let counts = pairs.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let (under0, under1) = (likeliest(&counts, expected(self.elo0)), likeliest(&counts, expected(self.elo1)));
        counts.iter().zip(under0.iter().zip(&under1)).map(|(count, (zero, one))| count * (one / zero).ln()).sum()
    }

    /// What these pairs say.
    #[must_use]
    pub fn verdict(&self, pairs: &Pentanomial) -> Verdict {
        let ((lower, upper), ratio) = (self.bounds(), self.ratio(pairs));
        match pairs.iter().sum::<u64>() {
            0..FEWEST_PAIRS => Verdict::Undecided,
            _ if ratio >= upper => Verdict::H1,
            _ if ratio <= lower => Verdict::H0,
            _ => Verdict::Undecided,
        }
    }
}

/// The share of the points that a difference of `elo` promises.
fn expected(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The distribution over results that makes `counts`, all above 0, likeliest among those with this mean share in (0, 1).
fn likeliest(counts: &[f64; 5], share: f64) -> [f64; 5] {
    let total: f64 = counts.iter().sum();
    let beyond = [0.0, 0.25, 0.5, 0.75, 1.0].map(|points| points - share);
    let weigh = |x: f64| -> [f64; 5] { std::array::from_fn(|at| counts[at] / total / (1.0 + x * beyond[at])) };
    // The mean falls with x, from the best result at the lower end to the worst at the upper one.
    let (mut low, mut high) = (-1.0 / (1.0 - share), 1.0 / share);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        let surplus: f64 = weigh(middle).iter().zip(&beyond).map(|(weight, beyond)| weight * beyond).sum();
        if surplus > 0.0 { low = middle } else { high = middle }
    }
    weigh(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng;
    use rand::RngExt as _;

    fn test(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05).unwrap()
    }

    #[test]
    fn bounds_are_walds() {
        let (lower, upper) = test(0.0, 10.0).bounds();
        assert!((lower + 19f64.ln()).abs() < 1e-12 && (upper - 19f64.ln()).abs() < 1e-12);
        let (lower, upper) = Sprt::new(0.0, 10.0, 0.1, 0.2).unwrap().bounds();
        assert!((lower - (0.2f64 / 0.9).ln()).abs() < 1e-12 && (upper - 8f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn the_likeliest_distribution_has_its_mean_and_beats_its_neighbours() {
        let counts = [3.0, 10.0, 25.0, 14.0, 1e-3];
        let found = likeliest(&counts, 0.6);
        let mean = |q: &[f64; 5]| q.iter().zip(0..).map(|(q, at)| q * f64::from(at) / 4.0).sum::<f64>();
        let likelihood = |q: &[f64; 5]| counts.iter().zip(q).map(|(count, q)| count * q.ln()).sum::<f64>();
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9 && (mean(&found) - 0.6).abs() < 1e-12);
        // Moves that keep the sum and the mean.
        for (direction, step) in
            [([1.0, -2.0, 1.0, 0.0, 0.0], 1e-4), ([0.0, 1.0, -2.0, 1.0, 0.0], 1e-4), ([1.0, -1.0, -1.0, 1.0, 0.0], 1e-4)]
        {
            for sign in [-1.0, 1.0] {
                let moved = std::array::from_fn(|at| found[at] + sign * step * direction[at]);
                assert!((mean(&moved) - 0.6).abs() < 1e-12);
                assert!(likelihood(&moved) < likelihood(&found), "{direction:?} {sign}");
            }
        }
    }

    #[test]
    fn for_wins_and_losses_alone_the_ratio_is_walds_own() {
        // Pairs that are all won or all lost are coins: LLR = wins log(s1 / s0) + losses log((1 - s1) / (1 - s0)).
        let (s0, s1) = (expected(-30.0), expected(60.0));
        let exact = 60.0 * (s1 / s0).ln() + 40.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        let ratio = test(-30.0, 60.0).ratio(&[40, 0, 0, 0, 60]);
        assert!((ratio - exact).abs() < 0.01, "{ratio} is not {exact}");
    }

    #[test]
    fn swapping_the_players_swaps_the_hypotheses() {
        let (ratio, swapped) = (test(-10.0, 40.0).ratio(&[3, 9, 20, 14, 5]), test(-40.0, 10.0).ratio(&[5, 14, 20, 9, 3]));
        assert!((ratio + swapped).abs() < 1e-9);
    }

    #[test]
    fn one_sided_results_are_decided_but_not_by_one_game() {
        for (elo0, elo1) in [(0.0, 5.0), (0.0, 50.0), (-400.0, 400.0), (-2000.0, 2000.0)] {
            for (column, verdict) in [(0, Verdict::H0), (4, Verdict::H1)] {
                let pairs = |count| std::array::from_fn(|at| if at == column { count } else { 0 });
                assert_eq!(test(elo0, elo1).verdict(&pairs(1)), Verdict::Undecided);
                assert_eq!(test(elo0, elo1).verdict(&pairs(FEWEST_PAIRS - 1)), Verdict::Undecided);
                assert_eq!(test(elo0, elo1).verdict(&pairs(1000)), verdict, "{elo0} {elo1}");
                assert!(test(elo0, elo1).ratio(&pairs(1_000_000)).is_finite());
            }
        }
        for (elo1, fewest) in [(5.0, 207), (50.0, 23)] {
            let decides = |pairs: &u64| test(0.0, elo1).verdict(&[0, 0, 0, 0, *pairs]) == Verdict::H1;
            assert_eq!((1..1000).find(decides), Some(fewest));
        }
        assert_eq!(test(0.0, 10.0).ratio(&[0; 5]), 0.0);
        assert_eq!(test(0.0, 10.0).verdict(&[0, 0, 5000, 0, 0]), Verdict::H0, "nothing but drawn pairs is no gain");
    }

    #[test]
    fn hypotheses_that_make_no_test_are_refused() {
        for (elo0, elo1) in [(5.0, 5.0), (5.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-2001.0, 0.0)] {
            assert!(matches!(Sprt::new(elo0, elo1, 0.05, 0.05), Err(InvalidSprt::Hypotheses { .. })), "{elo0} {elo1}");
        }
        for rate in [0.0, 0.5, -0.1, f64::NAN] {
            assert!(matches!(Sprt::new(0.0, 5.0, rate, 0.05), Err(InvalidSprt::ErrorRate(_))));
            assert!(matches!(Sprt::new(0.0, 5.0, 0.05, rate), Err(InvalidSprt::ErrorRate(_))));
        }
    }

    /// How games of a pair end: a first player who is `edge` Elo better by moving first, and draws within `draws` Elo.
    struct Model {
        strength: f64,
        edge: f64,
        draws: f64,
    }

    impl Model {
        /// The model whose mean share is what `elo` promises.
        fn of(elo: f64, edge: f64, draws: f64) -> Self {
            let (mut low, mut high) = (-3000.0, 3000.0);
            for _ in 0..HALVINGS {
                let strength = f64::midpoint(low, high);
                let share =
                    [edge, -edge].map(|edge| Model { strength, edge, draws }.game(edge)).map(|(win, draw)| win + draw / 2.0);
                if f64::midpoint(share[0], share[1]) < expected(elo) { low = strength } else { high = strength }
            }
            Model { strength: low, edge, draws }
        }

        /// The chances of a win and of a draw.
        fn game(&self, edge: f64) -> (f64, f64) {
            let win = expected(self.strength + edge - self.draws);
            (win, expected(self.strength + edge + self.draws) - win)
        }

        /// Half points of a pair.
        fn pair(&self, rng: &mut rng::Rng) -> usize {
            let mut play = |edge| {
                let ((win, draw), luck) = (self.game(edge), rng.random::<f64>());
                if luck < win { 2 } else { usize::from(luck < win + draw) }
            };
            play(self.edge) + play(-self.edge)
        }
    }

    /// The share of `runs` tests that accept `wrong` under `model`, and the mean number of pairs they take.
    fn simulate(test: &Sprt, model: &Model, wrong: Verdict, runs: u64) -> (f64, f64) {
        let (mut errors, mut length) = (0, 0);
        for run in 0..runs {
            let (mut rng, mut pairs) = (rng::stream(1, "sprt", run), [0; 5]);
            let verdict = loop {
                pairs[model.pair(&mut rng)] += 1;
                match test.verdict(&pairs) {
                    Verdict::Undecided => assert!(pairs.iter().sum::<u64>() < 5000, "it must end"),
                    verdict => break verdict,
                }
            };
            errors += u64::from(verdict == wrong);
            length += pairs.iter().sum::<u64>();
        }
        (errors as f64 / runs as f64, length as f64 / runs as f64)
    }

    #[test]
    fn error_rates_hold_in_simulation() {
        let runs = 500;
        // Three standard deviations of a rate of 5 % in so many runs.
        let most = 0.05 + 3.0 * (0.05 * 0.95 / runs as f64).sqrt();
        for (elo0, elo1, draws, longest) in [(0.0, 60.0, 0.0, 130.0), (0.0, 60.0, 200.0, 80.0), (-50.0, 50.0, 100.0, 40.0)] {
            let test = test(elo0, elo1);
            for (elo, wrong) in [(elo0, Verdict::H1), (elo1, Verdict::H0)] {
                let (rate, length) = simulate(&test, &Model::of(elo, 60.0, draws), wrong, runs);
                assert!(rate <= most, "{elo0} to {elo1}, draws {draws}, at {elo}: {rate}");
                assert!(length < longest, "{elo0} to {elo1}, draws {draws}, at {elo}: {length} pairs");
            }
        }
    }
}
