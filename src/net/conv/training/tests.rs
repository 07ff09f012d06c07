//! Layers by every kernel of this processor and by emulated tiles, against the same in f64 written out, whose gradients in turn are checked by
//! finite differences.

use super::{Board, By, Filter, Gradients, Known, Layer, Training, Vectors, Wanted};
use crate::net::conv::Kernel;
use crate::net::conv::amx::tests::{Numbers, emulated_training};
use crate::net::conv::portable::Portable;

const EPSILON: f32 = 1e-5;

/// A layer and what a test asks of it, in f64.
#[derive(Clone)]
struct Case {
    positions: usize,
    board: Board,
    inputs: usize,
    outputs: usize,
    side: usize,
    input: Vec<f64>,
    weights: Vec<f64>,
    gamma: Vec<f64>,
    beta: Vec<f64>,
    residual: Option<Vec<f64>>,
    /// The gradient of the output.
    gradient: Vec<f64>,
    /// Whether nothing is normalised.
    scaled: bool,
}

fn single(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|&number| number as f32).collect()
}

impl Case {
    /// The same layer without normalisation.
    fn scaled(self) -> Self {
        Self { scaled: true, ..self }
    }

    fn new(seed: u32, positions: usize, [height, width]: [usize; 2], [inputs, outputs]: [usize; 2], side: usize) -> Self {
        let mut numbers = Numbers(seed);
        let mut some = |count: usize, scale: f64| -> Vec<f64> { (0..count).map(|_| f64::from(numbers.next()) * scale).collect() };
        let cells = positions * height * width;
        Self {
            positions,
            board: Board { height, width },
            inputs,
            outputs,
            side,
            input: some(cells * inputs, 1.0),
            weights: some(outputs * inputs * side * side, 0.5),
            gamma: some(outputs, 1.5),
            beta: some(outputs, 0.5),
            residual: seed.is_multiple_of(2).then(|| some(cells * outputs, 1.0)),
            gradient: some(cells * outputs, 1.0),
            scaled: false,
        }
    }

    /// The cells under the taps of each cell: cell, tap, cell under it.
    fn taps(&self) -> Vec<(usize, usize, usize)> {
        let (Board { height, width }, reach) = (self.board, self.side / 2);
        let mut taps = Vec::new();
        for cell in 0..self.positions * height * width {
            let (position, row, column) = (cell / (height * width), cell / width % height, cell % width);
            for tap in 0..self.side * self.side {
                let (down, right) = (row + tap / self.side, column + tap % self.side);
                if (reach..height + reach).contains(&down) && (reach..width + reach).contains(&right) {
                    taps.push((cell, tap, (position * height + down - reach) * width + right - reach));
                }
            }
        }
        taps
    }

    fn weight(&self, output: usize, input: usize, tap: usize) -> usize {
        (output * self.inputs + input) * self.side * self.side + tap
    }

    /// Sums of the convolution, mean, variance, output.
    fn forward(&self) -> [Vec<f64>; 4] {
        let outputs = self.outputs;
        let cells = self.input.len() / self.inputs;
        let mut sums = vec![0.0; cells * outputs];
        for (cell, tap, under) in self.taps() {
            for (output, input) in (0..outputs).flat_map(|output| (0..self.inputs).map(move |input| (output, input))) {
                sums[cell * outputs + output] +=
                    self.weights[self.weight(output, input, tap)] * self.input[under * self.inputs + input];
            }
        }
        let (mean, variance) = if self.scaled { (vec![0.0; outputs], vec![1.0; outputs]) } else { self.statistics(&sums) };
        let output = sums.iter().enumerate().map(|(at, sum)| {
            let channel = at % outputs;
            let normed = (sum - mean[channel]) / (variance[channel] + f64::from(EPSILON)).sqrt();
            let added = self.residual.as_ref().map_or(0.0, |residual| residual[at]);
            (normed * self.gamma[channel] + self.beta[channel] + added).max(0.0)
        });
        let output = output.collect();
        [sums, mean, variance, output]
    }

    /// Mean and variance of sums.
    fn statistics(&self, sums: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (outputs, cells) = (self.outputs, sums.len() / self.outputs);
        let mean_of = |numbers: &[f64]| -> Vec<f64> {
            (0..outputs).map(|output| numbers.iter().skip(output).step_by(outputs).sum::<f64>() / cells as f64).collect()
        };
        let mean = mean_of(sums);
        let distances: Vec<f64> = sums.iter().enumerate().map(|(at, sum)| (sum - mean[at % outputs]).powi(2)).collect();
        let variance = mean_of(&distances);
        (mean, variance)
    }

