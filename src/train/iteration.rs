//! One iteration: games of the newest network against itself, the window, optimizer steps, a network.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::Path;

use super::event::{Event, Iteration, Phase};
use super::record::{GameRecord, Sample, samples};
use super::run::Run;
use super::state::State;
use super::{Losses, SelfPlay, TrainError, with_symmetries};
use crate::game::{Game, Player};
use crate::net::{Architecture, Checkpoint, Frozen, Network};
use crate::rng;
use crate::storage::{Kind, Log, StorageError, read_sealed, write_sealed};

impl<G: Game> Run<'_, G> {
    /// Plays, learns and publishes a network. Its games are on disk as they end, so that an interruption costs those in hand alone.
    pub(super) fn iterate(&self, state: &mut State<G>, progress: f64) -> Result<(), TrainError> {
        let begun = state.clock.seconds();
        let iteration = state.progress.iteration + 1;
        let records = self.games(iteration, state.learner.network(), &|_| true)?;
        let fresh = self.positions(&records);
        let mut done = describe(&records, &fresh);
        state.progress.iteration = iteration;
        state.progress.games += records.len() as u64;
        state.progress.slide(iteration, fresh.len(), self.config.replay.window);
        state.replay.extend(fresh);
        done.self_play_seconds = state.clock.seconds() - begun;

        let (begun, before) = (state.clock.seconds(), state.learner.steps());
        let losses = self.learn(state, done.positions, progress)?;
        self.publish(state)?;
        let seconds = state.clock.seconds();
        let done = Iteration {
            iteration,
            progress,
            seconds,
            learn_seconds: seconds - begun,
            total_games: state.progress.games,
            window: state.replay.len(),
            steps: state.learner.steps() - before,
            learning_rate: state.learner.learning_rate(progress),
            policy_loss: losses.policy,
            value_loss: losses.value,
            gradient_norm: losses.gradient_norm,
            ..done
        };
        self.tell(state, &Event::Iteration(done))?;
        state.progress.next = self.after_iteration(state);
        Ok(())
    }

    /// The positions of an earlier iteration, which are known to be so many. Where its games are damaged or gone, the network that
    /// played them plays them again.
    pub(super) fn past_positions(&self, iteration: u32, count: usize) -> Result<Vec<Sample<G::State>>, TrainError> {
        let is_right = |records: &[GameRecord]| self.positions(records).len() == count;
        let records = match self.whole_games(iteration, &is_right) {
            Err(TrainError::Storage(games)) => {
                let player = Checkpoint::load(&self.folder.net(iteration - 1), self.game.facts(), self.device);
                let lost = |network| TrainError::Lost { games: Box::new(games), network: Box::new(network) };
                self.games(iteration, &player.map_err(lost)?.network, &is_right)
            }
            whole => whole,
        }?;
        Ok(self.positions(&records))
    }

    fn positions(&self, records: &[GameRecord]) -> Vec<Sample<G::State>> {
        records.iter().flat_map(|record| samples(self.game.as_ref(), record, self.config.replay.search_value)).collect()
    }

    /// The games of an iteration by its network: from disk where they are there and right, whole or in part; the rest is played.
    fn games(
        &self,
        iteration: u32,
        network: &Network,
        is_right: &dyn Fn(&[GameRecord]) -> bool,
    ) -> Result<Vec<GameRecord>, TrainError> {
        match self.whole_games(iteration, is_right) {
            Err(TrainError::Storage(error)) => self.set_aside(&self.folder.games(iteration), &error)?,
            whole => return whole,
        }
        let records = self.play(iteration, network)?;
        self.patiently(|| write_sealed(self.folder.disk(), &self.folder.games(iteration), Kind::Games, &records))?;
        self.patiently(|| self.folder.remove(&self.folder.playing(iteration)))?;
        Ok(records)
    }

    /// The games of an iteration, if its file holds them all and they are right.
    fn whole_games(&self, iteration: u32, is_right: &dyn Fn(&[GameRecord]) -> bool) -> Result<Vec<GameRecord>, TrainError> {
        let path = self.folder.games(iteration);
        let records: Vec<GameRecord> = read_sealed(&path, Kind::Games)?;
        let is_whole = records.iter().map(|record| record.id).eq(self.ids(iteration))
            && records.iter().all(|record| record.network == iteration - 1)
            && is_right(&records);
        if is_whole {
            Ok(records)
        } else {
            Err(StorageError::damaged(&path, "it holds games of another run or iteration").into())
        }
    }

    /// The numbers of an iteration's games.
    fn ids(&self, iteration: u32) -> Range<u64> {
        let games = u64::from(self.config.self_play.games);
        u64::from(iteration - 1) * games..u64::from(iteration) * games
    }

    /// Plays those games of an iteration that are not in the log of games played already.
    fn play(&self, iteration: u32, network: &Network) -> Result<Vec<GameRecord>, TrainError> {
        let (mut log, played) = self.log(iteration)?;
        let mut records: BTreeMap<u64, GameRecord> = played.into_iter().map(|record| (record.id, record)).collect();
        records.retain(|id, record| self.ids(iteration).contains(id) && record.network == iteration - 1);
        let missing: Vec<u64> = self.ids(iteration).filter(|id| !records.contains_key(id)).collect();
        let architecture = Architecture::new(self.game.facts(), &self.config.network);
        let network = Frozen::new(network, &architecture, self.config.self_play.batch, self.device);
        let job = SelfPlay { game: self.game, config: self.config, network: &network, iteration: iteration - 1 };
        let total = u64::from(self.config.self_play.games);
        let mut done = total - missing.len() as u64;
        job.play(&missing, self.threads, self.stop, &mut |record| {
            self.patiently(|| log.append(&record))?;
            done += 1;
            self.observer.progress(Phase::SelfPlay, done, total);
            records.insert(record.id, record);
            Ok(())
        })?;
        Ok(records.into_values().collect())
    }

    /// The log of an iteration's games, and what it holds.
    fn log(&self, iteration: u32) -> Result<(Log, Vec<GameRecord>), TrainError> {
        let path = self.folder.playing(iteration);
        let open = || self.patiently(|| Log::open(self.folder.disk(), &path, Kind::Playing));
        let (log, loaded) = match open() {
            Err(TrainError::Storage(error @ StorageError::Damaged { .. })) => {
                self.set_aside(&path, &error)?;
                open()?
            }
            opened => opened?,
        };
        if loaded.dropped > 0 {
            self.observer.warn(&format!("{}: dropped {} bytes of a game cut short", path.display(), loaded.dropped));
        }
        Ok((log, loaded.records))
    }

    /// Puts a damaged file out of the way; a missing one needs nothing.
    fn set_aside(&self, path: &Path, error: &StorageError) -> Result<(), TrainError> {
        if !error.is_missing() {
            let aside = self.folder.quarantine(path)?;
            self.observer.warn(&format!("{error}; it is now {}, and its games are played again", aside.display()));
        }
        Ok(())
    }

    /// As many steps as make each new position used `replay.reuse` times on average, fewer where the cap forbids it.
    fn learn(&self, state: &mut State<G>, positions: usize, progress: f64) -> Result<Losses, TrainError> {
        let batch = self.config.learner.batch;
        let steps = (positions as f64 * f64::from(self.config.replay.reuse) / batch as f64).ceil() as u64;
        let mut rng = rng::stream(self.config.train.seed, "batches", state.progress.iteration.into());
        let mut deck = state.replay.deck();
        let (mut total, mut count) = (Losses::default(), 0u64);
        for step in 0..steps {
            if self.is_stopped() {
                return Err(TrainError::Interrupted);
            }
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
