//! Gumbel search at the root: its plan, its choice and its policy by hand, and what goes with it.

mod common;
mod literal;
mod playouts;
mod trees;

use std::sync::Arc;

use common::{actions, after};
use literal::{Literal, Node, State, choice, over};
use playouts::{mover, playout};
use plyzero::eval::{Evaluation, Evaluator, Uniform};
use plyzero::game::{Action, Game, Payoff, Player, Step, Turn};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::rng::stream;
use plyzero::search::mcts::{Gumbel, Rule, Tree, gumbel, lockstep};
use trees::{Hashed, UCB1, drive, searched, visits};

/// The paper's constants, values in [-1, 1].
fn method(considered: u32, simulations: u32) -> Gumbel {
    Gumbel { considered, simulations, visit_scale: 50.0, value_scale: 1.0 }
}

/// Gives every position these priors and this worth for the first player.
struct Fixed(Vec<f32>, f32);

impl<G: Game> Evaluator<G> for Fixed {
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        let payoff = Payoff([self.1, -self.1]);
        out.extend(leaves.iter().map(|_| Evaluation { priors: self.0.clone(), payoff, chances: None }));
    }
}

/// A root whose moves end the game, worth these quarters to the first player, who chooses.
fn bandit(quarters: &[i32]) -> Arc<Literal> {
    Literal::new(choice(Player::First, quarters.iter().map(|&worth| over(worth, -worth)).collect()))
}

fn halved(
    game: &Arc<Literal>,
    rule: Rule,
    method: Gumbel,
    draws: &[f32],
    evaluator: &mut dyn Evaluator<Literal>,
) -> Tree<Literal> {
    let mut tree = Tree::new(game, rule, game.initial(), 1);
    tree.set_gumbel(method, draws.to_vec());
    drive(&mut tree, evaluator, method.simulations, 1);
    tree
}

fn weights<G: Game>(tree: &Tree<G>) -> Vec<u32> {
    tree.weights().into_iter().map(|(_, weight)| weight).collect()
}

const SOLVE: Rule = Rule::Puct { c_puct: 2.0, fpu_reduction: 0.2, root_fpu_reduction: 0.2, solve: true };

// --- By hand ---------------------------------------------------------------------------------------------------------

/// With no weight on values the order is that of g + logit: 0.1 + 2, 0.4 + 0 and so on.
#[test]
fn the_moves_considered_are_the_largest_sums_of_draw_and_logit() {
    let game = bandit(&[0, 0, 0, 0, 0]);
    let priors = vec![0.1, 0.4, 0.2, 0.25, 0.05];
    // 2.0 - 2.3, 0 - 0.92, 1.0 - 1.61, 0 - 1.39, 5 - 3: in order 4, 0, 2, 1, 3.
    let draws = [2.0, 0.0, 1.0, 0.0, 5.0];
    for (considered, simulations, expected, calm) in [
        // One round of one visit each.
        (3, 3, [1, 0, 1, 0, 1], 2),
        (3, 2, [1, 0, 0, 0, 1], 0),
        (1, 6, [0, 0, 0, 0, 6], 4),
        (2, 6, [3, 0, 0, 0, 3], 0),
        // Two visits each, then four each for the better half.
        (4, 16, [6, 2, 2, 0, 6], 0),
        (99, 5, [1, 1, 1, 1, 1], 1),
    ] {
        let method = Gumbel { value_scale: 0.0, ..method(considered, simulations) };
        let tree = halved(&game, Rule::PLAIN, method, &draws, &mut Fixed(priors.clone(), 0.0));
        assert_eq!((visits(&tree), tree.gumbel_move(1.0)), (expected.to_vec(), Some(Action(4))), "{considered} {simulations}");
        // Nothing is learned from values here: the policy is that of the priors, whatever was drawn.
        assert_eq!(weights(&tree), [6554, 26214, 13107, 16384, 3277]);
        // Without the draws the prior alone decides among the most visited.
        assert_eq!(tree.gumbel_move(0.0), Some(Action(calm)));
    }
}

