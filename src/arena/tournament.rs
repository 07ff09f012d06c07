//! A tournament: many agents, many games, on all cores, begun anew or gone on with.
//!
//! Rule: game n draws from the stream `(seed, "tournament", n)` and has agents of its own, so that it is a function of the terms
//! of the tournament alone: no agent takes anything from one game to another. All games wait in one queue and go to disk as they
//! end. A test that may end the tournament early looks at pairs of games in the order of their numbers, and a pair only after all
//! before it; games beyond the pair that decides it are not counted. So neither threads nor interruptions change the outcome.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::archive::{Archive, Archived};
use super::duel::{Conditions, Played, play_afresh};
use super::queue;
use super::schedule::Schedule;
use super::terms::Terms;
use super::trial::Trial;
use super::{AgentPanic, ArenaError, GameRecord};
use crate::agent::AgentFactory;
use crate::game::{Game, Notation, Position};
use crate::rng;
use crate::storage::{StorageError, patiently};

/// A tournament to be played.
pub struct Tournament<'a, G: Game> {
    /// What its games are a function of.
    pub terms: &'a Terms,
    /// Makes the agents, in the order of the terms.
    pub agents: &'a [AgentFactory<G>],
    /// Positions to start from; round k takes opening k, and the first one again after the last.
    pub openings: &'a [Position<G>],
    /// Writes down where openings start that do not start at the initial position.
    pub notation: Option<&'a dyn Notation<State = G::State>>,
    /// Games played at the same time; 0 counts as 1.
    pub threads: usize,
    /// Waits for room on a full disk, and says whether to try again.
    pub on_full: &'a (dyn Fn(&StorageError) -> bool + Sync),
}

/// Why a tournament has no result.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// An agent panicked while it was made or while it chose a move.
    #[error("in game {} of the tournament {panic}", number + 1)]
    Panicked {
        /// The number of the game, counted from 0.
        number: usize,
        /// Which agent, and what it said.
        panic: AgentPanic,
    },
    /// Something else than an agent failed.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// A game could not be kept.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// What threads share: the games so far, and what a test says of them.
struct Ledger<'a> {
    archive: &'a mut Archive,
    trial: Option<Trial>,
}

impl<G: Game> Tournament<'_, G> {
    /// Plays what is not in `archive` yet. Returns all games that count, in order; nothing where `stop` was raised before they
    /// were played.
    ///
    /// `on_game` is told (done, total) games: once for those in the archive, then of each that ends.
    ///
    /// # Errors
    /// Without openings, when an agent panics, and when a game cannot be kept: the other games are then abandoned at their next
    /// ply. What is in the archive stays there.
    pub fn play(
        &self,
        archive: &mut Archive,
        stop: &AtomicBool,
        on_game: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Option<Vec<GameRecord>>, TournamentError> {
        if self.openings.is_empty() {
            return Err(ArenaError::NoOpenings.into());
        }
        let schedule = self.terms.schedule(self.openings.len());
        let trial = self.terms.sprt.map(|test| Trial::of(test, |number| archive.games().get(&number)));
        let is_decided = AtomicBool::new(trial.as_ref().is_some_and(Trial::is_decided));
        let is_wanted = |number: &usize| !is_decided.load(Ordering::Relaxed) && !archive.games().contains_key(number);
        let todo: Vec<usize> = (0..schedule.games()).filter(is_wanted).collect();
        on_game(archive.games().len(), schedule.games());
        let ledger = Mutex::new(Ledger { archive, trial });
        queue::play_all(&todo, self.threads, stop, &|number, goes_on| {
            let goes_on = || goes_on() && !is_decided.load(Ordering::Relaxed);
            let game = self.game(&schedule, number, &goes_on).map_err(|panic| TournamentError::Panicked { number, panic })?;
            let Some(game) = game else { return Ok(None) };
            // A panic in another thread, which ends the tournament by itself, leaves it as it was.
            let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
            is_decided.fetch_or(ledger.enter(&game, self.on_full)?, Ordering::Relaxed);
            on_game(ledger.archive.games().len(), schedule.games());
            Ok::<_, TournamentError>(Some(()))
        })?;
        let Ledger { archive, trial } = ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        archive.sync()?;
        let counted = trial.filter(Trial::is_decided).map_or(schedule.games(), |trial| trial.games());
        // A game that is missing was abandoned.
        Ok((0..counted).map(|number| archive.games().get(&number).cloned()).collect())
    }

    /// Plays game `number`; nothing if it was abandoned.
    fn game(&self, schedule: &Schedule, number: usize, goes_on: &dyn Fn() -> bool) -> Result<Option<Archived>, AgentPanic> {
        let round = schedule.game(number).place / 2;
        let opening = &self.openings[round % self.openings.len()];
        let makers = schedule.seats(number).map(|agent| (self.terms.agents[agent].name.as_str(), &self.agents[agent]));
        let conditions = Conditions { goes_on, adjudication: self.terms.adjudication };
        let played = play_afresh(opening, makers, &mut rng::stream(self.terms.seed, "tournament", number as u64), conditions)?;
        let archived = |Played { record, remarks }| {
            let record = GameRecord { start: self.start(opening), ..record };
            Archived { number, opening: opening.steps().len(), record, remarks }
        };
        Ok(played.map(archived))
    }

    /// Where an opening starts, unless that is the initial position.
    fn start(&self, opening: &Position<G>) -> Option<String> {
        let notation = self.notation.filter(|_| *opening.start() != opening.game().initial())?;
        Some(notation.write(opening.start()))
    }
}

impl Ledger<'_> {
    /// Keeps a game. Returns whether the test, if there is one, is decided now.
    fn enter(&mut self, game: &Archived, on_full: &dyn Fn(&StorageError) -> bool) -> Result<bool, StorageError> {
        patiently(|| self.archive.add(game), on_full)?;
        let Some(trial) = &mut self.trial else { return Ok(false) };
        trial.advance(|number| self.archive.games().get(&number));
        Ok(trial.is_decided())
    }
}
