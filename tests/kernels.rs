//! The kernels of frozen networks that this processor has: against burn's own forward pass, against each other, and bit by bit.

mod playouts;
mod seasoned;
mod tiny;
mod trial;

use std::sync::Arc;

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{Tensor, TensorData};
use ndarray::{Array4, ArrayView4, Axis, Slice};
use plyzero::game::{Entry, Game, Games as _, Visit};
use plyzero::games::{ConnectFour, registry};
use plyzero::net::{Architecture, Checkpoint, Frozen, Kernel, Network, NetworkConfig, Norm, ValueHead};
use plyzero::rng::stream;
use plyzero::storage::{System, sha256};
use plyzero::train::Folder;
use rand::RngExt as _;

use playouts::{mover, playout};
use seasoned::{architecture, cpu, seasoned};
use trial::Trial;

/// The largest error of a kernel, as a share of the largest logit.
fn limit(kernel: Kernel) -> f32 {
    if kernel.rounds() { 1e-2 } else { 1e-4 }
}

fn largest(numbers: &[f32]) -> f32 {
    numbers.iter().fold(0.0, |most, number| number.abs().max(most))
}

/// Policy logits and value outputs by burn.
fn forward(network: &Network, planes: ArrayView4<f32>) -> [Vec<f32>; 2] {
    let (batch, depth, height, width) = planes.dim();
    let data = TensorData::new(planes.iter().copied().collect(), [batch, depth, height, width]);
    let (policy, value) = network.forward(Tensor::from_data(data, &cpu()));
    [policy, value].map(|tensor| tensor.into_data_as::<f32>().iter::<f32>().collect())
}

fn frozen(network: &Network, shape: &Architecture, batch: usize, kernel: Kernel) -> Frozen {
    Frozen::with_kernel(network, shape, batch, kernel).unwrap()
}

/// The bits of an answer, position by position.
fn bits(frozen: &mut Frozen, planes: ArrayView4<f32>) -> Vec<Vec<u32>> {
    let (policy, value) = frozen.infer(planes);
    let row = |at| policy.row(at).iter().chain(value.row(at)).map(|number: &f32| number.to_bits()).collect();
    (0..planes.dim().0).map(row).collect()
}

/// Compares every kernel with burn.
fn compare(network: &Network, shape: &Architecture, planes: ArrayView4<f32>) {
    compare_within(limit, network, shape, planes);
}

fn compare_within(limit: fn(Kernel) -> f32, network: &Network, shape: &Architecture, planes: ArrayView4<f32>) {
    let expected = forward(network, planes);
    for kernel in Kernel::possible() {
        let (policy, value) = frozen(network, shape, planes.dim().0, kernel).infer(planes);
        for (found, expected) in [policy, value].iter().zip(&expected) {
            let scale = largest(expected);
            let errors: Vec<f32> = found.iter().zip(expected).map(|(found, expected)| found - expected).collect();
            assert_eq!(errors.len(), expected.len());
            let error = largest(&errors) / scale;
            assert!(error < limit(kernel), "{} on {shape:?}: {error} of {scale}", kernel.name());
        }
    }
}

/// The shape of a network for planes of `shape` that belong to no game.
fn boards(planes: [usize; 3], channels: usize, blocks: usize) -> Architecture {
    let network = NetworkConfig {
        channels,
        blocks,
        policy_channels: 3,
        value_channels: 2,
        value_hidden: 5,
        norm: Norm::Batch,
        policy_hidden: 0,
        auxiliary: Vec::new(),
    };
    Architecture { game: "none".to_owned(), planes, actions: 6, value: ValueHead::Wdl, network }
}

/// Some planes of random numbers.
fn random(shape: &Architecture, batch: usize) -> Array4<f32> {
    let ([depth, height, width], mut rng) = (shape.planes, stream(1, "planes", batch as u64));
    Array4::from_shape_simple_fn((batch, depth, height, width), || rng.random_range(-1.0..1.0))
}

