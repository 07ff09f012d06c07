//! The learner: its batches, its gradients and its update rules against the same written out by hand.

mod playouts;
mod race;
mod tiny;

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use ndarray::{Array2, Array4, Axis};
use plyzero::eval::Evaluator;
use plyzero::game::{Action, Game, Payoff, Player};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::net::{Architecture, Checkpoint, Frozen, Header, Network, NetworkEvaluator, ValueHead, loss, open_device};
use plyzero::rng::stream;
use plyzero::train::{Batch, Config, Draw, Learner, Policy, Replay, Sample, TrainError, with_symmetries};
use rand::RngExt as _;

use playouts::{mover, playout};
use race::{Race, Track};
use tiny::config;

fn cpu() -> Device {
    open_device("cpu").unwrap()
}

/// Positions of random games, each with one move to play and a result that go with nothing else.
fn samples<G: Game>(game: &Arc<G>, count: usize) -> Vec<Sample<G::State>> {
    let mut rng = stream(1, "samples", 0);
    let states = (0..).flat_map(|index| playout(game, "learner", index));
    let mut found: Vec<Sample<G::State>> = Vec::new();
    for state in states.filter(|state| mover(game.as_ref(), state).is_some()) {
        if found.len() == count {
            break;
        }
        if found.iter().all(|sample| sample.state != state) {
            let mut actions = Vec::new();
            game.actions(&state, &mut actions);
            let policy = [(actions[rng.random_range(0..actions.len())], 1.0)];
            let payoff = Payoff::zero_sum(Player::First, [-1.0, 0.0, 1.0][rng.random_range(0..3)]);
            found.push(Sample::new(state, policy, payoff));
        }
    }
    found
}

fn window<S: Eq + Hash>(config: &Config, samples: impl IntoIterator<Item = Sample<S>>) -> Replay<S> {
    let mut replay = Replay::new(&config.replay);
    replay.extend(samples);
    replay
}

/// Every place once, as it is.
fn all<S: Eq + Hash>(replay: &Replay<S>) -> Vec<Draw> {
    (0..replay.len() as u32).map(|place| Draw { place, symmetry: 0 }).collect()
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data_as::<f32>().iter::<f32>().collect()
}

/// Parameters, or their gradients, by name; with the number of dimensions.
type Numbers = BTreeMap<String, (usize, Vec<f64>)>;

struct Reader {
    path: Vec<String>,
    gradients: Option<Gradients>,
    found: Numbers,
}

impl ModuleVisitor for Reader {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let values = match &mut self.gradients {
            None => Some(numbers(param.val().inner())),
            Some(gradients) => param.val().grad(gradients).map(numbers),
        };
        if let Some(values) = values {
            self.found.insert(self.path.join("."), (D, values.into_iter().map(f64::from).collect()));
        }
    }
}

fn read(network: &Network, gradients: Option<Gradients>) -> Numbers {
    let mut reader = Reader { path: Vec::new(), gradients, found: BTreeMap::new() };
    network.visit(&mut reader);
    reader.found
}

fn parameters<G: Game>(learner: &Learner<G>) -> Numbers {
    read(learner.network(), None)
}

/// The gradient of the loss of one batch, by burn's automatic differentiation of the public parts.
fn gradient(network: &Network, head: ValueHead, batch: &Batch, value_weight: f32) -> Numbers {
    let device = cpu().autodiff();
    let network = network.clone().fork(&device);
    let tensor = |array: &Array2<f32>| -> Tensor<2> {
        Tensor::from_data(TensorData::new(array.iter().copied().collect(), [array.nrows(), array.ncols()]), &device)
    };
    let (rows, depth, height, width) = batch.planes.dim();
    let planes = TensorData::new(batch.planes.iter().copied().collect(), [rows, depth, height, width]);
    let pass = network.forward_train(Tensor::from_data(planes, &device));
    let policy = loss::policy_cross_entropy(pass.policy, tensor(&batch.legal), tensor(&batch.policy));
    let total = policy + loss::value_loss(head, pass.value, tensor(&batch.value)) * value_weight;
    read(&network, Some(total.backward()))
}

