//! Zobrist keys (A. L. Zobrist, "A new hashing method with application for game playing", 1970): one random word a
//! (piece, cell), a position being the exclusive or of its words, so that a move changes a key in constant time.

use crate::rng::mix;

/// `N` fixed random words. Tables with different `salt` are independent.
#[must_use]
pub const fn table<const N: usize>(salt: u64) -> [u64; N] {
    let mut words = [0; N];
    let mut at = 0;
    while at < N {
        // The increments of SplitMix64, so that its finaliser sees well spread inputs.
        words[at] = mix(mix(salt).wrapping_add((at as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        at += 1;
    }
    words
}
