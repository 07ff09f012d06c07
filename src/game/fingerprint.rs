//! A 64-bit key for a state of any type: what `#[derive(Hash)]` says of it, folded by a fixed function. It is what a game gets
//! that does not keep Zobrist keys ([`super::zobrist`]) of its own.
//!
//! Each 64-bit word is added to the key by exclusive or and the sum scrambled with [`mix`], a bijection, so that no word is
//! lost. No secret and no clock goes in: equal states have equal keys in every run on the same kind of machine. Cost: a
//! multiplication or two a word.

use std::hash::{Hash, Hasher};

use crate::rng::mix;

/// The key of `state`.
pub(super) fn of(state: &impl Hash) -> u64 {
    let mut key = Fold(0);
    state.hash(&mut key);
    key.finish()
}

struct Fold(u64);

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        // The increment of SplitMix64, so that words of zeros count too.
        self.0 = mix((self.0 ^ word).wrapping_add(0x9E37_79B9_7F4A_7C15));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_part_of_a_state_counts_and_so_does_its_place() {
        let boards = (0..4096u64).map(|bits| [bits & 63, bits >> 6]);
        assert_eq!(boards.map(|board| of(&board)).collect::<HashSet<u64>>().len(), 4096);
        assert_ne!(of(&[0u8; 1]), of(&[0u8; 2]), "zeros count");
        assert_ne!(of(&(1u8, 2u8)), of(&(2u8, 1u8)));
    }

    #[test]
    fn keys_are_the_same_in_every_run() {
        assert_eq!(of(&(7u64, 9u32, true)), 7_939_557_735_486_392_791, "as printed once by this very function");
    }
}
