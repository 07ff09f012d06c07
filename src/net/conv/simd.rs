//! What a micro-kernel needs of a processor: vectors of sums, and products of what a cell holds with what a kernel weighs.
//!
//! A *word* is 32 bits of a cell's channels: one channel as an f32, or two neighbouring ones as bf16. A product takes the words of
//! `LANES` outputs and one word that all of them share. The order of its additions is fixed, so that a sum has the same bits
//! wherever it is computed by the same kind of vector.

use super::convolution::{Convolution, Task};

/// A kind of vector. A value of such a type exists only where the processor has the instructions, so that its methods are safe.
pub(in crate::net) trait Simd: Copy + Send + Sync + std::fmt::Debug + 'static {
    /// What a cell holds for one step of the inner loop.
    type Word: Copy + Default + Send + Sync + std::fmt::Debug + PartialEq;
    /// The words of as many outputs as there are lanes.
    type Words: Copy;
    /// As many sums.
    type Sums: Copy;

    /// Outputs a vector.
    const LANES: usize;
    /// Channels a word.
    const CHANNELS: usize;
    /// Neighbouring cells that are computed together, at most: their sums and one vector of words must fit into the registers.
    const CELLS: usize;

    /// The first [`Simd::LANES`] of `words`.
    fn words(self, words: &[Self::Word]) -> Self::Words;
    /// One word in all lanes.
    fn shared(self, word: Self::Word) -> Self::Words;
    /// The first [`Simd::LANES`] of `numbers`.
    fn sums(self, numbers: &[f32]) -> Self::Sums;
    /// `sums + words * shared`, lane by lane.
    fn add_product(self, sums: Self::Sums, words: Self::Words, shared: Self::Words) -> Self::Sums;
    /// `sums + numbers`.
    fn add(self, sums: Self::Sums, numbers: &[f32]) -> Self::Sums;
    /// Negative sums become 0.
    fn relu(self, sums: Self::Sums) -> Self::Sums;
    /// Writes the sums as numbers.
    fn store(self, sums: Self::Sums, numbers: &mut [f32]);
    /// Writes the sums as channels of words, rounded to the nearest, ties to even.
    fn store_words(self, sums: Self::Sums, words: &mut [Self::Word]);

    /// A word of neighbouring channels, rounded to the nearest, ties to even.
    fn pack(channels: &[f32]) -> Self::Word;
    /// [`Convolution::compute`], compiled for these instructions.
    fn convolve(self, convolution: &Convolution<Self>, task: Task<Self>);

    /// The same kind of vector for layers that must not be rounded.
    type Exact: Simd<Word = f32>;
    /// What computes such layers.
    fn exact(self) -> Self::Exact;
    /// Writes `numbers` into `words`, rounded, where numbers are not words themselves.
    fn round(self, numbers: &[f32], words: &mut [Self::Word]);
    /// What to read as words: numbers where they are words, else their rounded copy.
    fn readable<'a>(numbers: &'a [f32], words: &'a [Self::Word]) -> &'a [Self::Word];
    /// Whether the rounded copy is needed.
    const ROUNDS: bool;
}
