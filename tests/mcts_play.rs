//! What tree search finds: wins, blocks, best moves, expectations; and the agents that search so.

mod common;
mod literal;
mod playouts;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::{actions, after};
use literal::{Literal, Node, State, choice, over};
use playouts::{mover, playout};
use plyzero::agent::{Agent as _, Builder, TreeAgent, TreeOptions};
use plyzero::arena::{Match, choices, openings};
use plyzero::eval::{Rollout, Uniform};
use plyzero::game::{Action, Entry, Game, Games as _, Outcome, Player, Position, Step, Turn, Visit};
use plyzero::games::{ConnectFour, TicTacToe, registry};
use plyzero::net::{Architecture, Checkpoint, Device, Header, Network, NetworkConfig, Norm, open_device};
use plyzero::rng::{Rng, stream};
use plyzero::search::Budget;
use plyzero::search::mcts::{Driver, Rule, Tree, pick};
use plyzero::solver::{Exhaustive, Solver as _};
use rand::{Rng as _, RngExt as _};

/// The rule of self-play, without its noise.
const SELF_PLAY: Rule = Rule::Puct { c_puct: 2.0, fpu_reduction: 0.2, root_fpu_reduction: 0.0, solve: false };
const UCT: Rule = Rule::Ucb1 { c: std::f32::consts::SQRT_2 };

// --- Tactics ---------------------------------------------------------------------------------------------------------

/// The moves that win at once.
fn wins<G: Game>(game: &G, state: &G::State) -> Vec<Action> {
    let Some(mover) = mover(game, state) else { return Vec::new() };
    let won = |state| matches!(game.turn(&state), Turn::Over(payoff) if payoff.of(mover) > 0.0);
    actions(game, state).into_iter().filter(|&action| won(after(game, state, action))).collect()
}

/// The only move after which the other player has no win in one, where that player would win just there after any other.
fn single_block<G: Game>(game: &G, state: &G::State) -> Option<Action> {
    let replies = |action: &Action| wins(game, &after(game, state, *action));
    let (safe, lost): (Vec<_>, Vec<_>) = actions(game, state).into_iter().partition(|action| replies(action).is_empty());
    let &[block] = safe.as_slice() else { return None };
    let threat = lost.iter().all(|action| replies(action).contains(&block));
    (wins(game, state).is_empty() && !lost.is_empty() && threat).then_some(block)
}

/// What must be played: any of these.
fn forced<G: Game>(game: &G, state: &G::State) -> Vec<Action> {
    let wins = wins(game, state);
    if wins.is_empty() { single_block(game, state).into_iter().collect() } else { wins }
}

/// How many of `states` are wins in one and how many single blocks; every one must be found by 200 simulations that know
/// nothing but the rules.
fn assert_tactics<G: Game>(game: &Arc<G>, states: &[G::State], rule: Rule) -> (usize, usize) {
    let chosen = choices::searched(game, &mut Uniform::new(game), states, rule, 200, &AtomicBool::new(false));
    for (state, action) in states.iter().zip(chosen) {
        let forced = forced(game.as_ref(), state);
        assert!(forced.contains(&action), "{rule:?} plays {action:?} instead of {forced:?} in\n{}", game.draw(state));
    }
    let wins = states.iter().filter(|state| !wins(game.as_ref(), state).is_empty()).count();
    (wins, states.len() - wins)
}

#[test]
fn every_win_in_one_and_every_single_block_of_tic_tac_toe_is_played() {
    let game = Arc::new(TicTacToe::new());
    let mut states = Exhaustive::new(&game).unwrap().undecided_positions();
    states.retain(|state| !forced(game.as_ref(), state).is_empty());
    for rule in [Rule::PLAIN, SELF_PLAY] {
        assert_eq!(assert_tactics(&game, &states, rule), (2358, 936));
    }
}

