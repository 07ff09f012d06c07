//! Games of self-play: what they depend on, what they record, and the samples they give.

mod common;
mod literal;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::{actions, after};
use literal::{Literal, Node, State, choice, over};
use plyzero::eval::{Evaluation, Evaluator as _, Forecast};
use plyzero::game::{Action, Game, Payoff, Player, Step, Turn};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::net::{Architecture, Frozen, Network, NetworkConfig, NetworkEvaluator, Norm, open_device};
use plyzero::rng::stream;
use plyzero::search::mcts::dirichlet;
use plyzero::solver::Exhaustive;
use plyzero::train::{Config, Ending, GameRecord, Opinion, Ply, ReplayConfig, SelfPlay, SelfPlayConfig, Starts, samples};
use rand::{Rng as _, RngExt as _};

/// Small and quick; what a test is about it changes.
fn config(change: impl FnOnce(&mut SelfPlayConfig)) -> Config {
    let mut config: Config = toml::from_str(include_str!("../configs/tic_tac_toe.toml")).unwrap();
    config.network = NetworkConfig {
        channels: 4,
        blocks: 1,
        policy_channels: 2,
        value_channels: 2,
        value_hidden: 8,
        norm: Norm::Batch,
        policy_hidden: 0,
        auxiliary: Vec::new(),
    };
    (config.search.solve, config.replay.average_duplicates) = (false, false);
    let play = &mut config.self_play;
    (play.simulations, play.lockstep, play.batch, play.cache) = (24, 8, 4, 1 << 10);
    change(play);
    config
}

fn network<G: Game>(game: &Arc<G>, config: &Config) -> Frozen {
    let (architecture, device) = (Architecture::new(game.facts(), &config.network), open_device("cpu").unwrap());
    Frozen::new(&Network::new(&architecture, 5, &device), &architecture, config.self_play.batch, &device)
}

/// The games with numbers 0 to `games`.
fn play<G: Game>(game: &Arc<G>, config: &Config, games: u64, threads: usize) -> Vec<GameRecord> {
    let network = network(game, config);
    let job = SelfPlay { game, config, network: &network, iteration: 3, starts: &Starts::new() };
    let mut records = Vec::new();
    let ids: Vec<u64> = (0..games).collect();
    job.play(&ids, threads, &AtomicBool::new(false), &mut |record| {
        records.push(record);
        Ok(())
    })
    .unwrap();
    records.sort_by_key(|record| record.id);
    assert!(records.iter().map(|record| record.id).eq(0..games) && records.iter().all(|record| record.network == 3));
    records
}

/// The plies that were searched.
fn searched(record: &GameRecord) -> impl Iterator<Item = &Ply> {
    record.plies.iter().filter(|ply| !ply.visits.is_empty())
}

#[test]
fn a_game_depends_on_its_number_alone_not_on_threads_or_on_the_games_beside_it() {
    let game = Arc::new(ConnectFour::new());
    let alone = play(&game, &config(|play| play.lockstep = 1), 12, 1);
    for (threads, lockstep, cache) in [(1, 64, 1 << 10), (3, 1, 1), (3, 5, 100), (2, 64, 0), (1, 64, 1 << 16)] {
        let beside = config(|play| (play.lockstep, play.cache) = (lockstep, cache));
        assert_eq!(play(&game, &beside, 12, threads), alone, "{threads} threads, lockstep {lockstep}, cache {cache}");
    }
    let fewer = play(&game, &config(|_| ()), 5, 2);
    assert_eq!(fewer, alone[..5]);
    assert!(alone.iter().all(|record| alone.iter().filter(|other| other.plies == record.plies).count() == 1));
}

#[test]
fn temperature_shapes_the_moves_and_never_the_targets() {
    let game = Arc::new(TicTacToe::new());
    let at = |temperature| {
        config(|play| {
            (play.temperature, play.final_temperature, play.random_share) = (temperature, temperature, 0.0);
        })
    };
    let games = [0.0, 1.0, 5.0].map(|temperature| play(&game, &at(temperature), 20, 2));
    for record in games.iter().flatten() {
        for ply in &record.plies {
            let total: u32 = ply.visits.iter().map(|(_, visits)| visits).sum();
            assert_eq!(total, 24, "the visits of one search of 24 simulations, as they were");
        }
    }
    // The first search of a game comes before any choice: it is the same whatever the temperature.
    let firsts = games.each_ref().map(|records| records.iter().map(|record| &record.plies[0].visits).collect::<Vec<_>>());
    assert!(firsts[0] == firsts[1] && firsts[1] == firsts[2]);
    // How often a move was played that another had more visits than.
    let strays = games.each_ref().map(|records| records.iter().flat_map(searched).filter(|ply| strays(ply)).count());
    assert_eq!(strays[0], 0);
    assert!(20 < strays[1] && strays[1] < strays[2], "{strays:?}");
}

