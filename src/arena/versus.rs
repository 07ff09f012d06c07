//! A match: many games between two kinds of agent, on several threads.
//!
//! Rule: games 2k and 2k + 1 start from opening k with sides swapped, so that no opening favours anybody. Every game has its own
//! agents and its own random stream, and results are kept by index: the outcome does not depend on the number of threads.

use std::sync::atomic::AtomicBool;

use super::adjudication::Adjudication;
use super::duel::{AgentPanic, Conditions, GameRecord, Played, play_afresh};
use super::queue;
use super::result::MatchResult;
use crate::agent::AgentFactory;
use crate::game::{Game, Player, Position};
use crate::rng;

/// A match to be played.
pub struct Match<'a, G: Game> {
    /// Positions to start from; game pair k takes opening k, and the first one again after the last.
    pub openings: &'a [Position<G>],
    /// How many games; odd numbers leave the last opening played from one side only.
    pub games: usize,
    /// Makes the player whose result is told.
    pub challenger: &'a AgentFactory<G>,
    /// Makes the player it is measured against.
    pub opponent: &'a AgentFactory<G>,
    /// Game i draws from the stream `(seed, "match", i)`.
    pub seed: u64,
    /// Games played at the same time; 0 counts as 1.
    pub threads: usize,
    /// Raised by someone else to end the match early: games in hand are then abandoned and no more begin.
    pub stop: &'a AtomicBool,
}

/// Why a match has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArenaError {
    /// There is nothing to start from.
    #[error("a match needs at least one opening")]
    NoOpenings,
    /// An agent panicked while it was made or while it chose a move.
    #[error("in game {game} of the match {panic}")]
    Panicked {
        /// The index of the game.
        game: usize,
        /// Which agent, and what it said.
        panic: AgentPanic,
    },
    /// Something else than an agent panicked: the rules, or the observer of games.
    #[error("a thread of the match panicked: {message}")]
    Broken {
        /// What it said.
        message: String,
    },
}

/// The side of the challenger in game `index`.
#[must_use]
pub(super) fn challenger(index: usize) -> Player {
    Player::BOTH[index % 2]
}

impl<G: Game> Match<'_, G> {
    /// Plays the match. `on_game` hears the index of every game that has ended, from any thread and in any order.
    ///
    /// # Errors
    /// Without openings, and when an agent panics: the other games are then abandoned at their next ply.
    pub fn play(&self, on_game: &(dyn Fn(usize) + Sync)) -> Result<MatchResult, ArenaError> {
        self.records(on_game).map(|records| MatchResult::of(&records, self.openings.len()))
    }

    /// Plays the match and returns its games in order.
    ///
    /// # Errors
    /// As [`Match::play`].
    pub fn records(&self, on_game: &(dyn Fn(usize) + Sync)) -> Result<Vec<GameRecord>, ArenaError> {
        if self.openings.is_empty() {
            return Err(ArenaError::NoOpenings);
        }
        let numbers: Vec<usize> = (0..self.games).collect();
        let played = queue::play_all(&numbers, self.threads, self.stop, &|index, goes_on| {
            let record = self.game(index, goes_on).map_err(|panic| ArenaError::Panicked { game: index, panic })?;
            record.iter().for_each(|_| on_game(index));
            Ok::<_, ArenaError>(record)
        })?;
        Ok(played.into_iter().map(|(_, record)| record).collect())
    }

    /// Plays game `index`; nothing if it was abandoned.
    fn game(&self, index: usize, goes_on: &dyn Fn() -> bool) -> Result<Option<GameRecord>, AgentPanic> {
        let mut makers = [("challenger", self.challenger), ("opponent", self.opponent)];
        if challenger(index) == Player::Second {
            makers.swap(0, 1);
        }
        let opening = &self.openings[index / 2 % self.openings.len()];
        let conditions = Conditions { goes_on, adjudication: Adjudication::default() };
        let played = play_afresh(opening, makers, &mut rng::stream(self.seed, "match", index as u64), conditions)?;
        Ok(played.map(|Played { record, .. }| record))
    }
}