    /// The sum of the outputs times their gradients: what the gradients are gradients of.
    fn objective(&self) -> f64 {
        let [.., output] = self.forward();
        output.iter().zip(&self.gradient).map(|(output, gradient)| output * gradient).sum()
    }

    /// Gradients of input, residual, weights, gamma and beta.
    fn backward(&self) -> [Vec<f64>; 5] {
        let ([sums, mean, variance, output], outputs) = (self.forward(), self.outputs);
        let cells = sums.len() / outputs;
        let passed: Vec<f64> =
            output.iter().zip(&self.gradient).map(|(output, gradient)| if *output > 0.0 { *gradient } else { 0.0 }).collect();
        let deviation: Vec<f64> = variance.iter().map(|variance| (variance + f64::from(EPSILON)).sqrt()).collect();
        let normed = |at: usize| (sums[at] - mean[at % outputs]) / deviation[at % outputs];
        let (mut gamma, mut beta) = (vec![0.0; outputs], vec![0.0; outputs]);
        for (at, passed) in passed.iter().enumerate() {
            gamma[at % outputs] += passed * normed(at);
            beta[at % outputs] += passed;
        }
        let of_sums: Vec<f64> = passed
            .iter()
            .enumerate()
            .map(|(at, passed)| {
                let (channel, count) = (at % outputs, cells as f64);
                let measured = if self.scaled { 0.0 } else { beta[channel] / count + normed(at) * gamma[channel] / count };
                self.gamma[channel] / deviation[channel] * (passed - measured)
            })
            .collect();
        let (mut input, mut weights) = (vec![0.0; self.input.len()], vec![0.0; self.weights.len()]);
        for (cell, tap, under) in self.taps() {
            for (to, from) in (0..outputs).flat_map(|output| (0..self.inputs).map(move |input| (output, input))) {
                let (gradient, weight) = (of_sums[cell * outputs + to], self.weight(to, from, tap));
                input[under * self.inputs + from] += gradient * self.weights[weight];
                weights[weight] += gradient * self.input[under * self.inputs + from];
            }
        }
        [input, passed, weights, gamma, beta]
    }

    /// What a kernel is compared with: output, mean, variance; then the gradients. Nothing is measured where nothing is normalised.
    fn expected(&self) -> Vec<Vec<f64>> {
        let ([_, mean, variance, output], gradients) = (self.forward(), self.backward());
        let measured = if self.scaled { vec![Vec::new(), Vec::new()] } else { vec![mean, variance] };
        [vec![output], measured, gradients.to_vec()].concat()
    }

    /// The same by a kernel.
    fn by(&self, training: &dyn Training) -> Vec<Vec<f32>> {
        let (input, weights, gamma) = (single(&self.input), single(&self.weights), single(&self.gamma));
        let (beta, residual, gradient) = (single(&self.beta), self.residual.as_deref().map(single), single(&self.gradient));
        let filter = Filter { weights: &weights, shape: [self.outputs, self.inputs], side: self.side, turned: false };
        let layer = Layer { board: self.board, input: &input, filter, gamma: &gamma, epsilon: EPSILON };
        if self.scaled {
            return self.scaled_by(training, &layer, &beta, residual.as_deref());
        }
        let forward = training.forward(&layer, &beta, residual.as_deref());
        // The way back begins with what the reference found, so that a sum that was rounded to the other side of the rectifier tells nothing of it.
        let [sums, mean, variance, output] = self.forward().map(|numbers| single(&numbers));
        let pitch = forward.sums.len() / (sums.len() / self.outputs);
        let pad = |cell: &[f32]| cell.iter().copied().chain(std::iter::repeat(0.0)).take(pitch).collect::<Vec<_>>();
        let sums: Vec<f32> = sums.chunks(self.outputs).flat_map(pad).collect();
        let known = Known { gradient, output: &output, mean: &mean, variance: &variance, sums };
        let Gradients { input, residual, weights, gamma, beta } =
            training.backward(&layer, known, Wanted { input: true, residual: true });
        vec![forward.output, forward.mean, forward.variance, input.unwrap(), residual.unwrap(), weights, gamma, beta]
    }

    fn scaled_by(&self, training: &dyn Training, layer: &Layer, beta: &[f32], residual: Option<&[f32]>) -> Vec<Vec<f32>> {
        let output = training.scaled_forward(layer, beta, residual);
        let [.., known] = self.forward().map(|numbers| single(&numbers));
        let Gradients { input, residual, weights, gamma, beta } =
            training.scaled_backward(layer, single(&self.gradient), &known, Wanted { input: true, residual: true });
        vec![output, Vec::new(), Vec::new(), input.unwrap(), residual.unwrap(), weights, gamma, beta]
    }
}