/// Whether a move was played that is not the first of the most visited.
fn strays(ply: &Ply) -> bool {
    let most = ply.visits.iter().map(|(_, visits)| *visits).max().unwrap();
    let first = ply.visits.iter().find(|(_, visits)| *visits == most).unwrap().0;
    ply.step != Step::Move(first)
}

#[test]
fn the_temperature_changes_after_so_many_plies() {
    let game = Arc::new(TicTacToe::new());
    let config = config(|play| {
        (play.temperature, play.temperature_plies, play.final_temperature, play.random_share) = (1e30, 3, 0.0, 0.0);
    });
    let records = play(&game, &config, 40, 2);
    let counts: Vec<usize> =
        (0..5).map(|at| records.iter().filter(|record| record.plies.get(at).is_some_and(strays)).count()).collect();
    assert!(counts[..3].iter().all(|&count| count > 20) && counts[3..] == [0, 0], "{counts:?}");
}

/// With all the weight on the noise, one simulation goes where the noise is largest; so the moves of a game are those of draws
/// from its stream, one a ply, but for wins on the spot. Noise kept from a former ply, or none, would give others.
#[test]
fn noise_is_drawn_afresh_for_every_move() {
    let game = Arc::new(TicTacToe::new());
    let config = config(|play| {
        (play.simulations, play.noise_weight, play.noise_alpha) = (1, 1.0, 0.7);
        (play.temperature, play.final_temperature, play.random_share) = (0.0, 0.0, 0.0);
    });
    for record in play(&game, &config, 8, 2) {
        let (mut rng, mut state) = (stream(config.train.seed, "selfplay", record.id), game.initial());
        let _: f32 = rng.random(); // whether the game starts at random
        for ply in &record.plies {
            let legal = actions(game.as_ref(), &state);
            let _ = rng.next_u64(); // the seed of the tree
            let noise = dirichlet(legal.len(), 0.7, &mut rng);
            let most = noise.iter().copied().fold(0.0, f32::max);
            let wins = |action: &Action| matches!(game.turn(&after(game.as_ref(), &state, *action)), Turn::Over(end) if end != Payoff::DRAW);
            let loudest = legal[noise.iter().position(|&part| part == most).unwrap()];
            let action = legal.iter().copied().find(wins).unwrap_or(loudest);
            assert_eq!(ply.step, Step::Move(action));
            assert_eq!(ply.visits, legal.iter().map(|&listed| (listed, u32::from(listed == action))).collect::<Vec<_>>());
            state = after(game.as_ref(), &state, action);
        }
    }
}

/// Targets of how games end, and nothing else.
fn outcomes() -> ReplayConfig {
    config(|_| ()).replay
}

/// Replays a record and checks all that its samples say.
fn assert_samples<G: Game>(game: &G, record: &GameRecord) {
    let found = samples(game, record, &outcomes());
    assert_eq!(found.len(), searched(record).count(), "one a searched ply");
    let (mut state, mut found) = (game.initial(), found.into_iter());
    for ply in &record.plies {
        match ply.step {
            Step::Move(action) => {
                let legal = actions(game, &state);
                assert!(legal.contains(&action));
                if !ply.visits.is_empty() {
                    let sample = found.next().unwrap();
                    assert_eq!(sample.state, state);
                    assert!(sample.policy.iter().map(|(action, _)| action).eq(&legal), "the legal moves and no others");
                    let (total, share) = (sample.policy.iter().map(|(_, share)| share).sum::<f32>(), sample.policy[0].1);
                    assert!((total - 1.0).abs() < 1e-6 && share == ply.visits[0].1 as f32 / 24.0);
                    assert!(ply.opinion.is_some());
                    // Absolute, whoever is to move.
                    assert_eq!(Some(sample.payoff), record.ending.payoff());
                }
                state = after(game, &state, action);
            }
            Step::Chance(outcome) => {
                assert!(ply.visits.is_empty() && ply.opinion.is_none());
                game.roll(&mut state, outcome);
            }
        }
    }
    assert_eq!(game.turn(&state), Turn::Over(record.ending.payoff().unwrap()), "the record holds the whole game");
}