#[test]
fn wins_in_one_and_single_blocks_are_played_in_a_thousand_positions_of_connect_four() {
    let game = Arc::new(ConnectFour::new());
    let positions = (0..).flat_map(|index| playout(&game, "tactics", index));
    let mut seen = HashSet::new();
    let tactical = positions.filter(|state| !forced(game.as_ref(), state).is_empty() && seen.insert(*state));
    let states: Vec<_> = tactical.take(1000).collect();
    for rule in [Rule::PLAIN, SELF_PLAY] {
        let (wins, blocks) = assert_tactics(&game, &states, rule);
        assert!(wins > 200 && blocks > 200, "{wins} wins, {blocks} blocks");
    }
}

// --- UCT -------------------------------------------------------------------------------------------------------------

/// UCT with so many rollouts from `state`.
fn uct<G: Game>(game: &Arc<G>, state: &G::State, simulations: u32, seed: u64) -> Tree<G> {
    let mut tree = Tree::new(game, UCT, state.clone(), seed);
    let driver = Driver { simulations, gather: 1 };
    driver.roll_out(&mut tree, &mut Rollout::new(game), &mut Budget::default().start());
    tree
}

fn most_visited<G: Game>(tree: &Tree<G>) -> Action {
    pick(&tree.policy(), 0.0, &mut stream(0, "unused", 0))
}

/// One of the positions that symmetries turn into each other, for every such class in which somebody is to move.
fn classes(game: &TicTacToe, states: Vec<<TicTacToe as Game>::State>) -> Vec<<TicTacToe as Game>::State> {
    let mut seen = HashSet::new();
    let is_new = |state: &_| {
        let new = !game.symmetries().iter().any(|symmetry| seen.contains(&game.transform(state, symmetry)));
        seen.insert(*state);
        new
    };
    states.into_iter().filter(is_new).collect()
}

#[test]
fn uct_with_5000_simulations_finds_a_minimax_move_in_every_tic_tac_toe_position() {
    let game = Arc::new(TicTacToe::new());
    let mut solver = Exhaustive::new(&game).unwrap();
    let positions = classes(&game, solver.undecided_positions());
    assert_eq!(positions.len(), 765 - 138, "138 classes are finished games");
    let mut missed = |simulations| {
        let misses = |state: &&_| {
            let moves = solver.moves(state);
            let best = moves.iter().map(|(_, verdict)| verdict.outcome).max();
            let chosen = most_visited(&uct(&game, state, simulations, 1));
            moves.iter().find(|(action, _)| *action == chosen).map(|(_, verdict)| verdict.outcome) != best
        };
        positions.iter().filter(misses).count()
    };
    assert_eq!(missed(5_000), 0);
    assert!(missed(10) > 40, "ten are not enough");
}

#[test]
fn uct_is_a_function_of_its_seed() {
    let game = Arc::new(TicTacToe::new());
    let told = |seed| format!("{:?}", uct(&game, &game.initial(), 1000, seed).moves().collect::<Vec<_>>());
    assert_eq!(told(1), told(1));
    assert_ne!(told(1), told(2));
}

// --- Chance ----------------------------------------------------------------------------------------------------------

/// A race: the mover walks two steps, or casts a die that brings one step half of the time and two or four a quarter of the time
/// each. Whoever arrives first wins. For `general` sums the loser loses only what is left of the way.
fn race(mover: Player, left: [i32; 2], general: bool) -> State {
    let step = |steps: i32| {
        let mut left = left;
        left[mover.index()] -= steps;
        if left[mover.index()] > 0 {
            return race(mover.other(), left, general);
        }
        let mut quarters = [4, 4];
        quarters[mover.other().index()] = if general { -left[mover.other().index()].min(4) } else { -4 };
        over(quarters[0], quarters[1])
    };
    let die = Node::Chance(vec![(2, step(1)), (1, step(2)), (1, step(4))]);
    choice(mover, vec![step(2), Arc::new(die)])
}

