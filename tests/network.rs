//! Networks: against a network written out in plain loops, in every slot of a batch, and as evaluators of positions.

mod playouts;
mod race;
mod seasoned;

use std::collections::BTreeMap;
use std::sync::Arc;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Tensor, TensorData};
use ndarray::{Array2, Array4, ArrayView4, Axis, Ix2, Ix4};
use plyzero::config::Layers;
use plyzero::eval::{Chances, Evaluation, Evaluator};
use plyzero::game::{Action, Game, Payoff, Player};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::net::{
    Architecture, Auxiliary, BatchStatistics, Frozen, Kernel, Network, NetworkConfig, NetworkEvaluator, Norm, ValueHead, loss,
};
use plyzero::rng::stream;
use plyzero::train::Config;
use rand::RngExt as _;

use playouts::{mover, playout};
use race::Race;
use seasoned::{architecture, cpu, seasoned};

/// The unfinished positions of some random games.
fn positions<G: Game>(game: &Arc<G>, count: usize) -> Vec<G::State> {
    let all = (0..).flat_map(|index| playout(game, "network", index));
    all.filter(|state| mover(game.as_ref(), state).is_some()).take(count).collect()
}

/// `[batch, planes, height, width]` of positions.
fn encoded<G: Game>(game: &G, states: &[G::State]) -> Array4<f32> {
    let [depth, height, width] = game.facts().planes;
    let mut planes = Array4::zeros((states.len(), depth, height, width));
    for (state, mut planes) in states.iter().zip(planes.outer_iter_mut()) {
        game.encode(state, planes.as_slice_mut().unwrap());
    }
    planes
}

fn tensor(planes: ArrayView4<f32>) -> Tensor<4> {
    let (batch, depth, height, width) = planes.dim();
    Tensor::from_data(TensorData::new(planes.iter().copied().collect(), [batch, depth, height, width]), &cpu())
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data_as::<f32>().iter::<f32>().collect()
}

fn row(values: &[f32]) -> Tensor<2> {
    Tensor::from_data(TensorData::new(values.to_vec(), [1, values.len()]), &cpu().autodiff())
}

/// The largest distance of two lists, as a share of the largest number of the second.
fn distance(found: impl IntoIterator<Item = f32>, expected: impl IntoIterator<Item = f64>) -> f64 {
    let (mut most, mut scale) = (0f64, f64::MIN_POSITIVE);
    let mut expected = expected.into_iter();
    for found in found {
        let expected = expected.next().unwrap();
        most = most.max((f64::from(found) - expected).abs());
        scale = scale.max(expected.abs());
    }
    assert!(expected.next().is_none(), "the lists have different lengths");
    most / scale
}

/// The network of the paper in plain loops and double precision.
struct Reference(BTreeMap<String, (Vec<usize>, Vec<f64>)>);

/// Policy, value, what only training asks, and the mean and variance that each normalisation met.
struct Passed {
    policy: Array2<f64>,
    value: Array2<f64>,
    plies_left: Option<Array2<f64>>,
    reply: Option<Array2<f64>>,
    measured: Vec<[Vec<f64>; 2]>,
}

