//! Training by matrix tiles.
//!
//! Sums and the gradients of inputs are products over a strip, as in a frozen network. The gradient of the weights under one tap is the product
//! of the gradients, `[outputs, cells]`, with the inputs, `[cells, inputs]`, a constant number of cells further on. A step of it takes 32 cells of
//! the strip: 16 pairs. Inputs lie in pairs of cells twice, (0, 1), (2, 3), ... and (1, 2), (3, 4), ..., for offsets of either kind;
//! gradients lie in pairs once, and turned, so that an output's pairs follow each other. In the padding they are zero.

use super::super::aligned::Aligned;
use super::super::simd::{Job, Round, Simd};
use super::super::training::{Board, Cells, Filter, Products};
use super::{Block, CELLS, CHANNELS, Product, ROWS, Strip, TAPS, Target, Task, Tiles, WORDS};

/// Products by tiles.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct TileProducts<T: Tiles>(pub(in crate::net) T);

/// Sums of a layer's weights.
#[derive(Debug)]
pub(in crate::net) struct Gradient {
    /// Inputs, and inputs and outputs with their padding.
    inputs: usize,
    padded: [usize; 2],
    /// `[block of outputs][tap][block of inputs][output][input]`
    sums: Aligned<f32>,
}

/// Room to compute.
#[derive(Debug)]
pub(in crate::net) struct Rooms {
    padded: Aligned<f32>,
    strip: Aligned<u32>,
    sums: Aligned<f32>,
    /// The cells of a strip by their place.
    places: Vec<Option<usize>>,
    /// `[pairs, inputs]`, from the first cell of the strip on and from the second.
    inputs: [Aligned<u32>; 2],
    /// `[pairs, outputs]`
    pairs: Aligned<u32>,
    /// `[outputs, pairs]`
    gradients: Aligned<u32>,
}

impl Default for Rooms {
    fn default() -> Self {
        Self {
            padded: Aligned::zeros(0),
            strip: Aligned::zeros(0),
            sums: Aligned::zeros(0),
            places: Vec::new(),
            inputs: [Aligned::zeros(0), Aligned::zeros(0)],
            pairs: Aligned::zeros(0),
            gradients: Aligned::zeros(0),
        }
    }
}

impl<T: Tiles> Products for TileProducts<T> {
    type Vectors = <T::Vectors as Simd>::Exact;
    type Weights = Product;
    type Gradient = Gradient;
    type Rooms = Rooms;

    const TOGETHER: usize = 192 << 10;

    fn vectors(self) -> Self::Vectors {
        self.0.vectors().exact()
    }

    fn pitch(self, channels: usize) -> usize {
        channels.next_multiple_of(T::Vectors::LANES)
    }

    fn pack(self, filter: &Filter) -> Product {
        Product::new(filter.inputs(), &vec![0.0; filter.outputs()], |output, input, tap| filter.weight(output, input, tap))
    }

    fn convolve(self, weights: &Product, board: Board, input: Cells, sums: &mut [f32], rooms: &mut Rooms) {
        let (positions, simd) = (input.positions(board), self.0.vectors());
        let Rooms { padded, strip: words, sums: room, .. } = rooms;
        let input = input.padded(T::Vectors::LANES, padded);
        let strip = Strip { height: board.height, width: board.width, pitch: input.channels.next_multiple_of(CHANNELS) / 2 };
        words.reserve(strip.words(positions));
        room.reserve(strip.computed(positions) * CHANNELS);
        for (place, numbers) in strip.boards(positions).zip(input.numbers.chunks_exact(input.channels)) {
            simd.run(Round { numbers, words: &mut words.get_mut()[strip.cell(place)] });
        }
        let channels = sums.len() / (positions * board.cells());
        let (input, target, sums) = (words.get(), Target::Numbers(sums), room.get_mut());
        weights.apply(self.0, Task { strip, positions, input, target, channels, sums });
    }

    fn gradient(self, _: usize, inputs: usize, outputs: usize) -> Gradient {
        let padded = [outputs, inputs].map(|channels| channels.next_multiple_of(CHANNELS));
        Gradient { inputs, padded, sums: Aligned::zeros(TAPS * padded[0] * padded[1]) }
    }

