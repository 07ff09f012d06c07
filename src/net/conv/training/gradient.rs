//! The gradient of a convolution's weights: for each tap, input and output the sum over all cells of what the input was times the gradient
//! that the output has.
//!
//! A tile is up to [`Simd::CELLS`] inputs by one or two vectors of outputs; its sums stay in registers while the cells of some positions go
//! by. Taps that fall off the board are skipped.
//!
//! Where a word holds one number, a step takes a cell. Where it holds two, a step takes a *group* of two neighbouring cells of a row:
//! gradients lie in groups (0, 1), (2, 3), ...; inputs lie in the same groups, and once more in those shifted by one, (-1, 0), (1, 2), ...,
//! for the taps to the left and to the right. A cell beside the board is zero.

use super::super::aligned::Aligned;
use super::super::simd::{Job, Simd};
use super::Board;

/// Vectors of outputs a tile, at most.
const WIDEST: usize = 2;

/// What to add to the sums.
pub(super) struct Task<'a, S: Simd> {
    pub(super) board: Board,
    pub(super) positions: usize,
    /// `[positions, height, groups of inputs, pitch]`
    pub(super) inputs: &'a [S::Word],
    pub(super) input_pitch: usize,
    /// `[positions, height, groups of outputs, outputs]`
    pub(super) gradients: &'a [S::Word],
}

/// Sums of a layer's weights.
#[derive(Debug)]
pub(in crate::net) struct Gradient {
    /// 3 or 1.
    side: usize,
    inputs: usize,
    /// With their padding.
    outputs: usize,
    lanes: usize,
    /// `[block of vectors][tap][input][output of the block]`
    sums: Aligned<f32>,
}

/// How the cells of a row go together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Groups {
    /// Cells a group: 1 or 2.
    cells: usize,
    width: usize,
}

/// Where the groups of a row begin that meet under a tap, and how many do.
struct Span {
    input: usize,
    gradient: usize,
    steps: usize,
}

impl Groups {
    pub(super) fn of<S: Simd>(width: usize) -> Self {
        Self { cells: S::CHANNELS, width }
    }

    /// Groups of gradients a row.
    pub(super) fn gradients(self) -> usize {
        self.width.div_ceil(self.cells)
    }

    /// Groups of inputs a row.
    pub(super) fn inputs(self) -> usize {
        self.gradients() + if self.cells == 1 { 0 } else { self.width / 2 + 1 }
    }

    /// The first cells of the groups of inputs, in their order.
    fn starts(self) -> impl Iterator<Item = isize> {
        let shifted = (0..self.inputs() - self.gradients()).map(|group| 2 * group as isize - 1);
        (0..self.gradients()).map(move |group| (group * self.cells) as isize).chain(shifted)
    }

    /// What meets under a tap so many cells to the right.
    fn span(self, right: isize) -> Span {
        let all = self.gradients();
        match (right, self.cells) {
            (0, _) => Span { input: 0, gradient: 0, steps: all },
            (1, 1) => Span { input: 1, gradient: 0, steps: self.width - 1 },
            (_, 1) => Span { input: 0, gradient: 1, steps: self.width - 1 },
            (1, _) => Span { input: all + 1, gradient: 0, steps: self.width / 2 },
            _ => Span { input: all, gradient: 0, steps: all },
        }
    }
}

/// Puts cells, `[rows, width, pitch]`, into groups: `groups` of them a row, with those that are shifted or without.
pub(super) struct Group<'a, W> {
    pub(super) cells: &'a [f32],
    pub(super) width: usize,
    pub(super) pitch: usize,
    pub(super) groups: usize,
    pub(super) words: &'a mut [W],
}

impl<S: Simd> Job<S> for Group<'_, S::Word> {
    type Output = ();

    #[inline(always)]
    fn compute(self, simd: S) {
        let outside = vec![0.0; self.pitch];
        let rows = self.cells.chunks_exact(self.width * self.pitch);
        for (row, words) in rows.zip(self.words.chunks_exact_mut(self.groups * self.pitch)) {
            let cell = |column: isize| match usize::try_from(column) {
                Ok(column) if column < self.width => &row[column * self.pitch..][..self.pitch],
                _ => &outside,
            };
            for (start, words) in Groups::of::<S>(self.width).starts().zip(words.chunks_exact_mut(self.pitch)) {
                let (first, second) = (cell(start), cell(start + 1));
                for at in (0..self.pitch).step_by(S::LANES) {
                    simd.join(simd.sums(&first[at..]), simd.sums(&second[at..]), &mut words[at..]);
                }
            }
        }
    }
}

impl Gradient {
    /// Zeros.
    pub(super) fn new<S: Simd>(side: usize, inputs: usize, outputs: usize) -> Self {
        let outputs = outputs.next_multiple_of(S::LANES);
        Self { side, inputs, outputs, lanes: S::LANES, sums: Aligned::zeros(side * side * inputs * outputs) }
    }

    /// Adds what `task` brings.
    pub(super) fn add<S: Simd>(&mut self, simd: S, task: Task<S>) {
        simd.run(Call { gradient: self, task });
    }

