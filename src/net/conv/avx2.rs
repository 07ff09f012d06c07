//! AVX2 with FMA: 8 channels as f32 a vector, 16 registers.
#![expect(unsafe_code, reason = "vector instructions that not every processor has, each behind the proof that this one has them")]

use std::arch::x86_64::{
    __m256, _CMP_GT_OQ, _mm256_add_ps, _mm256_and_ps, _mm256_cmp_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_max_ps,
    _mm256_mul_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps, _mm256_sub_ps,
};

use super::simd::{Job, Simd};

/// The proof that this processor has AVX2 and FMA.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Avx2(());

impl Avx2 {
    pub(in crate::net) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }
}

impl Simd for Avx2 {
    type Exact = Self;
    type Word = f32;
    type Words = __m256;
    type Sums = __m256;

    const LANES: usize = 8;
    const CHANNELS: usize = 1;
    const CELLS: usize = 6;
    const ROUNDS: bool = false;

    #[inline(always)]
    fn words(self, words: &[f32]) -> __m256 {
        let words = &words[..Self::LANES];
        // SAFETY: `self` proves the instruction; the slice holds the 8 numbers that are read.
        unsafe { _mm256_loadu_ps(words.as_ptr()) }
    }

    #[inline(always)]
    fn shared(self, word: f32) -> __m256 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm256_set1_ps(word) }
    }

    #[inline(always)]
    fn sums(self, numbers: &[f32]) -> __m256 {
        self.words(numbers)
    }

    #[inline(always)]
    fn add_product(self, sums: __m256, words: __m256, shared: __m256) -> __m256 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm256_fmadd_ps(words, shared, sums) }
    }

    #[inline(always)]
    fn add(self, sums: __m256, numbers: &[f32]) -> __m256 {
        let numbers = self.words(numbers);
        // SAFETY: `self` proves the instruction.
        unsafe { _mm256_add_ps(sums, numbers) }
    }

    #[inline(always)]
    fn zero(self) -> __m256 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm256_setzero_ps() }
    }

    #[inline(always)]
    fn plus(self, left: __m256, right: __m256) -> __m256 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm256_add_ps(left, right) }
    }

    #[inline(always)]
    fn minus(self, left: __m256, right: __m256) -> __m256 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm256_sub_ps(left, right) }
    }

    #[inline(always)]
    fn times(self, left: __m256, right: __m256) -> __m256 {
        // SAFETY: `self` proves the instruction.
        unsafe { _mm256_mul_ps(left, right) }
    }

    #[inline(always)]
    fn where_positive(self, of: __m256, then: __m256) -> __m256 {
        // SAFETY: `self` proves the instructions.
        unsafe { _mm256_and_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(of, _mm256_setzero_ps()), then) }
    }

    #[inline(always)]
    fn relu(self, sums: __m256) -> __m256 {
        // SAFETY: `self` proves the instructions. The second operand is the result where one is no number.
        unsafe { _mm256_max_ps(_mm256_setzero_ps(), sums) }
    }

    #[inline(always)]
    fn store(self, sums: __m256, numbers: &mut [f32]) {
        let numbers = &mut numbers[..Self::LANES];
        // SAFETY: `self` proves the instruction; the slice has room for the 8 numbers that are written.
        unsafe { _mm256_storeu_ps(numbers.as_mut_ptr(), sums) }
    }

    #[inline(always)]
    fn store_words(self, sums: __m256, words: &mut [f32]) {
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

#[target_feature(enable = "avx2,fma")]
fn run<J: Job<Avx2>>(simd: Avx2, job: J) -> J::Output {
    job.compute(simd)
}
