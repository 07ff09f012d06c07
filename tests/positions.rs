//! The sets of solved positions that come with the program: how many, of which class, and that their scores are right.

use std::collections::HashSet;

use plyzero::arena::accuracy::measure;
use plyzero::game::{Action, Game};
use plyzero::games::ConnectFour;
use plyzero::solver::Solver;
use plyzero::solver::four_in_a_row::sets::{Half, Set, Solved};
use plyzero::solver::four_in_a_row::shipped::load;
use plyzero::solver::four_in_a_row::{FourInARow, Goal, Known, Options, Search};

fn each() -> impl Iterator<Item = (Half, Set, Vec<Solved>)> {
    Half::BOTH.into_iter().flat_map(|half| Set::ALL.map(|set| (half, set, load(half, set).unwrap())))
}

#[test]
fn the_positions_of_every_set_are_of_its_class_and_no_two_are_alike() {
    let mut seen = HashSet::new();
    for (half, set, solved) in each() {
        assert_eq!(solved.len(), 1000, "{half:?} {set:?}");
        for one in solved {
            let board = one.position.board;
            assert_eq!(Set::of(board.plies(), one.score()), set, "{one}");
            assert!(!board.wins_at_once(), "{one}");
            assert!(seen.insert(board.mirrored_key()), "{one} is there twice");
        }
    }
}

#[test]
fn a_sample_of_their_scores_is_right() {
    let mut search = Search::new(Options::table(16));
    for (half, set, solved) in each() {
        let step = if matches!(set, Set::EndEasy | Set::MiddleEasy) { 10 } else { 100 };
        // Of early positions those with fewer stones take too long for a test.
        let is_quick = |one: &&Solved| one.position.board.plies() >= 13;
        for one in solved.iter().filter(is_quick).step_by(step) {
            assert_eq!(search.solve_columns(one.position.board, Goal::Score), Some(one.columns), "{half:?} {set:?}: {one}");
        }
    }
}

#[test]
fn networks_are_judged_by_what_is_known_without_a_search() {
    let game = ConnectFour::new();
    let solved = load(Half::Development, Set::MiddleEasy).unwrap();
    let (positions, mut known) = Known::of(&game, &solved);
    let mut solver = FourInARow::new(ConnectFour::stones, Options::table(16));
    for state in positions.iter().take(50) {
        assert_eq!(Solver::<ConnectFour>::moves(&mut known, state), Solver::<ConnectFour>::moves(&mut solver, state));
    }
    assert_eq!(Solver::<ConnectFour>::moves(&mut known, &game.initial()), [], "it was not solved");
    let best =
        |state| Solver::<ConnectFour>::moves(&mut solver, state).into_iter().max_by_key(|&(_, verdict)| verdict).unwrap().0;
    let perfect: Vec<Action> = positions.iter().take(50).map(best).collect();
    let found = measure::<ConnectFour>(&mut known, &positions, &perfect);
    assert_eq!((found.positions, found.value_preserving, found.strongest), (50, 1.0, 1.0));
    let always_left = vec![Action(0); positions.len()];
    let found = measure::<ConnectFour>(&mut known, &positions, &always_left);
    assert!(found.positions == positions.len() && found.critical > 100 && found.value_preserving_critical < 0.7, "{found:?}");
}
