//! A layer without normalisation: `relu(gain * convolution + beta + residual)`, where `gain = gamma / sqrt(1 + epsilon)`; forwards, and backwards.
//!
//! Hypotheses: initial weights keep the variance of what goes through (He et al. 2015), and a block's last gamma is 0, so that it begins as the
//! identity (Goyal et al. 2017, 5.1; Zhang, Dauphin and Ma, "Fixup initialization: residual learning without normalization", 2019). It is batch
//! normalisation whose mean is 0 and whose variance is 1 for ever, so that the frozen network folds it alike.
//!
//! Cost: the three products. No direction needs all positions before it can go on, so nothing lies in memory between its two halves. The
//! gradient of the weights is the gain times the sums `S` of inputs times gradients that passed the rectifier; since a convolution's sum is
//! linear in its weights, that of gamma is their product with `S`, and the way back needs no sums of the way forward.

use super::super::aligned::Aligned;
use super::super::simd::Simd as _;
use super::norm::{Normalise, Pass, Total};
use super::passes::{By, cells};
use super::{Cells, Filter, Gradients, Layer, Products, Wanted};

impl<P: Products> By<P> {
    /// The output, `[positions, cells, outputs]`.
    pub(super) fn scale(&self, layer: &Layer, beta: &[f32], residual: Option<&[f32]>) -> Vec<f32> {
        let (products, inputs, channels) = (self.0, layer.filter.inputs(), layer.filter.outputs());
        let (pitch, weights) = (products.pitch(channels), products.pack(&layer.filter));
        let (mean, shift) = (vec![0.0; pitch], self.padded(beta.iter().copied(), channels));
        let scale = self.padded(gains(layer).into_iter(), channels);
        let mut output = vec![0.0; layer.cells() * channels];
        let (chunks, most) = Self::chunks(layer, pitch);
        let (mut rooms, mut room) = (P::Rooms::default(), Aligned::zeros(most * pitch));
        for chunk in chunks {
            let sums = &mut room.get_mut()[..chunk.len() * pitch];
            let input = Cells { numbers: &layer.input[cells(&chunk, inputs)], channels: inputs };
            products.convolve(&weights, layer.board, input, sums, &mut rooms);
            let (own, output) = (cells(&chunk, channels), &mut output[cells(&chunk, channels)]);
            let residual = residual.map(|residual| &residual[own]);
            let normalise = Normalise { cells: sums, mean: &mean, scale: &scale, shift: &shift, residual, output, channels };
            products.vectors().run(normalise);
        }
        output
    }

    /// The gradients of what went in; `gradient` is that of `output`.
    pub(super) fn scale_back(&self, layer: &Layer, mut gradient: Vec<f32>, output: &[f32], wanted: Wanted) -> Gradients {
        let (products, board) = (self.0, layer.board);
        let (inputs, channels) = (layer.filter.inputs(), layer.filter.outputs());
        let (pitch, input_pitch) = (products.pitch(channels), products.pitch(inputs));
        let (chunks, most) = Self::chunks(layer, pitch.max(input_pitch));
        let gains = gains(layer);
        let scaled = times_rows(layer.filter.weights, &gains);
        let turned = wanted.input.then(|| products.pack(&Filter { weights: &scaled, turned: true, ..layer.filter }));
        let mut back = Vec::with_capacity(if wanted.input { layer.cells() * inputs } else { 0 });
        let (mut sums, mut beta) = (products.gradient(layer.filter.side, inputs, channels), vec![0.0; pitch]);
        let mut rooms = P::Rooms::default();
        let (mut room, mut back_room) = (Aligned::zeros(most * pitch), Aligned::zeros(most * input_pitch));
        for chunk in &chunks {
            let passed = &mut room.get_mut()[..chunk.len() * pitch];
            let (gradient, output) = (&mut gradient[cells(chunk, channels)], &output[cells(chunk, channels)]);
            products.vectors().run(Pass { gradient, output, channels, passed, pitch });
            products.vectors().run(Total { cells: passed, totals: &mut beta });
            let from = Cells { numbers: &layer.input[cells(chunk, inputs)], channels: inputs };
            let to = Cells { numbers: passed, channels: pitch };
            products.accumulate(&mut sums, board, from, to, &mut rooms);
            if let Some(turned) = &turned {
                let own = &mut back_room.get_mut()[..chunk.len() * input_pitch];
                products.convolve(turned, board, to, own, &mut rooms);
                own.chunks_exact(input_pitch).for_each(|cell| back.extend_from_slice(&cell[..inputs]));
            }
        }
        let sums = products.unpack(&sums, channels);
        beta.truncate(channels);
        Gradients {
            input: wanted.input.then_some(back),
            residual: wanted.residual.then_some(gradient),
            weights: times_rows(&sums, &gains),
            gamma: products_of_rows(layer, &sums),
            beta,
        }
    }
}

/// The square root of the variance that is never measured.
fn deviation(layer: &Layer) -> f32 {
    (1.0 + layer.epsilon).sqrt()
}

/// What each output's sums are multiplied by.
fn gains(layer: &Layer) -> Vec<f32> {
    layer.gamma.iter().map(|gamma| gamma / deviation(layer)).collect()
}

/// The rows of a matrix times a number each.
fn times_rows(matrix: &[f32], factors: &[f32]) -> Vec<f32> {
    let rows = matrix.chunks_exact(matrix.len() / factors.len());
    rows.zip(factors).flat_map(|(row, factor)| row.iter().map(move |number| number * factor)).collect()
}

/// The gradient of gamma out of the sums of the weights' gradient, a row an output.
fn products_of_rows(layer: &Layer, sums: &[f32]) -> Vec<f32> {
    let row = sums.len() / layer.gamma.len();
    let rows = layer.filter.weights.chunks_exact(row).zip(sums.chunks_exact(row));
    rows.map(|(weights, sums)| weights.iter().zip(sums).map(|(weight, sum)| weight * sum).sum::<f32>() / deviation(layer))
        .collect()
}
