//! The evaluation of a position: a weighted sum of its features, in hundredths of a pawn.
//!
//! Each feature has two weights, one for the middle game and one for the endgame, and counts as much of each as the pieces on the board say. All
//! weights stand in one table, `weights.toml`, from which they can be tuned.

use std::collections::BTreeMap;

use cozy_chess::{Board as Setup, Piece};
use serde::{Deserialize, Serialize};

use super::features::{self, FEATURES, FOLDED, Feature, WHOLE};
use crate::game::Term;

/// The table as it is shipped.
const SHIPPED: &str = include_str!("weights.toml");

/// A weight in the middle game and in the endgame.
pub(super) type Phases = [i32; 2];

/// What each feature is worth, in hundredths of a pawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weights(Vec<Phases>);

/// A table of weights as it is written.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Table {
    features: BTreeMap<String, Vec<i32>>,
    squares: BTreeMap<String, Squares>,
}

/// Weights of a kind of piece on the files a to d, or h to e, its own first rank first.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Squares {
    middle: Vec<Vec<i32>>,
    end: Vec<Vec<i32>>,
}

/// Pieces as the table calls them.
const PIECES: [(Piece, &str); Piece::NUM] = [
    (Piece::Pawn, "pawn"),
    (Piece::Knight, "knight"),
    (Piece::Bishop, "bishop"),
    (Piece::Rook, "rook"),
    (Piece::Queen, "queen"),
    (Piece::King, "king"),
];

