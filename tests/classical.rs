//! Minimax and alpha-beta against published counts and against each other.

mod common;
mod playouts;
mod random_tree;
mod switches;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use common::{actions, after};
use playouts::{mover, playout};
use plyzero::game::{Action, Game, Knowledge, Payoff, Player, Turn};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::rng::stream;
use plyzero::search::alpha_beta::{AlphaBeta, Options};
use plyzero::search::{Budget, Decision, Minimax};
use plyzero::solver::Exhaustive;
use rand::RngExt as _;
use random_tree::RandomTree;
use switches::{SAMPLE, options, sampled};

type Knows<G> = Option<Arc<dyn Knowledge<State = <G as Game>::State>>>;

/// The number of subsets of switches.
const SUBSETS: u32 = 1 << 10;

/// No limit at all.
fn whole() -> Budget {
    Budget::default()
}

fn nodes(limit: u64) -> Budget {
    Budget { nodes: Some(limit), ..Budget::default() }
}

/// Alpha-beta with a sample of the subsets of its switches.
fn sample<G: Game>(game: &Arc<G>, knowledge: &Knows<G>) -> Vec<AlphaBeta<G>> {
    (0..SAMPLE).map(|number| AlphaBeta::new(game, knowledge.clone(), options(sampled(number))).unwrap()).collect()
}

/// X in the middle, O in the top left corner, X to move.
fn centre_and_corner(game: &TicTacToe) -> <TicTacToe as Game>::State {
    after(game, &after(game, &game.initial(), Action(4)), Action(0))
}

#[test]
fn minimax_visits_every_node() {
    let game = Arc::new(TicTacToe::new());
    let mut minimax = Minimax::new(&game, None, false).unwrap();
    let mut rng = stream(1, "classical", 0);
    let empty = minimax.search(&game.initial(), &whole(), &mut rng);
    assert_eq!((empty.nodes, empty.value), (549_946, Some(Payoff::DRAW)));
    let two = minimax.search(&centre_and_corner(&game), &whole(), &mut rng);
    assert_eq!((two.nodes, two.value), (6_812, Some(Payoff::DRAW)));
    assert!(two.candidates.iter().all(|candidate| candidate.value.is_some()));
}

#[test]
fn textbook_alpha_beta_visits_as_many_nodes_as_textbooks_say() {
    let game = Arc::new(TicTacToe::new());
    let mut alpha_beta = AlphaBeta::new(&game, None, Options::textbook()).unwrap();
    let mut rng = stream(1, "classical", 0);
    let empty = alpha_beta.search(&game.initial(), &whole(), &mut rng);
    assert_eq!((empty.nodes, empty.value), (18_297, Some(Payoff::DRAW)));
    let two = alpha_beta.search(&centre_and_corner(&game), &whole(), &mut rng);
    assert_eq!((two.nodes, two.value, two.action), (703, Some(Payoff::DRAW), Action(1)));
}

fn is_decided(value: Payoff) -> bool {
    value.0[0].abs() == 1.0
}

/// Checks what alpha-beta says of a state against plain minimax of the same depth.
struct Referee<G: Game> {
    game: Arc<G>,
    minimax: Minimax<G>,
}

impl<G: Game> Referee<G> {
    fn new(game: &Arc<G>, knowledge: &Knows<G>) -> Self {
        Self { game: Arc::clone(game), minimax: Minimax::new(game, knowledge.clone(), true).unwrap() }
    }

    fn truth(&mut self, state: &G::State, depth: u32) -> Decision {
        self.minimax.search(state, &Budget::depth(depth), &mut stream(1, "referee", 0))
    }

    fn check(&mut self, state: &G::State, depth: u32, truth: &Decision, found: &Decision, distance: bool) {
        let context = format!("depth {depth} in {state:?}");
        let values: HashMap<Action, _> = truth.candidates.iter().map(|candidate| (candidate.action, candidate.value)).collect();
        assert_eq!(found.value, truth.value, "{context}");
        assert_eq!(values[&found.action], truth.value, "the move has the value of the root: {context}");
        assert_eq!(found.candidates.len(), values.len(), "{context}");
        assert_eq!((found.candidates[0].action, found.candidates[0].value), (found.action, found.value), "{context}");
        // A game decided early ends the deepening: then the other moves are valued at the depth reached, else at any depth.
        let decided = distance && found.value.is_some_and(is_decided);
        let there = if decided { self.truth(state, found.depth.unwrap()) } else { truth.clone() };
        let values: HashMap<Action, _> = there.candidates.iter().map(|candidate| (candidate.action, candidate.value)).collect();
        for candidate in &found.candidates {
            assert!(candidate.value.is_none() || candidate.value == values[&candidate.action], "{candidate:?}, {context}");
        }
        assert_eq!(found.principal_variation[0], found.action, "{context}");
        self.follow(state, &found.principal_variation);
        if decided {
            let quickest = truth.principal_variation.len();
            assert_eq!(self.distance(state, found.action, depth), quickest, "{context}");
        }
    }