/// The utilities of both players when everybody maximises what they expect.
fn expectation(state: &State) -> [f64; 2] {
    match state.as_ref() {
        Node::Over(quarters) => quarters.map(|quarters| f64::from(quarters) / 4.0),
        Node::Move(mover, replies) => {
            let values = replies.iter().map(expectation);
            values.max_by(|a, b| a[mover.index()].total_cmp(&b[mover.index()])).unwrap()
        }
        Node::Chance(drawn) => {
            let total: u32 = drawn.iter().map(|(weight, _)| weight).sum();
            drawn.iter().fold([0.0; 2], |sum, (weight, after)| {
                let (value, share) = (expectation(after), f64::from(*weight) / f64::from(total));
                [sum[0] + share * value[0], sum[1] + share * value[1]]
            })
        }
    }
}

/// How far the tree's value is from the expectation, for the player it is further from.
fn error<G: Game>(tree: &Tree<G>, expected: [f64; 2]) -> f64 {
    let value = tree.value().unwrap().0;
    (0..2).map(|player| (f64::from(value[player]) - expected[player]).abs()).fold(0.0, f64::max)
}

/// Searches with PUCT, which judges nothing, or with UCT.
fn search_race(game: &Arc<Literal>, state: &State, rule: Rule, simulations: u32) -> Tree<Literal> {
    if rule == UCT {
        return uct(game, state, simulations, 1);
    }
    let mut tree = Tree::new(game, rule, Arc::clone(state), 1);
    let driver = Driver { simulations, gather: 1 };
    driver.run(&mut tree, &mut Uniform::new(game), &mut Budget::default().start());
    tree
}

#[test]
fn with_chance_values_converge_to_the_expectation_of_best_play() {
    const SIMULATIONS: u32 = 40_000;
    for (general, tolerance) in [(false, 0.015), (true, 0.06)] {
        let (mut early, mut late) = (0.0, 0.0);
        for (mover, left) in Player::BOTH.into_iter().flat_map(|mover| [[4, 4], [5, 3], [3, 5]].map(|left| (mover, left))) {
            let game = Literal::new(race(mover, left, general));
            let state = game.initial();
            let Node::Move(_, replies) = state.as_ref() else { panic!("a player begins") };
            let worth: Vec<f64> = replies.iter().map(|reply| expectation(reply)[mover.index()]).collect();
            for rule in [Rule::PLAIN, UCT] {
                let tree = search_race(&game, &state, rule, SIMULATIONS);
                let (error, told) = (error(&tree, expectation(&state)), format!("{rule:?} {mover:?} {left:?} {general}"));
                assert!(error < tolerance, "{told}: {error}");
                assert_eq!(most_visited(&tree).0, u16::from(worth[1] > worth[0]), "{told}: {worth:?}");
                early += self::error(&search_race(&game, &state, rule, SIMULATIONS / 16), expectation(&state));
                late += error;
            }
        }
        assert!(late < 0.7 * early, "{early} after a sixteenth of the simulations, then {late}");
    }
}

#[test]
fn outcomes_of_chance_are_visited_as_often_as_they_are_likely() {
    let game = Literal::new(race(Player::First, [4, 4], true));
    let mut cast = game.initial();
    game.play(&mut cast, Action(1));
    for rule in [Rule::PLAIN, UCT] {
        let mut from_above = search_race(&game, &game.initial(), rule, 30_000);
        assert!(from_above.advance(Step::Move(Action(1))));
        for mut tree in [search_race(&game, &cast, rule, 10_000), from_above] {
            let (total, visits) = (tree.simulations(), tree.moves().map(|mv| mv.visits));
            assert!(total > 300);
            for (visits, probability) in visits.zip([0.5, 0.25, 0.25]) {
                let deviation = (f64::from(total) * probability * (1.0 - probability)).sqrt();
                assert!((f64::from(visits) - f64::from(total) * probability).abs() < 3.5 * deviation, "{visits} of {total}");
            }
            assert!(tree.advance(Step::Chance(Outcome(2))) && tree.is_exhausted());
        }
    }
}

