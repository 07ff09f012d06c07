//! What searches and agents say of every move: values, lines of play, and the network beside the search.

mod common;
mod playouts;
mod random_tree;
mod seasoned;
mod switches;
mod trees;

use std::collections::HashMap;
use std::sync::Arc;

use common::{actions, after};
use playouts::{mover, playout};
use plyzero::agent::{Agent, Analysis, Builder, Random, RawAgent, RawMove, RawNetwork, TreeAgent, TreeOptions};
use plyzero::eval::Evaluator;
use plyzero::game::{Action, Entry, Game, Knowledge, Payoff, Position, Step, Turn};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::net::{Frozen, NetworkEvaluator};
use plyzero::rng::stream;
use plyzero::search::alpha_beta::{AlphaBeta, Options};
use plyzero::search::mcts::{Rule, Tree, most_probable, pick};
use plyzero::search::{Budget, Candidate, Decision, Minimax};
use plyzero::solver::{Class, Exhaustive, Solver};
use random_tree::RandomTree;
use switches::{SAMPLE, options, sampled};
use trees::{Hashed, UCB1, drive, searched, visits};

type Knows<G> = Option<Arc<dyn Knowledge<State = <G as Game>::State>>>;

/// The values of the moves by `decision`.
fn values(decision: &Decision) -> HashMap<Action, Option<Payoff>> {
    decision.candidates.iter().map(|candidate| (candidate.action, candidate.value)).collect()
}

/// Checks that every candidate has a line that begins with it and can be played; gives where each line leads.
fn follow<G: Game>(game: &G, state: &G::State, decision: &Decision) -> Vec<(Action, usize, Turn)> {
    assert_eq!(decision.principal_variation, decision.candidates[0].principal_variation);
    let mut ends = Vec::new();
    for candidate in &decision.candidates {
        let mut at = state.clone();
        for action in &candidate.principal_variation {
            assert!(actions(game, &at).contains(action), "{candidate:?} in {state:?}");
            game.play(&mut at, *action);
        }
        assert_eq!(candidate.principal_variation[0], candidate.action);
        ends.push((candidate.action, candidate.principal_variation.len(), game.turn(&at)));
    }
    ends
}

// --- Alpha-beta ------------------------------------------------------------------------------------------------------

/// Analyses each state `depth` plies deep with some of the subsets of switches: the values of all moves must be those of plain
/// minimax, which searches each by itself, and the choice the one made in play.
fn compare<G: Game>(game: &Arc<G>, knowledge: &Knows<G>, states: &[G::State], deepest: u32) {
    let mut minimax = Minimax::new(game, knowledge.clone(), true).unwrap();
    let mut searches: Vec<AlphaBeta<G>> =
        (0..SAMPLE).map(|number| AlphaBeta::new(game, knowledge.clone(), options(sampled(number))).unwrap()).collect();
    for (index, state) in (0..).zip(states.iter().filter(|state| mover(game.as_ref(), state).is_some())) {
        let budget = Budget::depth(1 + index % deepest);
        let truth = minimax.search(state, &budget, &mut stream(1, "truth", 0));
        for number in [index * 2, index * 2 + 1].map(|turn| turn * 37 % SAMPLE) {
            let (alpha_beta, subset) = (&mut searches[number as usize], sampled(number));
            let rng = || stream(2, "compare", index.into());
            let found = alpha_beta.analyse(state, &budget, &mut rng());
            assert_eq!(values(&found), values(&truth), "subset {subset}, {budget:?}, {state:?}");
            assert_eq!((found.value, found.candidates[0].action), (truth.value, found.action));
            let mover = mover(game.as_ref(), state).unwrap();
            let utility = |candidate: &Candidate| candidate.value.unwrap().of(mover);
            assert!(found.candidates.is_sorted_by(|a, b| utility(a) >= utility(b)), "best first");
            follow(game.as_ref(), state, &found);
            let played = alpha_beta.search(state, &budget, &mut rng());
            assert_eq!((found.action, found.value), (played.action, played.value), "subset {subset}, {budget:?}, {state:?}");
        }
    }
}

#[test]
fn every_move_has_the_value_of_a_search_of_its_own_in_connect_four() {
    let game = Arc::new(ConnectFour::new());
    let states: Vec<_> = (0..40).flat_map(|index| playout(&game, "analysis", index)).collect();
    let knowledge = Some(Arc::clone(&game) as Arc<dyn Knowledge<State = _>>);
    compare(&game, &knowledge, &states, 5);
    compare(&game, &None, &states[..300], 5);
}

