//! A layer in training: a convolution, batch normalisation, what is added, the rectifier; forwards, and backwards to the gradients of all that
//! went in. Positions go through a few at a time, so that what one product leaves the next finds in the cache; only normalisation, which
//! needs all of them, divides each direction in two.
//!
//! Activations are channels-last, `[positions, cells, channels]`. With a kernel that rounds, what goes into the products is rounded to bf16;
//! sums, normalisation and weights are f32.

mod gradient;
mod norm;
mod products;
#[cfg(test)]
mod tests;

pub(in crate::net) use products::{Cells, Products, Vectors};

use super::aligned::Aligned;
use super::simd::Simd;
use norm::{Differentiate, Normalise, Reduce, Sides, Spread, Total};

/// The size of a board.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Board {
    pub(in crate::net) height: usize,
    pub(in crate::net) width: usize,
}

impl Board {
    pub(in crate::net) fn cells(self) -> usize {
        self.height * self.width
    }
}

/// The weights of a convolution, `[shape[0], shape[1], side, side]`.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Filter<'a> {
    pub(in crate::net) weights: &'a [f32],
    pub(in crate::net) shape: [usize; 2],
    pub(in crate::net) side: usize,
    /// Whether it goes from outputs to inputs, which takes gradients back.
    pub(in crate::net) turned: bool,
}

impl Filter<'_> {
    pub(in crate::net) fn outputs(&self) -> usize {
        self.shape[usize::from(self.turned)]
    }

    pub(in crate::net) fn inputs(&self) -> usize {
        self.shape[usize::from(!self.turned)]
    }

    #[inline]
    pub(in crate::net) fn weight(&self, output: usize, input: usize, tap: usize) -> f32 {
        let taps = self.side * self.side;
        if self.turned {
            self.weights[(input * self.shape[1] + output) * taps + taps - 1 - tap]
        } else {
            self.weights[(output * self.shape[1] + input) * taps + tap]
        }
    }
}

/// What goes into a layer.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Layer<'a> {
    pub(in crate::net) board: Board,
    /// `[positions, cells, inputs]`
    pub(in crate::net) input: &'a [f32],
    pub(in crate::net) filter: Filter<'a>,
    /// `[outputs]`
    pub(in crate::net) gamma: &'a [f32],
}

/// What comes out of it.
#[derive(Debug)]
pub(in crate::net) struct Forward {
    /// `[positions, cells, outputs]`
    pub(in crate::net) output: Vec<f32>,
    /// `[outputs]`
    pub(in crate::net) mean: Vec<f32>,
    /// `[outputs]`
    pub(in crate::net) variance: Vec<f32>,
    /// The convolution's sums, for the way back: `[positions, cells, pitch]`.
    pub(in crate::net) sums: Vec<f32>,
}

/// What is known of a layer on the way back.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Known<'a> {
    /// The gradient of the output.
    pub(in crate::net) gradient: &'a [f32],
    pub(in crate::net) output: &'a [f32],
    pub(in crate::net) mean: &'a [f32],
    pub(in crate::net) variance: &'a [f32],
    pub(in crate::net) sums: &'a [f32],
}

/// The gradients of what went into a layer.
#[derive(Debug)]
pub(in crate::net) struct Gradients {
    /// Of the input, where it was asked for.
    pub(in crate::net) input: Option<Vec<f32>>,
    /// Of what was added, where it was asked for.
    pub(in crate::net) residual: Option<Vec<f32>>,
    pub(in crate::net) weights: Vec<f32>,
    pub(in crate::net) gamma: Vec<f32>,
    pub(in crate::net) beta: Vec<f32>,
}

/// What computes layers in training.
pub(in crate::net) trait Training: std::fmt::Debug {
    /// `relu(norm(convolution) + residual)`, where `epsilon` is added to variances.
    fn forward(&self, layer: &Layer, beta: &[f32], residual: Option<&[f32]>, epsilon: f32) -> Forward;

    /// The gradients of everything; those of the input and of the residual if asked for.
    fn backward(&self, layer: &Layer, known: &Known, epsilon: f32, input: bool, residual: bool) -> Gradients;
}

/// Computes layers by some products.
#[derive(Debug)]
pub(in crate::net) struct By<P>(pub(in crate::net) P);

impl<P: Products> By<P> {
    /// Positions that go together, where a cell has so many numbers.
    fn together(board: Board, pitch: usize) -> usize {
        (P::TOGETHER / (board.cells() * pitch * size_of::<f32>())).max(1)
    }

    /// Numbers for each channel and zeros for its padding.
    fn padded(&self, numbers: impl Iterator<Item = f32>, channels: usize) -> Vec<f32> {
        let mut padded: Vec<f32> = numbers.take(channels).collect();
        padded.resize(self.0.pitch(channels), 0.0);
        padded
    }
}

