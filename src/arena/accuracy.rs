//! How often moves agree with perfect play. Three shares, because they answer different questions: does a move keep what
//! the position is worth; does it where that can be lost at all; and does it also win as soon or lose as late as possible.
//!
//! The first alone flatters: in a lost position no move is wrong. Compare like with like. [`super::agreement`] has the errors, and how
//! sure all of it is.

use serde::Serialize;

use crate::eval::Chances;
use crate::game::{Action, Game};
use crate::solver::{Class, Induction, Solver, Verdict};

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

/// What perfect play says of a position, and of what was chosen and thought there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// What the position is worth to its mover.
    pub class: Class,
    /// Whether some legal move loses value.
    pub is_critical: bool,
    /// Whether the chosen move keeps the win, or else the draw.
    pub preserves: bool,
    /// Whether it also wins as soon or loses as late as possible.
    pub is_strongest: bool,
    /// How the game was thought to end, where that is known.
    pub chances: Option<Chances>,
}

/// Judges `choices[i]`, chosen in `positions[i]`, by `solver`, beside `chances[i]`, which may be missing. A choice that is not a legal
/// move is wrong in every respect; positions without a legal move, or beyond the choices, are left out.
pub fn judge<G: Game>(
    solver: &mut dyn Solver<G>,
    positions: &[G::State],
    choices: &[Action],
    chances: &[Option<Chances>],
) -> Vec<Judged> {
    let chances = chances.iter().copied().chain(std::iter::repeat(None));
    let chosen = positions.iter().zip(choices).zip(chances);
    chosen.filter_map(|((state, &choice), chances)| Judged::of(&solver.moves(state), choice, chances)).collect()
}

/// The same where results are more than wins, draws and losses: a move keeps the value if its mover gets as much by it as by any, and is then a
/// strongest one too. A position is won that is worth more than nothing to its mover, and lost that is worth less.
pub fn judge_utilities<G: Game>(induction: &mut Induction<G>, positions: &[G::State], choices: &[Action]) -> Vec<Judged> {
    positions
        .iter()
        .zip(choices)
        .filter_map(|(state, &choice)| Judged::of_utilities(&induction.utilities(state), choice))
        .collect()
}

/// How often `choices[i]`, chosen in `positions[i]`, agrees with `solver`; see [`judge`].
pub fn measure<G: Game>(solver: &mut dyn Solver<G>, positions: &[G::State], choices: &[Action]) -> Accuracy {
    Accuracy::of(&judge(solver, positions, choices, &[]))
}

impl Judged {
    fn of(moves: &[(Action, Verdict)], choice: Action, chances: Option<Chances>) -> Option<Self> {
        let best = moves.iter().map(|&(_, verdict)| verdict).max()?;
        let chosen = moves.iter().find(|&&(action, _)| action == choice).map(|&(_, verdict)| verdict);
        Some(Self {
            class: best.outcome,
            is_critical: moves.iter().any(|&(_, verdict)| verdict.outcome != best.outcome),
            preserves: chosen.is_some_and(|verdict| verdict.outcome == best.outcome),
            is_strongest: chosen.is_some_and(|verdict| verdict.is_as_strong_as(best)),
            chances,
        })
    }

    fn of_utilities(moves: &[(Action, f32)], choice: Action) -> Option<Self> {
        let best = moves.iter().map(|&(_, utility)| utility).reduce(f32::max)?;
        let preserves = moves.iter().any(|&(action, utility)| action == choice && utility >= best);
        let class = match best {
            best if best > 0.0 => Class::Win,
            best if best < 0.0 => Class::Loss,
            _ => Class::Draw,
        };
        let is_critical = moves.iter().any(|&(_, utility)| utility < best);
        Some(Self { class, is_critical, preserves, is_strongest: preserves, chances: None })
    }
}

impl Accuracy {
    /// The shares of these positions.
    #[must_use]
    pub fn of(judged: &[Judged]) -> Self {
        let count = |holds: fn(&Judged) -> bool| judged.iter().filter(|one| holds(one)).count();
        let (positions, critical) = (judged.len(), count(|one| one.is_critical));
        Self {
            positions,
            critical,
            value_preserving: share(count(|one| one.preserves), positions),
            value_preserving_critical: share(count(|one| one.is_critical && one.preserves), critical),
            strongest: share(count(|one| one.is_strongest), positions),
        }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::TicTacToe;

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
    fn a_position_keeps_what_was_thought_of_it_and_may_be_without() {
        let position = [TicTacToe::new().initial(), TicTacToe::new().initial()];
        let moves = vec![
            (Action(0), Verdict { outcome: Class::Draw, plies: 2 }),
            (Action(1), Verdict { outcome: Class::Loss, plies: 2 }),
        ];
        let chances = Some(Chances { win: 0.5, draw: 0.25, loss: 0.25 });
        let found = judge(&mut Fixed(moves), &position, &[Action(0), Action(1)], &[chances]);
        let first = Judged { class: Class::Draw, is_critical: true, preserves: true, is_strongest: true, chances };
        assert_eq!(found, [first, Judged { preserves: false, is_strongest: false, chances: None, ..first }]);
    }

    #[test]
    fn by_utilities_a_move_keeps_the_value_that_gives_as_much_as_any() {
        let moves = [(Action(0), 0.75), (Action(1), 0.875), (Action(2), -0.5), (Action(3), 0.875)];
        let judged = |choice| Judged::of_utilities(&moves, Action(choice)).unwrap();
        assert_eq!([0, 1, 2, 3, 4].map(|choice| judged(choice).preserves), [false, true, false, true, false]);
        assert!(judged(0).is_critical && judged(0).class == Class::Win);
        let lost = Judged::of_utilities(&[(Action(0), -0.5), (Action(1), -0.5)], Action(1)).unwrap();
        assert!(lost.preserves && lost.is_strongest && !lost.is_critical && lost.class == Class::Loss);
        assert_eq!(Judged::of_utilities(&[], Action(0)), None);
    }

    #[test]
    fn an_illegal_choice_is_wrong_and_a_finished_game_left_out() {
        assert_eq!(of(&[(Class::Draw, 1)], &[7]).value_preserving, 0.0);
        assert_eq!(of(&[], &[7]).positions, 0);
    }
}
