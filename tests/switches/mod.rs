//! The switches of alpha-beta, none of which may change a value.

use plyzero::search::alpha_beta::{Options, Selective};

/// Alpha-beta's ten switches, on where a bit of `subset` is.
pub fn options(subset: u32) -> Options {
    let on = |bit: u32| subset >> bit & 1 == 1;
    Options {
        table_mib: usize::from(on(0)),
        killers: on(1),
        history: on(2),
        knowledge_ordering: on(3),
        iterative_deepening: on(4),
        distance: on(5),
        shuffle_root: on(6),
        keep_table: on(7),
        scout: on(8),
        aspiration: on(9),
        selective: Selective::NONE,
    }
}

/// The number of subsets in a fair sample.
pub const SAMPLE: u32 = 1 << 7;

/// The subset `number` of the sample: seven switches are free, the others follow from them, such that of any three switches all
/// eight combinations occur.
pub fn sampled(number: u32) -> u32 {
    let parity = |mask: u32| (number & mask).count_ones() & 1;
    number | parity(0b000_1111) << 7 | parity(0b011_0011) << 8 | parity(0b101_0101) << 9
}
