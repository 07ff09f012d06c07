//! What a root is treated to: wins on the spot, which PUCT plays and asks nobody about; the temperature of its priors; forced playouts, and the
//! policy target without these.

mod common;
mod literal;
mod playouts;
mod trees;

use std::sync::Arc;

use common::{actions, after};
use literal::{Literal, Node, choice, over};
use playouts::{mover, playout};
use plyzero::eval::{Evaluation, Evaluator, Uniform};
use plyzero::game::{Action, Game, Payoff, Player, Step, Turn};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::rng::stream;
use plyzero::search::mcts::{Rule, Tree, dirichlet, most_probable};
use plyzero::solver::{Exhaustive, Solver as _};
use trees::{Hashed, UCB1, drive, searched, visits};

/// The first move that ends the game with the best payoff there is.
fn win<G: Game>(game: &G, state: &G::State) -> Option<Action> {
    let Turn::Move(mover) = game.turn(state) else { return None };
    let wins = |action: &Action| matches!(game.turn(&after(game, state, *action)), Turn::Over(end) if end.of(mover) == 1.0);
    actions(game, state).into_iter().find(wins)
}

/// Fails where it is asked about a position with a win on the spot; counts the others.
struct Spared<G>(Hashed<G>, usize);

impl<G: Game> Evaluator<G> for Spared<G> {
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        for leaf in leaves {
            assert_eq!(win(self.0.0.as_ref(), leaf), None, "a win on the spot needs no judgement:\n{}", self.0.0.draw(leaf));
        }
        self.1 += leaves.len();
        self.0.evaluate(leaves, out);
    }
}

fn assert_spared<G: Game>(game: &Arc<G>, purpose: &str, simulations: u32) {
    let (mut won, mut asked, mut made) = (0, 0, 0);
    for state in (0..30).flat_map(|index| playout(game, purpose, index)) {
        let Some(mover) = mover(game.as_ref(), &state) else { continue };
        for gather in [1, 5] {
            let mut evaluator = Spared(Hashed(Arc::clone(game)), 0);
            let mut tree = Tree::new(game, Rule::PLAIN, state.clone(), 1);
            tree.set_root_noise(vec![0.25; actions(game.as_ref(), &state).len()], 0.25);
            drive(&mut tree, &mut evaluator, simulations, gather);
            assert_eq!(tree.simulations(), simulations);
            if let Some(win) = win(game.as_ref(), &state) {
                assert_eq!((evaluator.1, tree.value().map(|value| value.of(mover))), (0, Some(1.0)));
                let policy: Vec<_> = tree.policy().into_iter().filter(|(_, share)| *share > 0.0).collect();
                assert_eq!(policy, [(win, 1.0)], "the policy to learn from is the win");
                assert_eq!(tree.principal_variation(), [win]);
                won += 1;
            } else {
                (asked, made) = (asked + evaluator.1, made + simulations as usize);
            }
        }
    }
    assert!(won > 20 && asked < made, "{won} won, {asked} of {made}");
}

#[test]
fn no_evaluator_is_asked_where_a_move_wins_on_the_spot() {
    assert_spared(&Arc::new(TicTacToe::new()), "tic-tac-toe", 60);
    assert_spared(&Arc::new(ConnectFour::new()), "connect four", 100);
}

#[test]
fn a_win_is_the_best_payoff_there_is_and_nothing_less() {
    // For the mover alone: the other may gain as well. Of equal wins the first is taken, and chance is no end.
    let chance = || Arc::new(Node::Chance(vec![(1, over(4, 0))]));
    for (replies, expected) in [
        (vec![over(3, -3), over(4, 4), over(4, -4)], Some((1, [1.0, 1.0]))),
        (vec![over(3, -4), over(0, -4)], None),
        (vec![chance(), over(0, 0)], None),
        (vec![over(-4, 4), over(4, -4)], Some((1, [1.0, -1.0]))),
    ] {
        let game = Literal::new(choice(Player::First, replies));
        let tree = searched(&game, Rule::PLAIN, &mut Uniform::new(&game), 0);
        let known = expected.map_or([0.0, 0.0], |(_, payoff)| payoff);
        assert_eq!((tree.value(), tree.simulations()), (Some(Payoff(known)), 0));
        if let Some((win, _)) = expected {
            assert_eq!(tree.policy()[win].1, 1.0);
        }
        // UCT keeps its four phases: it evaluates whatever it adds.
        let plain = searched(&game, UCB1, &mut Uniform::new(&game), 0);
        assert_eq!(plain.value(), Some(Payoff::DRAW));
    }
}

