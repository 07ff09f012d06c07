//! Sets of solved positions by which solvers and networks are measured, in the classes of the literature.
//!
//! A class has a stage, by the plies played (begin up to 14, middle 15 to 28, end more), and a difficulty, by the plies that perfect play
//! lasts from there (easy under 14, medium 14 to 28, hard more). Six classes have positions enough. (P. Pons, "Solving Connect 4: how to build
//! a perfect AI", part 2.)
//!
//! Positions are drawn by uniformly random moves; how many is drawn uniformly within the stage, from 8 on, for there are few shorter
//! games and they take long. Left out are positions where the game is over or the mover wins at once, and those met before, they or their
//! mirror image. Of the positions of a class, in the order they are drawn, every other is for tests, the rest for development: nobody
//! should look at the first while something is still being changed.

use std::collections::HashSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use rand::RngExt as _;

use super::board::{Board, COLUMNS, PlayError};
use super::score::{HIGHEST, LOWEST, verdict};
use crate::rng;

/// A half of the positions of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// For results that are told.
    Test,
    /// For everything before.
    Development,
}

impl Half {
    /// Both of them; positions are dealt out in this order.
    pub const BOTH: [Half; 2] = [Half::Test, Half::Development];

    /// Its name, that of its folder.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Half::Test => "test",
            Half::Development => "development",
        }
    }
}

/// A class of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Set {
    /// 8 to 14 plies played, under 14 to the end.
    BeginEasy,
    /// 8 to 14 plies played, 14 to 28 to the end.
    BeginMedium,
    /// 8 to 14 plies played, more than 28 to the end.
    BeginHard,
    /// 15 to 28 plies played, under 14 to the end.
    MiddleEasy,
    /// 15 to 28 plies played, 14 or more to the end.
    MiddleMedium,
    /// More than 28 plies played.
    EndEasy,
}

impl Set {
    /// All of them.
    pub const ALL: [Set; 6] =
        [Set::BeginEasy, Set::BeginMedium, Set::BeginHard, Set::MiddleEasy, Set::MiddleMedium, Set::EndEasy];

    /// Its name, such as `begin-easy`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Set::BeginEasy => "begin-easy",
            Set::BeginMedium => "begin-medium",
            Set::BeginHard => "begin-hard",
            Set::MiddleEasy => "middle-easy",
            Set::MiddleMedium => "middle-medium",
            Set::EndEasy => "end-easy",
        }
    }

    /// The class of a position with `plies` stones and this score.
    #[must_use]
    pub const fn of(plies: u32, score: i32) -> Self {
        match (plies, verdict(score, plies).plies) {
            (0..=14, 0..14) => Set::BeginEasy,
            (0..=14, 14..=28) => Set::BeginMedium,
            (0..=14, _) => Set::BeginHard,
            (15..=28, 0..14) => Set::MiddleEasy,
            (15..=28, _) => Set::MiddleMedium,
            _ => Set::EndEasy,
        }
    }

    /// The stage of its positions.
    #[must_use]
    pub const fn stage(self) -> Stage {
        match self {
            Set::BeginEasy | Set::BeginMedium | Set::BeginHard => Stage::Begin,
            Set::MiddleEasy | Set::MiddleMedium => Stage::Middle,
            Set::EndEasy => Stage::End,
        }
    }
}

/// How far a game has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Up to 14 plies.
    Begin,
    /// 15 to 28 plies.
    Middle,
    /// More.
    End,
}

impl Stage {
    /// All of them.
    pub const ALL: [Stage; 3] = [Stage::Begin, Stage::Middle, Stage::End];

    /// Its name, such as `begin`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Begin => "begin",
            Stage::Middle => "middle",
            Stage::End => "end",
        }
    }

    /// Plies of positions that are drawn.
    const fn plies(self) -> RangeInclusive<usize> {
        match self {
            Stage::Begin => 8..=14,
            Stage::Middle => 15..=28,
            Stage::End => 29..=41,
        }
    }
}

/// A position with the moves that led to it, such as `4455`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The moves.
    pub moves: String,
    /// The position.
    pub board: Board,
}

/// The positions of a stage, in the order they are drawn from the streams `(seed, "begin positions", draw)` and so on: all distinct, the
/// game not over, no win in one. It never ends; late in a stage with few positions it may search for long.
pub fn draw(stage: Stage, seed: u64) -> impl Iterator<Item = Drawn> + Send {
    let purpose = match stage {
        Stage::Begin => "begin positions",
        Stage::Middle => "middle positions",
        Stage::End => "end positions",
    };
    let mut seen = HashSet::new();
    (0..).filter_map(move |index| {
        let mut rng = rng::stream(seed, purpose, index);
        let plies = rng.random_range(stage.plies());
        let drawn = walk(plies, &mut rng)?;
        (!drawn.board.wins_at_once() && seen.insert(drawn.board.mirrored_key())).then_some(drawn)
    })
}

