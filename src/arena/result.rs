//! What came of a match, seen from the challenger. It holds nothing that depends on threads or time.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::statistics::{self, EloDifference, Share};
use super::versus;
use super::{Ending, GameRecord};
use crate::game::Player;

/// Finished games counted by their outcome for the challenger: more points than the opponent's are a win.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Games won.
    pub wins: usize,
    /// Games drawn.
    pub draws: usize,
    /// Games lost.
    pub losses: usize,
}

/// What came of a match, seen from the challenger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// Games played, finished or not.
    pub games: usize,
    /// Finished games in which the challenger was [`Player::First`], who opens the initial position (not always the opening).
    pub as_first: Tally,
    /// Finished games in which the challenger was [`Player::Second`].
    pub as_second: Tally,
    /// Games that reached the game's longest length undecided: neither drawn nor scored.
    pub unfinished: usize,
    /// Games that ended early because both players agreed how they would end. They count by that above.
    pub adjudicated: usize,
    /// Games lost by giving up or by an illegal move, whoever lost them. They count as lost and won above.
    pub forfeits: usize,
    /// Those that the challenger lost.
    pub challenger_forfeits: usize,
    /// Who gave up the first of these games, and why.
    pub first_forfeit: Option<String>,
    /// Different openings they started from.
    pub openings: usize,
    /// Different games: different sequences of plies, or of a different start.
    pub distinct: usize,
    /// Points of the challenger in finished games, `(utility + 1) / 2` each.
    pub points: f64,
    /// Points of the opponent in finished games.
    pub opponent_points: f64,
    /// Points of the challenger a finished game, with an interval over openings; absent where no game was
    /// finished.
    pub share: Option<Share>,
    /// How much stronger the challenger is, by that share.
    pub elo: EloDifference,
    /// The likelihood that it is stronger at all, by those points; absent where no game was finished.
    pub superiority: Option<f64>,
    /// Mean length of all games in plies, openings included; 0 without games.
    pub mean_plies: f64,
}

impl MatchResult {
    /// Sums up the games of a match, in its order: the challenger is `First` in games of even index, and each pair of games has
    /// the next of so many openings.
    #[must_use]
    pub fn of(records: &[GameRecord], openings: usize) -> Self {
        let (mut tallies, mut points, mut opponent_points) = ([Tally::default(); 2], 0.0, 0.0);
        let mut clusters = vec![(0.0, 0); records.len().div_ceil(2).min(openings)];
        for (index, record) in records.iter().enumerate() {
            let side = versus::challenger(index);
            let (Some(own), Some(other)) = (record.score(side), record.score(side.other())) else { continue };
            record.outcome(side).into_iter().for_each(|outcome| tallies[side.index()].count(outcome));
            points += own;
            opponent_points += other;
            let opening = index / 2 % clusters.len();
            clusters[opening].0 += own;
            clusters[opening].1 += 1;
        }
        let share = statistics::share(&clusters);
        let forfeits: Vec<(bool, String)> =
            records.iter().enumerate().filter_map(|(index, record)| forfeit(index, record)).collect();
        Self {
            games: records.len(),
            as_first: tallies[Player::First.index()],
            as_second: tallies[Player::Second.index()],
            unfinished: records.iter().filter(|record| record.ending == Ending::Unfinished).count(),
            adjudicated: records.iter().filter(|record| matches!(record.ending, Ending::Adjudicated(_))).count(),
            forfeits: forfeits.len(),
            challenger_forfeits: forfeits.iter().filter(|(by_challenger, _)| *by_challenger).count(),
            first_forfeit: forfeits.into_iter().next().map(|(_, told)| told),
            openings: clusters.len(),
            distinct: records.iter().map(|record| (&record.start, &record.steps)).collect::<HashSet<_>>().len(),
            points,
            opponent_points,
            share,
            elo: EloDifference::of(share),
            superiority: statistics::superiority(&clusters),
            mean_plies: records.iter().map(|record| record.steps.len()).sum::<usize>() as f64 / records.len().max(1) as f64,
        }
    }

    /// Games won by the challenger on either side.
    #[must_use]
    pub fn wins(&self) -> usize {
        self.as_first.wins + self.as_second.wins
    }

    /// Games drawn.
    #[must_use]
    pub fn draws(&self) -> usize {
        self.as_first.draws + self.as_second.draws
    }

    /// Games lost by the challenger on either side.
    #[must_use]
    pub fn losses(&self) -> usize {
        self.as_first.losses + self.as_second.losses
    }
}

impl Tally {
    fn count(&mut self, outcome: Ordering) {
        match outcome {
            Ordering::Greater => self.wins += 1,
            Ordering::Equal => self.draws += 1,
            Ordering::Less => self.losses += 1,
        }
    }
}

/// Whether the challenger forfeited game `index`, and the forfeit as text; nothing where nobody did.
fn forfeit(index: usize, record: &GameRecord) -> Option<(bool, String)> {
    match &record.ending {
        Ending::Forfeited { loser, forfeit } => Some((*loser == versus::challenger(index), format!("game {index}: {forfeit}"))),
        _ => None,
    }
}
