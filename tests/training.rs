//! Whole runs, made tiny: what they leave on disk, that it depends on nothing but the configuration, and how they end early.

mod outcome;
mod race;
mod tiny;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use plyzero::agent::Builder;
use plyzero::arena::accuracy::{self, Accuracy};
use plyzero::arena::{MatchResult, choices, statistics::Share};
use plyzero::game::{Action, Entry, Facts, Game, Games as _, Step, Turn, Visit};
use plyzero::games::{ConnectFour, TicTacToe, registry};
use plyzero::net::{Architecture, Checkpoint, Device, Frozen, Header, Network, NetworkEvaluator, open_device};
use plyzero::rng::stream;
use plyzero::solver::Exhaustive;
use plyzero::storage::System;
use plyzero::train::{
    Config, Finding, Folder, GameRecord, GamesFile, Judge, Learner, Limits, Replay, Sample, SelfPlay, Starts, Summary,
    TrainError, samples, with_symmetries,
};
use serde_json::Value;

use outcome::{files, results};
use race::{Call, Race, Trap};
use tiny::config;
use trial::{GO, Trial};

/// How a run ended, and its folder, which goes when it is dropped.
struct Done {
    root: tempfile::TempDir,
    folder: Folder,
    result: Result<Summary, TrainError>,
}

fn cpu() -> Device {
    open_device("cpu").unwrap()
}

fn judged<G: Game>(game: G, config: &Config, threads: usize, limits: Limits, judges: Vec<Box<dyn Judge + '_>>) -> Done {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::create(root.path(), Arc::new(System)).unwrap();
    let result = Trial { threads, limits, judges, ..Trial::default() }.run(game, config, &folder);
    Done { root, folder, result }
}

fn run<G: Game>(game: G, config: &Config, threads: usize) -> Done {
    judged(game, config, threads, Limits::default(), Vec::new())
}

fn connect_four() -> Config {
    config(&["train.game=connect_four", "self_play.games=4", "self_play.simulations=6"])
}

fn race(changes: &[&str]) -> Config {
    config(&[&["train.game=race", "self_play.random_share=0.0"], changes].concat())
}

/// The lines of `metrics.jsonl`, without what depends on the clock or the threads, or only measures memory.
fn metrics(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("metrics.jsonl")).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        line.as_object_mut()
            .unwrap()
            .retain(|key, _| !key.contains("seconds") && key != "cpu_minutes" && !key.starts_with("cache_") && key != "threads");
    }
    lines
}

fn iterations(folder: &Path) -> Vec<Value> {
    metrics(folder).into_iter().filter(|line| line["event"] == "iteration").collect()
}

/// What must not depend on the machine: all results, and the metrics by their meaning.
fn outcome(done: &Done) -> (BTreeMap<String, Vec<u8>>, Vec<Value>) {
    (results(done.root.path()), metrics(done.root.path()))
}

fn records(folder: &Folder, iteration: u32) -> Vec<GameRecord> {
    GamesFile::read(&folder.games(iteration)).unwrap().0.records
}

fn assert_same_for_any_number_of_threads<G: Game>(game: impl Fn() -> G, config: &Config) {
    let alone = run(game(), config, 1);
    assert_eq!(alone.result.as_ref().unwrap().iterations, config.train.iterations);
    let expected = outcome(&alone);
    assert_eq!(expected.0.keys().filter(|name| name.starts_with("nets/")).count() as u32, config.train.iterations + 2);
    for threads in [2, 3] {
        let found = outcome(&run(game(), config, threads));
        assert_eq!(found.1, expected.1, "metrics with {threads} threads");
        assert!(found.0 == expected.0, "files with {threads} threads");
    }
    let mut other = config.clone();
    other.train.seed += 1;
    let other = outcome(&run(game(), &other, 2)).0;
    for (name, bytes) in expected.0.iter().filter(|(name, _)| name.contains('/')) {
        assert_ne!(other[name], *bytes, "{name} must depend on the seed");
    }
}

