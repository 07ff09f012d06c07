//! A match: many games between two kinds of agent, on several threads.
//!
//! Rule: games 2k and 2k + 1 start from opening k with sides swapped, so that no opening favours anybody. Every game has its own
//! agents and its own random stream, and results are kept by index: the outcome does not depend on the number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::duel::{AgentPanic, GameRecord, guard, panic_message, play_game};
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
        let queue = Queue { next: AtomicUsize::new(0), games: self.games, failed: AtomicBool::new(false) };
        let joined: Vec<_> = thread::scope(|scope| {
            let work = || self.work(&queue, on_game);
            let threads: Vec<_> = (0..self.threads.clamp(1, self.games.max(1))).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
        });
        let mut played = Vec::with_capacity(self.games);
        for result in joined {
            let broken = |payload: Box<dyn std::any::Any + Send>| ArenaError::Broken { message: panic_message(payload.as_ref()) };
            played.extend(result.map_err(broken)??);
        }
        played.sort_unstable_by_key(|(index, _)| *index);
        Ok(played.into_iter().map(|(_, record)| record).collect())
    }

    /// Plays games of the queue until none is left or somebody failed.
    fn work(&self, queue: &Queue, on_game: &(dyn Fn(usize) + Sync)) -> Result<Vec<(usize, GameRecord)>, ArenaError> {
        let alarm = Alarm(queue);
        let mut played = Vec::new();
        while let Some(index) = queue.next() {
            let game = self.game(index, queue).map_err(|panic| ArenaError::Panicked { game: index, panic })?;
            let Some(record) = game else { break };
            on_game(index);
            played.push((index, record));
        }
        alarm.disarm();
        Ok(played)
    }

    /// Plays game `index`; nothing if it was abandoned.
    fn game(&self, index: usize, queue: &Queue) -> Result<Option<GameRecord>, AgentPanic> {
        let make = |factory: &AgentFactory<G>, role: &str| {
            guard(|| factory()).map_err(|message| AgentPanic { agent: format!("{role} (while it was made)"), message })
        };
        let mut agents = [make(self.challenger, "challenger")?, make(self.opponent, "opponent")?];
        if challenger(index) == Player::Second {
            agents.swap(0, 1);
        }
        let opening = &self.openings[index / 2 % self.openings.len()];
        play_game(opening, &mut agents, &mut rng::stream(self.seed, "match", index as u64), &|| queue.goes_on())
    }
}

/// The games still to be played.
struct Queue {
    next: AtomicUsize,
    games: usize,
    failed: AtomicBool,
}

impl Queue {
    fn next(&self) -> Option<usize> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        (index < self.games && self.goes_on()).then_some(index)
    }

    fn goes_on(&self) -> bool {
        !self.failed.load(Ordering::Relaxed)
    }
}

/// Ends the match for all threads when its own leaves early, by an error or by a panic.
struct Alarm<'a>(&'a Queue);

impl Alarm<'_> {
    fn disarm(self) {
        std::mem::forget(self);
    }
}

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        self.0.failed.store(true, Ordering::Relaxed);
    }
}
