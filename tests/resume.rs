//! Runs that are interrupted, broken, damaged or made longer: what they come to is what an unbroken run comes to.

mod faulty;
mod outcome;
mod race;
mod tiny;
mod trial;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use plyzero::game::Game;
use plyzero::games::TicTacToe;
use plyzero::net::Header;
use plyzero::storage::{Kind, System, sha256, write_sealed};
use plyzero::train::{
    Config, Event, Folder, GamesFile, GamesLog, Next, Observer, Phase, Saved, Start, TrainError, check_changes,
};

use faulty::{EIO, ENOSPC, Faulty};
use outcome::{files, results};
use race::Race;
use tiny::config;
use trial::Trial;

type Files = BTreeMap<String, Vec<u8>>;

/// Remembers warnings, and raises a flag at one of the moments at which it hears of progress.
#[derive(Default)]
struct Interrupter {
    moments: AtomicU64,
    at: u64,
    stop: AtomicBool,
    warnings: Mutex<Vec<String>>,
}

impl Interrupter {
    fn at(moment: u64) -> Self {
        Self { at: moment, ..Self::default() }
    }

    fn warnings(&self) -> String {
        self.warnings.lock().unwrap().join("\n")
    }
}

impl Observer for Interrupter {
    fn event(&self, _: &Event) {}

    fn warn(&self, warning: &str) {
        self.warnings.lock().unwrap().push(warning.to_owned());
    }