/// The largest error of numbers that are not rounded, as a share of the largest number, and of those that are.
const EXACT: f64 = 2e-4;
const ROUNDED: f64 = 2e-2;

const NAMES: [&str; 8] = ["output", "mean", "variance", "input", "residual", "weights", "gamma", "beta"];

/// The largest difference, as a share of the largest number.
fn error(found: &[f32], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let scale = expected.iter().fold(1e-9, |most: f64, number| number.abs().max(most));
    found.iter().zip(expected).fold(0.0, |most: f64, (found, expected)| (f64::from(*found) - expected).abs().max(most)) / scale
}

impl std::fmt::Display for Case {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { positions, board, inputs, outputs, side, scaled, .. } = self;
        write!(formatter, "{positions} positions of {board:?}, {inputs} to {outputs} channels, {side}x{side}, scaled: {scaled}")
    }
}

/// Layers of all forms: boards of one row and one column, channels that fill no vector, positions that fill no part.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (at, (board, channels)) in [
        ([6, 7], [16, 16]),
        ([6, 7], [32, 64]),
        ([3, 3], [2, 5]),
        ([1, 1], [3, 4]),
        ([1, 9], [17, 33]),
        ([8, 1], [40, 8]),
        ([4, 6], [50, 50]),
        ([11, 11], [8, 20]),
        ([2, 2], [100, 7]),
    ]
    .into_iter()
    .enumerate()
    {
        for (side, positions) in [(3, 13), (1, 5)] {
            let case = Case::new((2 * at + positions % 2 + side % 3) as u32, positions, board, channels, side);
            cases.extend([case.clone(), case.scaled()]);
        }
    }
    cases
}

#[test]
fn gradients_written_out_are_those_of_finite_differences() {
    let (first, second) = (Case::new(4, 3, [3, 4], [2, 3], 3), Case::new(5, 4, [2, 3], [3, 2], 1));
    for mut case in [first.clone().scaled(), second.clone().scaled(), first, second] {
        let [input, residual, weights, gamma, beta] = case.backward();
        let (nudge, mut checked, has_residual) = (1e-6, 0, case.residual.is_some());
        let mut check = |expected: &[f64], of: fn(&mut Case) -> &mut Vec<f64>| {
            for (at, expected) in expected.iter().enumerate() {
                let before = of(&mut case)[at];
                of(&mut case)[at] = before + nudge;
                let above = case.objective();
                of(&mut case)[at] = before - nudge;
                let below = case.objective();
                of(&mut case)[at] = before;
                let found = (above - below) / (2.0 * nudge);
                assert!((found - expected).abs() < 1e-4 * expected.abs().max(1.0), "{found} is not {expected}");
                checked += 1;
            }
        };
        check(&input, |case| &mut case.input);
        check(&weights, |case| &mut case.weights);
        check(&gamma, |case| &mut case.gamma);
        check(&beta, |case| &mut case.beta);
        if has_residual {
            check(&residual, |case| case.residual.get_or_insert_default());
        }
        assert!(checked > 50);
    }
}

#[test]
fn every_kernel_computes_layers_and_their_gradients() {
    for case in cases() {
        let expected = case.expected();
        for kernel in Kernel::possible() {
            let found = case.by(&*kernel.training(true).unwrap());
            for ((found, expected), name) in found.iter().zip(&expected).zip(NAMES) {
                let off = error(found, expected);
                assert!(off < EXACT, "{name} by {}, exactly: {off}; {case}", kernel.name());
            }
            let found = case.by(&*kernel.training(false).unwrap());
            for ((found, expected), name) in found.iter().zip(&expected).zip(NAMES) {
                let (off, limit) = (error(found, expected), if kernel.rounds() { ROUNDED } else { EXACT });
                assert!(off < limit, "{name} by {}: {off}; {case}", kernel.name());
            }
        }
        if case.side == 3 {
            let found = case.by(&*emulated_training());
            for ((found, expected), name) in found.iter().zip(&expected).zip(NAMES) {
                assert!(error(found, expected) < ROUNDED, "{name} by emulated tiles: {}; {case}", error(found, expected));
            }
        }
    }
}

#[test]
fn numbers_that_are_none_are_not_hidden() {
    let mut case = Case::new(2, 2, [3, 3], [4, 4], 3);
    case.weights[7] = f64::NAN;
    for case in [case.clone(), case.scaled()] {
        assert!(case.by(&By(Vectors(Portable)))[0].iter().any(|number| number.is_nan()), "{case}");
    }
}
