//! `plyzero tournament` and `plyzero play --replay` as their users meet them: run as processes, killed, and gone on with.

mod seasoned;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use plyzero::eval::Forecast;
use plyzero::game::{Action, Facts, Game, Payoff, Player, Step};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::net::{Checkpoint, Header};
use plyzero::storage::System;
use plyzero::train::{Ending, GameRecord, GamesFile, Opinion, Origin, Ply};
use serde_json::Value;
use tempfile::TempDir;

use seasoned::{architecture, seasoned};

/// Four agents, fast and unequal.
const FOUR: &str = "tournament --game tic_tac_toe --agents random minimax:depth=1 alpha-beta:depth=2 uct:sims=20";

fn program(folder: &TempDir, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plyzero"));
    command.current_dir(folder).args(arguments.split_whitespace());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn plyzero(folder: &TempDir, arguments: &str) -> Output {
    program(folder, arguments).output().unwrap()
}

/// What a command that succeeds prints.
fn printed(folder: &TempDir, arguments: &str) -> String {
    let output = plyzero(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A network file that a run could have left.
fn save(path: &Path, facts: &Facts, seed: u64) {
    let shape = architecture(facts, 4, 1);
    Checkpoint { header: Header::new(&shape, 1, 7, 8, 9), network: seasoned(&shape, seed) }.save(path).unwrap();
}

#[test]
fn a_seed_gives_one_report() {
    let folder = tempfile::tempdir().unwrap();
    let report = printed(&folder, &format!("{FOUR} --games 40"));
    for expected in [
        "tic_tac_toe: round robin of 4 agents, 40 games a pairing, seed 1",
        "20 distinct openings of 4 random plies or more, drawn",
        "240 games, ",
        "0 (anchor)",
        "random against minimax:depth=1: ",
        "likelihood of superiority",
    ] {
        assert!(report.contains(expected), "{expected}: {report}");
    }
    let files: Vec<_> = fs::read_dir(folder.path().join("tournaments")).unwrap().collect();
    assert_eq!(files.len(), 1, "it is kept where the same tournament finds it");
    assert_eq!(printed(&folder, &format!("{FOUR} --games 40")), report, "the games that are there are not played again");
    for threads in [1, 2, 5] {
        let again = printed(&folder, &format!("{FOUR} --games 40 --threads {threads} --out threads-{threads}.games"));
        assert_eq!(again, report, "{threads} threads");
    }
    assert_ne!(printed(&folder, &format!("{FOUR} --games 40 --seed 2")), report);
}

#[test]
fn the_json_report_says_everything() {
    let folder = tempfile::tempdir().unwrap();
    let document = printed(&folder, &format!("{FOUR} --games 20 --anchor uct:sims=20 --json"));
    assert_eq!(
        printed(&folder, &format!("{FOUR} --games 20 --anchor uct:sims=20 --json --threads 3 --out other.games")),
        document
    );
    let report: Value = serde_json::from_str(&document).unwrap();
    assert_eq!((&report["games"], &report["terms"]["games"], &report["terms"]["seed"]), (&120.into(), &20.into(), &1.into()));
    assert_eq!((&report["reproducible"], &report["anchor"]), (&true.into(), &"uct:sims=20".into()));
    assert_eq!((&report["openings"]["count"], &report["openings"]["complete"]), (&10.into(), &false.into()));
    let (places, pairings) = (report["places"].as_array().unwrap(), report["pairings"].as_array().unwrap());
    assert_eq!((places.len(), pairings.len()), (4, 6));
    let anchor = places.iter().find(|place| place["agent"] == "uct:sims=20").unwrap();
    assert_eq!((&anchor["elo"], &anchor["error"], &anchor["standing"]), (&0.0.into(), &0.0.into(), &"rated".into()));
    let sum = |key: &str| places.iter().map(|place| place[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("wins"), sum("wins") + sum("draws") / 2), (sum("losses"), 120));
    let distinct: u64 = pairings.iter().map(|pairing| pairing["distinct"].as_u64().unwrap()).sum();
    assert_eq!(report["distinct"], distinct);
}

/// Runs a long tournament until its file holds some games, and ends it by `end`; tells how it ended.
fn cut_short(folder: &TempDir, arguments: &str, grown: u64, end: impl Fn(&mut Child)) -> Output {
    let path = folder.path().join("cut.games");
    let length = || fs::metadata(&path).map_or(0, |data| data.len());
    let before = length();
    let mut child = program(folder, arguments).spawn().unwrap();
    while length() < before + grown && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    end(&mut child);
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn killed_and_interrupted_it_goes_on_to_the_same_report() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = format!("{FOUR} --games 1600 --threads 2");
    let report = printed(&folder, &format!("{arguments} --out whole.games"));
    let arguments = format!("{arguments} --out cut.games");
    for _ in 0..2 {
        let killed = cut_short(&folder, &arguments, 5_000, |child| child.kill().unwrap());
        assert_eq!((killed.status.code(), text(&killed.stdout).as_str()), (None, ""), "it was killed before its end");
    }
    let stopped = cut_short(&folder, &arguments, 5_000, |child| {
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    });
    assert_eq!((stopped.status.code(), text(&stopped.stdout).as_str()), (Some(130), ""));
    assert!(text(&stopped.stderr).contains("the same command goes on with them"), "{}", text(&stopped.stderr));
    let [cut, whole] = ["cut.games", "whole.games"].map(|name| fs::metadata(folder.path().join(name)).unwrap().len());
    assert!(cut < whole, "there is something left to play");
    let rest = plyzero(&folder, &arguments);
    assert_eq!(text(&rest.stdout), report);
    assert!(text(&rest.stderr).contains("games of this tournament are there already"), "{}", text(&rest.stderr));
}

#[test]
fn a_test_ends_early_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "tournament --game connect_four --agents alpha-beta:depth=2 random --games 400 --sprt 0,100";
    let report = printed(&folder, arguments);
    assert!(
        report
            .contains("SPRT of alpha-beta:depth=2 against random by 0 (H0) or 100 Elo (H1), alpha 0.05, beta 0.05: H1 accepted")
    );
    let told: Value =
        serde_json::from_str(&printed(&folder, &format!("{arguments} --json --threads 5 --out other.games"))).unwrap();
    assert!((16..400).contains(&told["games"].as_u64().unwrap()));
    assert_eq!((&told["sprt"]["verdict"], &told["sprt"]["left_out"]), (&"h1".into(), &0.into()));
    assert!(told["sprt"]["ratio"].as_f64() >= told["sprt"]["upper"].as_f64());
    let against =
        "tournament --game connect_four --agents random alpha-beta:depth=2 --games 400 --sprt=-10,90 --alpha 0.01 --beta 0.1";
    assert!(printed(&folder, against).contains("by -10 (H0) or 90 Elo (H1), alpha 0.01, beta 0.1: H0 accepted"));
}

#[test]
fn clocks_and_too_few_openings_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let timed = "tournament --game tic_tac_toe --agents random uct:sims=5,time=1s --games 2";
    assert!(printed(&folder, timed).contains("not reproducible: uct:sims=5,time=1s is bounded by time"));
    let told: Value = serde_json::from_str(&printed(&folder, &format!("{timed} --json"))).unwrap();
    assert_eq!((&told["reproducible"], &told["bounded_by_time"][0]), (&false.into(), &"uct:sims=5,time=1s".into()));
    let few = "tournament --game tic_tac_toe --agents alpha-beta:depth=1 minimax:depth=1 --games 300 --opening-plies 7";
    let report = printed(&folder, few);
    assert!(report.contains("only ") && report.contains("which are all there are"), "{report}");
    assert!(report.contains("openings repeat") && !report.contains("300 of them distinct"), "{report}");
    let gauntlet = printed(&folder, &format!("{FOUR} --gauntlet --games 20"));
    assert!(gauntlet.contains("gauntlet of random against the others") && gauntlet.contains("60 games"), "{gauntlet}");
}

#[test]
fn agents_above_or_below_any_difference_are_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "tournament --game connect_four --agents random alpha-beta:depth=4 --games 4";
    let report = printed(&folder, arguments);
    assert!(report.contains("    above: it gave random no point"), "{report}");
    let winner = report.lines().find(|line| line.trim_start().starts_with("1  alpha-beta:depth=4 ")).unwrap();
    assert!(winner.contains(" above ") && winner.contains(" 4.0/4 "), "{report}");
    let report = printed(&folder, &format!("{arguments} --anchor alpha-beta:depth=4"));
    assert!(report.contains("    below: alpha-beta:depth=4 gave it no point"), "{report}");
}

