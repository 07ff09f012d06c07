//! One run from its first game to its last network.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::event::{Event, Finding, Iteration, Observer, Phase};
use super::record::{GameRecord, Sample, samples};
use super::{Config, Folder, Learner, Losses, Replay, SelfPlay, TrainError, with_symmetries};
use crate::game::{Game, Player};
use crate::net::{Architecture, Checkpoint, Device, Frozen, Header, Network};
use crate::rng;
use crate::storage::{Kind, StorageError, System, write_atomic, write_sealed};

/// Someone who measures networks. The loop does not know how.
pub trait Judge {
    /// Measures a network; `progress` is told of (done, total) units of work.
    ///
    /// # Errors
    /// When the measurement cannot be made; this ends the run.
    fn judge(
        &mut self,
        network: &Network,
        architecture: &Architecture,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Vec<Finding>, String>;
}

/// A run to be made.
pub struct Run<'a, G: Game> {
    /// The rules.
    pub game: &'a Arc<G>,
    /// What the run is a function of.
    pub config: &'a Config,
    /// Where it is kept.
    pub folder: &'a Folder,
    /// Where tensors live.
    pub device: &'a Device,
    /// Worker threads. They change nothing but the time it takes.
    pub threads: usize,
    /// Wall-clock minutes after which no further iteration begins.
    pub minutes: Option<f64>,
    /// Who measures the networks.
    pub judges: Vec<Box<dyn Judge + 'a>>,
    /// Who is told.
    pub observer: &'a dyn Observer,
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
}

/// What changes from iteration to iteration.
struct State<G: Game> {
    learner: Learner<G>,
    replay: Replay<G::State>,
    iteration: u32,
    games: u64,
    best: Option<f64>,
}

