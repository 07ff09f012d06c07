//! Inference on the CPU, by matrix products of the host: a convolution gathers, for each cell, its neighbourhood into a row
//! (im2col; Chellapilla, Puri and Simard 2006) and multiplies by a matrix of weights. On small boards that takes about half the time
//! of burn's own convolutions, and each row is computed alike, so that a position's answer depends on nothing beside it.
//!
//! Activations are `[batch * cells, channels]`, row-major. Cost: two floating-point operations a weight and cell.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayView4, ArrayViewMut2};

use super::Architecture;
use super::fold::{self, Folded};
use super::frozen::Form;

/// The side of a neighbourhood.
const SIDE: usize = 3;
const TAPS: usize = SIDE * SIDE;

/// A folded network with its weights laid out for matrix products.
#[derive(Debug)]
pub(super) struct Host {
    neighbours: Neighbours,
    stem: Product,
    blocks: Vec<[Product; 2]>,
    policy_conv: Product,
    policy: Product,
    value_conv: Product,
    value_hidden: Product,
    value: Product,
}

/// `x * weight + bias`.
#[derive(Debug)]
struct Product {
    /// `[in, out]`
    weight: Array2<f32>,
    bias: Vec<f32>,
}

/// For each cell, which cells surround it, row by row; none beyond the edge.
#[derive(Debug)]
struct Neighbours(Vec<[Option<usize>; TAPS]>);

impl Host {
    pub(super) fn new(folded: &Folded, architecture: &Architecture) -> Self {
        let [_, height, width] = architecture.planes;
        let cells = architecture.cells();
        Self {
            neighbours: Neighbours::new(height, width),
            stem: Product::conv(&folded.stem),
            blocks: folded.blocks.iter().map(|[first, second]| [Product::conv(first), Product::conv(second)]).collect(),
            policy_conv: Product::conv(&folded.policy_conv),
            policy: Product::dense(&folded.policy, cells),
            value_conv: Product::conv(&folded.value_conv),
            value_hidden: Product::dense(&folded.value_hidden, cells),
            value: Product::dense(&folded.value, 1),
        }
    }

    fn convolve(&self, kernel: &Product, x: &[f32], gathered: &mut Vec<f32>) -> Vec<f32> {
        self.neighbours.gather(x, kernel.weight.nrows() / TAPS, gathered);
        kernel.apply(gathered)
    }
}

impl Form for Host {
    fn infer(&self, planes: ArrayView4<f32>) -> (Vec<f32>, Vec<f32>) {
        // Channels last: what a cell needs of a neighbour lies together.
        let x: Vec<f32> = planes.permuted_axes([0, 2, 3, 1]).iter().copied().collect();
        let mut gathered = Vec::new();
        let mut x = relu(self.convolve(&self.stem, &x, &mut gathered));
        for [first, second] in &self.blocks {
            let y = relu(self.convolve(first, &x, &mut gathered));
            let mut sum = self.convolve(second, &y, &mut gathered);
            sum.iter_mut().zip(&x).for_each(|(sum, x)| *sum += x);
            x = relu(sum);
        }
        let policy = self.policy.apply(&relu(self.policy_conv.apply(&x)));
        let hidden = relu(self.value_hidden.apply(&relu(self.value_conv.apply(&x))));
        (policy, self.value.apply(&hidden))
    }
}

impl Product {
    /// A convolution: its weights `[out, in, side, side]` become `[side * side * in, out]`.
    fn conv(layer: &fold::Layer<4>) -> Self {
        let [outputs, inputs, height, width] = layer.shape;
        let taps = height * width;
        let at = |(row, output): (usize, usize)| layer.weight[(output * inputs + row % inputs) * taps + row / inputs];
        Self { weight: Array2::from_shape_fn((taps * inputs, outputs), at), bias: layer.bias.clone() }
    }

    /// A linear layer: where burn flattens `[channels, cells]`, rows here are `[cells, channels]`.
    fn dense(layer: &fold::Layer<2>, cells: usize) -> Self {
        let [inputs, outputs] = layer.shape;
        let channels = inputs / cells;
        let at = |(row, output): (usize, usize)| layer.weight[(row % channels * cells + row / channels) * outputs + output];
        Self { weight: Array2::from_shape_fn((inputs, outputs), at), bias: layer.bias.clone() }
    }

    fn apply(&self, x: &[f32]) -> Vec<f32> {
        let (inputs, outputs) = self.weight.dim();
        let rows = x.len() / inputs;
        let mut y = self.bias.repeat(rows);
        if let (Ok(x), Ok(mut y)) =
            (ArrayView2::from_shape((rows, inputs), x), ArrayViewMut2::from_shape((rows, outputs), &mut y))
        {
            general_mat_mul(1.0, &x, &self.weight, 1.0, &mut y);
        }
        y
    }
}

impl Neighbours {
    fn new(height: usize, width: usize) -> Self {
        let shifted = |at: usize, by: usize, size: usize| (at + by).checked_sub(1).filter(|&at| at < size);
        let neighbour = |cell: usize, tap: usize| {
            let row = shifted(cell / width, tap / SIDE, height)?;
            Some(row * width + shifted(cell % width, tap % SIDE, width)?)
        };
        Self((0..height * width).map(|cell| std::array::from_fn(|tap| neighbour(cell, tap))).collect())
    }

    /// Writes the neighbourhood of each row of `x` as a row of `out`, zeros beyond the edge.
    fn gather(&self, x: &[f32], channels: usize, out: &mut Vec<f32>) {
        out.resize(x.len() * TAPS, 0.0);
        let size = self.0.len() * channels;
        for (out, board) in out.chunks_exact_mut(size * TAPS).zip(x.chunks_exact(size)) {
            for (row, taps) in out.chunks_exact_mut(TAPS * channels).zip(&self.0) {
                for (to, tap) in row.chunks_exact_mut(channels).zip(taps) {
                    match tap {
                        Some(cell) => to.copy_from_slice(&board[cell * channels..][..channels]),
                        None => to.fill(0.0),
                    }
                }
            }
        }
    }
}

fn relu(mut x: Vec<f32>) -> Vec<f32> {
    x.iter_mut().for_each(|value| *value = value.max(0.0));
    x
}
