//! The three products of a convolution in training: its sums, the gradient of its inputs, the gradient of its weights.

use super::super::aligned::Aligned;
use super::super::convolution::{self, Convolution};
use super::super::simd::{Round, Simd};
use super::gradient::{self, Gradient, Group, Groups};
use super::{Board, Filter};

/// What computes them, for some positions at a time.
pub(in crate::net) trait Products: Copy + Send + Sync + std::fmt::Debug + 'static {
    /// Vectors for all other work.
    type Vectors: Simd<Word = f32>;
    /// A filter, packed.
    type Weights;
    /// Sums of a filter's weights.
    type Gradient;
    /// Room to compute, reused from call to call.
    type Rooms: Default;

    /// Bytes of the sums of the positions that go through a layer together.
    const TOGETHER: usize;

    /// The vectors.
    fn vectors(self) -> Self::Vectors;

    /// The channels of a cell with the padding that [`Products::convolve`] writes.
    fn pitch(self, channels: usize) -> usize;

    /// A filter in the order in which the products read it.
    fn pack(self, filter: &Filter) -> Self::Weights;

    /// The sums, `[positions, cells, pitch]`, of `input`, `[positions, cells, channels]` of which the filter reads the first.
    fn convolve(self, weights: &Self::Weights, board: Board, input: Cells, sums: &mut [f32], rooms: &mut Self::Rooms);

    /// Zeros for a layer.
    fn gradient(self, side: usize, inputs: usize, outputs: usize) -> Self::Gradient;

    /// Adds to the sums of a gradient what some positions bring: their inputs, and the gradients of their outputs, padded.
    fn accumulate(self, gradient: &mut Self::Gradient, board: Board, input: Cells, output: Cells, rooms: &mut Self::Rooms);

    /// The sums as `[outputs, inputs, side, side]`.
    fn unpack(self, gradient: &Self::Gradient, outputs: usize) -> Vec<f32>;
}

/// The cells of some positions, `[positions, cells, channels]`.
#[derive(Clone, Copy)]
pub(in crate::net) struct Cells<'a> {
    pub(in crate::net) numbers: &'a [f32],
    pub(in crate::net) channels: usize,
}

impl<'a> Cells<'a> {
    pub(in crate::net) fn positions(self, board: Board) -> usize {
        self.numbers.len() / (board.cells() * self.channels)
    }

    /// The same with whole vectors of channels.
    pub(in crate::net) fn padded(self, lanes: usize, room: &'a mut Aligned<f32>) -> Cells<'a> {
        let channels = self.channels.next_multiple_of(lanes);
        if channels == self.channels {
            return self;
        }
        let cells = self.numbers.len() / self.channels;
        room.reserve(cells * channels);
        let to = &mut room.get_mut()[..cells * channels];
        for (to, from) in to.chunks_exact_mut(channels).zip(self.numbers.chunks_exact(self.channels)) {
            to[..self.channels].copy_from_slice(from);
            to[self.channels..].fill(0.0);
        }
        Cells { numbers: to, channels }
    }
}

/// By vectors.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Vectors<S: Simd>(pub(in crate::net) S);

/// Room of [`Vectors`].
#[derive(Debug)]
pub(in crate::net) struct Rooms<W> {
    padded: Aligned<f32>,
    words: Aligned<W>,
    inputs: Aligned<W>,
    gradients: Aligned<W>,
}

impl<W: Copy + Default> Default for Rooms<W> {
    fn default() -> Self {
        Self { padded: Aligned::zeros(0), words: Aligned::zeros(0), inputs: Aligned::zeros(0), gradients: Aligned::zeros(0) }
    }
}

impl<S: Simd> Products for Vectors<S> {
    type Vectors = S::Exact;
    type Weights = Convolution<S>;
    type Gradient = Gradient;
    type Rooms = Rooms<S::Word>;

    const TOGETHER: usize = 48 << 10;

    fn vectors(self) -> S::Exact {
        self.0.exact()
    }

    fn pitch(self, channels: usize) -> usize {
        channels.next_multiple_of(S::LANES)
    }

    fn pack(self, filter: &Filter) -> Convolution<S> {
        Convolution::new(filter.side, filter.inputs(), &vec![0.0; filter.outputs()], |output, input, tap| {
            filter.weight(output, input, tap)
        })
    }

    fn convolve(self, weights: &Convolution<S>, board: Board, input: Cells, sums: &mut [f32], rooms: &mut Self::Rooms) {
        let (positions, Board { height, width }) = (input.positions(board), board);
        let Rooms { padded, words, .. } = rooms;
        let input = if S::ROUNDS { input.padded(S::LANES, padded) } else { input };
        if S::ROUNDS {
            words.reserve(input.numbers.len() / S::CHANNELS);
            self.0.run(Round { numbers: input.numbers, words: words.get_mut() });
        }
        let (pitch, input) = (input.channels / S::CHANNELS, S::readable(input.numbers, words.get()));
        let numbers = Some(sums);
        let task =
            convolution::Task { positions, height, width, input, pitch, numbers, residual: false, relu: false, words: None };
        weights.apply(self.0, task);
    }

    fn gradient(self, side: usize, inputs: usize, outputs: usize) -> Gradient {
        Gradient::new::<S>(side, inputs, outputs)
    }

    fn accumulate(self, gradient: &mut Gradient, board: Board, input: Cells, output: Cells, rooms: &mut Self::Rooms) {
        let (positions, groups) = (input.positions(board), Groups::of::<S>(board.width));
        let Rooms { padded, inputs, gradients, .. } = rooms;
        let input = if S::ROUNDS { input.padded(S::LANES, padded) } else { input };
        if S::ROUNDS {
            let group = |cells: Cells, groups: usize, words: &mut Aligned<S::Word>| {
                words.reserve(positions * board.height * groups * cells.channels);
                let (words, width, pitch) = (words.get_mut(), board.width, cells.channels);
                self.0.run(Group { cells: cells.numbers, width, pitch, groups, words });
            };
            group(input, groups.inputs(), inputs);
            group(output, groups.gradients(), gradients);
        }
        let task = gradient::Task {
            board,
            positions,
            inputs: S::readable(input.numbers, inputs.get()),
            input_pitch: input.channels,
            gradients: S::readable(output.numbers, gradients.get()),
        };
        gradient.add(self.0, task);
    }

    fn unpack(self, gradient: &Gradient, outputs: usize) -> Vec<f32> {
        gradient.weights(outputs)
    }
}
