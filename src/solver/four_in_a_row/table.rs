//! What is known of positions met before: bounds of their scores.
//!
//! An entry is one 64-bit number that holds the whole key of its position, so that two positions are never confused, with both bounds
//! and how much work they cost. A bucket has two entries: the first keeps the more expensive, the second takes the rest (D. Breuker
//! et al., "Replacement schemes for transposition tables", 1994, "two-big").
//!
//! ```text
//! key 49 bits | lower bound 6 | upper bound 6 | work 3
//! ```

use super::score::{HIGHEST, LOWEST};

const KEY: u64 = (1 << 49) - 1;
const BOUND: u64 = 0b11_1111;
const LOWER: u32 = 49;
const UPPER: u32 = 55;
const WORK: u32 = 61;
/// 2^64 divided by the golden ratio: spreads keys over the table (D. Knuth, The Art of Computer Programming 3, 6.4).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// What the score of a position lies between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) lower: i32,
    pub(super) upper: i32,
}

impl Bounds {
    /// Nothing is known.
    pub(super) const OPEN: Bounds = Bounds { lower: LOWEST, upper: HIGHEST };

    /// What holds if both do.
    pub(super) fn and(self, other: Bounds) -> Bounds {
        Bounds { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }
}

/// A table of a fixed number of buckets.
pub(super) struct Table {
    buckets: Vec<[u64; 2]>,
}

impl Table {
    /// A table of `mib` MiB, at least one. Memory is taken as it is used.
    pub(super) fn new(mib: usize) -> Self {
        Self { buckets: vec![[0; 2]; (mib.max(1) << 20) / size_of::<[u64; 2]>()] }
    }

    /// Whether there is memory for tables of `mib` MiB together.
    pub(super) fn has_room(mib: usize) -> bool {
        Vec::<[u64; 2]>::new().try_reserve_exact((mib << 20) / size_of::<[u64; 2]>()).is_ok()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.buckets.fill([0; 2]);
    }

    /// What is known of the position with `key`.
    pub(super) fn probe(&self, key: u64) -> Bounds {
        match self.buckets[self.place(key)].iter().find(|&&entry| entry & KEY == key) {
            Some(entry) => Bounds { lower: bound(entry >> LOWER), upper: bound(entry >> UPPER) },
            None => Bounds::OPEN,
        }
    }

    /// Stores what took a search of `nodes` positions to find out.
    pub(super) fn store(&mut self, key: u64, bounds: Bounds, nodes: u64) {
        let work = u64::from(nodes.max(1).ilog2() / 3).min(7);
        let entry = key | bits(bounds.lower) << LOWER | bits(bounds.upper) << UPPER | work << WORK;
        let place = self.place(key);
        let bucket = &mut self.buckets[place];
        let same = bucket[0] & KEY == key;
        if same || bucket[0] >> WORK <= work {
            if !same {
                bucket[1] = bucket[0];
            }
            bucket[0] = entry;
        } else {
            bucket[1] = entry;
        }
    }

    /// The bucket of `key`: its share of the 64-bit range, so that a table need not have a power of two of them.
    fn place(&self, key: u64) -> usize {
        ((u128::from(key.wrapping_mul(SPREAD)) * self.buckets.len() as u128) >> 64) as usize
    }
}

fn bits(score: i32) -> u64 {
    (score - LOWEST) as u64
}

fn bound(bits: u64) -> i32 {
    (bits & BOUND) as i32 + LOWEST
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exactly(score: i32) -> Bounds {
        Bounds { lower: score, upper: score }
    }

    #[test]
    fn every_bound_comes_back() {
        let mut table = Table::new(1);
        for lower in LOWEST..=HIGHEST {
            for upper in lower..=HIGHEST {
                table.store(KEY, Bounds { lower, upper }, 1);
                assert_eq!(table.probe(KEY), Bounds { lower, upper });
            }
        }
    }

    #[test]
    fn positions_of_one_bucket_are_told_apart_and_the_expensive_one_stays() {
        let mut table = Table::new(1);
        let [dear, cheap, later] =
            std::array::from_fn(|at| (1..).filter(|&key| table.place(key) == table.place(1)).nth(at).unwrap());
        table.store(dear, exactly(3), 1 << 20);
        table.store(cheap, exactly(-3), 1);
        assert_eq!([dear, cheap, later].map(|key| table.probe(key)), [exactly(3), exactly(-3), Bounds::OPEN]);
        table.store(later, exactly(0), 2);
        assert_eq!([dear, cheap, later].map(|key| table.probe(key)), [exactly(3), Bounds::OPEN, exactly(0)]);
        table.clear();
        assert_eq!(table.probe(dear), Bounds::OPEN);
    }
}
