//! `plyzero analyze` and `plyzero check` as their users meet them.

mod seasoned;

use std::path::Path;
use std::process::{Command, Output};

use plyzero::agent::RawNetwork;
use plyzero::game::{Action, Game, Games as _, Player, Position, Turn};
use plyzero::games::{TicTacToe, registry};
use plyzero::net::{Checkpoint, Frozen, Header, NetworkEvaluator};
use plyzero::solver::{Class, Exhaustive, Solver, Verdict};
use serde_json::Value;

fn plyzero(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plyzero")).current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a command that succeeds prints.
fn printed(arguments: &[&str]) -> String {
    printed_in(Path::new("."), arguments)
}

fn printed_in(folder: &Path, arguments: &[&str]) -> String {
    let output = plyzero(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout)
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&printed_in(folder, &[arguments, &["--json"]].concat())).unwrap()
}

/// Checks that a command is refused as bad input with one line that says `expected`.
fn refuses(arguments: &str, expected: &str) {
    refuses_words(&arguments.split_whitespace().collect::<Vec<_>>(), expected);
}

fn refuses_words(arguments: &[&str], expected: &str) {
    let output = plyzero(Path::new("."), arguments);
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
    assert_eq!(text(&output.stdout), "");
    assert_eq!(complaint, format!("error: {expected}\n"), "{arguments:?}");
}

fn position(moves: &str) -> Position<TicTacToe> {
    let mut position = Position::initial(&std::sync::Arc::new(TicTacToe::new()));
    moves.split_whitespace().for_each(|text| assert!(position.play_text(text).is_ok()));
    position
}

/// What the solver says of each legal move, by label.
fn perfect(position: &Position<TicTacToe>) -> Vec<(String, Verdict)> {
    let label = |(action, verdict): (Action, Verdict)| (position.game().label(position.state(), action), verdict);
    Exhaustive::new(position.game()).unwrap().moves(position.state()).into_iter().map(label).collect()
}

fn class(verdict: Verdict) -> (&'static str, f64) {
    match verdict.outcome {
        Class::Win => ("win", 1.0),
        Class::Draw => ("draw", 0.0),
        Class::Loss => ("loss", -1.0),
    }
}

fn candidates(report: &Value) -> &Vec<Value> {
    report["candidates"].as_array().unwrap()
}

const POSITIONS: [&str; 9] =
    ["", "b2", "a1 b2", "a1 b1", "b2 b1 a1", "a1 b2 c3 a3", "a1 a2 b2 c3", "b1 a3 c2 b3 c3", "a1 b1 a2 b2 c3 c2 b3"];

#[test]
fn every_legal_move_is_valued_as_perfect_play_values_it() {
    for moves in POSITIONS {
        let position = position(moves);
        let perfect = perfect(&position);
        let best = perfect.iter().map(|&(_, verdict)| verdict).max().unwrap();
        for agent in ["alpha-beta", "minimax:depth=9"] {
            if agent.starts_with("minimax") && moves.len() < 5 {
                continue; // half a million positions
            }
            let report = json(Path::new("."), &["analyze", "tic_tac_toe", "--moves", moves, "--agent", agent]);
            assert_eq!((&report["game"], &report["agent"]), (&"tic_tac_toe".into(), &agent.into()));
            assert_eq!(report["moves"], Value::from(moves.split_whitespace().collect::<Vec<_>>()));
            assert_eq!(report["mover"], if position.turn() == Turn::Move(Player::First) { "first" } else { "second" });
            assert_eq!((&report["value"], &report["perfect"]["class"]), (&class(best).1.into(), &class(best).0.into()));
            let rows = candidates(&report);
            assert_eq!(rows.len(), perfect.len());
            for (label, verdict) in &perfect {
                let row = rows.iter().find(|row| row["move"] == **label).unwrap();
                assert_eq!(row["value"], class(*verdict).1, "{label} after {moves:?} by {agent}");
                assert_eq!(row["perfect"]["class"], class(*verdict).0);
                assert_eq!(row["perfect"]["plies"], verdict.plies);
                assert_eq!(row["principal_variation"][0], **label);
                assert_eq!((&row["visits"], &row["prior"], &row["network"]), (&Value::Null, &Value::Null, &Value::Null));
            }
            assert_eq!(
                (&rows[0]["move"], &rows[0]["principal_variation"]),
                (&report["decision"], &report["principal_variation"])
            );
        }
    }
}

/// What the text says of each figure of the JSON document.
fn cell(value: &Value, word: impl Fn(f64) -> String) -> String {
    value.as_f64().map_or_else(|| "-".to_owned(), word)
}

fn utility(value: &Value) -> String {
    cell(value, |value| format!("{value:+.2}").replace("-0.00", "+0.00"))
}

fn percent(value: &Value) -> String {
    cell(value, |value| format!("{:.1} %", 100.0 * value))
}