    fn progress(&self, _: Phase, _: u64, _: u64) {
        if self.moments.fetch_add(1, Ordering::Relaxed) + 1 == self.at {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

fn create(path: &Path) -> Folder {
    Folder::create(path, Arc::new(System)).unwrap()
}

fn open(path: &Path) -> Folder {
    Folder::open(path, Arc::new(System)).unwrap()
}

/// What a run comes to that nobody disturbs.
fn unbroken<G: Game>(game: G, config: &Config) -> Files {
    let root = tempfile::tempdir().unwrap();
    Trial::default().run(game, config, &create(root.path())).unwrap();
    results(root.path())
}

/// A finished run.
fn finished(config: &Config) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    Trial::default().run(TicTacToe::new(), config, &create(root.path())).unwrap();
    root
}

fn resume(root: &Path, config: &Config) -> Result<plyzero::train::Summary, TrainError> {
    Trial::default().run(TicTacToe::new(), config, &open(root))
}

fn saved(root: &Path) -> Saved {
    Saved::read(&root.join("state/run.state")).unwrap()
}

fn metrics(root: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(root.join("metrics.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn assert_interruptions_change_nothing<G: Game>(game: impl Fn() -> G, config: &Config) {
    let expected = unbroken(game(), config);
    let (mut interrupted, mut moment) = (0, 1);
    loop {
        let root = tempfile::tempdir().unwrap();
        let first = Interrupter::at(moment);
        let threads = 1 + moment as usize % 2;
        let trial = Trial { observer: &first, stop: &first.stop, threads, ..Trial::default() };
        let ended = trial.run(game(), config, &create(root.path()));
        if ended.is_ok() && !first.stop.into_inner() {
            break;
        }
        if ended.is_err() {
            assert!(matches!(ended, Err(TrainError::Interrupted)));
            interrupted += 1;
        }
        // Interrupted once more on its way.
        let again = Interrupter::at(5);
        let _ = Trial { observer: &again, stop: &again.stop, ..Trial::default() }.run(game(), config, &open(root.path()));
        Trial { threads: 2, ..Trial::default() }.run(game(), config, &open(root.path())).unwrap();
        assert!(results(root.path()) == expected, "interrupted at moment {moment}");
        moment += 1;
    }
    assert!(interrupted > 15, "{interrupted}");
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    let small = ["self_play.games=4", "replay.window=40", "replay.max_uses=3"];
    assert_interruptions_change_nothing(TicTacToe::new, &config(&small));
    assert_interruptions_change_nothing(
        Race::new,
        &config(&[&small[..], &["train.game=race", "learner.optimizer=sgd", "self_play.random_share=0.0"]].concat()),
    );
}

#[test]
fn interrupted_games_are_not_played_again() {
    let config = config(&["train.iterations=1", "self_play.games=12", "self_play.lockstep=1"]);
    let root = tempfile::tempdir().unwrap();
    let first = Interrupter::at(5);
    let folder = create(root.path());
    let trial = Trial { observer: &first, stop: &first.stop, ..Trial::default() };
    trial.run(TicTacToe::new(), &config, &folder).unwrap_err();
    drop(folder);
    let log = root.path().join("games/00001.playing");
    let (GamesFile { origin, mut records }, dropped) = GamesFile::read(&log).unwrap();
    assert!(records.len() >= 5 && dropped == 0);
    // A game that was changed since is taken as it is: it is not played again.
    records[2].plies[0].value = None;
    fs::remove_file(&log).unwrap();
    let (mut again, _, _) = GamesLog::open(&System, &log, &origin).unwrap();
    records.iter().for_each(|record| again.append(record).unwrap());
    resume(root.path(), &config).unwrap();
    let whole = games(root.path(), 1).records;
    assert_eq!(whole.iter().map(|record| record.id).collect::<Vec<_>>(), (0..12).collect::<Vec<_>>());
    assert_eq!(whole[records[2].id as usize], records[2]);
}

fn games(root: &Path, iteration: u32) -> GamesFile {
    GamesFile::read(&root.join(format!("games/{iteration:05}.games"))).unwrap().0
}

/// A run so small that it can be made for every call it makes.
fn minute() -> Config {
    config(&["self_play.games=2", "self_play.simulations=2", "replay.reuse=1.0", "train.iterations=2", "retention.games=1"])
}

/// The number of calls that change files in a run.
fn calls(config: &Config) -> u64 {
    let (root, disk) = (tempfile::tempdir().unwrap(), Faulty::new(0, 0));
    let folder = Folder::create(root.path(), Arc::clone(&disk) as Arc<_>).unwrap();
    Trial::default().run(TicTacToe::new(), config, &folder).unwrap();
    disk.calls()
}

#[test]
fn a_write_that_fails_ends_the_run_and_loses_nothing() {
    let config = minute();
    let (expected, calls) = (unbroken(TicTacToe::new(), &config), calls(&config));
    assert!(calls > 60, "{calls}");
    for number in 1..=calls {
        let root = tempfile::tempdir().unwrap();
        let disk = Faulty::new(number, EIO);
        let warned = Interrupter::default();
        let ended = Folder::create(root.path(), disk)
            .and_then(|folder| Trial { observer: &warned, ..Trial::default() }.run(TicTacToe::new(), &config, &folder));
        match ended {
            Err(error) => {
                let text = error.to_string();
                let named = text.contains(&root.path().display().to_string()) && text.contains("Input/output error");
                assert!(named && !text.contains('\n'), "call {number}: {text}");
            }
            // What is not kept may stay.
            Ok(_) => assert!(warned.warnings().contains("cannot remove"), "call {number}"),
        }
        if Folder::holds_run(root.path()) {
            resume(root.path(), &config).unwrap();
        } else {
            Trial::default().run(TicTacToe::new(), &config, &create(root.path())).unwrap();
        }
        let mut found = results(root.path());
        found.retain(|name, _| expected.contains_key(name) || !name.starts_with("games/"));
        assert!(found == expected, "call {number}: {:?}", found.keys());
    }
}

#[test]
fn a_full_disk_makes_a_run_wait() {
    let config = minute();
    let (expected, calls) = (unbroken(TicTacToe::new(), &config), calls(&config));
    let mut waited = 0;
    // The first calls make the folder, which one is told to make elsewhere.
    for number in 4..=calls {
        let root = tempfile::tempdir().unwrap();
        let disk = Faulty::new(number, ENOSPC);
        let folder = Folder::create(root.path(), disk).unwrap();
        let warned = Interrupter::default();
        Trial { observer: &warned, ..Trial::default() }
            .run(TicTacToe::new(), &config, &folder)
            .unwrap_or_else(|error| panic!("call {number}: {error}"));
        waited += u64::from(warned.warnings().contains("make room"));
        let mut found = results(root.path());
        found.retain(|name, _| expected.contains_key(name));
        assert!(found == expected, "call {number}");
    }
    assert!(waited * 10 > calls * 9 - 50, "{waited} of {calls}");
}

#[test]
fn a_run_that_waits_for_room_can_be_stopped() {
    struct Stopper(AtomicBool);
    impl Observer for Stopper {
        fn event(&self, _: &Event) {}
        fn warn(&self, _: &str) {
            self.0.store(true, Ordering::Relaxed);
        }
        fn progress(&self, _: Phase, _: u64, _: u64) {}
    }
    let (root, config) = (tempfile::tempdir().unwrap(), minute());
    let folder = Folder::create(root.path(), Faulty::new(40, ENOSPC)).unwrap();
    let stopper = Stopper(AtomicBool::new(false));
    let ended = Trial { observer: &stopper, stop: &stopper.0, ..Trial::default() }.run(TicTacToe::new(), &config, &folder);
    assert!(matches!(ended, Err(TrainError::Interrupted)));
    drop(folder);
    resume(root.path(), &config).unwrap();
    assert!(results(root.path()) == unbroken(TicTacToe::new(), &config));
}

#[test]
fn damaged_games_are_set_aside_and_played_again() {
    let (two, three) = (config(&["train.iterations=2"]), config(&["train.iterations=3"]));
    let expected = {
        let root = finished(&two);
        resume(root.path(), &three).unwrap();
        results(root.path())
    };
    let other = finished(&config(&["train.iterations=2", "train.seed=9"]));
    let damages: [&dyn Fn(&Path); 4] = [
        &|games| {
            let mut bytes = fs::read(games).unwrap();
            bytes[100] ^= 1;
            fs::write(games, bytes).unwrap();
        },
        &|games| fs::remove_file(games).unwrap(),
        // Games of another iteration.
        &|games| _ = fs::copy(games.with_file_name("00002.games"), games).unwrap(),
        // Games of another run.
        &|games| _ = fs::copy(other.path().join("games/00001.games"), games).unwrap(),
    ];
    for (number, damage) in damages.iter().enumerate() {
        let root = finished(&two);
        damage(&root.path().join("games/00001.games"));
        let heard = Interrupter::default();
        Trial { observer: &heard, ..Trial::default() }.run(TicTacToe::new(), &three, &open(root.path())).unwrap();
        let mut found = results(root.path());
        let aside = found.remove("games/00001.games.damaged");
        assert_eq!((aside.is_some(), heard.warnings().contains("played again")), (number != 1, number != 1));
        assert!(found == expected, "damage {number}");
    }
    // Without the network that played them they cannot be had again.
    let root = finished(&two);
    fs::remove_file(root.path().join("games/00001.games")).unwrap();
    fs::remove_file(root.path().join("nets/00000.safetensors")).unwrap();
    let before = files(root.path());
    let error = resume(root.path(), &three).unwrap_err();
    assert!(error.is_bad_input());
    assert!(error.to_string().contains("00001.games") && error.to_string().contains("00000.safetensors"), "{error}");
    assert!(files(root.path()) == before);
}

#[test]
fn a_damaged_log_of_games_is_set_aside() {
    let config = config(&["train.iterations=1", "self_play.games=8"]);
    let root = tempfile::tempdir().unwrap();
    let first = Interrupter::at(4);
    let trial = Trial { observer: &first, stop: &first.stop, ..Trial::default() };
    trial.run(TicTacToe::new(), &config, &create(root.path())).unwrap_err();
    let log = root.path().join("games/00001.playing");
    let mut bytes = fs::read(&log).unwrap();
    bytes[30] ^= 1;
    fs::write(&log, &bytes).unwrap();
    let heard = Interrupter::default();
    Trial { observer: &heard, ..Trial::default() }.run(TicTacToe::new(), &config, &open(root.path())).unwrap();
    assert!(heard.warnings().contains("00001.playing.damaged"), "{}", heard.warnings());
    let mut found = results(root.path());
    assert_eq!(found.remove("games/00001.playing.damaged"), Some(bytes));
    assert!(found == unbroken(TicTacToe::new(), &config));
}

#[test]
fn a_damaged_state_is_refused_and_everything_left_as_it_is() {
    let config = config(&["train.iterations=1"]);
    let root = finished(&config);
    let state = root.path().join("state/run.state");
    let whole = fs::read(&state).unwrap();
    for bytes in [&whole[..whole.len() / 2], &[&whole[..], b"x"].concat(), b"", b"foreign"] {
        fs::write(&state, bytes).unwrap();
        let before = files(root.path());
        let error = resume(root.path(), &config).unwrap_err();
        assert!(error.is_bad_input() && error.to_string().contains("run.state"), "{error}");
        assert!(files(root.path()) == before);
    }
}

#[test]
fn a_finished_run_can_be_made_longer() {
    let (two, four) = (config(&["train.iterations=2"]), config(&["train.iterations=4"]));
    let root = finished(&two);
    let before = files(root.path());
    assert_eq!(resume(root.path(), &two).unwrap().iterations, 2);
    let mut after = files(root.path());
    after.insert("config.toml".to_owned(), before["config.toml"].clone());
    assert!(after == before, "a finished run has nothing to go on with");
    assert_eq!(resume(root.path(), &four).unwrap().iterations, 4);
    let lines = metrics(root.path());
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    let expected = ["started", "iteration", "iteration", "finished", "resumed", "iteration", "iteration", "finished"];
    assert_eq!(events, expected);
    let progress: Vec<f64> = lines.iter().filter_map(|line| line["progress"].as_f64()).collect();
    assert_eq!(progress, [0.0, 0.5, 0.5, 0.75]);
    assert!(fs::read_to_string(root.path().join("config.toml")).unwrap().contains("iterations = 4"));
    assert!(lines[7]["seconds"].as_f64() > lines[3]["seconds"].as_f64(), "the clock goes on where it stood");
}

#[test]
fn only_what_is_documented_may_change() {
    let base = config(&[]);
    let text = |config: &Config| toml::to_string(config).unwrap();
    for free in
        ["train.iterations=9", "self_play.cache=1", "learner.learning_rate=0.5", "evaluation.games=9", "retention.games=9"]
    {
        assert!(check_changes(&text(&base), &text(&config(&[free]))).unwrap(), "{free}");
    }
    assert!(!check_changes(&text(&base), &text(&base)).unwrap());
    for fixed in
        ["train.seed=9", "network.blocks=9", "self_play.games=9", "replay.window=9", "learner.batch=16", "search.c_puct=9"]
    {
        let error = check_changes(&text(&base), &text(&config(&[fixed]))).unwrap_err();
        let key = fixed.split('=').next().unwrap();
        assert!(error.is_bad_input() && error.to_string().starts_with(&format!("{key} cannot change")), "{error}");
    }
    let root = finished(&base);
    let before = files(root.path());
    assert!(matches!(resume(root.path(), &config(&["train.seed=9"])), Err(TrainError::Fixed(key)) if key == "train.seed"));
    assert!(files(root.path()) == before);
}

#[test]
fn another_kernel_is_refused_by_name() {
    let base = config(&["train.iterations=1"]);
    let root = finished(&base);
    let state = root.path().join("state/run.state");
    let mut changed = saved(root.path());
    changed.kernel = "cpu z80".to_owned();
    write_sealed(&System, &state, Kind::State, &changed).unwrap();
    let error = resume(root.path(), &config(&["train.iterations=2"])).unwrap_err();
    assert!(error.is_bad_input());
    for expected in ["cpu z80", "--allow-kernel-change"] {
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn a_decision_that_looked_at_the_clock_is_taken_once() {
    let base = config(&["train.iterations=8"]);
    let root = tempfile::tempdir().unwrap();
    let first = Interrupter::at(8);
    let trial = Trial { observer: &first, stop: &first.stop, minutes: Some(1e9), ..Trial::default() };
    trial.run(TicTacToe::new(), &base, &create(root.path())).unwrap_err();
    // As if it had been decided, just before time was up, to make an iteration at this progress.
    let mut state = saved(root.path());
    let iterations = state.progress.iteration;
    state.progress.next = Next::Iteration { progress: 0.875 };
    state.progress.minutes = Some(1e-9);
    write_sealed(&System, &root.path().join("state/run.state"), Kind::State, &state).unwrap();
    assert_eq!(resume(root.path(), &base).unwrap().iterations, iterations + 1);
    let lines = metrics(root.path());
    let last = lines.iter().rfind(|line| line["event"] == "iteration").unwrap();
    assert_eq!(last["progress"], 0.875);
}

#[test]
fn a_run_can_begin_with_a_network() {
    let base = config(&["train.iterations=1"]);
    let parent = finished(&base);
    let path = parent.path().join("nets/00001.safetensors");
    let begun = |config: &Config| {
        let root = tempfile::tempdir().unwrap();
        let ended =
            Trial { start: Start::From(path.clone()), ..Trial::default() }.run(TicTacToe::new(), config, &create(root.path()));
        (root, ended)
    };
    let (child, ended) = begun(&base);
    ended.unwrap();
    let [first, second] =
        [0, 1].map(|number| Header::read(&child.path().join(format!("nets/0000{number}.safetensors"))).unwrap());
    let digest = sha256(&fs::read(&path).unwrap());
    assert_eq!((first.parent.as_ref(), second.parent.as_ref()), (Some(&digest), Some(&digest)));
    assert_eq!((first.iteration, first.games, first.steps), (0, 0, 0));
    // The same weights, but for the header.
    let weights = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        bytes[8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize..].to_vec()
    };
    assert!(weights(&child.path().join("nets/00000.safetensors")) == weights(&path));
    let (_, refused) = begun(&config(&["network.channels=6"]));
    assert!(matches!(&refused, Err(TrainError::Shape(_))), "{refused:?}");
    assert!(refused.unwrap_err().to_string().contains("channels 4"));

    // Killed before it had a state, it begins with the same network though nobody says so again.
    for name in ["state/run.state", "nets/00001.safetensors", "games/00001.games", "metrics.jsonl"] {
        fs::remove_file(child.path().join(name)).unwrap();
    }
    let expected = results(begun(&base).0.path());
    resume(child.path(), &base).unwrap();
    assert!(results(child.path()) == expected);
}

#[test]
fn old_files_are_pruned_by_the_rule() {
    let base = config(&[
        "train.iterations=7",
        "replay.window=60",
        "retention.networks=2",
        "retention.milestones=4",
        "retention.games=1",
    ]);
    let root = finished(&base);
    let found = results(root.path());
    let nets: Vec<&str> = found.keys().filter_map(|name| name.strip_prefix("nets/")?.strip_suffix(".safetensors")).collect();
    assert_eq!(nets, ["00000", "00004", "00006", "00007", "latest"]);
    let window: Vec<u32> = saved(root.path()).progress.window.iter().map(|chunk| chunk.iteration).collect();
    let games: Vec<u32> =
        found.keys().filter_map(|name| name.strip_prefix("games/")?.strip_suffix(".games")?.parse().ok()).collect();
    assert_eq!(games, window);
    assert!(window.len() < 7 && window.ends_with(&[6, 7]), "{window:?}");
    // What is left is enough to go on, exactly.
    let longer = |retention: &str| {
        let changes = ["train.iterations=9", "replay.window=60", retention];
        config(&changes)
    };
    resume(root.path(), &longer("retention.networks=2")).unwrap();
    let kept = finished(&config(&["train.iterations=7", "replay.window=60"]));
    resume(kept.path(), &longer("retention.networks=50")).unwrap();
    let latest = |root: &Path| fs::read(root.join("nets/latest.safetensors")).unwrap();
    assert!(latest(root.path()) == latest(kept.path()));
}

#[test]
fn a_rule_that_keeps_everything_does() {
    let base = config(&["train.iterations=3", "retention.networks=4294967295", "retention.games=4294967295"]);
    let found = results(finished(&base).path());
    assert_eq!(found.keys().filter(|name| name.starts_with("nets/")).count(), 5);
    assert_eq!(found.keys().filter(|name| name.starts_with("games/")).count(), 3);
}

#[test]
fn games_of_another_run_do_not_pass_for_its_own() {
    let base = config(&["train.iterations=1", "self_play.games=8"]);
    let expected = unbroken(TicTacToe::new(), &base);
    let other = finished(&config(&["train.iterations=1", "self_play.games=8", "train.seed=2"]));
    // Interrupted while it learns, so that its games are whole, and while it plays.
    for (moment, name) in [(9, "games/00001.games"), (4, "games/00001.playing")] {
        let root = tempfile::tempdir().unwrap();
        let first = Interrupter::at(moment);
        let trial = Trial { observer: &first, stop: &first.stop, ..Trial::default() };
        trial.run(TicTacToe::new(), &base, &create(root.path())).unwrap_err();
        let path = root.path().join(name);
        assert!(path.exists(), "{name}");
        fs::remove_file(&path).unwrap();
        let foreign = games(other.path(), 1);
        if name.ends_with("games") {
            foreign.write(&System, &path).unwrap();
        } else {
            let (mut log, _, _) = GamesLog::open(&System, &path, &foreign.origin).unwrap();
            foreign.records.iter().take(3).for_each(|record| log.append(record).unwrap());
        }
        let heard = Interrupter::default();
        Trial { observer: &heard, ..Trial::default() }.run(TicTacToe::new(), &base, &open(root.path())).unwrap();
        assert!(heard.warnings().contains("another run"), "{}", heard.warnings());
        let mut found = results(root.path());
        found.remove(&format!("{name}.damaged")).unwrap();
        assert!(found == expected, "{name}");
    }
}

#[test]
fn what_is_whole_leaves_no_log_behind() {
    let base = config(&["train.iterations=1", "self_play.games=8"]);
    let root = tempfile::tempdir().unwrap();
    let first = Interrupter::at(9);
    let trial = Trial { observer: &first, stop: &first.stop, ..Trial::default() };
    trial.run(TicTacToe::new(), &base, &create(root.path())).unwrap_err();
    // As if the process had been killed between writing the games and removing the log.
    fs::write(root.path().join("games/00001.playing"), "").unwrap();
    resume(root.path(), &base).unwrap();
    assert!(results(root.path()) == unbroken(TicTacToe::new(), &base));
}

#[test]
fn the_files_of_networks_are_written_from_the_state() {
    let base = config(&["train.iterations=2"]);
    let expected = unbroken(TicTacToe::new(), &base);
    for damage in [|path: &Path| fs::remove_file(path).unwrap(), |path: &Path| fs::write(path, "short").unwrap()] {
        let root = finished(&base);
        damage(&root.path().join("nets/00002.safetensors"));
        damage(&root.path().join("nets/latest.safetensors"));
        resume(root.path(), &base).unwrap();
        assert!(results(root.path()) == expected);
    }
}

#[test]
fn a_run_without_its_state_is_not_begun_again() {
    let base = config(&["train.iterations=1"]);
    let root = finished(&base);
    fs::remove_file(root.path().join("state/run.state")).unwrap();
    let before = files(root.path());
    let error = resume(root.path(), &base).unwrap_err();
    assert!(error.is_bad_input() && error.to_string().contains("--from"), "{error}");
    // Nor is it overwritten, even where its configuration is gone too.
    fs::remove_file(root.path().join("config.toml")).unwrap();
    assert!(matches!(Folder::create(root.path(), Arc::new(System)), Err(TrainError::Exists(_))));
    assert!(files(root.path()).into_iter().all(|(name, bytes)| before[&name] == bytes));
    // A file of the same name that is no run's stays what it is.
    let precious = tempfile::tempdir().unwrap();
    fs::write(precious.path().join("metrics.jsonl"), "mine").unwrap();
    assert!(matches!(Folder::create(precious.path(), Arc::new(System)), Err(TrainError::Exists(_))));
    assert_eq!(files(precious.path()).len(), 1);
}

#[test]
fn a_run_made_shorter_ends_with_its_last_network_measured() {
    let root = tempfile::tempdir().unwrap();
    let first = Interrupter::at(14);
    let trial = Trial { observer: &first, stop: &first.stop, ..Trial::default() };
    trial.run(TicTacToe::new(), &config(&["train.iterations=5"]), &create(root.path())).unwrap_err();
    assert_eq!(resume(root.path(), &config(&["train.iterations=1"])).unwrap().iterations, 1);
    let state = saved(root.path()).progress;
    assert_eq!((state.next, state.measured), (Next::End, 1));
    assert_eq!(metrics(root.path()).last().unwrap()["event"], "finished");
}

#[test]
fn one_process_a_run() {
    let base = config(&["train.iterations=1"]);
    let root = finished(&base);
    let held = open(root.path());
    let error = Folder::open(root.path(), Arc::new(System)).map(|_| ()).unwrap_err();
    assert!(error.is_bad_input() && error.to_string().contains("in use by another process"), "{error}");
    drop(held);
    open(root.path());
    let nowhere = Folder::open(&root.path().join("nets"), Arc::new(System)).map(|_| ()).unwrap_err();
    assert!(nowhere.is_bad_input() && nowhere.to_string().contains("holds no run"), "{nowhere}");
}

#[test]
fn metrics_hold_what_was_committed_and_nothing_twice() {
    let base = config(&["train.iterations=3"]);
    let root = tempfile::tempdir().unwrap();
    let first = Interrupter::at(14);
    let trial = Trial { observer: &first, stop: &first.stop, ..Trial::default() };
    trial.run(TicTacToe::new(), &base, &create(root.path())).unwrap_err();
    // What a crash may leave behind what was committed: a line that will be written again, and a torn one.
    let path = root.path().join("metrics.jsonl");
    let committed = fs::read_to_string(&path).unwrap();
    let last = committed.lines().last().unwrap();
    fs::write(&path, format!("{committed}{last}\n{{\"event\":\"itera")).unwrap();
    resume(root.path(), &base).unwrap();
    let lines = metrics(root.path());
    let iterations: Vec<u64> =
        lines.iter().filter(|line| line["event"] == "iteration").map(|line| line["iteration"].as_u64().unwrap()).collect();
    assert_eq!(iterations, [1, 2, 3]);
    assert_eq!(lines.iter().filter(|line| line["event"] == "resumed").count(), 1);
    // Lines that somebody took away are missed, and told.
    fs::write(&path, "").unwrap();
    let heard = Interrupter::default();
    let longer = config(&["train.iterations=4"]);
    Trial { observer: &heard, ..Trial::default() }.run(TicTacToe::new(), &longer, &open(root.path())).unwrap();
    assert!(heard.warnings().contains("metrics.jsonl has lost"), "{}", heard.warnings());
}
