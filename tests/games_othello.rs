//! Othello: counts of its move tree, passes, endings, and independent rules to compare with.

mod common;
mod playouts;

use std::sync::Arc;

use common::{actions, after};
use playouts::{mover, playout};
use plyzero::game::{Action, Game, Knowledge as _, Payoff, Player, Position, Turn};
use plyzero::games::Othello;

/// Lines of play of each length (perft), passes counted as plies, as published among programmers of the game.
const LINES: [u64; 10] = [1, 4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288];

type Board = <Othello as Game>::State;

fn perft(game: &Othello, state: &Board, plies: usize) -> u64 {
    if plies == 0 {
        return 1;
    }
    actions(game, state).into_iter().map(|action| perft(game, &after(game, state, action), plies - 1)).sum()
}

#[test]
fn othello_has_as_many_lines_of_play_as_published() {
    let game = Othello::new();
    let found: Vec<u64> = (0..LINES.len()).map(|plies| perft(&game, &game.initial(), plies)).collect();
    assert_eq!(found, LINES);
}

/// The position after moves in the usual notation.
fn reached(moves: &str) -> Position<Othello> {
    let mut position = Position::initial(&Arc::new(Othello::new()));
    for label in moves.split_whitespace() {
        position.play_text(label).unwrap();
    }
    position
}

#[test]
fn the_first_moves_are_called_as_everywhere() {
    let game = Othello::new();
    let labels: Vec<String> =
        actions(&game, &game.initial()).into_iter().map(|action| game.label(&game.initial(), action)).collect();
    assert_eq!(labels, ["d3", "c4", "f5", "e6"]);
    let board = "   a b c d e f g h
1  . . . . . . . .
2  . . . . . . . .
3  . . . X . . . .
4  . . . X X . . .
5  . . . X O . . .
6  . . . . . . . .
7  . . . . . . . .
8  . . . . . . . .
";
    assert_eq!(game.draw(reached("d3").state()), board);
}

#[test]
fn the_shortest_game_leaves_the_other_without_discs() {
    let position = reached("e6 f4 e3 f6 g5 d6 e7 f5 c5");
    assert_eq!(position.turn(), Turn::Over(Payoff::win(Player::First)));
    assert!(position.actions().is_empty());
}

/// The discs of a drawn board, `None` where there is none.
fn discs(game: &Othello, state: &Board) -> Vec<Option<Player>> {
    let marks = game.draw(state);
    let cells = marks.lines().skip(1).flat_map(|line| line.split_whitespace().skip(1));
    let owner = |mark: &str| Player::BOTH.into_iter().find(|player| mark.starts_with(player.mark()));
    cells.map(owner).collect()
}

/// What turns when `player` puts a disc on `at`, by walking from square to square.
fn turned(board: &[Option<Player>], player: Player, at: usize) -> Vec<usize> {
    let mut all = Vec::new();
    if board[at].is_some() {
        return all;
    }
    for (rows, columns) in [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1)] {
        let (mut row, mut column, mut line) = (at as i32 / 8 + rows, at as i32 % 8 + columns, Vec::new());
        while (0..8).contains(&row) && (0..8).contains(&column) {
            let square = (8 * row + column) as usize;
            match board[square] {
                Some(owner) if owner == player => {
                    all.extend(line);
                    break;
                }
                Some(_) => line.push(square),
                None => break,
            }
            (row, column) = (row + rows, column + columns);
        }
    }
    all
}

#[test]
fn random_games_follow_the_rules_as_they_are_told() {
    let game = Arc::new(Othello::new());
    let (mut passes, mut endings) = (0, 0);
    for index in 0..60 {
        for state in playout(&game, "othello", index) {
            let board = discs(&game, &state);
            let may = |player: Player| (0..64).filter(|&at| !turned(&board, player, at).is_empty()).collect::<Vec<usize>>();
            let Some(player) = mover(game.as_ref(), &state) else {
                assert!(may(Player::First).is_empty() && may(Player::Second).is_empty());
                let [first, second] = Player::BOTH.map(|player| board.iter().filter(|disc| **disc == Some(player)).count());
                let wanted = (first as i32 - second as i32).signum() as f32;
                assert_eq!(game.turn(&state), Turn::Over(Payoff::zero_sum(Player::First, wanted)));
                endings += 1;
                continue;
            };
            let moves = may(player);
            let listed: Vec<usize> = actions(game.as_ref(), &state).into_iter().map(Action::index).collect();
            if moves.is_empty() {
                assert_eq!(listed, [64], "a pass is the only move");
                let passed = after(game.as_ref(), &state, Action(64));
                assert_eq!((discs(&game, &passed), mover(game.as_ref(), &passed)), (board, Some(player.other())));
                passes += 1;
                continue;
            }
            assert_eq!(listed, moves);
            for at in moves {
                let mut wanted = board.clone();
                turned(&board, player, at).into_iter().chain([at]).for_each(|square| wanted[square] = Some(player));
                assert_eq!(discs(&game, &after(game.as_ref(), &state, Action(at as u16))), wanted);
            }
        }
    }
    assert!(endings == 60 && passes >= 10, "{passes} passes");
}

#[test]
fn a_corner_is_worth_more_than_the_square_that_gives_it_away() {
    let game = Arc::new(Othello::new());
    let ordering = |label: &str| {
        let square = label.as_bytes();
        game.ordering(&game.initial(), Action(u16::from(square[1] - b'1') * 8 + u16::from(square[0] - b'a')))
    };
    assert!(ordering("a1") > ordering("a3") && ordering("a3") > ordering("d3") && ordering("d3") > ordering("b2"));
}
