//! One run from its first game to its last network, however often it is interrupted.
//!
//! Rule: a run is a chain of steps, each of which begins from what the one before committed (`state`) and from nothing else. So a
//! run that was killed and resumed takes the same steps as one that was not.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::clock::Limits;
use super::event::{Event, Observer};
use super::retention::prune;
use super::state::{Next, Saved, State};
use super::{Config, Folder, Judge, TrainError};
use crate::game::Game;
use crate::net::{Checkpoint, Device, Header, Network, kernel};
use crate::storage::{Kind, StorageError, patiently, rest, write_atomic, write_sealed};

/// A run to be made, or to go on with.
pub struct Run<'a, G: Game> {
    /// The rules.
    pub game: &'a Arc<G>,
    /// What the run is a function of.
    pub config: &'a Config,
    /// The same as text (TOML), which the folder keeps.
    pub text: &'a str,
    /// Where it is kept.
    pub folder: &'a Folder,
    /// What a new run begins with; one that goes on has its own network.
    pub start: Start,
    /// Where tensors live.
    pub device: &'a Device,
    /// Worker threads. They change nothing but the time it takes.
    pub threads: usize,
    /// How long the run may take, what it took before an interruption included, until no further iteration begins; what is none stays as it was.
    pub limits: Limits,
    /// Whether the run may go on with another kernel than it was made with.
    pub allow_kernel_change: bool,
    /// Who measures the networks.
    pub judges: Vec<Box<dyn Judge + 'a>>,
    /// Who is told.
    pub observer: &'a dyn Observer,
    /// Raised by somebody else to end the run between two games or optimizer steps.
    pub stop: &'a AtomicBool,
    /// How long to wait for room on a full disk before trying again.
    pub patience: Duration,
}

/// What a new run begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// A network of random parameters.
    Fresh,
    /// The network of this file.
    From(PathBuf),
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Iterations done.
    pub iterations: u32,
    /// The newest network.
    pub latest: PathBuf,
    /// The best network by its matches, where there were any.
    pub best: Option<PathBuf>,
    /// Whether there was anything left to do.
    pub went_on: bool,
}

impl<G: Game> Run<'_, G> {
    /// Makes the run, or goes on with the one that the folder holds.
    ///
    /// # Errors
    /// When files cannot be read or written, something changed that may not, a worker panics, training diverges, a judge fails, or
    /// somebody said stop. What was committed before stays, and a run can go on from there.
    pub fn run(mut self) -> Result<Summary, TrainError> {
        let mut state = self.begin()?;
        let went_on = state.progress.next != Next::End;
        loop {
            match state.progress.next {
                Next::Iteration { progress } => self.iterate(&mut state, progress)?,
                Next::Evaluation => self.evaluate(&mut state)?,
                Next::End => break,
            }
            self.commit(&mut state)?;
            if let Err(error) = prune(self.folder, &self.config.retention, &state.progress) {
                self.observer.warn(&error.to_string());
            }
        }
        let best = state.progress.best.map(|_| self.folder.best());
        Ok(Summary { iterations: state.progress.iteration, latest: self.folder.latest(), best, went_on })
    }

    /// The next iteration, or none where the run is over.
    pub(super) fn plan(&self, state: &State<G>) -> Option<Next> {
        let iterations = f64::from(state.progress.iteration) / f64::from(self.config.train.iterations);
        let progress = iterations.max(state.progress.limits.passed(&state.clock));
        (progress < 1.0).then_some(Next::Iteration { progress })
    }

    /// What comes when everything planned so far is done.
    pub(super) fn ahead(&self, state: &mut State<G>) -> Result<Next, TrainError> {
        if let Some(next) = self.plan(state) {
            return Ok(next);
        }
        let (iterations, seconds) = (state.progress.iteration, state.clock.seconds());
        self.tell(state, &Event::Finished { iterations, seconds })?;
        Ok(Next::End)
    }

    /// What comes after an iteration: the last network is always evaluated.
    pub(super) fn after_iteration(&self, state: &State<G>) -> Next {
        let is_due = state.progress.iteration.is_multiple_of(self.config.evaluation.every);
        // One look at the clock says whether this was the last network.
        self.plan(state).filter(|_| !is_due).unwrap_or(Next::Evaluation)
    }

    /// Saves where the run stands. From here on everything written before counts.
    pub(super) fn commit(&self, state: &mut State<G>) -> Result<(), TrainError> {
        state.progress.seconds = state.clock.seconds();
        state.progress.core_seconds = state.clock.core_seconds().unwrap_or(state.progress.core_seconds);
        self.patiently(|| state.metrics.sync())?;
        state.progress.metrics = state.metrics.length();
        state.progress.steps = state.learner.steps();
        let saved = Saved {
            config: self.text.to_owned(),
            kernel: kernel(&self.config.train.device),
            progress: state.progress.clone(),
            network: self.network_file(state)?,
            trained: state.learner.trained().map(|network| self.file_of(state, network)).transpose()?,
            optimizer: state.learner.optimizer_state().map_err(|what| StorageError::damaged(&self.folder.state(), what))?,
            uses: state.replay.uses(),
        };
        self.patiently(|| write_sealed(self.folder.disk(), &self.folder.state(), Kind::State, &saved))
    }

    /// Publishes the network as it stands.
    pub(super) fn publish(&self, state: &State<G>) -> Result<(), TrainError> {
        let bytes = self.network_file(state)?;
        self.patiently(|| write_atomic(self.folder.disk(), &self.folder.net(state.progress.iteration), &bytes))?;
        self.patiently(|| write_atomic(self.folder.disk(), &self.folder.latest(), &bytes))
    }

    /// The content of the file of the network to be published.
    pub(super) fn network_file(&self, state: &State<G>) -> Result<Vec<u8>, StorageError> {
        self.file_of(state, state.learner.network())
    }

    /// The content of the file of a network that the learner has come to.
    fn file_of(&self, state: &State<G>, network: &Network) -> Result<Vec<u8>, StorageError> {
        let (seed, progress) = (self.config.train.seed, &state.progress);
        let header = Header::new(state.learner.architecture(), seed, progress.iteration, progress.games, state.learner.steps());
        let header = Header { parent: progress.parent.clone(), ..header };
        let bytes = Checkpoint { header, network: network.clone() }.to_bytes();
        bytes.map_err(|what| StorageError::damaged(&self.folder.net(progress.iteration), what))
    }

    /// Tells an event to the file of events and to the observer.
    pub(super) fn tell(&self, state: &mut State<G>, event: &Event) -> Result<(), TrainError> {
        self.patiently(|| state.metrics.append(event))?;
        self.observer.event(event);
        Ok(())
    }

    /// Does something that may need room on the disk, waiting for room as long as there is none and nobody says stop.
    pub(super) fn patiently<T>(&self, act: impl FnMut() -> Result<T, StorageError>) -> Result<T, TrainError> {
        let done = patiently(act, |error| self.wait(error));
        if done.is_err() && self.is_stopped() { Err(TrainError::Interrupted) } else { Ok(done?) }
    }

    /// Waits a while; whether to go on.
    fn wait(&self, error: &StorageError) -> bool {
        self.observer.warn(&format!("{error}; make room, and the run goes on (Ctrl-C ends it in order)"));
        rest(self.patience, || self.is_stopped())
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