#[test]
fn samples_replay_to_their_positions_with_policies_over_legal_moves_and_absolute_payoffs() {
    let (small, large) = (Arc::new(TicTacToe::new()), Arc::new(ConnectFour::new()));
    let records = play(&small, &config(|_| ()), 40, 2);
    records.iter().for_each(|record| assert_samples(small.as_ref(), record));
    let payoffs: Vec<Payoff> = records.iter().filter_map(|record| record.ending.payoff()).collect();
    assert!(Player::BOTH.iter().all(|&winner| payoffs.contains(&Payoff::win(winner))), "both players win some");
    play(&large, &config(|_| ()), 6, 2).iter().for_each(|record| assert_samples(large.as_ref(), record));
}

#[test]
fn random_plies_give_no_samples_and_end_before_the_game_does() {
    let game = Arc::new(TicTacToe::new());
    let config = config(|play| (play.random_share, play.random_plies) = (1.0, 30));
    let mut lengths = Vec::new();
    for record in play(&game, &config, 60, 2) {
        let random = record.plies.iter().take_while(|ply| ply.visits.is_empty()).count();
        assert!((1..record.plies.len()).contains(&random), "at least one random ply, and one that is not");
        assert!(record.plies[..random].iter().all(|ply| ply.opinion.is_none()));
        assert_eq!(samples(game.as_ref(), &record, &outcomes()).len(), record.plies.len() - random);
        lengths.push(random);
    }
    assert!(lengths.contains(&1) && lengths.iter().any(|&length| length >= 6), "{lengths:?}");
    let never = self::config(|play| (play.random_share, play.random_plies) = (0.0, 0));
    assert!(play(&game, &never, 10, 1).iter().all(|record| searched(record).count() == record.plies.len()));
}

#[test]
fn workers_tell_what_their_memories_were_worth() {
    let game = Arc::new(TicTacToe::new());
    let recalls = |cache| {
        let config = config(|play| play.cache = cache);
        let network = network(&game, &config);
        let job = SelfPlay { game: &game, config: &config, network: &network, iteration: 0, starts: &Starts::new() };
        job.play(&(0..10).collect::<Vec<_>>(), 1, &AtomicBool::new(false), &mut |_| Ok(())).unwrap()
    };
    let [none, one, all] = [0, 1, 1 << 14].map(recalls);
    assert_eq!((none.found, one.asked, all.asked), (0, none.asked, none.asked), "a memory changes no question");
    assert!(all.asked > 300 && one.found < all.found && all.found > all.asked / 4 && all.found < all.asked, "{one:?} {all:?}");
}

/// A coin before every move; heads, the first player's move counts double.
fn coins(rounds: u32, score: i32) -> State {
    if rounds == 0 {
        return over(score, 2);
    }
    let mover = Player::BOTH[rounds as usize % 2];
    let tossed = |gain: i32| choice(mover, vec![coins(rounds - 1, score), coins(rounds - 1, score + gain)]);
    Arc::new(Node::Chance(vec![(1, tossed(0)), (3, tossed(1))]))
}

#[test]
fn games_with_chance_and_general_sums_are_recorded_ply_by_ply() {
    let game = Literal::new(coins(4, 0));
    let records = play(&game, &config(|_| ()), 30, 2);
    for record in &records {
        assert_samples(game.as_ref(), record);
        let chances = record.plies.iter().filter(|ply| matches!(ply.step, Step::Chance(_))).count();
        assert_eq!((record.plies.len(), chances), (8, 4));
    }
    assert_eq!(records, play(&game, &config(|play| play.lockstep = 1), 30, 3));
}

/// What a search thought that expects this much of a position and of its best move.
fn opinion(payoff: Payoff) -> Opinion {
    let value = Forecast { payoff, draw: 0.0 };
    Opinion { value, best: value, surprise: 0.0, gap: 0.0, proven: None, exploratory: false }
}