    fn accumulate(self, gradient: &mut Gradient, board: Board, input: Cells, output: Cells, rooms: &mut Rooms) {
        let (positions, simd) = (input.positions(board), self.0.vectors());
        let strip = Strip { height: board.height, width: board.width, pitch: 0 };
        let (computed, lead) = (strip.computed(positions), strip.lead());
        let Rooms { padded, places, inputs, pairs, gradients, .. } = rooms;
        let input = input.padded(T::Vectors::LANES, padded);
        // The places of the strip itself begin after the lead.
        places.clear();
        places.resize(computed + 2 * lead + 2, None);
        strip.boards(positions).enumerate().for_each(|(cell, place)| places[place + lead] = Some(cell));
        let [outputs, pitch] = gradient.padded;
        for (shift, words) in inputs.iter_mut().enumerate() {
            words.reserve((computed / 2 + lead) * pitch);
            let words = &mut words.get_mut()[..(computed / 2 + lead) * pitch];
            simd.run(Pair { cells: input, places: &places[shift..], words, pitch });
        }
        pairs.reserve(computed / 2 * outputs);
        let words = &mut pairs.get_mut()[..computed / 2 * outputs];
        simd.run(Pair { cells: output, places: &places[lead..], words, pitch: outputs });
        gradients.reserve(outputs * computed / 2);
        let turned = &mut gradients.get_mut()[..outputs * computed / 2];
        turn(words, outputs, turned);
        let inputs = [inputs[0].get(), inputs[1].get()];
        simd.run(Call { gradient, tiles: self.0, width: board.width, computed, inputs, outputs: turned });
    }

    fn unpack(self, gradient: &Gradient, outputs: usize) -> Vec<f32> {
        let ([_, padded], inputs) = (gradient.padded, gradient.inputs);
        let mut weights = Vec::with_capacity(outputs * inputs * TAPS);
        for (output, input) in (0..outputs).flat_map(|output| (0..inputs).map(move |input| (output, input))) {
            for tap in 0..TAPS {
                let block = ((output / CHANNELS * TAPS + tap) * padded + input / CHANNELS * CHANNELS) * CHANNELS;
                weights.push(gradient.sums.get()[block + output % CHANNELS * CHANNELS + input % CHANNELS]);
            }
        }
        weights
    }
}

/// Rounds cells into pairs of neighbouring places, `[pairs, pitch]`; a place without a cell is zero.
struct Pair<'a> {
    cells: Cells<'a>,
    places: &'a [Option<usize>],
    words: &'a mut [u32],
    pitch: usize,
}

impl<S: Simd<Word = u32>> Job<S> for Pair<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self, simd: S) {
        let Cells { numbers, channels } = self.cells;
        let nothing = vec![0.0; channels];
        let cell = |place: usize| self.places[place].map_or(&nothing[..], |cell| &numbers[cell * channels..][..channels]);
        for (pair, words) in self.words.chunks_exact_mut(self.pitch).enumerate() {
            let (first, second) = (cell(2 * pair), cell(2 * pair + 1));
            for at in (0..channels).step_by(S::LANES) {
                simd.join(simd.sums(&first[at..]), simd.sums(&second[at..]), &mut words[at..]);
            }
        }
    }
}

/// Turns `[rows, columns]` into `[columns, rows]`, whole tiles at a time.
fn turn(words: &[u32], columns: usize, turned: &mut [u32]) {
    let rows = words.len() / columns;
    for (row, column) in (0..rows).step_by(ROWS).flat_map(|row| (0..columns).step_by(WORDS).map(move |column| (row, column))) {
        for at in 0..WORDS {
            let to = &mut turned[(column + at) * rows + row..][..ROWS];
            for (number, to) in to.iter_mut().enumerate() {
                *to = words[(row + number) * columns + column + at];
            }
        }
    }
}

/// Adds to the sums of a gradient what the places of a strip bring.
struct Call<'a, T: Tiles> {
    gradient: &'a mut Gradient,
    tiles: T,
    width: usize,
    computed: usize,
    inputs: [&'a [u32]; 2],
    outputs: &'a [u32],
}

impl<T: Tiles> Job<T::Vectors> for Call<'_, T> {
    type Output = ();

    #[inline(always)]
    fn compute(self, _: T::Vectors) {
        let mut block = self.tiles.configure();
        let ([_, inputs], pairs) = (self.gradient.padded, self.computed / 2);
        for (number, sums) in self.gradient.sums.get_mut().chunks_exact_mut(CHANNELS * CHANNELS).enumerate() {
            let blocks = inputs / CHANNELS;
            let (input, tap, output) = (number % blocks * CHANNELS, number / blocks % TAPS, number / blocks / TAPS * CHANNELS);
            let offset = tap / 3 * (self.width + 1) + tap % 3;
            let words = &self.inputs[offset % 2][offset / 2 * inputs + input..];
            block.load_block(sums);
            for pair in (0..pairs).step_by(CELLS / 2) {
                let (outputs, words) = (&self.outputs[output * pairs + pair..], &words[pair * inputs..]);
                block.load::<4>(outputs, pairs);
                block.load::<5>(&outputs[ROWS * pairs..], pairs);
                block.load::<6>(words, inputs);
                block.load::<7>(&words[WORDS..], inputs);
                block.add_products::<0, 4, 6>();
                block.add_products::<1, 4, 7>();
                block.add_products::<2, 5, 6>();
                block.add_products::<3, 5, 7>();
            }
            block.store_block(sums);
        }
    }
}