#[test]
fn a_root_reached_by_an_advance_knows_its_win() {
    let won = choice(Player::Second, vec![over(0, 0), over(-4, 4)]);
    let game = Literal::new(choice(Player::First, vec![won, over(-2, 2)]));
    let mut tree = searched(&game, Rule::PLAIN, &mut Uniform::new(&game), 12);
    assert!(visits(&tree)[1] > visits(&tree)[0], "half a loss is better than a whole one");
    assert!(tree.advance(Step::Move(Action(0))));
    drive(&mut tree, &mut Uniform::new(&game), 20, 1);
    assert_eq!((visits(&tree), tree.value()), (vec![0, 20], Some(Payoff([-1.0, 1.0]))));
}

/// PUCT that judges nothing must be as good for its simulations as it was without this rule, which the counts are from.
#[test]
fn tic_tac_toe_is_not_played_worse() {
    let game = Arc::new(TicTacToe::new());
    let mut solver = Exhaustive::new(&game).unwrap();
    let positions = solver.undecided_positions();
    let mut missed = |simulations| {
        let misses = |state: &&_| {
            let mut tree = Tree::new(&game, Rule::PLAIN, **state, 1);
            drive(&mut tree, &mut Uniform::new(&game), simulations, 1);
            let (moves, chosen) = (solver.moves(state), most_probable(&tree.policy()));
            let best = moves.iter().map(|(_, verdict)| verdict.outcome).max();
            moves.iter().find(|(action, _)| *action == chosen).map(|(_, verdict)| verdict.outcome) != best
        };
        positions.iter().filter(misses).count()
    };
    for (simulations, before) in BEFORE {
        assert!(missed(simulations) <= before, "{simulations} simulations: {} missed, {before} before", missed(simulations));
    }
}

/// Simulations, and the positions of 4,520 in which a move that loses something was chosen.
const BEFORE: [(u32, usize); 3] = [(20, 360), (100, 77), (400, 15)];

/// Gives every position these priors and no value.
struct Priors(Vec<f32>);

impl<G: Game> Evaluator<G> for Priors {
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        out.extend(leaves.iter().map(|_| Evaluation { priors: self.0.clone(), payoff: Payoff::DRAW, chances: None }));
    }
}

fn weights<G: Game>(tree: &Tree<G>) -> Vec<u32> {
    tree.weights().into_iter().map(|(_, weight)| weight).collect()
}

#[test]
fn the_temperature_is_applied_before_the_noise_and_once() {
    let game = Literal::new(choice(Player::First, vec![over(1, -1), over(0, 0)]));
    // The roots of 0.64 and 0.36 are 0.8 and 0.6.
    for (temperature, noise, expected) in [
        (None, None, [0.64, 0.36]),
        (Some(2.0), None, [4.0 / 7.0, 3.0 / 7.0]),
        (Some(2.0), Some(vec![0.0, 1.0]), [2.0 / 7.0, 5.0 / 7.0]),
        (Some(0.5), None, [0.4096 / 0.5392, 0.1296 / 0.5392]),
        (Some(1e-30), None, [1.0, 0.0]),
        (Some(1e30), None, [0.5, 0.5]),
    ] {
        for late in [false, true] {
            let mut tree = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
            let mut evaluator = Priors(vec![0.64, 0.36]);
            if late {
                drive(&mut tree, &mut evaluator, 0, 1);
            }
            temperature.into_iter().for_each(|temperature| tree.set_root_temperature(temperature));
            noise.clone().into_iter().for_each(|noise| tree.set_root_noise(noise, 0.5));
            drive(&mut tree, &mut evaluator, 9, 1);
            let close = tree.moves().zip(expected).all(|(mv, prior): (_, f32)| (mv.prior - prior).abs() < 1e-6);
            assert!(close, "{temperature:?} {noise:?} {late}: {:?}", tree.moves().collect::<Vec<_>>());
        }
    }
}

