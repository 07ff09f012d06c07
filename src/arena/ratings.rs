//! Ratings of many players by maximum likelihood, in Elo points relative to one of them, the anchor.
//!
//! Rule: player i scores against player j with probability p = 1 / (1 + 10^(-(elo_i - elo_j) / 400)) (R. A. Bradley and M. E.
//! Terry, "Rank analysis of incomplete block designs", 1952; E. Zermelo had it in 1929), and the ratings are those that make the
//! results likeliest. A draw counts as half a win for each. Who moves first has no part in it: pairs of games from both sides
//! cancel that.
//!
//! The likelihood has a maximum exactly where everyone has scored against everyone else, directly or through others (L. R. Ford,
//! "Solution of a ranking problem from binary comparisons", 1957). That splits the players into groups; the anchor's group is
//! rated. Of the others, those that scored against the anchor through whomever, and not the reverse, are above any finite
//! difference; the mirror image is below; the rest cannot be compared. No number is made up for them.
//!
//! The errors are those of a sandwich estimate with a cluster an opening: all games from it may depend on each other, those of
//! different openings do not (H. White, "Maximum likelihood estimation of misspecified models", 1982; with the factor m / (m - 1)
//! of [`super::statistics::clustered`], with which they agree for two players). Where there are no more openings than rated
//! players, or all openings are alike, they come from the observed information, which takes games as independent and draws for
//! half wins.
//!
//! Cost: Newton's method, a system of linear equations a step, cubic in the players; some ten steps.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::statistics::Z_95;

/// Elo points a unit of log odds.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Newton's steps, at most; the likelihood is concave, so that some ten are enough.
const STEPS: usize = 200;
/// A step, in log odds, that changes nothing any more.
const CONVERGED: f64 = 1e-12;
/// What rounding may take from a log-likelihood, as a share of it.
const ROUNDING: f64 = 1e-13;
/// A variance this small beside that of independent games is zero but for rounding: all openings are alike.
const ALIKE: f64 = 1e-12;

/// Finished games between two players from one opening.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Games {
    /// The players, who differ.
    pub players: [usize; 2],
    /// The opening.
    pub opening: usize,
    /// Games.
    pub games: usize,
    /// Points of the first of the two players: its wins and half its draws. The rest of the games are the other's points.
    pub points: f64,
}

/// Where a player stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// Elo points above the anchor; absent where no finite number is likeliest.
    pub elo: Option<f64>,
    /// Half the width of its 95 % confidence interval.
    pub error: Option<f64>,
    /// What the absence of a number means.
    pub standing: Standing,
}

/// How a player compares with the anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It gave nothing away to the anchor, directly or through others: the likeliest difference is infinite.
    Above,
    /// By a finite difference.
    Rated,
    /// The anchor gave nothing away to it.
    Below,
    /// No chain of points leads from one to the other.
    Incomparable,
}

/// The ratings of `players` players from their games, relative to player `anchor`.
#[must_use]
pub fn ratings(players: usize, games: &[Games], anchor: usize) -> Vec<Rating> {
    let standings = standings(players, games, anchor);
    // The anchor is no unknown, and has no place.
    let mut places = vec![None; players];
    let rated = (0..players).filter(|&player| player != anchor && standings[player] == Standing::Rated);
    rated.enumerate().for_each(|(place, player)| places[player] = Some(place));
    let group = Group::new(&standings, places, games);
    let likeliest = group.likeliest();
    let variances = group.variances(&likeliest);
    let rate = |player: usize| {
        let of = |numbers: &[f64]| group.places[player].map_or(0.0, |place| numbers[place]);
        let is_rated = standings[player] == Standing::Rated;
        Rating {
            elo: is_rated.then(|| ELO * of(&likeliest)),
            error: is_rated.then(|| Z_95 * ELO * of(&variances).sqrt()),
            standing: standings[player],
        }
    };
    (0..players).map(rate).collect()
}

/// How everyone compares with the anchor, by who has scored against whom.
fn standings(players: usize, games: &[Games], anchor: usize) -> Vec<Standing> {
    let mut scored = vec![vec![false; players]; players];
    for part in games {
        let [one, other] = part.players;
        scored[one][other] |= part.points > 0.0;
        scored[other][one] |= part.points < part.games as f64;
    }
    // Warshall's transitive closure.
    for through in 0..players {
        let beyond = scored[through].clone();
        for row in scored.iter_mut().filter(|row| row[through]) {
            row.iter_mut().zip(&beyond).for_each(|(reached, more)| *reached |= more);
        }
    }
    let compare = |player: usize| match (scored[player][anchor], scored[anchor][player]) {
        _ if player == anchor => Standing::Rated,
        (true, true) => Standing::Rated,
        (true, false) => Standing::Above,
        (false, true) => Standing::Below,
        (false, false) => Standing::Incomparable,
    };
    (0..players).map(compare).collect()
}

/// The players who have ratings, with the games among them. Vectors hold a number a player but the anchor, whose rating is 0.
struct Group<'a> {
    /// Of each player; none for the anchor and those without rating.
    places: Vec<Option<usize>>,
    unknowns: usize,
    games: Vec<&'a Games>,
}

