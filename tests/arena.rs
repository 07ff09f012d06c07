//! Openings and matches: what they promise, on real games and on two made for the purpose.

mod common;
mod counting;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use counting::Counting;
use plyzero::agent::{Agent, AgentFactory, Forfeit, Random};
use plyzero::arena::{ArenaError, Match, MatchResult, openings};
use plyzero::game::{Action, Game, Player, Position, Step, Turn};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::rng::Rng;
use plyzero::search::Decision;
use plyzero::solver::Exhaustive;

/// Chooses by a function of the position.
struct Puppet<F>(&'static str, F);

impl<G: Game, F> Agent<G> for Puppet<F>
where
    F: FnMut(&Position<G>) -> Result<Action, String> + Send,
{
    fn name(&self) -> &str {
        self.0
    }

    fn decide(&mut self, position: &Position<G>, _: &mut Rng) -> Result<Decision, Forfeit> {
        let action = (self.1)(position).map_err(|reason| Forfeit { agent: self.0.to_owned(), reason })?;
        Ok(Decision { action, candidates: Vec::new(), principal_variation: Vec::new(), value: None, nodes: 0, depth: None })
    }
}

fn puppet<G: Game>(name: &'static str, choose: fn(&Position<G>) -> Result<Action, String>) -> AgentFactory<G> {
    Arc::new(move || Box::new(Puppet(name, choose)))
}

/// Plays the first legal move.
fn first<G: Game>() -> AgentFactory<G> {
    puppet("first", |position| Ok(position.actions()[0]))
}

fn random<G: Game>() -> AgentFactory<G> {
    Arc::new(|| Box::new(Random))
}

fn contest<G: Game>(openings: &[Position<G>], games: usize, players: [&AgentFactory<G>; 2], threads: usize) -> MatchResult {
    Match { openings, games, challenger: players[0], opponent: players[1], seed: 5, threads, stop: &AtomicBool::new(false) }
        .play(&|_| ())
        .unwrap()
}

fn assert_fit<G: Game>(game: &Arc<G>, openings: &[Position<G>]) {
    let mut seen = HashSet::new();
    for opening in openings {
        let Turn::Move(mover) = opening.turn() else { panic!("{:?} is decided", opening.steps()) };
        for action in opening.actions() {
            let mut next = opening.clone();
            next.play(action);
            assert!(
                !matches!(next.turn(), Turn::Over(payoff) if payoff.of(mover) > 0.0),
                "{:?}: {action:?} wins at once",
                opening.steps()
            );
        }
        let images: HashSet<G::State> =
            game.symmetries().iter().map(|symmetry| game.transform(opening.state(), symmetry)).collect();
        assert!(images.is_disjoint(&seen), "{:?} is there twice", opening.steps());
        seen.extend(images);
    }
}

#[test]
fn openings_are_distinct_up_to_symmetry_and_without_a_win_in_one() {
    let game = Arc::new(ConnectFour::new());
    let openings = openings::distinct(&game, 300, 6, 1);
    assert_eq!(openings.len(), 300);
    assert!(openings.iter().all(|opening| opening.steps().len() == 6));
    assert_fit(&game, &openings);
}

#[test]
fn openings_are_a_function_of_their_seed() {
    let game = Arc::new(ConnectFour::new());
    let steps = |count, seed| -> Vec<Vec<Step>> {
        openings::distinct(&game, count, 4, seed).iter().map(|opening| opening.steps().to_vec()).collect()
    };
    assert_eq!(steps(20, 1), steps(20, 1));
    assert_ne!(steps(20, 1), steps(20, 2));
    assert_eq!(steps(10, 1), steps(20, 1)[..10], "more openings begin with the same ones");
}

#[test]
fn a_small_game_gives_longer_openings_and_then_no_more() {
    let game = Arc::new(TicTacToe::new());
    let all = openings::distinct(&game, 2000, 1, 1);
    assert!(all.len() < 765, "no more than there are positions up to symmetry: {}", all.len());
    assert!(all[..3].iter().all(|opening| opening.steps().len() == 1), "there are three first moves up to symmetry");
    assert!(all[3..15].iter().all(|opening| opening.steps().len() == 2), "and twelve pairs of moves");
    assert_fit(&game, &all);
    assert!(openings::distinct(&game, 0, 1, 1).is_empty());
}

#[test]
fn exhausted_lengths_are_enumerated_to_the_last_opening() {
    // Another way to all openings of a length or longer: every position that can be reached, by the number of stones.
    let game = Arc::new(TicTacToe::new());
    let wins_at_once = |state: &_, mover: Player| {
        let won = |action| matches!(game.turn(&common::after(game.as_ref(), state, action)), Turn::Over(payoff) if payoff.of(mover) > 0.0);
        common::actions(game.as_ref(), state).into_iter().any(won)
    };
    let plies = |state: &_| 9 - common::actions(game.as_ref(), state).len();
    for shortest in [1, 2, 4, 7] {
        let mut images = HashSet::new();
        let mut classes = 0;
        for state in Exhaustive::new(&game).unwrap().undecided_positions() {
            let Turn::Move(mover) = game.turn(&state) else { panic!("it is undecided") };
            if plies(&state) >= shortest && !wins_at_once(&state, mover) && !images.contains(&state) {
                classes += 1;
                images.extend(game.symmetries().iter().map(|symmetry| game.transform(&state, symmetry)));
            }
        }
        for seed in 0..4 {
            let found = openings::find(&game, 2000, shortest, seed);
            assert_eq!((found.positions.len(), found.complete), (classes, true), "from {shortest} plies, seed {seed}");
            assert_fit(&game, &found.positions);
        }
        let some = openings::find(&game, classes, shortest, 1);
        assert_eq!((some.positions.len(), some.complete), (classes, false), "as many as asked for may not be all");
    }
    assert!(!openings::find(&Arc::new(ConnectFour::new()), 50, 8, 1).complete);
    let start = openings::find(&game, 50, 0, 1);
    assert_eq!((start.positions.len(), start.positions[0].steps().len(), start.complete), (1, 0, true));
}

#[test]
fn rare_results_of_chance_are_enumerated_too() {
    // Three moves and three coins that all but never add 1: walks find sums of 0 to 3, enumeration those of up to 6.
    let game = Arc::new(Counting::new(12, 12, Some(1e-30)));
    let found = openings::find(&game, 7, 3, 1);
    let sums: HashSet<usize> =
        found.positions.iter().filter(|opening| opening.steps().len() == 6).map(|opening| opening.state().1).collect();
    assert_eq!(sums, HashSet::from([0, 1, 2, 3, 4, 5, 6]));
}

#[test]
fn a_game_without_fit_openings_starts_from_its_initial_position() {
    let game = Arc::new(TicTacToe::new());
    let openings = openings::distinct(&game, 2, 9, 1);
    assert!(openings.len() == 1 && openings.iter().all(|opening| opening.steps().is_empty()));
}

#[test]
fn openings_settle_chance() {
    let game = Arc::new(Counting::new(12, 12, Some(0.5)));
    let openings = openings::distinct(&game, 4, 3, 1);
    assert_fit(&game, &openings);
    assert!(openings.iter().all(|opening| opening.steps().len() == 6), "three moves and three coins");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let game = Arc::new(ConnectFour::new());
    let openings = openings::distinct(&game, 20, 4, 1);
    let results = [1, 3, 0].map(|threads| contest(&openings, 41, [&random(), &first()], threads));
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    let chancy = Arc::new(Counting::new(12, 12, Some(0.5)));
    let initial = [Position::initial(&chancy)];
    assert_eq!(contest(&initial, 30, [&random(), &random()], 1), contest(&initial, 30, [&random(), &random()], 3));
}

#[test]
fn random_players_are_balanced_and_reproducible() {
    let game = Arc::new(ConnectFour::new());
    let openings = openings::distinct(&game, 200, 4, 1);
    let result = contest(&openings, 400, [&random(), &random()], 2);
    assert_eq!(result, contest(&openings, 400, [&random(), &random()], 2));
    assert_eq!(result.wins() + result.draws() + result.losses(), 400);
    assert_eq!((result.games, result.unfinished, result.forfeits, result.first_forfeit.clone()), (400, 0, 0, None));
    assert_eq!(result.distinct, 400);
    assert_eq!(result.points + result.opponent_points, 400.0);
    let share = result.share.unwrap();
    assert!(share.low < 0.5 && 0.5 < share.high, "{share:?}");
    assert!((share.value - result.points / 400.0).abs() < 1e-12);
    assert!(result.elo.low.unwrap() < 0.0 && result.elo.high.unwrap() > 0.0);
    assert!((7.0..42.0).contains(&result.mean_plies), "{}", result.mean_plies);
}

#[test]
fn sides_are_swapped_between_the_games_of_a_pair() {
    // Both play the first legal move, by which the first player wins tic-tac-toe from the initial position.
    let game = Arc::new(TicTacToe::new());
    let result = contest(&[Position::initial(&game)], 10, [&first(), &first()], 2);
    assert_eq!((result.as_first.wins, result.as_second.losses, result.draws()), (5, 5, 0));
    assert_eq!(result.distinct, 1);
    assert_eq!(result.mean_plies, 7.0);
    assert_eq!(result.share.unwrap().value, 0.5);
    let openings = openings::distinct(&game, 3, 2, 1);
    let matched = Match {
        openings: &openings,
        games: 8,
        challenger: &random(),
        opponent: &random(),
        seed: 5,
        threads: 1,
        stop: &AtomicBool::new(false),
    };
    for (index, record) in matched.records(&|_| ()).unwrap().iter().enumerate() {
        assert!(record.steps.starts_with(openings[index / 2 % 3].steps()), "game {index}");
    }
}

#[test]
fn the_second_player_need_not_be_the_one_to_move_second() {
    // After one ply the second player is to move: the challenger, who gives up at once, does so in games of odd index.
    let game = Arc::new(TicTacToe::new());
    let mut opening = Position::initial(&game);
    opening.play_text("b2").unwrap();
    let quitter = puppet("quitter", |_| Err("it has had enough".to_owned()));
    let result = contest(&[opening], 2, [&quitter, &first()], 1);
    assert_eq!((result.as_first.losses, result.as_second.losses), (1, 1));
    assert_eq!(result.mean_plies, 1.5);
}

#[test]
fn forfeits_and_illegal_moves_lose() {
    let game = Arc::new(TicTacToe::new());
    let initial = [Position::initial(&game)];
    let quitter = puppet("quitter", |_| Err("it has had enough".to_owned()));
    let result = contest(&initial, 6, [&random(), &quitter], 2);
    assert_eq!((result.wins(), result.forfeits, result.challenger_forfeits), (6, 6, 0));
    assert_eq!((result.points, result.opponent_points), (6.0, 0.0));
    assert_eq!(result.first_forfeit.as_deref(), Some("game 0: quitter forfeits: it has had enough"));
    let cheat = puppet("cheat", |position| Ok(if position.steps().len() < 2 { position.actions()[0] } else { Action(0) }));
    let result = contest(&initial, 2, [&cheat, &first()], 1);
    assert_eq!((result.losses(), result.forfeits, result.challenger_forfeits), (2, 2, 2));
    assert_eq!(result.first_forfeit.as_deref(), Some("game 0: cheat forfeits: it chose action 0, which is not legal there"));
    assert_eq!(result.elo.value, None);
}

#[test]
fn unfinished_games_are_no_draws() {
    let game = Arc::new(Counting::new(usize::MAX, 6, None));
    let result = contest(&[Position::initial(&game)], 4, [&random(), &first()], 2);
    assert_eq!((result.games, result.unfinished), (4, 4));
    assert_eq!((result.wins(), result.draws(), result.losses()), (0, 0, 0));
    assert_eq!((result.points, result.opponent_points, result.share), (0.0, 0.0, None));
    assert_eq!(result.mean_plies, 6.0);
}

#[test]
fn a_game_decided_at_its_longest_length_is_finished() {
    let game = Arc::new(Counting::new(6, 6, None));
    let result = contest(&[Position::initial(&game)], 2, [&first(), &first()], 1);
    assert_eq!((result.unfinished, result.draws()), (0, 2));
}

#[test]
fn points_follow_general_payoffs() {
    // Every move adds 1: a sum of 2, so a utility of 1/2 and 3/4 of a point for the first player, half a point for the second.
    let game = Arc::new(Counting::new(2, 2, None));
    let adder = || puppet("adder", |_| Ok(Action(1)));
    let result = contest(&[Position::initial(&game)], 2, [&adder(), &adder()], 1);
    assert_eq!((result.points, result.opponent_points), (1.25, 1.25));
    assert_eq!((result.as_first.wins, result.as_second.losses), (1, 1), "whoever has more points has won");
}

#[test]
fn an_empty_match_is_no_error_and_one_without_openings_is() {
    let game = Arc::new(TicTacToe::new());
    let result = contest(&[Position::initial(&game)], 0, [&random(), &random()], 2);
    assert_eq!((result.games, result.share, result.mean_plies), (0, None, 0.0));
    let factory = random::<TicTacToe>();
    let empty = Match {
        openings: &[],
        games: 2,
        challenger: &factory,
        opponent: &factory,
        seed: 1,
        threads: 1,
        stop: &AtomicBool::new(false),
    };
    assert_eq!(empty.play(&|_| ()), Err(ArenaError::NoOpenings));
}

#[test]
fn every_game_is_told() {
    let game = Arc::new(TicTacToe::new());
    let sum = AtomicUsize::new(0);
    let (openings, factory) = ([Position::initial(&game)], random());
    let matched = Match {
        openings: &openings,
        games: 10,
        challenger: &factory,
        opponent: &factory,
        seed: 1,
        threads: 3,
        stop: &AtomicBool::new(false),
    };
    matched
        .play(&|index| {
            sum.fetch_add(1 << index, Ordering::Relaxed);
        })
        .unwrap();
    assert_eq!(sum.into_inner(), 0b11_1111_1111);
}

#[test]
fn a_panic_is_told_with_agent_and_game() {
    let game = Arc::new(TicTacToe::new());
    let (openings, opponent) = ([Position::initial(&game)], random());
    let made = AtomicUsize::new(0);
    let sleeper: AgentFactory<TicTacToe> = Arc::new(move || {
        let game = made.fetch_add(1, Ordering::Relaxed);
        Box::new(Puppet("sleeper", move |position: &Position<TicTacToe>| {
            assert!(game != 3, "it woke in game {game}");
            Ok(position.actions()[0])
        }))
    });
    let matched = Match {
        openings: &openings,
        games: 10,
        challenger: &sleeper,
        opponent: &opponent,
        seed: 1,
        threads: 1,
        stop: &AtomicBool::new(false),
    };
    let error = matched.play(&|_| ()).unwrap_err().to_string();
    assert_eq!(error, "in game 3 of the match agent sleeper panicked: it woke in game 3");
    let unborn: AgentFactory<TicTacToe> = Arc::new(|| panic!("no such file"));
    let matched = Match { challenger: &opponent, opponent: &unborn, ..matched };
    let error = matched.play(&|_| ()).unwrap_err().to_string();
    assert_eq!(error, "in game 0 of the match agent opponent (while it was made) panicked: no such file");
}

#[test]
fn a_panic_stops_the_other_threads() {
    // Games that never end by themselves: the match returns only if the other two threads hear of the panic between plies.
    let game = Arc::new(Counting::new(usize::MAX, usize::MAX, None));
    let openings = [Position::initial(&game)];
    let (made, opponent) = (AtomicUsize::new(0), first());
    let bomb: AgentFactory<Counting> = Arc::new(move || {
        let is_second = made.fetch_add(1, Ordering::Relaxed) == 1;
        Box::new(Puppet("bomb", move |_: &Position<Counting>| if is_second { panic!("tick") } else { Ok(Action(0)) }))
    });
    let matched = Match {
        openings: &openings,
        games: 100,
        challenger: &bomb,
        opponent: &opponent,
        seed: 1,
        threads: 3,
        stop: &AtomicBool::new(false),
    };
    let error = matched.play(&|_| ()).unwrap_err();
    assert!(matches!(&error, ArenaError::Panicked { panic, .. } if panic.agent == "bomb"), "{error}");
}

#[test]
fn a_panic_of_the_observer_is_told_too() {
    let game = Arc::new(TicTacToe::new());
    let (openings, factory) = ([Position::initial(&game)], random());
    let matched = Match {
        openings: &openings,
        games: 10,
        challenger: &factory,
        opponent: &factory,
        seed: 1,
        threads: 2,
        stop: &AtomicBool::new(false),
    };
    let error = matched.play(&|index| assert!(index < 4, "heard of game {index}")).unwrap_err().to_string();
    assert!(error.starts_with("a thread of the match panicked: heard of game "), "{error}");
}

#[test]
fn a_result_is_written_and_read() {
    let game = Arc::new(TicTacToe::new());
    let result = contest(&[Position::initial(&game)], 10, [&random(), &first()], 1);
    let text = serde_json::to_string(&result).unwrap();
    assert!(text.contains("\"as_first\":{\"wins\":"));
    let read: MatchResult = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (read.as_first, read.as_second, read.distinct, read.points),
        (result.as_first, result.as_second, result.distinct, result.points)
    );
    // serde_json reads the last bit of a float as it likes unless it is built to be exact.
    assert!((read.share.unwrap().low - result.share.unwrap().low).abs() < 1e-12);
}
