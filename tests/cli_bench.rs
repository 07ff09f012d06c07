//! `plyzero bench` and `plyzero games --count`: counts that are known, kernels, and faults of the input.

use std::process::{Command, Output};

use plyzero::net::Kernel;
use plyzero::play::wording::grouped;
use serde_json::{Value, json as value};

fn plyzero(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plyzero")).args(arguments).output().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = plyzero(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The row of a technique.
fn row<'a>(report: &'a Value, technique: &str) -> &'a Value {
    report["rows"].as_array().unwrap().iter().find(|row| row["technique"] == technique).unwrap()
}

#[test]
fn the_textbook_counts_are_printed() {
    let report = json(&["bench", "search", "--game", "tic_tac_toe", "--json"]);
    assert_eq!((&report["game"], &report["depth"]), (&"tic_tac_toe".into(), &9.into()));
    assert_eq!((&row(&report, "minimax")["nodes"], &row(&report, "alpha-beta")["nodes"]), (&549_946.into(), &18_297.into()));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1 + 16 + 3);
    for row in rows {
        assert_eq!((&row["finished"], &row["value"]), (&true.into(), &serde_json::json!([0.0, 0.0])), "{row}");
        assert!(row["branching"].as_f64().unwrap() > 1.0 && row["nodes"].as_u64().unwrap() <= 549_946, "{row}");
    }
    // X in the middle, O in the top left corner.
    let report = json(&["bench", "search", "--game", "tic_tac_toe", "--moves", "b2 a3", "--json"]);
    assert_eq!((&row(&report, "minimax")["nodes"], &row(&report, "alpha-beta")["nodes"]), (&6_812.into(), &703.into()));
    assert_eq!(report["moves"], serde_json::json!(["b2", "a3"]));
}

#[test]
fn known_trees_and_the_savings_of_maxn_come_without_a_game() {
    let report = json(&["bench", "search", "--depth", "2", "--json"]);
    let uniform = report["uniform"].as_array().unwrap();
    assert!(uniform.len() >= 5);
    for row in uniform {
        assert_eq!((&row["best_first"], &row["worst_first"]), (&row["least"], &row["most"]), "{row}");
    }
    for row in report["dice"].as_array().unwrap() {
        let [star2, star1, windows, all] = ["star2", "star1", "windows", "all"].map(|key| row[key].as_u64().unwrap());
        assert!(star2 < star1 && star1 < windows, "{row}");
        assert_eq!(windows, all, "chance after each move leaves windows nothing to cut");
    }
    let savings = report["maxn"].as_array().unwrap();
    let number = |row: &Value, key: &str| row[key].as_u64().unwrap();
    assert_eq!(savings.iter().map(|row| row["epsilon"].as_f64().unwrap()).collect::<Vec<_>>(), [0.0, 0.125, 0.5, 1.0]);
    assert_eq!(number(&savings[0], "coordinate"), number(&savings[0], "pair"), "at 0 the tests are one");
    for row in savings {
        assert!(number(row, "pair") <= number(row, "coordinate") && number(row, "coordinate") <= number(row, "all"));
        assert!(number(row, "pair") <= number(row, "pair_strict"), "{row}");
    }
    assert!(savings.is_sorted_by_key(|row| number(row, "pair")));
}

#[test]
fn the_figures_of_the_documents_are_those_printed() {
    let document = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/search.md")).unwrap();
    let is_between = |letter: char| letter.is_whitespace() || letter == '|';
    let figures: Vec<&str> = document.split(is_between).collect();
    let told = |figure: &Value, place: &Value| {
        let figure = grouped(figure.as_u64().unwrap().into());
        assert!(figures.contains(&figure.as_str()), "{figure} of {place} is not in docs/search.md");
    };
    let report = json(&["bench", "search", "--json"]);
    for technique in ["minimax", "alpha-beta"] {
        told(&row(&report, technique)["nodes"], row(&report, technique));
    }
    for table in ["uniform", "dice", "maxn"] {
        for row in report[table].as_array().unwrap() {
            let counts = ["best_first", "most", "all", "star1", "star2", "coordinate", "pair", "pair_strict"];
            counts.iter().filter(|count| row[**count].is_u64()).for_each(|count| told(&row[*count], row));
        }
    }
    let report = json(&["bench", "search", "--game", "connect_four", "--depth", "8", "--json"]);
    for technique in ["table", "killers", "history", "knowledge ordering", "iterative deepening", "all but iterative deepening"] {
        let row = row(&report, &format!("alpha-beta, {technique}"));
        told(&row["nodes"], row);
    }
}