#[test]
fn text_and_json_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let shape = seasoned::architecture(TicTacToe::new().facts(), 4, 1);
    let checkpoint = Checkpoint { header: Header::new(&shape, 1, 7, 8, 9), network: seasoned::seasoned(&shape, 3) };
    checkpoint.save(&folder.path().join("ttt.safetensors")).unwrap();
    for agent in ["random", "alpha-beta:depth=2", "uct:sims=40", "net:ttt.safetensors", "puct:net=ttt.safetensors,sims=30"] {
        for moves in ["", "b2 a1", "a1 b1 a2 b2"] {
            let arguments = ["analyze", "tic_tac_toe", "--moves", moves, "--agent", agent, "--seed", "3"];
            let (told, report) = (printed_in(folder.path(), &arguments), json(folder.path(), &arguments));
            let position = position(moves);
            let (board, rest) = told.split_at(position.game().draw(position.state()).len());
            assert_eq!(board, position.game().draw(position.state()), "the board comes first");
            let mark = if report["mover"] == "first" { 'X' } else { 'O' };
            assert!(rest.contains(&format!("is to move; values are for {mark}.\n")), "{rest}");
            assert!(rest.contains(&format!("{agent} chooses {}", report["decision"].as_str().unwrap())), "{rest}");
            assert_eq!(report["network"].is_null(), !agent.contains("net"));
            if !report["network"].is_null() {
                assert!(
                    rest.contains(&format!("Its network alone: value {}.\n", utility(&report["network"]["value"]))),
                    "{rest}"
                );
            }
            let lines: Vec<&str> = rest.lines().skip_while(|line| !line.starts_with("  move")).collect();
            assert_eq!(lines.len(), 1 + candidates(&report).len());
            let starts: Vec<usize> = lines.iter().map(|line| line.len() - line.trim_start().len()).collect();
            assert_eq!(starts.iter().min(), Some(&2), "columns are aligned");
            for (line, row) in lines[1..].iter().zip(candidates(&report)) {
                let mut cells = vec![
                    row["move"].as_str().unwrap().to_owned(),
                    cell(&row["visits"], |visits| visits.to_string()),
                    percent(&row["prior"]),
                    utility(&row["value"]),
                ];
                if !report["network"].is_null() {
                    cells.extend([percent(&row["network"]["prior"]), utility(&row["network"]["value"])]);
                }
                let perfect = &row["perfect"];
                cells.push(format!("{} in {}", perfect["class"].as_str().unwrap(), perfect["plies"]));
                let line_of_play: Vec<&str> =
                    row["principal_variation"].as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect();
                cells.push(line_of_play.join(" "));
                assert_eq!(line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>(), cells);
            }
        }
    }
}

#[test]
fn the_raw_network_stands_beside_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let shape = seasoned::architecture(TicTacToe::new().facts(), 4, 1);
    let network = seasoned::seasoned(&shape, 3);
    let frozen = Frozen::new(&network, &shape, 1, &seasoned::cpu());
    Checkpoint { header: Header::new(&shape, 1, 7, 8, 9), network }.save(&folder.path().join("ttt.safetensors")).unwrap();
    for (moves, player) in [("b2 a1", Player::First), ("a1 b2 c3", Player::Second)] {
        let position = position(moves);
        let raw = RawNetwork::judge(&mut NetworkEvaluator::new(position.game(), frozen.clone()), &position);
        for agent in ["net:ttt.safetensors", "puct:net=ttt.safetensors,sims=60,gather=4"] {
            let report = json(folder.path(), &["analyze", "tic_tac_toe", "--moves", moves, "--agent", agent]);
            assert_eq!(report["network"]["value"].as_f64().unwrap() as f32, raw.value.of(player), "for the mover");
            for mv in &raw.moves {
                let label = position.game().label(position.state(), mv.action);
                let row = candidates(&report).iter().find(|row| row["move"] == *label).unwrap();
                assert_eq!(row["network"]["prior"].as_f64().unwrap() as f32, mv.prior);
                assert_eq!(row["network"]["value"].as_f64().unwrap() as f32, mv.value.unwrap().of(player));
                assert_eq!(row["prior"], row["network"]["prior"], "the tree begins with the network's policy");
            }
            let visits: u64 = candidates(&report).iter().filter_map(|row| row["visits"].as_u64()).sum();
            assert_eq!(visits, if agent.starts_with("puct") { 60 } else { 0 });
        }
    }
}

#[test]
fn a_position_reads_like_this() {
    let expected = "\
3  . . .
2  O O .
1  X X .
   a b c

tic_tac_toe after a1 a2 b1 b2: X, the first player, is to move; values are for X.
alpha-beta:depth=5 chooses c1 (value +1.00, depth 5, 147 nodes).
Perfect play: a win in 1 ply.

  move  visits   prior   value    perfect  principal variation
    c1       -       -   +1.00   win in 1  c1
    c2       -       -   +0.00  draw in 5  c2 c1 a3 c3 b3
    a3       -       -   -1.00  loss in 2  a3 c2
    c3       -       -   -1.00  loss in 2  c3 c2
    b3       -       -   -1.00  loss in 2  b3 c2
";
    assert_eq!(printed(&["analyze", "tic_tac_toe", "--moves", "a1 a2 b1 b2", "--agent", "alpha-beta:depth=5"]), expected);
}

