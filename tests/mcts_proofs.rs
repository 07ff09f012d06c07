//! Proofs in the tree: their rule by hand, and that nothing proven is ever wrong.

mod common;
mod findings;
mod literal;
mod playouts;
mod random_tree;
mod trees;

use std::sync::Arc;

use common::{actions, after};
use findings::findings;
use literal::{Literal, Node, State, choice, over};
use playouts::{mover, playout};
use plyzero::eval::{Evaluation, Evaluator, Uniform};
use plyzero::game::{Action, Game, Payoff, Player, Step, Turn};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::search::mcts::{Descent, Proof, Rule, Tree, lockstep, most_probable};
use plyzero::solver::{Class, Exhaustive, Solver as _, Verdict};
use random_tree::RandomTree;
use trees::{Hashed, UCB1, drive, searched, visits};

const SOLVE: Rule = Rule::Puct { c_puct: 2.0, fpu_reduction: 0.2, root_fpu_reduction: 0.2, solve: true };

// --- By hand ---------------------------------------------------------------------------------------------------------

/// A game of so many forced plies, then this end.
fn chain(plies: u32, end: &State) -> State {
    (0..plies).fold(Arc::clone(end), |rest, ply| choice(Player::BOTH[ply as usize % 2], vec![rest]))
}

/// A bushy game that is far from over.
fn bush(depth: u32) -> State {
    let mover = Player::BOTH[depth as usize % 2];
    if depth == 0 { over(1, -1) } else { choice(mover, (0..3).map(|_| bush(depth - 1)).collect()) }
}

/// What is proven of the place after so many simulations, and what its moves count.
fn proven(place: &State, simulations: u32) -> (Option<Proof>, Vec<u32>) {
    let game = Literal::new(Arc::clone(place));
    let tree = searched(&game, SOLVE, &mut Uniform::new(&game), simulations);
    (tree.proof(), tree.weights().into_iter().map(|(_, weight)| weight).collect())
}

fn proof(first: i32, second: i32, plies: u32) -> Option<Proof> {
    Some(Proof { payoff: Payoff([first, second].map(|quarters| quarters as f32 / 4.0)), plies })
}

#[test]
fn a_position_is_worth_the_best_of_its_proven_moves() {
    use Player::{First, Second};
    // Wins are taken as soon, draws and losses as late as possible. Losses of less than everything are no proven losses.
    for (mover, ends, expected) in [
        (First, vec![(1, over(2, -2)), (3, over(2, -2)), (2, over(0, 0))], (proof(2, -2, 2), [1, 0, 0])),
        (First, vec![(3, over(2, -2)), (1, over(2, -2)), (2, over(0, 0))], (proof(2, -2, 2), [0, 1, 0])),
        (First, vec![(1, over(0, 0)), (4, over(0, 0)), (2, over(-4, 4))], (proof(0, 0, 5), [0, 1, 0])),
        (First, vec![(1, over(-2, 2)), (4, over(-2, 2)), (6, over(-3, 3))], (proof(-2, 2, 5), [0, 1, 0])),
        (First, vec![(1, over(-4, 4)), (4, over(-4, 4)), (2, over(-4, 4))], (proof(-4, 4, 5), [0, 1, 0])),
        (First, vec![(2, over(-4, 4)), (2, over(-4, 4)), (1, over(-4, 4))], (proof(-4, 4, 3), [1, 1, 0])),
        // Each player for itself: the second gains here what the first does not lose.
        (Second, vec![(1, over(2, 1)), (2, over(-1, 3)), (3, over(4, 2))], (proof(-1, 3, 3), [0, 1, 0])),
        (First, vec![(1, over(2, 1)), (2, over(-1, 3)), (3, over(3, 2))], (proof(3, 2, 4), [0, 0, 1])),
    ] {
        let place = choice(mover, ends.iter().map(|(plies, end)| chain(*plies, end)).collect());
        assert_eq!(proven(&place, 200), (expected.0, expected.1.to_vec()), "{place:?}");
    }
}