impl Reference {
    fn of(network: &Network) -> Self {
        struct Reader {
            path: Vec<String>,
            found: BTreeMap<String, (Vec<usize>, Vec<f64>)>,
        }
        impl ModuleVisitor for Reader {
            fn enter_module(&mut self, name: &str, _: &str) {
                self.path.push(name.to_owned());
            }
            fn exit_module(&mut self, _: &str, _: &str) {
                self.path.pop();
            }
            fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
                let values = numbers(param.val()).into_iter().map(f64::from).collect();
                self.found.insert(self.path.join("."), (param.val().dims().to_vec(), values));
            }
        }
        let mut reader = Reader { path: Vec::new(), found: BTreeMap::new() };
        network.visit(&mut reader);
        Self(reader.found)
    }

    fn vector(&self, name: &str) -> &[f64] {
        &self.0[name].1
    }

    fn conv(&self, layer: &str, x: &Array4<f64>) -> Array4<f64> {
        let (shape, weight) = &self.0[&format!("{layer}.weight")];
        let weight = ndarray::ArrayView::from_shape(shape.as_slice(), weight).unwrap().into_dimensionality::<Ix4>().unwrap();
        let (outputs, inputs, side, _) = weight.dim();
        let (batch, _, height, width) = x.dim();
        Array4::from_shape_fn((batch, outputs, height, width), |(at, output, row, column)| {
            let mut sum = 0.0;
            for input in 0..inputs {
                for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
                    // Cells beyond the board are zero; the subtraction wraps far beyond it.
                    let (row, column) = ((row + i).wrapping_sub(side / 2), (column + j).wrapping_sub(side / 2));
                    sum += weight[(output, input, i, j)] * x.get((at, input, row, column)).unwrap_or(&0.0);
                }
            }
            sum
        })
    }

    /// Normalised by running statistics, or by those of the batch, which are appended to `measured`.
    fn conv_norm(&self, layer: &str, x: &Array4<f64>, measured: Option<&mut Vec<[Vec<f64>; 2]>>) -> Array4<f64> {
        let mut y = self.conv(layer, x);
        let part = |name: &str| self.vector(&format!("{layer}.{name}")).to_vec();
        let [mean, variance] = match measured {
            None => [part("running_mean"), part("running_variance")],
            Some(measured) => {
                let channels = || y.axis_iter(Axis(1));
                let mean: Vec<f64> = channels().map(|channel| channel.mean().unwrap()).collect();
                measured.push([mean, channels().map(|channel| channel.var(0.0)).collect()]);
                measured.last().unwrap().clone()
            }
        };
        let (gamma, beta) = (part("gamma"), part("beta"));
        for (at, mut channel) in y.axis_iter_mut(Axis(1)).enumerate() {
            channel.mapv_inplace(|x| gamma[at] * (x - mean[at]) / (variance[at] + 1e-5).sqrt() + beta[at]);
        }
        y
    }

    fn dense(&self, layer: &str, x: &Array2<f64>) -> Array2<f64> {
        let (shape, weight) = &self.0[&format!("{layer}.weight")];
        let weight = ndarray::ArrayView::from_shape(shape.as_slice(), weight).unwrap().into_dimensionality::<Ix2>().unwrap();
        x.dot(&weight) + ndarray::ArrayView::from(self.vector(&format!("{layer}.bias")))
    }

    fn pass(&self, planes: ArrayView4<f32>, train: bool) -> Passed {
        let relu = |x: Array4<f64>| x.mapv_into(|x| x.max(0.0));
        let flat = |x: Array4<f64>| {
            let (rows, channels, height, width) = x.dim();
            x.into_shape_with_order((rows, channels * height * width)).unwrap()
        };
        let mut measured = Vec::new();
        let mut layer = |name: &str, x: &Array4<f64>| self.conv_norm(name, x, train.then_some(&mut measured));
        let mut x = relu(layer("stem", &planes.mapv(f64::from)));
        for block in (0..).take_while(|block| self.0.contains_key(&format!("blocks.{block}.first.weight"))) {
            let y = relu(layer(&format!("blocks.{block}.first"), &x));
            x = relu(&x + &layer(&format!("blocks.{block}.second"), &y));
        }
        let (policy, value) = (relu(layer("policy_conv", &x)), relu(layer("value_conv", &x)));
        let (policy, hidden) = (flat(policy), self.hidden("value_hidden", &flat(value)));
        let head = |layer: &str, x| self.0.contains_key(&format!("{layer}.weight")).then(|| self.dense(layer, x));
        let logits = match head("policy_hidden", &policy) {
            Some(_) => self.dense("policy", &self.hidden("policy_hidden", &policy)),
            None => self.dense("policy", &policy),
        };
        let (plies_left, reply) = (head("plies_left", &hidden), head("reply", &policy));
        Passed { policy: logits, value: self.dense("value", &hidden), plies_left, reply, measured }
    }

    fn hidden(&self, layer: &str, x: &Array2<f64>) -> Array2<f64> {
        self.dense(layer, x).mapv_into(|x| x.max(0.0))
    }
}

