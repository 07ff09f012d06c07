//! Same-padding convolution on small boards, with bias, residual addition and rectifier in one pass.
//!
//! A tile is up to [`Simd::CELLS`] neighbouring cells of one row by one or two vectors of outputs; its sums stay in registers while
//! taps and inputs go by: each word of a weight is read once a tile, each word of a cell once and shared by all lanes. Taps that fall off the
//! board are skipped, not multiplied by zero: on 6x7 they are a fifth of all. At the left and right edges of a row that leaves out the
//! first or the last cell of the tile; which, is known when the loop is compiled.
//!
//! A sum begins with the bias and takes the taps row by row, the inputs in their order. So its bits depend on neither the tile, the batch
//! nor the slot. A linear layer is the 1x1 convolution of a board whose cells are the positions.
//!
//! Cost: `taps on the board * inputs * outputs` multiply-adds a position. The form of the tile is the micro-kernel of Goto and van de Geijn,
//! "Anatomy of high-performance matrix multiplication" (2008), applied directly as in Georganas et al., "Anatomy of high-performance
//! deep learning convolutions on SIMD architectures" (2018).

use super::aligned::Aligned;
use super::simd::{Job, Simd};

/// A layer with its weights in the order in which the micro-kernel reads them.
#[derive(Debug)]
pub(in crate::net) struct Convolution<S: Simd> {
    /// 3 or 1.
    side: usize,
    /// Words of a cell.
    inputs: usize,
    /// Vectors of outputs.
    vectors: usize,
    /// `[block of vectors][tap][input][output of the block]`; blocks are of [`WIDEST`] vectors, the last may have fewer.
    weights: Aligned<S::Word>,
    /// `[outputs]`, zeros beyond the last.
    bias: Aligned<f32>,
}

/// Vectors of outputs a tile, at most.
const WIDEST: usize = 2;

/// What to compute of what, for some positions that lie one after the other.
pub(in crate::net) struct Task<'a, S: Simd> {
    pub(in crate::net) positions: usize,
    pub(in crate::net) height: usize,
    pub(in crate::net) width: usize,
    /// `[positions, cells, pitch]`
    pub(in crate::net) input: &'a [S::Word],
    /// Words from one cell to the next.
    pub(in crate::net) pitch: usize,
    /// `[positions, cells, outputs]`: where the result goes.
    pub(in crate::net) numbers: Option<&'a mut [f32]>,
    /// Whether the result is added to what stands there.
    pub(in crate::net) residual: bool,
    pub(in crate::net) relu: bool,
    /// The result once more, as words.
    pub(in crate::net) words: Option<&'a mut [S::Word]>,
}

/// A layer with its task.
struct Call<'a, S: Simd> {
    convolution: &'a Convolution<S>,
    task: Task<'a, S>,
}

impl<S: Simd> Job<S> for Call<'_, S> {
    type Output = ();

    #[inline(always)]
    fn compute(self, simd: S) {
        self.convolution.compute(simd, self.task);
    }
}

/// Cells of a row next to each other.
struct Segment {
    /// The first of them, counted from the first cell of the first position.
    cell: usize,
    row: usize,
    column: usize,
    cells: usize,
}

impl<S: Simd> Convolution<S> {
    /// A layer of `outputs` outputs, where `weight` tells that of an output, an input channel and a tap.
    pub(in crate::net) fn new(side: usize, channels: usize, bias: &[f32], weight: impl Fn(usize, usize, usize) -> f32) -> Self {
        let (taps, inputs) = (side * side, channels.div_ceil(S::CHANNELS));
        let vectors = bias.len().div_ceil(S::LANES);
        let mut weights = Vec::with_capacity(taps * inputs * vectors * S::LANES);
        for block in (0..vectors).step_by(WIDEST) {
            let outputs = block * S::LANES..vectors.min(block + WIDEST) * S::LANES;
            for (tap, input) in (0..taps).flat_map(|tap| (0..inputs).map(move |input| (tap, input))) {
                let word = |output| {
                    let of = |channel| if output < bias.len() && channel < channels { weight(output, channel, tap) } else { 0.0 };
                    let channels: [f32; 2] =
                        std::array::from_fn(|at| if at < S::CHANNELS { of(input * S::CHANNELS + at) } else { 0.0 });
                    S::pack(&channels[..S::CHANNELS])
                };
                weights.extend(outputs.clone().map(word));
            }
        }
        let bias = (0..vectors * S::LANES).map(|output| bias.get(output).copied().unwrap_or(0.0)).collect();
        Self { side, inputs, vectors, weights: weights.into_iter().collect(), bias }
    }

    /// Outputs with their padding.
    pub(in crate::net) fn outputs(&self) -> usize {
        self.vectors * S::LANES
    }

    /// Computes `task`.
    pub(in crate::net) fn apply(&self, simd: S, task: Task<S>) {
        simd.run(Call { convolution: self, task });
    }

