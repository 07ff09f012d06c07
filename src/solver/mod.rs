//! Perfect play, where a game allows it: what a position is worth and how long it lasts when nobody errs.

mod exhaustive;
pub mod four_in_a_row;
mod induction;

use std::cmp::Ordering;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};

pub use exhaustive::Exhaustive;
pub use induction::Induction;

use crate::game::{Action, Entry, Game, Turn};

/// What a position is worth to a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Class {
    /// The other player can force a win.
    Loss,
    /// Neither can.
    Draw,
    /// The player can force a win.
    Win,
}

impl Class {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Class::Loss => "loss",
            Class::Draw => "draw",
            Class::Win => "win",
        }
    }

    /// The same for the other player.
    #[must_use]
    pub const fn for_other(self) -> Self {
        match self {
            Class::Loss => Class::Win,
            Class::Draw => Class::Draw,
            Class::Win => Class::Loss,
        }
    }
}

/// The result of perfect play, for the mover: a win as soon, a loss as late as possible. Greater is better for the mover; of
/// two draws the longer counts as greater, and both players prefer it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Verdict {
    /// Who wins.
    pub outcome: Class,
    /// Plies to the end of the game.
    pub plies: u32,
}

impl Verdict {
    /// The same result for the other player.
    #[must_use]
    pub const fn for_other(self) -> Self {
        Verdict { outcome: self.outcome.for_other(), plies: self.plies }
    }

    /// The same result, seen a ply before.
    #[must_use]
    pub const fn a_ply_before(self) -> Self {
        Verdict { outcome: self.outcome, plies: self.plies + 1 }
    }

    /// Whether a move with this verdict is as strong as one with `best`: it keeps the class, wins as soon and loses as late.
    /// How long a draw takes does not matter.
    #[must_use]
    pub fn is_as_strong_as(self, best: Verdict) -> bool {
        self.outcome == best.outcome && (self.outcome == Class::Draw || self >= best)
    }
}

impl Ord for Verdict {
    fn cmp(&self, other: &Self) -> Ordering {
        self.outcome.cmp(&other.outcome).then_with(|| match self.outcome {
            Class::Win => other.plies.cmp(&self.plies),
            Class::Draw | Class::Loss => self.plies.cmp(&other.plies),
        })
    }
}

impl PartialOrd for Verdict {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Knows perfect play.
pub trait Solver<G: Game>: Send {
    /// Every legal move of `state`, in the order of the rules, with what it is worth to the one who plays it; plies count from
    /// `state`. None where the game is over, or where the solver gives up because it may spend no more.
    fn moves(&mut self, state: &G::State) -> Vec<(Action, Verdict)>;
}

/// The solver of a game, if it has one: that of four in a row, which may use and spend what `options` say, or exhaustive search where
/// every position can be visited.
#[must_use]
pub fn of<G: Game>(entry: &Entry<G>, options: four_in_a_row::Options) -> Option<Box<dyn Solver<G>>> {
    if let Some(show) = entry.four_in_a_row {
        return Some(Box::new(four_in_a_row::FourInARow::new(show, options)));
    }
    let exhaustive = Exhaustive::new(&entry.game).ok().filter(|_| entry.enumerable)?;
    Some(Box::new(exhaustive))
}

/// Every position that can be reached and in which somebody is to move: breadth first, moves in the order of the rules. For games without
/// chance.
#[must_use]
pub fn undecided_positions<G: Game>(game: &G) -> Vec<G::State> {
    let is_undecided = |state: &G::State| matches!(game.turn(state), Turn::Move(_));
    let initial = game.initial();
    let mut seen = HashSet::from([initial.clone()]);
    let mut found: Vec<G::State> = Vec::new();
    if is_undecided(&initial) {
        found.push(initial);
    }
    let mut next = 0;
    while let Some(state) = found.get(next).cloned() {
        for (_, successor) in successors(game, &state) {
            if is_undecided(&successor) && seen.insert(successor.clone()) {
                found.push(successor);
            }
        }
        next += 1;
    }
    found
}

/// The legal moves of `state` and the positions after them.
fn successors<G: Game>(game: &G, state: &G::State) -> Vec<(Action, G::State)> {
    let mut actions = Vec::new();
    game.actions(state, &mut actions);
    let after = |action| {
        let mut next = state.clone();
        game.play(&mut next, action);
        (action, next)
    };
    actions.into_iter().map(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn verdict(outcome: Class, plies: u32) -> Verdict {
        Verdict { outcome, plies }
    }

    #[test]
    fn greater_is_better_for_the_mover() {
        use Class::{Draw, Loss, Win};
        let ordered =
            [(Loss, 2), (Loss, 8), (Draw, 1), (Draw, 9), (Win, 7), (Win, 1)].map(|(class, plies)| verdict(class, plies));
        assert!(ordered.is_sorted_by(|a, b| a < b));
        let earlier = ordered.map(Verdict::a_ply_before);
        assert!(earlier.is_sorted_by(|a, b| a < b), "counting from a ply before keeps the order");
    }

    #[test]
    fn the_length_of_a_draw_is_no_strength() {
        assert!(verdict(Class::Draw, 1).is_as_strong_as(verdict(Class::Draw, 9)));
        assert!(!verdict(Class::Win, 3).is_as_strong_as(verdict(Class::Win, 1)));
        assert!(!verdict(Class::Loss, 2).is_as_strong_as(verdict(Class::Loss, 4)));
        assert!(!verdict(Class::Loss, 4).is_as_strong_as(verdict(Class::Draw, 1)));
    }
}