#[test]
fn a_record_that_is_not_whole_gives_the_samples_before_the_fault() {
    let game = TicTacToe::new();
    let ply = |action, visits: &[(u16, u32)]| Ply {
        step: Step::Move(Action(action)),
        visits: visits.iter().map(|&(action, visits)| (Action(action), visits)).collect(),
        opinion: Some(opinion(Payoff::DRAW)),
    };
    let plies = vec![ply(4, &[(4, 3), (0, 1)]), ply(0, &[(0, 2)]), ply(4, &[(1, 2)]), ply(1, &[(1, 2)])];
    let mut record = GameRecord { id: 0, network: 0, plies, ending: Ending::Over(Payoff::win(Player::Second)) };
    let found = samples(&game, &record, &outcomes());
    assert_eq!(found.len(), 2, "the third ply plays on a square that is taken");
    assert_eq!(*found[0].policy, [(Action(4), 0.75), (Action(0), 0.25)]);
    let half = samples(&game, &record, &ReplayConfig { search_value: 0.5, ..outcomes() })[0].payoff;
    assert_eq!(half, Payoff([-0.5, 0.5]), "half of how it ended and half of what the search thought");
    record.plies[1].visits[0].0 = Action(4);
    assert_eq!(samples(&game, &record, &outcomes()).len(), 1, "a policy must not name an illegal move");
    record.ending = Ending::Unfinished;
    record.plies[3].opinion = Some(opinion(Payoff([0.25, -0.25])));
    assert_eq!(samples(&game, &record, &outcomes())[0].payoff, Payoff([0.25, -0.25]), "what the search last thought");
    record.plies.iter_mut().for_each(|ply| ply.opinion = None);
    assert!(samples(&game, &record, &outcomes()).is_empty(), "nothing is known of its end");
}

#[test]
fn a_ply_is_exploratory_where_it_gave_away_what_the_best_move_had() {
    let game = Arc::new(TicTacToe::new());
    let records = play(&game, &config(|play| (play.temperature, play.random_share) = (4.0, 0.0)), 40, 1);
    let (mut given_away, mut kept) = (0, 0);
    for ply in records.iter().flat_map(searched) {
        let most = ply.visits.iter().map(|(_, visits)| *visits).max().unwrap();
        let favourite = ply.visits.iter().find(|(_, visits)| *visits == most).unwrap().0;
        let (is_favourite, opinion) = (ply.step == Step::Move(favourite), ply.opinion.unwrap());
        assert!(!is_favourite || !opinion.exploratory, "the most visited move gives nothing away");
        given_away += usize::from(opinion.exploratory);
        kept += usize::from(!is_favourite && !opinion.exploratory);
    }
    assert!(given_away > 20 && kept > 20, "{given_away} {kept}");
}

#[test]
fn visits_are_of_the_network_that_plays() {
    // One simulation without noise takes the network's most probable move.
    let game = Arc::new(TicTacToe::new());
    let config = config(|play| {
        (play.simulations, play.noise_weight, play.random_share) = (1, 0.0, 0.0);
    });
    let mut evaluator = NetworkEvaluator::new(&game, network(&game, &config));
    let Evaluation { priors, payoff, .. } = evaluator.evaluate_one(&game.initial());
    let most = priors.iter().copied().fold(0.0, f32::max);
    for record in play(&game, &config, 3, 1) {
        let visited = record.plies[0].visits.iter().position(|(_, visits)| *visits == 1).unwrap();
        assert_eq!(priors[visited], most);
        // The search knows what the network thinks after that move, and puts all its trust in it.
        let opinion = record.plies[0].opinion.unwrap();
        let after = evaluator.evaluate_one(&after(game.as_ref(), &game.initial(), record.plies[0].visits[visited].0)).payoff;
        assert_eq!(opinion.best.payoff, after);
        assert!((opinion.surprise + most.ln()).abs() < 1e-6, "{} and {most}", opinion.surprise);
        assert_eq!(opinion.gap, (after.of(Player::First) - payoff.of(Player::First)).abs());
        assert!(!opinion.exploratory && opinion.proven.is_none());
    }
}

/// [`config`] with proofs.
fn solving(change: impl FnOnce(&mut SelfPlayConfig)) -> Config {
    let mut config = config(change);
    config.search.solve = true;
    config
}