/// The mean of the shards' gradients, and its norm.
fn mean_gradient<G: Game>(game: &G, learner: &Learner<G>, config: &Config, replay: &Replay<G::State>) -> (Numbers, f64) {
    let draws = all(replay);
    let shards = config.learner.shards;
    let head = learner.architecture().value;
    let mut mean = Numbers::new();
    for part in draws.chunks(draws.len() / shards) {
        let batch = Batch::new(game, head, replay, part);
        for (name, (rank, values)) in gradient(learner.network(), head, &batch, config.learner.value_weight) {
            let sum = mean.entry(name).or_insert_with(|| (rank, vec![0.0; values.len()]));
            sum.1.iter_mut().zip(values).for_each(|(sum, value)| *sum += value / shards as f64);
        }
    }
    let norm = mean.values().flat_map(|(_, values)| values).map(|value| value * value).sum::<f64>().sqrt();
    (mean, norm)
}

fn assert_close(found: &Numbers, expected: &Numbers, tolerance: f64) {
    for (name, (_, expected)) in expected {
        for (found, expected) in found[name].1.iter().zip(expected) {
            assert!((found - expected).abs() < tolerance, "{name}: {found} is not {expected}");
        }
    }
}

/// Three steps of a rule, compared with `update(name and rank, step, rate, parameter, gradient, memory)` by hand.
fn compare(changes: &[&str], update: impl Fn(usize, i32, f64, &mut f64, f64, &mut [f64; 2])) {
    let common =
        ["replay.window=8", "learner.batch=8", "learner.value_weight=0.7", "learner.warmup_steps=4", "learner.decay_from=1.0"];
    let config = config(&[&common, changes].concat());
    let game = Arc::new(TicTacToe::new());
    let replay = window(&config, samples(&game, 8));
    let mut learner = Learner::new(&game, &config, &cpu());
    let mut memory: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
    for step in 1..=3 {
        let mut expected = parameters(&learner);
        let (gradient, norm) = mean_gradient(game.as_ref(), &learner, &config, &replay);
        let clip = (f64::from(config.learner.gradient_clip) / norm).min(1.0);
        let rate = config.learner.learning_rate * f64::from(step) / 4.0;
        for (name, (rank, gradient)) in &gradient {
            let memory = memory.entry(name.clone()).or_insert_with(|| vec![[0.0; 2]; gradient.len()]);
            let numbers = &mut expected.get_mut(name).unwrap().1;
            for ((number, gradient), memory) in numbers.iter_mut().zip(gradient).zip(memory) {
                update(*rank, step, rate, number, gradient * clip, memory);
            }
        }
        let losses = learner.step(&replay, &all(&replay), 0.0, 2).unwrap();
        assert!((losses.gradient_norm / norm - 1.0).abs() < 1e-5, "{} is not {norm}", losses.gradient_norm);
        expected.retain(|name, _| !name.contains("running"));
        assert_close(&parameters(&learner), &expected, 2e-5);
    }
    assert_eq!(learner.steps(), 3);
}

#[test]
fn sgd_is_what_it_is_by_hand() {
    let rule = |rank: usize, _: i32, rate: f64, number: &mut f64, gradient: f64, memory: &mut [f64; 2]| {
        let decay = if rank > 1 { 0.05 } else { 0.0 };
        memory[0] = 0.8 * memory[0] + gradient + decay * *number;
        *number -= rate * memory[0];
    };
    let sgd = ["learner.optimizer=sgd", "learner.momentum=0.8", "learner.weight_decay=0.05", "learner.learning_rate=0.3"];
    for (shards, clip) in [("learner.shards=1", "1e9"), ("learner.shards=2", "1e9"), ("learner.shards=4", "0.2")] {
        compare(&[&sgd[..], &[shards, &format!("learner.gradient_clip={clip}")]].concat(), rule);
    }
}

