//! A game that the program has never heard of, with nothing but rules: it is trained with the configuration for such games and
//! measured against opponents that can play any game, chance and all.

mod drops;
mod nim;

use std::sync::Arc;

use drops::Drops;
use nim::Nim;
use plyzero::agent::{Agent, Builder};
use plyzero::config::Layers;
use plyzero::game::{Entry, Game, Position, Turn};
use plyzero::games::DEFAULT_CONFIG;
use plyzero::net::open_device;
use plyzero::rng::stream;
use plyzero::train::Config;

/// The configuration of a game without one.
fn config<G: Game>(game: &G) -> Config {
    let mut layers = Layers::base("the shipped configuration", DEFAULT_CONFIG).unwrap();
    layers.set(&format!("train.game={}", game.facts().id)).unwrap();
    layers.read().unwrap()
}

/// Lets `agents` play each other in turn to the end of a game.
fn play_out<G: Game>(game: &Arc<G>, agents: &mut [Box<dyn Agent<G>>]) {
    let (mut position, mut rng) = (Position::initial(game), stream(1, "stranger", 0));
    while let Turn::Move(mover) = position.turn() {
        let decision = agents[mover.index()].decide(&position, &mut rng).unwrap();
        position.play(decision.action);
        position.settle(&mut rng);
    }
    assert!(matches!(position.turn(), Turn::Over(_)));
}

fn opponents_play<G: Game>(game: G) {
    let config = config(&game);
    config.validate(game.facts()).unwrap();
    let (entry, device) = (Entry::new(game, "a stranger's"), open_device("cpu").unwrap());
    let opponents = Builder { entry: &entry, device: &device, stop: None }.opponents(&config.evaluation.opponents).unwrap();
    let mut agents: Vec<_> = opponents.iter().map(|(_, make)| make()).collect();
    assert!(agents.len() > 1, "random play alone says little");
    play_out(&entry.game, &mut agents);
}

#[test]
fn the_default_configuration_and_its_opponents_suit_any_game() {
    opponents_play(Nim::new());
    opponents_play(Drops::new());
}

#[test]
fn games_without_a_configuration_of_their_own_have_every_key_of_those_with_one() {
    let keys = |text: &str| -> Vec<String> {
        let table: toml::Table = text.parse().unwrap();
        table
            .iter()
            .flat_map(|(section, keys)| keys.as_table().unwrap().keys().map(move |key| format!("{section}.{key}")))
            .collect()
    };
    assert_eq!(keys(DEFAULT_CONFIG), keys(include_str!("../configs/connect_four.toml")));
}