#[test]
fn a_win_needs_one_proven_move_and_a_loss_all_of_them() {
    let won = chain(2, &over(4, -4));
    assert_eq!(proven(&choice(Player::First, vec![bush(6), won.clone(), bush(5)]), 200), (proof(4, -4, 3), vec![0, 1, 0]));
    let (found, weights) = proven(&choice(Player::Second, vec![bush(6), won, bush(5)]), 200);
    assert_eq!((found, weights[1]), (None, 0), "the loss is left, and not known to be all there is");
    assert_eq!(proven(&over(1, 2), 5), (proof(1, 2, 0), vec![]));
    assert_eq!(proven(&bush(6), 0), (None, vec![0, 0, 0]));
}

#[test]
fn wins_on_the_spot_are_proven_at_once_and_share_the_policy() {
    let place = choice(Player::First, vec![over(4, -4), over(0, 0), bush(3), over(4, -4)]);
    let game = Literal::new(Arc::clone(&place));
    let mut tree = searched(&game, SOLVE, &mut Uniform::new(&game), 100);
    assert_eq!((tree.proof(), tree.simulations(), tree.is_exhausted()), (proof(4, -4, 1), 0, true));
    assert_eq!(tree.policy().iter().map(|(_, share)| *share).collect::<Vec<_>>(), [0.5, 0.0, 0.0, 0.5]);
    assert_eq!((tree.principal_variation(), tree.value()), (vec![Action(0)], Some(Payoff([1.0, -1.0]))));
    assert!(matches!(tree.descend(), Descent::Terminal), "what is proven needs no evaluation");
}

#[test]
fn only_rules_that_ask_for_proofs_have_them() {
    let game = Literal::new(choice(Player::First, vec![over(4, -4), over(-4, 4)]));
    for (rule, expected) in [(SOLVE, proof(4, -4, 1)), (Rule::PLAIN, None), (UCB1, None)] {
        assert_eq!(searched(&game, rule, &mut Uniform::new(&game), 100).proof(), expected, "{rule:?}");
    }
}

#[test]
fn a_proven_loss_is_visited_once_and_never_again() {
    let place = choice(Player::First, vec![choice(Player::Second, vec![bush(4), over(-4, 4)]), bush(6)]);
    let game = Literal::new(place);
    let tree = searched(&game, SOLVE, &mut Uniform::new(&game), 50);
    assert_eq!(visits(&tree), [1, 49]);
    assert_eq!(tree.policy().iter().map(|(_, share)| *share).collect::<Vec<_>>(), [0.0, 1.0]);
    assert_eq!(tree.moves().next().unwrap().value, Some(Payoff([-1.0, 1.0])));
    // After one simulation nothing but the loss was visited: what is left is all there is to choose.
    let tree = searched(&game, SOLVE, &mut Uniform::new(&game), 1);
    assert_eq!(tree.weights(), [(Action(0), 0), (Action(1), 1)]);
    assert_eq!(most_probable(&tree.policy()), Action(1));
}

#[test]
fn a_move_that_another_proven_one_beats_counts_for_nothing() {
    let ends = vec![chain(1, &over(1, -1)), chain(1, &over(2, -2)), bush(7)];
    let (found, weights) = proven(&choice(Player::First, ends), 60);
    assert_eq!((found, weights[0]), (None, 0));
    assert!(weights[1] > 0 && weights[2] > 0, "{weights:?}");
}

#[test]
fn nothing_is_proven_where_chance_acts_nor_through_it() {
    let die = || Arc::new(Node::Chance(vec![(1, over(-4, 4)), (1, over(-4, 4))]));
    let (found, weights) = proven(&choice(Player::First, vec![die(), over(-4, 4)]), 80);
    assert_eq!((found, weights[1]), (None, 0));
    assert_eq!(proven(&choice(Player::First, vec![die(), chain(2, &over(4, -4))]), 80).0, proof(4, -4, 3));
}

#[test]
fn an_advance_keeps_what_is_proven() {
    let lost = choice(Player::Second, vec![chain(2, &over(0, 0)), chain(3, &over(4, -4))]);
    let game = Literal::new(choice(Player::First, vec![lost, bush(6)]));
    let mut tree = searched(&game, SOLVE, &mut Uniform::new(&game), 100);
    assert_eq!(tree.proof(), None, "the bush is not proven");
    assert!(tree.advance(Step::Move(Action(0))));
    assert_eq!((tree.proof(), tree.is_exhausted()), (proof(0, 0, 3), true));
    assert_eq!((tree.principal_variation().len(), tree.weights()), (3, vec![(Action(0), 1), (Action(1), 0)]));
    tree.advance(Step::Move(Action(1)));
    assert_eq!((tree.proof(), tree.decision(Action(0)).principal_variation.len()), (proof(4, -4, 3), 3));
}

