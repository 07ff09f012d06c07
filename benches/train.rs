//! Training with the kernel of the process: time a step of 256 positions. See `benches/README.md`.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use plyzero::config::Layers;
use plyzero::game::{Game, Payoff, Player};
use plyzero::games::{ConnectFour, DEFAULT_CONFIG};
use plyzero::net::{Kernel, open_device};
use plyzero::rng::stream;
use plyzero::train::{Config, Draw, Learner, Replay, Sample};
use rand::RngExt as _;

/// Channels and blocks of the reference networks.
const SIZES: [(usize, usize); 3] = [(32, 3), (64, 5), (128, 8)];
const BATCH: u32 = 256;

/// A game's shipped configuration with a network of that size.
fn config(channels: usize, blocks: usize) -> Config {
    let mut layers = Layers::base("the default configuration", DEFAULT_CONFIG).unwrap();
    for setting in [
        "train.game=connect_four".to_owned(),
        format!("network.channels={channels}"),
        format!("network.blocks={blocks}"),
        format!("learner.batch={BATCH}"),
    ] {
        layers.set(&setting).unwrap();
    }
    layers.read().unwrap()
}

/// Positions after random moves.
fn window(game: &ConnectFour, config: &Config) -> Replay<<ConnectFour as Game>::State> {
    let (mut replay, mut rng) = (Replay::new(&config.replay), stream(1, "bench", 0));
    for number in 0..BATCH {
        let (mut state, mut actions) = (game.initial(), Vec::new());
        for _ in 0..number % 7 {
            actions.clear();
            game.actions(&state, &mut actions);
            game.play(&mut state, actions[rng.random_range(0..actions.len())]);
        }
        actions.clear();
        game.actions(&state, &mut actions);
        replay.extend([Sample::new(state, [(actions[0], 1.0)], Payoff::zero_sum(Player::First, 0.0))]);
    }
    replay
}

fn steps(criterion: &mut Criterion) {
    let (game, device) = (Arc::new(ConnectFour::new()), open_device("cpu").unwrap());
    let kernel = Kernel::of_process().unwrap().name();
    let draws: Vec<Draw> = (0..BATCH).map(|place| Draw { place, symmetry: 0 }).collect();
    for (channels, blocks) in SIZES {
        let config = config(channels, blocks);
        let (replay, mut learner) = (window(&game, &config), Learner::new(&game, &config, &device));
        let mut group = criterion.benchmark_group(format!("{channels} channels, {blocks} blocks"));
        group.throughput(Throughput::Elements(BATCH.into()));
        group.bench_function(BenchmarkId::new("step", kernel), |bencher| {
            bencher.iter(|| black_box(learner.step(&replay, &draws, 0.0, 1).unwrap()));
        });
        group.finish();
    }
}

criterion_group!(benches, steps);
criterion_main!(benches);