fn answers_are_the_same_in_every_slot<G: Game>(game: G, channels: usize, blocks: usize) {
    let game = Arc::new(game);
    let shape = architecture(game.facts(), channels, blocks);
    let network = seasoned(&shape, 7);
    let pool = encoded(game.as_ref(), &positions(&game, 24));
    for batch in [1, 2, 3, 5, 8, 16, 17, 32, 33] {
        let mut frozen = Frozen::new(&network, &shape, batch, &cpu());
        let mut rng = stream(1, "slots", batch as u64);
        let mut known: Vec<Option<Vec<u32>>> = vec![None; pool.dim().0];
        for round in 0..12 {
            // Some places hold what no position looks like.
            let mut planes = Array4::from_elem((batch, shape.planes[0], shape.planes[1], shape.planes[2]), 1e30);
            let mut places = vec![None; batch];
            for (slot, place) in places.iter_mut().enumerate() {
                if round % 2 == 0 || rng.random_range(0..3) > 0 {
                    let chosen = rng.random_range(0..pool.dim().0);
                    planes.index_axis_mut(Axis(0), slot).assign(&pool.index_axis(Axis(0), chosen));
                    *place = Some(chosen);
                }
            }
            let (policy, value) = frozen.infer(planes.view());
            for (slot, place) in places.into_iter().enumerate() {
                let Some(place) = place else { continue };
                let answer: Vec<u32> = policy.row(slot).iter().chain(value.row(slot)).map(|logit| logit.to_bits()).collect();
                let first = known[place].get_or_insert_with(|| answer.clone());
                assert_eq!(*first, answer, "{}: position {place} in slot {slot} of {batch}", game.facts().id);
            }
        }
    }
}

#[test]
fn answers_are_the_same_in_every_slot_of_tic_tac_toe() {
    answers_are_the_same_in_every_slot(TicTacToe::new(), 32, 2);
}

#[test]
fn answers_are_the_same_in_every_slot_of_connect_four() {
    answers_are_the_same_in_every_slot(ConnectFour::new(), 32, 2);
}

#[test]
fn answers_are_the_same_in_every_slot_of_odd_sizes() {
    answers_are_the_same_in_every_slot(ConnectFour::new(), 7, 1);
    answers_are_the_same_in_every_slot(Race::new(), 5, 1);
}

#[test]
fn answers_are_the_same_on_every_thread() {
    let game = Arc::new(ConnectFour::new());
    let shape = architecture(game.facts(), 8, 1);
    let mut frozen = Frozen::new(&seasoned(&shape, 3), &shape, 16, &cpu());
    let planes = encoded(game.as_ref(), &positions(&game, 16));
    let expected = frozen.infer(planes.view());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..8).for_each(|_| assert!(frozen.clone().infer(planes.view()) == expected)));
        }
    });
}

/// How far training may be off: what is exact, or the rounding of the kernel of this process.
fn in_training(exact: f64) -> f64 {
    if Kernel::of_process().unwrap().rounds() { 2e-2 } else { exact }
}

/// The shape, and others of the same sizes that do without normalisation or have more heads.
fn variants(shape: &Architecture) -> [Architecture; 4] {
    let with = |norm, policy_hidden, auxiliary: &[Auxiliary]| {
        let network = NetworkConfig { norm, policy_hidden, auxiliary: auxiliary.to_vec(), ..shape.network.clone() };
        Architecture { network, ..shape.clone() }
    };
    [
        shape.clone(),
        with(Norm::None, 0, &[]),
        with(Norm::Batch, 7, &[Auxiliary::Reply]),
        with(Norm::None, 20, &[Auxiliary::Reply, Auxiliary::PliesLeft]),
    ]
}