/// What a command prints that says where perfect play is to be had.
fn cautioned(arguments: &[&str]) -> String {
    let output = plyzero(Path::new("."), arguments);
    let warning = "warning: perfect play here takes longer than a second or so; `plyzero solve` finds it\n";
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), warning), "{arguments:?}");
    text(&output.stdout)
}

#[test]
fn moves_are_given_in_any_of_the_usual_ways() {
    let as_one = cautioned(&["analyze", "connect_four", "--agent", "alpha-beta:depth=2", "--moves", "4 4 3"]);
    for moves in [
        &["--moves", "4,4,3"][..],
        &["--moves", "4", "4", "3"],
        &["--moves", " 4, 4", "--moves=3"],
        &["--moves", "4\n4\t3"],
        &["--moves", "443"],
    ] {
        let arguments = [&["analyze", "connect_four", "--agent", "alpha-beta:depth=2"], moves].concat();
        assert_eq!(cautioned(&arguments), as_one);
    }
    let empty = printed(&["analyze", "tic_tac_toe"]);
    assert_eq!(printed(&["analyze", "tic_tac_toe", "--moves", ""]), empty);
    assert!(empty.contains("\ntic_tac_toe: X, the first player, is to move;"));
    assert!(!as_one.contains("perfect"), "nobody has solved it in a second");
    assert_eq!(
        printed(&["analyze", "tic_tac_toe", "--moves", "B2 A1"]),
        printed(&["analyze", "tic_tac_toe", "--moves", "b2 a1"])
    );
}

#[test]
fn positions_that_cannot_be_analysed_are_refused() {
    let illegal = "--moves: move 3: \"a1\" is not a legal move here; legal moves are a3 b3 c3 a2 b2 c2 c1";
    refuses("analyze tic_tac_toe --moves a1,b1 a1", illegal);
    refuses("analyze connect_four --moves 8", "--moves: move 1: \"8\" is not a legal move here; legal moves are 1 2 3 4 5 6 7");
    refuses(
        "analyze tic_tac_toe --moves a1 b1 a2 b2 a3",
        "--moves: the game is over after 5 plies: nobody is to move; leave out the last of these moves",
    );
    refuses(
        "analyze tic_tac_toe --moves a1 b1 a2 b2 a3 c3 c1",
        "--moves: the game is over after 5 plies; leave out \"c3\" and what follows",
    );
    refuses_words(
        &["analyze", "tic_tac_toe", "--moves", "a1 \u{1b}[2J"],
        "--moves: move 2: \"\\u{1b}[2J\" is not a legal move here; legal moves are a3 b3 c3 a2 b2 c2 b1 c1",
    );
}

#[test]
fn names_that_nothing_has_are_refused_with_the_nearest() {
    let games = format!("Known games are {}", registry().ids().join(", "));
    for command in ["analyze", "check", "play"] {
        refuses(&format!("{command} conect4"), &format!("no game is called \"conect4\"; did you mean connect_four? {games}"));
    }
    refuses("train --game tictactoe", &format!("no game is called \"tictactoe\"; did you mean tic_tac_toe? {games}"));
    let agents = "Known agents are random, minimax, alpha-beta, expectimax, maxn, uct, net, puct, solver, uci";
    refuses(
        "analyze tic_tac_toe --agent uctt",
        &format!("no agent is called \"uctt\" (in \"uctt\"); did you mean \"uct\"? {agents}"),
    );
    refuses("analyze tic_tac_toe --device gpu", "device \"gpu\" is not known to this build; it knows cpu");
    let endless = "agent minimax: without a depth it searches to the end of the game, which connect_four is too large for; give it \
                   one, such as minimax:depth=4";
    refuses("analyze connect_four --agent minimax", endless);
    refuses("play connect_four --agent minimax", endless);
    assert_eq!(plyzero(Path::new("."), &["analyze", "connect_four", "--agent", "minimax:depth=2"]).status.code(), Some(0));
}

#[test]
fn games_are_checked() {
    for game in ["tic_tac_toe", "connect_four"] {
        let told = printed(&["check", game, "--games", "5"]);
        assert!(told.starts_with(&format!("{game}: 5 random games, ")), "{told}");
        assert!(told.lines().skip(1).all(|line| line.starts_with("  holds  ")) && told.lines().count() > 15, "{told}");
        assert_eq!(printed(&["check", game, "--games", "5", "--seed", "1"]), told);
        assert_ne!(printed(&["check", game, "--games", "5", "--seed", "2"]), told);
    }
    assert_eq!(plyzero(Path::new("."), &["check", "tic_tac_toe", "--games", "0"]).status.code(), Some(2));
}

#[test]
fn help_tells_the_exit_statuses_and_every_command_has_its_own() {
    let help = printed(&["--help"]);
    assert!(help.contains("Exit status:\n    0  done\n    1  something failed\n    2  the input was at fault"), "{help}");
    assert!(help.contains("130  interrupted") && help.contains("analyze") && help.contains("check"), "{help}");
    for command in ["analyze", "check"] {
        assert!(printed(&[command, "--help"]).contains(&format!("Usage: plyzero {command}")));
    }
}