#[test]
fn a_search_given_up_says_so_and_tables_are_for_people() {
    let report = json(&["bench", "search", "--game", "connect_four", "--depth", "5", "--nodes", "5000", "--json"]);
    assert_eq!(row(&report, "minimax")["finished"], false);
    assert_eq!((&row(&report, "minimax")["value"], &row(&report, "minimax")["nodes"]), (&Value::Null, &5_000.into()));
    assert_eq!(row(&report, "alpha-beta, all")["finished"], true);
    let output = plyzero(&["bench", "search", "--game", "connect_four", "--depth", "3", "--nodes", "300"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("connect_four, 3 plies deep\n\n"), "{text}");
    assert!(text.contains("over 300"), "{text}");
}

#[test]
fn games_are_counted_or_estimated() {
    let output = plyzero(&["games", "--count"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("5,478 positions, 765 up to symmetry; 255,168 games"), "{text}");
    let estimate = text.lines().find(|line| line.starts_with("connect_four")).unwrap();
    assert!(estimate.contains("b = 6.") && estimate.contains("d = 21.") && estimate.contains("b^d is about 10^"), "{estimate}");
    assert!(text.lines().any(|line| line.starts_with("tic_tac_toe_tempo") && line.contains("5,478 positions")), "{text}");
    let small = String::from_utf8(plyzero(&["games", "--count", "hex:size=2", "tic_tac_toe"]).stdout).unwrap();
    assert_eq!(small.lines().count(), 2, "{small}");
    assert!(small.starts_with("hex:size=2 ") && small.contains(" positions, "), "{small}");
    let described = String::from_utf8(plyzero(&["games"]).stdout).unwrap();
    assert!(described.contains("7 actions, 2x6x7 planes"), "{described}");
}

#[test]
fn faults_of_the_input_are_told_in_a_line() {
    for (arguments, said) in [
        (&["bench", "search", "--game", "tictactoe"][..], "did you mean tic_tac_toe?"),
        (&["bench", "search", "--game", "tic_tac_toe", "--moves", "b2 b2"], "--moves: move 2"),
        (&["bench", "search", "--game", "tic_tac_toe", "--moves", "a1 b1 a2 b2 a3"], "the game is over after 5 plies"),
    ] {
        let output = plyzero(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
        assert!(error.contains(said), "{error}");
    }
    assert_eq!(plyzero(&["bench", "search", "--depth", "0"]).status.code(), Some(2));
}

#[test]
fn uct_and_self_play_are_measured() {
    let report = json(&["bench", "uct", "--game", "tic_tac_toe", "--game", "einstein:size=3", "--sims", "20", "--json"]);
    let rows = report.as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["game"].as_str().unwrap()).collect::<Vec<_>>(), ["tic_tac_toe", "einstein:size=3"]);
    for row in rows {
        assert_eq!((&row["simulations_per_move"], row["simulations"].as_u64().unwrap() % 20), (&20.into(), 0), "{row}");
        assert!(row["simulations_per_second"].as_f64() > Some(0.0) && row["simulations_per_core_second"].as_f64() > Some(0.0));
    }
    let sizes = ["--channels", "4", "--blocks", "1", "--sims", "10", "--games", "3"];
    let game = ["bench", "selfplay", "--game", "tic_tac_toe"];
    let report = json(&[&game[..], &sizes, &["--threads", "2", "--json"]].concat());
    assert_eq!((&report["games"], &report["channels"], &report["cache_found"]), (&3.into(), &4.into(), &0.into()));
    for figure in ["simulations_per_core_second", "positions_per_second", "inferences_per_core_second", "share_of_inference"] {
        assert!(report[figure].as_f64() > Some(0.0), "{figure} of {report}");
    }
    let remembering = json(&[&game[..], &sizes, &["--cache", "1000", "--json"]].concat());
    assert!(remembering["cache_found"].as_u64() > Some(0), "{remembering}");
    let text = String::from_utf8(plyzero(&[&game[..], &sizes].concat()).stdout).unwrap();
    assert!(text.contains("simulations/core second"), "{text}");
    for wrong in [
        &["bench", "uct", "--game", "tictactoe"][..],
        &["bench", "uct", "--sims", "0"],
        &["bench", "selfplay", "--channels", "0"],
    ] {
        let output = plyzero(wrong);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{wrong:?}");
    }
}

/// `plyzero` with a kernel named by the environment.
fn with_kernel(kernel: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plyzero")).env("PLYZERO_KERNEL", kernel).args(arguments).output().unwrap()
}

#[test]
fn networks_are_measured_with_the_kernel_that_the_environment_names() {
    let size = ["bench", "net", "--channels", "4", "--blocks", "1"];
    for kernel in Kernel::possible() {
        let output = with_kernel(kernel.name(), &[&size[..], &["--batch", "1", "--batch", "3", "--json"]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["kernel"], kernel.name());
        let rates = report["rates"].as_array().unwrap();
        assert_eq!(rates.iter().map(|rate| rate["batch"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 3]);
        for rate in rates {
            assert_eq!((&rate["channels"], &rate["blocks"]), (&4.into(), &1.into()));
            assert!(rate["positions_per_second"].as_f64().unwrap() > 0.0 && rate["gflops"].as_f64().unwrap() > 0.0, "{rate}");
        }
    }
    let output = with_kernel("portable", &[&size[..], &["--batch", "2"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("Kernel portable, one core\n\nchannels  blocks"), "{text}");
}

#[test]
fn training_is_measured_with_the_kernel_that_the_environment_names() {
    let size = ["bench", "train", "--game", "tic_tac_toe", "--channels", "4", "--blocks", "1", "--batch", "8", "--threads", "2"];
    let output = with_kernel("portable", &[&size[..], &["--json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let told = ["game", "kernel", "batch", "shards", "threads"].map(|key| report[key].clone());
    assert_eq!(told, [value!("tic_tac_toe"), value!("portable"), value!(8), value!(2), value!(2)]);
    let rate = &report["rates"][0];
    assert_eq!((&rate["channels"], &rate["blocks"]), (&4.into(), &1.into()));
    for figure in ["positions_per_second", "positions_per_core_second", "gflops"] {
        assert!(rate[figure].as_f64() > Some(0.0), "{figure} of {rate}");
    }
    let output = with_kernel("portable", &[&size[..], &["--norm", "none", "--json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["norm"] == "none" && report["rates"][0]["gflops"].as_f64() > Some(0.0), "{report}");
    let text = String::from_utf8(with_kernel("portable", &size).stdout).unwrap();
    assert!(
        text.starts_with("tic_tac_toe, kernel portable, batches of 8 in 2 parts, norm batch, 2 threads\n\nchannels"),
        "{text}"
    );
    for (wrong, said) in [
        (&["--shards", "9"][..], "learner.shards"),
        (&["--batch", "0"], "--batch"),
        (&["--blocks"], "--blocks"),
        (&["--norm", "layer"], "--norm"),
    ] {
        let output = with_kernel("portable", &[&["bench", "train", "--batch", "8"][..], wrong].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn a_kernel_that_cannot_be_had_is_refused_by_every_command_that_opens_a_network() {
    let possible: Vec<&str> = Kernel::possible().into_iter().map(Kernel::name).collect();
    let others = Kernel::ALL.into_iter().filter(|kernel| !kernel.is_possible()).map(Kernel::name);
    let commands: [&[&str]; 6] = [
        &["bench", "net"],
        &["train", "--game", "tic_tac_toe", "--run", "never"],
        &["tournament", "--game", "tic_tac_toe", "--agents", "random", "net:none", "--out", "never"],
        &["play", "tic_tac_toe", "--agent", "net:none"],
        &["analyze", "tic_tac_toe", "--agent", "net:none"],
        &["train", "--game", "hex:size=3", "--run", "never"],
    ];
    for name in others.chain(["", "avx51", "AVX2"]) {
        for command in commands {
            let output = with_kernel(name, command);
            let told = String::from_utf8(output.stderr).unwrap();
            assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{command:?}: {told}");
            for word in ["PLYZERO_KERNEL", &format!("{name:?}"), &possible.join(", ")] {
                assert!(told.contains(word), "{command:?}: {told}");
            }
            assert!(output.stdout.is_empty() && !std::path::Path::new("never").exists());
        }
    }
}
