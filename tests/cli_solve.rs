//! `plyzero solve`, `positions` and the solver as an agent, as their users meet them.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Runs the program in `folder`, which is its user's cache folder too, with `lines` to read.
fn answered(folder: &TempDir, arguments: &str, lines: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plyzero"));
    command.current_dir(folder).env("XDG_CACHE_HOME", folder.path()).args(arguments.split_whitespace());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn printed(folder: &TempDir, arguments: &str, lines: &str) -> String {
    let output = answered(folder, arguments, lines);
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout)
}

/// Checks that a command ends with `status`, one line on standard error, and `told` before.
fn fails(folder: &TempDir, arguments: &str, lines: &str, status: i32, told: &str, complaint: &str) {
    let output = answered(folder, arguments, lines);
    assert_eq!(text(&output.stderr), format!("error: {complaint}\n"), "{arguments}");
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(status), told), "{arguments}");
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The moves of a game that is drawn when all 42 are played.
const DRAWN: &str = "121212212121343434434343565656656565777777";

#[test]
fn one_position_is_told_by_column_or_alone() {
    let folder = folder();
    let lost = "44455554221";
    assert_eq!(printed(&folder, &format!("solve connect_four --moves {lost} --score-only"), ""), "-15\n");
    assert_eq!(printed(&folder, &format!("solve connect_four --moves {lost} --score-only --wdl"), ""), "-1\n");
    assert_eq!(printed(&folder, "solve connect_four --score-only --moves 4455", ""), "18\n");
    let columns = printed(&folder, &format!("solve connect_four --moves {lost}"), "");
    let words: Vec<&str> = columns.split_whitespace().collect();
    assert_eq!((words[0], words.len()), (lost, 8));
    assert_eq!(words[1..].iter().map(|word| word.parse::<i32>().unwrap()).max(), Some(-15));
    // One cell is left, in column 7.
    let last = &DRAWN[..41];
    assert_eq!(printed(&folder, &format!("solve connect_four --moves {last}"), ""), format!("{last} . . . . . . 0\n"));
}

#[test]
fn thousands_of_lines_are_answered_in_order_for_any_number_of_threads() {
    let folder = folder();
    let late = (26..41).map(|plies| &DRAWN[..plies]).filter(|moves| moves.len() >= 26);
    let block: Vec<&str> = late.chain(["44455554221", "4 4 4 5 5 5 5 4 2 2 1", "44455554221 -15"]).collect();
    let lines = block.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (once, often) = (printed(&folder, "solve connect_four --threads 1", &lines), lines.repeat(100));
    assert_eq!(once.lines().count(), block.len());
    assert!(once.lines().zip(&block).take(15).all(|(answer, line)| answer.starts_with(&format!("{line} "))));
    assert_eq!(printed(&folder, "solve connect_four --threads 3", &often), once.repeat(100));
    // The last line needs no end.
    assert_eq!(printed(&folder, "solve connect_four --score-only", "44455554221\n44455554221"), "-15\n-15\n");
    assert_eq!(printed(&folder, "solve connect_four", ""), "");
}

#[test]
fn a_wrong_line_is_named_after_the_answers_to_those_before() {
    let folder = folder();
    for threads in [1, 3] {
        let solve = format!("solve connect_four --score-only --threads {threads}");
        let good = "44455554221\n".repeat(5);
        let fails = |line: &str, fault: &str| {
            let complaint = format!("line 6 of standard input: {fault}");
            fails(&folder, &solve, &format!("{good}{line}\n{good}"), 2, &"-15\n".repeat(5), &complaint);
        };
        fails("448", "move 3: '8' is no column; columns are 1 to 7");
        fails("4444444", "move 7: column 4 is full");
        fails("1212121", "the game is over after 7 moves: nobody is to move");
        fails("44 x", "move 3: 'x' is no column; columns are 1 to 7");
        fails(DRAWN, "the game is over after 42 moves: nobody is to move");
    }
    fails(&folder, "solve connect_four --moves 448", "", 2, "", "--moves: move 3: '8' is no column; columns are 1 to 7");
}

#[test]
fn a_table_that_no_memory_holds_is_refused() {
    let complaint = "--table 1000000: there is no memory for so many MiB; give it less";
    for command in ["solve connect_four --score-only", "positions connect_four --out sets", "bench solver"] {
        fails(&folder(), &format!("{command} --table 1000000"), "4455\n", 2, "", complaint);
    }
}

