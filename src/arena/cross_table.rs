//! What came of a tournament: how its agents stand, and how each pairing went. It holds nothing that depends on threads or time.
//!
//! Agents stand in the order of their ratings: those above any finite difference to the anchor first, those below last, and after
//! them those who cannot be compared; within these groups, and among equals, by the share of their points, then as they were
//! named.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::ratings::{Games, Rating, ratings};
use super::schedule::{Schedule, Seating};
use super::terms::Terms;
use super::trial::Trial;
use super::{Ending, GameRecord, MatchResult, Tally};
use crate::game::Player;

/// What came of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossTable {
    /// The agents, the strongest first.
    pub places: Vec<Place>,
    /// The pairings, in the order of the schedule.
    pub pairings: Vec<Pairing>,
    /// The test that could end it, with what it says.
    pub sprt: Option<Trial>,
    /// Games that count.
    pub games: usize,
    /// Those of them that differ, ply by ply, from all others of their pairing.
    pub distinct: usize,
}

/// How an agent did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The agent.
    pub agent: String,
    /// Its strength relative to the anchor.
    #[serde(flatten)]
    pub rating: Rating,
    /// Finished games by their outcome.
    #[serde(flatten)]
    pub tally: Tally,
    /// Games that reached the game's longest length undecided.
    pub unfinished: usize,
    /// Lost games that it gave up, or in which it named an illegal move.
    pub forfeits: usize,
}

/// How a pairing went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pairing {
    /// The agent that the result is told of.
    pub agent: String,
    /// Its opponent.
    pub opponent: String,
    /// The result; games are told by their number in the tournament, counted from 1.
    #[serde(flatten)]
    pub result: MatchResult,
}

impl CrossTable {
    /// Sums up the first games of a tournament from `openings` openings, all of them or those before a test was decided. Ratings
    /// are relative to agent `anchor` of the terms.
    #[must_use]
    pub fn of(terms: &Terms, openings: usize, games: &[GameRecord], anchor: usize) -> Self {
        let schedule = terms.schedule(openings);
        let results: Vec<MatchResult> = (0..schedule.pairings.len()).map(|at| result(&schedule, at, games, openings)).collect();
        let name = |agent: usize| terms.agents[agent].name.clone();
        let ratings = ratings(terms.agents.len(), &scores(&schedule, games, openings), anchor);
        let mut places: Vec<Place> =
            ratings.into_iter().enumerate().map(|(agent, rating)| Place::new(name(agent), rating)).collect();
        for (&[one, other], result) in schedule.pairings.iter().zip(&results) {
            places[one].add(result.wins(), result.draws(), result.losses(), result, result.challenger_forfeits);
            places[other].add(
                result.losses(),
                result.draws(),
                result.wins(),
                result,
                result.forfeits - result.challenger_forfeits,
            );
        }
        places.sort_by(|one, other| one.compare(other));
        let distinct = results.iter().map(|result| result.distinct).sum();
        let pair =
            |(&[one, other], result): (&[usize; 2], MatchResult)| Pairing { agent: name(one), opponent: name(other), result };
        let pairings = schedule.pairings.iter().zip(results).map(pair).collect();
        let sprt = terms.sprt.map(|test| Trial::of(test, |number| games.get(number)));
        Self { places, pairings, sprt, games: games.len(), distinct }
    }
}

impl Place {
    fn new(agent: String, rating: Rating) -> Self {
        Self { agent, rating, tally: Tally::default(), unfinished: 0, forfeits: 0 }
    }

    fn add(&mut self, wins: usize, draws: usize, losses: usize, result: &MatchResult, forfeits: usize) {
        self.tally.wins += wins;
        self.tally.draws += draws;
        self.tally.losses += losses;
        self.unfinished += result.unfinished;
        self.forfeits += forfeits;
    }

    /// Finished games.
    #[must_use]
    pub fn finished(&self) -> usize {
        self.tally.wins + self.tally.draws + self.tally.losses
    }

    /// Points of finished games: one for a win, a half for a draw.
    #[must_use]
    pub fn points(&self) -> f64 {
        self.tally.wins as f64 + 0.5 * self.tally.draws as f64
    }

    /// `Less` where this one stands before `other`.
    fn compare(&self, other: &Self) -> Ordering {
        let share = |place: &Self| place.points() / place.finished().max(1) as f64;
        let elo = |place: &Self| place.rating.elo.unwrap_or(0.0);
        let by_standing = self.rating.standing.cmp(&other.rating.standing);
        by_standing.then(elo(other).total_cmp(&elo(self))).then(share(other).total_cmp(&share(self)))
    }
}

/// How the pairing at this place of the schedule went.
fn result(schedule: &Schedule, pairing: usize, games: &[GameRecord], openings: usize) -> MatchResult {
    let number = |place| schedule.number(Seating { pairing, place });
    let own: Vec<GameRecord> = (0..2 * schedule.rounds).map_while(|place| games.get(number(place)).cloned()).collect();
    let told = |(place, record): (usize, &GameRecord)| match &record.ending {
        Ending::Forfeited { forfeit, .. } => Some(format!("game {}: {forfeit}", number(place) + 1)),
        _ => None,
    };
    MatchResult { first_forfeit: own.iter().enumerate().find_map(told), ..MatchResult::of(&own, openings) }
}

/// The finished games, for ratings.
fn scores(schedule: &Schedule, games: &[GameRecord], openings: usize) -> Vec<Games> {
    let score = |(number, record): (usize, &GameRecord)| {
        let Seating { pairing, place } = schedule.game(number);
        let points = match record.outcome(Player::BOTH[place % 2])? {
            Ordering::Greater => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Less => 0.0,
        };
        Some(Games { players: schedule.pairings[pairing], opening: place / 2 % openings, games: 1, points })
    };
    games.iter().enumerate().filter_map(score).collect()
}
