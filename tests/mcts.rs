//! The search tree, judged by a golden file, by a reference search that shares no line with it,
//! and by hand.

mod common;
mod literal;
mod reference;
mod trees;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use literal::{Literal, Node, choice, over};
use plyzero::eval::{Evaluation, Evaluator, Uniform};
use plyzero::game::{Action, Game, Payoff, Player, Step};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::search::mcts::{Rule, Tree};
use reference::Reference;
use trees::{Hashed, UCB1, drive, searched, visits};

fn priors<G: Game>(tree: &Tree<G>) -> Vec<f32> {
    tree.moves().map(|mv| mv.prior).collect()
}

fn close(found: &[f32], wanted: &[f32]) -> bool {
    found.len() == wanted.len() && found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-6)
}

/// The same answer everywhere: these payoffs, and the first priors, as many as there are moves.
struct Fixed<G>(Arc<G>, [f32; 3], [f32; 2]);

impl<G: Game> Evaluator<G> for Fixed<G> {
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        for leaf in leaves {
            let count = common::actions(self.0.as_ref(), leaf).len();
            out.push(Evaluation { priors: self.1[..count].to_vec(), payoff: Payoff(self.2), chances: None });
        }
    }
}

// --- The golden file -------------------------------------------------------------------------------------------------

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/mcts.txt");

/// Every node of the principal variation with its moves. Numbers are written with as many digits as tell them from every other,
/// so that equal text means equal bits. Of the functions that platforms round differently, PUCT needs none.
fn describe<G: Game>(game: &Arc<G>, simulations: u32) -> String {
    let mut tree = searched(game, Rule::PLAIN, &mut Hashed(Arc::clone(game)), simulations);
    let line = tree.principal_variation();
    let mut text = format!("{}, {simulations} simulations, variation", game.facts().id);
    for action in &line {
        let _ = write!(text, " {}", action.0);
    }
    for action in line {
        let _ = writeln!(text, "\n  value {:?}", tree.value().unwrap().0);
        for mv in tree.moves().filter(|mv| mv.visits > 0) {
            let value = mv.value.unwrap().0;
            let _ = writeln!(text, "  move {} prior {:?} visits {} value {value:?}", mv.action.0, mv.prior, mv.visits);
        }
        tree.advance(Step::Move(action));
    }
    text
}

#[test]
fn trees_are_those_of_the_golden_file() {
    let found = [describe(&Arc::new(TicTacToe::new()), 300), describe(&Arc::new(ConnectFour::new()), 600)].join("\n");
    if std::env::var_os("PLYZERO_BLESS").is_some() {
        std::fs::create_dir_all(Path::new(GOLDEN).parent().unwrap()).unwrap();
        std::fs::write(GOLDEN, &found).unwrap();
    }
    let golden = std::fs::read_to_string(GOLDEN).unwrap_or_default().replace("\r\n", "\n");
    let line = found.lines().zip(golden.lines().chain(std::iter::repeat(""))).find(|(found, golden)| found != golden);
    assert!(
        found == golden,
        "the search changed; first difference (found, golden): {line:#?}\nIf that is meant, renew {GOLDEN} with\n    \
         PLYZERO_BLESS=1 cargo test --test mcts"
    );
}

// --- The reference ---------------------------------------------------------------------------------------------------

/// Compares everything at the root: numbers of visits, sums of payoffs by player, and N(root) = the visits of its moves + 1.
fn assert_agrees<G: Game>(tree: &Tree<G>, reference: &Reference<G::State>) {
    // Payoffs are multiples of 1/256.
    let whole = |mean: f32, visits: u32| (f64::from(mean) * f64::from(visits) * 256.0).round() / 256.0;
    let sum = |value: Payoff, visits| value.0.map(|mean| whole(mean, visits));
    assert_eq!(visits(tree), reference.children.iter().map(|(_, child)| child.visits).collect::<Vec<_>>());
    for (mv, (action, child)) in tree.moves().zip(&reference.children) {
        assert_eq!((mv.action, mv.value.is_some()), (*action, child.visits > 0));
        assert_eq!(mv.value.map_or([0.0; 2], |value| sum(value, mv.visits)), child.sum);
    }
    assert_eq!(tree.value().is_some(), reference.visits > 0);
    if let Some(value) = tree.value().filter(|_| !tree.is_exhausted()) {
        assert_eq!(tree.simulations() + 1, reference.visits);
        assert_eq!(sum(value, reference.visits), reference.sum);
    }
}

