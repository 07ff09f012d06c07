//! Batch normalisation (Ioffe and Szegedy 2015), what is added to it, and the rectifier, forwards and backwards.
//!
//! Cells are lists of channels. What kernels write has a *pitch*, channels with padding up to whole vectors; tensors of burn have none. A
//! channel's totals are taken over few cells at a time and those totals summed, which rounds less than one long sum.

use super::super::simd::{Job, Simd};

/// Numbers of the longest vector.
const LONGEST: usize = 16;

/// The vector of a cell's channels from `at` on, with zeros beyond the last.
#[inline(always)]
fn load<S: Simd>(simd: S, cell: &[f32], at: usize) -> S::Sums {
    if let Some(whole) = cell.get(at..at + S::LANES) {
        return simd.sums(whole);
    }
    let mut padded = [0.0; LONGEST];
    let rest = &cell[at..];
    padded[..rest.len()].copy_from_slice(rest);
    simd.sums(&padded)
}

/// Writes the vector of a cell's channels from `at` on, but for what lies beyond the last.
#[inline(always)]
fn store<S: Simd>(simd: S, sums: S::Sums, cell: &mut [f32], at: usize) {
    if let Some(whole) = cell.get_mut(at..at + S::LANES) {
        return simd.store(sums, whole);
    }
    let mut padded = [0.0; LONGEST];
    simd.store(sums, &mut padded);
    let rest = &mut cell[at..];
    let count = rest.len();
    rest.copy_from_slice(&padded[..count]);
}

/// Adds cells, `[cells, pitch]`, to the totals of their channels.
pub(super) struct Total<'a> {
    pub(super) cells: &'a [f32],
    pub(super) totals: &'a mut [f32],
}

impl<S: Simd> Job<S> for Total<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self, simd: S) {
        let pitch = self.totals.len();
        for at in (0..pitch).step_by(S::LANES) {
            let mut own = simd.zero();
            for cell in self.cells.chunks_exact(pitch) {
                own = simd.plus(own, simd.sums(&cell[at..]));
            }
            simd.store(simd.add(own, &self.totals[at..]), &mut self.totals[at..]);
        }
    }
}

/// Adds the squared distances of cells, `[cells, pitch]`, from their means to the totals of their channels.
pub(super) struct Spread<'a> {
    pub(super) cells: &'a [f32],
    pub(super) mean: &'a [f32],
    pub(super) totals: &'a mut [f32],
}

impl<S: Simd> Job<S> for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self, simd: S) {
        let pitch = self.totals.len();
        for at in (0..pitch).step_by(S::LANES) {
            let (mut own, mean) = (simd.zero(), simd.sums(&self.mean[at..]));
            for cell in self.cells.chunks_exact(pitch) {
                let distance = simd.minus(simd.sums(&cell[at..]), mean);
                own = simd.plus(own, simd.times(distance, distance));
            }
            simd.store(simd.add(own, &self.totals[at..]), &mut self.totals[at..]);
        }
    }
}

/// Writes `relu((cell - mean) * scale + shift + residual)`.
pub(super) struct Normalise<'a> {
    /// `[cells, pitch]`
    pub(super) cells: &'a [f32],
    /// `[pitch]`, as are scale and shift.
    pub(super) mean: &'a [f32],
    pub(super) scale: &'a [f32],
    pub(super) shift: &'a [f32],
    /// `[cells, channels]`
    pub(super) residual: Option<&'a [f32]>,
    /// `[cells, channels]`
    pub(super) output: &'a mut [f32],
    pub(super) channels: usize,
}

impl<S: Simd> Job<S> for Normalise<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self, simd: S) {
        let (channels, pitch) = (self.channels, self.mean.len());
        for (number, (cell, output)) in self.cells.chunks_exact(pitch).zip(self.output.chunks_exact_mut(channels)).enumerate() {
            let residual = self.residual.map(|residual| &residual[number * channels..][..channels]);
            for at in (0..channels).step_by(S::LANES) {
                let distance = simd.minus(simd.sums(&cell[at..]), simd.sums(&self.mean[at..]));
                let normed = simd.times(distance, simd.sums(&self.scale[at..]));
                let mut own = simd.add(normed, &self.shift[at..]);
                if let Some(residual) = residual {
                    own = simd.plus(own, load(simd, residual, at));
                }
                store(simd, simd.relu(own), output, at);
            }
        }
    }
}

