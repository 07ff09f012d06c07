//! Other programs as agents: ours plays through its own pipes, and whatever a program does wrong is its forfeit.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use plyzero::agent::{Builder, Forfeit};
use plyzero::game::{Entry, Game as _, Notation as _, Position, Turn};
use plyzero::games::{Chess, TicTacToe};
use plyzero::net::open_device;
use plyzero::rng::stream;

fn entry() -> Entry<Chess> {
    Entry::new(Chess::new(), "chess").knowledge().notation()
}

/// What an agent chooses in a position, as UCI has it.
fn chosen(agent: &str, position: &Position<Chess>) -> Result<String, Forfeit> {
    let (entry, device) = (entry(), open_device("cpu").unwrap());
    let mut agent = Builder { entry: &entry, device: &device, stop: None }.factory(agent).unwrap()();
    let decision = agent.decide(position, &mut stream(1, "external", 0))?;
    Ok(position.game().label(position.state(), decision.action))
}

fn after(fen: &str, moves: &str) -> Position<Chess> {
    let game = Arc::new(Chess::new());
    let state = if fen.is_empty() { game.initial() } else { game.read(fen).unwrap() };
    let mut position = Position::at(&game, state);
    for text in moves.split_whitespace() {
        position.play_text(text).unwrap();
    }
    position
}

fn own(options: &str) -> String {
    format!("uci:cmd={},args=uci --hash 1{options}", env!("CARGO_BIN_EXE_plyzero"))
}

#[test]
fn a_program_is_told_the_position_and_its_limits() {
    assert_eq!(chosen(&own(",depth=3"), &after("", "f2f3 e7e5 g2g4")).unwrap(), "d8h4");
    let mate = "6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1";
    assert_eq!(chosen(&own(",nodes=5000"), &after(mate, "a7a6")).unwrap(), "d1d8");
    assert_eq!(chosen(&own(",time=50ms,MultiPV=2"), &after(mate, "a7a5")).unwrap(), "d1d8");
    assert_eq!(chosen(&own(""), &after("", "")).unwrap().len(), 4);
}

#[test]
fn a_program_plays_a_whole_game() {
    let (entry, device) = (entry(), open_device("cpu").unwrap());
    let builder = Builder { entry: &entry, device: &device, stop: None };
    let mut agents = [builder.factory(&own(",depth=2")).unwrap()(), builder.factory("random").unwrap()()];
    let (mut position, mut rng) = (Position::initial(&entry.game), stream(1, "external", 1));
    while let Turn::Move(mover) = position.turn() {
        position.play(agents[mover.index()].decide(&position, &mut rng).unwrap().action);
    }
    assert!(matches!(position.turn(), Turn::Over(payoff) if payoff.0[0] == 1.0), "{}", entry.game.draw(position.state()));
}

#[test]
fn what_a_program_does_wrong_is_its_forfeit() {
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, lines: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let talk = |answer: &str| {
        format!(
            "while read line; do case $line in uci) echo uciok;; isready) echo readyok;; go*) {answer};; quit) exit;; esac; done"
        )
    };
    let reason =
        |command: &str| chosen(&format!("uci:cmd={command},patience=300ms,time=10ms"), &after("", "e2e4")).unwrap_err().reason;
    let cases = [
        (script("gone", "exit 1"), "uciok"),
        (script("mute", "sleep 5"), "it did not say uciok within 0.3 s"),
        (script("crash", &talk("exit 1")), "it ended before it said bestmove"),
        (script("hang", &talk("true")), "it did not say bestmove within 0.3 s"),
        (script("chatter", &talk("while true; do echo info depth 1; done")), "bestmove"),
        (script("illegal", &talk("echo bestmove e2e4")), "not legal"),
        (script("empty", &talk("echo bestmove")), "not legal"),
        (script("resigns", &talk("echo bestmove 0000")), "not legal"),
        ("/nowhere/engine".to_owned(), "/nowhere/engine cannot be run"),
    ];
    for (command, expected) in cases {
        let told = reason(&command);
        assert!(told.contains(expected) || expected == "uciok" && told.contains("does not listen"), "{command}: {told}");
    }
    assert_eq!(chosen(&format!("uci:{}", script("fine", &talk("echo bestmove e7e5"))), &after("", "e2e4")).unwrap(), "e7e5");
}

#[test]
fn games_without_a_notation_have_no_programs() {
    let (entry, device) = (Entry::new(TicTacToe::new(), "three in a row"), open_device("cpu").unwrap());
    let builder = Builder { entry: &entry, device: &device, stop: None };
    let error = builder.factory("uci:stockfish").err().unwrap().to_string();
    assert!(error.contains("uci:cmd=stockfish") && error.contains("tic_tac_toe has no notation"), "{error}");
    let error = builder.factory("uci:time=1s").err().unwrap().to_string();
    assert!(!error.is_empty());
}