    /// Plies to the end of a decided game, when `action` is played first.
    fn distance(&mut self, state: &G::State, action: Action, depth: u32) -> usize {
        let next = after(self.game.as_ref(), state, action);
        match mover(self.game.as_ref(), &next) {
            Some(_) => 1 + self.truth(&next, depth - 1).principal_variation.len(),
            None => 1,
        }
    }

    /// Every move of a line must be legal.
    fn follow(&self, state: &G::State, line: &[Action]) {
        let mut state = state.clone();
        for &action in line {
            assert!(actions(self.game.as_ref(), &state).contains(&action));
            self.game.play(&mut state, action);
        }
    }
}

/// Checks `subsets_each` of the sampled subsets of switches in every state, other ones each time, at depths 1 to `deepest`.
fn compare<G: Game>(game: &Arc<G>, knowledge: &Knows<G>, states: &[G::State], deepest: u32, subsets_each: u32) {
    let mut searches = sample(game, knowledge);
    let mut referee = Referee::new(game, knowledge);
    let mut movers = HashSet::new();
    for (index, state) in states.iter().enumerate().filter(|(_, state)| mover(game.as_ref(), state).is_some()) {
        let depth = 1 + index as u32 % deepest;
        let truth = referee.truth(state, depth);
        for turn in 0..subsets_each {
            // 37 is odd, so each has its turn.
            let number = (index as u32 * subsets_each + turn) * 37 % SAMPLE;
            let found = searches[number as usize].search(state, &Budget::depth(depth), &mut stream(2, "compare", index as u64));
            referee.check(state, depth, &truth, &found, options(sampled(number)).distance);
        }
        movers.extend(mover(game.as_ref(), state).map(Player::index));
    }
    assert_eq!(movers.len(), 2, "both players must have been to move");
}

#[test]
fn alpha_beta_is_minimax_in_connect_four_with_an_evaluation() {
    let game = Arc::new(ConnectFour::new());
    let states: Vec<_> = (0..120).flat_map(|index| playout(&game, "classical", index)).collect();
    assert!(states.len() > 2_000);
    let knowledge = Some(Arc::clone(&game) as Arc<dyn Knowledge<State = _>>);
    compare(&game, &knowledge, &states, 5, 3);
}

#[test]
fn alpha_beta_is_minimax_in_connect_four_without_an_evaluation() {
    let game = Arc::new(ConnectFour::new());
    let states: Vec<_> = (200..230).flat_map(|index| playout(&game, "classical", index)).collect();
    compare(&game, &None, &states, 5, 3);
}

#[test]
fn alpha_beta_is_minimax_in_every_tic_tac_toe_position() {
    let game = Arc::new(TicTacToe::new());
    let states = Exhaustive::new(&game).unwrap().undecided_positions();
    let knowledge = Some(Arc::clone(&game) as Arc<dyn Knowledge<State = _>>);
    compare(&game, &knowledge, &states, 9, 3);
}

#[test]
fn alpha_beta_is_minimax_where_turns_repeat_and_paths_of_different_lengths_meet() {
    for seed in 0..150 {
        let game = Arc::new(RandomTree::new(seed));
        let states: Vec<_> = (0..4).flat_map(|index| playout(&game, "classical", index)).collect();
        let mut referee = Referee::new(&game, &None);
        let knowledge = Some(Arc::clone(&game) as Arc<dyn Knowledge<State = _>>);
        let mut knowing = Referee::new(&game, &knowledge);
        for subset in (0..SUBSETS).filter(|subset| (u64::from(*subset) + seed).is_multiple_of(23)) {
            let (options, rng) = (options(subset), &mut stream(seed, "classical", u64::from(subset)));
            let state = &states[rng.random_range(0..states.len())];
            let Some(_) = mover(game.as_ref(), state) else { continue };
            let depth = rng.random_range(1..=9);
            let plain = AlphaBeta::new(&game, None, options).unwrap().search(state, &Budget::depth(depth), rng);
            let truth = referee.truth(state, depth);
            referee.check(state, depth, &truth, &plain, options.distance);
            let judged = AlphaBeta::new(&game, knowledge.clone(), options).unwrap().search(state, &Budget::depth(depth), rng);
            let truth = knowing.truth(state, depth);
            knowing.check(state, depth, &truth, &judged, options.distance);
        }
    }
}