/// The position after so many random moves; none where the game ends on the way.
fn walk(plies: usize, rng: &mut rng::Rng) -> Option<Drawn> {
    let mut drawn = Drawn { moves: String::with_capacity(plies), board: Board::default() };
    for _ in 0..plies {
        let legal: Vec<(usize, u64)> =
            (1..).zip(drawn.board.moves()).filter_map(|(column, cell)| Some((column, cell?))).collect();
        let (column, cell) = legal[rng.random_range(0..legal.len())];
        if drawn.board.wins_at(cell) {
            return None;
        }
        drawn.board = drawn.board.play(cell);
        drawn.moves += &column.to_string();
    }
    (!drawn.board.is_full()).then_some(drawn)
}

/// A solved position. As text: its moves, its score, and the scores of the columns from the left, with a dot where one is full; the first
/// two are what the literature's files hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// The position.
    pub position: Drawn,
    /// What each column is worth to the mover.
    pub columns: [Option<i32>; COLUMNS],
}

impl Solved {
    /// What the position is worth to its mover.
    #[must_use]
    pub fn score(&self) -> i32 {
        self.columns.into_iter().flatten().max().unwrap_or(0)
    }
}

impl fmt::Display for Solved {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.position.moves, self.score())?;
        self.columns.iter().try_for_each(|column| match column {
            Some(score) => write!(formatter, " {score}"),
            None => write!(formatter, " ."),
        })
    }
}

/// A line that holds no solved position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolvedError {
    /// Its moves lead nowhere.
    #[error(transparent)]
    Moves(#[from] PlayError),
    /// Its figures are not what follows moves.
    #[error("after the moves stand their score and the scores of {COLUMNS} columns, a dot for a full one, not {0:?}")]
    Scores(String),
}

impl FromStr for Solved {
    type Err = SolvedError;

    fn from_str(line: &str) -> Result<Self, SolvedError> {
        let (moves, figures) = line.split_once(' ').unwrap_or((line, ""));
        let wrong = || SolvedError::Scores(figures.to_owned());
        let position = Drawn { moves: moves.to_owned(), board: Board::after(moves)? };
        let mut words = figures.split_whitespace();
        let score = words.next().and_then(number).ok_or_else(wrong)?;
        let mut columns = [None; COLUMNS];
        for (column, cell) in columns.iter_mut().zip(position.board.moves()) {
            *column = match (words.next(), cell) {
                (Some("."), None) => None,
                (Some(word), Some(_)) => Some(number(word).ok_or_else(wrong)?),
                _ => return Err(wrong()),
            };
        }
        let solved = Solved { position, columns };
        if words.next().is_none() && solved.score() == score { Ok(solved) } else { Err(wrong()) }
    }
}

fn number(word: &str) -> Option<i32> {
    word.parse().ok().filter(|score| (LOWEST..=HIGHEST).contains(score))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_drawn_distinct_undecided_and_alike_for_a_seed() {
        for stage in Stage::ALL {
            let drawn: Vec<Drawn> = draw(stage, 1).take(300).collect();
            assert_eq!(drawn, draw(stage, 1).take(300).collect::<Vec<_>>());
            assert_ne!(drawn[0], draw(stage, 2).next().unwrap());
            let keys: HashSet<u64> = drawn.iter().map(|drawn| drawn.board.mirrored_key()).collect();
            assert_eq!(keys.len(), drawn.len());
            for Drawn { moves, board } in drawn {
                assert_eq!(Board::after(&moves), Ok(board), "{moves}");
                assert!(!board.wins_at_once() && stage.plies().contains(&moves.len()), "{moves}");
            }
        }
    }

    #[test]
    fn classes_are_the_literatures() {
        let class = |plies, score| Set::of(plies, score).name();
        // The first player wins at ply 2 (22 - score) - 1 of the game: 13, 15, 27 and 29 plies after the tenth.
        let hardness = [class(10, 10), class(10, 9), class(10, 3), class(10, 2)];
        assert_eq!(hardness, ["begin-easy", "begin-medium", "begin-medium", "begin-hard"]);
        assert_eq!([class(14, 0), class(13, 0)], ["begin-medium", "begin-hard"]);
        assert_eq!([class(28, 1), class(28, 0), class(29, 0)], ["middle-easy", "middle-medium", "end-easy"]);
    }

    #[test]
    fn a_line_reads_back_and_a_wrong_one_is_refused() {
        let line = "4444443 2 -4 2 -4 . 1 -2 -3";
        assert_eq!(line.parse::<Solved>().unwrap().to_string(), line);
        for wrong in [
            "4444443",
            "4444443 2",
            "4444443 3 -4 2 -4 . 1 -2 -3",
            "4444443 2 -4 2 -4 0 1 -2 -3",
            "4444443 2 -4 2 -4 . 1 -2",
            "4444443 2 -4 2 -4 . 1 -2 -3 1",
            "4444443 2 -4 2 -4 . 1 -2 -30",
            "4444448 2 -4 2 -4 . 1 -2 -3",
        ] {
            assert!(wrong.parse::<Solved>().is_err(), "{wrong}");
        }
    }
}
