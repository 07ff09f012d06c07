//! `plyzero evaluate` beside perfect play, and what a run tells of it: sets, figures, options and their errors.

mod seasoned;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use plyzero::game::Facts;
use plyzero::game::Game as _;
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::net::{Checkpoint, Header};
use serde_json::Value;
use tempfile::TempDir;

use seasoned::{architecture, seasoned};

const SETS: [&str; 6] = ["begin-easy", "begin-medium", "begin-hard", "middle-easy", "middle-medium", "end-easy"];
const FIGURES: [&str; 6] = ["error", "error_not_lost", "error_critical", "strongest", "brier", "log_loss"];

/// What makes a run take no time.
const TINY: &str = "--set train.iterations=2 --set network.channels=4 --set network.blocks=1 --set self_play.games=4 \
    --set self_play.simulations=6 --set self_play.lockstep=4 --set self_play.batch=4 --set self_play.cache=64 --set learner.batch=8 \
    --set evaluation.every=1 --set evaluation.opponents=[] --set evaluation.simulations=3";

fn save(path: &Path, facts: &Facts) {
    let shape = architecture(facts, 4, 1);
    Checkpoint { header: Header::new(&shape, 1, 7, 8, 9), network: seasoned(&shape, 3) }.save(path).unwrap();
}

/// A folder with networks for both games.
fn networks() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    save(&folder.path().join("ttt.safetensors"), TicTacToe::new().facts());
    save(&folder.path().join("c4.safetensors"), ConnectFour::new().facts());
    folder
}

