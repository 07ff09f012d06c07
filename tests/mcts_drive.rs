//! How trees are driven: gathering, lockstep, budgets, caches; and the laws behind noise and temperature.

mod common;
mod findings;
mod literal;
mod trees;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use findings::findings;
use literal::{Literal, Node, choice, over};
use plyzero::eval::{Cached, Evaluation, Evaluator, Rollout, Uniform};
use plyzero::game::{Action, Game, Payoff, Player, Step};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::rng::{quick, stream};
use plyzero::search::Budget;
use plyzero::search::mcts::{Descent, Driver, Rule, Tree, dirichlet, lockstep, pick};
use trees::{Hashed, UCB1, drive, searched, visits};

#[test]
fn gathering_one_leaf_and_stepping_in_lockstep_are_the_plain_loop() {
    let game = Arc::new(ConnectFour::new());
    let evaluator = || Hashed(Arc::clone(&game));
    let driven = findings(&searched(&game, Rule::PLAIN, &mut evaluator(), 250));
    let mut plain = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
    while plain.value().is_none() || plain.simulations() < 250 {
        if let Descent::Leaf(leaf) = plain.descend() {
            let evaluation = evaluator().evaluate_one(&leaf.state);
            plain.absorb(leaf, &evaluation);
        }
    }
    assert_eq!(findings(&plain), driven);
    let mut trees: Vec<_> = (0..3).map(|seed| Tree::new(&game, Rule::PLAIN, game.initial(), seed)).collect();
    lockstep(&mut trees, &mut evaluator(), 250);
    assert!(trees.iter().all(|tree| findings(tree) == driven));
}

/// A bushy game whose positions are all different objects.
fn bush(depth: u32) -> literal::State {
    let mover = Player::BOTH[depth as usize % 2];
    if depth == 0 { over(1, -1) } else { choice(mover, (0..3).map(|_| bush(depth - 1)).collect()) }
}

/// Whether no edge waits, as the tree tells those who debug it.
fn nothing_waits<G: Game>(tree: &Tree<G>) -> bool
where
    Tree<G>: std::fmt::Debug,
{
    let text = format!("{tree:?}");
    text.contains("pending: 0") && text.split("pending: ").skip(1).all(|rest| rest.starts_with("0,"))
}

#[test]
fn leaves_gathered_together_are_distinct_and_come_back_in_any_order() {
    let game = Literal::new(bush(5));
    for rule in [Rule::PLAIN, UCB1] {
        let mut tree = searched(&game, rule, &mut Uniform::new(&game), 0);
        let (mut leaves, mut collided) = (Vec::new(), false);
        while !collided {
            match tree.descend() {
                Descent::Leaf(leaf) => leaves.push(leaf),
                Descent::Terminal => {}
                Descent::Collision => collided = true,
            }
        }
        assert_eq!((leaves.len(), tree.simulations(), tree.started()), (3, 0, 3), "one below each move");
        let is_new = |at: usize| leaves[..at].iter().all(|other| !Arc::ptr_eq(&other.state, &leaves[at].state));
        assert!((0..leaves.len()).all(is_new));
        assert!(matches!(tree.descend(), Descent::Collision), "a collision changes nothing");
        assert!(!nothing_waits(&tree));
        for leaf in leaves.into_iter().rev() {
            tree.absorb(leaf, &Evaluation::even(3, Payoff::DRAW));
        }
        assert_eq!((tree.simulations(), tree.started()), (3, 3));
        assert!(nothing_waits(&tree));
    }
}

#[test]
fn an_advance_waits_for_no_leaf_that_was_given_out_before() {
    let game = Literal::new(bush(5));
    let mut tree = searched(&game, Rule::PLAIN, &mut Uniform::new(&game), 12);
    while matches!(tree.descend(), Descent::Leaf(_)) {}
    assert!(tree.started() > tree.simulations());
    assert!(tree.advance(Step::Move(Action(1))));
    assert!(nothing_waits(&tree));
    drive(&mut tree, &mut Uniform::new(&game), 40, 4);
    assert_eq!((tree.simulations(), tree.started()), (40, 40));
}

#[test]
fn a_root_that_waits_is_not_given_out_twice() {
    let game = Arc::new(TicTacToe::new());
    let mut tree = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
    let Descent::Leaf(root) = tree.descend() else { panic!("the root was not evaluated") };
    assert!(matches!(tree.descend(), Descent::Collision));
    tree.absorb(root, &Evaluation::even(9, Payoff::DRAW));
    assert_eq!((tree.simulations(), tree.value()), (0, Some(Payoff::DRAW)));
}

