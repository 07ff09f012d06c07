//! Minimax and alpha-beta on trees whose counts are known, and what the value of a game promises.

mod common;
mod random_tree;

use std::sync::Arc;

use common::{actions, after};
use plyzero::game::{Game, Player, Turn};
use plyzero::games::TicTacToe;
use plyzero::rng::{Rng, stream};
use plyzero::search::alpha_beta::{AlphaBeta, Options};
use plyzero::search::textbook::{Leaves, Uniform};
use plyzero::search::{Budget, Minimax};
use rand::RngExt as _;
use random_tree::RandomTree;

/// The positions of a uniform tree that alpha-beta visits.
fn visited(branching: usize, depth: usize, order: Leaves) -> u64 {
    let game = Uniform::new(branching, depth, order);
    let (start, budget, mut rng) = (game.initial(), Budget::default(), stream(1, "uniform", 0));
    let truth = Minimax::new(&game, None, false).unwrap().search(&start, &budget, &mut rng);
    assert_eq!(truth.nodes, (0..=depth as u32).map(|ply| (branching as u64).pow(ply)).sum::<u64>());
    let found = AlphaBeta::new(&game, None, Options::textbook()).unwrap().search(&start, &budget, &mut rng);
    assert_eq!((found.value, found.action), (truth.value, truth.action));
    assert_eq!(found.action.index(), if order == Leaves::BestFirst { 0 } else { branching - 1 });
    found.nodes
}

/// Knuth and Moore's number of positions visited `ply` plies below the root.
fn law(branching: u64, ply: u32, order: Leaves) -> u64 {
    match order {
        Leaves::BestFirst => branching.pow(ply.div_ceil(2)) + branching.pow(ply / 2) - 1,
        _ => branching.pow(ply),
    }
}

#[test]
fn uniform_trees_have_the_leaves_of_knuth_and_moore() {
    for (branching, deepest) in [(1, 9), (2, 11), (3, 8), (4, 6), (5, 5), (10, 4)] {
        for depth in 1..=deepest {
            for order in [Leaves::BestFirst, Leaves::WorstFirst] {
                // The leaves are what the plies above them leave of all nodes.
                let above: u64 = (0..depth as u32).map(|ply| law(branching as u64, ply, order)).sum();
                let leaves = law(branching as u64, depth as u32, order);
                assert_eq!(visited(branching, depth, order) - above, leaves, "b = {branching}, m = {depth}, {order:?}");
            }
        }
    }
}

/// Plays a game from `state`: `us` by full minimax, the other player by `opponent`; what it is worth to us.
fn play<G: Game>(game: &Arc<G>, us: Player, opponent: &dyn Fn(&G::State, &mut Rng) -> usize, rng: &mut Rng) -> f32 {
    let mut minimax = Minimax::new(game, None, false).unwrap();
    let mut state = game.initial();
    loop {
        match game.turn(&state) {
            Turn::Over(payoff) => return payoff.of(us),
            Turn::Move(mover) if mover == us => {
                let action = minimax.search(&state, &Budget::default(), rng).action;
                state = after(game.as_ref(), &state, action);
            }
            Turn::Move(_) | Turn::Chance => {
                let action = actions(game.as_ref(), &state)[opponent(&state, rng)];
                state = after(game.as_ref(), &state, action);
            }
        }
    }
}

#[test]
fn against_any_opponent_minimax_gets_at_least_its_value() {
    let mut more = 0;
    for seed in 0..400 {
        let game = Arc::new(RandomTree::new(seed));
        let value = Minimax::new(&game, None, false).unwrap();
        let value = { value }.search(&game.initial(), &Budget::default(), &mut stream(1, "value", 0)).value.unwrap();
        let count = |state: &_| actions(game.as_ref(), state).len();
        let greedy = |state: &_, _: &mut Rng| {
            // The first move that ends the game, else the last one.
            let ends = |action| matches!(game.turn(&after(game.as_ref(), state, action)), Turn::Over(_));
            actions(game.as_ref(), state).into_iter().position(ends).unwrap_or(count(state) - 1)
        };
        let random = |state: &_, rng: &mut Rng| rng.random_range(0..count(state));
        let first = |_: &_, _: &mut Rng| 0;
        for us in Player::BOTH {
            for opponent in [&greedy as &dyn Fn(&_, &mut Rng) -> usize, &random, &first] {
                let got = play(&game, us, opponent, &mut stream(seed, "opponent", us.index() as u64));
                assert!(got >= value.of(us), "{us:?} got {got} of {value:?}");
                more += usize::from(got > value.of(us));
            }
        }
    }
    assert!(more > 200, "a weaker opponent loses something: {more}");
}

#[test]
fn symmetric_openings_of_tic_tac_toe_cost_minimax_the_same() {
    let game = Arc::new(TicTacToe::new());
    let mut minimax = Minimax::new(&game, None, false).unwrap();
    let mut cost = |action| {
        let state = after(game.as_ref(), &game.initial(), action);
        minimax.search(&state, &Budget::default(), &mut stream(1, "openings", 0)).nodes
    };
    let costs: Vec<u64> = actions(game.as_ref(), &game.initial()).into_iter().map(&mut cost).collect();
    let [corner, edge, centre] = [costs[0], costs[1], costs[4]];
    assert_eq!(costs, [corner, edge, corner, edge, centre, edge, corner, edge, corner]);
    assert_eq!(costs.iter().sum::<u64>() + 1, 549_946);
}