#[test]
fn every_kernel_computes_what_burn_computes_on_boards_of_any_size() {
    let sizes = [[1, 1], [1, 2], [2, 1], [1, 9], [9, 1], [2, 2], [3, 3], [4, 5], [6, 7], [8, 8], [1, 17], [11, 11]];
    for (at, [height, width]) in sizes.into_iter().enumerate() {
        for (channels, blocks) in [(1, 1), (15, 1), (16, 0), (33, 2), (50, 1)] {
            let shape = boards([1 + at % 4, height, width], channels, blocks);
            compare(&seasoned(&shape, at as u64), &shape, random(&shape, 5).view());
        }
    }
}

#[test]
fn every_kernel_computes_what_burn_computes_on_every_game() {
    struct Compare;
    impl Visit for Compare {
        type Output = ();
        fn visit<G: Game>(&mut self, entry: &Entry<G>) {
            let shape = architecture(entry.game.facts(), 24, 2);
            compare(&seasoned(&shape, 3), &shape, positions(&entry.game, "kernels", 40).view());
        }
    }
    let games = registry();
    for name in games.ids().iter().map(String::as_str).chain(["hex:size=5", "einstein:size=9"]) {
        games.dispatch(name, &mut Compare).unwrap();
    }
}

/// Positions of random games, `[batch, planes, height, width]`.
fn positions<G: Game>(game: &Arc<G>, purpose: &str, count: usize) -> Array4<f32> {
    let [depth, height, width] = game.facts().planes;
    let states = (0..).flat_map(|index| playout(game, purpose, index)).filter(|state| mover(game.as_ref(), state).is_some());
    let mut planes = Array4::zeros((count, depth, height, width));
    for (state, mut planes) in states.zip(planes.outer_iter_mut()) {
        game.encode(&state, planes.as_slice_mut().unwrap());
    }
    planes
}

/// Replaces one kind of parameter by what an index gives.
struct Replace<'a> {
    name: &'a str,
    by: fn(usize) -> f32,
    path: Vec<String>,
}

impl ModuleMapper for Replace<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if self.path.last().is_none_or(|name| name != self.name) {
            return param;
        }
        let shape = param.val().dims();
        let values: Vec<f32> = (0..shape.iter().product()).map(self.by).collect();
        param.map(|old| Tensor::from_data(TensorData::new(values, shape), &old.device()))
    }
}

/// The number to put in the place of the one at this index.
type Change = fn(usize) -> f32;

/// What is left of terms that nearly cancel out carries their rounding: with bf16, whose numbers have eight bits, up to 1.6 % was seen.
fn limit_of_cancelled(kernel: Kernel) -> f32 {
    if kernel.rounds() { 2e-2 } else { limit(kernel) }
}

#[test]
fn negative_scales_and_tiny_variances_are_folded_like_any_other() {
    let shape = architecture(ConnectFour::new().facts(), 20, 2);
    let planes = positions(&Arc::new(ConnectFour::new()), "kernels", 30);
    let changes: [(&str, Change); 3] = [
        ("gamma", |at| -0.5 - (at % 3) as f32),
        ("running_variance", |at| [1e-12, 1e-3, 0.0][at % 3]),
        ("running_mean", |at| if at % 2 == 0 { 30.0 } else { -30.0 }),
    ];
    for (name, by) in changes {
        let network = seasoned(&shape, 17).map(&mut Replace { name, by, path: Vec::new() });
        compare_within(limit_of_cancelled, &network, &shape, planes.view());
    }
}

