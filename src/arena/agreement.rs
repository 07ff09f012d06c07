//! Play and forecasts beside perfect play, set by set, with standard errors.
//!
//! An error is a move that throws away a win, or else a draw. Its share is taken over all positions, over those that are not lost and
//! over the critical ones, in which some legal move is an error: each of them leaves out more positions in which nothing can go wrong.
//!
//! Forecasts are scored against the class that perfect play gives the position, with y_i = 1 for that class and 0 for the others:
//!
//! ```text
//! Brier score   sum over win, draw and loss of (p_i - y_i)^2     0 at best, 2 at worst, 2/3 for three even chances
//! log loss      -ln p of the class, in nats                      0 at best, ln 3 = 1.10 for three even chances
//! ```
//! Both are least in the mean for the true chances. Only a network's own judgement has chances: a search backs up expected utilities,
//! which do not say how a draw differs from as many wins as losses, so it has no forecasts here.
//!
//! Standard errors are sqrt(p (1 - p) / n) for a share p of n positions, the sample deviation over sqrt(n) for a mean, and for a mean
//! over k sets, which are drawn apart, the root of the sum of the sets' squared standard errors over k. They speak of positions that might
//! have been drawn; a set that is whole has none to speak of, and a share of 0 or 1 in few positions is less sure than its 0 says.
//!
//! G. W. Brier, "Verification of forecasts expressed in terms of probability", 1950; I. J. Good, "Rational decisions", 1952.

use serde::Serialize;

use super::accuracy::{Accuracy, Judged};
use super::statistics::mean_and_error;
use crate::eval::Chances;
use crate::solver::Class;

/// A figure and how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Its standard error; none for a mean of a single position.
    pub standard_error: Option<f64>,
}

/// What was found over a set of positions, or as the mean over sets. A figure of no positions is absent; so are forecasts that nobody made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Scores {
    /// Positions judged.
    pub positions: usize,
    /// Those among them that are not lost.
    pub not_lost: usize,
    /// Those in which some legal move loses value.
    pub critical: usize,
    /// Share of all positions in which the move throws away a win or a draw.
    pub error: Option<Estimate>,
    /// The same share, of positions that are not lost.
    pub error_not_lost: Option<Estimate>,
    /// The same share, of critical positions.
    pub error_critical: Option<Estimate>,
    /// Share of positions whose move keeps the value and wins as soon or loses as late as possible.
    pub strongest: Option<Estimate>,
    /// Mean Brier score of the chances, from 0 to 2.
    pub brier: Option<Estimate>,
    /// Mean logarithmic loss of the chances, in nats.
    pub log_loss: Option<Estimate>,
}

/// The scores of a set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetScores {
    /// The name of the set.
    pub set: &'static str,
    /// What was found there.
    #[serde(flatten)]
    pub scores: Scores,
}

/// Everything that perfect play says of a player.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The positions of all sets together.
    #[serde(flatten)]
    pub accuracy: Accuracy,
    /// Each set.
    pub sets: Vec<SetScores>,
    /// The mean over the sets, in which each weighs the same.
    pub mean: Scores,
}

