//! `plyzero tune`: weights of an evaluation, fitted to games and played with.

use std::fs;
use std::path::Path;
use std::process::Command;

use plyzero::game::{Knowledge, Lesson, Notation as _, Payoff, Player};
use plyzero::games::Chess;

/// Status, standard output and standard error.
fn plyzero(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plyzero"));
    let output = command.current_dir(folder).args(arguments.split_whitespace()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn weights_are_fitted_written_and_played_with() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &str| {
        let (code, told, complaint) = plyzero(folder.path(), arguments);
        assert_eq!(code, Some(0), "{arguments}: {complaint}");
        told
    };
    run("tournament --game chess --agents alpha-beta:depth=2 random --games 6 --out games.games");
    let told = run("tune games.games --out weights.toml");
    let figures: Vec<f64> =
        told.split_whitespace().filter_map(|word| word.trim_end_matches(';').parse().ok()).filter(|&x| x < 1.0).collect();
    assert!(figures[1] <= figures[0], "{told}");
    let told = run("analyze chess --agent alpha-beta:depth=2,weights=weights.toml");
    assert!(told.contains("alpha-beta:depth=2,weights=weights.toml chooses"), "{told}");
    let again = fs::read_to_string(folder.path().join("weights.toml")).unwrap();
    run("tune games.games --out weights.toml");
    assert_eq!(fs::read_to_string(folder.path().join("weights.toml")).unwrap(), again, "the same games give the same weights");

    run("tournament --game tic_tac_toe --agents uct:sims=2 random --games 2 --out other.games");
    fs::write(folder.path().join("wrong.toml"), again.replace("tempo", "tempi")).unwrap();
    for (arguments, expected) in [
        ("tune other.games --out w.toml", "it holds games of tic_tac_toe"),
        ("tune nowhere.games --out w.toml", "nowhere.games"),
        ("tune games.games --results 1.5 --out w.toml", "from 0 to 1"),
        ("tune other.games --game tic_tac_toe --out w.toml", "has no weights"),
        ("analyze chess --agent alpha-beta:weights=nowhere.toml", "nowhere.toml"),
        ("analyze chess --agent alpha-beta:weights=wrong.toml", "tempo"),
        ("analyze tic_tac_toe --agent alpha-beta:weights=weights.toml", "has no weights"),
    ] {
        let (code, _, complaint) = plyzero(folder.path(), arguments);
        assert!(code == Some(2) && complaint.contains(expected) && complaint.lines().count() == 1, "{arguments}: {complaint}");
    }
    assert!(!folder.path().join("w.toml").exists());
}

/// Weights that say nothing of rooks learn from results what a rook is worth; what no position speaks of stays where it was.
#[test]
fn a_fit_finds_what_wins() {
    let game = Chess::new();
    let shipped = game.fit(&[], 1.0).unwrap().table;
    let rook = shipped.lines().find(|line| line.starts_with("rook = ")).unwrap();
    let ignorant = game.with_weights(&shipped.replacen(rook, "rook = [150, 150]", 1)).unwrap().unwrap();
    let placed = |file: usize, piece: &str| {
        let mut rank = ["1"; 8];
        rank[file] = piece;
        game.read(&format!("6k1/5ppp/8/{}/8/8/5PPP/6K1 w - - 0 1", rank.concat())).unwrap()
    };
    // A rook more wins three of four games, a knight more loses one of four.
    let results =
        [("R", [1.0, 1.0, 1.0, 0.5]), ("r", [0.0, 0.0, 0.0, 0.5]), ("N", [1.0, 1.0, 0.5, 0.0]), ("n", [0.0, 0.0, 0.5, 1.0])];
    let played = |file: usize| results.iter().flat_map(move |(piece, results)| results.map(|result| (file, *piece, result)));
    let positions: Vec<_> = (0..8).flat_map(played).map(|(file, piece, result)| (placed(file, piece), result)).collect();
    let lesson = |(state, points): &(_, f32)| Lesson { state: Clone::clone(state), points: *points, expected: None };
    let fit = ignorant.fit(&positions.iter().map(lesson).collect::<Vec<_>>(), 0.5).unwrap();
    assert!(fit.after < fit.before && fit.positions > 32, "{fit:?}");
    let weight = |table: &str, name: &str| -> i32 {
        let line = table.lines().find(|line| line.starts_with(&format!("{name} = "))).unwrap();
        line.split(['[', ',']).nth(1).unwrap().trim().parse().unwrap()
    };
    let worth = |game: &dyn Knowledge<State = _>, piece| game.heuristic(&placed(2, piece)).of(Player::First);
    assert!(worth(&*ignorant, "R") < worth(&*ignorant, "N"));
    let fitted = ignorant.with_weights(&fit.table).unwrap().unwrap();
    assert!(worth(&*fitted, "R") > worth(&*fitted, "N"), "{}", fit.table);
    assert_eq!(weight(&fit.table, "queen"), weight(&shipped, "queen"));
    assert!(game.with_weights("nonsense").unwrap().is_err());

    // What searches expected counts for the rest: here that nothing wins.
    let sober =
        |(state, points): &(_, f32)| Lesson { state: Clone::clone(state), points: *points, expected: Some(Payoff::default()) };
    let lessons: Vec<_> = positions.iter().map(sober).collect();
    let rook = |results: f32| {
        let table = ignorant.fit(&lessons, results).unwrap().table;
        worth(&*ignorant.with_weights(&table).unwrap().unwrap(), "R")
    };
    assert!(rook(0.0) < rook(0.5) && rook(0.5) < rook(1.0), "{} {} {}", rook(0.0), rook(0.5), rook(1.0));
}