impl<G: Game> Run<'_, G> {
    /// Makes the run.
    ///
    /// # Errors
    /// When files cannot be written, a worker panics, training diverges or a judge fails. Networks saved before stay.
    pub fn run(mut self) -> Result<Summary, TrainError> {
        let begun = Instant::now();
        let learner = Learner::new(self.game, self.config, self.device);
        let mut state = State { learner, replay: Replay::new(&self.config.replay), iteration: 0, games: 0, best: None };
        self.tell(Event::Started {
            version: env!("CARGO_PKG_VERSION"),
            game: self.config.train.game.clone(),
            seed: self.config.train.seed,
            threads: self.threads,
            device: self.config.train.device.clone(),
            parameters: state.learner.network().parameters(),
        })?;
        self.publish(&state)?;
        let mut next = self.progress(&state, begun);
        while let Some(progress) = next {
            let mut done = self.iterate(&mut state, progress)?;
            done.seconds = begun.elapsed().as_secs_f64();
            self.tell(Event::Iteration(done))?;
            // One look at the clock says whether this was the last network, so that the last one is always evaluated.
            next = self.progress(&state, begun);
            if next.is_none() || state.iteration.is_multiple_of(self.config.evaluation.every) {
                self.evaluate(&mut state)?;
                next = self.progress(&state, begun);
            }
        }
        self.tell(Event::Finished { iterations: state.iteration, seconds: begun.elapsed().as_secs_f64() })?;
        let best = state.best.map(|_| self.folder.best());
        Ok(Summary { iterations: state.iteration, latest: self.folder.latest(), best })
    }

    /// The share of the run behind us, or none at its end.
    fn progress(&self, state: &State<G>, begun: Instant) -> Option<f64> {
        let iterations = f64::from(state.iteration) / f64::from(self.config.train.iterations);
        let time = self.minutes.map_or(0.0, |minutes| begun.elapsed().as_secs_f64() / (60.0 * minutes));
        let progress = iterations.max(time);
        (progress < 1.0).then_some(progress)
    }

    fn iterate(&self, state: &mut State<G>, progress: f64) -> Result<Iteration, TrainError> {
        let start = Instant::now();
        let records = self.self_play(state)?;
        state.iteration += 1;
        self.save_games(state.iteration, &records)?;
        let fresh: Vec<Sample<G::State>> =
            records.iter().flat_map(|record| samples(self.game.as_ref(), record, self.config.replay.search_value)).collect();
        state.games += records.len() as u64;
        let mut done = describe(&records, &fresh);
        state.replay.extend(fresh);
        done.self_play_seconds = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let before = state.learner.steps();
        let losses = self.learn(state, done.positions, progress)?;
        self.publish(state)?;
        Ok(Iteration {
            iteration: state.iteration,
            progress,
            learn_seconds: start.elapsed().as_secs_f64(),
            total_games: state.games,
            window: state.replay.len(),
            steps: state.learner.steps() - before,
            learning_rate: state.learner.learning_rate(progress),
            policy_loss: losses.policy,
            value_loss: losses.value,
            gradient_norm: losses.gradient_norm,
            ..done
        })
    }

    fn self_play(&self, state: &State<G>) -> Result<Vec<GameRecord>, TrainError> {
        let network =
            Frozen::new(state.learner.network(), state.learner.architecture(), self.config.self_play.batch, self.device);
        let job = SelfPlay { game: self.game, config: self.config, network: &network, iteration: state.iteration };
        let total = u64::from(self.config.self_play.games);
        let done = AtomicU64::new(0);
        let on_game = || self.observer.progress(Phase::SelfPlay, done.fetch_add(1, Ordering::Relaxed) + 1, total);
        Ok(job.play(state.games..state.games + total, self.threads, &on_game)?)
    }

    fn save_games(&self, iteration: u32, records: &[GameRecord]) -> Result<(), StorageError> {
        write_sealed(&System, &self.folder.games(iteration), Kind::Games, &records)
    }

    /// As many steps as make each new position used `replay.reuse` times on average, fewer where the cap forbids it.
    fn learn(&self, state: &mut State<G>, positions: usize, progress: f64) -> Result<Losses, TrainError> {
        let batch = self.config.learner.batch;
        let steps = (positions as f64 * f64::from(self.config.replay.reuse) / batch as f64).ceil() as u64;
        let mut rng = rng::stream(self.config.train.seed, "batches", state.iteration.into());
        let mut deck = state.replay.deck();
        let (mut total, mut count) = (Losses::default(), 0u64);
        for step in 0..steps {
            let Some(places) = state.replay.draw(&mut deck, batch, &mut rng) else { break };
            let draws = with_symmetries(self.game.as_ref(), places, &mut rng);
            let losses = state.learner.step(&state.replay, &draws, progress, self.threads)?;
            total.policy += losses.policy;
            total.value += losses.value;
            total.gradient_norm += losses.gradient_norm;
            count += 1;
            self.observer.progress(Phase::Learning, step + 1, steps);
        }
        state.learner.check()?;
        // Without a step there is no loss: not a number here, null in metrics.jsonl.
        let mean = |sum: f64| sum / count as f64;
        Ok(Losses { policy: mean(total.policy), value: mean(total.value), gradient_norm: mean(total.gradient_norm) })
    }

    fn publish(&self, state: &State<G>) -> Result<(), TrainError> {
        let seed = self.config.train.seed;
        let header = Header::new(state.learner.architecture(), seed, state.iteration, state.games, state.learner.steps());
        let checkpoint = Checkpoint { header, network: state.learner.network().clone() };
        let (path, latest) = (self.folder.net(state.iteration), self.folder.latest());
        let bytes = checkpoint.to_bytes().map_err(|what| StorageError::damaged(&path, what))?;
        write_atomic(&System, &path, &bytes)?;
        Ok(write_atomic(&System, &latest, &bytes)?)
    }

    /// Lets the judges measure the network. Points in matches, and nothing else, decide which network is the best.
    fn evaluate(&mut self, state: &mut State<G>) -> Result<(), TrainError> {
        let (network, architecture) = (state.learner.network(), state.learner.architecture());
        let observer = self.observer;
        let progress = |done, total| observer.progress(Phase::Evaluation, done, total);
        let mut findings = Vec::new();
        for judge in &mut self.judges {
            findings.extend(judge.judge(network, architecture, &progress).map_err(TrainError::Judge)?);
        }
        let points: Vec<f64> = findings
            .iter()
            .filter_map(|finding| match finding {
                Finding::Match { result, .. } => result.share.map(|share| share.value),
                Finding::Accuracy { .. } => None,
            })
            .collect();
        for finding in findings {
            self.tell(Event::Evaluation { iteration: state.iteration, finding })?;
        }
        let mean = points.iter().sum::<f64>() / points.len() as f64;
        // Of equals the later network, which has learned longer.
        if !points.is_empty() && state.best.is_none_or(|best| mean >= best) {
            state.best = Some(mean);
            let (from, to) = (self.folder.net(state.iteration), self.folder.best());
            let bytes = fs::read(&from).map_err(StorageError::io("read", &from))?;
            write_atomic(&System, &to, &bytes)?;
            self.tell(Event::Best { iteration: state.iteration, share: mean })?;
        }
        Ok(())
    }

    fn tell(&self, event: Event) -> Result<(), StorageError> {
        self.folder.log(&event)?;
        self.observer.event(&event);
        Ok(())
    }
}

/// What the games of an iteration were like.
fn describe<S: Eq + std::hash::Hash>(records: &[GameRecord], fresh: &[Sample<S>]) -> Iteration {
    let games = records.len() as f64;
    let finished: Vec<f32> = records.iter().filter_map(|record| Some(record.payoff?.of(Player::First))).collect();
    let share = |holds: fn(&f32) -> bool| finished.iter().copied().filter(holds).count() as f64 / finished.len().max(1) as f64;
    let distinct: HashSet<&S> = fresh.iter().map(|sample| &sample.state).collect();
    Iteration {
        games: records.len() as u64,
        positions: fresh.len(),
        distinct_share: distinct.len() as f64 / fresh.len().max(1) as f64,
        mean_plies: records.iter().map(|record| record.plies.len()).sum::<usize>() as f64 / games,
        first_win_share: share(|&utility| utility > 0.0),
        draw_share: share(|&utility| utility == 0.0),
        unfinished: records.len() - finished.len(),
        ..Iteration::default()
    }
}
