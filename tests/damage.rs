//! Runs whose disk fails or fills, and whose files are damaged, gone or another run's: nothing is lost, and nothing wrong is believed.

mod faulty;
mod outcome;
mod sittings;
mod tiny;
mod trial;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plyzero::games::TicTacToe;
use plyzero::storage::System;
use plyzero::train::{Config, Event, Folder, GamesLog, Observer, Phase, TrainError};

use faulty::{EIO, ENOSPC, Faulty};
use outcome::{files, results};
use sittings::{Interrupter, create, finished, games, open, resume, unbroken};
use tiny::config;
use trial::Trial;

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