// --- Agents ----------------------------------------------------------------------------------------------------------

fn options(simulations: u32, reuse: bool) -> TreeOptions {
    TreeOptions { rule: UCT, simulations, gather: 1, reuse, budget: Budget::default() }
}

/// A game against random replies: the agent must decide as a tree does that is advanced by hand.
fn assert_agent_keeps_its_tree<G: Game>(game: &Arc<G>, seed: u64) {
    let mut agent = TreeAgent::uct("uct", options(60, true));
    let (mut its, mut ours, mut others) = (stream(seed, "agent", 0), stream(seed, "agent", 0), stream(seed, "reply", 0));
    let (mut position, mut kept, mut reused) = (Position::initial(game), None::<Tree<G>>, false);
    let mut seen = 0;
    position.settle(&mut others);
    while let Turn::Move(_) = position.turn() {
        let mut tree = match kept.take() {
            None => Tree::new(game, UCT, position.state().clone(), ours.next_u64()),
            Some(mut tree) => {
                position.steps()[seen..].iter().for_each(|&step| _ = tree.advance(step));
                tree
            }
        };
        reused |= tree.simulations() > 0;
        let driver = Driver { simulations: 60 + tree.simulations(), gather: 1 };
        driver.roll_out(&mut tree, &mut Rollout::new(game), &mut Budget::default().start());
        let decision = agent.decide(&position, &mut its).unwrap();
        assert_eq!(decision.candidates, tree.decision(decision.action).candidates);
        assert_eq!((decision.action, decision.value), (most_visited(&tree), tree.value()));
        (kept, seen) = (Some(tree), position.steps().len());
        position.play(decision.action);
        position.settle(&mut others);
        if let Turn::Move(_) = position.turn() {
            let replies = position.actions();
            position.play(replies[others.random_range(0..replies.len())]);
            position.settle(&mut others);
        }
    }
    assert!(reused);
}

#[test]
fn an_agent_that_keeps_its_tree_decides_as_the_tree_advanced_by_hand() {
    assert_agent_keeps_its_tree(&Arc::new(TicTacToe::new()), 1);
    assert_agent_keeps_its_tree(&Arc::new(ConnectFour::new()), 2);
    assert_agent_keeps_its_tree(&Literal::new(race(Player::Second, [5, 5], true)), 3);
}

#[test]
fn an_agent_shown_another_line_of_play_forgets_its_tree() {
    let game = Arc::new(ConnectFour::new());
    let line = |actions: &[u16]| {
        let mut position = Position::initial(&game);
        actions.iter().for_each(|&action| position.play(Action(action)));
        position
    };
    let fresh = |position: &Position<_>, rng: &mut Rng| TreeAgent::uct("uct", options(400, true)).decide(position, rng).unwrap();
    let mut agent = TreeAgent::uct("uct", options(400, true));
    for (actions, fresh_tree) in [(&[3, 3, 2, 2][..], true), (&[3, 3], true), (&[2, 3], true), (&[2, 3, 1, 1], false)] {
        let position = line(actions);
        let decision = agent.decide(&position, &mut stream(1, "agent", 9)).unwrap();
        let is_fresh = decision.candidates == fresh(&position, &mut stream(1, "agent", 9)).candidates;
        assert_eq!(is_fresh, fresh_tree, "{actions:?}");
    }
}

/// Writes a small network for a game and asks what specifications make of it.
struct Specified<'a>(&'a Device);