/// A table that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidWeights {
    #[error(transparent)]
    Syntax(#[from] toml::de::Error),
    /// A feature, or a kind of piece, of the table or of the program alone.
    #[error("{0:?} is missing, or is no feature")]
    Feature(String),
    /// Too few or too many weights.
    #[error("{0:?} must have {1}")]
    Size(String, &'static str),
}

impl Weights {
    /// The shipped table.
    pub(super) fn shipped() -> Self {
        // That it can be read is a test; without weights every position would be a draw.
        Self::read(SHIPPED).unwrap_or(Self(vec![[0; 2]; FEATURES]))
    }

    /// Reads a table.
    ///
    /// # Errors
    /// When it is no table, or its features are not those of the program.
    pub(super) fn read(text: &str) -> Result<Self, InvalidWeights> {
        let mut table: Table = toml::from_str(text)?;
        let mut weights = Vec::with_capacity(FEATURES);
        let missing = |name: &str| InvalidWeights::Feature(name.to_owned());
        for (_, name) in Feature::NAMED {
            let phases = table.features.remove(name).ok_or_else(|| missing(name))?;
            let phases = Phases::try_from(phases);
            weights.push(phases.map_err(|_| InvalidWeights::Size(name.to_owned(), "two weights"))?);
        }
        for (_, name) in PIECES {
            let Squares { middle, end } = table.squares.remove(name).ok_or_else(|| missing(name))?;
            let is_board = |rows: &[Vec<i32>]| rows.len() == 8 && rows.iter().all(|row| row.len() == 4);
            if !is_board(&middle) || !is_board(&end) {
                return Err(InvalidWeights::Size(name.to_owned(), "eight rows of four weights in each phase"));
            }
            let pairs = middle.into_iter().flatten().zip(end.into_iter().flatten());
            weights.extend(pairs.map(|(middle, end)| [middle, end]));
        }
        match table.features.into_keys().chain(table.squares.into_keys()).next() {
            Some(name) => Err(InvalidWeights::Feature(name)),
            None => Ok(Self(weights)),
        }
    }

    /// The weights of all features, in their order.
    pub(super) fn of(phases: Vec<Phases>) -> Self {
        Self(phases)
    }

    /// In the middle game and in the endgame, in the order of the features.
    pub(super) fn phases(&self) -> &[Phases] {
        &self.0
    }

    /// The table as [`Weights::read`] reads it.
    pub(super) fn write(&self) -> String {
        let mut text =
            "# What the features of a chess position are worth, in hundredths of a pawn: in the middle game, in the endgame.\n\n[features]\n".to_owned();
        for (feature, name) in Feature::NAMED {
            let [middle, end] = self.0[feature as usize];
            text += &format!("{name} = [{middle}, {end}]\n");
        }
        for (piece, name) in PIECES {
            text += &format!("\n# Files a to d, which h to e are the same as; the owner's first rank first.\n[squares.{name}]\n");
            for (phase, title) in ["middle", "end"].into_iter().enumerate() {
                let row = |rank: &[Phases]| {
                    let cells: Vec<String> = rank.iter().map(|phases| format!("{:3}", phases[phase])).collect();
                    format!("    [{}],\n", cells.join(", "))
                };
                let rows: String = self.squares(piece).chunks(4).map(row).collect();
                text += &format!("{title} = [\n{rows}]\n");
            }
        }
        text
    }

    /// The value of a position for White, in hundredths of a pawn.
    pub(super) fn value(&self, setup: &Setup) -> i32 {
        let [mut middle, mut end] = [0; 2];
        features::count(setup, |feature, number| {
            let [in_middle, in_end] = self.0[feature];
            middle += in_middle * number;
            end += in_end * number;
        });
        let phase = features::phase(setup);
        (middle * phase + end * (WHOLE - phase)) / WHOLE
    }

    /// The weights of a kind of piece on its squares, folded.
    fn squares(&self, piece: Piece) -> &[Phases] {
        let first = Feature::NAMED.len() + piece as usize * FOLDED;
        &self.0[first..first + FOLDED]
    }
}

impl Weights {
    /// The features of a position that count, in the order of the table; of squares, the pieces are counted. Their parts sum to its value but for rounding.
    pub(super) fn terms(&self, setup: &Setup) -> Vec<Term> {
        let mut counts = vec![0; FEATURES];
        features::count(setup, |feature, number| counts[feature] += number);
        let phase = f64::from(features::phase(setup)) / f64::from(WHOLE);
        let blend = |[middle, end]: Phases| f64::from(middle) * phase + f64::from(end) * (1.0 - phase);
        let named = Feature::NAMED.iter().map(|&(feature, name)| {
            let (count, weight) = (counts[feature as usize], blend(self.0[feature as usize]));
            Term { name: name.to_owned(), count, weight: Some(weight), part: weight * f64::from(count) }
        });
        let squares = PIECES.iter().map(|&(piece, name)| {
            let first = Feature::NAMED.len() + piece as usize * FOLDED;
            let counts = &counts[first..first + FOLDED];
            let part = counts.iter().zip(self.squares(piece)).map(|(&count, &phases)| f64::from(count) * blend(phases)).sum();
            Term { name: format!("{name} squares"), count: counts.iter().sum(), weight: None, part }
        });
        named.chain(squares).filter(|term| term.count != 0 || term.part != 0.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_table_is_read_and_written() {
        let shipped = Weights::read(SHIPPED).unwrap();
        assert_eq!(shipped.phases().len(), FEATURES);
        assert_eq!(shipped.write(), SHIPPED);
        assert_eq!(Weights::read(&shipped.write()).unwrap(), shipped);
    }

    #[test]
    fn a_table_that_is_not_whole_is_refused() {
        let tempo = SHIPPED.lines().find(|line| line.starts_with("tempo = ")).unwrap();
        for (from, to) in [
            ("pawn =", "prawn ="),
            (tempo, ""),
            ("[squares.king]", "[squares.kong]"),
            (tempo, "tempo = [1, 2, 3]"),
            (tempo, "tempo = [1]"),
            ("  0,   0],", "  0],"),
        ] {
            assert!(SHIPPED.contains(from), "{from}");
            assert!(Weights::read(&SHIPPED.replacen(from, to, 1)).is_err(), "{from}");
        }
        assert!(Weights::read("tempo").is_err());
    }
}
