//! Plain Rust, for any processor: four channels as f32 a vector, which is what SSE2 and NEON hold. Products are rounded before they are added,
//! since a fused product is slow where the instruction is missing.

use super::simd::{Job, Simd};

/// What every processor has.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Portable;

/// A vector's channels.
const LANES: usize = 4;

impl Simd for Portable {
    type Exact = Self;
    type Word = f32;
    type Words = [f32; LANES];
    type Sums = [f32; LANES];

    const LANES: usize = LANES;
    const CHANNELS: usize = 1;
    const CELLS: usize = 5;
    const ROUNDS: bool = false;

    #[inline(always)]
    fn words(self, words: &[f32]) -> [f32; LANES] {
        [words[0], words[1], words[2], words[3]]
    }

    #[inline(always)]
    fn shared(self, word: f32) -> [f32; LANES] {
        [word; LANES]
    }

    #[inline(always)]
    fn sums(self, numbers: &[f32]) -> [f32; LANES] {
        self.words(numbers)
    }

    #[inline(always)]
    fn add_product(self, sums: [f32; LANES], words: [f32; LANES], shared: [f32; LANES]) -> [f32; LANES] {
        std::array::from_fn(|lane| sums[lane] + words[lane] * shared[lane])
    }

    #[inline(always)]
    fn add(self, sums: [f32; LANES], numbers: &[f32]) -> [f32; LANES] {
        std::array::from_fn(|lane| sums[lane] + numbers[lane])
    }

    #[inline(always)]
    fn zero(self) -> [f32; LANES] {
        [0.0; LANES]
    }

    #[inline(always)]
    fn plus(self, left: [f32; LANES], right: [f32; LANES]) -> [f32; LANES] {
        std::array::from_fn(|lane| left[lane] + right[lane])
    }

    #[inline(always)]
    fn minus(self, left: [f32; LANES], right: [f32; LANES]) -> [f32; LANES] {
        std::array::from_fn(|lane| left[lane] - right[lane])
    }

    #[inline(always)]
    fn times(self, left: [f32; LANES], right: [f32; LANES]) -> [f32; LANES] {
        std::array::from_fn(|lane| left[lane] * right[lane])
    }

    #[inline(always)]
    fn where_positive(self, of: [f32; LANES], then: [f32; LANES]) -> [f32; LANES] {
        std::array::from_fn(|lane| if of[lane] > 0.0 { then[lane] } else { 0.0 })
    }

    #[inline(always)]
    fn relu(self, sums: [f32; LANES]) -> [f32; LANES] {
        sums.map(|sum| if sum < 0.0 { 0.0 } else { sum })
    }

    #[inline(always)]
    fn store(self, sums: [f32; LANES], numbers: &mut [f32]) {
        numbers[..LANES].copy_from_slice(&sums);
    }

    #[inline(always)]
    fn store_words(self, sums: [f32; LANES], words: &mut [f32]) {
        self.store(sums, words);
    }

    #[inline(always)]
    fn join(self, first: Self::Sums, _: Self::Sums, words: &mut [f32]) {
        self.store(first, words);
    }

    fn pack(channels: &[f32]) -> f32 {
        channels[0]
    }

    fn run<J: Job<Self>>(self, job: J) -> J::Output {
        job.compute(self)
    }

    fn exact(self) -> Self {
        self
    }

    fn readable<'a>(numbers: &'a [f32], _: &'a [f32]) -> &'a [f32] {
        numbers
    }
}
