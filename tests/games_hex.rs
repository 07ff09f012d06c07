//! Hex: who connects, by an independent look at the drawn board; the theorem that exactly one player does; known values; the
//! swap rule.

mod common;
mod playouts;

use std::sync::Arc;

use common::{actions, after};
use playouts::{mover, playout};
use plyzero::game::{Action, Game, Knowledge as _, Payoff, Player, Position, Turn, Variant};
use plyzero::games::Hex;
use plyzero::rng::stream;
use plyzero::search::Budget;
use plyzero::search::alpha_beta::{AlphaBeta, Options};
use plyzero::solver::{Class, Exhaustive};
use rand::seq::SliceRandom as _;

type Board = <Hex as Game>::State;

fn hex(name: &str) -> Arc<Hex> {
    Arc::new(Hex::of(&mut Variant::parse(name).unwrap()).unwrap())
}

/// The position after moves.
fn reached(game: &Arc<Hex>, moves: &str) -> Position<Hex> {
    let mut position = Position::initial(game);
    for label in moves.split_whitespace() {
        position.play_text(label).unwrap();
    }
    position
}

/// Who is on each cell, row by row, by what is drawn.
fn stones(game: &Hex, state: &Board) -> Vec<Vec<Option<Player>>> {
    let owner = |mark: &str| Player::BOTH.into_iter().find(|player| mark.starts_with(player.mark()));
    let text = game.draw(state);
    text.lines().skip(1).map(|line| line.split_whitespace().skip(1).map(owner).collect()).collect()
}