#[test]
fn shaped_noise_waits_for_the_priors_and_comes_after_the_temperature() {
    let game = Literal::new(choice(Player::First, vec![over(1, -1), over(0, 0), over(0, 0)]));
    let priors = |late, shape, temperature| {
        let mut tree = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
        let mut evaluator = Priors(vec![0.99899, 1e-3, 1e-5]);
        drive(&mut tree, &mut evaluator, if late { 3 } else { 0 }, 1);
        tree.restart(game.initial(), 1);
        if late {
            drive(&mut tree, &mut evaluator, 0, 1);
        }
        tree.set_root_temperature(temperature);
        tree.set_shaped_noise(0.7, shape, 1.0, 5);
        drive(&mut tree, &mut evaluator, 9, 1);
        tree.moves().map(|mv| mv.prior).collect::<Vec<_>>()
    };
    // Without a shape it is the noise there always was, from its own stream.
    let plain = dirichlet(3, 0.7, &mut stream(5, "noise", 0));
    assert!(priors(false, 0.0, 1.0).iter().zip(&plain).all(|(one, other)| (one - other).abs() < 1e-6));
    let shaped = priors(false, 1.0, 1.0);
    assert_eq!((shaped.clone(), shaped[2]), (priors(true, 1.0, 1.0), 0.0), "the least likely move has no noise");
    // Even priors have no shape.
    assert_eq!(priors(false, 1.0, 1e30), priors(false, 0.0, 1e30));
}

/// Three moves worth -1/2, 0 and -3/4 with even priors, chosen by value alone. The first two are tried, then the better one is followed,
/// but where the square of a move's visits is below 2/3 of all visits.
#[test]
fn forced_playouts_by_hand() {
    let game = Literal::new(choice(Player::First, vec![over(-2, 2), over(0, 0), over(-3, 3)]));
    let greedy = Rule::Puct { c_puct: 0.0, fpu_reduction: 0.0, root_fpu_reduction: 0.0, solve: false };
    for (simulations, plain, forced, target) in [
        (2, [1, 1, 0], [1, 1, 0], [1, 0, 0]),
        (3, [1, 2, 0], [2, 1, 0], [2, 0, 0]),
        (4, [1, 3, 0], [2, 2, 0], [2, 2, 0]),
        (7, [1, 6, 0], [2, 5, 0], [0, 5, 0]),
        (8, [1, 7, 0], [3, 5, 0], [0, 5, 0]),
        (14, [1, 13, 0], [3, 11, 0], [0, 11, 0]),
        (15, [1, 14, 0], [4, 11, 0], [0, 11, 0]),
    ] {
        let search = |k| {
            let mut tree = Tree::new(&game, greedy, game.initial(), 1);
            tree.set_forced_playouts(k);
            drive(&mut tree, &mut Uniform::new(&game), simulations, 1);
            tree
        };
        assert_eq!((visits(&search(0.0)), weights(&search(0.0))), (plain.to_vec(), plain.to_vec()));
        assert_eq!((visits(&search(2.0)), weights(&search(2.0))), (forced.to_vec(), target.to_vec()), "{simulations}");
    }
}

