//! Wins on the spot: PUCT plays them and asks nobody about positions that have one.

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
use plyzero::search::mcts::{Rule, Tree, most_probable};
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
            let mut tree = Tree::new(game, Rule::PLAY, state.clone(), 1);
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
        let tree = searched(&game, Rule::PLAY, &mut Uniform::new(&game), 0);
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
    let mut tree = searched(&game, Rule::PLAY, &mut Uniform::new(&game), 12);
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
            let mut tree = Tree::new(&game, Rule::PLAY, **state, 1);
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