#[test]
fn runs_are_the_same_for_any_number_of_threads() {
    // Only of three or more shards does the order of a sum matter.
    assert_same_for_any_number_of_threads(TicTacToe::new, &config(&["train.iterations=3", "learner.shards=4"]));
    assert_same_for_any_number_of_threads(ConnectFour::new, &connect_four());
    assert_same_for_any_number_of_threads(Race::new, &race(&["learner.optimizer=sgd"]));
}

/// Games of a network that is no longer fresh.
fn games(config: &Config, ids: std::ops::Range<u64>, threads: usize) -> Vec<GameRecord> {
    let game = Arc::new(ConnectFour::new());
    let shape = Architecture::new(game.facts(), &config.network);
    let network = Frozen::new(&Network::new(&shape, 5, &cpu()), &shape, config.self_play.batch, &cpu());
    let job = SelfPlay { game: &game, config, network: &network, iteration: 9, starts: &Starts::new() };
    let mut records = Vec::new();
    job.play(&ids.collect::<Vec<_>>(), threads, &GO, &mut |record| {
        records.push(record);
        Ok(())
    })
    .unwrap();
    records.sort_by_key(|record| record.id);
    records
}

#[test]
fn a_game_does_not_depend_on_the_games_beside_it() {
    let config = config(&["train.game=connect_four", "self_play.simulations=10"]);
    let expected = games(&config, 0..9, 1);
    assert_eq!(games(&config, 3..7, 2), expected[3..7]);
    for (lockstep, cache) in [(1, 1), (2, 4096), (64, 0), (64, 3)] {
        let mut other = config.clone();
        (other.self_play.lockstep, other.self_play.cache) = (lockstep, cache);
        assert_eq!(games(&other, 0..9, 2), expected, "lockstep {lockstep}, cache {cache}");
    }
}

#[test]
fn records_are_games_of_the_network_before() {
    let config = config(&["self_play.random_share=0.5", "self_play.random_plies=3"]);
    let done = run(TicTacToe::new(), &config, 2);
    let game = TicTacToe::new();
    let mut random_starts = 0;
    for iteration in 1..=2 {
        for (record, id) in records(&done.folder, iteration).iter().zip(6 * u64::from(iteration - 1)..) {
            assert_eq!((record.id, record.network), (id, iteration - 1));
            let mut state = game.initial();
            let prefix = record.plies.iter().take_while(|ply| ply.visits.is_empty()).count();
            random_starts += usize::from(prefix > 0);
            assert!(prefix <= 3);
            for (at, ply) in record.plies.iter().enumerate() {
                let Step::Move(action) = ply.step else { panic!("there is no chance here") };
                let mut legal = Vec::new();
                game.actions(&state, &mut legal);
                assert!(legal.contains(&action));
                assert_eq!(ply.visits.is_empty(), at < prefix);
                assert_eq!(ply.opinion.is_none(), at < prefix);
                if at >= prefix {
                    let visited: Vec<Action> = ply.visits.iter().map(|visit| visit.0).collect();
                    assert_eq!(visited, legal);
                    assert!(ply.visits.iter().any(|&(visited, count)| visited == action && count > 0));
                    assert!(ply.visits.iter().map(|visit| visit.1).sum::<u32>() >= config.self_play.simulations);
                }
                game.play(&mut state, action);
            }
            assert_eq!(game.turn(&state), Turn::Over(record.ending.payoff().unwrap()));
        }
    }
    assert!((1..12).contains(&random_starts), "{random_starts} of 12 games began at random");
}

