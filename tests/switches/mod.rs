//! The switches of alpha-beta, none of which may change a value.

use plyzero::search::alpha_beta::Options;

/// Alpha-beta's seven switches, on where a bit of `subset` is.
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
    }
}

/// The number of subsets.
pub const SUBSETS: u32 = 1 << 7;