/// What the paper says of both, recomputed from what the root tells.
fn assert_pruned<G: Game>(tree: &Tree<G>, player: Player, c_puct: f64, k: f64) -> bool {
    let moves: Vec<_> = tree.moves().collect();
    let total = f64::from(tree.simulations());
    let score = |at: usize, visits: u32| {
        let value = moves[at].value.map_or(0.0, |value| f64::from(value.of(player)));
        value + c_puct * f64::from(moves[at].prior) * (1.0 + total).sqrt() / f64::from(1 + visits)
    };
    let best = (0..moves.len()).max_by_key(|&at| (moves[at].visits, std::cmp::Reverse(at))).unwrap();
    let bound = score(best, moves[best].visits);
    let mut any = false;
    for (at, (mv, weight)) in moves.iter().zip(weights(tree)).enumerate() {
        let quota = (k * f64::from(mv.prior) * total).sqrt();
        let taken = mv.visits - weight;
        if at == best || mv.visits == 0 {
            assert_eq!(taken, 0);
            continue;
        }
        any |= taken > 0;
        assert!(weight != 1, "a single visit is no target");
        if weight > 1 {
            assert!(f64::from(taken) <= quota + 1e-3, "no more than was forced");
            assert!(taken == 0 || score(at, weight) < bound + 1e-4, "no more than selection would mind");
            let is_all = f64::from(taken + 1) > quota - 1e-3;
            assert!(is_all || score(at, weight - 1) > bound - 1e-4, "and no less");
        }
    }
    any
}

#[test]
fn targets_lose_what_was_forced_and_no_more() {
    let (small, large) = (Arc::new(TicTacToe::new()), Arc::new(ConnectFour::new()));
    let mut pruned = 0;
    for index in 0..40 {
        pruned += assert_on(&small, &playout(&small, "forced", index)[0..4]);
        pruned += assert_on(&large, &playout(&large, "forced", index)[0..6]);
    }
    assert!(pruned > 200, "{pruned}");
}

fn assert_on<G: Game>(game: &Arc<G>, states: &[G::State]) -> usize {
    let search = |state: &G::State| {
        let mut tree = Tree::new(game, Rule::PLAIN, state.clone(), 1);
        tree.set_forced_playouts(2.0);
        let legal = actions(game.as_ref(), state).len();
        tree.set_root_noise((0..legal).map(|at| if at == 1 { 1.0 } else { 0.0 }).collect(), 0.25);
        drive(&mut tree, &mut Hashed(Arc::clone(game)), 150, 1);
        assert!((tree.policy().iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-6);
        // One simulation may have passed since a move had its share.
        let lacks =
            |mv: &plyzero::search::mcts::RootMove| mv.visits > 0 && ((mv.visits + 1) as f32).powi(2) < 2.0 * mv.prior * 150.0;
        let has_win = tree.moves().any(|mv| mv.prior == 1.0);
        assert!(has_win || tree.moves().filter(lacks).count() < 2, "{:?}", tree.moves().collect::<Vec<_>>());
        !has_win && assert_pruned(&tree, mover(game.as_ref(), state).unwrap(), 2.0, 2.0)
    };
    states.iter().filter(|state| search(state)).count()
}

#[test]
fn uct_and_a_tree_used_again_know_what_is_theirs() {
    let game = Literal::new(choice(Player::First, vec![over(-2, 2), over(0, 0), over(-3, 3)]));
    let search = |k, tree: &mut Tree<Literal>| {
        tree.set_forced_playouts(k);
        drive(tree, &mut Uniform::new(&game), 40, 1);
        (visits(tree), weights(tree))
    };
    let fresh = |rule| Tree::new(&game, rule, game.initial(), 1);
    assert_eq!(search(5.0, &mut fresh(UCB1)), search(0.0, &mut fresh(UCB1)), "without priors nothing is forced");
    let mut tree = fresh(Rule::PLAIN);
    let forced = search(5.0, &mut tree);
    tree.restart(game.initial(), 1);
    drive(&mut tree, &mut Uniform::new(&game), 40, 1);
    assert_eq!((visits(&tree), weights(&tree)), forced, "what is forced stays, as the rule does");
}