/// Checks that the program refuses: with status 2, a line that begins with `error:` and says `expected`, nothing on standard
/// output, and nothing made.
fn refuses(folder: &TempDir, arguments: &str, expected: &str) {
    let entries = || {
        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = entries();
    let output = plyzero(folder, arguments);
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments}: {complaint}");
    assert_eq!(text(&output.stdout), "", "{arguments}");
    assert!(complaint.starts_with("error: ") && complaint.matches("error:").count() == 1, "{arguments}: {complaint}");
    assert!(complaint.contains(expected), "{arguments} must say {expected}: {complaint}");
    assert_eq!(entries(), before, "{arguments}");
}

#[test]
fn what_makes_no_tournament_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    save(&folder.path().join("c4.safetensors"), ConnectFour::new().facts(), 3);
    fs::write(folder.path().join("text.games"), "learn quickly, and then play!").unwrap();
    printed(&folder, "tournament --game tic_tac_toe --agents random minimax:depth=1 --games 2 --out other.games");
    for (arguments, expected) in [
        ("random", "2 values required"),
        ("random random", "names random twice"),
        ("random alpha-bet", "did you mean \"alpha-beta\""),
        ("random uct:tim=3s", "did you mean \"time\""),
        ("random net:nowhere.safetensors", "cannot read nowhere.safetensors"),
        ("random net:c4.safetensors", "a network for connect_four, not for tic_tac_toe"),
        ("random uct --anchor minimax", "--anchor minimax does not play; --agents names random uct"),
        ("random uct --anchor minimax:", "minimax:"),
        ("random uct --games 7", "an even number"),
        ("random uct --games 0", "an even number"),
        ("random uct --opening-plies 9", "leaves nothing to play"),
        ("random uct --threads 0", "--threads"),
        ("random uct --device tpu", "\"tpu\""),
        ("random uct minimax --sprt 0,10", "--agents names 3"),
        ("random uct --sprt 10", "such as 0,10"),
        ("random uct --sprt 10,0", "elo0 below elo1"),
        ("random uct --sprt 0,10 --alpha 0.7", "above 0 and below 0.5"),
        ("random uct --alpha 0.1", "--sprt"),
        ("random uct --out .", "cannot write ."),
        ("random uct --out text.games", "text.games is damaged or not a plyzero file"),
        ("random uct --out c4.safetensors", "c4.safetensors is damaged or not a plyzero file"),
        ("random uct --out other.games", "other.games holds another tournament: its list of agents is"),
        ("random minimax:depth=1 --games 2 --seed 2 --out other.games", "its seed is 1, not 2"),
    ] {
        refuses(&folder, &format!("tournament --game tic_tac_toe --agents {arguments}"), expected);
    }
    assert!(printed(&folder, "tournament --help").contains("--sprt <ELO0,ELO1>"));
    refuses(&folder, "tournament --game shogi --agents random uct", "\"shogi\"");
    refuses(&folder, "tournament --agents random uct", "--game");
}