#[test]
fn a_key_shared_by_positions_never_makes_an_illegal_move() {
    for seed in 0..200 {
        // `RandomTree::play` asserts that moves are legal.
        let game = Arc::new(RandomTree::with(seed, true, |_| ()));
        let mut alpha_beta = AlphaBeta::new(&game, None, Options { table_mib: 1, ..Options::play() }).unwrap();
        let found = alpha_beta.search(&game.initial(), &whole(), &mut stream(1, "classical", seed));
        Referee::new(&game, &None).follow(&game.initial(), &found.principal_variation);
    }
}

/// How often each of the nine first moves is chosen.
fn first_moves(mut choose: impl FnMut(u64) -> Action) -> [u32; 9] {
    let mut counts = [0; 9];
    for seed in 0..900 {
        counts[choose(seed).index()] += 1;
    }
    counts
}

#[test]
fn equal_best_moves_are_chosen_equally_often() {
    let game = Arc::new(TicTacToe::new());
    let even = |counts: [u32; 9]| assert!(counts.iter().all(|count| (65..=135).contains(count)), "{counts:?}");
    // With knowledge the middle is best at depth 1 and searched first at every later depth: it must gain nothing by it.
    let knowledge = Some(Arc::clone(&game) as Arc<dyn Knowledge<State = _>>);
    let options = Options { table_mib: 1, ..Options::play() };
    let mut alpha_beta = AlphaBeta::new(&game, knowledge, options).unwrap();
    even(first_moves(|seed| alpha_beta.search(&game.initial(), &whole(), &mut stream(seed, "ties", 0)).action));
    let mut minimax = Minimax::new(&game, None, true).unwrap();
    even(first_moves(|seed| minimax.search(&game.initial(), &Budget::depth(2), &mut stream(seed, "ties", 0)).action));
    let mut listed = AlphaBeta::new(&game, None, Options { shuffle_root: false, ..options }).unwrap();
    assert_eq!(first_moves(|seed| listed.search(&game.initial(), &whole(), &mut stream(seed, "ties", 0)).action)[0], 900);
}

#[test]
fn a_node_budget_is_kept_exactly_and_there_is_always_a_move() {
    let game = Arc::new(ConnectFour::new());
    let knowledge = Some(Arc::clone(&game) as Arc<dyn Knowledge<State = _>>);
    let start = game.initial();
    let mut searches = sample(&game, &knowledge);
    for limit in (0..40).chain([100, 1_023, 1_024, 1_025, 5_000]) {
        for (subset, alpha_beta) in searches.iter_mut().enumerate() {
            let found = alpha_beta.search(&start, &nodes(limit), &mut stream(limit, "nodes", subset as u64));
            assert_eq!(found.nodes, limit);
            assert!(actions(game.as_ref(), &start).contains(&found.action));
            assert_eq!((found.candidates.len(), found.principal_variation[0]), (7, found.action));
        }
        let mut minimax = Minimax::new(&game, knowledge.clone(), true).unwrap();
        let found = minimax.search(&start, &nodes(limit), &mut stream(limit, "nodes", 0));
        assert_eq!((found.nodes, found.candidates.len()), (limit, 7));
    }
    // Eight nodes are the root and its moves: one whole iteration.
    let found = AlphaBeta::new(&game, knowledge, Options::play()).unwrap().search(&start, &nodes(8), &mut stream(1, "nodes", 0));
    assert_eq!((found.depth, found.action), (Some(1), Action(3)));
}

#[test]
fn a_raised_stop_flag_and_a_spent_clock_end_the_search_with_a_legal_move() {
    let game = Arc::new(ConnectFour::new());
    let stop = Budget { stop: Some(Arc::new(AtomicBool::new(true))), ..Budget::default() };
    let late = Budget { time: Some(Duration::ZERO), ..Budget::default() };
    for budget in [stop, late] {
        for subset in 0..SUBSETS {
            let mut alpha_beta = AlphaBeta::new(&game, None, options(subset)).unwrap();
            let found = alpha_beta.search(&game.initial(), &budget, &mut stream(1, "stop", 0));
            assert!(found.nodes <= 1_024);
            assert!(actions(game.as_ref(), &game.initial()).contains(&found.action));
        }
    }
}