/// Learns from the chunks of a run as it did, and compares every network.
#[test]
fn the_chunks_of_a_run_hold_what_it_learned_from() {
    let config =
        config(&["train.iterations=4", "replay.window=50", "replay.max_uses=3", "replay.reuse=2.5", "replay.search_value=0.25"]);
    let done = run(TicTacToe::new(), &config, 2);
    let game = Arc::new(TicTacToe::new());
    let mut learner = Learner::new(&game, &config, &cpu());
    let mut replay = Replay::new(&config.replay);
    let (mut games, scratch) = (0, tempfile::tempdir().unwrap());
    for iteration in 1..=4 {
        let records = records(&done.folder, iteration);
        games += records.len() as u64;
        let fresh: Vec<Sample<_>> = records.iter().flat_map(|record| samples(game.as_ref(), record, &config.replay)).collect();
        let steps = (fresh.len() as f64 * 2.5 / 8.0).ceil() as u64;
        replay.extend(fresh);
        assert!(replay.len() <= 50);
        let (mut rng, mut deck) = (stream(config.train.seed, "batches", iteration.into()), replay.deck());
        for _ in 0..steps {
            let Some(places) = replay.draw(&mut deck, 8, &mut rng) else { break };
            let draws = with_symmetries(game.as_ref(), places, &mut rng);
            learner.step(&replay, &draws, f64::from(iteration - 1) / 4.0, 1).unwrap();
        }
        let header = Header::new(learner.architecture(), config.train.seed, iteration, games, learner.steps());
        let path = scratch.path().join("net");
        Checkpoint { header, network: learner.network().clone() }.save(&path).unwrap();
        assert!(fs::read(&path).unwrap() == fs::read(done.folder.net(iteration)).unwrap(), "network {iteration}");
    }
}

#[test]
fn metrics_say_what_happened() {
    let config = config(&["train.iterations=3"]);
    let done = run(TicTacToe::new(), &config, 2);
    let lines = metrics(done.root.path());
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["started", "iteration", "iteration", "iteration", "finished"]);
    assert_eq!((&lines[0]["game"], &lines[0]["seed"], &lines[4]["iterations"]), (&"tic_tac_toe".into(), &1.into(), &3.into()));
    let mut positions = 0;
    for (line, iteration) in iterations(done.root.path()).iter().zip(1..) {
        let records = records(&done.folder, iteration);
        let samples: Vec<_> = records.iter().flat_map(|record| samples(&TicTacToe::new(), record, &config.replay)).collect();
        positions += samples.len();
        let number = |key: &str| line[key].as_f64().unwrap_or_else(|| panic!("{key} is no number: {line}"));
        assert_eq!((number("iteration"), number("games"), number("unfinished")), (f64::from(iteration), 6.0, 0.0));
        assert_eq!(number("total_games"), 6.0 * f64::from(iteration));
        assert_eq!(number("positions"), samples.len() as f64);
        assert_eq!(number("window"), positions.min(60) as f64);
        assert_eq!(number("steps"), (samples.len() as f64 * 2.0 / 8.0).ceil());
        assert!((number("progress") - f64::from(iteration - 1) / 3.0).abs() < 1e-12);
        let distinct: BTreeSet<String> = samples.iter().map(|sample| format!("{:?}", sample.state)).collect();
        assert!((number("distinct_share") - distinct.len() as f64 / samples.len() as f64).abs() < 1e-12);
        let plies: usize = records.iter().map(|record| record.plies.len()).sum();
        assert!((number("mean_plies") - plies as f64 / 6.0).abs() < 1e-12);
        let share =
            |utility: f32| records.iter().filter(|record| record.ending.payoff().unwrap().0[0] == utility).count() as f64 / 6.0;
        assert!((number("first_win_share") - share(1.0)).abs() < 1e-12 && (number("draw_share") - share(0.0)).abs() < 1e-12);
        assert!(number("policy_loss") > 0.0 && number("value_loss") > 0.0 && number("gradient_norm") > 0.0);
    }
}