fn assert_same_search<G: Game>(game: &Arc<G>, rule: Rule, simulations: u32) {
    let mut evaluator = Hashed(Arc::clone(game));
    let mut root = Reference::new(game.initial(), 1.0);
    for _ in 0..=simulations {
        root.simulate(game.as_ref(), rule, &mut evaluator);
    }
    let tree = searched(game, rule, &mut evaluator, simulations);
    assert_agrees(&tree, &root);
    // Down every first move, then along the most visited line to where nothing is known.
    for (action, child) in &root.children {
        let mut tree = searched(game, rule, &mut evaluator, simulations);
        let (mut action, mut node) = (*action, child);
        loop {
            assert_eq!(tree.advance(Step::Move(action)), node.visits > 0);
            assert_agrees(&tree, node);
            let Some((next, child)) = node.children.iter().max_by_key(|(_, child)| child.visits) else { break };
            (action, node) = (*next, child);
        }
    }
}

const SHARP: Rule = Rule::Puct { c_puct: 0.6, fpu_reduction: 0.5, root_fpu_reduction: 0.5, solve: false };

#[test]
fn visits_and_sums_are_those_of_a_reference_search_at_every_node_and_after_every_advance() {
    for rule in [Rule::PLAIN, SHARP, UCB1] {
        assert_same_search(&Arc::new(TicTacToe::new()), rule, 700);
        assert_same_search(&Arc::new(ConnectFour::new()), rule, 700);
    }
}

#[test]
fn a_search_goes_on_after_an_advance_as_if_it_had_begun_there() {
    let game = Arc::new(ConnectFour::new());
    let mut evaluator = Hashed(Arc::clone(&game));
    for rule in [Rule::PLAIN, SHARP, UCB1] {
        let mut tree = searched(&game, rule, &mut evaluator, 300);
        assert!(tree.advance(Step::Move(Action(3))));
        let known = tree.simulations();
        assert!(known > 0);
        drive(&mut tree, &mut evaluator, known + 200, 1);
        let mut fresh = Reference::new(*tree.root(), 1.0);
        for _ in 0..=known + 200 {
            fresh.simulate(game.as_ref(), rule, &mut evaluator);
        }
        assert_agrees(&tree, &fresh);
    }
}

#[test]
fn an_advance_to_the_unknown_starts_afresh_and_one_to_the_end_knows_the_payoff() {
    let end = || over(1, -3);
    let game = Literal::new(choice(Player::First, vec![end(), choice(Player::Second, vec![end()])]));
    let mut tree = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
    assert!(!tree.advance(Step::Move(Action(1))), "nothing was searched");
    assert_eq!((tree.value(), tree.simulations(), tree.is_exhausted()), (None, 0, false));
    drive(&mut tree, &mut Uniform::new(&game), 5, 1);
    assert_eq!(visits(&tree), [5]);
    assert!(tree.advance(Step::Move(Action(0))));
    assert_eq!((tree.value(), tree.simulations(), tree.is_exhausted()), (Some(Payoff([0.25, -0.75])), 0, true));
    assert!(tree.policy().is_empty() && tree.principal_variation().is_empty());
}

// --- By hand ---------------------------------------------------------------------------------------------------------

/// Two moves of `mover`: the first loses three quarters, the second wins as much.
fn trap(mover: Player) -> Arc<Literal> {
    let result = |quarters: i32| match mover {
        Player::First => over(quarters, -quarters),
        Player::Second => over(-quarters, quarters),
    };
    Literal::new(choice(mover, vec![result(-3), result(3)]))
}