/// Status, standard output and standard error of the program in `folder`.
fn plyzero(folder: &TempDir, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plyzero"));
    let output = command.current_dir(folder).stdin(Stdio::null()).args(arguments.split_whitespace()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// What a command that succeeds prints.
fn printed(folder: &TempDir, arguments: &str) -> String {
    let (status, out, error) = plyzero(folder, arguments);
    assert_eq!((status, error.as_str()), (Some(0), ""), "{arguments}");
    out
}

fn json(folder: &TempDir, arguments: &str) -> Value {
    serde_json::from_str(&printed(folder, arguments)).unwrap()
}

/// A figure and its standard error.
fn figure(scores: &Value, name: &str) -> Option<(f64, f64)> {
    let found = &scores[name];
    (!found.is_null()).then(|| (found["value"].as_f64().unwrap(), found["standard_error"].as_f64().unwrap()))
}

fn close(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1e-12, "{found} is not {wanted}");
}

/// Checks the mean of every figure over the sets that have it, and shares against their counts.
fn assert_adds_up(measured: &Value) {
    let sets = measured["sets"].as_array().unwrap();
    for name in FIGURES {
        let found: Vec<(f64, f64)> = sets.iter().filter_map(|set| figure(set, name)).collect();
        let count = found.len() as f64;
        let Some((mean, error)) = figure(&measured["mean"], name) else {
            assert!(found.is_empty(), "{name}");
            continue;
        };
        close(mean, found.iter().map(|(value, _)| value).sum::<f64>() / count);
        close(error, found.iter().map(|(_, error)| error * error).sum::<f64>().sqrt() / count);
    }
    for set in sets {
        let counts = [("error", "positions"), ("error_not_lost", "not_lost"), ("error_critical", "critical")];
        let number = |name: &str| set[name].as_f64().unwrap();
        let errors = counts.map(|(share, of)| {
            let Some((share, error)) = figure(set, share) else { return 0.0 };
            close(error, (share * (1.0 - share) / number(of)).sqrt());
            (share * number(of)).round()
        });
        assert!(errors[0] == errors[1] && errors[1] == errors[2], "every error is one in a critical position: {set}");
        assert!(number("critical") <= number("not_lost") && number("not_lost") <= number("positions"), "{set}");
    }
}

#[test]
fn solved_sets_are_told_apart_and_in_the_mean() {
    let folder = networks();
    let arguments = "evaluate c4.safetensors --sims 2 --against random --games 2 --json";
    let report = json(&folder, &format!("{arguments} --positions 5 --set test"));
    assert_eq!(report["half"], "test");
    for measured in [&report["raw"], &report["search"][0]] {
        let sets = measured["sets"].as_array().unwrap();
        assert_eq!(sets.iter().map(|set| set["set"].as_str().unwrap()).collect::<Vec<_>>(), SETS);
        assert!(sets.iter().all(|set| set["positions"] == 5));
        assert_eq!((&measured["positions"], &measured["mean"]["positions"]), (&30.into(), &30.into()));
        assert_eq!(measured["critical"], measured["mean"]["critical"]);
        // Sets of one size: their mean is that of all positions.
        close(1.0 - measured["value_preserving"].as_f64().unwrap(), figure(&measured["mean"], "error").unwrap().0);
        close(measured["strongest"].as_f64().unwrap(), figure(&measured["mean"], "strongest").unwrap().0);
        assert_adds_up(measured);
    }
    let forecasts = |measured: &Value| ["brier", "log_loss"].map(|name| figure(&measured["mean"], name));
    let [Some((brier, _)), Some((log_loss, _))] = forecasts(&report["raw"]) else { panic!("the network has chances") };
    assert!((0.0..=2.0).contains(&brier) && log_loss > 0.0);
    assert_eq!(forecasts(&report["search"][0]), [None, None], "a search has none");
    assert_eq!(report, json(&folder, &format!("{arguments} --positions 5 --set test --threads 1")));

    let other = json(&folder, &format!("{arguments} --positions 5"));
    assert_eq!(other["half"], "development");
    assert_ne!(report["raw"]["sets"], other["raw"]["sets"]);
    assert_eq!(other, json(&folder, &format!("{arguments} --positions 5 --set development")));
    let usual = json(&folder, arguments);
    assert!(usual["raw"]["sets"].as_array().unwrap().iter().all(|set| set["positions"] == 50));
}

#[test]
fn a_small_game_is_one_set_of_all_its_positions() {
    let folder = networks();
    let report = json(&folder, "evaluate ttt.safetensors --sims 2 --json");
    assert!(report.get("half").is_none());
    for measured in [&report["raw"], &report["search"][0]] {
        let [set] = &measured["sets"].as_array().unwrap()[..] else { panic!("{measured}") };
        assert_eq!((&set["set"], &set["positions"]), (&"undecided".into(), &4520.into()));
        assert_eq!(set["critical"], measured["critical"]);
        close(1.0 - measured["value_preserving_critical"].as_f64().unwrap(), figure(set, "error_critical").unwrap().0);
        assert_adds_up(measured);
    }
}

#[test]
fn people_get_a_table() {
    let folder = networks();
    let told = printed(&folder, "evaluate c4.safetensors --sims 2 --against random --games 2 --positions 3 --set test");
    assert!(told.starts_with("c4.safetensors: connect_four, iteration 7, test sets\n"), "{told}");
    for name in SETS.into_iter().chain(["mean over the sets"]) {
        let rows: Vec<&str> = told.lines().filter(|line| line.trim_start().starts_with(name)).collect();
        // Six figures of the network, four of the search, each with its error; blanks in place of those that no position has.
        assert_eq!(rows.len(), 2, "{told}");
        assert!(rows[0].len() > rows[1].len() && rows[0].contains('('), "{told}");
    }
    assert!(told.contains("Brier") && told.contains("in brackets: the standard error"), "{told}");
    let told = printed(&folder, "evaluate ttt.safetensors --sims 2");
    assert!(told.contains("\n      undecided") && !told.contains("mean over"), "{told}");
}

#[test]
fn options_that_choose_among_sets_are_checked() {
    let folder = networks();
    for (arguments, expected) in [
        ("evaluate c4.safetensors --positions 0", "--positions"),
        ("evaluate c4.safetensors --positions 1001", "1..=1000"),
        ("evaluate c4.safetensors --positions few", "--positions"),
        ("evaluate c4.safetensors --set tset", "[possible values: test, development]"),
        (
            "evaluate ttt.safetensors --set test",
            "error: --set chooses among sets of solved positions, and tic_tac_toe has none: leave it out\n",
        ),
        (
            "evaluate ttt.safetensors --positions 5",
            "error: --positions chooses among sets of solved positions, and tic_tac_toe has none: leave it out\n",
        ),
    ] {
        let (status, out, error) = plyzero(&folder, arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments}");
        assert!(error.starts_with("error: ") && error.lines().count() == 1 && error.contains(expected), "{arguments}: {error}");
    }
}

/// The lines about perfect play in the metrics of a tiny run.
fn streamed(folder: &TempDir, game: &str) -> Vec<Value> {
    printed(folder, &format!("train --game {game} --run {game} --threads 1 {TINY}"));
    let text = fs::read_to_string(folder.path().join(game).join("metrics.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["kind"] == "accuracy").collect()
}

#[test]
fn runs_stream_a_fixed_sample_of_the_solved_sets() {
    let folder = tempfile::tempdir().unwrap();
    let lines = streamed(&folder, "connect_four");
    let players = |lines: &[Value]| lines.iter().map(|line| line["player"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(players(&lines), ["net", "net"], "without search, after each iteration");
    assert!(lines.iter().all(|line| line["positions"] == 60 && line["mean"]["positions"] == 60));
    assert_eq!(lines[0]["critical"], lines[1]["critical"], "always the same positions");
    assert!(lines.iter().all(|line| figure(&line["mean"], "brier").is_some()));
    // What the same network is told by hand.
    let net = "connect_four/nets/00002.safetensors";
    let report = json(&folder, &format!("evaluate {net} --positions 10 --sims 1 --against random --games 2 --json"));
    assert_eq!(report["raw"]["mean"], lines[1]["mean"]);
    let small = streamed(&folder, "tic_tac_toe");
    assert_eq!(players(&small), ["net", "puct:sims=3", "net", "puct:sims=3"]);
    assert!(small.iter().all(|line| line["positions"] == 4520));
}