#[test]
fn a_network_that_changed_is_another_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("ttt.safetensors");
    let arguments = "tournament --game tic_tac_toe --agents net:ttt.safetensors random --games 4 --out net.games";
    save(&net, TicTacToe::new().facts(), 3);
    let first = fs::read(&net).unwrap();
    let report = printed(&folder, arguments);
    save(&net, TicTacToe::new().facts(), 4);
    refuses(
        &folder,
        arguments,
        "net.games holds another tournament: the network file of net:ttt.safetensors is not the one that played",
    );
    fs::write(&net, first).unwrap();
    assert_eq!(printed(&folder, arguments), report);
}

#[test]
fn games_of_a_tournament_are_listed_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    printed(&folder, &format!("{FOUR} --games 4 --out a.games"));
    let list = printed(&folder, "play --replay a.games");
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!((lines[0], lines.len()), ("tic_tac_toe: round robin of 4 agents, seed 1", 25));
    assert!(lines[8].trim_start().starts_with("8  pairing 4, game 2  X alpha-beta:depth=2"), "{}", lines[8]);
    assert!(
        lines[1..].iter().all(|line| line.ends_with("plies") && ["1-0", "0-1", "1/2-1/2"].iter().any(|won| line.contains(won)))
    );
    let game = printed(&folder, "play tic_tac_toe --replay a.games --game-number 8");
    assert!(
        game.starts_with("game 8 (pairing 4, game 2): X is alpha-beta:depth=2, O is minimax:depth=1\n\n3  . . .\n"),
        "{game}"
    );
    assert_eq!(game.matches("The opening (").count(), 4);
    assert!(game.contains("\nalpha-beta:depth=2 (X) plays "), "{game}");
    let last = game.lines().last().unwrap();
    assert!(last.contains("wins after") || last.contains("A draw after"), "{last}");
    for (arguments, expected) in [
        ("play connect_four --replay a.games", "a.games holds games of tic_tac_toe, not of connect_four"),
        ("play --replay a.games --game-number 25", "a.games has no game 25; it holds 24 games, from 1 to 24"),
        ("play --replay a.games --game-number 0", "no game 0"),
        ("play --replay nowhere.games", "cannot read nowhere.games"),
        ("play --replay a.games --agent random", "cannot be used with"),
        ("play --game-number 3 tic_tac_toe", "--replay"),
        ("play", "GAME"),
    ] {
        refuses(&folder, arguments, expected);
    }
    fs::write(folder.path().join("text"), "no games").unwrap();
    refuses(&folder, "play --replay text", "text holds no games");
}

