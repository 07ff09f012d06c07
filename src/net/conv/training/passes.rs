//! The two directions of a layer, a few positions at a time.

use std::ops::Range;

use super::super::aligned::Aligned;
use super::super::simd::Simd as _;
use super::norm::{Differentiate, Normalise, Reduce, Spread, Total};
use super::{Cells, Filter, Forward, Gradients, Known, Layer, Products, Training, Wanted};

/// Computes layers by some products.
#[derive(Debug)]
pub(in crate::net) struct By<P>(pub(in crate::net) P);

/// What makes the gradient of a convolution's sum out of one that passed the rectifier, `[pitch]` each: see [`Differentiate`]. On the way to it lie
/// the gradients of gamma and beta.
struct Slopes {
    gain: Vec<f32>,
    constant: Vec<f32>,
    slope: Vec<f32>,
    gamma: Vec<f32>,
    beta: Vec<f32>,
}

impl<P: Products> Training for By<P> {
    fn forward(&self, layer: &Layer, beta: &[f32], residual: Option<&[f32]>) -> Forward {
        let (channels, cells) = (layer.filter.outputs(), layer.cells());
        let (sums, mean) = self.sums(layer);
        let variance = self.variance(layer, &sums, &mean);
        let scales = variance.iter().zip(layer.gamma).map(|(variance, gamma)| gamma / (variance + layer.epsilon).sqrt());
        let (scale, shift) = (self.padded(scales, channels), self.padded(beta.iter().copied(), channels));
        let mut output = vec![0.0; cells * channels];
        let into = &mut output;
        let normalise = Normalise { cells: &sums, mean: &mean, scale: &scale, shift: &shift, residual, output: into, channels };
        self.0.vectors().run(normalise);
        Forward { output, mean: mean[..channels].to_vec(), variance, sums }
    }

    fn backward(&self, layer: &Layer, known: Known, wanted: Wanted) -> Gradients {
        let (products, board) = (self.0, layer.board);
        let (inputs, channels) = (layer.filter.inputs(), layer.filter.outputs());
        let (pitch, input_pitch) = (products.pitch(channels), products.pitch(inputs));
        let (chunks, most) = Self::chunks(layer, pitch.max(input_pitch));
        let mean = self.padded(known.mean.iter().copied(), channels);
        let Slopes { gain, constant, slope, gamma, beta } = self.slopes(layer, &known, &mean, &chunks);
        let Known { mut gradient, output, mut sums, .. } = known;

        let turned = wanted.input.then(|| products.pack(&Filter { turned: true, ..layer.filter }));
        let mut weights = products.gradient(layer.filter.side, inputs, channels);
        // The gradients of the input take the place of the sums, which are not read again, where they fit.
        let mut elsewhere = (wanted.input && input_pitch != pitch).then(|| vec![0.0; layer.cells() * input_pitch]);
        let (mut rooms, mut room) = (P::Rooms::default(), Aligned::zeros(most * pitch));
        for chunk in &chunks {
            let of_sums = &mut room.get_mut()[..chunk.len() * pitch];
            products.vectors().run(Differentiate {
                gradient: &mut gradient[cells(chunk, channels)],
                output: &output[cells(chunk, channels)],
                cells: &sums[cells(chunk, pitch)],
                channels,
                mean: &mean,
                gain: &gain,
                constant: &constant,
                slope: &slope,
                sums: of_sums,
            });
            let from = Cells { numbers: &layer.input[cells(chunk, inputs)], channels: inputs };
            let to = Cells { numbers: of_sums, channels: pitch };
            products.accumulate(&mut weights, board, from, to, &mut rooms);
            if let Some(turned) = &turned {
                let back = &mut elsewhere.as_mut().unwrap_or(&mut sums)[cells(chunk, input_pitch)];
                products.convolve(turned, board, to, back, &mut rooms);
            }
        }
        let input = wanted.input.then(|| without_padding(elsewhere.unwrap_or(sums), input_pitch, inputs));
        let weights = products.unpack(&weights, channels);
        Gradients { input, residual: wanted.residual.then_some(gradient), weights, gamma, beta }
    }

    fn scaled_forward(&self, layer: &Layer, beta: &[f32], residual: Option<&[f32]>) -> Vec<f32> {
        self.scale(layer, beta, residual)
    }

    fn scaled_backward(&self, layer: &Layer, gradient: Vec<f32>, output: &[f32], wanted: Wanted) -> Gradients {
        self.scale_back(layer, gradient, output, wanted)
    }
}

