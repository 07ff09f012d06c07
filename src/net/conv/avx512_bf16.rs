//! AVX512-BF16: pairs of channels as bf16, 32 products a vector, summed as f32.
#![expect(unsafe_code, reason = "vector instructions that not every processor has, each behind the proof that this one has them")]

use std::arch::x86_64::{
    __m256bh, __m256i, __m512, __m512bh, _mm256_storeu_si256, _mm512_cvtneps_pbh, _mm512_dpbf16_ps, _mm512_loadu_si512,
    _mm512_set1_epi32,
};
use std::mem::transmute;

use super::avx512::Avx512;
use super::bf16;
use super::convolution::{Convolution, Task};
use super::simd::Simd;

/// The proof that this processor has AVX512-BF16, and what that is built on.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Avx512Bf16(Avx512);

impl Avx512Bf16 {
    pub(in crate::net) fn detect() -> Option<Self> {
        if is_x86_feature_detected!("avx512bf16") { Avx512::detect().map(Self) } else { None }
    }
}

impl Simd for Avx512Bf16 {
    type Exact = Avx512;
    type Word = u32;
    type Words = __m512bh;
    type Sums = __m512;

    const LANES: usize = 16;
    const CHANNELS: usize = 2;
    const CELLS: usize = 8;
    const ROUNDS: bool = true;

    #[inline(always)]
    fn words(self, words: &[u32]) -> __m512bh {
        let words = &words[..Self::LANES];
        // SAFETY: `self` proves the instruction; the slice holds the 16 words that are read, whose bits are those of 32 bf16.
        unsafe { transmute(_mm512_loadu_si512(words.as_ptr().cast())) }
    }

    #[inline(always)]
    fn shared(self, word: u32) -> __m512bh {
        // SAFETY: `self` proves the instruction; 32 bf16 are 16 words.
        unsafe { transmute(_mm512_set1_epi32(word.cast_signed())) }
    }

    #[inline(always)]
    fn sums(self, numbers: &[f32]) -> __m512 {
        self.0.sums(numbers)
    }

    #[inline(always)]
    fn add_product(self, sums: __m512, words: __m512bh, shared: __m512bh) -> __m512 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm512_dpbf16_ps(sums, words, shared) }
    }

    #[inline(always)]
    fn add(self, sums: __m512, numbers: &[f32]) -> __m512 {
        self.0.add(sums, numbers)
    }

    #[inline(always)]
    fn relu(self, sums: __m512) -> __m512 {
        self.0.relu(sums)
    }

    #[inline(always)]
    fn store(self, sums: __m512, numbers: &mut [f32]) {
        self.0.store(sums, numbers);
    }

    #[inline(always)]
    fn store_words(self, sums: __m512, words: &mut [u32]) {
        let words = &mut words[..Self::LANES / Self::CHANNELS];
        // SAFETY: `self` proves the instructions; the slice has room for the 8 words, 16 bf16, that are written.
        unsafe {
            _mm256_storeu_si256(words.as_mut_ptr().cast::<__m256i>(), transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(sums)))
        }
    }

    fn pack(channels: &[f32]) -> u32 {
        bf16::pair(channels[0], channels[1])
    }

    fn convolve(self, convolution: &Convolution<Self>, task: Task<Self>) {
        // SAFETY: `self` proves the instructions.
        unsafe { convolve(self, convolution, task) }
    }

    fn exact(self) -> Avx512 {
        self.0
    }

    fn round(self, numbers: &[f32], words: &mut [u32]) {
        // SAFETY: `self` proves the instructions.
        unsafe { round(self, numbers, words) }
    }

    fn readable<'a>(_: &'a [f32], words: &'a [u32]) -> &'a [u32] {
        words
    }
}

#[target_feature(enable = "avx512f,avx512bf16")]
fn convolve(simd: Avx512Bf16, convolution: &Convolution<Avx512Bf16>, task: Task<Avx512Bf16>) {
    convolution.compute(simd, task);
}

#[target_feature(enable = "avx512f,avx512bf16")]
fn round(simd: Avx512Bf16, numbers: &[f32], words: &mut [u32]) {
    for (numbers, words) in numbers.chunks_exact(Avx512Bf16::LANES).zip(words.chunks_exact_mut(Avx512Bf16::LANES / 2)) {
        simd.store_words(simd.sums(numbers), words);
    }
}
