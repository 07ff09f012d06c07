//! What a micro-kernel needs of a processor: vectors of sums, and products of what a cell holds with what a kernel weighs.
//!
//! A *word* is 32 bits of a cell's channels: one channel as an f32, or two neighbouring ones as bf16. A product takes the words of
//! `LANES` outputs and one word that all of them share. The order of its additions is fixed, so that a sum has the same bits
//! wherever it is computed by the same kind of vector.

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
    /// Zeros.
    fn zero(self) -> Self::Sums;
    /// `left + right`.
    fn plus(self, left: Self::Sums, right: Self::Sums) -> Self::Sums;
    /// `left - right`.
    fn minus(self, left: Self::Sums, right: Self::Sums) -> Self::Sums;
    /// `left * right`.
    fn times(self, left: Self::Sums, right: Self::Sums) -> Self::Sums;
    /// `then` where `of` is above 0, else 0.
    fn where_positive(self, of: Self::Sums, then: Self::Sums) -> Self::Sums;
    /// Negative sums become 0. What is no number stays none.
    fn relu(self, sums: Self::Sums) -> Self::Sums;
    /// Writes the sums as numbers.
    fn store(self, sums: Self::Sums, numbers: &mut [f32]);
    /// Writes the sums as channels of words, rounded to the nearest, ties to even.
    fn store_words(self, sums: Self::Sums, words: &mut [Self::Word]);
    /// Writes one word a lane, made of that lane's numbers in [`Simd::CHANNELS`] vectors: `first`, and where a word has two, `second`.
    fn join(self, first: Self::Sums, second: Self::Sums, words: &mut [Self::Word]);

    /// A word of neighbouring channels, rounded to the nearest, ties to even.
    fn pack(channels: &[f32]) -> Self::Word;
    /// [`Job::compute`], compiled for these instructions.
    fn run<J: Job<Self>>(self, job: J) -> J::Output;

    /// The same kind of vector for layers that must not be rounded.
    type Exact: Simd<Word = f32>;
    /// What computes such layers.
    fn exact(self) -> Self::Exact;
    /// What to read as words: numbers where they are words, else their rounded copy.
    fn readable<'a>(numbers: &'a [f32], words: &'a [Self::Word]) -> &'a [Self::Word];
    /// Whether the rounded copy is needed.
    const ROUNDS: bool;
}

/// Work that becomes fast where it is compiled for the instructions of `S`: hand it to [`Simd::run`].
pub(in crate::net) trait Job<S: Simd> {
    /// What it gives.
    type Output;

    /// Does the work. Implementations are `#[inline(always)]`, and so is all that they call in their loops.
    fn compute(self, simd: S) -> Self::Output;
}

/// Rounds numbers to words, where numbers are not words themselves. Both are whole vectors.
pub(in crate::net) struct Round<'a, W> {
    pub(in crate::net) numbers: &'a [f32],
    pub(in crate::net) words: &'a mut [W],
}

impl<S: Simd> Job<S> for Round<'_, S::Word> {
    type Output = ();

    #[inline(always)]
    fn compute(self, simd: S) {
        if S::ROUNDS {
            for (numbers, words) in self.numbers.chunks_exact(S::LANES).zip(self.words.chunks_exact_mut(S::LANES / S::CHANNELS)) {
                simd.store_words(simd.sums(numbers), words);
            }
        }
    }
}