fn compare_with_reference<G: Game>(game: G, blocks: usize) {
    let game = Arc::new(game);
    for shape in variants(&architecture(game.facts(), 6, blocks)) {
        compare_shape_with_reference(&game, &shape);
    }
}

fn compare_shape_with_reference<G: Game>(game: &Arc<G>, shape: &Architecture) {
    let network = seasoned(shape, 11);
    let reference = Reference::of(&network);
    let planes = encoded(game.as_ref(), &positions(game, 9));
    let within = |limit: f64, found: &[f32], expected: &[f64]| {
        let distance = distance(found.iter().copied(), expected.iter().copied());
        assert!(distance < limit, "{shape:?}: {distance}");
    };
    let close = |found: &[f32], expected: &[f64]| within(1e-4, found, expected);

    let Passed { policy, value, .. } = reference.pass(planes.view(), false);
    let (logits, outputs) = network.forward(tensor(planes.view()));
    close(&numbers(logits), policy.as_slice().unwrap());
    close(&numbers(outputs), value.as_slice().unwrap());
    for kernel in Kernel::possible().into_iter().filter(|kernel| !kernel.rounds()) {
        let (logits, outputs) = Frozen::with_kernel(&network, shape, 9, kernel).unwrap().infer(planes.view());
        close(logits.as_slice().unwrap(), policy.as_slice().unwrap());
        close(outputs.as_slice().unwrap(), value.as_slice().unwrap());
    }

    // Without normalisation there is one network, in training as in play.
    let is_normalised = shape.network.norm == Norm::Batch;
    let expected = reference.pass(planes.view(), is_normalised);
    let close_in_training = |found: Tensor<2>, expected: &Array2<f64>| {
        within(in_training(1e-4), &numbers(found), expected.as_slice().unwrap());
    };
    let found = network.forward_train(tensor(planes.view()));
    close_in_training(found.policy, &expected.policy);
    close_in_training(found.value, &expected.value);
    for (head, found, expected) in
        [(Auxiliary::PliesLeft, found.plies_left, expected.plies_left), (Auxiliary::Reply, found.reply, expected.reply)]
    {
        assert_eq!((found.is_some(), expected.is_some()), (shape.network.has(head), shape.network.has(head)));
        found.into_iter().zip(expected).for_each(|(found, expected)| close_in_training(found, &expected));
    }
    assert_eq!(found.statistics.len(), if is_normalised { 3 + 2 * shape.network.blocks } else { 0 });
    for (found, [mean, variance]) in found.statistics.into_iter().zip(expected.measured) {
        within(in_training(1e-4), &numbers(found.mean), &mean);
        within(in_training(1e-4), &numbers(found.variance), &variance);
    }
}

#[test]
fn networks_and_their_frozen_forms_compute_what_the_paper_says() {
    compare_with_reference(TicTacToe::new(), 0);
    compare_with_reference(TicTacToe::new(), 2);
    compare_with_reference(ConnectFour::new(), 1);
    compare_with_reference(Race::new(), 1);
}

