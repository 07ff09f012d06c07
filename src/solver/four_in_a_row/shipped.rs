//! The sets of solved positions that come with the program, made by `plyzero positions connect_four` with its defaults.

use std::io::Read as _;

use flate2::read::GzDecoder;

use super::sets::{Half, Set, Solved, SolvedError};

/// Positions of each half of each set.
pub const POSITIONS: usize = 1000;

/// The halves of a set, compressed.
macro_rules! halves {
    ($set:literal) => {
        [
            include_bytes!(concat!("../../../data/four_in_a_row/test/", $set, ".txt.gz")),
            include_bytes!(concat!("../../../data/four_in_a_row/development/", $set, ".txt.gz")),
        ]
    };
}

/// A set that cannot be read: not one that a sound program has.
#[derive(Debug, thiserror::Error)]
pub enum ShippedError {
    /// It cannot be decompressed.
    #[error("the set {set} of this program is damaged: {source}")]
    Compressed {
        /// The set.
        set: &'static str,
        /// Why not.
        source: std::io::Error,
    },
    /// A line of it is wrong.
    #[error("line {number} of the set {set} of this program is wrong: {source}")]
    Line {
        /// The set.
        set: &'static str,
        /// The line, from 1.
        number: usize,
        /// What is wrong.
        source: SolvedError,
    },
}

/// The positions of a half of a set, in the order they were drawn.
///
/// # Errors
/// When the program was built from damaged files.
pub fn load(half: Half, set: Set) -> Result<Vec<Solved>, ShippedError> {
    let name = set.name();
    let mut text = String::new();
    let read = GzDecoder::new(compressed(half, set)).read_to_string(&mut text);
    read.map_err(|source| ShippedError::Compressed { set: name, source })?;
    let parse = |(line, number): (&str, usize)| line.parse().map_err(|source| ShippedError::Line { set: name, number, source });
    text.lines().zip(1..).map(parse).collect()
}

fn compressed(half: Half, set: Set) -> &'static [u8] {
    let halves: [&[u8]; 2] = match set {
        Set::BeginEasy => halves!("begin-easy"),
        Set::BeginMedium => halves!("begin-medium"),
        Set::BeginHard => halves!("begin-hard"),
        Set::MiddleEasy => halves!("middle-easy"),
        Set::MiddleMedium => halves!("middle-medium"),
        Set::EndEasy => halves!("end-easy"),
    };
    match half {
        Half::Test => halves[0],
        Half::Development => halves[1],
    }
}
