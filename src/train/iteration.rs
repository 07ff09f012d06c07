//! One iteration: games of the newest network against itself, the window, optimizer steps, a network.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::Path;

use super::batch::{constant_value_loss, value_target};
use super::event::{Event, Iteration, Phase};
use super::games_file::{GamesFile, GamesLog, Origin};
use super::record::GameRecord;
use super::run::Run;
use super::samples::{Sample, samples};
use super::starts::{self, Starts};
use super::state::{Chunk, State};
use super::watch::{Signs, look};
use super::{Config, Losses, SelfPlay, SelfPlayConfig, TrainError, with_symmetries};
use crate::eval::Recalls;
use crate::game::{Game, Player, Step};
use crate::net::{Architecture, Checkpoint, CheckpointError, Frozen, Network};
use crate::rng;
use crate::storage::{StorageError, read_capped, sha256};

/// What the games of an iteration are a function of, beside the run's configuration and the network that plays them.
struct Plan {
    origin: Origin,
    /// Of the run, when the iteration begins.
    progress: f64,
    starts: Starts,
}

impl<G: Game> Run<'_, G> {
    /// Plays, learns and publishes a network. Its games are on disk as they end, so that an interruption costs those in hand alone.
    pub(super) fn iterate(&self, state: &mut State<G>, progress: f64) -> Result<(), TrainError> {
        let (begun, cores_begun) = (state.clock.seconds(), state.clock.core_seconds());
        let iteration = state.progress.iteration + 1;
        let (play, seed) = (&self.config.self_play, self.config.train.seed);
        let starts = starts::choose(&state.progress.archive, play, seed, self.ids(iteration));
        let plan = self.plan_of(iteration, progress, starts, &self.network_file(state)?)?;
        let (records, recalls) = self.games(&plan, state.learner.network())?;
        if play.archive_share > 0.0 {
            starts::renew(&mut state.progress.archive, &records, play.archive);
        }
        let fresh = self.positions(&records);
        let mut done = self.describe(&records, &fresh);
        state.progress.iteration = iteration;
        state.progress.games += records.len() as u64;
        let positions = fresh.len();
        state.progress.positions += positions as u64;
        let window = self.config.replay.window_after(state.progress.positions);
        let Plan { starts, origin: Origin { digest, .. }, .. } = plan;
        state.progress.slide(Chunk { iteration, positions, progress, starts, digest }, window);
        state.replay.resize(window);
        state.replay.extend(fresh);
        done.self_play_seconds = state.clock.seconds() - begun;

        let (begun, before) = (state.clock.seconds(), state.learner.steps());
        let losses = self.learn(state, done.positions, progress)?;
        self.publish(state)?;
        let seconds = state.clock.seconds();
        let steps = state.learner.steps() - before;
        let done = Iteration {
            iteration,
            progress,
            seconds,
            core_seconds: state.clock.core_seconds().zip(cores_begun).map(|(now, begun)| now - begun),
            learn_seconds: seconds - begun,
            total_games: state.progress.games,
            cache_asked: recalls.asked,
            cache_found: recalls.found,
            window: state.replay.len(),
            steps,
            reuse: (steps * self.config.learner.batch as u64) as f64 / positions.max(1) as f64,
            learning_rate: state.learner.learning_rate(progress),
            policy_loss: losses.policy,
            value_loss: losses.value,
            plies_left_loss: losses.plies_left,
            reply_loss: losses.reply,
            gradient_norm: losses.gradient_norm,
            ..done
        };
        self.tell(state, &Event::Iteration(done.clone()))?;
        self.watch(state, &done)?;
        state.progress.next = self.after_iteration(state);
        Ok(())
    }

    /// Tells what is not as it should be.
    fn watch(&self, state: &mut State<G>, done: &Iteration) -> Result<(), TrainError> {
        let (total_positions, reuse) = (state.progress.positions, self.config.replay.reuse.into());
        let signs = Signs { done, total_positions, threads: self.threads, reuse };
        for symptom in look(&mut state.progress.watch, &signs) {
            self.tell(state, &Event::Warning { iteration: done.iteration, symptom })?;
        }
        Ok(())
    }

    /// The plan of an iteration that begins at this progress; `player` is the file of the network that plays it.
    fn plan_of(&self, iteration: u32, progress: f64, starts: Starts, player: &[u8]) -> Result<Plan, StorageError> {
        // What changes nothing but speed is left out, and what shows in the starts.
        let play = SelfPlayConfig { lockstep: 1, cache: 0, archive: 0, ..self.config.self_play.at(progress) };
        let settings = serde_json::to_vec(&(&self.config.search, play, &starts));
        let settings = settings.map_err(|error| StorageError::damaged(&self.folder.config(), error.to_string()))?;
        let (game, seed) = (self.config.train.game.clone(), self.config.train.seed);
        let origin = Origin { game, seed, network: iteration - 1, digest: sha256(&[player, &settings].concat()) };
        Ok(Plan { origin, progress, starts })
    }

    /// The positions of an earlier iteration. Where its games are damaged or gone, the network that played them plays them again.
    pub(super) fn past_positions(&self, chunk: &Chunk) -> Result<Vec<Sample<G::State>>, TrainError> {
        let records = match self.whole_games(chunk.iteration, &chunk.digest) {
            Err(games) if games.is_damaged() || games.is_missing() => {
                let lost = |network| TrainError::Lost { games: Box::new(games), network: Box::new(network) };
                let (plan, player) = self.player(chunk).map_err(lost)?;
                self.games(&plan, &player.network)?.0
            }
            whole => whole?,
        };
        Ok(self.positions(&records))
    }

    /// The plan of an earlier iteration, and the network that played it.
    fn player(&self, chunk: &Chunk) -> Result<(Plan, Checkpoint), CheckpointError> {
        let path = self.folder.net(chunk.iteration - 1);
        let bytes = read_capped(&path, Checkpoint::CAP)?;
        let plan = self.plan_of(chunk.iteration, chunk.progress, chunk.starts.clone(), &bytes)?;
        if plan.origin.digest != chunk.digest {
            return Err(StorageError::damaged(&path, "it is not the network that played these games").into());
        }
        Ok((plan, Checkpoint::from_bytes(&path, bytes, self.game.facts(), self.device)?))
    }

    fn positions(&self, records: &[GameRecord]) -> Vec<Sample<G::State>> {
        records.iter().flat_map(|record| samples(self.game.as_ref(), record, &self.config.replay)).collect()
    }

    /// The games of a plan: from disk where they are there, whole or in part; the rest is played. Also how often a worker that
    /// played remembered a position.
    fn games(&self, plan: &Plan, network: &Network) -> Result<(Vec<GameRecord>, Recalls), TrainError> {
        let (origin, iteration) = (&plan.origin, plan.origin.network + 1);
        let games = match self.whole_games(iteration, &origin.digest) {
            Err(error) if error.is_damaged() || error.is_missing() => {
                self.set_aside(&self.folder.games(iteration), &error)?;
                let (records, recalls) = self.play(plan, network)?;
                let file = GamesFile { origin: origin.clone(), records };
                self.patiently(|| file.write(self.folder.disk(), &self.folder.games(iteration)))?;
                (file.records, recalls)
            }
            whole => (whole?, Recalls::default()),
        };
        self.patiently(|| self.folder.remove(&self.folder.playing(iteration)))?;
        Ok(games)
    }

    /// The games of an iteration, if its file holds them all and they are of this origin.
    fn whole_games(&self, iteration: u32, digest: &str) -> Result<Vec<GameRecord>, StorageError> {
        let path = self.folder.games(iteration);
        let (file, _) = GamesFile::read(&path)?;
        let is_whole = file.origin.digest == digest && file.records.iter().map(|record| record.id).eq(self.ids(iteration));
        if is_whole { Ok(file.records) } else { Err(StorageError::damaged(&path, "it holds games of another run or iteration")) }
    }

    /// The numbers of an iteration's games.
    fn ids(&self, iteration: u32) -> Range<u64> {
        let games = u64::from(self.config.self_play.games);
        u64::from(iteration - 1) * games..u64::from(iteration) * games
    }

    /// Plays those games of an iteration that are not in the log of games played already.
    fn play(&self, plan: &Plan, network: &Network) -> Result<(Vec<GameRecord>, Recalls), TrainError> {
        let Plan { origin, progress, starts } = plan;
        let iteration = origin.network + 1;
        let (mut log, played) = self.log(origin)?;
        let mut records: BTreeMap<u64, GameRecord> = played.into_iter().map(|record| (record.id, record)).collect();
        records.retain(|id, _| self.ids(iteration).contains(id));
        let missing: Vec<u64> = self.ids(iteration).filter(|id| !records.contains_key(id)).collect();
        let architecture = Architecture::new(self.game.facts(), &self.config.network);
        let network = Frozen::new(network, &architecture, self.config.self_play.batch, self.device);
        let config = Config { self_play: self.config.self_play.at(*progress), ..self.config.clone() };
        let job = SelfPlay { game: self.game, config: &config, network: &network, iteration: origin.network, starts };
        let total = u64::from(self.config.self_play.games);
        let mut done = total - missing.len() as u64;
        let recalls = job.play(&missing, self.threads, self.stop, &mut |record| {
            self.patiently(|| log.append(&record))?;
            done += 1;
            self.observer.progress(Phase::SelfPlay, done, total);
            records.insert(record.id, record);
            Ok(())
        })?;
        Ok((records.into_values().collect(), recalls))
    }

    /// The log of the games of this origin, and what it holds.
    fn log(&self, origin: &Origin) -> Result<(GamesLog, Vec<GameRecord>), TrainError> {
        let path = self.folder.playing(origin.network + 1);
        let open = || self.patiently(|| GamesLog::open(self.folder.disk(), &path, origin));
        let (log, records, dropped) = match open() {
            Err(TrainError::Storage(error)) if error.is_damaged() => {
                self.set_aside(&path, &error)?;
                open()?
            }
            opened => opened?,
        };
        if dropped > 0 {
            self.observer.warn(&format!("{}: dropped {dropped} bytes of a game cut short", path.display()));
        }
        Ok((log, records))
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
        let mut losses = Vec::new();
        for step in 0..steps {
            if self.is_stopped() {
                return Err(TrainError::Interrupted);
            }
            let Some(places) = state.replay.draw(&mut deck, batch, &mut rng) else { break };
            let draws = with_symmetries(self.game.as_ref(), places, &mut rng);
            losses.push(state.learner.step(&state.replay, &draws, progress, self.threads)?);
            self.observer.progress(Phase::Learning, step + 1, steps);
        }
        state.learner.check()?;
        // Without a step there is no loss: not a number here, null in metrics.jsonl.
        Ok(Losses::mean(&losses))
    }

    /// What the games of an iteration were like.
    fn describe(&self, records: &[GameRecord], fresh: &[Sample<G::State>]) -> Iteration {
        let games = records.len() as f64;
        let finished: Vec<f32> = records.iter().filter_map(|record| Some(record.ending.payoff()?.of(Player::First))).collect();
        let share =
            |holds: fn(&f32) -> bool| finished.iter().copied().filter(holds).count() as f64 / finished.len().max(1) as f64;
        let distinct: HashSet<&G::State> = fresh.iter().map(|sample| &sample.state).collect();
        let steps = |record: &GameRecord| record.plies.iter().map(|ply| ply.step).collect::<Vec<Step>>();
        let head = Architecture::new(self.game.facts(), &self.config.network).value;
        let targets: Vec<_> = fresh.iter().map(|sample| value_target(self.game.as_ref(), head, sample)).collect();
        Iteration {
            games: records.len() as u64,
            positions: fresh.len(),
            distinct_share: distinct.len() as f64 / fresh.len().max(1) as f64,
            distinct_games_share: records.iter().map(steps).collect::<HashSet<_>>().len() as f64 / games,
            mean_plies: records.iter().map(|record| record.plies.len()).sum::<usize>() as f64 / games,
            first_win_share: share(|&utility| utility > 0.0),
            draw_share: share(|&utility| utility == 0.0),
            unfinished: records.len() - finished.len(),
            constant_value_loss: constant_value_loss(head, &targets),
            ..Iteration::default()
        }
    }
}