#[test]
fn running_statistics_move_towards_the_mean_of_the_passes() {
    let game = Arc::new(TicTacToe::new());
    let network = seasoned(&architecture(game.facts(), 4, 1), 5);
    let before = Reference::of(&network);
    let planes = encoded(game.as_ref(), &positions(&game, 10));
    let parts: [ArrayView4<f32>; 2] = planes.view().split_at(Axis(0), 4).into();
    let measured = parts.map(|part| before.pass(part, true).measured);
    let passes: Vec<Vec<BatchStatistics>> = parts.iter().map(|part| network.forward_train(tensor(*part)).statistics).collect();
    let after = Reference::of(&network.with_statistics(&passes, 0.25));
    for (at, layer) in ["stem", "blocks.0.first", "blocks.0.second", "policy_conv", "value_conv"].iter().enumerate() {
        for (kind, name) in ["running_mean", "running_variance"].iter().enumerate() {
            let name = format!("{layer}.{name}");
            let fresh = measured[0][at][kind].iter().zip(&measured[1][at][kind]).map(|(a, b)| f64::midpoint(*a, *b));
            let expected = before.vector(&name).iter().zip(fresh).map(|(old, new)| 0.75 * old + 0.25 * new);
            let found = after.vector(&name).iter().map(|&number| number as f32);
            assert!(distance(found, expected) < in_training(1e-5), "{name}");
        }
    }
    let kept = |name: &&String| !name.contains("running");
    for name in before.0.keys().filter(kept) {
        assert_eq!(before.0[name], after.0[name], "{name} must not change");
    }
}

#[test]
fn a_fresh_network_is_a_function_of_its_seed() {
    for (facts, blocks) in [(TicTacToe::new().facts(), 2), (ConnectFour::new().facts(), 0), (Race::new().facts(), 3)] {
        for shape in variants(&architecture(facts, 6, blocks)) {
            let network = Network::new(&shape, 4, &cpu());
            let parameters = Reference::of(&network).0;
            assert_eq!(parameters, Reference::of(&Network::new(&shape, 4, &cpu())).0);
            let other = Reference::of(&Network::new(&shape, 5, &cpu())).0;
            for (name, values) in &parameters {
                let is_drawn = name.ends_with("weight");
                assert_eq!(is_drawn, *values != other[name], "{name}");
            }
            let count: usize = parameters.values().map(|(_, values)| values.len()).sum();
            assert_eq!((network.parameters(), shape.parameters()), (count, count as u64));
        }
    }
}

#[test]
fn heads_of_training_alone_change_no_other_parameter() {
    let [plain, ..] = variants(&architecture(ConnectFour::new().facts(), 6, 2));
    let auxiliary = vec![Auxiliary::PliesLeft, Auxiliary::Reply];
    let more = Architecture { network: NetworkConfig { auxiliary, ..plain.network.clone() }, ..plain.clone() };
    let [plain, more] = [plain, more].map(|shape| Reference::of(&Network::new(&shape, 4, &cpu())).0);
    let new: Vec<&String> = more.keys().filter(|name| !plain.contains_key(*name)).collect();
    assert_eq!(new, ["plies_left.bias", "plies_left.weight", "reply.bias", "reply.weight"]);
    assert!(plain.iter().all(|(name, values)| more[name] == *values));
}

#[test]
fn a_shape_can_be_written_as_settings() {
    for shape in variants(&architecture(ConnectFour::new().facts(), 6, 2)) {
        let mut layers = Layers::base("shipped", include_str!("../configs/connect_four.toml")).unwrap();
        for (key, value) in shape.network.settings() {
            layers.set(&format!("network.{key}={value}")).unwrap();
        }
        assert_eq!(layers.read::<Config>().unwrap().network, shape.network);
    }
}

#[test]
fn an_average_is_what_it_is_by_hand() {
    let shape = architecture(TicTacToe::new().facts(), 4, 1);
    let (one, other) = (seasoned(&shape, 1), seasoned(&shape, 2));
    let [before, weights] = [&one, &other].map(|network| Reference::of(network).0);
    let after = Reference::of(&one.averaged_with(&other, 0.75)).0;
    assert_eq!(after.len(), before.len());
    for (name, (_, found)) in &after {
        let expected = before[name].1.iter().zip(&weights[name].1).map(|(before, weight)| 0.75 * before + 0.25 * weight);
        assert!(distance(found.iter().map(|&number| number as f32), expected) < 1e-6, "{name}");
    }
}