#[test]
fn every_move_has_the_value_of_a_search_of_its_own_where_turns_repeat_and_paths_meet() {
    for seed in 0..60 {
        let game = Arc::new(RandomTree::new(seed));
        let states: Vec<_> = (0..3).flat_map(|index| playout(&game, "analysis", index)).collect();
        let knowledge = Some(Arc::clone(&game) as Arc<dyn Knowledge<State = _>>);
        compare(&game, &knowledge, &states, 9);
        compare(&game, &None, &states, 9);
    }
}

#[test]
fn a_key_shared_by_positions_never_makes_an_illegal_line() {
    for seed in 0..200 {
        // `RandomTree::play` asserts that moves are legal.
        let game = Arc::new(RandomTree::with(seed, true, |_| ()));
        let mut alpha_beta = AlphaBeta::new(&game, None, Options { table_mib: 1, ..Options::play() }).unwrap();
        let found = alpha_beta.analyse(&game.initial(), &Budget::default(), &mut stream(1, "colliding", seed));
        follow(game.as_ref(), &game.initial(), &found);
    }
}

#[test]
fn every_move_of_every_tic_tac_toe_position_has_its_perfect_value_and_a_line_that_leads_there() {
    let game = Arc::new(TicTacToe::new());
    let mut solver = Exhaustive::new(&game).unwrap();
    let knowledge = Some(Arc::clone(&game) as Arc<dyn Knowledge<State = _>>);
    let mut alpha_beta = AlphaBeta::new(&game, knowledge, Options { table_mib: 1, ..Options::play() }).unwrap();
    for (index, state) in (0..).zip(solver.undecided_positions()) {
        let found = alpha_beta.analyse(&state, &Budget::default(), &mut stream(1, "perfect", index));
        let (mover, verdicts) = (mover(game.as_ref(), &state).unwrap(), solver.moves(&state));
        assert_eq!(found.candidates.len(), verdicts.len());
        let verdicts: HashMap<_, _> = verdicts.into_iter().collect();
        for candidate in &found.candidates {
            let class = [Class::Loss, Class::Draw, Class::Win][(candidate.value.unwrap().of(mover) as i32 + 1) as usize];
            assert_eq!(class, verdicts[&candidate.action].outcome, "{candidate:?} in {state:?}");
        }
        // A table of a MiB forgets nothing of so small a game: every line is played to its end, and as quickly as can be.
        for (action, plies, turn) in follow(game.as_ref(), &state, &found) {
            let verdict = verdicts[&action];
            let Turn::Over(payoff) = turn else { panic!("the line of {action:?} stops in {state:?}") };
            assert_eq!(Some(payoff), values(&found)[&action]);
            assert!(verdict.outcome == Class::Draw || plies == verdict.plies as usize, "{action:?} in {state:?}");
        }
    }
}

#[test]
fn a_budget_that_ends_leaves_the_values_of_the_last_whole_iteration() {
    let game = Arc::new(ConnectFour::new());
    let knowledge = Some(Arc::clone(&game) as Arc<dyn Knowledge<State = _>>);
    let mut alpha_beta = AlphaBeta::new(&game, knowledge, Options { table_mib: 1, ..Options::play() }).unwrap();
    let mut analyse = |budget: Budget| alpha_beta.analyse(&game.initial(), &budget, &mut stream(1, "budget", 0));
    for nodes in [8, 30, 100, 1_000, 5_000] {
        let found = analyse(Budget { nodes: Some(nodes), ..Budget::default() });
        let whole = analyse(Budget::depth(found.depth.unwrap()));
        assert_eq!((values(&found), found.action), (values(&whole), whole.action), "{nodes} nodes");
        assert!(values(&found).values().all(Option::is_some));
    }
    let found = analyse(Budget { nodes: Some(4), ..Budget::default() });
    assert_eq!(values(&found).values().filter(|value| value.is_some()).count(), 3, "the root and three moves are four nodes");
    assert_eq!(found.depth, None);
}

#[test]
fn minimax_tells_a_line_for_every_move() {
    let game = Arc::new(TicTacToe::new());
    let mut minimax = Minimax::new(&game, None, true).unwrap();
    for state in playout(&game, "lines", 3).into_iter().filter(|state| mover(game.as_ref(), state).is_some()) {
        let found = minimax.search(&state, &Budget::default(), &mut stream(1, "lines", 0));
        for (action, _, turn) in follow(game.as_ref(), &state, &found) {
            assert_eq!(turn, Turn::Over(values(&found)[&action].unwrap()));
        }
    }
}

// --- Trees -----------------------------------------------------------------------------------------------------------

