//! What a tree draws: every descent has its own stream, so that neither gathering nor the trees beside it nor the order in which
//! leaves come back changes what chance and rollouts say.

mod findings;
mod literal;
mod playouts;
mod trees;

use std::sync::Arc;

use findings::findings;
use literal::{Literal, Node, State, choice, over};
use playouts::{mover, playout};
use plyzero::eval::{Evaluation, Rollout, Uniform};
use plyzero::game::{Action, Game, Player, Position, Step, Variant};
use plyzero::games::{ConnectFour, Einstein};
use plyzero::rng::stream;
use plyzero::search::Budget;
use plyzero::search::mcts::{Descent, Driver, Rule, Tree, lockstep};
use rand::{RngExt as _, seq::SliceRandom as _};
use trees::{Hashed, UCB1, drive, searched, visits};

/// Dice and forced moves, never a choice, so that no selection depends on what waits.
fn dice(depth: i32, score: i32) -> State {
    if depth == 0 {
        return over(score, -score);
    }
    let forced = |gain| choice(Player::BOTH[depth as usize % 2], vec![dice(depth - 1, score + gain)]);
    Arc::new(Node::Chance(vec![(1, forced(-1)), (2, forced(0)), (3, forced(1))]))
}

#[test]
fn what_chance_draws_does_not_depend_on_how_many_leaves_are_gathered() {
    let game = Literal::new(choice(Player::First, vec![dice(4, 0)]));
    for rule in [Rule::PLAIN, UCB1] {
        let found = |seed, gather| {
            let mut tree = Tree::new(&game, rule, game.initial(), seed);
            drive(&mut tree, &mut Hashed(Arc::clone(&game)), 300, gather);
            assert_eq!(tree.simulations(), 300);
            let root = findings(&tree);
            assert!(tree.advance(Step::Move(Action(0))));
            root + &findings(&tree)
        };
        for gather in [2, 7, 64] {
            assert_eq!(found(1, gather), found(1, 1), "{rule:?}, {gather} leaves");
        }
        assert_ne!(found(1, 1), found(2, 1));
    }
}

fn einstein() -> Arc<Einstein> {
    Arc::new(Einstein::of(&mut Variant::parse("einstein:size=3").unwrap()).unwrap())
}

#[test]
fn a_game_with_dice_is_searched_alike_twice_alone_and_in_lockstep() {
    let game = einstein();
    let mut position = Position::initial(&game);
    position.settle(&mut stream(1, "dice", 0));
    let fresh = |seed| Tree::new(&game, Rule::PLAIN, *position.state(), seed);
    let alone = |seed| {
        let mut tree = fresh(seed);
        drive(&mut tree, &mut Hashed(Arc::clone(&game)), 400, 1);
        findings(&tree)
    };
    assert_eq!(alone(1), alone(1));
    assert_ne!(alone(1), alone(2));
    let mut beside: Vec<_> = (0..5).map(fresh).collect();
    lockstep(&mut beside, &mut Hashed(Arc::clone(&game)), 400);
    for (tree, seed) in beside.iter().zip(0..) {
        assert_eq!(findings(tree), alone(seed));
    }
    let rolled_out = |seed| {
        let mut tree = Tree::new(&game, UCB1, *position.state(), seed);
        Driver { simulations: 400, gather: 1 }.roll_out(&mut tree, &mut Rollout::new(&game), &mut Budget::default().start());
        findings(&tree)
    };
    assert_eq!(rolled_out(3), rolled_out(3));
    assert_ne!(rolled_out(3), rolled_out(4));
}

/// Random games from the leaf's own stream, put back in a random order.
fn grouped<G: Game>(game: &Arc<G>, rule: Rule, simulations: u32, gather: usize) -> String {
    let mut rollout = Rollout::new(game);
    let (mut tree, mut order) = (Tree::new(game, rule, game.initial(), 5), stream(1, "order", 0));
    while tree.started() < simulations || tree.value().is_none() {
        let mut leaves = Vec::new();
        while leaves.len() < gather && (tree.started() < simulations || tree.value().is_none()) {
            match tree.descend() {
                Descent::Leaf(leaf) => leaves.push(leaf),
                Descent::Terminal => {}
                Descent::Collision => break,
            }
        }
        let mut judged: Vec<_> = leaves
            .into_iter()
            .map(|mut leaf| {
                let payoff = rollout.play(leaf.state.clone(), leaf.stream.get());
                (leaf, payoff)
            })
            .collect();
        judged.shuffle(&mut order);
        for (leaf, payoff) in judged {
            let mut actions = Vec::new();
            game.actions(&leaf.state, &mut actions);
            tree.absorb(leaf, &Evaluation::even(actions.len(), payoff));
        }
    }
    findings(&tree)
}

#[test]
fn rollouts_draw_from_their_leaf_whatever_the_order_and_grouping_of_evaluations() {
    fn uct<G: Game>(game: &Arc<G>, simulations: u32) -> String {
        let mut tree = Tree::new(game, UCB1, game.initial(), 5);
        Driver { simulations, gather: 1 }.roll_out(&mut tree, &mut Rollout::new(game), &mut Budget::default().start());
        findings(&tree)
    }
    let forced = Literal::new(choice(Player::First, vec![dice(5, 0)]));
    for gather in [1, 2, 9] {
        assert_eq!(grouped(&forced, UCB1, 200, gather), uct(&forced, 200), "{gather} leaves");
    }
    let game = Arc::new(ConnectFour::new());
    assert_eq!(grouped(&game, UCB1, 500, 1), uct(&game, 500), "one leaf at a time is one simulation");
}

#[test]
fn descents_after_an_advance_draw_anew() {
    // Were streams counted from the root, the dice of the new search would repeat those of the old one.
    let die = || Arc::new(Node::Chance(vec![(1, over(1, 0)), (1, over(0, 1))]));
    let game = Literal::new(choice(Player::First, vec![choice(Player::Second, vec![die()])]));
    let mut tree = searched(&game, UCB1, &mut Uniform::new(&game), 40);
    assert!(tree.advance(Step::Move(Action(0))));
    let kept = tree.simulations();
    drive(&mut tree, &mut Uniform::new(&game), kept + 40, 1);
    let mut whole = searched(&game, UCB1, &mut Uniform::new(&game), 80);
    whole.advance(Step::Move(Action(0)));
    assert_eq!(visits(&tree), [79]);
    assert_eq!(findings(&tree), findings(&whole), "the dice are those of one search that was never advanced");
}

#[test]
fn a_tree_that_starts_again_in_its_old_room_is_a_new_tree() {
    let game = einstein();
    let states: Vec<_> = (0..4).flat_map(|index| playout(&game, "room", index)).collect();
    let mut used = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
    let mut rng = stream(1, "room", 9);
    for state in states.into_iter().filter(|state| mover(game.as_ref(), state).is_some()) {
        let seed = rng.random();
        used.set_root_noise(vec![1.0; 8], 0.5);
        used.restart(state, seed);
        let mut fresh = Tree::new(&game, Rule::PLAIN, state, seed);
        for tree in [&mut used, &mut fresh] {
            drive(tree, &mut Hashed(Arc::clone(&game)), 60, 3);
        }
        assert_eq!(findings(&used), findings(&fresh));
    }
}
