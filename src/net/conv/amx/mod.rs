//! Residual blocks by matrix tiles (AMX): a convolution is one matrix product a tap.
//!
//! The positions lie in one strip of padded cells: each row of a board is followed by one cell of zeros, each board by one row of them, so
//! that the padding right of a row is that left of the next, and the padding below a board is that above the next. Then a tap is the strip
//! itself at a constant offset, and 16 neighbouring cells, wherever they lie, are a tile as they stand. On 6x7 a quarter of the cells are
//! padding; what is computed there is not written.
//!
//! A block of 32 cells by 32 outputs takes four tiles of sums, two of cells and two of weights: each tile that is loaded serves twice. Taps
//! go by in pieces whose weights stay in the first-level cache while all cells pass; between pieces the sums wait in memory, where they
//! lose nothing. A sum takes taps and inputs in one order, so its bits depend on nothing else.
//!
//! Source: Intel, "Architectures Software Developer's Manual", volume 1, chapter 18, and TDPBF16PS in volume 2.

#[cfg(test)]
mod emulated;
#[cfg(test)]
mod pairs;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(super) mod real;
#[cfg(test)]
pub(super) mod tests;
pub(super) mod training;

use super::aligned::Aligned;
use super::bf16;
use super::simd::{Job, Round, Simd};
use super::trunk::Trunk;
use crate::net::fold::{Folded, Layer};

/// Rows of a tile.
const ROWS: usize = 16;
/// Words of a row: pairs of channels as bf16, or sums as f32.
const WORDS: usize = 16;
/// Inputs of a step, and outputs of a block.
const CHANNELS: usize = 2 * WORDS;
/// Cells of a block.
const CELLS: usize = 2 * ROWS;
const TAPS: usize = 9;
/// Bytes of weights that pass over all cells before the next.
const PIECE: usize = 24 << 10;

/// A processor's tiles. A value exists only where it has them.
pub(in crate::net) trait Tiles: Copy + Send + Sync + std::fmt::Debug + 'static {
    /// Vectors of sums, to finish what the tiles began.
    type Vectors: Simd<Word = u32>;
    /// Eight tiles of 16 rows of 16 words, ready to compute until they are dropped.
    type Block: Block;

    /// The vectors.
    fn vectors(self) -> Self::Vectors;
    /// Makes the tiles of this thread ready.
    fn configure(self) -> Self::Block;
}

/// Tiles by number.
pub(in crate::net) trait Block {
    /// Zeros in all of tile `T`.
    fn zero<const T: usize>(&mut self);
    /// Reads tile `T`: 16 rows of 16 words, `pitch` words apart.
    fn load<const T: usize>(&mut self, words: &[u32], pitch: usize);
    /// Reads tile `T`: 16 rows of 16 sums, `pitch` sums apart.
    fn load_sums<const T: usize>(&mut self, sums: &[f32], pitch: usize);
    /// Adds to the sums of tile `C` the products of the pairs of tile `A`, `[cells, pairs]`, with those of tile `B`, `[pairs, outputs]`.
    fn add_products<const C: usize, const A: usize, const B: usize>(&mut self);
    /// Writes tile `T` as sums.
    fn store<const T: usize>(&self, sums: &mut [f32], pitch: usize);

    /// Reads the first four tiles from a block of sums, `[CELLS, CHANNELS]`.
    #[inline(always)]
    fn load_block(&mut self, sums: &[f32]) {
        let (upper, lower) = sums.split_at(ROWS * CHANNELS);
        self.load_sums::<0>(upper, CHANNELS);
        self.load_sums::<1>(&upper[WORDS..], CHANNELS);
        self.load_sums::<2>(lower, CHANNELS);
        self.load_sums::<3>(&lower[WORDS..], CHANNELS);
    }

    /// Writes them there.
    #[inline(always)]
    fn store_block(&self, sums: &mut [f32]) {
        let (upper, lower) = sums.split_at_mut(ROWS * CHANNELS);
        self.store::<0>(upper, CHANNELS);
        self.store::<1>(&mut upper[WORDS..], CHANNELS);
        self.store::<2>(lower, CHANNELS);
        self.store::<3>(&mut lower[WORDS..], CHANNELS);
    }
}

/// Where the cells of some positions lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strip {
    height: usize,
    width: usize,
    /// Words of a cell.
    pitch: usize,
}

/// The weights of a convolution, as tiles.
#[derive(Debug)]
pub(in crate::net) struct Product {
    /// Steps of [`CHANNELS`] inputs.
    steps: usize,
    /// `[block of outputs][tap][step][2 tiles]`
    weights: Aligned<u32>,
    /// `[outputs]`, zeros beyond the last.
    bias: Aligned<f32>,
}

/// What to compute of what.
#[derive(Debug)]
pub(super) struct Task<'a> {
    strip: Strip,
    positions: usize,
    input: &'a [u32],
    target: Target<'a>,
    /// Outputs that are written.
    channels: usize,
    /// `[cells of the strip, CHANNELS]`
    sums: &'a mut [f32],
}