#[test]
fn a_tree_tells_the_most_visited_replies_to_every_move() {
    let game = Arc::new(ConnectFour::new());
    for rule in [Rule::PLAIN, UCB1] {
        let search = || searched(&game, rule, &mut Hashed(Arc::clone(&game)), 300);
        let tree = search();
        let decision = tree.decision(most_probable(&tree.policy()));
        follow(game.as_ref(), &game.initial(), &decision);
        assert_eq!(decision.principal_variation, tree.principal_variation());
        for candidate in &decision.candidates {
            let mut below = search();
            assert_eq!(below.advance(Step::Move(candidate.action)), candidate.visits != Some(0));
            assert_eq!(candidate.principal_variation[1..], below.principal_variation(), "{candidate:?}");
        }
        // Any move may be the one that is played: its line comes with it.
        let last = decision.candidates.last().unwrap();
        assert_eq!(tree.decision(last.action).principal_variation, last.principal_variation);
    }
    let fresh = Tree::new(&game, Rule::PLAIN, game.initial(), 1).decision(Action(3));
    assert_eq!((fresh.candidates.len(), fresh.principal_variation), (0, vec![Action(3)]), "nothing is known yet");
}

#[test]
fn a_move_that_was_not_visited_has_a_line_of_its_own() {
    let game = Arc::new(TicTacToe::new());
    let mut tree = Tree::new(&game, Rule::PLAIN, game.initial(), 1);
    drive(&mut tree, &mut Hashed(Arc::clone(&game)), 3, 1);
    let found: HashMap<_, _> = tree.decision(Action(0)).candidates.into_iter().map(|mv| (mv.action, mv)).collect();
    for (action, visits) in (0..).map(Action).zip(visits(&tree)) {
        assert_eq!(found[&action].visits, Some(visits));
        assert!(visits > 0 || found[&action].principal_variation == [action]);
    }
}

#[test]
fn the_most_probable_move_is_what_no_temperature_picks() {
    for (policy, wanted) in [([0.2, 0.5, 0.3], 1), ([0.4, 0.4, 0.2], 0), ([0.0, 0.0, 0.0], 0), ([0.1, 0.2, 0.7], 2)] {
        let policy: Vec<(Action, f32)> = (7..).map(Action).zip(policy).collect();
        assert_eq!(most_probable(&policy), policy[wanted].0);
        assert_eq!(pick(&policy, 0.0, &mut stream(1, "pick", 0)), policy[wanted].0);
    }
}

// --- Agents ----------------------------------------------------------------------------------------------------------

fn network() -> Frozen {
    let shape = seasoned::architecture(TicTacToe::new().facts(), 4, 1);
    Frozen::new(&seasoned::seasoned(&shape, 3), &shape, 2, &seasoned::cpu())
}

fn analyse(agent: &mut dyn Agent<TicTacToe>, position: &Position<TicTacToe>) -> Analysis {
    agent.analyse(position, &mut stream(1, "analysis", 0)).unwrap()
}

fn position(moves: &str) -> Position<TicTacToe> {
    let mut position = Position::initial(&Arc::new(TicTacToe::new()));
    moves.split_whitespace().for_each(|text| assert!(position.play_text(text).is_ok()));
    position
}

/// What the network says, asked by hand about the position and about every position after it.
fn asked(position: &Position<TicTacToe>) -> RawNetwork {
    let game = position.game();
    let mut network = NetworkEvaluator::new(game, network());
    let evaluation = network.evaluate_one(position.state());
    let listed = position.actions().into_iter().zip(evaluation.priors);
    let mut value = |action| {
        let next = after(game.as_ref(), position.state(), action);
        match game.turn(&next) {
            Turn::Over(payoff) => payoff,
            _ => network.evaluate_one(&next).payoff,
        }
    };
    let moves = listed.map(|(action, prior)| RawMove { action, prior, value: Some(value(action)) }).collect();
    RawNetwork { value: evaluation.payoff, moves }
}