/// Remembers how many leaves came at once.
struct Batches<E>(E, Vec<usize>);

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Batches<E> {
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        self.1.push(leaves.len());
        self.0.evaluate(leaves, out);
    }
}

#[test]
fn gathering_makes_exactly_the_simulations_asked_for_and_always_the_same() {
    let game = Literal::new(bush(6));
    for (gather, simulations) in [(0, 7), (1, 50), (3, 50), (8, 50), (64, 50), (8, 1), (1000, 333), (5, 0)] {
        let run = || {
            let (mut tree, mut evaluator) =
                (Tree::new(&game, Rule::PLAIN, game.initial(), 1), Batches(Uniform::new(&game), vec![]));
            drive(&mut tree, &mut evaluator, simulations, gather);
            assert_eq!((tree.simulations(), tree.started()), (simulations, simulations), "gather {gather}");
            assert!(nothing_waits(&tree));
            assert!(evaluator.1.iter().all(|&leaves| leaves > 0 && leaves <= gather.max(1)));
            assert_eq!(evaluator.1.iter().any(|&leaves| leaves > 1), gather > 1 && simulations > 1);
            findings(&tree)
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn a_chain_of_forced_moves_can_be_gathered_from() {
    let chain = (0..9).fold(over(4, -4), |rest, _| choice(Player::First, vec![rest]));
    let game = Literal::new(chain);
    let mut tree = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
    drive(&mut tree, &mut Uniform::new(&game), 30, 8);
    assert_eq!((visits(&tree), tree.started()), (vec![30], 30));
}

#[test]
fn leaves_can_be_gathered_through_chance() {
    let die = |depth| Arc::new(Node::Chance(vec![(1, bush(depth)), (2, choice(Player::First, vec![bush(depth)]))]));
    let game = Literal::new(choice(Player::First, vec![die(3), bush(2), die(4)]));
    let run = |gather| {
        let mut tree = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
        drive(&mut tree, &mut Uniform::new(&game), 150, gather);
        assert_eq!((tree.simulations(), tree.started()), (150, 150));
        assert!(nothing_waits(&tree));
        findings(&tree)
    };
    assert_eq!(run(8), run(8));
}

#[test]
fn a_search_ends_with_its_budget_and_has_a_policy_however_small_that_is() {
    let game = Arc::new(ConnectFour::new());
    let search = |simulations, gather, budget: &Budget| {
        let mut tree = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
        let driver = Driver { simulations, gather };
        driver.run(&mut tree, &mut Hashed(Arc::clone(&game)), &mut budget.start());
        let total: f32 = tree.policy().iter().map(|(_, share)| share).sum();
        assert!((total - 1.0).abs() < 1e-6);
        tree.simulations()
    };
    let stopped = Budget { stop: Some(Arc::new(AtomicBool::new(true))), ..Budget::default() };
    assert_eq!(search(0, 4, &Budget::default()), 0, "the priors are the policy");
    assert_eq!(search(u32::MAX, 1, &Budget { nodes: Some(37), ..Budget::default() }), 37);
    assert_eq!(search(u32::MAX, 4, &stopped), 4, "one batch, however long batches take");
}

#[test]
fn a_finished_game_needs_no_simulation() {
    let game = Literal::new(over(2, -1));
    let mut tree = searched(&game, Rule::PLAIN, &mut Uniform::new(&game), 100);
    assert_eq!((tree.value(), tree.simulations()), (Some(Payoff([0.5, -0.25])), 0));
    lockstep(&mut [tree], &mut Uniform::new(&game), 100);
    tree = Tree::new(&game, UCB1, game.initial(), 1);
    drive(&mut tree, &mut Uniform::new(&game), u32::MAX, 4);
    assert!(tree.moves().next().is_none());
}

/// Sums in single precision count wins one by one up to 2^24 of them.
#[test]
fn a_search_without_limits_ends_while_its_sums_are_exact() {
    let game = Literal::new(choice(Player::First, vec![over(4, -4)]));
    let tree = searched(&game, UCB1, &mut Uniform::new(&game), u32::MAX);
    assert_eq!(visits(&tree), [(1 << 24) - 1]);
    assert_eq!(tree.moves().next().unwrap().value, Some(Payoff([1.0, -1.0])));
    assert!(tree.is_exhausted());
}

// --- Memory ----------------------------------------------------------------------------------------------------------

/// Counts the positions that reach it.
struct Counted<E>(E, Arc<AtomicUsize>);

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Counted<E> {
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        self.1.fetch_add(leaves.len(), Ordering::Relaxed);
        self.0.evaluate(leaves, out);
    }
}

/// Checks that a search with a memory of so many positions finds what one without finds; returns how many it had evaluated.
fn evaluated<G: Game, E: Evaluator<G>>(game: &Arc<G>, make: impl Fn() -> E, capacity: usize) -> usize {
    let search = |evaluator: &mut dyn Evaluator<G>| {
        let mut tree = Tree::new(game, Rule::PLAIN, game.initial(), 1);
        drive(&mut tree, evaluator, 900, 6);
        findings(&tree)
    };
    let count = Arc::new(AtomicUsize::new(0));
    let mut remembering = Cached::new(game, Counted(make(), Arc::clone(&count)), capacity);
    assert_eq!(search(&mut remembering), search(&mut make()));
    count.load(Ordering::Relaxed)
}

/// Judges positions of a written game by what is written: keys, which are all equal there, play no part.
struct BySize(Arc<Literal>);

impl Evaluator<Literal> for BySize {
    fn evaluate(&mut self, leaves: &[literal::State], out: &mut Vec<Evaluation>) {
        for leaf in leaves {
            let size = format!("{leaf:?}").len();
            let utility = (size % 101) as f32 / 128.0;
            out.push(Evaluation::even(common::actions(self.0.as_ref(), leaf).len(), Payoff([utility, -utility])));
        }
    }
}

#[test]
fn a_memory_changes_no_tree_whatever_its_size_and_however_keys_collide() {
    let game = Arc::new(TicTacToe::new());
    let hashed = || Hashed(Arc::clone(&game));
    let [all, few, one, none] = [1 << 16, 50, 1, 0].map(|capacity| evaluated(&game, hashed, capacity));
    assert!(all < few && few <= one && one <= none, "{all} {few} {one} {none}");
    // Places at the root differ in size, so that a mistaken identity would be noticed.
    let twigs = (0..5).map(|twig| choice(Player::Second, (0..=twig).map(|_| bush(3)).collect())).collect();
    let game = Literal::new(choice(Player::First, twigs));
    assert!(evaluated(&game, || BySize(Arc::clone(&game)), 64) > 0);
}

#[test]
fn a_position_that_stands_in_a_batch_several_times_is_evaluated_once() {
    let game = Arc::new(ConnectFour::new());
    let (a, b) = (game.initial(), common::after(game.as_ref(), &game.initial(), Action(3)));
    let count = Arc::new(AtomicUsize::new(0));
    let mut cached = Cached::new(&game, Counted(Hashed(Arc::clone(&game)), Arc::clone(&count)), 1);
    let mut found = Vec::new();
    cached.evaluate(&[a, b, a, a, b], &mut found);
    assert_eq!(count.load(Ordering::Relaxed), 2);
    let mut plain = Vec::new();
    Hashed(Arc::clone(&game)).evaluate(&[a, b, a, a, b], &mut plain);
    assert_eq!(found, plain);
    // There is room for one: the last that came. Whatever is recalled is right.
    assert_eq!((cached.recall(&a), cached.recall(&b)), (None, Some(&plain[1])));
    cached.evaluate(&[], &mut found);
    assert_eq!((found.len(), count.load(Ordering::Relaxed)), (5, 2));
}

// --- Laws of chance --------------------------------------------------------------------------------------------------

/// A symmetric Dirichlet law of K parts with concentration alpha has the means 1/K and E[sum of squares] =
/// (alpha + 1) / (K alpha + 1).
#[test]
fn dirichlet_noise_has_the_mean_and_the_concentration_of_its_law() {
    const PARTS: usize = 7;
    const DRAWS: usize = 20_000;
    for alpha in [0.03, 1.0, 10.0] {
        let mut rng = stream(1, "dirichlet", 0);
        let (mut sums, mut squares) = ([0.0; PARTS], 0.0);
        for _ in 0..DRAWS {
            let parts = dirichlet(PARTS, alpha, &mut rng);
            assert!((parts.iter().sum::<f32>() - 1.0).abs() < 1e-5 && parts.iter().all(|part| (0.0..=1.0).contains(part)));
            squares += parts.iter().map(|&part| f64::from(part).powi(2)).sum::<f64>();
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += f64::from(part));
        }
        let expected = (f64::from(alpha) + 1.0) / (PARTS as f64 * f64::from(alpha) + 1.0);
        assert!((squares / DRAWS as f64 / expected - 1.0).abs() < 0.02, "alpha {alpha}: {squares}, {expected}");
        assert!(sums.iter().all(|sum| (sum / DRAWS as f64 - 1.0 / PARTS as f64).abs() < 0.01), "alpha {alpha}: {sums:?}");
    }
}

/// As alpha falls, one part takes everything, each as often as the others. Numbers that underflow must not hide that.
#[test]
fn dirichlet_noise_with_a_tiny_concentration_is_one_part_and_fair() {
    for alpha in [1e-3, 1e-6, 1e-30, f32::MIN_POSITIVE] {
        let (mut rng, mut chosen) = (stream(1, "dirichlet", 1), [0; 5]);
        for _ in 0..1000 {
            let parts = dirichlet(5, alpha, &mut rng);
            let most = parts.iter().copied().fold(0.0, f32::max);
            assert!((parts.iter().sum::<f32>() - 1.0).abs() < 1e-6 && most >= 0.2, "alpha {alpha}: {parts:?}");
            chosen[parts.iter().position(|&part| part == most).unwrap()] += u32::from(most > 0.99);
        }
        assert!(chosen.iter().all(|&times| (140..260).contains(&times)), "alpha {alpha}: {chosen:?}");
    }
    let mut rng = stream(1, "dirichlet", 2);
    assert_eq!((dirichlet(0, 0.3, &mut rng), dirichlet(1, 0.3, &mut rng)), (vec![], vec![1.0]));
    assert!(dirichlet(0, 1e-30, &mut rng).is_empty());
}

#[test]
fn temperature_sharpens_and_flattens_but_never_picks_what_has_no_share() {
    let policy = [(Action(4), 0.5), (Action(1), 0.3), (Action(2), 0.0), (Action(6), 0.2)];
    for (temperature, weights) in [(1.0, [0.5, 0.3, 0.0, 0.2]), (0.5, [0.25, 0.09, 0.0, 0.04]), (1e30, [1.0, 1.0, 0.0, 1.0])] {
        let (mut rng, mut counts) = (stream(1, "pick", 0), [0u32; 4]);
        for _ in 0..10_000 {
            let action = pick(&policy, temperature, &mut rng);
            counts[policy.iter().position(|&(listed, _)| listed == action).unwrap()] += 1;
        }
        let total: f64 = weights.iter().sum();
        for (count, weight) in counts.into_iter().zip(weights) {
            assert!((f64::from(count) / 1e4 - weight / total).abs() < 0.015, "temperature {temperature}: {counts:?}");
        }
        assert_eq!(counts[2], 0);
    }
    let mut rng = stream(1, "pick", 0);
    for temperature in [0.0, f32::MIN_POSITIVE, 1e-9, 1e-3] {
        assert!((0..100).all(|_| pick(&policy, temperature, &mut rng) == Action(4)), "temperature {temperature}");
    }
    assert_eq!(pick(&[(Action(9), 0.5), (Action(3), 0.5)], 0.0, &mut rng), Action(9), "the first among equals");
}

#[test]
fn rollouts_are_games_of_uniformly_random_moves_and_of_fair_chance() {
    const GAMES: usize = 20_000;
    let die = Arc::new(Node::Chance(vec![(1, over(4, 0)), (3, over(0, 4))]));
    let game = Literal::new(choice(Player::Second, vec![over(0, 0), die, choice(Player::First, vec![over(-4, 0), over(0, -4)])]));
    let mut rollout = Rollout::new(&game);
    let found: Vec<Payoff> = (0..GAMES as u64).map(|index| rollout.play(game.initial(), &mut quick(1, index))).collect();
    let results = [([0.0, 0.0], 4), ([1.0, 0.0], 1), ([0.0, 1.0], 3), ([-1.0, 0.0], 2), ([0.0, -1.0], 2)];
    for (payoff, twelfths) in results {
        let share = found.iter().filter(|found| **found == Payoff(payoff)).count() as f64 / GAMES as f64;
        assert!((share - f64::from(twelfths) / 12.0).abs() < 0.01, "{payoff:?}: {share}");
    }
}