impl<P: Products> Training for By<P> {
    fn forward(&self, layer: &Layer, beta: &[f32], residual: Option<&[f32]>, epsilon: f32) -> Forward {
        let (products, vectors, board) = (self.0, self.0.vectors(), layer.board);
        let (inputs, channels) = (layer.filter.inputs(), layer.filter.outputs());
        let (pitch, cells) = (products.pitch(channels), layer.input.len() / inputs);
        let weights = products.pack(&layer.filter);
        let (together, mut rooms) = (Self::together(board, pitch), P::Rooms::default());
        let mut chunk = Aligned::zeros(together * board.cells() * pitch);
        let (mut sums, mut totals) = (Vec::with_capacity(cells * pitch), vec![0.0; pitch]);
        for input in layer.input.chunks(together * board.cells() * inputs) {
            let chunk = &mut chunk.get_mut()[..input.len() / inputs * pitch];
            products.convolve(&weights, board, Cells { numbers: input, channels: inputs }, chunk, &mut rooms);
            vectors.run(Total { cells: chunk, totals: &mut totals });
            sums.extend_from_slice(chunk);
        }
        let share = 1.0 / cells as f32;
        let mean: Vec<f32> = totals.iter().map(|total| total * share).collect();
        totals.fill(0.0);
        for cells in sums.chunks(together * board.cells() * pitch) {
            vectors.run(Spread { cells, mean: &mean, totals: &mut totals });
        }
        let variance: Vec<f32> = totals.iter().take(channels).map(|total| total * share).collect();
        let scale =
            self.padded(variance.iter().zip(layer.gamma).map(|(variance, gamma)| gamma / (variance + epsilon).sqrt()), channels);
        let shift = self.padded(beta.iter().copied(), channels);
        let mut output = vec![0.0; cells * channels];
        let (mean_of, output_of) = (&mean, &mut output);
        vectors.run(Normalise {
            cells: &sums,
            mean: mean_of,
            scale: &scale,
            shift: &shift,
            residual,
            output: output_of,
            channels,
        });
        Forward { output, mean: mean[..channels].to_vec(), variance, sums }
    }

    fn backward(&self, layer: &Layer, known: &Known, epsilon: f32, input: bool, residual: bool) -> Gradients {
        let (products, vectors, board) = (self.0, self.0.vectors(), layer.board);
        let (inputs, channels) = (layer.filter.inputs(), layer.filter.outputs());
        let (pitch, cells) = (products.pitch(channels), layer.input.len() / inputs);
        let together = Self::together(board, pitch.max(products.pitch(inputs)));
        let mean = self.padded(known.mean.iter().copied(), channels);
        let parts = |number: usize, of: usize| number * together * board.cells() * of;
        let sides = |from: usize, to: usize| Sides {
            gradient: &known.gradient[from * channels..to * channels],
            output: &known.output[from * channels..to * channels],
            cells: &known.sums[from * pitch..to * pitch],
            mean: &mean,
            channels,
        };
        let chunks: Vec<(usize, usize)> = (0..cells.div_ceil(together * board.cells()))
            .map(|number| (parts(number, 1), parts(number + 1, 1).min(cells)))
            .collect();

        let (mut shift, mut scale) = (vec![0.0; pitch], vec![0.0; pitch]);
        for &(from, to) in &chunks {
            vectors.run(Reduce { sides: sides(from, to), shift: &mut shift, scale: &mut scale });
        }
        let deviation: Vec<f32> = known.variance.iter().map(|variance| (variance + epsilon).sqrt()).collect();
        let gamma: Vec<f32> = scale.iter().zip(&deviation).map(|(scale, deviation)| scale / deviation).collect();
        let gain = self.padded(layer.gamma.iter().zip(&deviation).map(|(gamma, deviation)| gamma / deviation), channels);
        let share = 1.0 / cells as f32;
        let constant = self.padded(gain.iter().zip(&shift).map(|(gain, shift)| -gain * shift * share), channels);
        let slopes = gain.iter().zip(&gamma).zip(&deviation);
        let slope = self.padded(slopes.map(|((gain, gamma), deviation)| -gain * gamma * share / deviation), channels);

        let turned = input.then(|| products.pack(&Filter { turned: true, ..layer.filter }));
        let mut weights = products.gradient(layer.filter.side, inputs, channels);
        let mut passed = residual.then(|| vec![0.0; cells * channels]);
        let mut back = Vec::with_capacity(if input { cells * inputs } else { 0 });
        let back_pitch = products.pitch(inputs);
        let (mut rooms, mut chunk) = (P::Rooms::default(), Aligned::zeros(together * board.cells() * pitch));
        let mut back_chunk = Aligned::zeros(together * board.cells() * back_pitch);
        for &(from, to) in &chunks {
            let sums = &mut chunk.get_mut()[..(to - from) * pitch];
            let passed = passed.as_deref_mut().map(|passed| &mut passed[from * channels..to * channels]);
            let (gain, constant, slope) = (&gain, &constant, &slope);
            vectors.run(Differentiate { sides: sides(from, to), gain, constant, slope, sums, passed });
            let output = Cells { numbers: sums, channels: pitch };
            let into = Cells { numbers: &layer.input[from * inputs..to * inputs], channels: inputs };
            products.accumulate(&mut weights, board, into, output, &mut rooms);
            if let Some(turned) = &turned {
                let sums = &mut back_chunk.get_mut()[..(to - from) * back_pitch];
                products.convolve(turned, board, output, sums, &mut rooms);
                if back_pitch == inputs {
                    back.extend_from_slice(sums);
                } else {
                    sums.chunks_exact(back_pitch).for_each(|cell| back.extend_from_slice(&cell[..inputs]));
                }
            }
        }
        let (weights, beta) = (products.unpack(&weights, channels), shift[..channels].to_vec());
        Gradients { input: input.then_some(back), residual: passed, weights, gamma, beta }
    }
}