/// Whether `player` connects the own two edges, by walking from stone to stone.
fn connects(stones: &[Vec<Option<Player>>], player: Player) -> bool {
    let size = stones.len();
    let along = |(row, column): (usize, usize)| if player == Player::First { row } else { column };
    let is_own = |&(row, column): &(usize, usize)| stones[row][column] == Some(player);
    let all = (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
    let mut found: Vec<_> = all.filter(|&cell| along(cell) == 0).filter(is_own).collect();
    let mut next = 0;
    while let Some(&(row, column)) = found.get(next) {
        for (rows, columns) in [(0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1)] {
            let cell = (row.wrapping_add_signed(rows), column.wrapping_add_signed(columns));
            if cell.0 < size && cell.1 < size && is_own(&cell) && !found.contains(&cell) {
                found.push(cell);
            }
        }
        next += 1;
    }
    found.into_iter().any(|cell| along(cell) == size - 1)
}

#[test]
fn a_game_ends_with_the_move_that_connects() {
    for name in ["hex:size=2", "hex:size=3,swap=true", "hex:size=5", "hex", "hex:size=11,swap=true"] {
        let game = hex(name);
        for index in 0..40 {
            for state in playout(&game, "hex", index) {
                let connected = Player::BOTH.map(|player| connects(&stones(&game, &state), player));
                let wanted = match connected {
                    [false, false] => Turn::Move(mover(game.as_ref(), &state).unwrap()),
                    [true, false] => Turn::Over(Payoff::win(Player::First)),
                    [false, true] => Turn::Over(Payoff::win(Player::Second)),
                    [true, true] => panic!("both connect in {name}:\n{}", game.draw(&state)),
                };
                assert_eq!(game.turn(&state), wanted, "{name}\n{}", game.draw(&state));
            }
        }
    }
}

#[test]
fn exactly_one_player_connects_on_a_full_board() {
    for (size, boards) in [(2, 20), (3, 60), (7, 200), (11, 200)] {
        for index in 0..boards {
            let mut cells: Vec<usize> = (0..size * size).collect();
            cells.shuffle(&mut stream(1, "full boards", index));
            let mut stones = vec![vec![None; size]; size];
            for (cell, player) in cells.into_iter().zip(Player::BOTH.into_iter().cycle()) {
                stones[cell / size][cell % size] = Some(player);
            }
            assert_eq!(Player::BOTH.into_iter().filter(|&player| connects(&stones, player)).count(), 1);
        }
    }
}

#[test]
fn the_first_player_wins_small_boards_and_the_second_with_a_swap() {
    for (name, class) in [
        ("hex:size=2", Class::Win),
        ("hex:size=3", Class::Win),
        ("hex:size=2,swap=true", Class::Loss),
        ("hex:size=3,swap=true", Class::Loss),
    ] {
        let game = hex(name);
        let verdict = Exhaustive::new(&game).unwrap().verdict(&game.initial());
        assert_eq!(verdict.outcome, class, "{name}");
    }
}

/// The value of `state` for its mover by alpha-beta to the end.
fn solved(game: &Arc<Hex>, state: &Board) -> f32 {
    let mut search = AlphaBeta::new(game, None, Options::play()).unwrap();
    let value = search.search(state, &Budget::default(), &mut stream(1, "hex", 0)).value.unwrap();
    value.of(mover(game.as_ref(), state).unwrap())
}

#[test]
fn the_first_stones_that_win_on_4x4_are_those_of_the_short_diagonal() {
    let game = hex("hex:size=4");
    let initial = game.initial();
    let wins = |action: &Action| solved(&game, &after(game.as_ref(), &initial, *action)) < 0.0;
    let winning: Vec<String> = actions(game.as_ref(), &initial)
        .iter()
        .filter(|action| wins(action))
        .map(|&action| game.label(&initial, action))
        .collect();
    assert_eq!(winning, ["d1", "c2", "b3", "a4"]);
}

#[test]
fn a_swap_mirrors_the_first_stone_and_may_be_claimed_at_once_or_never() {
    let game = hex("hex:size=3,swap=true");
    let mut position = Position::initial(&game);
    let may_swap = |position: &Position<Hex>| game.parse(position.state(), "swap").is_ok();
    assert!(!may_swap(&position), "there is nothing to take over");
    position.play_text("c1").unwrap();
    assert!(may_swap(&position));
    let mut declined = position.clone();
    declined.play_text("a1").unwrap();
    assert!(!may_swap(&declined), "it was declined");
    position.play_text("swap").unwrap();
    assert_eq!(game.draw(position.state()), "   a b c\n 1 . . .\n 2  . . .\n 3   O . .\n");
    assert_eq!((position.turn(), may_swap(&position)), (Turn::Move(Player::First), false));
    position.play_text("c1").unwrap();
    assert_eq!((position.turn(), may_swap(&position)), (Turn::Move(Player::Second), false));
    assert!(hex("hex:size=3").parse(&Board::default(), "swap").is_err(), "it is an option");
}

#[test]
fn both_players_see_themselves_connect_top_and_bottom() {
    let game = hex("hex:size=3");
    let seen = |moves: &str| {
        let mut planes = vec![f32::NAN; 18];
        game.encode(reached(&game, moves).state(), &mut planes);
        planes.iter().enumerate().filter(|(_, value)| **value == 1.0).map(|(at, _)| at).collect::<Vec<_>>()
    };
    assert_eq!(seen("b1 c3"), [1, 9 + 8]);
    // Stones of O: a2, seen at b1; of X: b3 and c3, seen at c2 and c3.
    assert_eq!(seen("c3 a2 b3"), [1, 9 + 5, 9 + 8]);
}

#[test]
fn estimates_count_the_stones_that_are_missing() {
    let game = hex("hex:size=5");
    let estimate = |moves: &str| game.heuristic(reached(&game, moves).state()).of(Player::First);
    let balanced = |balance: f32| 0.9 * balance / (balance.abs() + 2.0);
    assert_eq!(estimate(""), balanced(0.5), "both need five stones, and X is to move");
    assert_eq!(estimate("c2 a5 c3"), balanced(0.5), "X needs three stones and O four, but it is O who is to move");
    assert_eq!(estimate("c3 a1 c2 a2 c4"), balanced(1.5), "two against four");
    assert_eq!(estimate("a1 c1 a2 c2 a3 c3 a4 c4"), balanced(3.5), "one against four");
}
