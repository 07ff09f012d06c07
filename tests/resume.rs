//! Runs that are interrupted, changed or made longer: what they come to is what an unbroken run comes to.

mod methods;
mod outcome;
mod race;
mod sittings;
mod tiny;
mod trial;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use plyzero::game::{Game, Step};
use plyzero::games::TicTacToe;
use plyzero::net::Header;
use plyzero::storage::{Kind, System, sha256, write_sealed};
use plyzero::train::{Config, GameRecord, GamesFile, GamesLog, Limits, Next, Saved, Start, TrainError, check_changes};

use outcome::{files, results};
use race::Race;
use sittings::{Interrupter, create, finished, games, open, resume, unbroken};
use tiny::config;
use trial::Trial;

fn minutes(minutes: f64) -> Limits {
    Limits { minutes: Some(minutes), cpu_minutes: None }
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
    assert!(interrupted > 10, "{interrupted}");
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    let small = ["self_play.games=4", "replay.window=40", "replay.max_uses=3"];
    assert_interruptions_change_nothing(TicTacToe::new, &config(&small));
    assert_interruptions_change_nothing(TicTacToe::new, &config(&[&small[..], &methods::ON].concat()));
    assert_interruptions_change_nothing(
        Race::new,
        &config(&[&small[..], &["train.game=race", "learner.optimizer=sgd", "self_play.random_share=0.0"]].concat()),
    );
}

/// Sequential halving, with fast moves and simulations that grow.
const HALVING: [&str; 8] = [
    "self_play.first_simulations=4",
    "self_play.full_simulations_at=0.5",
    "self_play.fast_share=0.5",
    "self_play.fast_simulations=2",
    "self_play.gumbel_moves=3",
    "search.solve=true",
    "self_play.games=6",
    "train.iterations=3",
];

#[test]
fn sequential_halving_leaves_an_interrupted_run_its_bits() {
    assert_interruptions_change_nothing(TicTacToe::new, &config(&HALVING));
}

#[test]
fn lost_games_are_played_again_by_as_many_simulations_as_then() {
    let growing = ["self_play.first_simulations=2", "replay.window=1000"];
    let longer = |iterations| config(&[&growing[..], &[iterations]].concat());
    let root = finished(&longer("train.iterations=4"));
    let made = |iteration| {
        let plies = games(root.path(), iteration).records.into_iter().flat_map(|record| record.plies);
        let totals = plies.map(|ply| ply.visits.iter().map(|(_, visits)| *visits).sum::<u32>());
        totals.filter(|total| *total > 0).collect::<BTreeSet<u32>>()
    };
    // At a half of the run and later there are all of them.
    assert_eq!([1, 2, 3, 4].map(made), [2, 5, 8, 8].map(|total| BTreeSet::from([total])));
    let path = root.path().join("games/00002.games");
    let before = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    // The same iteration would begin at another progress now.
    resume(root.path(), &longer("train.iterations=8")).unwrap();
    assert!(fs::read(&path).unwrap() == before);
    assert_eq!(made(5), BTreeSet::from([8]));
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
    records[2].plies[0].opinion = None;
    fs::remove_file(&log).unwrap();
    let (mut again, _, _) = GamesLog::open(&System, &log, &origin).unwrap();
    records.iter().for_each(|record| again.append(record).unwrap());
    resume(root.path(), &config).unwrap();
    let whole = games(root.path(), 1).records;
    assert_eq!(whole.iter().map(|record| record.id).collect::<Vec<_>>(), (0..12).collect::<Vec<_>>());
    assert_eq!(whole[records[2].id as usize], records[2]);
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
    let taken = saved(root.path()).progress.core_seconds;
    assert_eq!(resume(root.path(), &four).unwrap().iterations, 4);
    assert_eq!(saved(root.path()).progress.core_seconds > taken, cfg!(unix), "processor time goes on too");
    let lines = metrics(root.path());
    // So small a window is warned of.
    let lines: Vec<_> = lines.into_iter().filter(|line| line["event"] != "warning").collect();
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
    let trial = Trial { observer: &first, stop: &first.stop, limits: minutes(1e9), ..Trial::default() };
    trial.run(TicTacToe::new(), &base, &create(root.path())).unwrap_err();
    // As if it had been decided, just before time was up, to make an iteration at this progress.
    let mut state = saved(root.path());
    let iterations = state.progress.iteration;
    state.progress.next = Next::Iteration { progress: 0.875 };
    state.progress.limits = minutes(1e-9);
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

const ARCHIVE: [&str; 5] = [
    "train.iterations=4",
    "self_play.games=12",
    "self_play.archive_share=0.5",
    "self_play.archive=10",
    "self_play.random_share=0.25",
];

#[test]
fn the_archive_holds_what_surprised_most_and_games_begin_there() {
    let config = config(&ARCHIVE);
    let root = finished(&config);
    let progress = saved(root.path()).progress;
    let gaps: Vec<f32> = progress.archive.iter().map(|surprise| surprise.gap).collect();
    assert!(gaps.len() == 10 && gaps.is_sorted_by(|one, other| one >= other) && gaps[9] > 0.0, "{gaps:?}");
    // What the last games found counts in full, what others did less.
    let last: Vec<_> = games(root.path(), 4).records;
    let gap =
        |record: &GameRecord, at: usize| record.plies[at].opinion.filter(|found| found.proven.is_none()).map(|found| found.gap);
    let all = last.iter().flat_map(|record| (0..record.plies.len()).filter_map(|at| gap(record, at)));
    assert!(all.clone().filter(|&gap| gap > gaps[9]).all(|gap| gaps.contains(&gap)));
    assert!(gaps.iter().filter(|kept| all.clone().any(|gap| gap == **kept)).count() > 2);
    let mut begun = 0;
    for chunk in progress.window.iter().filter(|chunk| chunk.iteration > 1) {
        let records = games(root.path(), chunk.iteration).records;
        for record in &records {
            let opening: Vec<Step> = record.plies.iter().take_while(|ply| ply.opinion.is_none()).map(|ply| ply.step).collect();
            if let Some(start) = chunk.starts.get(&record.id) {
                assert_eq!(opening, *start);
                begun += usize::from(!start.is_empty());
            }
        }
        assert!((2..=10).contains(&chunk.starts.len()), "{} of 12", chunk.starts.len());
    }
    assert!(begun > 5, "{begun}");
}

#[test]
fn games_from_the_archive_that_are_lost_are_played_again() {
    let (four, five) = (config(&ARCHIVE), config(&[&ARCHIVE[1..], &["train.iterations=5"]].concat()));
    let (untouched, root) = (finished(&four), finished(&four));
    resume(untouched.path(), &five).unwrap();
    let iterations: Vec<u32> = saved(root.path()).progress.window.iter().map(|chunk| chunk.iteration).collect();
    assert!(iterations.iter().any(|&iteration| iteration > 1));
    for iteration in iterations {
        fs::remove_file(root.path().join(format!("games/{iteration:05}.games"))).unwrap();
    }
    resume(root.path(), &five).unwrap();
    assert!(results(root.path()) == results(untouched.path()));
}