#[test]
fn an_answer_has_the_same_bits_in_every_batch_slot_and_thread() {
    for (planes, channels) in [([2, 6, 7], 40), ([3, 1, 5], 9), ([2, 9, 2], 17)] {
        let shape = boards(planes, channels, 2);
        let (network, pool) = (seasoned(&shape, 5), random(&shape, 70));
        for kernel in Kernel::possible() {
            let mut together = frozen(&network, &shape, 70, kernel);
            let expected = bits(&mut together, pool.view());
            for size in 1..=70 {
                let start = size * 31 % (71 - size);
                let part = pool.slice_axis(Axis(0), Slice::from(start..start + size));
                assert_eq!(bits(&mut together, part), expected[start..start + size], "{} of {}", size, kernel.name());
            }
            std::thread::scope(|scope| {
                for thread in 0..3 {
                    let (mut own, pool, expected) = (together.clone(), &pool, &expected);
                    scope.spawn(move || {
                        let slots: Vec<usize> = (0..70).map(|slot| (slot * 11 + thread) % 70).collect();
                        let wanted: Vec<_> = slots.iter().map(|&slot| expected[slot].clone()).collect();
                        assert_eq!(bits(&mut own, pool.select(Axis(0), &slots).view()), wanted);
                    });
                }
            });
        }
    }
}

/// The answers of each kernel, as they have always been. Where a kernel is changed on purpose, the test tells what to write here.
const ANSWERS: [(Kernel, &str); 4] = [
    (Kernel::Portable, "615037317a2bb694"),
    (Kernel::Avx2, "22c83187a4da153b"),
    (Kernel::Avx512, "22c83187a4da153b"),
    (Kernel::Avx512Bf16, "74977ce478eb9196"),
];

#[test]
fn the_answers_of_a_kernel_never_change() {
    let shape = boards([3, 6, 7], 48, 2);
    let (network, planes) = (seasoned(&shape, 8), random(&shape, 20));
    let mut wrong = Vec::new();
    for (kernel, known) in ANSWERS.into_iter().filter(|(kernel, _)| kernel.is_possible()) {
        let numbers = bits(&mut frozen(&network, &shape, 20, kernel), planes.view()).concat();
        let found = sha256(&numbers.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
        if known != &found[..16] {
            wrong.push(format!("(Kernel::{kernel:?}, \"{}\")", &found[..16]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join(",\n"));
}

fn most_probable(logits: &[f32]) -> usize {
    (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap()
}

#[test]
fn the_kernels_of_a_trained_network_choose_what_burn_chooses() {
    let sizes = ["network.channels=32", "network.blocks=2", "network.policy_channels=4", "network.value_hidden=16"];
    let games = ["self_play.games=48", "self_play.simulations=16", "self_play.lockstep=48", "self_play.batch=48"];
    let learning = ["train.iterations=4", "replay.window=4000", "learner.batch=64", "replay.reuse=6.0", "self_play.cache=4096"];
    let config = tiny::config(&[&sizes[..], &games, &learning, &["train.game=\"connect_four\""]].concat());
    let folder = tempfile::tempdir().unwrap();
    let folder = Folder::create(folder.path(), Arc::new(System)).unwrap();
    Trial { threads: 2, ..Trial::default() }.run(ConnectFour::new(), &config, &folder).unwrap();
    let game = Arc::new(ConnectFour::new());
    let Checkpoint { header, network } = Checkpoint::load(&folder.net(4), game.facts(), &cpu()).unwrap();
    let planes = positions(&game, "trained", 10_000);
    let mut same = vec![0; Kernel::possible().len()];
    for part in planes.axis_chunks_iter(Axis(0), 500) {
        let [policy, _] = forward(&network, part);
        let wanted: Vec<usize> = policy.chunks(7).map(most_probable).collect();
        for (kernel, same) in Kernel::possible().into_iter().zip(&mut same) {
            let (policy, _) = frozen(&network, &header.architecture, 500, kernel).infer(part);
            *same += policy
                .outer_iter()
                .zip(&wanted)
                .filter(|(row, wanted)| most_probable(row.as_slice().unwrap()) == **wanted)
                .count();
        }
    }
    for (kernel, same) in Kernel::possible().into_iter().zip(same) {
        assert!(same >= 9_950, "{} chooses as burn does in {same} of 10,000 positions", kernel.name());
    }
}
