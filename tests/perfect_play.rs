//! The exhaustive solver against alpha-beta and minimax, and accuracy against the solver.

mod common;
mod playouts;

use std::collections::HashMap;
use std::sync::Arc;

use common::{actions, after};
use playouts::{mover, playout};
use plyzero::arena::accuracy::measure;
use plyzero::game::{Action, Game};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::rng::stream;
use plyzero::search::alpha_beta::{AlphaBeta, Options};
use plyzero::search::{Budget, Minimax};
use plyzero::solver::{Class, Exhaustive, Solver};

/// No limit at all.
fn whole() -> Budget {
    Budget::default()
}

/// Positions of random Connect Four games with at most `left` empty cells.
fn endings(game: &Arc<ConnectFour>, games: u64, left: usize) -> Vec<<ConnectFour as Game>::State> {
    let late = |index| playout(game, "endings", index).into_iter().skip(42 - left);
    let states = (0..games).flat_map(late);
    states.filter(|state| mover(game.as_ref(), state).is_some()).collect()
}

/// Checks class and strongest move of `alpha_beta` against perfect play, each for the mover.
fn agrees<G: Game>(game: &Arc<G>, states: &[G::State], options: Options) {
    let mut solver = Exhaustive::new(game).unwrap();
    let mut alpha_beta = AlphaBeta::new(game, None, options).unwrap();
    for (index, state) in states.iter().enumerate() {
        let found = alpha_beta.search(state, &whole(), &mut stream(1, "agrees", index as u64));
        let verdict = solver.verdict(state);
        let utility = found.value.unwrap().of(mover(game.as_ref(), state).unwrap());
        let class = [Class::Loss, Class::Draw, Class::Win][(utility as i32 + 1) as usize];
        assert_eq!(class, verdict.outcome, "{state:?}");
        let moves: HashMap<_, _> = solver.moves(state).into_iter().collect();
        assert_eq!(moves.values().max(), Some(&verdict));
        assert!(moves[&found.action].is_as_strong_as(verdict), "{:?} in {state:?}", found.action);
        if options.table_mib == 0 && verdict.outcome != Class::Draw {
            assert_eq!(found.principal_variation.len(), verdict.plies as usize, "{state:?}");
        }
    }
}

#[test]
fn alpha_beta_plays_connect_four_endings_perfectly() {
    let game = Arc::new(ConnectFour::new());
    let states = endings(&game, 600, 12);
    assert!(states.len() > 200, "{}", states.len());
    agrees(&game, &states, Options { table_mib: 1, ..Options::play() });
    agrees(&game, &states, Options { table_mib: 0, ..Options::play() });
}

#[test]
fn alpha_beta_agrees_with_the_solver_in_every_tic_tac_toe_position() {
    let game = Arc::new(TicTacToe::new());
    let states = Exhaustive::new(&game).unwrap().undecided_positions();
    agrees(&game, &states, Options { table_mib: 1, ..Options::play() });
    agrees(&game, &states, Options { distance: true, ..Options::textbook() });
}

#[test]
fn the_exhaustive_solver_agrees_with_full_minimax_in_connect_four_endings() {
    let game = Arc::new(ConnectFour::new());
    let mut solver = Exhaustive::new(&game).unwrap();
    let mut minimax = Minimax::new(&game, None, true).unwrap();
    for state in endings(&game, 400, 7) {
        let found = minimax.search(&state, &whole(), &mut stream(1, "classical", 0));
        let verdict = solver.verdict(&state);
        assert_eq!(found.value.unwrap().of(mover(game.as_ref(), &state).unwrap()), verdict.outcome as i32 as f32 - 1.0);
        if verdict.outcome != Class::Draw {
            assert_eq!(found.principal_variation.len(), verdict.plies as usize);
        }
    }
}

#[test]
fn a_move_is_worth_what_it_leaves_the_other_player() {
    let game = Arc::new(TicTacToe::new());
    let mut solver = Exhaustive::new(&game).unwrap();
    for state in solver.undecided_positions() {
        for (action, verdict) in solver.moves(&state) {
            let next = after(game.as_ref(), &state, action);
            if mover(game.as_ref(), &next).is_some() {
                assert_eq!(verdict, solver.verdict(&next).for_other().a_ply_before());
            } else {
                assert_eq!(verdict.plies, 1);
            }
        }
    }
}

#[test]
fn accuracy_is_whole_for_perfect_play_and_less_for_the_first_legal_move() {
    let game = Arc::new(TicTacToe::new());
    let mut solver = Exhaustive::new(&game).unwrap();
    let positions = solver.undecided_positions();
    let best = |moves: Vec<(Action, _)>| moves.into_iter().max_by_key(|&(_, verdict)| verdict).unwrap().0;
    let perfect: Vec<Action> = positions.iter().map(|state| best(solver.moves(state))).collect();
    let found = measure(&mut solver, &positions, &perfect);
    // 1,329 positions in which every move keeps the value, by an independent count.
    assert_eq!((found.positions, found.critical), (4_520, 4_520 - 1_329));
    assert_eq!((found.value_preserving, found.value_preserving_critical, found.strongest), (1.0, 1.0, 1.0));
    let first: Vec<Action> = positions.iter().map(|state| actions(game.as_ref(), state)[0]).collect();
    let found = measure(&mut solver, &positions, &first);
    assert!(found.value_preserving < 0.9 && found.value_preserving_critical < found.value_preserving);
    assert!(found.strongest < found.value_preserving);
}
