//! Vectors of bf16 pairs in plain Rust: what finishes the sums of emulated tiles.

use crate::net::conv::bf16;
use crate::net::conv::portable::Portable;
use crate::net::conv::simd::{Job, Simd};

/// What every processor has.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Pairs;

const LANES: usize = Portable::LANES;

impl Simd for Pairs {
    type Exact = Portable;
    type Word = u32;
    type Words = [u32; LANES];
    type Sums = [f32; LANES];

    const LANES: usize = LANES;
    const CHANNELS: usize = 2;
    const CELLS: usize = 5;
    const ROUNDS: bool = true;

    fn words(self, words: &[u32]) -> [u32; LANES] {
        std::array::from_fn(|lane| words[lane])
    }

    fn shared(self, word: u32) -> [u32; LANES] {
        [word; LANES]
    }

    fn sums(self, numbers: &[f32]) -> [f32; LANES] {
        Portable.sums(numbers)
    }

    /// The second numbers first, as VDPBF16PS does.
    fn add_product(self, sums: [f32; LANES], words: [u32; LANES], shared: [u32; LANES]) -> [f32; LANES] {
        let half = |word: u32, shift: u32| bf16::widen((word >> shift) as u16);
        let add = |sum: f32, lane: usize, shift| half(words[lane], shift).mul_add(half(shared[lane], shift), sum);
        std::array::from_fn(|lane| add(add(sums[lane], lane, 16), lane, 0))
    }

    fn add(self, sums: [f32; LANES], numbers: &[f32]) -> [f32; LANES] {
        Portable.add(sums, numbers)
    }

    fn zero(self) -> [f32; LANES] {
        Portable.zero()
    }

    fn plus(self, left: [f32; LANES], right: [f32; LANES]) -> [f32; LANES] {
        Portable.plus(left, right)
    }

    fn minus(self, left: [f32; LANES], right: [f32; LANES]) -> [f32; LANES] {
        Portable.minus(left, right)
    }

    fn times(self, left: [f32; LANES], right: [f32; LANES]) -> [f32; LANES] {
        Portable.times(left, right)
    }

    fn where_positive(self, of: [f32; LANES], then: [f32; LANES]) -> [f32; LANES] {
        Portable.where_positive(of, then)
    }

    fn relu(self, sums: [f32; LANES]) -> [f32; LANES] {
        Portable.relu(sums)
    }

    fn store(self, sums: [f32; LANES], numbers: &mut [f32]) {
        Portable.store(sums, numbers);
    }

    fn store_words(self, sums: [f32; LANES], words: &mut [u32]) {
        words.iter_mut().zip(sums.chunks_exact(2)).for_each(|(word, pair)| *word = Self::pack(pair));
    }

    fn join(self, first: [f32; LANES], second: [f32; LANES], words: &mut [u32]) {
        words.iter_mut().zip(first.into_iter().zip(second)).for_each(|(word, (first, second))| *word = bf16::pair(first, second));
    }

    fn pack(channels: &[f32]) -> u32 {
        bf16::pair(channels[0], channels[1])
    }

    fn run<J: Job<Self>>(self, job: J) -> J::Output {
        job.compute(self)
    }

    fn exact(self) -> Portable {
        Portable
    }

    fn readable<'a>(_: &'a [f32], words: &'a [u32]) -> &'a [u32] {
        words
    }
}