impl<'a> Group<'a> {
    fn new(standings: &[Standing], places: Vec<Option<usize>>, games: &'a [Games]) -> Self {
        let among = |part: &&Games| part.games > 0 && part.players.iter().all(|&player| standings[player] == Standing::Rated);
        Self { unknowns: places.iter().flatten().count(), places, games: games.iter().filter(among).collect() }
    }

    /// The log odds of the first of two players.
    fn odds(&self, ratings: &[f64], [one, other]: [usize; 2]) -> f64 {
        let rating = |player: usize| self.places[player].map_or(0.0, |place| ratings[place]);
        rating(one) - rating(other)
    }

    fn log_likelihood(&self, ratings: &[f64]) -> f64 {
        let log_chance = |odds: f64| -(-odds).exp().ln_1p();
        let of = |part: &&Games| {
            let odds = self.odds(ratings, part.players);
            part.points * log_chance(odds) + (part.games as f64 - part.points) * log_chance(-odds)
        };
        self.games.iter().map(of).sum()
    }

    /// Adds the derivatives of the log-likelihood of some games to `gradient`: what was scored beyond what was expected.
    fn add_gradient(&self, ratings: &[f64], part: &Games, gradient: &mut [f64]) {
        let surplus = part.points - part.games as f64 * chance(self.odds(ratings, part.players));
        for (player, surplus) in part.players.into_iter().zip([surplus, -surplus]) {
            if let Some(place) = self.places[player] {
                gradient[place] += surplus;
            }
        }
    }

    /// The observed information: minus the second derivatives of the log-likelihood.
    fn information(&self, ratings: &[f64]) -> Vec<Vec<f64>> {
        let mut information = vec![vec![0.0; self.unknowns]; self.unknowns];
        for part in &self.games {
            let odds = self.odds(ratings, part.players);
            let weight = part.games as f64 * chance(odds) * chance(-odds);
            let [one, other] = part.players.map(|player| self.places[player]);
            for place in [one, other].into_iter().flatten() {
                information[place][place] += weight;
            }
            if let (Some(one), Some(other)) = (one, other) {
                information[one][other] -= weight;
                information[other][one] -= weight;
            }
        }
        information
    }

    /// The ratings, in log odds, that make the games likeliest: Newton's method, with steps halved until they gain.
    fn likeliest(&self) -> Vec<f64> {
        let mut ratings = vec![0.0; self.unknowns];
        let mut likelihood = self.log_likelihood(&ratings);
        for _ in 0..STEPS {
            let mut gradient = vec![0.0; self.unknowns];
            self.games.iter().for_each(|part| self.add_gradient(&ratings, part, &mut gradient));
            let mut step = solve(self.information(&ratings), gradient);
            loop {
                let longest = step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
                if longest <= CONVERGED {
                    return ratings;
                }
                let next: Vec<f64> = ratings.iter().zip(&step).map(|(rating, part)| rating + part).collect();
                let gained = self.log_likelihood(&next);
                if gained >= likelihood - ROUNDING * likelihood.abs() {
                    (ratings, likelihood) = (next, gained);
                    break;
                }
                step.iter_mut().for_each(|part| *part /= 2.0);
            }
        }
        ratings
    }

    /// The variances of the likeliest ratings.
    fn variances(&self, ratings: &[f64]) -> Vec<f64> {
        let mut openings = BTreeMap::new();
        for part in &self.games {
            let gradient = openings.entry(part.opening).or_insert_with(|| vec![0.0; self.unknowns]);
            self.add_gradient(ratings, part, gradient);
        }
        let (information, count) = (self.information(ratings), openings.len() as f64);
        let variance = |place: usize| {
            let mut unit = vec![0.0; self.unknowns];
            unit[place] = 1.0;
            // A column of the inverse of the information; its entry here is the variance if games are independent.
            let column = solve(information.clone(), unit);
            let pull = |gradient: &Vec<f64>| column.iter().zip(gradient).map(|(weight, surplus)| weight * surplus).sum::<f64>();
            let clustered = || count / (count - 1.0) * openings.values().map(|gradient| pull(gradient).powi(2)).sum::<f64>();
            let has_spread = |clustered: &f64| *clustered > ALIKE * column[place];
            (openings.len() > self.unknowns + 1).then(clustered).filter(has_spread).unwrap_or(column[place])
        };
        (0..self.unknowns).map(variance).collect()
    }
}

/// The probability that has these log odds.
fn chance(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// Solves a system of linear equations by elimination. The matrix is symmetric and positive definite, so that no rows need change
/// places.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for column in 0..size {
        let pivot = matrix[column].clone();
        for row in column + 1..size {
            // Rounding must not make a positive pivot none.
            let factor = matrix[row][column] / pivot[column].max(f64::MIN_POSITIVE);
            matrix[row].iter_mut().zip(&pivot).skip(column).for_each(|(to, from)| *to -= factor * from);
            right[row] -= factor * right[column];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row].max(f64::MIN_POSITIVE);
    }
    right
}
