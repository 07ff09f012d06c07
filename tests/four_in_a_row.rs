//! The solver of four in a row against the literature's examples and against exhaustive search by the rules.

mod common;
mod playouts;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::{actions, after};
use playouts::{mover, playout};
use plyzero::game::Game;
use plyzero::games::ConnectFour;
use plyzero::solver::four_in_a_row::{Board, CELLS, COLUMNS, FourInARow, Goal, Options, Search, score};
use plyzero::solver::{Exhaustive, Solver};

type State = <ConnectFour as Game>::State;

fn search() -> Search {
    Search::new(Options::table(16))
}

fn board(moves: &str) -> Board {
    Board::after(moves).unwrap()
}

/// Positions of random games with `left` empty cells or fewer and somebody to move.
fn endings(games: u64, left: usize) -> Vec<State> {
    let game = Arc::new(ConnectFour::new());
    let late = |index| playout(&game, "four in a row", index).into_iter().skip(CELLS as usize - left);
    (0..games).flat_map(late).filter(|state| mover(game.as_ref(), state).is_some()).collect()
}

/// The position on the path of a random game after `plies`, if it goes on there.
fn midgame(index: u64, plies: usize) -> Option<Board> {
    let game = Arc::new(ConnectFour::new());
    let states = playout(&game, "midgame", index);
    states.get(plies).filter(|state| mover(game.as_ref(), state).is_some()).map(|state| ConnectFour::stones(state).into())
}

/// `Some(1)` for what is above 0, and so on.
fn signs(scores: [Option<i32>; COLUMNS]) -> [Option<i32>; COLUMNS] {
    scores.map(|score| score.map(i32::signum))
}

#[test]
fn the_examples_of_the_literature() {
    let mut search = search();
    assert_eq!(search.solve(board("4455"), Goal::Score), Some(18));
    assert_eq!(search.solve(board("44455554221"), Goal::Score), Some(-15));
    assert_eq!(search.solve(board("4455"), Goal::Class), Some(1));
    assert_eq!(search.solve(board("44455554221"), Goal::Class), Some(-1));
}

#[test]
fn every_column_of_late_positions_is_worth_what_exhaustive_search_says() {
    let game = Arc::new(ConnectFour::new());
    let (mut exhaustive, mut search) = (Exhaustive::new(&game).unwrap(), search());
    let states = endings(6_000, 12);
    assert!(states.len() > 2_000, "{}", states.len());
    let (mut wins_in_one, mut draws, mut drawn_at_the_last_cell) = (0, 0, 0);
    for state in states {
        let board = Board::from(ConnectFour::stones(&state));
        let mut expected = [None; COLUMNS];
        for (action, verdict) in exhaustive.moves(&state) {
            expected[action.index()] = Some(score::score(verdict, board.plies()));
        }
        let found = search.solve_columns(board, Goal::Score).unwrap();
        assert_eq!(found, expected, "{}", game.draw(&state));
        let best = found.into_iter().flatten().max();
        assert_eq!(search.solve(board, Goal::Score), best, "{}", game.draw(&state));
        assert_eq!(search.solve_columns(board, Goal::Class).unwrap(), signs(expected), "{}", game.draw(&state));
        assert_eq!(search.solve(board, Goal::Class), best.map(i32::signum), "{}", game.draw(&state));
        wins_in_one += usize::from(best == Some(score::win_now(board.plies())));
        draws += usize::from(best == Some(0));
        drawn_at_the_last_cell += usize::from(best == Some(0) && board.plies() == CELLS - 1);
    }
    assert!(wins_in_one > 100 && draws > 100 && drawn_at_the_last_cell > 5, "{wins_in_one} {draws} {drawn_at_the_last_cell}");
}

#[test]
fn as_a_solver_of_the_game_it_says_what_exhaustive_search_says_but_for_the_length_of_draws() {
    let game = Arc::new(ConnectFour::new());
    let mut exhaustive = Exhaustive::new(&game).unwrap();
    let mut solver = FourInARow::new(ConnectFour::stones, Options::table(16));
    for state in endings(300, 12) {
        let expected = exhaustive.moves(&state);
        // Nobody gives in early, so both count a draw to the last cell.
        assert_eq!(Solver::<ConnectFour>::moves(&mut solver, &state), expected, "{}", game.draw(&state));
        for action in actions(game.as_ref(), &state) {
            let next = after(game.as_ref(), &state, action);
            if mover(game.as_ref(), &next).is_none() {
                assert_eq!(Solver::<ConnectFour>::moves(&mut solver, &next), []);
            }
        }
    }
}

#[test]
fn a_mirror_image_has_the_mirrored_scores() {
    let game = ConnectFour::new();
    let mirror = &game.symmetries()[1];
    for state in endings(200, 22) {
        let scores = |state: &State| search().solve_columns(Board::from(ConnectFour::stones(state)), Goal::Score).unwrap();
        let mut image = scores(&game.transform(&state, mirror));
        image.reverse();
        assert_eq!(scores(&state), image, "{}", game.draw(&state));
    }
}

#[test]
fn neither_the_size_of_the_table_nor_what_it_holds_changes_a_score() {
    let (mut large, mut small) = (Search::new(Options::table(64)), Search::new(Options::table(1)));
    let boards: Vec<Board> = (0..40).filter_map(|index| midgame(index, 16)).collect();
    assert!(boards.len() > 20);
    let scores: Vec<_> = boards.iter().map(|&board| large.solve_columns(board, Goal::Score)).collect();
    // Backwards, so that each meets another table.
    for (board, scores) in boards.iter().zip(&scores).rev() {
        assert_eq!(small.solve_columns(*board, Goal::Score), *scores);
    }
}

#[test]
fn the_work_is_a_function_of_the_position_and_less_for_who_wins() {
    let (mut strong, mut weak) = (search(), search());
    for board in (0..20).filter_map(|index| midgame(index, 17)) {
        let cost = |search: &mut Search, goal| {
            search.forget();
            let before = search.nodes();
            search.solve(board, goal);
            search.nodes() - before
        };
        let first = cost(&mut strong, Goal::Score);
        assert_eq!(cost(&mut strong, Goal::Score), first);
        cost(&mut weak, Goal::Class);
    }
    assert!(2 * weak.nodes() < strong.nodes(), "{} of {}", weak.nodes(), strong.nodes());
}

#[test]
fn a_search_gives_up_at_its_limit_or_when_told_to_and_goes_on_with_the_next() {
    let (early, late) = (board("1234"), board("44455554221"));
    let mut limited = Search::new(Options { nodes: Some(50_000), ..Options::table(16) });
    assert_eq!(limited.solve(early, Goal::Score), None);
    assert_eq!(limited.solve_columns(early, Goal::Score), None);
    assert_eq!(limited.solve(late, Goal::Score), Some(-15));
    let mut stopped = Search::new(Options { stop: Some(Arc::new(AtomicBool::new(true))), ..Options::table(16) });
    assert_eq!(stopped.solve(early, Goal::Score), None);
    // What a search found out before it gave up is right.
    let mut fresh = search();
    for board in (0..10).filter_map(|index| midgame(index, 18)) {
        assert_eq!(
            limited.solve(board, Goal::Score).or_else(|| fresh.solve(board, Goal::Score)),
            fresh.solve(board, Goal::Score)
        );
    }
}
