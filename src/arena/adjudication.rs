//! Games decided before their end by the rules, because both players say for some time how they will end.
//!
//! Rule: a player has lost who so many moves of its own in a row gave itself no more than `-score`, while the opponent on as many of its own gave
//! itself `score` at least; a game is drawn in which both, on so many moves of their own in a row, saw no more than `score` for either. A move of
//! which its player tells no value begins the count anew. Hypotheses: the game knows wins, draws and losses only.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::{Payoff, Player};

/// When games are decided early; never, unless a rule says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Adjudication {
    /// When one player has lost.
    pub resign: Option<Agreement>,
    /// When it is a draw.
    pub draw: Option<Agreement>,
}

/// What both players must say, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// A utility, from 0 to 1.
    pub score: f32,
    /// Moves of each player.
    pub moves: u32,
    /// Plies of the game, those of its opening included, before which nothing is decided.
    pub plies: usize,
}

impl fmt::Display for Agreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { score, moves, plies } = self;
        write!(formatter, "{score} for {moves} moves from ply {plies} on")
    }
}

/// How long, in moves of one player, it has been saying the same.
#[derive(Clone, Copy, Default)]
struct Streak {
    won: u32,
    level: u32,
    lost: u32,
}

/// Watches a game.
#[derive(Default)]
pub(super) struct Umpire {
    rules: Adjudication,
    streaks: [Streak; 2],
}

impl Umpire {
    pub(super) fn new(rules: Adjudication) -> Self {
        Self { rules, ..Self::default() }
    }

    /// What is decided once `mover`, with ply number `plies` of the game, has told what it expects for itself.
    pub(super) fn hear(&mut self, mover: Player, value: Option<f32>, plies: usize) -> Option<Payoff> {
        let Adjudication { resign, draw } = self.rules;
        let streak = &mut self.streaks[mover.index()];
        let lengthen = |streak: &mut u32, rule: Option<Agreement>, holds: fn(f32, f32) -> bool| {
            let goes_on = rule.zip(value).is_some_and(|(rule, value)| holds(value, rule.score));
            *streak = if goes_on { *streak + 1 } else { 0 };
        };
        lengthen(&mut streak.won, resign, |value, score| value >= score);
        lengthen(&mut streak.lost, resign, |value, score| value <= -score);
        lengthen(&mut streak.level, draw, |value, score| value.abs() <= score);
        let decides =
            |rule: &Agreement, lengths: [u32; 2]| plies >= rule.plies && lengths.iter().all(|&length| length >= rule.moves);
        let wins = |&winner: &Player| {
            let lengths = [self.streaks[winner.index()].won, self.streaks[winner.other().index()].lost];
            resign.is_some_and(|rule| decides(&rule, lengths))
        };
        let is_level = draw.is_some_and(|rule| decides(&rule, self.streaks.map(|streak| streak.level)));
        Player::BOTH.iter().find(|winner| wins(winner)).map(|&winner| Payoff::win(winner)).or(is_level.then_some(Payoff::DRAW))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ply at which a game is decided in which the players say these things in turn, and how.
    fn decided(rules: Adjudication, values: &[Option<f32>]) -> Option<(usize, Payoff)> {
        let mut umpire = Umpire::new(rules);
        let hear = |(at, &value): (usize, &Option<f32>)| Some((at + 1, umpire.hear(Player::BOTH[at % 2], value, at + 1)?));
        values.iter().enumerate().find_map(hear)
    }

    #[test]
    fn both_must_say_it_long_enough() {
        let rules = Adjudication { resign: Some(Agreement { score: 0.5, moves: 2, plies: 0 }), draw: None };
        let said = |values: &[f32]| decided(rules, &values.iter().map(|&value| Some(value)).collect::<Vec<_>>());
        assert_eq!(said(&[0.5, -0.5, 0.6, -0.7]), Some((4, Payoff::win(Player::First))));
        assert_eq!(said(&[-0.5, 0.9, -0.6, 0.9]), Some((4, Payoff::win(Player::Second))));
        assert_eq!(said(&[0.5, -0.5, 0.4, -0.7, 0.5, -0.7]), None, "one of them doubted");
        assert_eq!(said(&[0.5, 0.5, 0.5, 0.5]), None, "each believes to win");
        assert_eq!(said(&[0.0, 0.0, 0.0, 0.0]), None, "nobody asked for draws");
        assert_eq!(decided(rules, &[Some(1.0), None, Some(1.0), None, Some(1.0)]), None, "one of them is silent");
    }

    #[test]
    fn draws_come_late_and_end_nothing_that_somebody_holds_for_won() {
        let rules = Adjudication { resign: None, draw: Some(Agreement { score: 0.1, moves: 1, plies: 5 }) };
        let said = |values: &[f32]| decided(rules, &values.iter().map(|&value| Some(value)).collect::<Vec<_>>());
        assert_eq!(said(&[0.0; 6]), Some((5, Payoff::DRAW)));
        assert_eq!(said(&[0.0, 0.2, 0.0, 0.2, 0.0, 0.2, 0.1, -0.1]), Some((8, Payoff::DRAW)));
    }
}
