//! Tournaments from openings that somebody wrote down, games that both players agree on, and games as PGN.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Status, standard output and standard error.
fn plyzero(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plyzero"));
    let output = command.current_dir(folder).args(arguments.split_whitespace()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn printed(folder: &Path, arguments: &str) -> String {
    let (code, told, complaint) = plyzero(folder, arguments);
    assert_eq!(code, Some(0), "{arguments}: {complaint}");
    told
}

/// A game without the times of its moves.
fn untimed(pgn: &str) -> String {
    pgn.split(" [%emt ").enumerate().map(|(at, part)| if at == 0 { part } else { part.split_once(']').unwrap().1 }).collect()
}

#[test]
fn a_game_is_written_as_other_programs_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("mate.pgn"), "[Event \"x\"]\n\n1. f3 (1. e4 e5) e5 {why?} 2. g4?? Qd8-h4# 0-1\n").unwrap();
    let (code, _, complaint) =
        plyzero(path, "tournament --game chess --agents alpha-beta:depth=2 random --openings mate.pgn --games 2");
    assert!(code == Some(2) && complaint.contains("mate.pgn: line 3"), "{complaint}");
    fs::write(path.join("mate.pgn"), "[Event \"x\"]\n\n1. f3 (1. e4 e5) e5 {why?} 2. g4?? Qh4# 0-1\n").unwrap();
    let (code, _, complaint) =
        plyzero(path, "tournament --game chess --agents alpha-beta:depth=2 random --openings mate.pgn --games 2");
    assert!(code == Some(2) && complaint.contains("mate.pgn: line 1: the game is over there; --opening-plies N"), "{complaint}");
    let report = printed(
        path,
        "tournament --game chess --agents alpha-beta:depth=2 alpha-beta:depth=1 --openings mate.pgn --opening-plies 3 --games 2 --out a.games --pgn a.pgn",
    );
    assert!(report.contains("\n1 distinct opening of a file, each played from both sides\n"), "{report}");
    let pgn = fs::read_to_string(path.join("a.pgn")).unwrap();
    assert_eq!(printed(path, "play --replay a.games --pgn").trim_end(), pgn.trim_end());
    let first = "\
[Event \"round robin of 2 agents, seed 1\"]
[Site \"?\"]
[Date \"????.??.??\"]
[Round \"1\"]
[White \"alpha-beta:depth=2\"]
[Black \"alpha-beta:depth=1\"]
[Result \"0-1\"]
[PlyCount \"4\"]
[Termination \"normal\"]

1. f3 e5 2. g4 Qh4# {[%eval #-1,1]} 0-1
";
    let one = printed(path, "play --replay a.games --game-number 1 --pgn");
    assert_eq!(untimed(&one).trim_end().replace('\n', " "), first.trim_end().replace('\n', " "), "{one}");
    assert!(pgn.lines().all(|line| line.len() <= 80));
}

#[test]
fn positions_and_games_are_openings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let queen = "6k1/5pp1/7p/8/8/7P/5PP1/1Q4K1 w - - 4 50";
    fs::write(path.join("two.epd"), format!("# a remark\n{queen}\n6k1/5pp1/7p/8/8/7P/5PP1/1R4K1 b - - id \"rook\"; c0 \"x\";\n"))
        .unwrap();
    let play = "tournament --game chess --agents alpha-beta:depth=2 random --games 4 --openings two.epd --out two.games";
    let report = printed(path, &format!("{play} --pgn two.pgn"));
    assert!(
        report.contains("\n2 distinct openings of a file, each played from both sides\n4 games, 4 of them distinct"),
        "{report}"
    );
    let pgn = fs::read_to_string(path.join("two.pgn")).unwrap();
    assert_eq!(pgn.matches(&format!("[SetUp \"1\"]\n[FEN \"{queen}\"]")).count(), 2, "{pgn}");
    assert!(pgn.contains("\n50. ") && pgn.contains("\n1... "), "{pgn}");
    assert_eq!(printed(path, play), report, "the games are there");
    let (code, told, complaint) = plyzero(path, &format!("{play} --pgn nowhere/two.pgn"));
    assert!(code == Some(2) && told == report && complaint.contains("nowhere/two.pgn"), "the result comes first: {complaint}");
    assert!(printed(path, "play --replay two.games --game-number 3").contains("6k1/5pp1/7p/8/8/7P/5PP1/1R4K1 b - - 0 1"));
    assert!(printed(path, "inspect two.games").contains("file "));
    printed(path, "tune two.games --out weights.toml");

    let again = "tournament --game chess --agents random alpha-beta:depth=1 --games 8 --openings two.pgn --opening-plies 2 --json --out b.games";
    let report: serde_json::Value = serde_json::from_str(&printed(path, again)).unwrap();
    assert_eq!((&report["openings"]["count"], &report["terms"]["openings"]["file"]["plies"]), (&4.into(), &2.into()));
    let (code, _, complaint) = plyzero(path, &again.replace("two.pgn", "two.epd"));
    assert!(code == Some(2) && complaint.contains("its source of openings is file"), "{complaint}");
}

#[test]
fn both_players_can_end_a_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("queen.epd"), "4k3/8/8/8/8/8/8/3QK3 w - -\n").unwrap();
    let play = "tournament --game chess --agents alpha-beta:depth=2 alpha-beta:depth=1 --openings queen.epd --games 2";
    let report = printed(path, &format!("{play} --resign 0.3,2 --out a.games --pgn a.pgn"));
    assert!(report.contains(", 2 adjudicated"), "{report}");
    let pgn = fs::read_to_string(path.join("a.pgn")).unwrap();
    assert_eq!(pgn.matches("[PlyCount \"4\"]\n[Termination \"adjudication\"]").count(), 2, "{pgn}");
    assert_eq!(pgn.matches("[Result \"1-0\"]").count(), 2, "{pgn}");
    assert!(printed(path, "play --replay a.games --game-number 1").contains("both players hold it for a win of"));
    let drawn = printed(path, &format!("{play} --draw 1,3,9 --out b.games --pgn b.pgn"));
    assert!(drawn.contains(", 2 adjudicated"), "{drawn}");
    let pgn = fs::read_to_string(path.join("b.pgn")).unwrap();
    assert_eq!(pgn.matches("[Result \"1/2-1/2\"]").count(), 2, "{pgn}");
    assert!(pgn.contains("[PlyCount \"9\"]"), "{pgn}");
}

#[test]
fn what_cannot_be_an_opening_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("over.epd"), "8/8/8/8/8/8/8/k1K5 w - -\n").unwrap();
    fs::write(path.join("wrong.epd"), "\n8/8/8 w - -\n").unwrap();
    fs::write(path.join("empty.epd"), "# nothing\n").unwrap();
    fs::write(path.join("open.pgn"), "[Event \"x\"]\n1. e4 {for ever\n").unwrap();
    fs::write(path.join("fen.pgn"), "[Event \"x\"]\n[FEN \"8/8\"]\n1. e4 *\n").unwrap();
    let play = "tournament --game chess --agents random alpha-beta:depth=1 --games 2 --out none.games";
    for (arguments, expected) in [
        (format!("{play} --openings over.epd"), "over.epd: line 1: the game is over there"),
        (format!("{play} --openings wrong.epd"), "wrong.epd: line 2"),
        (format!("{play} --openings empty.epd"), "there is no opening"),
        (format!("{play} --openings open.pgn"), "open.pgn: line 2: a comment has no end"),
        (format!("{play} --openings fen.pgn"), "fen.pgn: line 1"),
        (format!("{play} --openings nowhere.pgn"), "nowhere.pgn"),
        (play.replace("chess", "tic_tac_toe") + " --pgn a.pgn", "tic_tac_toe has no notation"),
        (
            play.replace("chess", "tic_tac_toe_tempo").replace("alpha-beta", "maxn") + " --resign 0.5,3",
            "more than wins, draws and losses",
        ),
        (format!("{play} --resign 2,3"), "between 0 and 1"),
        (format!("{play} --draw 0.5,3"), "the ply from which it holds"),
        ("play --pgn chess".to_owned(), "--replay"),
    ] {
        let (code, _, complaint) = plyzero(path, &arguments);
        assert!(code == Some(2) && complaint.contains(expected) && complaint.lines().count() == 1, "{arguments}: {complaint}");
    }
    assert!(!path.join("none.games").exists());
}