/// The share of undecided critical positions in which the network alone keeps what they are worth.
fn strength(done: &Done, iteration: u32) -> f64 {
    let game = Arc::new(TicTacToe::new());
    let checkpoint = Checkpoint::load(&done.folder.net(iteration), game.facts(), &cpu()).unwrap();
    let network = Frozen::new(&checkpoint.network, &checkpoint.header.architecture, 64, &cpu());
    let mut solver = Exhaustive::new(&game).unwrap();
    let positions = solver.undecided_positions();
    let choices = choices::raw(game.as_ref(), &mut NetworkEvaluator::new(&game, network), &positions);
    accuracy::measure(&mut solver, &positions, &choices).value_preserving_critical
}

#[test]
fn a_run_learns_to_play() {
    let config = config(&[
        "train.iterations=8",
        "network.channels=12",
        "network.policy_channels=4",
        "network.value_channels=2",
        "network.value_hidden=16",
        "self_play.games=64",
        "self_play.simulations=40",
        "self_play.lockstep=32",
        "self_play.batch=16",
        "self_play.cache=4096",
        "replay.window=2000",
        "replay.reuse=4.0",
        "learner.batch=32",
        "learner.learning_rate=0.01",
    ]);
    let done = run(TicTacToe::new(), &config, 2);
    let (before, after) = (strength(&done, 0), strength(&done, 8));
    assert!(before < 0.55 && after > 0.75, "{before} to {after}");
}

/// Says the shares it was told to, and an accuracy that rises all the time.
struct Scripted {
    shares: Vec<Option<f64>>,
    judged: usize,
}

