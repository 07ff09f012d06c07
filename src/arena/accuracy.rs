//! How often moves agree with perfect play. Three shares, because they answer different questions: does a move keep what
//! the position is worth; does it where that can be lost at all; and does it also win as soon or lose as late as possible.
//!
//! The first alone flatters: in a lost position no move is wrong. Compare like with like.

use serde::Serialize;

use crate::game::{Action, Game};
use crate::solver::{Solver, Verdict};

/// Agreement with perfect play over a set of positions. Shares are in [0, 1]; a share of no positions is 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// Positions judged.
    pub positions: usize,
    /// Those among them in which some legal move loses value.
    pub critical: usize,
    /// Share of positions whose move keeps the win, or else the draw.
    pub value_preserving: f64,
    /// The same share, of critical positions only.
    pub value_preserving_critical: f64,
    /// Share of positions whose move keeps the value and wins as soon or loses as late as possible; every move that keeps a draw
    /// counts.
    pub strongest: f64,
}

/// Numbers of positions.
#[derive(Default)]
struct Tally {
    positions: usize,
    critical: usize,
    preserving: usize,
    preserving_critical: usize,
    strongest: usize,
}

/// Judges `choices[i]`, chosen in `positions[i]`, by `solver`. A choice that is not a legal move is wrong in every respect;
/// positions without a legal move, or beyond the shorter slice, are left out.
pub fn measure<G: Game>(solver: &mut dyn Solver<G>, positions: &[G::State], choices: &[Action]) -> Accuracy {
    let mut tally = Tally::default();
    for (state, &choice) in positions.iter().zip(choices) {
        tally.judge(&solver.moves(state), choice);
    }
    Accuracy {
        positions: tally.positions,
        critical: tally.critical,
        value_preserving: share(tally.preserving, tally.positions),
        value_preserving_critical: share(tally.preserving_critical, tally.critical),
        strongest: share(tally.strongest, tally.positions),
    }
}

impl Tally {
    fn judge(&mut self, moves: &[(Action, Verdict)], choice: Action) {
        let Some(best) = moves.iter().map(|&(_, verdict)| verdict).max() else { return };
        let chosen = moves.iter().find(|&&(action, _)| action == choice).map(|&(_, verdict)| verdict);
        let preserves = chosen.is_some_and(|verdict| verdict.outcome == best.outcome);
        let is_critical = moves.iter().any(|&(_, verdict)| verdict.outcome != best.outcome);
        self.positions += 1;
        self.critical += usize::from(is_critical);
        self.preserving += usize::from(preserves);
        self.preserving_critical += usize::from(preserves && is_critical);
        self.strongest += usize::from(chosen.is_some_and(|verdict| verdict.is_as_strong_as(best)));
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::TicTacToe;
    use crate::solver::Class;

    /// Answers every question with the same list of moves.
    struct Fixed(Vec<(Action, Verdict)>);

    impl Solver<TicTacToe> for Fixed {
        fn moves(&mut self, _: &<TicTacToe as Game>::State) -> Vec<(Action, Verdict)> {
            self.0.clone()
        }
    }

    fn of(verdicts: &[(Class, u32)], choices: &[u16]) -> Accuracy {
        let listed = verdicts.iter().zip(0..).map(|(&(outcome, plies), action)| (Action(action), Verdict { outcome, plies }));
        let positions = vec![TicTacToe::new().initial(); choices.len()];
        let choices: Vec<Action> = choices.iter().copied().map(Action).collect();
        measure(&mut Fixed(listed.collect()), &positions, &choices)
    }

    #[test]
    fn the_three_shares_differ_as_they_should() {
        let found = of(&[(Class::Win, 3), (Class::Win, 5), (Class::Draw, 9), (Class::Loss, 2)], &[0, 1, 2, 3]);
        assert_eq!((found.positions, found.critical), (4, 4));
        assert_eq!((found.value_preserving, found.value_preserving_critical, found.strongest), (0.5, 0.5, 0.25));
    }

    #[test]
    fn lost_positions_are_never_critical_but_have_a_strongest_move() {
        let found = of(&[(Class::Loss, 2), (Class::Loss, 4)], &[0, 1]);
        assert_eq!((found.critical, found.value_preserving, found.value_preserving_critical), (0, 1.0, 1.0));
        assert_eq!(found.strongest, 0.5);
    }

    #[test]
    fn an_illegal_choice_is_wrong_and_a_finished_game_left_out() {
        assert_eq!(of(&[(Class::Draw, 1)], &[7]).value_preserving, 0.0);
        assert_eq!(of(&[], &[7]).positions, 0);
    }
}
