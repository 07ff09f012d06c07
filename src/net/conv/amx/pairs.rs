//! Vectors of bf16 pairs in plain Rust: what finishes the sums of emulated tiles.

use crate::net::conv::bf16;
use crate::net::conv::convolution::{Convolution, Task};
use crate::net::conv::portable::Portable;
use crate::net::conv::simd::Simd;

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

    fn relu(self, sums: [f32; LANES]) -> [f32; LANES] {
        Portable.relu(sums)
    }

    fn store(self, sums: [f32; LANES], numbers: &mut [f32]) {
        Portable.store(sums, numbers);
    }

    fn store_words(self, sums: [f32; LANES], words: &mut [u32]) {
        words.iter_mut().zip(sums.chunks_exact(2)).for_each(|(word, pair)| *word = Self::pack(pair));
    }

    fn pack(channels: &[f32]) -> u32 {
        bf16::pair(channels[0], channels[1])
    }

    fn convolve(self, convolution: &Convolution<Self>, task: Task<Self>) {
        convolution.compute(self, task);
    }

    fn exact(self) -> Portable {
        Portable
    }

    fn round(self, numbers: &[f32], words: &mut [u32]) {
        words.iter_mut().zip(numbers.chunks_exact(2)).for_each(|(word, pair)| *word = Self::pack(pair));
    }

    fn readable<'a>(_: &'a [f32], words: &'a [u32]) -> &'a [u32] {
        words
    }
}
