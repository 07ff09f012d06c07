//! Known numbers of positions and games: the cheapest proof that rules are right.

mod common;

use std::collections::HashSet;
use std::sync::Arc;

use common::{actions, after};
use plyzero::game::{Game, Turn};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::solver::Exhaustive;

/// Distinct positions after so many plies from the initial one (J. Tromp, OEIS A212693).
const CONNECT_FOUR_POSITIONS: [usize; 9] = [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275];

/// Distinct tic-tac-toe positions after so many plies, finished games among them; 5,478 in all.
const TIC_TAC_TOE_POSITIONS: [usize; 10] = [1, 9, 72, 252, 756, 1_260, 1_520, 1_140, 390, 78];

/// Finished tic-tac-toe games by length in plies; 255,168 in all.
const TIC_TAC_TOE_GAMES: [u64; 10] = [0, 0, 0, 0, 0, 1_440, 5_328, 47_952, 72_576, 127_872];

/// The distinct positions at each of the first `plies` plies of a game without chance.
fn levels<G: Game>(game: &G, plies: usize) -> Vec<HashSet<G::State>> {
    let mut levels = vec![HashSet::from([game.initial()])];
    for ply in 0..plies {
        let successors =
            levels[ply].iter().flat_map(|state| actions(game, state).into_iter().map(|action| after(game, state, action)));
        levels.push(successors.collect());
    }
    levels
}

fn count_games<G: Game>(game: &G, state: &G::State, plies: usize, lengths: &mut [u64]) {
    if let Turn::Over(_) = game.turn(state) {
        lengths[plies] += 1;
    }
    for action in actions(game, state) {
        count_games(game, &after(game, state, action), plies + 1, lengths);
    }
}

#[test]
fn tic_tac_toe_has_255168_games() {
    let game = TicTacToe::new();
    let mut lengths = [0; 10];
    count_games(&game, &game.initial(), 0, &mut lengths);
    assert_eq!(lengths, TIC_TAC_TOE_GAMES);
    assert_eq!(lengths.iter().sum::<u64>(), 255_168);
}

#[test]
fn tic_tac_toe_has_5478_positions() {
    let game = TicTacToe::new();
    let levels = levels(&game, 9);
    let sizes: Vec<usize> = levels.iter().map(HashSet::len).collect();
    assert_eq!(sizes, TIC_TAC_TOE_POSITIONS);
    let all: HashSet<_> = levels.into_iter().flatten().collect();
    assert_eq!(all.len(), 5_478);
    assert_eq!(all.iter().filter(|state| matches!(game.turn(state), Turn::Move(_))).count(), 4_520);
}

#[test]
fn tic_tac_toe_has_765_positions_up_to_symmetry() {
    let game = TicTacToe::new();
    let mut unseen: HashSet<_> = levels(&game, 9).into_iter().flatten().collect();
    let mut classes = 0;
    while let Some(&state) = unseen.iter().next() {
        classes += 1;
        for symmetry in game.symmetries() {
            unseen.remove(&game.transform(&state, symmetry));
        }
    }
    assert_eq!(classes, 765);
}

#[test]
fn connect_four_has_as_many_positions_as_published() {
    let sizes: Vec<usize> = levels(&ConnectFour::new(), 8).iter().map(HashSet::len).collect();
    assert_eq!(sizes, CONNECT_FOUR_POSITIONS);
}

#[test]
fn the_solver_lists_the_undecided_positions_breadth_first() {
    let game = Arc::new(TicTacToe::new());
    let solver = Exhaustive::new(&game).unwrap();
    let listed = solver.undecided_positions();
    assert_eq!(listed.len(), 4_520);
    assert_eq!(listed, solver.undecided_positions(), "the order is fixed");
    assert_eq!(listed.iter().collect::<HashSet<_>>().len(), listed.len(), "none is listed twice");
    let moves_left: Vec<usize> = listed.iter().map(|state| actions(game.as_ref(), state).len()).collect();
    assert!(moves_left.is_sorted_by(|a, b| a >= b));
}