    #[inline(always)]
    fn compute(&self, simd: S, mut task: Task<S>) {
        for first in (0..self.vectors).step_by(WIDEST) {
            for row in 0..task.positions * task.height {
                // Segments of nearly the same length.
                let mut left = task.width.div_ceil(S::CELLS);
                let mut column = 0;
                while column < task.width {
                    let cells = (task.width - column).div_ceil(left);
                    let segment = Segment { cell: row * task.width + column, row: row % task.height, column, cells };
                    if self.vectors - first >= WIDEST {
                        self.dispatch::<WIDEST>(simd, &mut task, first, &segment);
                    } else {
                        self.dispatch::<1>(simd, &mut task, first, &segment);
                    }
                    (column, left) = (column + cells, left - 1);
                }
            }
        }
    }

    #[inline(always)]
    fn dispatch<const V: usize>(&self, simd: S, task: &mut Task<S>, first: usize, segment: &Segment) {
        match segment.cells {
            1 => self.tile::<1, V>(simd, task, first, segment),
            2 => self.tile::<2, V>(simd, task, first, segment),
            3 => self.tile::<3, V>(simd, task, first, segment),
            4 => self.tile::<4, V>(simd, task, first, segment),
            5 => self.tile::<5, V>(simd, task, first, segment),
            6 => self.tile::<6, V>(simd, task, first, segment),
            7 => self.tile::<7, V>(simd, task, first, segment),
            _ => self.tile::<8, V>(simd, task, first, segment),
        }
    }

    /// One tile: `R` cells by `V` vectors of outputs from vector `first` on.
    #[inline(always)]
    fn tile<const R: usize, const V: usize>(&self, simd: S, task: &mut Task<S>, first: usize, segment: &Segment) {
        if R > S::CELLS {
            return; // never asked for; not to be compiled either
        }
        let block = V * S::LANES * self.inputs;
        let weights =
            &self.weights.get()[first * S::LANES * self.inputs * self.side * self.side..][..block * self.side * self.side];
        let mut sums = [[simd.sums(&self.bias.get()[first * S::LANES..]); V]; R];
        for v in 1..V {
            for sums in &mut sums {
                sums[v] = simd.sums(&self.bias.get()[(first + v) * S::LANES..]);
            }
        }
        let reach = self.side / 2;
        for down in 0..self.side {
            if segment.row + down < reach || segment.row + down >= task.height + reach {
                continue;
            }
            for right in 0..self.side {
                let weights = &weights[(down * self.side + right) * block..][..block];
                // The cell under the tap for the first cell of the tile; beyond the left edge it is not read.
                let under = (segment.cell + down * task.width + right).wrapping_sub(reach * task.width + reach);
                let (left, beyond) = (segment.column + right < reach, segment.column + R + right > task.width + reach);
                match (left, beyond) {
                    (false, false) => self.accumulate::<R, V, 0, 0>(simd, task, weights, under, &mut sums),
                    (true, false) => self.accumulate::<R, V, 1, 0>(simd, task, weights, under, &mut sums),
                    (false, true) => self.accumulate::<R, V, 0, 1>(simd, task, weights, under, &mut sums),
                    (true, true) => {} // a board one cell wide
                }
            }
        }
        self.finish(simd, task, first, segment.cell, &sums);
    }

    /// Adds one tap to the sums of the cells but `SKIP` first and `DROP` last ones.
    #[inline(always)]
    fn accumulate<const R: usize, const V: usize, const SKIP: usize, const DROP: usize>(
        &self,
        simd: S,
        task: &Task<S>,
        weights: &[S::Word],
        under: usize,
        sums: &mut [[S::Sums; V]; R],
    ) {
        let inputs = self.inputs;
        let words = |r: usize| &task.input[under.wrapping_add(r) * task.pitch..][..inputs];
        let cells: [&[S::Word]; R] = std::array::from_fn(|r| if (SKIP..R - DROP).contains(&r) { words(r) } else { &[] });
        // A copy, which can live in registers.
        let mut own = *sums;
        for (input, weights) in (0..inputs).zip(weights.chunks_exact(V * S::LANES)) {
            let mut words = [simd.words(weights); V];
            for v in 1..V {
                words[v] = simd.words(&weights[v * S::LANES..]);
            }
            for r in SKIP..R - DROP {
                let shared = simd.shared(cells[r][input]);
                for v in 0..V {
                    own[r][v] = simd.add_product(own[r][v], words[v], shared);
                }
            }
        }
        *sums = own;
    }

    /// Adds the residual, rectifies, and writes the sums of the cells from `cell` on.
    #[inline(always)]
    fn finish<const R: usize, const V: usize>(
        &self,
        simd: S,
        task: &mut Task<S>,
        first: usize,
        cell: usize,
        sums: &[[S::Sums; V]; R],
    ) {
        for r in 0..R {
            for v in 0..V {
                let at = (cell + r) * self.outputs() + (first + v) * S::LANES;
                let mut sums = sums[r][v];
                if let Some(numbers) = task.numbers.as_deref_mut() {
                    let numbers = &mut numbers[at..][..S::LANES];
                    if task.residual {
                        sums = simd.add(sums, numbers);
                    }
                    if task.relu {
                        sums = simd.relu(sums);
                    }
                    simd.store(sums, numbers);
                } else if task.relu {
                    sums = simd.relu(sums);
                }
                if let Some(words) = task.words.as_deref_mut() {
                    simd.store_words(sums, &mut words[at / S::CHANNELS..]);
                }
            }
        }
    }
}
