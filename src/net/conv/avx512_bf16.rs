//! AVX512-BF16: pairs of channels as bf16, 32 products a vector, summed as f32.
#![expect(unsafe_code, reason = "vector instructions that not every processor has, each behind the proof that this one has them")]

use std::arch::x86_64::{
    __m256bh, __m256i, __m512, __m512bh, _mm256_storeu_si256, _mm512_cvtepu16_epi32, _mm512_cvtneps_pbh, _mm512_dpbf16_ps,
    _mm512_loadu_si512, _mm512_or_si512, _mm512_set1_epi32, _mm512_slli_epi32, _mm512_storeu_si512,
};
use std::mem::transmute;

use super::avx512::Avx512;
use super::bf16;
use super::simd::{Job, Simd};

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
    fn zero(self) -> __m512 {
        self.0.zero()
    }

    #[inline(always)]
    fn plus(self, left: __m512, right: __m512) -> __m512 {
        self.0.plus(left, right)
    }

    #[inline(always)]
    fn minus(self, left: __m512, right: __m512) -> __m512 {
        self.0.minus(left, right)
    }

    #[inline(always)]
    fn times(self, left: __m512, right: __m512) -> __m512 {
        self.0.times(left, right)
    }

    #[inline(always)]
    fn where_positive(self, of: __m512, then: __m512) -> __m512 {
        self.0.where_positive(of, then)
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

    #[inline(always)]
    fn join(self, first: __m512, second: __m512, words: &mut [u32]) {
        let words = &mut words[..Self::LANES];
        // SAFETY: `self` proves the instructions; the slice has room for the 16 words that are written.
        unsafe {
            let first = _mm512_cvtepu16_epi32(transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(first)));
            let second = _mm512_cvtepu16_epi32(transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(second)));
            _mm512_storeu_si512(words.as_mut_ptr().cast(), _mm512_or_si512(first, _mm512_slli_epi32::<16>(second)));
        }
    }

    fn pack(channels: &[f32]) -> u32 {
        bf16::pair(channels[0], channels[1])
    }

    fn run<J: Job<Self>>(self, job: J) -> J::Output {
        // SAFETY: `self` proves the instructions.
        unsafe { run(self, job) }
    }

    fn exact(self) -> Avx512 {
        self.0
    }

    fn readable<'a>(_: &'a [f32], words: &'a [u32]) -> &'a [u32] {
        words
    }
}

#[target_feature(enable = "avx512f,avx512bf16")]
fn run<J: Job<Avx512Bf16>>(simd: Avx512Bf16, job: J) -> J::Output {
    job.compute(simd)
}