#[test]
fn the_network_is_shown_as_it_is_beside_the_search() {
    let options = |reuse| TreeOptions { rule: Rule::PLAIN, simulations: 50, gather: 2, reuse, budget: Budget::default() };
    let game = Arc::new(TicTacToe::new());
    for moves in ["", "b2 a1", "a1 b1 a2 b2", "a1 b2 a3 a2 c2"] {
        let position = position(moves);
        let wanted = asked(&position);
        let mut raw = RawAgent::new("net", &game, network());
        let mut puct = TreeAgent::puct("puct", &game, network(), options(false));
        let (raw, searched) = (analyse(&mut raw, &position), analyse(&mut puct, &position));
        for analysis in [&raw, &searched] {
            assert_eq!(analysis.network, Some(wanted.clone()), "{moves}");
            for candidate in &analysis.decision.candidates {
                let shown = wanted.moves.iter().find(|mv| mv.action == candidate.action).unwrap();
                // About a win on the spot the search asks nobody.
                let is_won = analysis.decision.candidates[0].prior == Some(1.0);
                assert!(is_won || candidate.prior == Some(shown.prior), "no noise is mixed in");
            }
        }
        assert_eq!(raw.decision.value, Some(wanted.value));
        assert_ne!(searched.decision.value, Some(wanted.value), "the search has a value of its own");
        let visits: u32 = searched.decision.candidates.iter().filter_map(|candidate| candidate.visits).sum();
        assert_eq!(visits, 50);
    }
}

#[test]
fn analysis_decides_as_play_does_and_says_all_it_knows() {
    let device = seasoned::cpu();
    let entry = Entry::new(TicTacToe::new(), "three in a row").knowledge().enumerable();
    let builder = Builder { entry: &entry, device: &device, stop: None };
    for agent in ["random", "minimax", "alpha-beta", "alpha-beta:depth=3", "alpha-beta:table=0", "uct:sims=90"] {
        let make = builder.factory(agent).unwrap();
        for moves in ["", "b2", "a1 b2 c3", "a1 b1 a2 b2"] {
            let position = position(moves);
            let rng = || stream(5, "decides", 0);
            let decided = make().decide(&position, &mut rng()).unwrap();
            let analysed = make().analyse(&position, &mut rng()).unwrap();
            assert_eq!((analysed.decision.action, analysed.decision.value), (decided.action, decided.value), "{agent}, {moves}");
            assert_eq!(analysed.network, None);
            assert_eq!(analysed.decision.candidates.len(), position.actions().len());
            let is_valued = analysed.decision.candidates.iter().all(|candidate| candidate.value.is_some());
            assert_eq!(is_valued, agent != "random", "{agent}, {moves}");
        }
    }
    let analysed = analyse(&mut Random, &position(""));
    assert!(analysed.decision.candidates.iter().all(|candidate| candidate.prior == Some(1.0 / 9.0)));
}

#[test]
fn agents_that_do_not_suit_a_game_are_refused_with_advice() {
    let device = seasoned::cpu();
    let refusal = |game: RandomTree, agent: &str| {
        let entry = Entry::new(game, "a random game");
        Builder { entry: &entry, device: &device, stop: None }.factory(agent).err().map(|error| error.to_string())
    };
    assert_eq!(
        refusal(RandomTree::new(1), "minimax").unwrap(),
        "agent minimax: without a depth it searches to the end of the game, which random_tree is too large for; give it one, such \
         as minimax:depth=4"
    );
    assert_eq!(refusal(RandomTree::new(1), "minimax:depth=4"), None);
    assert_eq!(refusal(RandomTree::new(1), "alpha-beta"), None);
    let chancy = || RandomTree::with(0, false, |facts| facts.chance = true);
    assert_eq!(
        refusal(chancy(), "alpha-beta").unwrap(),
        "agent alpha-beta: alpha-beta needs a zero-sum game without chance, which random_tree is not: it has chance. \
         expectimax:depth=3 plays it"
    );
    let general = || RandomTree::with(0, false, |facts| facts.sum = (-0.5, 0.5));
    assert_eq!(
        refusal(general(), "expectimax").unwrap(),
        "agent expectimax: expectimax needs a game whose utilities always have the same sum, which random_tree is not: it has \
         utilities that do not cancel out. maxn:depth=4 plays it"
    );
    let unlucky = || RandomTree::with(0, false, |facts| (facts.chance, facts.sum) = (true, (-0.5, 0.5)));
    assert!(
        refusal(unlucky(), "minimax:depth=2")
            .unwrap()
            .ends_with("chance and utilities that do not cancel out. maxn:depth=3 plays it")
    );
    let constant = || RandomTree::with(0, false, |facts| facts.sum = (0.5, 0.5));
    assert!(refusal(constant(), "alpha-beta").unwrap().ends_with("utilities whose sum is not zero. expectimax:depth=4 plays it"));
    for game in [chancy, general, unlucky, constant] {
        assert_eq!(refusal(game(), "uct"), None);
        assert_eq!(refusal(game(), "maxn"), None);
    }
    assert_eq!(refusal(chancy(), "expectimax:depth=3"), None, "what is advised is accepted");
    assert_eq!(refusal(constant(), "expectimax:depth=4"), None);
}