// --- Against perfect play --------------------------------------------------------------------------------------------

/// The worth of a verdict to both players of a game of wins, draws and losses.
fn payoff(verdict: Verdict, mover: Player) -> Payoff {
    Payoff::zero_sum(mover, verdict.outcome as i32 as f32 - 1.0)
}

/// Searches from `state`, checks all that is proven there and one move further, and returns whether anything was.
fn assert_true<G: Game>(
    game: &Arc<G>,
    solver: &mut Exhaustive<G>,
    state: &G::State,
    (seed, simulations, gather): (u64, u32, usize),
) -> bool {
    let grow = || {
        let mut tree = Tree::new(game, SOLVE, state.clone(), seed);
        drive(&mut tree, &mut Hashed(Arc::clone(game)), simulations, gather);
        tree
    };
    let (tree, moves) = (grow(), solver.moves(state));
    let best = moves.iter().map(|(_, verdict)| *verdict).max().unwrap();
    if let Some(found) = tree.proof() {
        assert_eq!(found.payoff, payoff(best, mover(game.as_ref(), state).unwrap()), "{}", game.draw(state));
        match best.outcome {
            Class::Draw => assert_eq!(found.plies, best.plies),
            Class::Win | Class::Loss => assert!(found.plies >= best.plies, "nobody wins faster than perfect play"),
        }
        for ((action, weight), (listed, verdict)) in tree.weights().into_iter().zip(&moves) {
            assert!(action == *listed && (weight == 0 || verdict.outcome == best.outcome), "{}", game.draw(state));
        }
    } else if simulations > 0 {
        // A loss without a share is a true one; a win always has one.
        for ((_, weight), (mv, (_, verdict))) in tree.weights().into_iter().zip(tree.moves().zip(&moves)) {
            assert!(weight > 0 || mv.visits == 0 || verdict.outcome < Class::Win, "{}", game.draw(state));
        }
        assert!((tree.policy().iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
    }
    let mut any = tree.proof().is_some();
    for &(action, verdict) in &moves {
        let mut below = grow();
        below.advance(Step::Move(action));
        if let Some(found) = below.proof() {
            assert_eq!(found.payoff, payoff(verdict, mover(game.as_ref(), state).unwrap()), "{}", game.draw(state));
            any = true;
        }
    }
    any
}

#[test]
fn nothing_proven_of_tic_tac_toe_is_wrong() {
    let game = Arc::new(TicTacToe::new());
    let mut solver = Exhaustive::new(&game).unwrap();
    let mut found = 0;
    for (state, seed) in solver.undecided_positions().into_iter().zip(0..) {
        let (simulations, gather) = (1 + (seed * 37 % 200) as u32, 1 + (seed % 3 * 3) as usize);
        found += usize::from(assert_true(&game, &mut solver, &state, (seed, simulations, gather)));
    }
    assert!(found > 3_000, "something is proven in {found} positions of 4520");
}

#[test]
fn a_drawn_position_is_solved_by_enough_simulations() {
    // X in the middle and in a corner, O in the corner opposite: six squares are left.
    let game = Arc::new(TicTacToe::new());
    let start = [4, 0, 8].iter().fold(game.initial(), |state, &square| after(game.as_ref(), &state, Action(square)));
    let mut tree = Tree::new(&game, SOLVE, start, 1);
    drive(&mut tree, &mut Uniform::new(&game), 50_000, 1);
    assert_eq!(tree.proof(), Some(Proof { payoff: Payoff::DRAW, plies: 6 }));
    assert!(tree.simulations() < 50_000, "a search ends with the proof of its root");
    assert_eq!(tree.principal_variation().len(), 6);
}

#[test]
fn nothing_proven_in_endings_of_connect_four_is_wrong() {
    let game = Arc::new(ConnectFour::new());
    let mut solver = Exhaustive::new(&game).unwrap();
    let endings = (0..1500).flat_map(|index| playout(&game, "proofs", index).into_iter().skip(32).step_by(3));
    let (mut seen, mut found) = (0, 0);
    for (state, seed) in endings.filter(|state| mover(game.as_ref(), state).is_some()).zip(0..) {
        seen += 1;
        found += usize::from(assert_true(&game, &mut solver, &state, (seed, 150, 1 + (seed % 2 * 7) as usize)));
    }
    assert!(seen > 150 && found > seen / 2, "{found} of {seen}");
}

/// The utility of the first player when both play perfectly.
fn minimax(game: &RandomTree, state: &<RandomTree as Game>::State) -> f32 {
    let mover = match game.turn(state) {
        Turn::Over(payoff) => return payoff.of(Player::First),
        Turn::Move(mover) => mover,
        Turn::Chance => panic!("no chance acts here"),
    };
    let values = actions(game, state).into_iter().map(|action| minimax(game, &after(game, state, action)));
    let best = |a: f32, b: f32| if (a > b) == (mover == Player::First) { a } else { b };
    values.reduce(best).unwrap()
}

/// Movers do not alternate there, and results are more than wins, draws and losses.
#[test]
fn nothing_proven_of_random_games_is_wrong() {
    let mut found = 0;
    for seed in 0..200 {
        let game = Arc::new(RandomTree::new(seed));
        let value = minimax(&game, &game.initial());
        for (simulations, gather) in [(30, 1), (120, 4), (600, 16), (2000, 1)] {
            let mut tree = Tree::new(&game, SOLVE, game.initial(), seed);
            drive(&mut tree, &mut Hashed(Arc::clone(&game)), simulations, gather);
            let Some(proof) = tree.proof() else { continue };
            assert_eq!(proof.payoff.of(Player::First), value, "seed {seed}");
            let chosen = most_probable(&tree.policy());
            assert_eq!(minimax(&game, &after(game.as_ref(), &game.initial(), chosen)), value, "seed {seed}");
            found += 1;
        }
    }
    assert!(found > 200, "{found} of 800");
}

// --- Driving ---------------------------------------------------------------------------------------------------------

/// Counts what it is asked.
struct Counted<E>(E, usize);

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Counted<E> {
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        self.1 += leaves.len();
        self.0.evaluate(leaves, out);
    }
}

#[test]
fn what_is_proven_needs_no_further_evaluation() {
    let game = Literal::new(choice(Player::First, vec![chain(3, &over(1, -1)), chain(2, &over(0, 0)), bush(1)]));
    let mut evaluator = Counted(Uniform::new(&game), 0);
    let mut tree = Tree::new(&game, SOLVE, game.initial(), 1);
    drive(&mut tree, &mut evaluator, 1000, 4);
    assert_eq!((evaluator.1, tree.proof()), (7, proof(1, -1, 2)), "each position that is no end, once");
}

#[test]
fn proofs_are_the_same_alone_and_in_lockstep() {
    let game = Arc::new(ConnectFour::new());
    let states: Vec<_> = (0..20).map(|index| playout(&game, "lockstep", index)).filter(|states| states.len() > 20).collect();
    let fresh = || states.iter().map(|states| Tree::new(&game, SOLVE, states[states.len() - 6], 3)).collect::<Vec<_>>();
    let (mut together, mut alone) = (fresh(), fresh());
    lockstep(&mut together, &mut Hashed(Arc::clone(&game)), 400);
    alone.iter_mut().for_each(|tree| drive(tree, &mut Hashed(Arc::clone(&game)), 400, 1));
    for (one, other) in together.iter().zip(&alone) {
        assert_eq!((findings(one), one.proof(), one.weights()), (findings(other), other.proof(), other.weights()));
    }
    assert!(alone.iter().any(|tree| tree.proof().is_some()));
    // A tree that is used again knows nothing of its former root.
    let mut used = alone.swap_remove(0);
    used.restart(game.initial(), 3);
    drive(&mut used, &mut Hashed(Arc::clone(&game)), 100, 1);
    assert_eq!(findings(&used), findings(&searched_anew(&game)));
}

fn searched_anew(game: &Arc<ConnectFour>) -> Tree<ConnectFour> {
    let mut tree = Tree::new(game, SOLVE, game.initial(), 3);
    drive(&mut tree, &mut Hashed(Arc::clone(game)), 100, 1);
    tree
}