#[test]
fn the_solver_is_measured() {
    let folder = folder();
    let measured: serde_json::Value =
        serde_json::from_str(&printed(&folder, "bench solver --positions 2 --table 8 --json", "")).unwrap();
    let sets = measured.as_array().unwrap();
    assert_eq!(sets.len(), 6);
    for set in sets {
        assert_eq!((&set["positions"], &set["wrong"]), (&2.into(), &0.into()), "{set}");
        assert!(set["mean_nodes"].as_f64().unwrap() >= 1.0 && set["median_us"].as_f64().unwrap() > 0.0, "{set}");
    }
    let table = printed(&folder, "bench solver --positions 1 --wdl", "");
    assert_eq!(table.lines().count(), 7, "{table}");
    assert!(table.contains("middle-medium"), "{table}");
}

#[test]
fn published_scores_are_compared() {
    let folder = folder();
    let check = "solve connect_four --check --threads 2";
    assert_eq!(printed(&folder, check, "4455 18\n44455554221 -15\n"), "2 lines, none differs\n");
    assert_eq!(printed(&folder, &format!("{check} --wdl"), "4455 17\n44455554221 -1\n"), "2 lines, none differs\n");
    let told = "line 2: 44455554221 is -15, not -14\n";
    let complaint = "1 of 2 lines differ from what was solved, as told above";
    fails(&folder, check, "4455 18\n44455554221 -14\n", 1, told, complaint);
    let missing = "after the moves stands no score to compare with; with seven more they are the columns'";
    fails(&folder, check, "4455\n", 2, "", &format!("line 1 of standard input: {missing}"));
    fails(
        &folder,
        "solve tic_tac_toe --check",
        "",
        2,
        "",
        "--check compares scores of the literature, which tic_tac_toe does not have",
    );
}

#[test]
fn a_game_of_few_positions_is_told_in_words() {
    let folder = folder();
    let told = printed(&folder, "solve tic_tac_toe", "a1 a2 b1 b2\nb2 a1\n");
    let [first, second] = told.lines().collect::<Vec<_>>()[..] else { panic!("{told}") };
    assert_eq!(first, "a1 a2 b1 b2: a3 loss in 2, b3 loss in 2, c3 loss in 2, c2 draw in 5, c1 win in 1");
    assert!(second.starts_with("b2 a1: a3 draw in 7, "), "{second}");
    assert_eq!(printed(&folder, "solve tic_tac_toe --score-only --wdl", "a1 a2 b1 b2\nb2 a1\n"), "win\ndraw\n");
    let over = "the game is over after 5 plies: nobody is to move";
    fails(
        &folder,
        "solve tic_tac_toe",
        "b2\na1 a2 b1 b2 c1\n",
        2,
        &printed(&folder, "solve tic_tac_toe", "b2\n"),
        &format!("line 2 of standard input: {over}"),
    );
}

/// Twelve plies whose score takes more than a million positions.
const COSTLY: &str = "771737712254";

#[test]
fn what_is_found_out_of_early_positions_is_kept() {
    let folder = folder();
    let solve = format!("solve connect_four --score-only --moves {COSTLY}");
    let default = folder.path().join("plyzero").join("four_in_a_row.solved");
    let score = printed(&folder, &format!("{solve} --no-cache"), "");
    assert!(!default.exists());
    assert_eq!(printed(&folder, &format!("{solve} --cache mine"), ""), score);
    assert!(folder.path().join("mine").exists() && !default.exists());
    assert_eq!(printed(&folder, &solve, ""), score);
    let told = printed(&folder, "inspect plyzero/four_in_a_row.solved", "");
    assert!(told.contains("scores of positions that a solver found out") && told.contains("positions  1\n"), "{told}");
    // Nothing new is nothing to write.
    let before = fs::read(&default).unwrap();
    assert_eq!(printed(&folder, &solve, ""), score);
    assert_eq!(fs::read(&default).unwrap(), before);
}