/// A product with its task.
struct Call<'a, T: Tiles> {
    product: &'a Product,
    tiles: T,
    task: Task<'a>,
}

impl<T: Tiles> Job<T::Vectors> for Call<'_, T> {
    type Output = ();

    #[inline(always)]
    fn compute(self, _: T::Vectors) {
        self.product.compute(self.tiles, self.task);
    }
}

/// Where the result of a product goes.
#[derive(Debug)]
enum Target<'a> {
    /// Into a network's next layer.
    Next {
        /// Rectified and rounded.
        output: &'a mut [u32],
        /// The numbers that the result is added to and that become it, `[positions, cells, channels]`, where the convolution ends a block.
        stream: Option<&'a mut [f32]>,
    },
    /// As it is, `[positions, cells, channels]`.
    Numbers(&'a mut [f32]),
}

/// Blocks of convolutions on tiles.
#[derive(Debug)]
pub(super) struct TileBlocks<T: Tiles> {
    tiles: T,
    strip: Strip,
    /// Numbers of a cell in the stream.
    channels: usize,
    blocks: Vec<[Product; 2]>,
}

/// Two strips and the sums of a block of outputs.
#[derive(Clone, Debug)]
pub(super) struct Rooms {
    copy: Aligned<u32>,
    between: Aligned<u32>,
    sums: Aligned<f32>,
}

impl Default for Rooms {
    fn default() -> Self {
        Self { copy: Aligned::zeros(0), between: Aligned::zeros(0), sums: Aligned::zeros(0) }
    }
}

impl Strip {
    /// The zeros before the first cell: those left of and above the first board.
    fn lead(self) -> usize {
        self.width + 2
    }

    /// Cells from one position to the next.
    fn cells(self) -> usize {
        (self.height + 1) * (self.width + 1)
    }

    /// Cells that are computed, in whole blocks.
    fn computed(self, positions: usize) -> usize {
        (positions * self.cells()).next_multiple_of(CELLS)
    }

    /// Words of the whole strip.
    fn words(self, positions: usize) -> usize {
        (self.computed(positions) + 2 * self.lead()) * self.pitch
    }

    /// Every cell of the boards: its place among those computed, in the order of the stream.
    fn boards(self, positions: usize) -> impl Iterator<Item = usize> {
        let row = move |row: usize| (row / self.height * (self.height + 1) + row % self.height) * (self.width + 1);
        (0..positions * self.height).flat_map(move |at| (0..self.width).map(move |column| row(at) + column))
    }

    /// The words of a cell.
    fn cell(self, place: usize) -> std::ops::Range<usize> {
        (place + self.lead()) * self.pitch..(place + self.lead() + 1) * self.pitch
    }
}

impl Product {
    fn of_layer(layer: &Layer<4>) -> Self {
        let [_, inputs, ..] = layer.shape;
        Self::new(inputs, &layer.bias, |output, input, tap| layer.weight[(output * inputs + input) * TAPS + tap])
    }

    /// A product with as many outputs as biases, where `weight` tells that of an output, an input and a tap.
    fn new(inputs: usize, bias: &[f32], weight: impl Fn(usize, usize, usize) -> f32) -> Self {
        let outputs = bias.len();
        let weight = |output: usize, input: usize, tap: usize| {
            if output < outputs && input < inputs { weight(output, input, tap) } else { 0.0 }
        };
        let (steps, blocks) = (inputs.div_ceil(CHANNELS), outputs.div_ceil(CHANNELS));
        let mut weights = Vec::with_capacity(blocks * TAPS * steps * 2 * ROWS * WORDS);
        for first in (0..blocks).map(|block| block * CHANNELS) {
            for (tap, step) in (0..TAPS).flat_map(|tap| (0..steps).map(move |step| (tap, step))) {
                for half in [first, first + WORDS] {
                    for input in (0..ROWS).map(|pair| step * CHANNELS + 2 * pair) {
                        let pair = |output| bf16::pair(weight(output, input, tap), weight(output, input + 1, tap));
                        weights.extend((half..half + WORDS).map(pair));
                    }
                }
            }
        }
        let bias = (0..blocks * CHANNELS).map(|output| bias.get(output).copied().unwrap_or(0.0)).collect();
        Self { steps, weights: weights.into_iter().collect(), bias }
    }

    /// Computes `task`.
    fn apply<T: Tiles>(&self, tiles: T, task: Task) {
        tiles.vectors().run(Call { product: self, tiles, task });
    }

