//! The trainer on each kind of game: pairs of utilities, a pass that is a move, a swap, chance before the first move.

mod outcome;
mod tiny;
mod trial;

use std::sync::Arc;

use plyzero::agent::Builder;
use plyzero::game::{Entry, Game, Position, Turn, Variant};
use plyzero::games::{Einstein, Hex, Othello, Tempo, TicTacToe};
use plyzero::net::{Checkpoint, Header, ValueHead, open_device};
use plyzero::rng::stream;
use plyzero::storage::System;
use plyzero::train::Folder;

use outcome::results;
use tiny::config;
use trial::Trial;

/// Trains for two iterations, with one thread and with two, and lets what comes of it play a game against itself.
fn trains<G: Game>(make: impl Fn(&mut Variant) -> G, name: &str, head: ValueHead) {
    let game = || make(&mut Variant::parse(name).unwrap());
    let changes = [&format!("train.game={name}"), "self_play.games=3", "self_play.simulations=6", "replay.reuse=0.5"];
    let run = |threads| {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::create(root.path(), Arc::new(System)).unwrap();
        let summary = Trial { threads, ..Trial::default() }.run(game(), &config(&changes), &folder).unwrap();
        assert_eq!(summary.iterations, 2, "{name}");
        (root, summary.latest)
    };
    let (alone, latest) = run(1);
    assert!(results(alone.path()) == results(run(2).0.path()), "{name}: files of two threads");

    let header = Header::read(&latest).unwrap();
    assert_eq!((header.architecture.game.as_str(), header.architecture.value), (name, head));
    let device = open_device("cpu").unwrap();
    Checkpoint::load(&latest, game().facts(), &device).unwrap();
    let entry = Entry::new(game(), "trained");
    let agent = format!("puct:net=\"{}\",sims=4", latest.display());
    let mut agent = Builder { entry: &entry, device: &device, stop: None }.factory(&agent).unwrap()();
    let (mut position, mut rng) = (Position::initial(&entry.game), stream(1, "trained", 0));
    position.settle(&mut rng);
    while let Turn::Move(_) = position.turn() {
        let decision = agent.decide(&position, &mut rng).unwrap();
        position.play(decision.action);
        position.settle(&mut rng);
    }
    assert!(matches!(position.turn(), Turn::Over(_)), "{name}");
}

#[test]
fn each_kind_of_game_is_trained_to_the_same_bits_by_any_number_of_threads() {
    trains(|variant| Tempo::of(TicTacToe::new(), variant).unwrap(), "tic_tac_toe_tempo:delta=1/2", ValueHead::Utilities);
    trains(|_| Othello::new(), "othello", ValueHead::Wdl);
    trains(|variant| Hex::of(variant).unwrap(), "hex:size=4,swap=true", ValueHead::Wdl);
    trains(|variant| Einstein::of(variant).unwrap(), "einstein:size=3,setup=random", ValueHead::Wdl);
}

#[test]
fn a_network_of_one_variant_is_refused_for_another() {
    let hex = |name: &str| Hex::of(&mut Variant::parse(name).unwrap()).unwrap();
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::create(root.path(), Arc::new(System)).unwrap();
    let config = config(&["train.game=hex:size=3", "train.iterations=1", "self_play.games=2", "self_play.simulations=4"]);
    let latest = Trial::default().run(hex("hex:size=3"), &config, &folder).unwrap().latest;
    for other in ["hex", "hex:size=3,swap=true"] {
        let error = Checkpoint::load(&latest, hex(other).facts(), &open_device("cpu").unwrap()).unwrap_err().to_string();
        assert!(error.contains("hex:size=3") && error.contains(other), "{error}");
    }
}
