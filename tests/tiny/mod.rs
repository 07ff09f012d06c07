//! Configurations small enough for tests.

use plyzero::config::Layers;
use plyzero::train::Config;

const SHIPPED: &str = include_str!("../../configs/tic_tac_toe.toml");
const TINY: &[&str] = &[
    "train.iterations=2",
    "search.solve=false",
    "replay.average_duplicates=false",
    "network.channels=4",
    "network.blocks=1",
    "network.policy_channels=2",
    "network.value_channels=1",
    "network.value_hidden=4",
    "self_play.games=6",
    "self_play.simulations=8",
    "self_play.lockstep=3",
    "self_play.batch=4",
    "self_play.cache=64",
    "replay.window=60",
    "replay.reuse=2.0",
    "learner.batch=8",
    "learner.warmup_steps=2",
    "evaluation.opponents=[]",
    "evaluation.games=2",
];

/// The shipped configuration made tiny, then changed by `section.key=value`.
pub fn config(changes: &[&str]) -> Config {
    let mut layers = Layers::base("the shipped configuration", SHIPPED).unwrap();
    TINY.iter().chain(changes).for_each(|change| layers.set(change).unwrap());
    layers.read().unwrap()
}