/// With even priors, c_puct 1.5, reduction 0.375 and a root worth 0 the scores are 3/4 of these, with N the root's visits,
///
/// | N  | losing move            | winning move                            | chosen  |
/// |----|------------------------|-----------------------------------------|---------|
/// | 1  | 0 + 1                  | 0 + 1                                   | the first |
/// | 2  | -1 + sqrt(2)/2 = -0.29 | -0.5 - 0.5 sqrt(0.5) + sqrt(2) = 0.56   | winning |
/// | 19 | -1 + sqrt(19)/2 = 1.179 | 1 + sqrt(19)/18 = 1.242                | winning |
/// | 20 | -1 + sqrt(20)/2 = 1.236 | 1 + sqrt(20)/19 = 1.235                | losing  |
#[test]
fn puct_and_its_payoffs_by_hand_for_both_movers() {
    let rule = Rule::Puct { c_puct: 1.5, fpu_reduction: 9.0, root_fpu_reduction: 0.375, solve: false };
    for mover in Player::BOTH {
        let game = trap(mover);
        let after = |simulations| searched(&game, rule, &mut Uniform::new(&game), simulations);
        for (simulations, expected) in [(1, [1, 0]), (2, [1, 1]), (3, [1, 2]), (19, [1, 18]), (20, [2, 18])] {
            assert_eq!(visits(&after(simulations)), expected, "{mover:?}, {simulations} simulations");
        }
        let tree = after(20);
        let values: Vec<f32> = tree.moves().map(|mv| mv.value.unwrap().of(mover)).collect();
        assert_eq!(values, [-0.75, 0.75]);
        assert_eq!(tree.value().unwrap().of(mover), 12.0 / 21.0);
        assert_eq!(tree.value().unwrap().of(mover.other()), -12.0 / 21.0);
    }
}

#[test]
fn a_player_who_moves_twice_and_one_who_shares_the_gain_are_understood() {
    // First moves twice; the second time it may give both a gain. No alternation, no zero sum: nothing may be negated.
    let second_time = choice(Player::First, vec![over(2, 4), over(1, -4)]);
    let game = Literal::new(choice(Player::First, vec![over(0, 0), second_time]));
    let tree = searched(&game, SHARP, &mut Uniform::new(&game), 200);
    assert_eq!(tree.principal_variation(), [Action(1), Action(0)]);
    let value = tree.decision(Action(1)).candidates[0].value.unwrap();
    assert!(value.of(Player::First) > 0.4 && value.of(Player::Second) > 0.6, "{value:?}");
}

/// Priors 0.5, 0.3, 0.2; every evaluation says 0.25, every move ends with 0. Without exploration the first simulation takes
/// the first move. Then the node is worth 0.125 and an untried move 0.125 - r sqrt(0.5): 0.054 for r = 0.1, -0.016 for 0.2.
#[test]
fn first_play_urgency_by_hand_at_the_root_and_below() {
    let bandit = || choice(Player::First, vec![over(0, 0), over(0, 0), over(0, 0)]);
    let rule = |fpu_reduction, root_fpu_reduction| Rule::Puct { c_puct: 0.0, fpu_reduction, root_fpu_reduction, solve: false };
    let at_root = |rule| {
        let game = Literal::new(bandit());
        visits(&searched(&game, rule, &mut Fixed(Arc::clone(&game), [0.5, 0.3, 0.2], [0.25, 0.0]), 2))
    };
    let below = |rule| {
        let game = Literal::new(choice(Player::First, vec![bandit()]));
        let mut tree = searched(&game, rule, &mut Fixed(Arc::clone(&game), [0.5, 0.3, 0.2], [0.25, 0.0]), 3);
        tree.advance(Step::Move(Action(0)));
        visits(&tree)
    };
    assert_eq!((at_root(rule(0.2, 0.1)), below(rule(0.2, 0.1))), (vec![1, 1, 0], vec![2, 0, 0]));
    assert_eq!((at_root(rule(0.1, 0.2)), below(rule(0.1, 0.2))), (vec![2, 0, 0], vec![1, 1, 0]));
}