    /// The sums as `[outputs, inputs, side, side]`, of so many outputs.
    pub(super) fn weights(&self, outputs: usize) -> Vec<f32> {
        let (taps, inputs) = (self.side * self.side, self.inputs);
        let mut weights = vec![0.0; outputs * inputs * taps];
        let widest = WIDEST * self.lanes;
        for first in (0..outputs).step_by(widest) {
            let width = widest.min(self.outputs - first);
            let block = &self.sums.get()[first * taps * inputs..][..width * taps * inputs];
            for (at, sums) in block.chunks_exact(width).enumerate() {
                let (tap, input) = (at / inputs, at % inputs);
                for (output, sum) in (first..outputs).zip(sums) {
                    weights[(output * inputs + input) * taps + tap] = *sum;
                }
            }
        }
        weights
    }

    #[inline(always)]
    fn compute<S: Simd>(&mut self, simd: S, task: &Task<S>) {
        for output in (0..self.outputs).step_by(WIDEST * S::LANES) {
            // Taps inside: the few inputs of a tile stay in the first-level cache for all of them.
            for input in (0..self.inputs).step_by(S::CELLS) {
                for tap in 0..self.side * self.side {
                    if self.outputs - output >= WIDEST * S::LANES {
                        self.dispatch::<S, WIDEST>(simd, task, output, input, tap);
                    } else {
                        self.dispatch::<S, 1>(simd, task, output, input, tap);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn dispatch<S: Simd, const V: usize>(&mut self, simd: S, task: &Task<S>, output: usize, input: usize, tap: usize) {
        match S::CELLS.min(self.inputs - input) {
            1 => self.tile::<S, 1, V>(simd, task, output, input, tap),
            2 => self.tile::<S, 2, V>(simd, task, output, input, tap),
            3 => self.tile::<S, 3, V>(simd, task, output, input, tap),
            4 => self.tile::<S, 4, V>(simd, task, output, input, tap),
            5 => self.tile::<S, 5, V>(simd, task, output, input, tap),
            6 => self.tile::<S, 6, V>(simd, task, output, input, tap),
            7 => self.tile::<S, 7, V>(simd, task, output, input, tap),
            _ => self.tile::<S, 8, V>(simd, task, output, input, tap),
        }
    }

    /// One tile: `R` inputs from `input` on by `V` vectors of outputs from `output` on, under one tap.
    #[inline(always)]
    fn tile<S: Simd, const R: usize, const V: usize>(
        &mut self,
        simd: S,
        task: &Task<S>,
        output: usize,
        input: usize,
        tap: usize,
    ) {
        if R > S::CELLS {
            return; // never asked for; not to be compiled either
        }
        let (height, reach) = (task.board.height, self.side / 2);
        let (down, right) = (tap / self.side, tap % self.side);
        let groups = Groups::of::<S>(task.board.width);
        let span = groups.span(right as isize - reach as isize);
        if span.steps == 0 {
            return; // a board of one column has nothing to the left or the right
        }
        let at = output * self.side * self.side * self.inputs + (tap * self.inputs + input) * V * S::LANES;
        let sums = &mut self.sums.get_mut()[at..][..R * V * S::LANES];
        let mut own = [[simd.sums(sums); V]; R];
        for (r, own) in own.iter_mut().enumerate() {
            for (v, own) in own.iter_mut().enumerate() {
                *own = simd.sums(&sums[(r * V + v) * S::LANES..]);
            }
        }
        for position in 0..task.positions {
            // Rows whose cell under the tap is on the board.
            for row in reach.saturating_sub(down)..(height + reach).saturating_sub(down).min(height) {
                let under = position * height + row + down - reach;
                let inputs = &task.inputs[(under * groups.inputs() + span.input) * task.input_pitch + input..];
                let row = position * height + row;
                let gradients = &task.gradients[(row * groups.gradients() + span.gradient) * self.outputs + output..];
                for step in 0..span.steps {
                    let gradients = &gradients[step * self.outputs..][..V * S::LANES];
                    let mut words = [simd.words(gradients); V];
                    for v in 1..V {
                        words[v] = simd.words(&gradients[v * S::LANES..]);
                    }
                    let inputs = &inputs[step * task.input_pitch..][..R];
                    for r in 0..R {
                        let shared = simd.shared(inputs[r]);
                        for v in 0..V {
                            own[r][v] = simd.add_product(own[r][v], words[v], shared);
                        }
                    }
                }
            }
        }
        for (r, own) in own.iter().enumerate() {
            for (v, own) in own.iter().enumerate() {
                simd.store(*own, &mut sums[(r * V + v) * S::LANES..]);
            }
        }
    }
}

/// Sums with what is to be added.
struct Call<'a, S: Simd> {
    gradient: &'a mut Gradient,
    task: Task<'a, S>,
}

impl<S: Simd> Job<S> for Call<'_, S> {
    type Output = ();

    #[inline(always)]
    fn compute(self, simd: S) {
        self.gradient.compute(simd, &self.task);
    }
}
