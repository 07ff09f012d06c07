//! How a run begins, and how it goes on from where it stood.
//!
//! What a new run writes first, it writes in an order that leaves something to go on with wherever it is interrupted: the network it begins
//! with, the configuration, the state.

use std::path::Path;

use super::clock::{Clock, process_seconds};
use super::event::Event;
use super::metrics::Metrics;
use super::run::{Run, Start};
use super::state::{Next, Progress, Saved, State};
use super::{Folder, Learner, Replay, TrainError, check_changes};
use crate::game::Game;
use crate::net::{Checkpoint, kernel};
use crate::storage::{StorageError, read_capped, sha256, write_atomic};

impl<G: Game> Run<'_, G> {
    /// The state of the run that the folder holds, or of a new one.
    pub(super) fn begin(&self) -> Result<State<G>, TrainError> {
        if self.limits.cpu_minutes.is_some() && process_seconds().is_none() {
            return Err(TrainError::NoProcessorTime);
        }
        let state = match Saved::read(&self.folder.state()) {
            Ok(saved) => self.go_on(saved),
            Err(error) if error.is_missing() && self.folder.is_new()? => self.begin_anew(),
            Err(error) => Err(error.into()),
        }?;
        for iteration in self.folder.iterations("games", ".playing")? {
            if iteration <= state.progress.iteration {
                self.folder.remove(&self.folder.playing(iteration))?;
            }
        }
        Ok(state)
    }

    fn begin_anew(&self) -> Result<State<G>, TrainError> {
        let (learner, parent) = self.first_learner()?;
        let (metrics, _) = self.patiently(|| Metrics::open(self.folder.disk(), &self.folder.metrics(), 0))?;
        let replay = Replay::new(&self.config.replay);
        let progress = Progress::new(self.limits, parent);
        let mut state = State { learner, replay, metrics, clock: Clock::from(progress.taken()), progress };
        self.publish(&state)?;
        self.write_config()?;
        let started = Event::Started {
            version: env!("CARGO_PKG_VERSION"),
            game: self.config.train.game.clone(),
            seed: self.config.train.seed,
            threads: self.threads,
            kernel: kernel(&self.config.train.device),
            parameters: state.learner.network().parameters(),
        };
        self.tell(&mut state, &started)?;
        state.progress.next = self.ahead(&mut state)?;
        self.commit(&mut state)?;
        Ok(state)
    }

    /// What a run without a state begins with, and the digest of the network file behind it, if there is one: the network it had published
    /// already, if it came so far, or what it was told to.
    fn first_learner(&self) -> Result<(Learner<G>, Option<String>), TrainError> {
        let load = |path: &Path| Checkpoint::load(path, self.game.facts(), self.device);
        let learner = |checkpoint: &Checkpoint| Learner::with_network(self.game, self.config, self.device, checkpoint);
        let published = self.folder.net(0);
        match &self.start {
            _ if Folder::holds_run(self.folder.path()) && published.exists() => {
                let checkpoint = load(&published)?;
                Ok((learner(&checkpoint)?, checkpoint.header.parent))
            }
            Start::Fresh => Ok((Learner::new(self.game, self.config, self.device), None)),
            Start::From(path) => Ok((learner(&load(path)?)?, Some(sha256(&read_capped(path, Checkpoint::CAP)?)))),
        }
    }

    /// Where the run stood when it was last committed, if it may go on from there.
    fn go_on(&self, saved: Saved) -> Result<State<G>, TrainError> {
        let changed = check_changes(&saved.config, self.text)?;
        let now = kernel(&self.config.train.device);
        if saved.kernel != now && !self.allow_kernel_change {
            return Err(TrainError::Kernel { before: saved.kernel, now });
        }
        let mut state = self.restore(saved)?;
        self.write_config()?;
        // The state is right whatever happened to the files of networks.
        self.publish(&state)?;
        let limits = self.limits.or(state.progress.limits);
        let before = std::mem::replace(&mut state.progress.limits, limits);
        if changed || limits != before {
            // What was decided before was decided for another plan; a network that is due is measured whatever the plan.
            if state.progress.next != Next::Evaluation {
                state.progress.next = self.replan(&mut state)?;
            }
            self.commit(&mut state)?;
        }
        if state.progress.next != Next::End {
            let (version, iteration) = (env!("CARGO_PKG_VERSION"), state.progress.iteration);
            self.tell(&mut state, &Event::Resumed { version, iteration, threads: self.threads, kernel: now, changed })?;
        }
        Ok(state)
    }

    /// What comes next under another plan: the last network is measured, however the run came to its end.
    fn replan(&self, state: &mut State<G>) -> Result<Next, TrainError> {
        match self.plan(state) {
            Some(next) => Ok(next),
            None if state.progress.next == Next::End => Ok(Next::End),
            None if state.progress.measured < state.progress.iteration => Ok(Next::Evaluation),
            None => self.ahead(state),
        }
    }

    fn restore(&self, saved: Saved) -> Result<State<G>, TrainError> {
        let (path, progress) = (self.folder.state(), saved.progress);
        let damaged = |what: &str| StorageError::damaged(&path, what);
        let read = |bytes| Checkpoint::from_bytes(&path, bytes, self.game.facts(), self.device);
        let begin = |checkpoint: &Checkpoint| Learner::with_network(self.game, self.config, self.device, checkpoint);
        let published = read(saved.network)?;
        let learner = match saved.trained {
            Some(trained) => begin(&read(trained)?)?.with_average(published.network),
            None => begin(&published)?,
        };
        let learner = learner.resume(saved.optimizer, progress.steps).map_err(|what| damaged(&what))?;
        let replay = self.window(&progress)?.with_uses(&saved.uses);
        let replay = replay.ok_or_else(|| damaged("its window is not that of the games"))?;
        let open = || Metrics::open(self.folder.disk(), &self.folder.metrics(), progress.metrics);
        let (metrics, lost) = self.patiently(open)?;
        if lost > 0 {
            self.observer.warn(&format!("{} has lost its last {lost} bytes", self.folder.metrics().display()));
        }
        Ok(State { learner, replay, metrics, clock: Clock::from(progress.taken()), progress })
    }

    /// The window as it was, from the games of the iterations that it holds.
    fn window(&self, progress: &Progress) -> Result<Replay<G::State>, TrainError> {
        let mut replay = Replay::new(&self.config.replay);
        replay.resize(self.config.replay.window_after(progress.positions));
        for chunk in &progress.window {
            replay.extend(self.past_positions(chunk)?);
        }
        Ok(replay)
    }

    fn write_config(&self) -> Result<(), TrainError> {
        self.patiently(|| write_atomic(self.folder.disk(), &self.folder.config(), self.text.as_bytes()))
    }
}
