//! Scores of the solver literature, and what they say as class and plies.
//!
//! A win counts 22 minus the stones that the winner has played by then, the last one included; a loss counts as much below 0, and a draw
//! 0. So a score s > 0 says that the mover wins with his stone number 22 - s, and s < 0 that the other does with hers. With p stones
//! on the board, whose mover is the first player where p is even, the game ends at ply
//!
//! ```text
//! 2 (22 - |s|) - 1   where the first player wins,
//! 2 (22 - |s|)       where the second does,
//! 42                 in a draw,
//! ```
//! and lasts as many plies more as that exceeds p. (P. Pons, "Solving Connect 4: how to build a perfect AI", part 2.)

use super::board::CELLS;
use crate::solver::{Class, Verdict};

/// The least score: the other player wins with her fourth stone.
pub const LOWEST: i32 = -18;
/// The greatest score: the mover wins with his fourth stone.
pub const HIGHEST: i32 = 18;

/// The score of a win with the next stone, with `plies` stones on the board.
#[must_use]
pub const fn win_now(plies: u32) -> i32 {
    (CELLS as i32 + 1 - plies as i32) / 2
}

/// The score of a loss to the other player's next stone, with `plies` stones on the board.
#[must_use]
pub const fn loss_next(plies: u32) -> i32 {
    -((CELLS as i32 - plies as i32) / 2)
}

/// Who wins, for the mover.
#[must_use]
pub const fn class(score: i32) -> Class {
    match score {
        1.. => Class::Win,
        0 => Class::Draw,
        _ => Class::Loss,
    }
}

/// What a position with `plies` stones and this score comes to.
#[must_use]
pub const fn verdict(score: i32, plies: u32) -> Verdict {
    let outcome = class(score);
    let mover_is_first = plies.is_multiple_of(2);
    let first_wins = matches!((outcome, mover_is_first), (Class::Win, true) | (Class::Loss, false));
    let end = match outcome {
        Class::Draw => CELLS,
        _ => 2 * (22 - score.unsigned_abs()) - first_wins as u32,
    };
    Verdict { outcome, plies: end.saturating_sub(plies) }
}

/// The score of a position with `plies` stones that comes to `verdict`: the inverse of [`verdict()`].
#[must_use]
pub const fn score(verdict: Verdict, plies: u32) -> i32 {
    let stones = (plies + verdict.plies).div_ceil(2) as i32;
    match verdict.outcome {
        Class::Win => 22 - stones,
        Class::Draw => 0,
        Class::Loss => stones - 22,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_verdicts_say_the_same() {
        for plies in 0..CELLS {
            for found in loss_next(plies)..=win_now(plies) {
                let said = verdict(found, plies);
                assert_eq!(score(said, plies), found, "{said:?} after {plies}");
                assert!(said.plies >= 1 && plies + said.plies <= CELLS, "{found} after {plies}: {said:?}");
            }
            assert_eq!(verdict(win_now(plies), plies).plies, 1);
            if plies + 2 <= CELLS {
                assert_eq!(verdict(loss_next(plies), plies).plies, 2);
            }
        }
    }

    #[test]
    fn the_examples_of_the_literature() {
        // After 4455 the first player completes a row with his fourth stone, the seventh of the game.
        assert_eq!(verdict(18, 4), Verdict { outcome: Class::Win, plies: 3 });
        // After eleven plies the second player is to move and the first wins with his seventh stone.
        assert_eq!(verdict(-15, 11), Verdict { outcome: Class::Loss, plies: 2 });
        assert_eq!(verdict(0, 30), Verdict { outcome: Class::Draw, plies: 12 });
    }
}
