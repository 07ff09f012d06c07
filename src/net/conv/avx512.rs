//! AVX-512F: 16 channels as f32 a vector, 32 registers.
#![expect(unsafe_code, reason = "vector instructions that not every processor has, each behind the proof that this one has them")]

use std::arch::x86_64::{
    __m512, _CMP_GT_OQ, _mm512_add_ps, _mm512_cmp_ps_mask, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_maskz_mov_ps, _mm512_max_ps,
    _mm512_mul_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps, _mm512_sub_ps,
};

use super::simd::{Job, Simd};

/// The proof that this processor has AVX-512F.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Avx512(());

impl Avx512 {
    pub(in crate::net) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx512f").then_some(Self(()))
    }
}

impl Simd for Avx512 {
    type Exact = Self;
    type Word = f32;
    type Words = __m512;
    type Sums = __m512;

    const LANES: usize = 16;
    const CHANNELS: usize = 1;
    const CELLS: usize = 8;
    const ROUNDS: bool = false;

    #[inline(always)]
    fn words(self, words: &[f32]) -> __m512 {
        let words = &words[..Self::LANES];
        // SAFETY: `self` proves the instruction; the slice holds the 16 numbers that are read.
        unsafe { _mm512_loadu_ps(words.as_ptr()) }
    }

    #[inline(always)]
    fn shared(self, word: f32) -> __m512 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm512_set1_ps(word) }
    }

    #[inline(always)]
    fn sums(self, numbers: &[f32]) -> __m512 {
        self.words(numbers)
    }

    #[inline(always)]
    fn add_product(self, sums: __m512, words: __m512, shared: __m512) -> __m512 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm512_fmadd_ps(words, shared, sums) }
    }

    #[inline(always)]
    fn add(self, sums: __m512, numbers: &[f32]) -> __m512 {
        let numbers = self.words(numbers);
        // SAFETY: `self` proves the instruction.
        unsafe { _mm512_add_ps(sums, numbers) }
    }

    #[inline(always)]
    fn zero(self) -> __m512 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm512_setzero_ps() }
    }

    #[inline(always)]
    fn plus(self, left: __m512, right: __m512) -> __m512 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm512_add_ps(left, right) }
    }

    #[inline(always)]
    fn minus(self, left: __m512, right: __m512) -> __m512 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm512_sub_ps(left, right) }
    }

    #[inline(always)]
    fn times(self, left: __m512, right: __m512) -> __m512 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm512_mul_ps(left, right) }
    }

    #[inline(always)]
    fn where_positive(self, of: __m512, then: __m512) -> __m512 {
        // SAFETY: `self` proves the instructions.
        unsafe { _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(of, _mm512_setzero_ps()), then) }
    }

    #[inline(always)]
    fn relu(self, sums: __m512) -> __m512 {
        // SAFETY: `self` proves the instructions. The second operand is the result where one is no number.
        unsafe { _mm512_max_ps(_mm512_setzero_ps(), sums) }
    }

    #[inline(always)]
    fn store(self, sums: __m512, numbers: &mut [f32]) {
        let numbers = &mut numbers[..Self::LANES];
        // SAFETY: `self` proves the instruction; the slice has room for the 16 numbers that are written.
        unsafe { _mm512_storeu_ps(numbers.as_mut_ptr(), sums) }
    }

    #[inline(always)]
    fn store_words(self, sums: __m512, words: &mut [f32]) {
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
        // SAFETY: `self` proves the instructions.
        unsafe { run(self, job) }
    }

    fn exact(self) -> Self {
        self
    }

    fn readable<'a>(numbers: &'a [f32], _: &'a [f32]) -> &'a [f32] {
        numbers
    }
}

#[target_feature(enable = "avx512f")]
fn run<J: Job<Avx512>>(simd: Avx512, job: J) -> J::Output {
    job.compute(simd)
}
