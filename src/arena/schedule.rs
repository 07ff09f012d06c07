//! Who plays whom, in which order, and from which opening.
//!
//! Rule: in each round every pairing plays a pair of games from the same opening, one from each side; the next round takes the
//! next opening. So all pairings advance together, meet the same openings, and every opening is played from both sides. Games are
//! numbered in this order; a number says everything about a game but its moves.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::Player;

/// Which agents meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Everyone meets everyone else.
    RoundRobin,
    /// The first meets everyone else.
    Gauntlet,
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Format::RoundRobin => "round robin",
            Format::Gauntlet => "gauntlet",
        })
    }
}

/// The games of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The agents that meet, by their place in the list of agents.
    pub pairings: Vec<[usize; 2]>,
    /// Pairs of games between the two of a pairing.
    pub rounds: usize,
}

/// A game of a tournament before it is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seating {
    /// The place of its pairing in [`Schedule::pairings`].
    pub pairing: usize,
    /// Its place among the games of the pairing: in those of even place the first agent of the pairing plays for
    /// [`Player::First`].
    pub place: usize,
}

impl Schedule {
    /// The schedule of a tournament of so many agents and rounds.
    #[must_use]
    pub fn new(format: Format, agents: usize, rounds: usize) -> Self {
        let firsts = match format {
            Format::RoundRobin => agents,
            Format::Gauntlet => agents.min(1),
        };
        let pairings = (0..firsts).flat_map(|one| (one + 1..agents).map(move |other| [one, other])).collect();
        Self { pairings, rounds }
    }

    /// Games in all; their numbers are below it.
    #[must_use]
    pub fn games(&self) -> usize {
        2 * self.rounds * self.pairings.len()
    }

    /// What game `number` is.
    #[must_use]
    pub fn game(&self, number: usize) -> Seating {
        let pair = number / 2;
        Seating { pairing: pair % self.pairings.len(), place: 2 * (pair / self.pairings.len()) + number % 2 }
    }

    /// The number of a game.
    #[must_use]
    pub fn number(&self, game: Seating) -> usize {
        2 * (game.place / 2 * self.pairings.len() + game.pairing) + game.place % 2
    }

    /// The agents of game `number`, that of [`Player::First`] first.
    #[must_use]
    pub fn seats(&self, number: usize) -> [usize; 2] {
        let game = self.game(number);
        let mut seats = self.pairings[game.pairing];
        if game.place % 2 == Player::Second.index() {
            seats.swap(0, 1);
        }
        seats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_meets_everyone_or_the_first_does() {
        assert_eq!(Schedule::new(Format::RoundRobin, 3, 1).pairings, [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(Schedule::new(Format::Gauntlet, 3, 1).pairings, [[0, 1], [0, 2]]);
        assert_eq!(Schedule::new(Format::RoundRobin, 1, 5).games(), 0);
    }

    #[test]
    fn pairings_advance_together_and_swap_sides() {
        let schedule = Schedule::new(Format::RoundRobin, 3, 2);
        assert_eq!(schedule.games(), 12);
        let seats: Vec<[usize; 2]> = (0..12).map(|number| schedule.seats(number)).collect();
        let round = [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]];
        assert_eq!(seats, [round, round].concat());
        let rounds: Vec<usize> = (0..12).map(|number| schedule.game(number).place / 2).collect();
        assert_eq!(rounds, [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
        assert!((0..12).all(|number| schedule.number(schedule.game(number)) == number));
    }
}