#[test]
fn a_file_that_is_no_cache_is_refused_and_left_alone() {
    let folder = folder();
    let letters: &Path = &folder.path().join("letters");
    fs::write(letters, "Dear Sir").unwrap();
    let damaged = "letters is damaged or not a plyzero file: it is shorter than its header; \
                   remove it, choose another --cache FILE, or say --no-cache";
    fails(&folder, &format!("solve connect_four --moves {COSTLY} --cache letters"), "", 2, "", damaged);
    assert_eq!(fs::read(letters).unwrap(), b"Dear Sir");
}

#[cfg(target_os = "linux")] // where a folder in which nobody can write is always there
#[test]
fn a_cache_that_nobody_asked_for_and_cannot_be_written_is_no_error() {
    let solve = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plyzero"));
        command.env("XDG_CACHE_HOME", "/proc/nowhere").args(["solve", "connect_four", "--score-only", "--moves", COSTLY]);
        command.args(more).output().unwrap()
    };
    let unasked = solve(&[]);
    assert!(unasked.status.success(), "{}", text(&unasked.stderr));
    assert!(text(&unasked.stderr).starts_with("warning: cannot create /proc/nowhere/plyzero: "), "{}", text(&unasked.stderr));
    let asked = solve(&["--cache", "/proc/nowhere/mine"]);
    assert_eq!(asked.status.code(), Some(2), "{}", text(&asked.stderr));
    assert_eq!(asked.stdout, unasked.stdout);
}

#[test]
fn commas_and_marks_of_editors_are_passed_over_and_other_encodings_named() {
    let folder = folder();
    assert_eq!(printed(&folder, "solve connect_four --score-only --moves 4,4,5,5", ""), "18\n");
    assert_eq!(printed(&folder, "solve tic_tac_toe --score-only --moves b2,a1", ""), "draw in 7\n");
    assert_eq!(printed(&folder, "solve connect_four --score-only", "\u{feff}4455\r\n"), "18\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_plyzero"))
        .args(["solve", "connect_four", "--score-only", "--no-cache"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"4455\n\xff\xfe\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), "18\n"));
    assert_eq!(text(&output.stderr), "error: line 2 of standard input: it is not UTF-8\n");
}

#[test]
fn sets_of_positions_are_the_same_for_a_seed() {
    let folder = folder();
    let make = |out: &str, threads: usize| {
        printed(
            &folder,
            &format!("positions connect_four --count 2 --stage middle end --seed 3 --threads {threads} --out {out}"),
            "",
        )
    };
    let told = make("one", 1);
    assert_eq!(told.lines().count(), 6, "{told}");
    make("two", 3);
    for half in ["test", "development"] {
        for set in ["middle-easy", "middle-medium", "end-easy"] {
            let read = |out: &str| fs::read(folder.path().join(out).join(half).join(format!("{set}.txt.gz"))).unwrap();
            assert_eq!(read("one"), read("two"), "{half} {set}");
        }
    }
}

#[test]
fn the_solver_plays_and_is_refused_where_there_is_none() {
    let folder = folder();
    let told = printed(&folder, &format!("analyze connect_four --agent solver --moves {}", spaced("44455554221")), "");
    assert!(told.contains("solver chooses") && told.contains("Perfect play: a loss in 2 plies."), "{told}");
    let early = answered(&folder, "analyze connect_four --agent alpha-beta:depth=2", "");
    assert!(text(&early.stderr).contains("`plyzero solve` finds it"));
    let early = text(&early.stdout);
    assert!(!early.contains("perfect"), "the empty board takes longer than analysis may: {early}");
    let tournament = "tournament --game tic_tac_toe --agents solver random --games 20 --json --out t.games";
    let played = answered(&folder, tournament, "");
    let report: serde_json::Value = serde_json::from_slice(&played.stdout).unwrap();
    assert!(played.status.success() && report.to_string().contains("solver"), "{report}");
    let complaint = "agent solver:cache=none: cannot read";
    fs::create_dir(folder.path().join("none")).unwrap();
    let refused = answered(&folder, "analyze connect_four --agent solver:cache=none", "");
    assert!(text(&refused.stderr).contains(complaint), "{}", text(&refused.stderr));
    assert_eq!(refused.status.code(), Some(2));
}

/// Moves as words separated by commas.
fn spaced(moves: &str) -> String {
    moves.chars().map(String::from).collect::<Vec<_>>().join(",")
}