/// Writes the gradients that pass the rectifier, with padding, and in the place of the output's gradient.
pub(super) struct Pass<'a> {
    /// The gradient of the output, `[cells, channels]`.
    pub(super) gradient: &'a mut [f32],
    /// The output, `[cells, channels]`.
    pub(super) output: &'a [f32],
    pub(super) channels: usize,
    /// `[cells, pitch]`
    pub(super) passed: &'a mut [f32],
    pub(super) pitch: usize,
}

impl<S: Simd> Job<S> for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self, simd: S) {
        let channels = self.channels;
        let outputs = self.gradient.chunks_exact_mut(channels).zip(self.output.chunks_exact(channels));
        for ((gradient, output), passed) in outputs.zip(self.passed.chunks_exact_mut(self.pitch)) {
            for at in (0..channels).step_by(S::LANES) {
                let own = simd.where_positive(load(simd, output, at), load(simd, gradient, at));
                store(simd, own, gradient, at);
                simd.store(own, &mut passed[at..]);
            }
        }
    }
}

/// Adds the gradients that pass the rectifier to one list of totals, and times the distance of the cell from its mean to another.
pub(super) struct Reduce<'a> {
    /// The gradient of the output, `[cells, channels]`.
    pub(super) gradient: &'a [f32],
    /// The output, `[cells, channels]`.
    pub(super) output: &'a [f32],
    /// The convolution's sums, `[cells, pitch]`.
    pub(super) cells: &'a [f32],
    pub(super) channels: usize,
    /// `[pitch]`, as are shift and scale.
    pub(super) mean: &'a [f32],
    pub(super) shift: &'a mut [f32],
    pub(super) scale: &'a mut [f32],
}

impl<S: Simd> Job<S> for Reduce<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self, simd: S) {
        let (channels, pitch) = (self.channels, self.mean.len());
        for at in (0..channels).step_by(S::LANES) {
            let (mut shift, mut scale, mean) = (simd.zero(), simd.zero(), simd.sums(&self.mean[at..]));
            let outputs = self.gradient.chunks_exact(channels).zip(self.output.chunks_exact(channels));
            for ((gradient, output), cell) in outputs.zip(self.cells.chunks_exact(pitch)) {
                let passed = simd.where_positive(load(simd, output, at), load(simd, gradient, at));
                shift = simd.plus(shift, passed);
                scale = simd.plus(scale, simd.times(passed, simd.minus(simd.sums(&cell[at..]), mean)));
            }
            simd.store(simd.add(shift, &self.shift[at..]), &mut self.shift[at..]);
            simd.store(simd.add(scale, &self.scale[at..]), &mut self.scale[at..]);
        }
    }
}

/// Writes the gradients of the convolution's sums, `passed * gain + constant + (cell - mean) * slope`; what passed the rectifier takes
/// the place of the output's gradient.
pub(super) struct Differentiate<'a> {
    /// The gradient of the output, `[cells, channels]`.
    pub(super) gradient: &'a mut [f32],
    /// The output, `[cells, channels]`.
    pub(super) output: &'a [f32],
    /// The convolution's sums, `[cells, pitch]`.
    pub(super) cells: &'a [f32],
    pub(super) channels: usize,
    /// `[pitch]`, as are gain, constant and slope; zeros beyond the channels.
    pub(super) mean: &'a [f32],
    pub(super) gain: &'a [f32],
    pub(super) constant: &'a [f32],
    pub(super) slope: &'a [f32],
    /// `[cells, pitch]`
    pub(super) sums: &'a mut [f32],
}

impl<S: Simd> Job<S> for Differentiate<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self, simd: S) {
        let (channels, pitch) = (self.channels, self.mean.len());
        let outputs = self.gradient.chunks_exact_mut(channels).zip(self.output.chunks_exact(channels));
        let sums = self.sums.chunks_exact_mut(pitch).zip(self.cells.chunks_exact(pitch));
        for ((gradient, output), (sums, cell)) in outputs.zip(sums) {
            for at in (0..channels).step_by(S::LANES) {
                let passed = simd.where_positive(load(simd, output, at), load(simd, gradient, at));
                store(simd, passed, gradient, at);
                let distance = simd.minus(simd.sums(&cell[at..]), simd.sums(&self.mean[at..]));
                let own = simd.add(simd.times(passed, simd.sums(&self.gain[at..])), &self.constant[at..]);
                let own = simd.plus(own, simd.times(distance, simd.sums(&self.slope[at..])));
                simd.store(own, &mut sums[at..]);
            }
        }
    }
}