/// Values 1/2, -1/2, 1/4 and unknown; each considered move is visited twice or more, the first and third in the end.
#[test]
fn the_better_half_by_value_stays_and_the_rest_has_the_mixed_value() {
    let game = bandit(&[2, -2, 1, 3]);
    let priors = vec![0.3, 0.3, 0.3, 0.1];
    let method = Gumbel { visit_scale: 1.0, ..method(3, 12) };
    let draws = [0.0, 0.0, 0.0, 0.0];
    let tree = halved(&game, Rule::PLAIN, method, &draws, &mut Fixed(priors, 0.25));
    assert_eq!((visits(&tree), tree.gumbel_move(1.0)), (vec![5, 2, 5, 0], Some(Action(0))));
    // Evenly weighted the visited moves are worth 1/12; with 12 visits and 1/4 of the root itself, (1/4 + 12/12) / 13.
    let mixed = 1.25 / 13.0;
    let sigma = |q: f64| 6.0 * q;
    let scores = [0.3_f64.ln() + sigma(0.5), 0.3_f64.ln() + sigma(-0.5), 0.3_f64.ln() + sigma(0.25), 0.1_f64.ln() + sigma(mixed)];
    let total: f64 = scores.iter().map(|score| score.exp()).sum();
    for (weight, score) in weights(&tree).into_iter().zip(scores) {
        assert!((f64::from(weight) - 65536.0 * score.exp() / total).abs() < 1.0, "{weight}");
    }
    let sum: u32 = weights(&tree).into_iter().sum();
    assert!(sum.abs_diff(65536) <= 2, "parts of 65536: {sum}");
    assert!((tree.policy().iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-6);
}

#[test]
fn draws_count_beside_values_and_temperature_takes_them_out_of_the_last_choice() {
    let game = bandit(&[0, 1, -1]);
    let mut even = Fixed(vec![1.0 / 3.0; 3], 0.0);
    // Three visits each to two moves: sigma is (2 + 3) / 4 of a quarter, 5/16 of utility in all.
    let method = Gumbel { visit_scale: 2.0, value_scale: 0.25, ..method(2, 6) };
    for (draws, considered, chosen, calm) in
        [([0.3, 0.0, -9.0], [3, 3, 0], 1, 1), ([0.4, 0.0, -9.0], [3, 3, 0], 0, 1), ([9.0, -9.0, 8.0], [3, 0, 3], 0, 0)]
    {
        let tree = halved(&game, Rule::PLAIN, method, &draws, &mut even);
        assert_eq!(visits(&tree), considered);
        assert_eq!([1.0, 0.0].map(|temperature| tree.gumbel_move(temperature).unwrap().0), [chosen, calm], "{draws:?}");
    }
}

#[test]
fn values_are_those_of_the_mover() {
    let ends = vec![over(1, 0), over(0, 1), over(-4, -2)];
    let game = Literal::new(choice(Player::Second, ends));
    let tree = halved(&game, Rule::PLAIN, method(3, 9), &[0.0; 3], &mut Uniform::new(&game));
    assert_eq!(tree.gumbel_move(1.0), Some(Action(1)));
    assert!(weights(&tree)[1] > 65000, "{:?}", weights(&tree));
}

#[test]
fn an_only_move_and_no_simulations_are_served() {
    let only = bandit(&[1]);
    let tree = halved(&only, Rule::PLAIN, method(7, 5), &[0.5], &mut Uniform::new(&only));
    assert_eq!((visits(&tree), weights(&tree), tree.gumbel_move(1.0)), (vec![5], vec![65536], Some(Action(0))));
    let game = bandit(&[0, 0]);
    let tree = halved(&game, Rule::PLAIN, method(7, 0), &[0.0, 2.0], &mut Fixed(vec![0.75, 0.25], 0.0));
    assert_eq!(
        (weights(&tree), tree.gumbel_move(1.0), tree.gumbel_move(0.0)),
        (vec![49152, 16384], Some(Action(1)), Some(Action(0)))
    );
    let mut fresh = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
    fresh.set_gumbel(method(7, 5), vec![0.0, 0.0]);
    assert_eq!((fresh.gumbel_move(1.0), fresh.weights()), (None, vec![]), "before it was evaluated");
}

#[test]
fn a_prior_of_nothing_is_no_trouble() {
    let game = bandit(&[0, 1, 2]);
    let tree = halved(&game, Rule::PLAIN, method(3, 9), &[0.0; 3], &mut Fixed(vec![0.0, 1.0, 0.0], 0.5));
    assert_eq!((weights(&tree), tree.gumbel_move(1.0)), (vec![0, 65536, 0], Some(Action(1))));
}

// --- Beside wins, proofs and other methods -----------------------------------------------------------------------------

/// A bushy game that is far from over.
fn bush(depth: u32) -> State {
    let mover = Player::BOTH[depth as usize % 2];
    if depth == 0 { over(1, -1) } else { choice(mover, (0..3).map(|_| bush(depth - 1)).collect()) }
}

/// A move to it loses for the first player.
fn lost() -> State {
    choice(Player::Second, vec![bush(2), over(-4, 4)])
}

#[test]
fn a_win_on_the_spot_is_played_and_learned() {
    let game = bandit(&[0, 4, 4, -4]);
    for rule in [Rule::PLAIN, SOLVE] {
        let tree = halved(&game, rule, method(2, 9), &[9.0, -9.0, -9.0, 9.0], &mut Uniform::new(&game));
        assert_eq!(tree.gumbel_move(1.0), Some(Action(1)), "{rule:?}");
        // Without proofs the first win stands for all of them.
        assert_eq!(tree.policy()[1].1, if rule == SOLVE { 0.5 } else { 1.0 });
        assert_eq!((tree.policy()[0].1, tree.policy()[3].1), (0.0, 0.0));
    }
}

#[test]
fn a_proven_loss_gives_its_place_to_the_next_move() {
    let game = Literal::new(choice(Player::First, vec![bush(4), lost(), bush(6), lost(), bush(4)]));
    let mut even = Uniform::new(&game);
    // Two are considered: 3 and 1 by their draws. Both lose at their first visit, and the next two are 0 and 2.
    let tree = halved(&game, SOLVE, method(2, 10), &[2.0, 3.0, 1.0, 4.0, 0.0], &mut even);
    assert_eq!(visits(&tree)[1], 1);
    assert_eq!(visits(&tree)[3], 1);
    assert_eq!(visits(&tree).iter().sum::<u32>(), 10);
    assert!(visits(&tree)[0] > visits(&tree)[2], "{:?}", visits(&tree));
    assert_eq!((weights(&tree)[1], weights(&tree)[3]), (0, 0), "nothing is learned of losses");
    assert!(tree.gumbel_move(1.0).is_some_and(|action| [0, 2, 4].contains(&action.0)));
    // One simulation alone finds a loss: what is left is chosen from unseen.
    let tree = halved(&game, SOLVE, method(2, 1), &[3.0, 2.0, 1.0, 4.0, 0.0], &mut even);
    assert_eq!((visits(&tree), tree.gumbel_move(1.0)), (vec![0, 0, 0, 1, 0], Some(Action(0))));
    // Without proofs the plan is kept.
    let tree = halved(&game, Rule::PLAIN, method(2, 10), &[2.0, 3.0, 1.0, 4.0, 0.0], &mut even);
    assert_eq!(visits(&tree), [0, 5, 0, 5, 0]);
}

#[test]
fn a_proven_root_has_its_proven_moves_whatever_was_drawn() {
    // All moves lose; the second takes longest. And a win in three beside a bush.
    let long = choice(Player::Second, vec![choice(Player::First, vec![over(-4, 4)])]);
    let game = Literal::new(choice(Player::First, vec![lost(), long, lost()]));
    let tree = halved(&game, SOLVE, method(2, 40), &[9.0, 0.0, 8.0], &mut Uniform::new(&game));
    assert!(tree.proof().is_some() && tree.simulations() < 40);
    assert_eq!((weights(&tree), tree.gumbel_move(1.0)), (vec![0, 1, 0], Some(Action(1))));
    let won = choice(Player::Second, vec![choice(Player::First, vec![over(4, -4)])]);
    let game = Literal::new(choice(Player::First, vec![bush(6), won]));
    let tree = halved(&game, SOLVE, method(2, 40), &[9.0, 0.0], &mut Uniform::new(&game));
    assert_eq!((tree.proof().map(|proof| proof.plies), tree.gumbel_move(1.0)), (Some(3), Some(Action(1))));
}

#[test]
fn it_takes_the_place_of_forced_playouts_and_leaves_uct_and_chance_alone() {
    let game = bandit(&[0, 1, -1]);
    let mut tree = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
    tree.set_forced_playouts(50.0);
    tree.set_gumbel(method(2, 6), vec![0.0, 0.0, -9.0]);
    drive(&mut tree, &mut Uniform::new(&game), 6, 1);
    assert_eq!(visits(&tree), [3, 3, 0]);
    let plain = halved(&game, UCB1, method(1, 6), &[0.0; 3], &mut Uniform::new(&game));
    assert_eq!((plain.gumbel_move(1.0), visits(&plain)), (None, visits(&searched(&game, UCB1, &mut Uniform::new(&game), 6))));
    let dice = Literal::new(Arc::new(Node::Chance(vec![(1, choice(Player::First, vec![over(1, -1)])), (1, over(0, 0))])));
    let tree = halved(&dice, Rule::PLAIN, method(2, 20), &[0.0; 2], &mut Uniform::new(&dice));
    assert_eq!((tree.gumbel_move(1.0), tree.simulations()), (None, 20));
}

#[test]
fn the_next_root_is_searched_as_ever() {
    let game = Literal::new(choice(Player::First, vec![bush(4), bush(4)]));
    let fresh = |mut tree: Tree<Literal>| {
        tree.restart(game.initial(), 1);
        drive(&mut tree, &mut Uniform::new(&game), 30, 1);
        (visits(&tree), tree.gumbel_move(1.0))
    };
    let halved = |draws: &[f32]| halved(&game, Rule::PLAIN, method(1, 30), draws, &mut Uniform::new(&game));
    assert_eq!(fresh(halved(&[0.0, 5.0])), fresh(Tree::new(&game, Rule::PLAIN, game.initial(), 1)));
    let mut tree = halved(&[0.0, 5.0]);
    assert!(tree.advance(Step::Move(Action(1))));
    assert_eq!(tree.gumbel_move(1.0), None);
}

// --- On games ------------------------------------------------------------------------------------------------------------

/// What must hold of any tree that was searched so.
fn assert_halved<G: Game>(game: &Arc<G>, state: &G::State, index: u64, gather: usize) -> Vec<u32> {
    let legal = actions(game.as_ref(), state);
    let method = method(1 + index as u32 % 5, 1 + index as u32 * 7 % 40);
    let mut tree = Tree::new(game, if index.is_multiple_of(2) { SOLVE } else { Rule::PLAIN }, state.clone(), index);
    tree.set_gumbel(method, gumbel(legal.len(), &mut stream(index, "test", 0)));
    drive(&mut tree, &mut Hashed(Arc::clone(game)), method.simulations, gather);
    let chosen = tree.gumbel_move(1.0).unwrap();
    assert!(legal.contains(&chosen));
    assert!(tree.proof().is_some() || tree.simulations() == method.simulations);
    let policy = tree.policy();
    assert!(policy.iter().map(|(action, _)| *action).eq(legal));
    assert!((policy.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
    let end = after(game.as_ref(), state, chosen);
    let player = mover(game.as_ref(), state).unwrap();
    if let Some(proof) = tree.proof() {
        assert!(!matches!(game.turn(&end), Turn::Over(payoff) if payoff.of(player) < proof.payoff.of(player)));
    }
    visits(&tree)
}

#[test]
fn any_numbers_of_moves_and_simulations_are_served_whatever_is_gathered() {
    let (small, large) = (Arc::new(TicTacToe::new()), Arc::new(ConnectFour::new()));
    for index in 0..60 {
        for gather in [1, 4, 16] {
            for state in playout(&small, "gumbel", index).iter().filter(|state| mover(small.as_ref(), state).is_some()) {
                assert_halved(&small, state, index, gather);
            }
            for state in playout(&large, "gumbel", index).iter().step_by(3).filter(|state| mover(large.as_ref(), state).is_some())
            {
                assert_halved(&large, state, index, gather);
            }
        }
    }
}

#[test]
fn trees_in_lockstep_are_searched_as_if_alone() {
    let game = Arc::new(ConnectFour::new());
    let states: Vec<_> = (0..12).flat_map(|index| playout(&game, "lockstep", index)).step_by(7).collect();
    let states: Vec<_> = states.into_iter().filter(|state| mover(game.as_ref(), state).is_some()).collect();
    let fresh = |(index, state): (usize, &<ConnectFour as Game>::State)| {
        let mut tree = Tree::new(&game, SOLVE, *state, 1);
        let draws = gumbel(actions(game.as_ref(), state).len(), &mut stream(1, "test", index as u64));
        tree.set_gumbel(method(4, 20), draws);
        tree
    };
    let mut together: Vec<_> = states.iter().enumerate().map(fresh).collect();
    lockstep(&mut together, &mut Hashed(Arc::clone(&game)), 20);
    for (tree, mut alone) in together.iter().zip(states.iter().enumerate().map(fresh)) {
        drive(&mut alone, &mut Hashed(Arc::clone(&game)), 20, 1);
        assert_eq!(
            (visits(tree), weights(tree), tree.gumbel_move(1.0)),
            (visits(&alone), weights(&alone), alone.gumbel_move(1.0))
        );
    }
}

/// The improved policy is worth no less than the priors, by the values of the moves themselves.
#[test]
fn the_policy_improves_on_the_priors_where_values_are_exact() {
    for index in 0..200 {
        let mut rng = stream(index, "test", 1);
        let draws = gumbel(5, &mut rng);
        let worths: Vec<i32> = gumbel(5, &mut rng).iter().map(|draw| (draw.abs() * 2.0) as i32 % 4 - 2).collect();
        let game = bandit(&worths);
        let priors: Vec<f32> = draws.iter().map(|draw| draw.abs() + 0.01).collect();
        let total: f32 = priors.iter().sum();
        let priors: Vec<f32> = priors.iter().map(|prior| prior / total).collect();
        let worth = |policy: &[f32]| policy.iter().zip(&worths).map(|(share, &worth)| share * worth as f32 / 4.0).sum::<f32>();
        // The evaluation of the root is what the priors are worth.
        let mut evaluator = Fixed(priors.clone(), worth(&priors));
        let tree = halved(&game, Rule::PLAIN, method(1 + index as u32 % 5, 8), &draws, &mut evaluator);
        let policy: Vec<f32> = tree.policy().iter().map(|(_, share)| *share).collect();
        assert!(worth(&policy) >= worth(&priors) - 1e-4, "{index}: {policy:?} {priors:?} {worths:?}");
    }
}

#[test]
fn draws_follow_the_gumbel_law() {
    let draws = gumbel(20_000, &mut stream(1, "test", 2));
    let mean = draws.iter().map(|&draw| f64::from(draw)).sum::<f64>() / 20_000.0;
    assert!((mean - 0.577).abs() < 0.03, "{mean}");
    // A half is below -ln(ln 2), and the largest of draws plus logits falls on a move as often as its probability says.
    let below = draws.iter().filter(|&&draw| draw < 0.3665).count();
    assert!(below.abs_diff(10_000) < 300, "{below}");
    let first = draws.chunks(2).filter(|pair| pair[0] + 0.8_f32.ln() > pair[1] + 0.2_f32.ln()).count();
    assert!(first.abs_diff(8000) < 200, "{first}");
}