    #[inline(always)]
    fn compute<T: Tiles>(&self, tiles: T, mut task: Task) {
        let mut block = tiles.configure();
        let tap = self.steps * 2 * ROWS * WORDS;
        let taps = (PIECE / (tap * size_of::<u32>())).clamp(1, TAPS);
        for (at, weights) in self.weights.get().chunks_exact(TAPS * tap).enumerate() {
            for (piece, weights) in weights.chunks(taps * tap).enumerate() {
                for cell in (0..task.strip.computed(task.positions)).step_by(CELLS) {
                    self.sum(&mut block, &mut task, cell, piece * taps, weights);
                }
            }
            self.finish(tiles.vectors(), &mut task, at * CHANNELS);
        }
    }

    /// Adds the taps from `first` on to the sums of a block of cells.
    #[inline(always)]
    fn sum(&self, block: &mut impl Block, task: &mut Task, cell: usize, first: usize, weights: &[u32]) {
        let (strip, sums) = (task.strip, &mut task.sums[cell * CHANNELS..][..CELLS * CHANNELS]);
        if first == 0 {
            block.zero::<0>();
            block.zero::<1>();
            block.zero::<2>();
            block.zero::<3>();
        } else {
            block.load_block(sums);
        }
        for (at, pair) in weights.chunks_exact(2 * ROWS * WORDS).enumerate() {
            let (tap, step) = (first + at / self.steps, at % self.steps);
            // The lead is the offset of the middle tap: the first tap begins with the strip.
            let cell = cell + tap / 3 * (strip.width + 1) + tap % 3;
            let cells = &task.input[cell * strip.pitch + step * WORDS..];
            block.load::<4>(cells, strip.pitch);
            block.load::<5>(&cells[ROWS * strip.pitch..], strip.pitch);
            block.load::<6>(pair, WORDS);
            block.load::<7>(&pair[ROWS * WORDS..], WORDS);
            block.add_products::<0, 4, 6>();
            block.add_products::<1, 4, 7>();
            block.add_products::<2, 5, 6>();
            block.add_products::<3, 5, 7>();
        }
        block.store_block(sums);
    }

    /// Adds bias and residual to the sums of the outputs from `first` on, rectifies, and writes the cells of the boards.
    #[inline(always)]
    fn finish<S: Simd<Word = u32>>(&self, simd: S, task: &mut Task, first: usize) {
        let outputs = CHANNELS.min(task.channels.saturating_sub(first));
        for (cell, place) in task.strip.boards(task.positions).enumerate() {
            let sums = &task.sums[place * CHANNELS..][..CHANNELS];
            let numbers = cell * task.channels + first;
            for at in (0..outputs).step_by(S::LANES) {
                let sum = simd.add(simd.sums(&sums[at..]), &self.bias.get()[first + at..]);
                match &mut task.target {
                    Target::Numbers(output) => simd.store(sum, &mut output[numbers + at..][..S::LANES]),
                    Target::Next { output, stream } => {
                        let sum = match stream.as_deref_mut() {
                            None => simd.relu(sum),
                            Some(stream) => {
                                let numbers = &mut stream[numbers + at..][..S::LANES];
                                let sum = simd.relu(simd.add(sum, numbers));
                                simd.store(sum, numbers);
                                sum
                            }
                        };
                        simd.store_words(sum, &mut output[task.strip.cell(place)][(first + at) / 2..]);
                    }
                }
            }
        }
    }
}

impl<T: Tiles> TileBlocks<T> {
    pub(super) fn new(tiles: T, folded: &Folded, height: usize, width: usize) -> Self {
        let [outputs, ..] = folded.stem.shape;
        let strip = Strip { height, width, pitch: outputs.next_multiple_of(CHANNELS) / 2 };
        let blocks = folded.blocks.iter().map(|[first, second]| [Product::of_layer(first), Product::of_layer(second)]).collect();
        Self { tiles, strip, channels: outputs.next_multiple_of(T::Vectors::LANES), blocks }
    }
}

impl<T: Tiles> Trunk for TileBlocks<T> {
    type Scratch = Rooms;

    fn apply(&self, stream: &mut [f32], scratch: &mut Rooms) {
        let (strip, channels, simd) = (self.strip, self.channels, self.tiles.vectors());
        let positions = stream.len() / (channels * strip.height * strip.width);
        scratch.copy.reserve(strip.words(positions));
        scratch.between.reserve(strip.words(positions));
        scratch.sums.reserve(strip.computed(positions) * CHANNELS);
        for (place, numbers) in strip.boards(positions).zip(stream.chunks_exact(channels)) {
            simd.run(Round { numbers, words: &mut scratch.copy.get_mut()[strip.cell(place)] });
        }
        for [first, second] in &self.blocks {
            let (input, output, sums) = (scratch.copy.get(), scratch.between.get_mut(), scratch.sums.get_mut());
            let target = Target::Next { output, stream: None };
            first.apply(self.tiles, Task { strip, positions, input, target, channels, sums });
            let (input, output, sums) = (scratch.between.get(), scratch.copy.get_mut(), scratch.sums.get_mut());
            let target = Target::Next { output, stream: Some(&mut *stream) };
            second.apply(self.tiles, Task { strip, positions, input, target, channels, sums });
        }
    }
}