impl Judge for Scripted {
    fn judge(&mut self, _: &Network, _: &Architecture, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<Vec<Finding>, String> {
        progress(1, 1);
        let share = self.shares.get(self.judged).ok_or("the script is over")?;
        let share = share.map(|value| Share { value, low: 0.0, high: 1.0 });
        self.judged += 1;
        let value = self.judged as f64 / 10.0;
        let accuracy =
            Accuracy { positions: 1, critical: 1, value_preserving: value, value_preserving_critical: value, strongest: value };
        let (player, opponent) = ("net".to_owned(), "another".to_owned());
        Ok(vec![
            Finding::Match {
                player: player.clone(),
                opponent,
                result: Box::new(MatchResult { share, ..MatchResult::of(&[], 1) }),
            },
            Finding::Accuracy { player, accuracy, mean: Box::default() },
        ])
    }
}

fn scripted(shares: &[Option<f64>], every: u32) -> Done {
    let config = config(&["train.iterations=5", "self_play.games=2", &format!("evaluation.every={every}")]);
    let judge = Scripted { shares: shares.to_vec(), judged: 0 };
    judged(TicTacToe::new(), &config, 1, Limits::default(), vec![Box::new(judge)])
}

/// The iterations of the lines about an event.
fn told(done: &Done, event: &str) -> Vec<u64> {
    let lines = metrics(done.root.path());
    lines.iter().filter(|line| line["event"] == event).map(|line| line["iteration"].as_u64().unwrap()).collect()
}

#[test]
fn the_best_network_is_the_one_of_the_best_matches() {
    let done = scripted(&[Some(0.5), Some(0.75), Some(0.625), Some(0.75), Some(0.25)], 1);
    assert_eq!(told(&done, "best"), [1, 2, 4], "of equals the later one");
    assert_eq!(told(&done, "evaluation"), [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    let summary = done.result.unwrap();
    assert_eq!((summary.best, summary.latest), (Some(done.folder.best()), done.folder.latest()));
    let nets = files(&done.root.path().join("nets"));
    assert!(nets["best.safetensors"] == nets["00004.safetensors"] && nets["latest.safetensors"] == nets["00005.safetensors"]);

    // Without a finished game there is no best network, however well it agrees with perfect play.
    let done = scripted(&[None; 5], 1);
    assert_eq!(done.result.unwrap().best, None);
    assert!(!done.folder.best().exists());
}

#[test]
fn networks_are_judged_now_and_then_and_in_the_end() {
    for (every, expected) in [(2, &[2, 2, 4, 4, 5, 5][..]), (5, &[5, 5]), (100, &[5, 5])] {
        let done = scripted(&[Some(0.5); 5], every);
        assert_eq!(told(&done, "evaluation"), expected);
    }
}

#[test]
fn evaluations_tell_the_processor_time_of_the_run_and_the_mean_over_sets() {
    let done = scripted(&[Some(0.5); 5], 1);
    let text = fs::read_to_string(done.root.path().join("metrics.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let evaluations: Vec<Value> = lines.filter(|line| line["event"] == "evaluation").collect();
    assert!(evaluations.iter().filter(|line| line["kind"] == "accuracy").all(|line| line["mean"]["positions"] == 0));
    if cfg!(unix) {
        let minutes: Vec<f64> = evaluations.iter().map(|line| line["cpu_minutes"].as_f64().unwrap()).collect();
        assert!(minutes[0] > 0.0 && minutes.is_sorted() && minutes[0] < minutes[9], "{minutes:?}");
    }
}

#[test]
fn a_judge_that_fails_ends_the_run() {
    let done = scripted(&[Some(0.5), Some(0.5)], 1);
    assert_eq!(done.result.unwrap_err().to_string(), "the network could not be measured: the script is over");
    assert!(done.folder.net(3).exists());
}

fn assert_intact(folder: &Folder, facts: &Facts, networks: std::ops::RangeInclusive<u32>) {
    for iteration in networks {
        let checkpoint = Checkpoint::load(&folder.net(iteration), facts, &cpu()).unwrap();
        assert_eq!(checkpoint.header.iteration, iteration);
    }
    Checkpoint::load(&folder.latest(), facts, &cpu()).unwrap();
}

#[test]
fn divergence_ends_a_run_and_leaves_sound_networks() {
    let game = TicTacToe::new();
    for (changes, last) in [
        (&["learner.learning_rate=1e30"][..], 0),
        (&["learner.learning_rate=1e39", "learner.warmup_steps=0"], 0),
        // A single step an iteration: the weights are as large as they can be, and finite.
        (&["learner.learning_rate=1e30", "learner.batch=60", "replay.reuse=1.0", "learner.warmup_steps=0"], 1),
    ] {
        let config = config(&[changes, &["train.iterations=5", "self_play.games=8"]].concat());
        let done = run(TicTacToe::new(), &config, 2);
        let error = done.result.unwrap_err();
        assert!(matches!(error, TrainError::NotFinite { .. }), "{error}");
        assert!(error.to_string().contains("is not finite by optimizer step"), "{error}");
        assert_intact(&done.folder, game.facts(), 0..=last);
        assert!(!done.folder.net(last + 1).exists());
    }
}

#[test]
fn a_panic_ends_the_run_with_its_cause_on_any_number_of_threads() {
    let traps: [(Trap, &str); 3] = [
        (|call, state| assert!(call != Call::Encode || state.plies != 3, "encode"), "a self-play worker failed: encode"),
        (|call, state| assert!(call != Call::Play || state.plies != 4, "play"), "a self-play worker failed: play"),
        (|call, _| assert!(call != Call::Transform, "transform"), "a learner worker failed: transform"),
    ];
    for (trap, expected) in traps {
        for threads in [1, 2, 3] {
            let done = run(Race { trap, ..Race::new() }, &race(&["self_play.games=20"]), threads);
            let error = done.result.unwrap_err();
            assert!(matches!(error, TrainError::Worker(_)), "{error}");
            assert_eq!(error.to_string(), expected, "{threads} threads");
            assert_intact(&done.folder, Race::new().facts(), 0..=0);
        }
    }
}

#[test]
fn a_folder_that_holds_a_run_is_refused_and_left_alone() {
    let done = run(TicTacToe::new(), &config(&["train.iterations=1"]), 1);
    let (before, create) = (files(done.root.path()), |path: &Path| Folder::create(path, Arc::new(System)).map(|_| ()));
    let error = create(done.root.path()).unwrap_err();
    assert!(matches!(&error, TrainError::Exists(path) if path == done.root.path()));
    assert!(error.to_string().contains("already holds a run") && error.to_string().contains("--run"), "{error}");
    assert!(files(done.root.path()) == before);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.toml"), "").unwrap();
    assert!(matches!(create(folder.path()).unwrap_err(), TrainError::Exists(_)));
    assert_eq!(files(folder.path()).len(), 1);
    // A folder with something else in it, or none at all, will do; a file in its place will not.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    create(folder.path()).unwrap();
    create(&folder.path().join("deeper").join("still")).unwrap();
    let error = create(&folder.path().join("notes.txt")).unwrap_err().to_string();
    assert!(error.contains("cannot write") && error.contains("notes.txt"), "{error}");
}

#[test]
fn games_cut_at_the_longest_length_are_unfinished() {
    let endless = || Race { length: usize::MAX, ..Race::new() };
    // Random plies alone could exceed the length.
    for random in [&[][..], &["self_play.random_share=1.0", "self_play.random_plies=50"]] {
        let config = race(random);
        let done = run(endless(), &config, 2);
        assert_eq!(done.result.as_ref().unwrap().iterations, 2);
        for line in iterations(done.root.path()) {
            assert_eq!(
                (&line["unfinished"], &line["first_win_share"], &line["draw_share"]),
                (&6.into(), &0.0.into(), &0.0.into())
            );
            assert!(line["value_loss"].as_f64().unwrap().is_finite());
        }
        for record in records(&done.folder, 1) {
            assert_eq!((record.ending.payoff(), record.plies.len()), (None, 6));
            let last = record.plies.last().unwrap().value().unwrap();
            let samples = samples(&endless(), &record, &config.replay);
            assert!(!samples.is_empty() && samples.iter().all(|sample| sample.payoff == last), "what the search last thought");
        }
    }
    // Where some games end in time, shares are of those.
    let mixed = || Race { length: usize::MAX, goal: 4, ..Race::new() };
    let done = run(mixed(), &race(&["self_play.games=30"]), 1);
    for (line, iteration) in iterations(done.root.path()).iter().zip(1..) {
        let records = records(&done.folder, iteration);
        let finished: Vec<f32> = records.iter().filter_map(|record| Some(record.ending.payoff()?.0[0])).collect();
        assert!(!finished.is_empty() && finished.len() < 30);
        assert_eq!(line["unfinished"], 30 - finished.len());
        let wins = finished.iter().filter(|&&utility| utility > 0.0).count() as f64 / finished.len() as f64;
        assert!(wins > 0.0 && (line["first_win_share"].as_f64().unwrap() - wins).abs() < 1e-12);
    }
}

#[test]
fn a_run_warns_once_of_what_is_wrong_for_three_iterations() {
    let warnings = |reuse: &str| -> Vec<(u64, String)> {
        let done = run(TicTacToe::new(), &config(&["train.iterations=5", "replay.window=10000", reuse]), 1);
        let lines = metrics(done.folder.path());
        let told = lines.iter().filter(|line| line["event"] == "warning");
        told.map(|line| (line["iteration"].as_u64().unwrap(), line["symptom"].as_str().unwrap().to_owned()))
            .filter(|(_, symptom)| symptom == "over_reuse")
            .collect()
    };
    assert_eq!(warnings("replay.reuse=20.0"), [(3, "over_reuse".to_owned())]);
    assert_eq!(warnings("replay.reuse=10.0"), []);
}

#[test]
fn time_ends_a_run_between_iterations() {
    let config = config(&["train.iterations=2"]);
    let unbound = outcome(&run(TicTacToe::new(), &config, 1));
    for limit in [|most| Limits { minutes: most, cpu_minutes: None }, |most| Limits { minutes: None, cpu_minutes: most }] {
        let ample = judged(TicTacToe::new(), &config, 1, limit(Some(1e9)), Vec::new());
        assert!(outcome(&ample).0 == unbound.0, "a limit that does not bind changes nothing");
        let none = judged(TicTacToe::new(), &config, 1, limit(Some(1e-12)), Vec::new());
        assert_eq!(none.result.unwrap().iterations, 0);
        assert_intact(&none.folder, TicTacToe::new().facts(), 0..=0);
    }
}

#[test]
fn shipped_configurations_can_be_run() {
    struct Shipped(u32);
    impl Visit for Shipped {
        type Output = ();
        fn visit<G: Game>(&mut self, entry: &Entry<G>) {
            let Some(text) = entry.config else { return };
            let config: Config = plyzero::config::Layers::base("shipped", text).unwrap().read().unwrap();
            config.validate(entry.game.facts()).unwrap();
            let device = open_device("cpu").unwrap();
            Builder { entry, device: &device, stop: None }.opponents(&config.evaluation.opponents).unwrap();
            self.0 += 1;
        }
    }
    let mut shipped = Shipped(0);
    for id in registry().ids() {
        registry().dispatch(&id, &mut shipped).unwrap();
    }
    assert_eq!(shipped.0, 7);
}

#[test]
fn values_that_cannot_be_run_are_refused_by_their_key() {
    for change in [
        "train.game=shogi",
        "train.iterations=0",
        "network.channels=0",
        "network.channels=5000",
        "network.channels=4096",
        "network.blocks=257",
        "network.policy_channels=0",
        "network.value_channels=0",
        "network.value_hidden=0",
        "network.policy_hidden=4097",
        "network.auxiliary=[\"reply\", \"plies_left\", \"reply\"]",
        "search.c_puct=nan",
        "search.c_puct=-1.0",
        "search.fpu_reduction=inf",
        "search.root_fpu_reduction=1e39",
        "self_play.games=0",
        "self_play.simulations=0",
        "self_play.lockstep=0",
        "self_play.batch=0",
        "self_play.batch=65537",
        "self_play.cache=67108865",
        "self_play.noise_alpha=0.0",
        "self_play.noise_weight=1.5",
        "self_play.temperature=-0.5",
        "self_play.final_temperature=nan",
        "self_play.random_share=-0.1",
        "self_play.random_plies=0",
        "self_play.end_proven=true",
        "self_play.policy_temperature=0.0",
        "self_play.forced_playouts=-1.0",
        "replay.window=0",
        "replay.reuse=0.0",
        "replay.max_uses=0",
        "learner.batch=0",
        "learner.batch=1",
        "learner.batch=9",
        "learner.learning_rate=0.0",
        "learner.learning_rate=inf",
        "learner.decay_from=1.1",
        "learner.final_rate=nan",
        "learner.momentum=1.0",
        "learner.weight_decay=-1e-9",
        "learner.gradient_clip=0.0",
        "learner.value_weight=-1.0",
        "learner.norm_momentum=2.0",
        "learner.average=1.0",
        "learner.average=-0.1",
        "learner.plies_left_weight=-1.0",
        "learner.reply_weight=inf",
        "evaluation.every=0",
        "evaluation.games=0",
        "evaluation.simulations=0",
        "retention.networks=0",
        "retention.milestones=0",
        "retention.games=0",
    ] {
        let error = config(&[change]).validate(TicTacToe::new().facts()).unwrap_err().to_string();
        let key = change.split('=').next().unwrap();
        assert!(error.contains(key) && error.contains("must be"), "{change}: {error}");
    }
    let error = config(&["learner.shards=0"]).validate(TicTacToe::new().facts()).unwrap_err().to_string();
    assert!(error.contains("learner.shards"), "{error}");
}