#[test]
fn deepening_stops_when_nothing_more_can_change() {
    let game = Arc::new(ConnectFour::new());
    let mut alpha_beta = AlphaBeta::new(&game, None, Options::play()).unwrap();
    // The first player has three in a row at the bottom, both ends open, and the other to move cannot stop both.
    let mut lost = game.initial();
    for column in [2, 2, 3, 3, 4] {
        game.play(&mut lost, Action(column));
    }
    let found = alpha_beta.search(&lost, &whole(), &mut stream(1, "stops", 0));
    assert_eq!((found.value, found.depth), (Some(Payoff::win(Player::First)), Some(2)));
    let drawn = Arc::new(TicTacToe::new());
    let mut alpha_beta = AlphaBeta::new(&drawn, None, Options::play()).unwrap();
    let found = alpha_beta.search(&drawn.initial(), &Budget::depth(50), &mut stream(1, "stops", 0));
    assert_eq!((found.value, found.depth), (Some(Payoff::DRAW), Some(9)));
    let mut played = (0..).flat_map(|index| playout(&game, "stops", index));
    let one_move = played.find(|state| actions(game.as_ref(), state).len() == 1).unwrap();
    let hour = Budget { time: Some(Duration::from_secs(3600)), ..Budget::default() };
    let found = AlphaBeta::new(&game, None, Options::play()).unwrap().search(&one_move, &hour, &mut stream(1, "stops", 0));
    assert_eq!((found.depth, found.nodes), (Some(1), 2));
}

#[test]
fn a_search_depends_on_its_arguments_alone() {
    let game = Arc::new(ConnectFour::new());
    let knowledge = Some(Arc::clone(&game) as Arc<dyn Knowledge<State = _>>);
    let options = Options { table_mib: 1, ..Options::play() };
    let mut used = AlphaBeta::new(&game, knowledge.clone(), options).unwrap();
    for (index, state) in playout(&game, "pure", 0).iter().enumerate().filter(|(_, state)| mover(game.as_ref(), state).is_some())
    {
        let mut fresh = AlphaBeta::new(&game, knowledge.clone(), options).unwrap();
        let again = |search: &mut AlphaBeta<_>| {
            let found = search.search(state, &nodes(3_000), &mut stream(1, "pure", index as u64));
            (found.action, found.value, found.nodes, found.depth, found.principal_variation)
        };
        assert_eq!(again(&mut used), again(&mut fresh));
    }
}

#[test]
fn full_depth_alpha_beta_never_loses_to_random_play() {
    let game = Arc::new(TicTacToe::new());
    let mut alpha_beta = AlphaBeta::new(&game, None, Options { table_mib: 1, ..Options::play() }).unwrap();
    let mut won = [0; 2];
    for index in 0..200 {
        let (us, mut rng) = (Player::BOTH[index % 2], stream(1, "against random", index as u64));
        let mut state = game.initial();
        let payoff = loop {
            match game.turn(&state) {
                Turn::Over(payoff) => break payoff,
                Turn::Move(player) if player == us => {
                    let action = alpha_beta.search(&state, &whole(), &mut rng).action;
                    game.play(&mut state, action);
                }
                Turn::Move(_) | Turn::Chance => {
                    let listed = actions(game.as_ref(), &state);
                    game.play(&mut state, listed[rng.random_range(0..listed.len())]);
                }
            }
        };
        assert!(payoff.of(us) >= 0.0);
        won[index % 2] += usize::from(payoff.of(us) > 0.0);
    }
    assert!(won.iter().all(|&count| count > 50), "{won:?}");
}

#[test]
fn searches_refuse_games_that_do_not_meet_their_hypotheses() {
    let chance = Arc::new(RandomTree::with(0, false, |facts| facts.chance = true));
    let general = Arc::new(RandomTree::with(0, false, |facts| facts.sum = (-1.0, 1.0)));
    for game in [chance, general] {
        let refusal = AlphaBeta::new(&game, None, Options::play()).err().unwrap();
        assert_eq!(refusal.to_string(), "alpha-beta needs a zero-sum game without chance, which random_tree is not");
        assert_eq!(Minimax::new(&game, None, true).err().unwrap().search, "minimax");
        assert!(Exhaustive::new(&game).is_err());
    }
    assert!(Exhaustive::new(&Arc::new(RandomTree::new(0))).is_err(), "its results are more than wins, draws and losses");
}
