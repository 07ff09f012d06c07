//! A sequential test over the games of two agents, pair by pair in the order of their numbers.
//!
//! Games 2k and 2k + 1 are pair k; the first agent plays for `First` in the even one. A pair with an unfinished game says nothing
//! and is left out.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::GameRecord;
use super::sprt::{Pentanomial, Sprt, Verdict};
use crate::game::Player;

/// A test in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// Pairs looked at so far, by the first agent's points.
    pub pairs: Pentanomial,
    /// Pairs left out for an unfinished game.
    pub left_out: u64,
    /// The log-likelihood ratio of H1 over H0.
    pub ratio: f64,
    /// The ratio at which H0 is accepted.
    pub lower: f64,
    /// The ratio at which H1 is accepted.
    pub upper: f64,
    /// What the pairs say.
    pub verdict: Verdict,
}

impl Trial {
    /// The test after the pairs of these games, which are given by number, as far as they are there without a gap.
    #[must_use]
    pub fn of<'a>(test: Sprt, games: impl Fn(usize) -> Option<&'a GameRecord>) -> Self {
        let (lower, upper) = test.bounds();
        let mut trial = Self { test, pairs: [0; 5], left_out: 0, ratio: 0.0, lower, upper, verdict: Verdict::Undecided };
        trial.advance(games);
        trial
    }

    /// Looks at the pairs that have come since, until one decides the test.
    pub fn advance<'a>(&mut self, games: impl Fn(usize) -> Option<&'a GameRecord>) {
        while !self.is_decided()
            && let (Some(one), Some(other)) = (games(self.games()), games(self.games() + 1))
        {
            match (half_points(one, Player::First), half_points(other, Player::Second)) {
                (Some(one), Some(other)) => {
                    self.pairs[one + other] += 1;
                    self.ratio = self.test.ratio(&self.pairs);
                    self.verdict = self.test.verdict(&self.pairs);
                }
                _ => self.left_out += 1,
            }
        }
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.verdict != Verdict::Undecided
    }

    /// The number of games it has looked at.
    #[must_use]
    pub fn games(&self) -> usize {
        2 * (self.pairs.iter().sum::<u64>() + self.left_out) as usize
    }
}

/// 2 for a win of `player`, 1 for a draw, 0 for a loss.
fn half_points(record: &GameRecord, player: Player) -> Option<usize> {
    record.outcome(player).map(|outcome| match outcome {
        Ordering::Greater => 2,
        Ordering::Equal => 1,
        Ordering::Less => 0,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::arena::Ending;
    use crate::game::Payoff;

    fn game(payoff: Option<Payoff>) -> GameRecord {
        GameRecord { start: None, steps: Vec::new(), ending: payoff.map_or(Ending::Unfinished, Ending::Over) }
    }

    /// The first agent's points of its games as First and as Second, in halves; 3 for an unfinished game.
    fn games(results: &[[usize; 2]]) -> BTreeMap<usize, GameRecord> {
        let payoff = |half: usize, side| [Some(-1.0), Some(0.0), Some(1.0), None][half].map(|won| Payoff::zero_sum(side, won));
        let both = |&[one, other]: &[usize; 2]| [payoff(one, Player::First), payoff(other, Player::Second)];
        results.iter().flat_map(both).map(game).enumerate().collect()
    }

    fn test() -> Sprt {
        Sprt::new(0.0, 400.0, 0.05, 0.05).unwrap()
    }

    #[test]
    fn pairs_are_counted_by_the_first_agents_points_on_both_sides() {
        let played = games(&[[2, 2], [2, 1], [0, 2], [2, 0], [1, 1], [0, 1], [0, 0], [3, 2], [2, 3]]);
        let trial = Trial::of(test(), |number| played.get(&number));
        assert_eq!((trial.pairs, trial.left_out, trial.games()), ([1, 1, 3, 1, 1], 2, 18));
        assert!(!trial.is_decided());
    }

    #[test]
    fn nothing_beyond_a_gap_or_the_decision_is_looked_at() {
        let won = games(&[[2, 2]; 40]);
        let decided = Trial::of(test(), |number| won.get(&number));
        assert_eq!(decided.verdict, Verdict::H1);
        assert!((16..80).contains(&decided.games()));
        let mut gap = won.clone();
        gap.remove(&7);
        let mut trial = Trial::of(test(), |number| gap.get(&number));
        assert_eq!(trial.games(), 6);
        // What fills the gap leads to the same decision, whatever had come before.
        gap.insert(7, won[&7].clone());
        trial.advance(|number| gap.get(&number));
        assert_eq!(trial, decided);
    }
}