#[test]
fn the_first_simulation_follows_the_highest_prior_unless_nothing_is_explored() {
    let game = Literal::new(choice(Player::Second, vec![over(0, 0), over(0, 0), over(0, 0)]));
    let first = |c_puct| {
        let rule = Rule::Puct { c_puct, fpu_reduction: 0.2, root_fpu_reduction: 0.2, solve: false };
        visits(&searched(&game, rule, &mut Fixed(Arc::clone(&game), [0.2, 0.3, 0.5], [0.0; 2]), 1))
    };
    assert_eq!(first(0.01), [0, 0, 1]);
    assert_eq!(first(0.0), [1, 0, 0], "all are worth the same: the first");
}

/// Rewards 1 and 1/2, c = sqrt(2). With t plays in all and n of a move, it scores its reward + sqrt(2 ln t / n):
///
/// | t | first           | second          |   | t | first           | second          |
/// |---|-----------------|-----------------|---|---|-----------------|-----------------|
/// | 2 | 1 + 1.177       | 0.5 + 1.177     |   | 5 | 1 + 1.036       | 0.5 + 1.269     |
/// | 3 | 1 + 1.048       | 0.5 + 1.482     |   | 6 | 1 + 0.947       | 0.5 + 1.339     |
/// | 4 | 1 + 0.961       | 0.5 + 1.665     |   | 7 | 1 + 0.882       | 0.5 + 1.395     |
#[test]
fn ucb1_by_hand() {
    let game = Literal::new(choice(Player::Second, vec![over(-4, 4), over(0, 0)]));
    let mut before = vec![0, 0];
    for (simulations, chosen) in (1..).zip([0, 1, 0, 0, 1, 0, 0, 1]) {
        let now = visits(&searched(&game, UCB1, &mut Uniform::new(&game), simulations));
        before[chosen] += 1;
        assert_eq!(now, before, "after {simulations} simulations");
    }
}

// --- Root noise ------------------------------------------------------------------------------------------------------

#[test]
fn noise_is_mixed_by_its_weight_whether_the_priors_are_known_or_not() {
    let bandit = || choice(Player::First, vec![over(0, 0), over(0, 0), over(0, 0)]);
    let game = Literal::new(choice(Player::First, vec![bandit(), bandit(), bandit()]));
    let mut evaluator = Fixed(Arc::clone(&game), [0.5, 0.3, 0.2], [0.0; 2]);
    let mut early = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
    early.set_root_noise(vec![1.0, 0.0, 0.0], 0.25);
    drive(&mut early, &mut evaluator, 0, 1);
    let mut late = searched(&game, Rule::PLAIN, &mut evaluator, 0);
    late.set_root_noise(vec![1.0, 0.0, 0.0], 0.25);
    for tree in [&early, &late] {
        assert!(close(&priors(tree), &[0.625, 0.225, 0.15]), "{:?}", priors(tree));
        assert!(close(&[tree.policy().iter().map(|(_, prior)| prior).sum()], &[1.0]));
    }
    // Noise belongs to one root: neither what was mixed in nor what was still waiting goes on to the next.
    drive(&mut early, &mut evaluator, 40, 1);
    assert!(early.advance(Step::Move(Action(0))));
    assert!(close(&priors(&early), &[0.5, 0.3, 0.2]));
    let mut waiting = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
    waiting.set_root_noise(vec![0.0, 0.0, 1.0], 1.0);
    waiting.advance(Step::Move(Action(2)));
    drive(&mut waiting, &mut evaluator, 9, 1);
    assert!(close(&priors(&waiting), &[0.5, 0.3, 0.2]));
}

#[test]
fn chance_has_no_noise_and_no_evaluation_of_its_own() {
    let game = Literal::new(Arc::new(Node::Chance(vec![(1, over(4, -4)), (3, over(0, 2))])));
    for noise_first in [true, false] {
        let mut tree = Tree::new(&game, UCB1, game.initial(), 1);
        if noise_first {
            tree.set_root_noise(vec![1.0, 0.0], 0.5);
        }
        drive(&mut tree, &mut Uniform::new(&game), 200, 1);
        tree.set_root_noise(vec![1.0, 0.0], 0.5);
        assert_eq!(priors(&tree), [0.25, 0.75]);
        let [first, second] = visits(&tree)[..] else { panic!("two outcomes") };
        assert_eq!(tree.value(), Some(Payoff([first as f32 / 200.0, (second as f32 / 2.0 - first as f32) / 200.0])));
    }
}
