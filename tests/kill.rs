//! The real program, killed at random moments: what it comes to is what it comes to undisturbed.

mod methods;
mod outcome;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use plyzero::net::Kernel;
use plyzero::rng::stream;
use plyzero::train::GamesFile;
use rand::RngExt as _;

use outcome::results;

/// A run of about a second.
const SMALL: [&str; 8] = [
    "train.iterations=6",
    "network.channels=8",
    "network.blocks=1",
    "self_play.games=48",
    "self_play.simulations=24",
    "replay.window=1000",
    "evaluation.every=2",
    "evaluation.games=12",
];

fn train(folder: &Path, threads: usize) -> Command {
    train_with(folder, threads, &[])
}

fn train_with(folder: &Path, threads: usize, changes: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plyzero"));
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.args(["train", "--threads", &threads.to_string()]);
    if folder.join("run/config.toml").exists() {
        command.args(["--resume", "run"]);
    } else {
        command.args(["--run", "run"]).args(SMALL.iter().chain(changes).flat_map(|change| ["--set", change]));
    }
    command
}

/// Lets the program run for so long, then kills it; how it ended, if it did before.
fn kill_after(child: &mut Child, time: Duration) -> Option<ExitStatus> {
    let begun = Instant::now();
    while begun.elapsed() < time {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    let status = child.wait().unwrap();
    status.code().is_some().then_some(status)
}

#[test]
fn twenty_kills_change_nothing() {
    assert_kills_change_nothing(20, &[]);
}

#[test]
fn kills_change_nothing_with_every_method_on() {
    assert_kills_change_nothing(10, &methods::ON);
}

fn assert_kills_change_nothing(most: usize, changes: &[&str]) {
    let whole = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    assert!(train_with(whole.path(), 2, changes).status().unwrap().success());
    let (length, expected) = (begun.elapsed(), results(&whole.path().join("run")));
    let mut rng = stream(1, "kill", 0);
    let (mut kills, mut runs) = (0, 0);
    while kills < most || runs < 2 {
        let folder = tempfile::tempdir().unwrap();
        let threads = 1 + runs % 2;
        // So that every run is killed several times on its way, wherever that is.
        let ended = loop {
            let mut child = train_with(folder.path(), threads, changes).spawn().unwrap();
            let time = if kills < most { length.mul_f64(rng.random_range(0.02..0.6)) } else { Duration::MAX };
            match kill_after(&mut child, time) {
                None => kills += 1,
                Some(status) => break status,
            }
        };
        runs += 1;
        assert!(ended.success(), "run {runs}: {ended}");
        let run = folder.path().join("run");
        assert!(results(&run) == expected, "run {runs} after {kills} kills");
        assert_whole(&run);
    }
}

#[test]
fn every_kernel_repeats_itself_for_any_threads_and_kills() {
    let run = |kernel: Kernel, threads: usize, kills: &[f64]| {
        let folder = tempfile::tempdir().unwrap();
        for &seconds in kills {
            let mut child = train(folder.path(), threads).env("PLYZERO_KERNEL", kernel.name()).spawn().unwrap();
            kill_after(&mut child, Duration::from_secs_f64(seconds));
        }
        assert!(train(folder.path(), threads).env("PLYZERO_KERNEL", kernel.name()).status().unwrap().success());
        results(&folder.path().join("run"))
    };
    for kernel in Kernel::possible() {
        let expected = run(kernel, 1, &[]);
        assert!(run(kernel, 2, &[0.2, 0.4]) == expected, "{}", kernel.name());
    }
}

/// Game ids are unique and complete; nothing is left beside what a run keeps.
fn assert_whole(run: &Path) {
    let mut ids = BTreeSet::new();
    for iteration in 1..=6 {
        let (file, _) = GamesFile::read(&run.join(format!("games/{iteration:05}.games"))).unwrap();
        assert!(file.records.iter().all(|record| ids.insert(record.id)), "iteration {iteration} has a game twice");
    }
    assert!(ids.into_iter().eq(0..6 * 48));
    for part in ["", "games", "nets", "state"] {
        for entry in fs::read_dir(run.join(part)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(![".partial", ".playing", ".damaged"].iter().any(|end| name.ends_with(end)), "{part}/{name}");
        }
    }
}

/// Sends a signal by the system's own program.
#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap().success());
}

/// Waits until the run can be gone on with.
#[cfg(unix)]
fn await_state(child: &mut Child, folder: &Path) {
    while !folder.join("run/state/run.state").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it began");
        sleep(Duration::from_millis(1));
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_in_order_and_a_second_one_at_once() {
    let whole = tempfile::tempdir().unwrap();
    assert!(train(whole.path(), 2).status().unwrap().success());
    let expected = results(&whole.path().join("run"));
    for name in ["INT", "TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = train(folder.path(), 2).stdout(Stdio::piped()).spawn().unwrap();
        await_state(&mut child, folder.path());
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{name}");
        let (told, warned) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        let last = told.lines().last().unwrap();
        assert!(last.starts_with("go on with:  ") && last.ends_with(" train --resume run"), "{told}");
        assert!(warned.starts_with("warning: stopping") && warned.lines().count() == 1, "{warned}");
        // The command it tells can be pasted into a shell.
        let command = last.trim_start_matches("go on with:  ");
        assert!(
            Command::new("sh").args(["-c", command]).current_dir(folder.path()).stdout(Stdio::null()).status().unwrap().success()
        );
        assert!(results(&folder.path().join("run")) == expected, "{name}");
    }
    // Twice in a row: whatever it is doing, it is gone, and still nothing is lost.
    let folder = tempfile::tempdir().unwrap();
    let mut child = train(folder.path(), 2).spawn().unwrap();
    await_state(&mut child, folder.path());
    signal(&child, "INT");
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(train(folder.path(), 2).status().unwrap().success());
    assert!(results(&folder.path().join("run")) == expected);
}