impl Visit for Specified<'_> {
    type Output = ();

    fn visit<G: Game>(&mut self, entry: &Entry<G>) {
        let sizes = NetworkConfig {
            channels: 4,
            blocks: 1,
            policy_channels: 2,
            value_channels: 2,
            value_hidden: 4,
            norm: Norm::Batch,
            policy_hidden: 0,
            auxiliary: Vec::new(),
        };
        let architecture = Architecture::new(entry.game.facts(), &sizes);
        let network = Network::new(&architecture, 1, self.0);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tiny.safetensors");
        Checkpoint { header: Header::new(&architecture, 1, 0, 0, 0), network }.save(&path).unwrap();
        let builder = Builder { entry, device: self.0, stop: None };
        let puct = |options: &str| format!("puct:net={}{options}", path.display());
        for options in
            ["", ",sims=1", ",sims=3,gather=64", ",solve=true,gather=3", ",time=1ms", ",time=1e19s,sims=9", ",c_puct=0,fpu=0"]
        {
            self.plays(&builder, &puct(options));
        }
        for spec in
            ["uct:sims=1", "uct:time=1ms", "uct:sims=40,c=0", "uct:sims=40,c=3e38,reuse=false", "expectimax", "maxn:depth=2"]
        {
            self.plays(&builder, spec);
        }
        let refused = [
            "uct:sims=0",
            "uct:c=-1",
            "uct:c=nan",
            "uct:sims=4294967296",
            "uct:time=0s",
            "maxn:depth=0",
            "expectimax:nodes=5",
            "alpha-beta:table=65537",
        ];
        let options = [
            ",gather=0",
            ",gather=4097",
            ",gather=99999999999999999999",
            ",fpu=inf",
            ",reuse=perhaps",
            ",solve=1",
            ",gather=8,sim=9",
        ];
        for spec in refused.map(str::to_owned).into_iter().chain(options.map(puct)) {
            assert!(builder.factory(&spec).is_err(), "{spec}");
        }
    }
}

impl Specified<'_> {
    /// Lets the agent play a whole game with itself.
    fn plays<G: Game>(&self, builder: &Builder<G>, spec: &str) {
        let mut agent = builder.factory(spec).unwrap()();
        let (mut position, mut rng) = (Position::initial(&builder.entry.game), stream(1, "plays", 0));
        while let Turn::Move(_) = position.turn() {
            let decision = agent.decide(&position, &mut rng).unwrap();
            assert!(position.actions().contains(&decision.action), "{spec}");
            assert_eq!(decision.principal_variation[0], decision.action);
            assert_eq!(decision.candidates[0].action, decision.action);
            position.play(decision.action);
        }
    }
}

#[test]
fn every_specification_plays_or_is_refused_with_an_error() {
    let device = open_device("cpu").unwrap();
    registry().dispatch("tic_tac_toe", &mut Specified(&device)).unwrap();
}

// --- The floor under the yardstick -----------------------------------------------------------------------------------

/// 100 games of two agents from 50 openings; the share of the first.
struct Contest<'a>(&'a Device, [&'a str; 2]);

impl Visit for Contest<'_> {
    type Output = f64;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> f64 {
        let builder = Builder { entry, device: self.0, stop: None };
        let [challenger, opponent] = self.1.map(|spec| builder.factory(spec).unwrap());
        let openings = openings::distinct(&entry.game, 50, 4, 1);
        let contest = Match {
            openings: &openings,
            games: 100,
            challenger: &challenger,
            opponent: &opponent,
            seed: 1,
            threads: 2,
            stop: &AtomicBool::new(false),
        };
        let result = contest.play(&|_| ()).unwrap();
        assert_eq!((result.forfeits, result.unfinished), (0, 0));
        result.points / 100.0
    }
}

#[test]
fn alpha_beta_at_four_plies_beats_uct_with_300_simulations() {
    let device = open_device("cpu").unwrap();
    let share = registry().dispatch("connect_four", &mut Contest(&device, ["alpha-beta:depth=4", "uct:sims=300"])).unwrap();
    assert!(share >= 0.6, "alpha-beta:depth=4 scores {share} against uct:sims=300");
}