#[test]
fn adamw_is_what_it_is_by_hand() {
    let rule = |rank: usize, step: i32, rate: f64, number: &mut f64, gradient: f64, memory: &mut [f64; 2]| {
        let decay = if rank > 1 { 0.1 } else { 0.0 };
        *memory = [0.9 * memory[0] + 0.1 * gradient, 0.999 * memory[1] + 0.001 * gradient * gradient];
        let [first, second] = [memory[0] / (1.0 - 0.9f64.powi(step)), memory[1] / (1.0 - 0.999f64.powi(step))];
        *number = *number * (1.0 - rate * decay) - rate * first / (second.sqrt() + 1e-8);
    };
    compare(&["learner.weight_decay=0.1", "learner.learning_rate=0.004", "learner.shards=1", "learner.gradient_clip=1e9"], rule);
}

#[test]
fn the_published_network_is_an_average_of_the_weights() {
    let game = Arc::new(TicTacToe::new());
    let plain = config(&["learner.learning_rate=0.1"]);
    let replay = window(&plain, samples(&game, 8));
    for (average, decays) in [("0.2", [2.0 / 11.0, 0.2, 0.2]), ("0.9", [2.0 / 11.0, 3.0 / 12.0, 4.0 / 13.0])] {
        let config = config(&["learner.learning_rate=0.1", &format!("learner.average={average}")]);
        let (mut learner, mut without) = (Learner::new(&game, &config, &cpu()), Learner::new(&game, &plain, &cpu()));
        let mut expected = parameters(&learner);
        assert!(without.trained().is_none());
        for decay in decays {
            learner.step(&replay, &all(&replay), 0.0, 2).unwrap();
            without.step(&replay, &all(&replay), 0.0, 2).unwrap();
            let weights = read(learner.trained().unwrap(), None);
            assert!(weights == parameters(&without), "an average changes no step");
            for (name, (_, numbers)) in &mut expected {
                let pairs = numbers.iter_mut().zip(&weights[name].1);
                pairs.for_each(|(average, weight)| *average = decay * *average + (1.0 - decay) * weight);
            }
            assert_close(&parameters(&learner), &expected, 1e-5);
        }
    }
}

#[test]
fn a_learner_that_begins_with_a_network_begins_its_average_with_it() {
    let game = Arc::new(TicTacToe::new());
    let config = config(&["learner.average=0.9"]);
    let mut earlier = Learner::new(&game, &config, &cpu());
    let replay = window(&config, samples(&game, 8));
    earlier.step(&replay, &all(&replay), 0.0, 1).unwrap();
    let header = Header::new(earlier.architecture(), 1, 1, 1, 1);
    let checkpoint = Checkpoint { header, network: earlier.network().clone() };
    let learner = Learner::with_network(&game, &config, &cpu(), &checkpoint).unwrap();
    assert_eq!(parameters(&learner), parameters(&earlier));
    assert_eq!(read(learner.trained().unwrap(), None), parameters(&earlier));
}

#[test]
fn what_has_no_gradient_decays_if_it_is_a_matrix_and_stays_otherwise() {
    for optimizer in ["learner.optimizer=adamw", "learner.optimizer=sgd"] {
        let config = config(&[optimizer, "learner.value_weight=0.0", "learner.weight_decay=0.5", "learner.learning_rate=0.1"]);
        let game = Arc::new(TicTacToe::new());
        let replay = window(&config, samples(&game, 8));
        let mut learner = Learner::new(&game, &config, &cpu());
        let before = parameters(&learner);
        learner.step(&replay, &all(&replay), 0.0, 1).unwrap();
        let after = parameters(&learner);
        for name in before.keys().filter(|name| name.starts_with("value") && !name.contains("running")) {
            let ((rank, before), (_, after)) = (&before[name], &after[name]);
            // The first of two steps of warm-up: half the rate.
            let kept = if *rank > 1 { 1.0 - 0.05 * 0.5 } else { 1.0 };
            for (before, after) in before.iter().zip(after) {
                assert!((before * kept - after).abs() < 1e-6, "{optimizer}: {name} went from {before} to {after}");
            }
        }
        assert_ne!(before["policy.bias"], after["policy.bias"]);
    }
}

