//! EinStein würfelt nicht!: its rules move by move, and small boards solved exactly by backward expectation.

mod common;
mod playouts;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use common::{actions, after};
use playouts::{mover, playout};
use plyzero::eval::Rollout;
use plyzero::game::{Action, Game, Outcome, Payoff, Player, Position, Turn, Variant};
use plyzero::games::Einstein;
use plyzero::search::Budget;
use plyzero::search::mcts::{Driver, Rule, Tree, most_probable};

type Board = <Einstein as Game>::State;

fn einstein(name: &str) -> Arc<Einstein> {
    Arc::new(Einstein::of(&mut Variant::parse(name).unwrap()).unwrap())
}

/// The position after rolls (`#3`) and moves.
fn reached(game: &Arc<Einstein>, steps: &str) -> Position<Einstein> {
    let mut position = Position::initial(game);
    for word in steps.split_whitespace() {
        if let Some(number) = word.strip_prefix('#') {
            position.roll(Outcome(number.parse().unwrap()));
        } else {
            position.play_text(word).unwrap();
        }
    }
    position
}

fn labels(position: &Position<Einstein>) -> Vec<String> {
    position.actions().iter().map(|&action| position.game().label(position.state(), action)).collect()
}

#[test]
fn the_die_says_which_stone_moves() {
    let game = einstein("einstein");
    assert_eq!(reached(&game, "").turn(), Turn::Chance);
    let position = reached(&game, "#6");
    assert_eq!(position.turn(), Turn::Move(Player::First));
    let board = "5  X1  X2  X3   .   .
4  X4  X5   .   .   .
3  X6   .   .   .  O6
2   .   .   .  O5  O4
1   .   .  O3  O2  O1
    a   b   c   d   e
X has rolled 6
";
    assert_eq!(game.draw(position.state()), board);
    assert_eq!(labels(&position), ["6b3", "6a2", "6b2"]);
    assert_eq!(labels(&reached(&game, "#6 6b2 #6")), ["6d3", "6e4", "6d4"], "the second player moves the other way");
}

#[test]
fn of_a_number_that_is_gone_the_next_lower_or_higher_one_moves() {
    let game = einstein("einstein");
    // Stone 1 takes stone 2 of its own; then 1 and 3 stand for it. It goes on to take 3.
    let moves = |steps| labels(&reached(&game, steps));
    assert_eq!(moves("#1 1b5 #6 6d3 #2"), ["1c5", "1b4", "1c4", "3d5", "3c4", "3d4"]);
    assert_eq!(moves("#1 1b5 #6 6d3 #2 1c5 #6 6c3 #2"), ["1d5", "1c4", "1d4", "4b4", "4a3", "4b3"]);
    assert_eq!(moves("#1 1b5 #6 6d3 #2 1c5 #6 6c3 #1"), ["1d5", "1c4", "1d4"], "a number that is there moves alone");
    assert_eq!(moves("#4 4b4 #6 6d3 #5 4b3 #6 6c3 #5"), ["4c3", "4b2", "4c2", "6b3", "6a2", "6b2"]);
}

#[test]
fn the_far_corner_and_the_last_stone_win() {
    let game = einstein("einstein:size=3,stones=1");
    let first = Turn::Over(Payoff::win(Player::First));
    assert_eq!(reached(&game, "#1 1b2 #1 1b1 #1 1c1").turn(), first, "the corner");
    assert_eq!(reached(&game, "#1 1b2 #1 1b2").turn(), Turn::Over(Payoff::win(Player::Second)), "the last stone");
    let three = einstein("einstein:size=3");
    assert_eq!(reached(&three, "#1 1b3 #1 1b1").turn(), Turn::Chance, "own stones may be taken");
}