impl<P: Products> By<P> {
    /// The cells of a layer a few whole positions at a time, where a cell takes so many numbers; and the most that go together.
    pub(super) fn chunks(layer: &Layer, pitch: usize) -> (Vec<Range<usize>>, usize) {
        let (board, cells) = (layer.board.cells(), layer.cells());
        let most = board * (P::TOGETHER / (board * pitch * size_of::<f32>())).max(1);
        ((0..cells).step_by(most).map(|start| start..(start + most).min(cells)).collect(), most)
    }

    /// Numbers for each channel and zeros for its padding.
    pub(super) fn padded(&self, numbers: impl Iterator<Item = f32>, channels: usize) -> Vec<f32> {
        let mut padded: Vec<f32> = numbers.take(channels).collect();
        padded.resize(self.0.pitch(channels), 0.0);
        padded
    }

    /// The sums of the convolution, `[cells, pitch]`, and their means, `[pitch]`.
    fn sums(&self, layer: &Layer) -> (Vec<f32>, Vec<f32>) {
        let (products, inputs) = (self.0, layer.filter.inputs());
        let (pitch, weights) = (products.pitch(layer.filter.outputs()), products.pack(&layer.filter));
        let (mut sums, mut totals) = (Vec::with_capacity(layer.cells() * pitch), vec![0.0; pitch]);
        let (chunks, most) = Self::chunks(layer, pitch);
        let (mut rooms, mut room) = (P::Rooms::default(), Aligned::zeros(most * pitch));
        for chunk in chunks {
            let own = &mut room.get_mut()[..chunk.len() * pitch];
            let input = Cells { numbers: &layer.input[cells(&chunk, inputs)], channels: inputs };
            products.convolve(&weights, layer.board, input, own, &mut rooms);
            products.vectors().run(Total { cells: own, totals: &mut totals });
            sums.extend_from_slice(own);
        }
        totals.iter_mut().for_each(|total| *total /= layer.cells() as f32);
        (sums, totals)
    }

    /// The variances of sums, `[outputs]`.
    fn variance(&self, layer: &Layer, sums: &[f32], mean: &[f32]) -> Vec<f32> {
        let (channels, mut totals) = (layer.filter.outputs(), vec![0.0; mean.len()]);
        for chunk in Self::chunks(layer, mean.len()).0 {
            let cells = &sums[cells(&chunk, mean.len())];
            self.0.vectors().run(Spread { cells, mean, totals: &mut totals });
        }
        totals.into_iter().take(channels).map(|total| total / layer.cells() as f32).collect()
    }

    /// The gradients of gamma and beta, and what they mean for those of the sums (Ioffe and Szegedy 2015, section 3).
    fn slopes(&self, layer: &Layer, known: &Known, mean: &[f32], chunks: &[Range<usize>]) -> Slopes {
        let (channels, share) = (layer.filter.outputs(), 1.0 / layer.cells() as f32);
        let (mut shift, mut scale) = (vec![0.0; mean.len()], vec![0.0; mean.len()]);
        for chunk in chunks {
            self.0.vectors().run(Reduce {
                gradient: &known.gradient[cells(chunk, channels)],
                output: &known.output[cells(chunk, channels)],
                cells: &known.sums[cells(chunk, mean.len())],
                channels,
                mean,
                shift: &mut shift,
                scale: &mut scale,
            });
        }
        let deviation: Vec<f32> = known.variance.iter().map(|variance| (variance + layer.epsilon).sqrt()).collect();
        let gamma: Vec<f32> = scale.iter().zip(&deviation).map(|(scale, deviation)| scale / deviation).collect();
        let gain: Vec<f32> = layer.gamma.iter().zip(&deviation).map(|(gamma, deviation)| gamma / deviation).collect();
        let constant = gain.iter().zip(&shift).map(|(gain, shift)| -gain * shift * share);
        let slope = gain.iter().zip(&gamma).zip(&deviation).map(|((gain, gamma), deviation)| -gain * gamma * share / deviation);
        let (constant, slope) = (self.padded(constant, channels), self.padded(slope, channels));
        shift.truncate(channels);
        Slopes { gain: self.padded(gain.into_iter(), channels), constant, slope, gamma, beta: shift }
    }
}

/// Where the numbers of some cells stand.
pub(super) fn cells(cells: &Range<usize>, channels: usize) -> Range<usize> {
    cells.start * channels..cells.end * channels
}

/// Cells without their padding.
fn without_padding(cells: Vec<f32>, pitch: usize, channels: usize) -> Vec<f32> {
    if pitch == channels { cells } else { cells.chunks_exact(pitch).flat_map(|cell| &cell[..channels]).copied().collect() }
}
