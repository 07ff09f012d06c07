//! Randomness: every random stream of the program is named here and nowhere else.
//!
//! A stream is a function of a seed, a purpose and an index, never of a clock, a thread or of what was drawn before it. That
//! is what makes a run repeatable for any number of threads: each game, match and shard owns its stream.
//!
//! The generator is ChaCha with 8 rounds (D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008), whose output is specified
//! across platforms and crate versions. The seed and the purpose make its key, the index its stream number.
//!
//! What is drawn by the million, a few numbers at a time, has [`Quick`] streams: one for each index under a seed, which itself
//! comes from such a stream. Setting one up costs four multiplications where ChaCha computes a block.

use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator behind every stream.
pub type Rng = ChaCha8Rng;

/// The random stream `index` of `purpose` under `seed`.
///
/// Streams that differ in any of the three are independent. `purpose` is a short name such as `"selfplay"`; names that share
/// their first 24 bytes are the same purpose.
#[must_use]
pub fn stream(seed: u64, purpose: &str, index: u64) -> Rng {
    let mut key = [0u8; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    for (to, from) in key[8..].iter_mut().zip(purpose.bytes()) {
        *to = from;
    }
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(index);
    rng
}

/// A seed for [`quick`] streams: the first number of a stream.
#[must_use]
pub fn seed(seed: u64, purpose: &str, index: u64) -> u64 {
    stream(seed, purpose, index).next_u64()
}

/// A small generator: xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021), whose output
/// is the same everywhere too.
pub type Quick = Xoshiro256PlusPlus;

/// The quick stream `index` under `seed`. Its state is four words of `SplitMix64`, started from both.
#[must_use]
pub fn quick(seed: u64, index: u64) -> Quick {
    let mut word = mix(seed ^ mix(index.wrapping_add(GAMMA)));
    let mut state = [0u8; 32];
    for bytes in state.chunks_exact_mut(8) {
        word = word.wrapping_add(GAMMA);
        bytes.copy_from_slice(&mix(word).to_le_bytes());
    }
    Quick::from_seed(state)
}

/// A quick stream that is set up when something is first drawn from it, which for many is never.
#[derive(Clone, Debug)]
pub struct Lazy {
    seed: u64,
    index: u64,
    stream: Option<Quick>,
}

impl Lazy {
    /// The quick stream `index` under `seed`, to be.
    #[must_use]
    pub const fn new(seed: u64, index: u64) -> Self {
        Self { seed, index, stream: None }
    }

    /// The stream, at the place that earlier draws have left it at.
    pub fn get(&mut self) -> &mut Quick {
        self.stream.get_or_insert_with(|| quick(self.seed, self.index))
    }
}

/// The increment of `SplitMix64`: 2^64 divided by the golden ratio, made odd.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// A bijective mixing of 64 bits (the finaliser of `SplitMix64`, Steele, Lea and Flood 2014), for keys and hash-derived tests.
#[must_use]
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_a_function_of_its_three_names() {
        let first = |seed, purpose, index| stream(seed, purpose, index).next_u64();
        assert_eq!(first(1, "selfplay", 7), first(1, "selfplay", 7));
        assert_ne!(first(1, "selfplay", 7), first(2, "selfplay", 7));
        assert_ne!(first(1, "selfplay", 7), first(1, "match", 7));
        assert_ne!(first(1, "selfplay", 7), first(1, "selfplay", 8));
    }

    #[test]
    fn the_generator_is_the_same_on_every_platform_and_version() {
        let mut rng = stream(1, "selfplay", 0);
        assert_eq!([rng.next_u64(), rng.next_u64()], [GOLDEN[0], GOLDEN[1]]);
    }

    #[test]
    fn a_quick_stream_is_a_function_of_its_seed_and_its_index() {
        let words = |mut rng: Quick| [rng.next_u64(), rng.next_u64()];
        assert_eq!(words(quick(1, 0)), GOLDEN_QUICK);
        // Seed and index do not stand for each other, and neighbours have nothing in common.
        let all: Vec<u64> = (0..64).flat_map(|seed| (0..64).flat_map(move |index| words(quick(seed, index)))).collect();
        assert_eq!(all.iter().collect::<std::collections::HashSet<_>>().len(), 2 * 64 * 64);
        let ones: u32 = all.iter().zip(&all[2..]).map(|(one, next)| (one ^ next).count_ones()).sum();
        let expected = 32 * (all.len() as u32 - 2);
        assert!(ones.abs_diff(expected) < 2000, "{ones} bits differ, {expected} expected");
    }

    #[test]
    fn a_lazy_stream_is_the_quick_one_and_goes_on_where_it_stood() {
        let (mut lazy, mut quick) = (Lazy::new(3, 4), quick(3, 4));
        assert!((0..3).all(|_| lazy.get().next_u64() == quick.next_u64()));
    }

    /// Printed once by this very function, as those below.
    const GOLDEN_QUICK: [u64; 2] = [3_921_124_197_515_952_312, 18_041_700_594_874_259_767];

    /// Printed once by this very function; a change of generator must be noticed, for it changes every run.
    const GOLDEN: [u64; 2] = [6_973_343_294_453_311_715, 8_234_371_655_749_143_961];
}