#[test]
fn a_fresh_network_knows_nothing() {
    let game = Arc::new(ConnectFour::new());
    let shape = architecture(game.facts(), 8, 2);
    let frozen = Frozen::new(&Network::new(&shape, 1, &cpu()), &shape, 8, &cpu());
    for found in evaluate(&game, frozen, &positions(&game, 30)) {
        let even = 1.0 / found.priors.len() as f32;
        assert!(found.priors.iter().all(|prior| (prior - even).abs() < 0.1), "{:?}", found.priors);
        assert!(found.payoff.of(Player::First).abs() < 0.3, "{:?}", found.payoff);
    }
}

#[test]
fn the_policy_loss_is_the_cross_entropy_over_legal_moves() {
    let (logits, legal, target) = ([2.0f32, -1.0, 0.5, 9.0], [1.0, 1.0, 1.0, 0.0], [0.5, 0.25, 0.25, 0.0]);
    let partition: f64 = logits[..3].iter().map(|logit| f64::from(*logit).exp()).sum();
    let shares: Vec<f64> = logits[..3].iter().map(|logit| f64::from(*logit).exp() / partition).collect();
    let expected: f64 = -target.iter().zip(&shares).map(|(target, share)| f64::from(*target) * share.ln()).sum::<f64>();

    let input = row(&logits).require_grad();
    let loss = loss::policy_cross_entropy(input.clone(), row(&legal), row(&target));
    assert!(distance(numbers(loss.clone()), [expected]) < 1e-6);
    let gradient = numbers(input.grad(&loss.backward()).unwrap());
    let by_hand = shares.iter().zip(target).map(|(share, target)| share - f64::from(target));
    assert!(distance(gradient[..3].iter().copied(), by_hand) < 1e-6, "{gradient:?}");
    assert_eq!(gradient[3], 0.0, "an illegal move has no gradient");

    // A batch is a mean; what a network says of illegal moves makes no difference.
    let twice = |illegal: f32| {
        let logits = [2.0, -1.0, 0.5, illegal, 7.0, illegal, illegal, 8.0];
        let of = |values: [f32; 8]| Tensor::<2>::from_data(TensorData::new(values.to_vec(), [2, 4]), &cpu());
        let legal = of([1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        numbers(loss::policy_cross_entropy(of(logits), legal, of([0.5, 0.25, 0.25, 0.0, 1.0, 0.0, 0.0, 0.0])))
    };
    let second = (1.0 + 1f64.exp()).ln();
    assert!(distance(twice(9.0), [f64::midpoint(expected, second)]) < 1e-6);
    assert_eq!(twice(9.0), twice(-1e30));
    assert_eq!(twice(9.0), twice(1e30));
}

#[test]
fn extreme_logits_give_no_nan() {
    for extreme in [1e2, 1e4, 1e8] {
        for logits in [[extreme, -extreme, 0.0], [-extreme, -extreme, extreme], [-extreme, extreme, extreme]] {
            let input = row(&logits).require_grad();
            let policy = loss::policy_cross_entropy(input.clone(), row(&[1.0, 1.0, 0.0]), row(&[0.5, 0.5, 0.0]));
            let wdl = loss::value_loss(ValueHead::Wdl, input.clone(), row(&[0.25, 0.5, 0.25]));
            let utilities = loss::value_loss(ValueHead::Utilities, input.clone(), row(&[1.0, -1.0, 0.5]));
            for loss in [policy, wdl, utilities] {
                assert!(numbers(loss.clone())[0].is_finite(), "{logits:?}");
                let gradient = numbers(input.grad(&loss.backward()).unwrap());
                assert!(gradient.iter().all(|number| number.is_finite()), "{logits:?}: {gradient:?}");
            }
        }
    }
    // Where all legal logits are far below any other, the legal moves still share everything.
    let loss = loss::policy_cross_entropy(row(&[-1e6, -1e6, 1e6]), row(&[1.0, 1.0, 0.0]), row(&[0.5, 0.5, 0.0]));
    assert!(distance(numbers(loss), [2f64.ln()]) < 1e-6);
}

#[test]
fn value_losses_are_what_they_are_by_hand() {
    let of = |values: &[f32], columns: usize| -> Tensor<2> {
        Tensor::from_data(TensorData::new(values.to_vec(), [values.len() / columns, columns]), &cpu())
    };
    let wdl = loss::value_loss(ValueHead::Wdl, of(&[1.0, 0.0, -1.0, 0.0, 0.0, 0.0], 3), of(&[1.0, 0.0, 0.0, 0.0, 0.5, 0.5], 3));
    let first = (1f64.exp() + 1.0 + (-1f64).exp()).ln() - 1.0;
    assert!(distance(numbers(wdl), [f64::midpoint(first, 3f64.ln())]) < 1e-6);
    let utilities = loss::value_loss(ValueHead::Utilities, of(&[0.5, -2.0, 0.0, 1.0], 2), of(&[1.0, -0.5, 0.0, 0.25], 2));
    let errors = [0.5f64.tanh() - 1.0, (-2f64).tanh() + 0.5, 0.0, 1f64.tanh() - 0.25];
    assert!(distance(numbers(utilities), [errors.iter().map(|error| error * error).sum::<f64>() / 4.0]) < 1e-6);
    let known = loss::squared_error(of(&[0.5, -2.0, 7.0], 1), of(&[0.25, 0.0, 0.0], 1), of(&[1.0, 1.0, 0.0], 1));
    assert!(distance(numbers(known), [(0.0625 + 4.0) / 3.0]) < 1e-6);
}

/// Makes a network say the same of every position.
struct Constant<'a> {
    path: Vec<String>,
    policy: &'a [f32],
    value: &'a [f32],
}

impl ModuleMapper for Constant<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let shape = param.val().dims();
        let zeros = vec![0.0; shape.iter().product()];
        let values = match self.path.join(".").as_str() {
            "policy.weight" | "value.weight" => zeros,
            "policy.bias" => self.policy.to_vec(),
            "value.bias" => self.value.to_vec(),
            _ => return param,
        };
        param.map(|old| Tensor::from_data(TensorData::new(values, shape), &old.device()))
    }
}