/// The payoff of perfect play from `state`.
fn perfect(solver: &mut Exhaustive<TicTacToe>, game: &TicTacToe, state: &<TicTacToe as Game>::State) -> Payoff {
    match game.turn(state) {
        Turn::Over(payoff) => payoff,
        Turn::Move(mover) => Payoff::zero_sum(mover, solver.verdict(state).outcome as i32 as f32 - 1.0),
        Turn::Chance => panic!("no chance acts here"),
    }
}

#[test]
fn games_may_end_with_a_proof_which_is_true_and_has_its_sample() {
    let game = Arc::new(TicTacToe::new());
    let mut solver = Exhaustive::new(&game).unwrap();
    let config = solving(|play| (play.end_proven, play.simulations) = (true, 60));
    let records = play(&game, &config, 60, 1);
    for (threads, lockstep) in [(3, 1), (2, 16)] {
        let again = solving(|play| (play.end_proven, play.simulations, play.lockstep) = (true, 60, lockstep));
        assert_eq!(play(&game, &again, 60, threads), records, "whichever threads play");
    }
    let mut proven = 0;
    for record in &records {
        let found = samples(game.as_ref(), record, &outcomes());
        assert_eq!(found.len(), searched(record).count());
        for sample in &found {
            assert!((sample.policy.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-6);
        }
        let last = found.last().unwrap();
        let end = record.plies.iter().fold(game.initial(), |state, ply| match ply.step {
            Step::Move(action) => after(game.as_ref(), &state, action),
            Step::Chance(_) => panic!("no chance acts here"),
        });
        match record.ending {
            Ending::Over(payoff) => assert_eq!(game.turn(&end), Turn::Over(payoff)),
            Ending::Proven(payoff) => {
                assert!(matches!(game.turn(&end), Turn::Move(_)));
                assert_eq!(payoff, perfect(&mut solver, &game, &last.state), "what was proven");
                assert_eq!(payoff, perfect(&mut solver, &game, &end), "the ply after it keeps that");
                assert_eq!(record.plies.last().unwrap().value(), Some(payoff));
                proven += 1;
            }
            Ending::Unfinished => panic!("every game of tic-tac-toe ends"),
        }
    }
    assert!(proven > 20, "{proven} of 60");
}

#[test]
fn proofs_alone_leave_games_to_the_rules() {
    let (game, config) = (Arc::new(TicTacToe::new()), solving(|play| play.random_share = 0.0));
    for record in play(&game, &config, 20, 2) {
        let end = searched(&record).fold(game.initial(), |state, ply| match ply.step {
            Step::Move(action) => after(game.as_ref(), &state, action),
            Step::Chance(_) => panic!("no chance acts here"),
        });
        assert_eq!(game.turn(&end), Turn::Over(record.ending.payoff().unwrap()));
    }
}

#[test]
fn methods_that_are_off_leave_no_trace_in_what_games_are_a_function_of() {
    let text = |config: &Config| serde_json::to_string(&(&config.search, &config.self_play)).unwrap();
    assert!(!text(&config(|_| ())).contains("solve") && !text(&config(|_| ())).contains("end_proven"));
    let on = text(&solving(|play| play.end_proven = true));
    assert!(on.contains("solve") && on.contains("end_proven"));
}

#[test]
fn the_root_of_self_play_has_the_temperature_and_the_forced_playouts_it_is_given() {
    let game = Arc::new(TicTacToe::new());
    // With priors made even, one simulation without noise takes the first move, or wins.
    let even = config(|play| {
        (play.simulations, play.noise_weight, play.random_share, play.policy_temperature) = (1, 0.0, 0.0, 1e30);
    });
    assert!(play(&game, &even, 3, 1).iter().all(|record| record.plies[0].visits[0].1 == 1));
    let forcing = |lockstep| config(|play| (play.forced_playouts, play.lockstep, play.random_share) = (2.0, lockstep, 0.0));
    let records = play(&game, &forcing(8), 20, 1);
    let total = |ply: &Ply| ply.visits.iter().map(|(_, visits)| visits).sum::<u32>();
    let pruned = records.iter().flat_map(searched).filter(|ply| total(ply) < 24).count();
    assert!(pruned > 20 && records.iter().flat_map(searched).all(|ply| total(ply) > 0), "{pruned}");
    assert_eq!(play(&game, &forcing(1), 20, 3), records, "whichever threads play");
}