#[test]
fn games_of_self_play_are_listed_and_shown_with_visits() {
    let folder = tempfile::tempdir().unwrap();
    let opinion = |value| {
        let value = Forecast { payoff: Payoff::zero_sum(Player::First, value), draw: 0.0 };
        Opinion { value, best: value, surprise: 0.0, gap: 0.0, proven: None, exploratory: false }
    };
    let ply = |action, visits: &[(u16, u32)], value: Option<f32>| Ply {
        step: Step::Move(Action(action)),
        visits: visits.iter().map(|&(action, visits)| (Action(action), visits)).collect(),
        opinion: value.map(opinion),
    };
    // X takes the upper row while O takes the middle one; actions count squares from the upper left.
    let plies = vec![
        ply(0, &[], None),
        ply(3, &[(4, 2), (3, 9)], Some(0.25)),
        ply(1, &[(1, 11)], None),
        ply(4, &[(4, 11)], None),
        ply(2, &[(2, 11)], Some(1.0)),
    ];
    let won = GameRecord { id: 512, network: 1, plies, ending: Ending::Over(Payoff::win(Player::First)) };
    let broken = GameRecord { id: 513, plies: vec![ply(0, &[], None), ply(0, &[], None)], ..won.clone() };
    let proven =
        GameRecord { id: 514, plies: won.plies[..4].to_vec(), ending: Ending::Proven(Payoff::win(Player::First)), ..won.clone() };
    let path = folder.path().join("00002.games");
    let origin = Origin { game: "tic_tac_toe".to_owned(), seed: 1, network: 1, digest: String::new() };
    GamesFile { origin, records: vec![won, broken, proven] }.write(&System, &path).unwrap();
    let list = printed(&folder, "play tic_tac_toe --replay 00002.games");
    assert_eq!(list.lines().nth(1).unwrap(), "   512  self-play  X network 1  O network 1  1-0         5 plies");
    let game = printed(&folder, "play tic_tac_toe --replay 00002.games --game-number 512");
    for expected in [
        "game 512 (self-play): X is network 1, O is network 1\n",
        "The opening (X) plays a3.\n",
        "network 1 (O) plays a2 (value -0.25 for it).\nVisits: a2 9, b2 2\n",
        "network 1 (X) plays c3 (value +1.00 for it).\nVisits: c3 11\n",
        "\nnetwork 1 (X) wins after 5 plies.\n",
    ] {
        assert!(game.contains(expected), "{expected}: {game}");
    }
    assert_eq!(printed(&folder, "play --replay 00002.games"), list);
    let game = printed(&folder, "play tic_tac_toe --replay 00002.games --game-number 514");
    assert!(game.contains("\nThe game ends after 4 plies: a search has proven a win of network 1 (X)."), "{game}");
    refuses(
        &folder,
        "play tic_tac_toe --replay 00002.games --game-number 513",
        "it does not follow the rules of tic_tac_toe after 1 ply",
    );
    refuses(&folder, "play connect_four --replay 00002.games", "games of tic_tac_toe, not of connect_four");
}

#[test]
fn openings_are_moves_or_the_initial_position() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("four"), "# centre, then edge\n44\n4 1\n\n11,7\n44\n").unwrap();
    let play = "tournament --game connect_four --agents random alpha-beta:depth=2 --games 6 --openings four";
    let report = printed(&folder, &format!("{play} --out four.games"));
    assert!(report.contains("\n3 distinct openings of a file, each played from both sides\n6 games"), "{report}");
    assert!(printed(&folder, "play --replay four.games --game-number 6").contains("The opening (X) plays 1."));
    let short = printed(&folder, &format!("{play} --opening-plies 1 --out short.games"));
    assert!(short.contains("only 2 distinct openings of a file"), "{short}");
    let start = "tournament --game einstein --agents uct:sims=2 random --games 10 --opening-plies 0 --out start.games";
    let report = printed(&folder, start);
    assert!(
        report.contains("\neach pair from the initial position: ") && report.contains("\n10 games, 10 of them distinct"),
        "{report}"
    );
    for (text, expected) in [
        ("44\n48\n", "wrong: line 2: move 2: "),
        ("1212121\n", "wrong: line 1: the game is over after 7 plies"),
        ("# none\n", "wrong: line 1: there is no opening"),
    ] {
        fs::write(folder.path().join("wrong"), text).unwrap();
        let output = plyzero(&folder, &play.replace("four", "wrong").replace("connect_wrong", "connect_four"));
        let complaint = self::text(&output.stderr);
        assert!(output.status.code() == Some(2) && complaint.contains(expected), "{complaint}");
    }
}