#[test]
fn shards_of_equal_positions_are_worth_one() {
    let game = Arc::new(ConnectFour::new());
    let after = |shards: usize| {
        let config = config(&[&format!("learner.shards={shards}"), &format!("learner.batch={}", 4 * shards)]);
        let replay = window(&config, samples(&game, 4));
        let draws = vec![all(&replay); shards].concat();
        let mut learner = Learner::new(&game, &config, &cpu());
        let losses = learner.step(&replay, &draws, 0.0, 2).unwrap();
        (losses, learner.learning_rate(0.0), parameters(&learner))
    };
    let (one, rate, alone) = after(1);
    for shards in [2, 3, 5] {
        let (losses, _, together) = after(shards);
        let pairs = [(one.policy, losses.policy), (one.value, losses.value), (one.gradient_norm, losses.gradient_norm)];
        assert!(pairs.iter().all(|(one, many)| (one / many - 1.0).abs() < 1e-5), "{pairs:?}");
        // Adam's first step is the rate times a sign, so that rounding shows where a gradient is next to nothing.
        assert_close(&together, &alone, 2.1 * rate);
        let far = |name: &String| {
            let pairs = alone[name].1.iter().zip(&together[name].1);
            pairs.filter(|(one, many)| (*one - *many).abs() > 1e-6).count()
        };
        let total: usize = alone.keys().map(far).sum();
        assert!(total * 50 < alone.values().map(|(_, values)| values.len()).sum(), "{total} parameters differ");
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let config = config(&["learner.shards=8", "learner.batch=16", "network.channels=8"]);
    let game = Arc::new(ConnectFour::new());
    let after = |threads: usize| {
        let replay = window(&config, samples(&game, 32));
        let mut learner = Learner::new(&game, &config, &cpu());
        let mut rng = stream(1, "draws", 0);
        let losses: Vec<_> = (0..4)
            .map(|_| {
                let places = (0..16).map(|_| rng.random_range(0..32)).collect();
                learner.step(&replay, &with_symmetries(game.as_ref(), places, &mut rng), 0.0, threads).unwrap()
            })
            .collect();
        (losses, parameters(&learner))
    };
    let alone = after(1);
    for threads in [2, 3, 8, 100] {
        assert!(after(threads) == alone, "{threads} threads");
    }
}

#[test]
fn the_learning_rate_rises_stays_and_falls() {
    let settings = ["learner.learning_rate=2.0", "learner.warmup_steps=4", "learner.decay_from=0.5", "learner.final_rate=0.1"];
    let config_of = |changes: &[&str]| config(&[&settings[..], changes].concat());
    let game = Arc::new(TicTacToe::new());
    let config = config_of(&[]);
    let replay = window(&config, samples(&game, 8));
    let mut learner = Learner::new(&game, &config, &cpu());
    for expected in [0.5, 1.0, 1.5, 2.0, 2.0] {
        assert!((learner.learning_rate(0.0) - expected).abs() < 1e-12);
        learner.step(&replay, &all(&replay), 0.0, 1).unwrap();
    }
    let half = 2.0 * (0.1 + 0.9 * 0.5);
    let quarter = 2.0 * (0.1 + 0.9 * f64::midpoint(1.0, std::f64::consts::FRAC_1_SQRT_2));
    for (progress, expected) in [(0.25, 2.0), (0.5, 2.0), (0.625, quarter), (0.75, half), (1.0, 0.2), (1.5, 0.2)] {
        assert!((learner.learning_rate(progress) - expected).abs() < 1e-12, "at {progress}");
    }
    // No decay at all, decay from the start, no warm-up.
    for (change, progress, expected) in [
        ("learner.decay_from=1.0", 1.0, 0.5),
        ("learner.decay_from=1.0", 0.99, 0.5),
        ("learner.decay_from=0.0", 0.5, 0.5 * 0.55),
        ("learner.warmup_steps=0", 0.0, 2.0),
        ("learner.warmup_steps=1", 0.0, 2.0),
    ] {
        let learner = Learner::new(&game, &config_of(&[change]), &cpu());
        assert!((learner.learning_rate(progress) - expected).abs() < 1e-12, "{change} at {progress}");
    }
}

#[test]
fn a_step_that_is_not_finite_changes_nothing() {
    let game = Arc::new(TicTacToe::new());
    let config = config(&[]);
    let sound = samples(&game, 8);
    let mut learner = Learner::new(&game, &config, &cpu());
    let before = parameters(&learner);
    for (what, policy, utility) in [("policy loss", f32::NAN, 1.0), ("value loss", 1.0, f32::INFINITY)] {
        let mut samples = sound.clone();
        Arc::make_mut(&mut samples[5].policy)[0].1 = policy;
        samples[5].payoff = Payoff::zero_sum(Player::First, utility);
        let replay = window(&config, samples);
        let error = learner.step(&replay, &all(&replay), 0.0, 2).unwrap_err();
        assert!(matches!(error, TrainError::NotFinite { what: found, step: 1 } if found == what), "{what}: {error}");
        assert_eq!((parameters(&learner), learner.steps()), (before.clone(), 0));
        assert!(learner.check().is_ok());
    }
    let replay = window(&config, sound);
    learner.step(&replay, &all(&replay), 0.0, 2).unwrap();
}

#[test]
fn a_weight_that_overflows_is_noticed() {
    let game = Arc::new(TicTacToe::new());
    let config = config(&["learner.learning_rate=1e39", "learner.warmup_steps=0"]);
    let replay = window(&config, samples(&game, 8));
    let mut learner = Learner::new(&game, &config, &cpu());
    learner.step(&replay, &all(&replay), 0.0, 1).unwrap();
    let error = learner.check().unwrap_err();
    assert!(matches!(error, TrainError::NotFinite { what: "weight", step: 1 }), "{error}");
    assert!(error.to_string().contains("--set learner.learning_rate="), "{error}");
}

fn overfits<G: Game>(game: G, changes: &[&str]) {
    let size = ["network.channels=8", "network.value_hidden=16", "network.value_channels=4", "network.policy_channels=4"];
    let settings = ["learner.learning_rate=0.02", "learner.weight_decay=0.0", "learner.shards=2", "learner.decay_from=0.5"];
    let config = config(&[&size[..], &settings, changes].concat());
    let game = Arc::new(game);
    let replay = window(&config, samples(&game, 16));
    let mut learner = Learner::new(&game, &config, &cpu());
    let steps = 150;
    let losses: Vec<_> =
        (0..steps).map(|step| learner.step(&replay, &all(&replay), f64::from(step) / f64::from(steps), 1).unwrap()).collect();
    let (first, last) = (losses[0], losses[losses.len() - 1]);
    assert!(first.policy > 0.5 && last.policy < 0.05, "the policy loss went from {} to {}", first.policy, last.policy);
    assert!(last.value < 0.05, "the value loss went from {} to {}", first.value, last.value);

    // The same through running statistics, folded: what the network has learned is what it plays by.
    let frozen = Frozen::new(learner.network(), learner.architecture(), 4, &cpu());
    let mut evaluator = NetworkEvaluator::new(&game, frozen);
    for sample in replay.samples() {
        let found = evaluator.evaluate_one(&sample.state);
        let mut actions = Vec::new();
        game.actions(&sample.state, &mut actions);
        let wanted = actions.iter().position(|&action| action == sample.policy[0].0).unwrap();
        assert!(found.priors[wanted] > 0.5, "{:?} for {:?}: {:?}", sample.policy, sample.state, found.priors);
        let difference = found.payoff.of(Player::First) - sample.payoff.of(Player::First);
        assert!(difference.abs() < 0.5, "{:?} is not {:?}", found.payoff, sample.payoff);
    }
}

/// Samples that know what comes next: as many plies as their place says, and a reply of their own.
fn with_futures<G: Game>(game: &Arc<G>, count: usize) -> Vec<Sample<G::State>> {
    let mut samples = samples(game, count);
    for (at, sample) in samples.iter_mut().enumerate().filter(|(at, _)| at % 4 > 0) {
        sample.plies_left = Some(at as u32);
        let reply: Vec<(Action, f32)> =
            (0..3).map(|action| (Action(action), if at as u16 % 3 == action { 1.0 } else { 0.0 })).collect();
        sample.reply = Some(reply.into());
    }
    samples
}

#[test]
fn heads_of_training_alone_are_learned_and_do_not_play() {
    let game = Arc::new(ConnectFour::new());
    let changes =
        ["learner.learning_rate=0.02", "learner.weight_decay=0.0", "learner.plies_left_weight=3.0", "learner.reply_weight=0.5"];
    let size = ["network.channels=8", "network.value_hidden=16", "network.value_channels=4", "network.policy_channels=4"];
    let config = config(&[&changes[..], &size, &["network.auxiliary=[\"plies_left\", \"reply\"]"]].concat());
    let replay = window(&config, with_futures(&game, 16));
    let mut learner = Learner::new(&game, &config, &cpu());
    let losses: Vec<_> = (0..150).map(|_| learner.step(&replay, &all(&replay), 0.0, 1).unwrap()).collect();
    let (first, last) = (losses[0], losses[149]);
    // Of sixteen positions four have no reply.
    assert!((first.reply.unwrap() - 0.75 * 3f64.ln()).abs() < 0.3, "{first:?}");
    assert!(last.reply.unwrap() < 0.05 && last.policy < 0.05 && last.value < 0.05, "{last:?}");
    assert!(first.plies_left.unwrap() > 0.02 && last.plies_left.unwrap() < 0.002, "{first:?} {last:?}");
    let batch = |samples: Vec<_>| {
        let replay = window(&config, samples);
        Batch::new(game.as_ref(), learner.architecture().value, &replay, &all(&replay))
    };
    let mut frozen = Frozen::new(learner.network(), learner.architecture(), 16, &cpu());
    let planes = batch(with_futures(&game, 16)).planes;
    assert_eq!(frozen.infer(planes.view()).0.dim(), (16, 7));
}

#[test]
fn a_future_that_is_not_known_is_not_learned() {
    let game = Arc::new(TicTacToe::new());
    let changes = ["network.auxiliary=[\"plies_left\", \"reply\"]", "learner.plies_left_weight=9.0", "learner.reply_weight=9.0"];
    let (plain, more) = (config(&[]), config(&changes));
    let replay = window(&plain, samples(&game, 8));
    let (mut plain, mut more) = (Learner::new(&game, &plain, &cpu()), Learner::new(&game, &more, &cpu()));
    for _ in 0..3 {
        let [left, right] = [&mut plain, &mut more].map(|learner| learner.step(&replay, &all(&replay), 0.0, 1).unwrap());
        assert_eq!((left.plies_left, left.reply), (None, None));
        assert_eq!((right.plies_left, right.reply), (Some(0.0), Some(0.0)));
        assert!((left.policy, left.value, left.gradient_norm) == (right.policy, right.value, right.gradient_norm));
    }
    let (plain, more) = (parameters(&plain), parameters(&more));
    assert!(plain.iter().all(|(name, numbers)| more[name] == *numbers), "without a target such heads change nothing");
}

#[test]
fn a_few_positions_can_be_learned_by_heart() {
    overfits(TicTacToe::new(), &[]);
    overfits(ConnectFour::new(), &[]);
    overfits(Race::new(), &["learner.learning_rate=0.05"]);
    let other = ["network.norm=none", "network.policy_hidden=16", "network.auxiliary=[\"reply\"]", "learner.average=0.5"];
    overfits(ConnectFour::new(), &other);
    overfits(TicTacToe::new(), &["learner.optimizer=sgd", "learner.learning_rate=0.2"]);
}

/// The batch of one position seen through one symmetry.
fn seen<G: Game>(game: &G, sample: Sample<G::State>, symmetry: usize) -> Batch {
    let head = Architecture::new(game.facts(), &config(&[]).network).value;
    let replay = window(&config(&[]), [sample]);
    Batch::new(game, head, &replay, &[Draw { place: 0, symmetry }])
}

fn after<G: Game>(game: &G, moves: &[u16]) -> G::State {
    let mut state = game.initial();
    moves.iter().for_each(|&action| game.play(&mut state, Action(action)));
    state
}

fn of(shares: &[(u16, f32)]) -> Policy {
    shares.iter().map(|&(action, share)| (Action(action), share)).collect()
}

#[test]
fn a_mirrored_board_comes_with_a_mirrored_policy() {
    let game = TicTacToe::new();
    // X has a3 and b3, O has b2 and moves: c3 in three visits of four, a2 in one. The first player will win.
    let sample = Sample::new(after(&game, &[0, 4, 1]), of(&[(2, 0.75), (3, 0.25)]), Payoff::win(Player::First));
    let plain = seen(&game, sample.clone(), 0);
    let mirrored = seen(&game, sample.clone(), 2);
    let (own, other) = ([0., 0., 0., 0., 1., 0., 0., 0., 0.], [1., 1., 0., 0., 0., 0., 0., 0., 0.]);
    let other_mirrored = [0., 1., 1., 0., 0., 0., 0., 0., 0.];
    assert_eq!(plain.planes, Array4::from_shape_vec((1, 2, 3, 3), [own, other].concat()).unwrap());
    assert_eq!(mirrored.planes, Array4::from_shape_vec((1, 2, 3, 3), [own, other_mirrored].concat()).unwrap());
    assert_eq!(plain.legal, ndarray::array![[0., 0., 1., 1., 0., 1., 1., 1., 1.]]);
    assert_eq!(mirrored.legal, ndarray::array![[1., 0., 0., 1., 0., 1., 1., 1., 1.]]);
    assert_eq!(plain.policy, ndarray::array![[0., 0., 0.75, 0.25, 0., 0., 0., 0., 0.]]);
    assert_eq!(mirrored.policy, ndarray::array![[0.75, 0., 0., 0., 0., 0.25, 0., 0., 0.]]);
    assert_eq!(mirrored.value, ndarray::array![[0., 0., 1.]], "the mover is the second player, who will lose");
    assert!(plain.ended.sum() == 0.0 && plain.reply_legal.sum() == 0.0, "nothing is known of its future");
    // O takes c3, and X thinks of c2 and a1.
    let future = Sample { plies_left: Some(3), reply: Some(of(&[(3, 0.0), (5, 0.25), (6, 0.75)])), ..sample };
    let mirrored = seen(&game, future, 2);
    assert_eq!((mirrored.plies_left[(0, 0)], mirrored.ended[(0, 0)]), (3.0 / 9.0, 1.0));
    assert_eq!(mirrored.reply_legal, ndarray::array![[0., 0., 0., 1., 0., 1., 0., 0., 1.]]);
    assert_eq!(mirrored.reply, ndarray::array![[0., 0., 0., 0.25, 0., 0., 0., 0., 0.75]]);

    let game = ConnectFour::new();
    // A full first column but for one cell, and a stone on the second; X moves and will win.
    let state = after(&game, &[0, 0, 0, 0, 0, 1]);
    let sample = Sample::new(state, of(&[(0, 0.25), (1, 0.5), (6, 0.25)]), Payoff::win(Player::First));
    let mirrored = seen(&game, sample, 1);
    let mut planes = Array4::zeros((1, 2, 6, 7));
    for (plane, row, column) in [(0, 5, 6), (1, 4, 6), (0, 3, 6), (1, 2, 6), (0, 1, 6), (1, 5, 5)] {
        planes[(0, plane, row, column)] = 1.0;
    }
    assert_eq!(mirrored.planes, planes);
    assert_eq!(mirrored.legal, ndarray::array![[1., 1., 1., 1., 1., 1., 1.]]);
    assert_eq!(mirrored.policy, ndarray::array![[0.25, 0., 0., 0., 0., 0.5, 0.25]]);
    assert_eq!(mirrored.value, ndarray::array![[1., 0., 0.]]);
}

/// Checks that everything in a batch moves as the cells of the board do; `image` is where a symmetry takes a cell.
fn follows_the_board<G: Game>(game: G, image: impl Fn(usize, (usize, usize)) -> (usize, usize)) {
    let game = Arc::new(game);
    for sample in samples(&game, 12) {
        let plain = seen(game.as_ref(), sample.clone(), 0);
        for symmetry in game.symmetries() {
            let moved = seen(game.as_ref(), sample.clone(), symmetry.index);
            for ((_, plane, row, column), value) in plain.planes.indexed_iter() {
                let (row, column) = image(symmetry.index, (row, column));
                assert_eq!(moved.planes[(0, plane, row, column)], *value);
            }
            for action in 0..game.facts().actions {
                let image = symmetry.action(Action(action as u16)).index();
                assert_eq!(moved.legal[(0, image)], plain.legal[(0, action)]);
                assert_eq!(moved.policy[(0, image)], plain.policy[(0, action)]);
            }
            assert_eq!(moved.value, plain.value);
            assert_eq!(moved.policy.sum_axis(Axis(1)), ndarray::array![1.0]);
        }
    }
}

#[test]
fn symmetries_move_planes_masks_and_policies_alike() {
    follows_the_board(ConnectFour::new(), |symmetry, (row, column)| (row, if symmetry == 1 { 6 - column } else { column }));
    let game = TicTacToe::new();
    let images: Vec<Vec<usize>> =
        game.symmetries().iter().map(|symmetry| (0..9).map(|cell| symmetry.action(Action(cell)).index()).collect()).collect();
    let distinct: std::collections::BTreeSet<&Vec<usize>> = images.iter().collect();
    assert_eq!(distinct.len(), 8);
    follows_the_board(game, |symmetry, (row, column)| {
        let cell = images[symmetry][3 * row + column];
        (cell / 3, cell % 3)
    });
}

#[test]
fn every_symmetry_is_drawn_as_often() {
    let game = TicTacToe::new();
    let places: Vec<u32> = (0..8000).collect();
    let draws = with_symmetries(&game, places.clone(), &mut stream(1, "symmetries", 0));
    assert_eq!(draws, with_symmetries(&game, places, &mut stream(1, "symmetries", 0)));
    let mut counts = [0; 8];
    draws.iter().for_each(|draw| counts[draw.symmetry] += 1);
    assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
    assert!(draws.iter().zip(0..).all(|(draw, place)| draw.place == place));
}

#[test]
fn values_are_the_movers() {
    let game = TicTacToe::new();
    let value = |moves: &[u16], payoff: Payoff| {
        seen(&game, Sample::new(after(&game, moves), of(&[(8, 1.0)]), payoff), 0).value.into_raw_vec_and_offset().0
    };
    assert_eq!(value(&[], Payoff::win(Player::First)), [1.0, 0.0, 0.0]);
    assert_eq!(value(&[4], Payoff::win(Player::First)), [0.0, 0.0, 1.0]);
    assert_eq!(value(&[4], Payoff::DRAW), [0.0, 1.0, 0.0]);
    // An unfinished game has an expectation, which is kept.
    assert_eq!(value(&[], Payoff::zero_sum(Player::First, 0.25)), [0.25, 0.75, 0.0]);
    assert_eq!(value(&[4], Payoff::zero_sum(Player::First, 0.25)), [0.0, 0.75, 0.25]);
    // One that tells its draws keeps them.
    let told = |moves: &[u16]| {
        let sample = Sample::new(after(&game, moves), of(&[(8, 1.0)]), Payoff::zero_sum(Player::First, 0.25));
        seen(&game, Sample { draw: Some(0.5), ..sample }, 0).value.into_raw_vec_and_offset().0
    };
    assert_eq!((told(&[]), told(&[4])), (vec![0.375, 0.5, 0.125], vec![0.125, 0.5, 0.375]));

    let game = Race::new();
    for (plies, expected) in [(0, [0.5, -0.125]), (1, [-0.125, 0.5]), (2, [-0.125, 0.5]), (3, [0.5, -0.125])] {
        let state = Track { plies, cells: [1, 0] };
        let batch = seen(&game, Sample::new(state, of(&[(0, 1.0)]), Payoff([0.5, -0.125])), 0);
        assert_eq!(batch.value.into_raw_vec_and_offset().0, expected, "after {plies} plies");
    }
}
