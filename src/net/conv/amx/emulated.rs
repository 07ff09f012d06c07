//! Tiles in plain Rust, step by step as Intel's manual tells them, so that all that is built on tiles can be tested where there are none.

use super::pairs::Pairs;
use super::{Block, ROWS, Tiles, WORDS};
use crate::net::conv::bf16;

/// Tiles of no processor.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Emulated;

/// Eight tiles as words.
pub(in crate::net) struct Words([[[u32; WORDS]; ROWS]; 8]);

impl Tiles for Emulated {
    type Vectors = Pairs;
    type Block = Words;

    fn vectors(self) -> Pairs {
        Pairs
    }

    fn configure(self) -> Words {
        Words([[[0; WORDS]; ROWS]; 8])
    }
}

impl Block for Words {
    fn zero<const T: usize>(&mut self) {
        self.0[T] = [[0; WORDS]; ROWS];
    }

    fn load<const T: usize>(&mut self, words: &[u32], pitch: usize) {
        for (row, words) in self.0[T].iter_mut().zip(words.chunks(pitch)) {
            row.copy_from_slice(&words[..WORDS]);
        }
    }

    fn load_sums<const T: usize>(&mut self, sums: &[f32], pitch: usize) {
        for (row, sums) in self.0[T].iter_mut().zip(sums.chunks(pitch)) {
            row.iter_mut().zip(&sums[..WORDS]).for_each(|(word, sum)| *word = sum.to_bits());
        }
    }

    /// TDPBF16PS: for each row and column, the first numbers of all pairs are summed apart from the second ones, from zero on and in the
    /// order of the pairs; the two sums are added, and what they come to is added to what was there. Each step rounds to the nearest, ties to
    /// even; denormal numbers count as zero before it and become zero after it.
    fn add_products<const C: usize, const A: usize, const B: usize>(&mut self) {
        for row in 0..ROWS {
            let mut parts = [[0f32; 2]; WORDS];
            for pair in 0..WORDS {
                let left = halves(self.0[A][row][pair]);
                for (parts, &right) in parts.iter_mut().zip(&self.0[B][pair]) {
                    for ((part, left), right) in parts.iter_mut().zip(left).zip(halves(right)) {
                        *part = flush(fused(left, right, *part));
                    }
                }
            }
            for (sum, [first, second]) in self.0[C][row].iter_mut().zip(parts) {
                *sum = flush(flush(f32::from_bits(*sum)) + flush(first + second)).to_bits();
            }
        }
    }

    fn store<const T: usize>(&self, sums: &mut [f32], pitch: usize) {
        for (row, sums) in self.0[T].iter().zip(sums.chunks_mut(pitch)) {
            row.iter().zip(sums).for_each(|(word, sum)| *sum = f32::from_bits(*word));
        }
    }
}

/// The two numbers of a word, denormal ones as zero.
fn halves(word: u32) -> [f32; 2] {
    [word as u16, (word >> 16) as u16].map(|half| flush(bf16::widen(half)))
}

/// A denormal number becomes a zero of its sign.
fn flush(number: f32) -> f32 {
    if number.is_subnormal() { 0f32.copysign(number) } else { number }
}

/// `left * right + sum`, rounded once. A product of two bf16 fits into an f32, unless its exponent does not.
fn fused(left: f32, right: f32, sum: f32) -> f32 {
    let product = left * right;
    if product.is_normal() || left == 0.0 || right == 0.0 { product + sum } else { left.mul_add(right, sum) }
}