/// The value of `state` for the first player: the best of moves, the mean of rolls, each position once.
fn value(game: &Einstein, state: &Board, known: &mut HashMap<Board, f64>) -> f64 {
    if let Some(&known) = known.get(state) {
        return known;
    }
    let found = match game.turn(state) {
        Turn::Over(payoff) => f64::from(payoff.of(Player::First)),
        Turn::Chance => {
            let mut outcomes = Vec::new();
            game.outcomes(state, &mut outcomes);
            let of = |&(outcome, probability): &(Outcome, f32)| {
                let mut next = *state;
                game.roll(&mut next, outcome);
                f64::from(probability) * value(game, &next, known)
            };
            outcomes.iter().map(of).sum()
        }
        Turn::Move(mover) => {
            let values = actions(game, state).into_iter().map(|action| value(game, &after(game, state, action), known));
            let better = if mover == Player::First { f64::max } else { f64::min };
            values.reduce(better).unwrap()
        }
    };
    known.insert(*state, found);
    found
}

#[test]
fn with_a_stone_each_the_first_player_wins_off_the_diagonal() {
    let game = einstein("einstein:size=3,stones=1");
    let mut known = HashMap::new();
    let mut of = |steps| value(&game, reached(&game, steps).state(), &mut known);
    assert_eq!(of(""), 1.0);
    assert_eq!(of("#1 1b2"), -1.0, "it comes within reach, and is taken");
    // Wherever O goes but to b1 it is taken; from b1 it needs two steps more, as X does, who is to move.
    assert_eq!([of("#1 1b3"), of("#1 1a2"), of("#1 1b3 #1 1b1")], [1.0; 3]);
}

#[test]
fn a_random_set_up_is_worth_the_mean_of_all() {
    let game = einstein("einstein:size=3,setup=random");
    let mut known = HashMap::new();
    let exact = value(&game, &game.initial(), &mut known);
    // The value of each set-up, placed by hand.
    let orders = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]];
    let mut total = 0.0;
    let mut boards = HashSet::new();
    for (own, other) in orders.iter().flat_map(|own| orders.iter().map(move |other| (own, other))) {
        let steps: Vec<String> = own.iter().chain(other).map(|place| format!("#{place}")).collect();
        let position = reached(&game, &steps.join(" "));
        total += value(&game, position.state(), &mut known);
        boards.insert(*position.state());
    }
    assert_eq!(boards.len(), 36, "each set-up is another");
    assert!((exact - total / 36.0).abs() < 1e-6, "{exact} is not the mean {}", total / 36.0);
    let fixed = einstein("einstein:size=3");
    let first = reached(&game, "#1 #2 #3 #1 #2 #3");
    assert_eq!(first.state(), &fixed.initial(), "the fixed set-up is one of them");
    assert!(exact > 0.0 && exact < 1.0, "it is good to begin: {exact}");
}

#[test]
fn tree_search_finds_moves_that_are_as_good_as_exact_ones() {
    let game = einstein("einstein:size=3");
    let mut known = HashMap::new();
    let (mut lost, mut random_lost, mut positions) = (0.0, 0.0, 0);
    for index in 0..30 {
        for state in playout(&game, "einstein", index) {
            let Some(mover) = mover(game.as_ref(), &state) else { continue };
            let mut worth = |action: Action| {
                let sign = if mover == Player::First { 1.0 } else { -1.0 };
                sign * value(&game, &after(game.as_ref(), &state, action), &mut known)
            };
            let values: Vec<f64> = actions(game.as_ref(), &state).into_iter().map(&mut worth).collect();
            let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mut tree = Tree::new(&game, Rule::Ucb1 { c: std::f32::consts::SQRT_2 }, state, positions);
            let mut rollout = Rollout::new(&game);
            Driver { simulations: 400, gather: 1 }.roll_out(&mut tree, &mut rollout, &mut Budget::default().start());
            lost += best - worth(most_probable(&tree.policy()));
            random_lost += best - values.iter().sum::<f64>() / values.len() as f64;
            positions += 1;
        }
    }
    let (lost, random_lost) = (lost / positions as f64, random_lost / positions as f64);
    assert!(positions > 50 && random_lost > 0.1, "{positions} positions, random play loses {random_lost} a move");
    assert!(lost < random_lost / 10.0, "the search loses {lost} a move, random play {random_lost}");
}