impl Agreement {
    /// What was found in these sets, by name.
    #[must_use]
    pub fn of(sets: &[(&'static str, Vec<Judged>)]) -> Self {
        let all: Vec<Judged> = sets.iter().flat_map(|(_, judged)| judged.iter().copied()).collect();
        let scores: Vec<Scores> = sets.iter().map(|(_, judged)| Scores::of(judged)).collect();
        let mean = Scores::mean(&scores);
        let sets = sets.iter().zip(scores).map(|(&(set, _), scores)| SetScores { set, scores }).collect();
        Self { accuracy: Accuracy::of(&all), sets, mean }
    }
}

impl Scores {
    /// What was found in these positions.
    #[must_use]
    pub fn of(judged: &[Judged]) -> Self {
        let not_lost: fn(&Judged) -> bool = |one| one.class != Class::Loss;
        let errors = |counts: fn(&Judged) -> bool| {
            let counted: Vec<bool> = judged.iter().filter(|one| counts(one)).map(|one| !one.preserves).collect();
            Estimate::share(&counted)
        };
        let strongest: Vec<bool> = judged.iter().map(|one| one.is_strongest).collect();
        let forecasts = |score: fn(Chances, Class) -> f64| {
            let scores: Vec<f64> = judged.iter().filter_map(|one| Some(score(one.chances?, one.class))).collect();
            Estimate::mean(&scores)
        };
        Self {
            positions: judged.len(),
            not_lost: judged.iter().filter(|one| not_lost(one)).count(),
            critical: judged.iter().filter(|one| one.is_critical).count(),
            error: errors(|_| true),
            error_not_lost: errors(not_lost),
            error_critical: errors(|one| one.is_critical),
            strongest: Estimate::share(&strongest),
            brier: forecasts(brier),
            log_loss: forecasts(log_loss),
        }
    }

    /// The mean over sets; of each figure over those sets that have it. Positions are counted together.
    #[must_use]
    pub fn mean(sets: &[Scores]) -> Self {
        let total = |count: fn(&Scores) -> usize| sets.iter().map(count).sum();
        let mean = |figure: fn(&Scores) -> Option<Estimate>| {
            let figures: Vec<Estimate> = sets.iter().filter_map(figure).collect();
            Estimate::over_sets(&figures)
        };
        Self {
            positions: total(|set| set.positions),
            not_lost: total(|set| set.not_lost),
            critical: total(|set| set.critical),
            error: mean(|set| set.error),
            error_not_lost: mean(|set| set.error_not_lost),
            error_critical: mean(|set| set.error_critical),
            strongest: mean(|set| set.strongest),
            brier: mean(|set| set.brier),
            log_loss: mean(|set| set.log_loss),
        }
    }
}

impl Estimate {
    /// The share of those that hold.
    fn share(all: &[bool]) -> Option<Self> {
        let count = all.len() as f64;
        let value = all.iter().filter(|holds| **holds).count() as f64 / count;
        (!all.is_empty()).then(|| Self { value, standard_error: Some((value * (1.0 - value) / count).sqrt()) })
    }

    fn mean(values: &[f64]) -> Option<Self> {
        match (values, mean_and_error(values)) {
            (&[value], _) => Some(Self { value, standard_error: None }),
            (_, found) => found.map(|(value, error)| Self { value, standard_error: Some(error) }),
        }
    }

    /// The mean of figures that know nothing of each other.
    fn over_sets(figures: &[Estimate]) -> Option<Self> {
        let count = figures.len() as f64;
        let value = figures.iter().map(|figure| figure.value).sum::<f64>() / count;
        let squares: Option<f64> = figures.iter().map(|figure| figure.standard_error.map(|error| error * error)).sum();
        (!figures.is_empty()).then(|| Self { value, standard_error: squares.map(|squares| squares.sqrt() / count) })
    }
}

/// The Brier score of a single forecast.
fn brier(chances: Chances, class: Class) -> f64 {
    let square = |chance: f32, of: Class| (f64::from(chance) - if of == class { 1.0 } else { 0.0 }).powi(2);
    square(chances.win, Class::Win) + square(chances.draw, Class::Draw) + square(chances.loss, Class::Loss)
}

/// The logarithmic loss of a single forecast, in nats. A chance that was rounded to 0 counts as the least that a float can hold, so
/// that one position does not make the mean infinite.
fn log_loss(chances: Chances, class: Class) -> f64 {
    let chance = match class {
        Class::Win => chances.win,
        Class::Draw => chances.draw,
        Class::Loss => chances.loss,
    };
    -f64::from(chance.max(f32::MIN_POSITIVE)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn judged(class: Class, is_critical: bool, preserves: bool) -> Judged {
        Judged { class, is_critical, preserves, is_strongest: false, chances: None }
    }

    fn close(found: Option<Estimate>, value: f64, error: f64) {
        let found = found.unwrap();
        let off = (found.value - value).abs().max((found.standard_error.unwrap() - error).abs());
        assert!(off < 1e-7, "{found:?} is not {value} with {error}");
    }

    /// Two wins, a draw and a loss; one win and the draw can be thrown away, and the win is.
    fn four() -> Vec<Judged> {
        vec![
            judged(Class::Win, true, false),
            Judged { is_strongest: true, ..judged(Class::Win, false, true) },
            judged(Class::Draw, true, true),
            judged(Class::Loss, false, true),
        ]
    }

    #[test]
    fn errors_are_counted_over_all_positions_those_not_lost_and_critical_ones() {
        let found = Scores::of(&four());
        assert_eq!((found.positions, found.not_lost, found.critical), (4, 3, 2));
        close(found.error, 0.25, (0.25f64 * 0.75 / 4.0).sqrt());
        close(found.error_not_lost, 1.0 / 3.0, (2.0f64 / 27.0).sqrt());
        close(found.error_critical, 0.5, 0.125f64.sqrt());
        close(found.strongest, 0.25, (0.25f64 * 0.75 / 4.0).sqrt());
        assert_eq!((found.brier, found.log_loss), (None, None), "nobody said how likely anything is");
    }

    #[test]
    fn forecasts_are_scored_against_the_class() {
        let chances = Chances { win: 0.5, draw: 0.25, loss: 0.25 };
        // (1/2)^2 + (1/4)^2 + (1/4)^2 where it is a win; (1/2)^2 + (3/4)^2 + (1/4)^2 where it is a draw or a loss.
        let scores = [Class::Win, Class::Draw, Class::Loss].map(|class| brier(chances, class));
        assert_eq!(scores, [0.375, 0.875, 0.875]);
        let losses = [Class::Win, Class::Draw, Class::Loss].map(|class| log_loss(chances, class));
        assert_eq!(losses, [2f64.ln(), 4f64.ln(), 4f64.ln()]);
        let certain = Chances { win: 0.0, draw: 0.0, loss: 1.0 };
        assert_eq!((brier(certain, Class::Win), log_loss(certain, Class::Loss)), (2.0, 0.0));
        assert!(log_loss(certain, Class::Win) > 87.0 && log_loss(certain, Class::Win).is_finite());
    }

    #[test]
    fn means_of_forecasts_have_the_error_of_a_sample() {
        let chances = Some(Chances { win: 0.5, draw: 0.25, loss: 0.25 });
        let forecast = |class| Judged { chances, ..judged(class, false, true) };
        let found = Scores::of(&[forecast(Class::Win), forecast(Class::Draw), judged(Class::Win, false, true)]);
        // 0.375 and 0.875: deviations of 0.25 from 0.625, variance 0.125 over n - 1 = 1, over n = 2 positions.
        close(found.brier, 0.625, 0.25);
        close(found.log_loss, 1.5 * 2f64.ln(), 2f64.ln() / 2.0);
        let single = Scores::of(&[forecast(Class::Win)]);
        assert_eq!(single.brier, Some(Estimate { value: 0.375, standard_error: None }));
    }

    #[test]
    fn sets_weigh_the_same_in_their_mean_whatever_their_sizes() {
        let lost = vec![judged(Class::Loss, false, true)];
        let found = Agreement::of(&[("four", four()), ("lost", lost)]);
        assert_eq!((found.sets[0].set, found.sets[1].set), ("four", "lost"));
        // A quarter and none: an eighth, with half the error of the first; a lost position has no say where nothing can be lost.
        close(found.mean.error, 0.125, (0.25f64 * 0.75 / 4.0).sqrt() / 2.0);
        assert_eq!(found.mean.error_not_lost, found.sets[0].scores.error_not_lost);
        assert_eq!((found.sets[1].scores.error_critical, found.mean.critical), (None, 2));
        assert_eq!((found.accuracy.positions, found.accuracy.value_preserving), (5, 0.8));
        let both = Scores::mean(&[found.sets[0].scores, found.sets[0].scores]);
        close(both.error_critical, 0.5, (2.0f64 * 0.125).sqrt() / 2.0);
        assert_eq!(Scores::mean(&[]), Scores::default());
    }
}