fn constant(shape: &Architecture, policy: &[f32], value: &[f32]) -> Frozen {
    let network = seasoned(shape, 2).map(&mut Constant { path: Vec::new(), policy, value });
    Frozen::new(&network, shape, 4, &cpu())
}

fn evaluate<G: Game>(game: &Arc<G>, network: Frozen, leaves: &[G::State]) -> Vec<Evaluation> {
    let mut out = Vec::new();
    NetworkEvaluator::new(game, network).evaluate(leaves, &mut out);
    assert_eq!(out.len(), leaves.len());
    out
}

fn legal<G: Game>(game: &G, state: &G::State) -> Vec<Action> {
    let mut actions = Vec::new();
    game.actions(state, &mut actions);
    actions
}

/// Checks every evaluation against what a network that says the same everywhere must mean by it.
fn assert_meaning<G: Game>(game: &Arc<G>, policy: &[f32], value: &[f32], for_mover: [f32; 2]) {
    let leaves = positions(game, 23);
    let mut movers = Vec::new();
    for (leaf, found) in leaves.iter().zip(evaluate(game, constant(&architecture(game.facts(), 3, 1), policy, value), &leaves)) {
        let mover = mover(game.as_ref(), leaf).unwrap();
        movers.push(mover);
        let [own, other] = [found.payoff.of(mover), found.payoff.of(mover.other())];
        assert!((own - for_mover[0]).abs() < 1e-6 && (other - for_mover[1]).abs() < 1e-6, "{mover:?}: {:?}", found.payoff);
        // Chances belong to heads of three outputs, and say the same as the utilities.
        assert_eq!(found.chances.is_some(), value.len() == 3);
        if let Some(Chances { win, draw, loss }) = found.chances {
            assert!(distance([win, draw, loss].into_iter(), value.iter().map(|logit| f64::from(logit.exp()))) < 1e-6);
        }
        let weights: Vec<f64> = legal(game.as_ref(), leaf).iter().map(|action| f64::from(policy[action.index()]).exp()).collect();
        let total: f64 = weights.iter().sum();
        assert_eq!(found.priors.len(), weights.len());
        assert!(distance(found.priors.iter().copied(), weights.iter().map(|weight| weight / total)) < 1e-6);
        assert!((found.priors.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
    assert!(Player::BOTH.iter().all(|player| movers.contains(player)), "both must have been to move");
}

#[test]
fn win_draw_and_loss_are_the_movers_and_priors_are_of_legal_moves() {
    let value = [0.7f32, 0.2, 0.1].map(f32::ln);
    assert_meaning(&Arc::new(ConnectFour::new()), &[0.0, 1.0, -1.0, 2.0, 30.0, -30.0, 0.5], &value, [0.6, -0.6]);
    let policy: Vec<f32> = (0..9).map(|action| action as f32 / 4.0).collect();
    assert_meaning(&Arc::new(TicTacToe::new()), &policy, &value, [0.6, -0.6]);
}

#[test]
fn utilities_are_the_movers_first() {
    assert_meaning(&Arc::new(Race::new()), &[0.5, -0.5, 3.0], &[0.5f32.atanh(), (-0.25f32).atanh()], [0.5, -0.25]);
}

fn evaluations_follow_the_network<G: Game>(game: G) {
    let game = Arc::new(game);
    let shape = architecture(game.facts(), 6, 1);
    let network = seasoned(&shape, 13);
    let leaves = positions(&game, 21);
    let frozen = Frozen::with_kernel(&network, &shape, 8, Kernel::Portable).unwrap();
    let found = evaluate(&game, frozen.clone(), &leaves);
    let mut alone = NetworkEvaluator::new(&game, frozen);
    let Passed { policy, value, .. } = Reference::of(&network).pass(encoded(game.as_ref(), &leaves).view(), false);
    let soft = |logits: Vec<f64>| {
        let total: f64 = logits.iter().map(|logit| logit.exp()).sum();
        logits.into_iter().map(|logit| logit.exp() / total).collect::<Vec<_>>()
    };
    for (at, (leaf, found)) in leaves.iter().zip(found).enumerate() {
        assert_eq!(alone.evaluate_one(leaf), found, "company must not matter");
        let priors = soft(legal(game.as_ref(), leaf).iter().map(|action| policy[(at, action.index())]).collect());
        assert!(distance(found.priors.iter().copied(), priors) < 1e-4);
        let for_mover = match shape.value {
            ValueHead::Wdl => {
                let chances = soft(value.row(at).to_vec());
                [chances[0] - chances[2], chances[2] - chances[0]]
            }
            ValueHead::Utilities => [value[(at, 0)].tanh(), value[(at, 1)].tanh()],
        };
        let mover = mover(game.as_ref(), leaf).unwrap();
        let seen = [found.payoff.of(mover), found.payoff.of(mover.other())];
        assert!(seen.iter().zip(for_mover).all(|(seen, expected)| (f64::from(*seen) - expected).abs() < 1e-4));
    }
}

#[test]
fn evaluations_follow_the_network_in_order_and_over_several_batches() {
    evaluations_follow_the_network(TicTacToe::new());
    evaluations_follow_the_network(ConnectFour::new());
    evaluations_follow_the_network(Race::new());
}

#[test]
fn a_network_that_overflows_is_still_an_evaluator() {
    let game = Arc::new(TicTacToe::new());
    let shape = architecture(game.facts(), 3, 0);
    for found in evaluate(&game, constant(&shape, &[f32::MAX; 9], &[f32::MAX, -f32::MAX, 0.0]), &positions(&game, 5)) {
        assert!((found.priors.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(found.payoff != Payoff::DRAW && found.payoff.of(Player::First).abs() == 1.0);
    }
}
