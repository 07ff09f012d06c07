//! How self-play searches its moves: sequential halving with Gumbel draws, shaped noise, fast moves, simulations that grow with the run.

mod common;
mod seasoned;
mod tiny;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::{actions, after};
use plyzero::eval::Evaluator as _;
use plyzero::game::{Action, Game, Step, Turn};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::net::{Frozen, NetworkEvaluator};
use plyzero::rng::stream;
use plyzero::search::mcts::gumbel;
use plyzero::train::{Config, GameRecord, Ply, SelfPlay, Starts, samples};
use rand::{Rng as _, RngExt as _};
use tiny::config;

fn network<G: Game>(game: &Arc<G>, config: &Config) -> Frozen {
    let shape = seasoned::architecture(game.facts(), 4, 1);
    Frozen::new(&seasoned::seasoned(&shape, 5), &shape, config.self_play.batch, &seasoned::cpu())
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
    records
}

/// The games with these changes, which must not depend on who plays them.
fn played<G: Game>(game: &Arc<G>, changes: &[&str], games: u64) -> Vec<GameRecord> {
    let change = [&["self_play.simulations=24"], changes].concat();
    let records = play(game, &config(&change), games, 1);
    for (threads, lockstep) in [(2, "self_play.lockstep=1"), (3, "self_play.lockstep=16")] {
        let other = config(&[&change[..], &[lockstep, "self_play.cache=0"]].concat());
        assert_eq!(play(game, &other, games, threads), records, "{threads} threads, {lockstep}");
    }
    records
}

fn total(ply: &Ply) -> u32 {
    ply.visits.iter().map(|(_, visits)| visits).sum()
}

/// Each position in which a player moved after a search, with the moves that it had, and the ply.
fn searched<'a>(game: &TicTacToe, record: &'a GameRecord) -> Vec<(<TicTacToe as Game>::State, Vec<Action>, Action, &'a Ply)> {
    let (mut state, mut found) = (game.initial(), Vec::new());
    for ply in &record.plies {
        let Step::Move(action) = ply.step else { panic!("no chance acts here") };
        if ply.opinion.is_some() {
            found.push((state, actions(game, &state), action, ply));
        }
        state = after(game, &state, action);
    }
    found
}

/// The first move that wins on the spot.
fn win(game: &TicTacToe, state: &<TicTacToe as Game>::State, legal: &[Action]) -> Option<Action> {
    let Turn::Move(mover) = game.turn(state) else { return None };
    let wins = |action: &&Action| matches!(game.turn(&after(game, state, **action)), Turn::Over(end) if end.of(mover) == 1.0);
    legal.iter().find(wins).copied()
}

fn best(scores: impl Iterator<Item = f32>) -> usize {
    scores.enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best }).unwrap().0
}

/// One move is considered: that of the largest sum of its draw and the logarithm of its prior. The draws are those of the game's
/// stream, fresh for each move.
#[test]
fn gumbel_draws_are_fresh_for_every_move_and_go_by_the_places_of_moves() {
    let game = Arc::new(TicTacToe::new());
    let config = config(&["self_play.gumbel_moves=1", "self_play.simulations=1", "self_play.random_share=0.0"]);
    let mut evaluator = NetworkEvaluator::new(&game, network(&game, &config));
    for record in play(&game, &config, 8, 2) {
        let mut rng = stream(config.train.seed, "selfplay", record.id);
        let _: f32 = rng.random(); // whether the game starts at random
        for (state, legal, action, _) in searched(&game, &record) {
            let _ = rng.next_u64(); // the seed of the tree
            let draws = gumbel(legal.len(), &mut rng);
            let priors = evaluator.evaluate_one(&state).priors;
            let first = best(draws.iter().zip(priors).map(|(draw, prior)| draw + prior.ln()));
            assert_eq!(action, win(&game, &state, &legal).unwrap_or(legal[first]));
        }
    }
}

#[test]
fn games_by_sequential_halving_hold_improved_policies() {
    let (small, large) = (Arc::new(TicTacToe::new()), Arc::new(ConnectFour::new()));
    let halving = ["self_play.gumbel_moves=4", "search.solve=true", "self_play.end_proven=true", "self_play.random_share=0.0"];
    let records = played(&small, &halving, 20);
    played(&large, &[&halving[..], &["train.game=connect_four"]].concat(), 6);
    let plies: Vec<&Ply> = records.iter().flat_map(|record| &record.plies).filter(|ply| ply.opinion.is_some()).collect();
    // In whole parts of 65536, or the moves that make a proven position what it is.
    assert!(plies.iter().all(|ply| total(ply).abs_diff(65536) < 9 || ply.visits.iter().all(|(_, weight)| *weight <= 1)));
    for ply in &plies {
        let chosen = ply.visits.iter().find(|(action, _)| ply.step == Step::Move(*action)).unwrap();
        assert!(chosen.1 > 0 || ply.opinion.unwrap().proven.is_none(), "no proven loss is played where something else is left");
    }
    // Moves that were not considered are learned of too, and draws make games different.
    let seen = plies.iter().filter(|ply| ply.visits.len() > 4 && ply.visits.iter().filter(|(_, weight)| *weight > 0).count() > 4);
    assert!(seen.count() > 10);
    assert!(records.iter().any(|record| record.plies != records[0].plies));
    let taught = samples(small.as_ref(), &records[0], &config(&[]).replay);
    assert!(taught.iter().all(|sample| (sample.policy.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-6));
    // Noise and its weight are of no account.
    assert_eq!(
        played(&small, &[&halving[..], &["self_play.noise_weight=1.0", "self_play.noise_alpha=9.0"]].concat(), 20),
        records
    );
}

#[test]
fn shaped_noise_is_drawn_from_the_stream_of_the_game() {
    let game = Arc::new(TicTacToe::new());
    // Sharpened, some priors are below 0.01, which is where they begin to have a shape.
    let noisy = ["self_play.noise_weight=0.9", "self_play.noise_alpha=0.3", "self_play.policy_temperature=0.1"];
    let shaped = |shape| played(&game, &[&noisy[..], &[shape]].concat(), 12);
    let [even, half, all] = ["self_play.noise_shape=0.0", "self_play.noise_shape=0.5", "self_play.noise_shape=1.0"].map(shaped);
    assert!(even != half);
    assert!(half != all);
}

#[test]
fn fast_moves_are_searched_little_and_without_noise_and_teach_no_policy() {
    let game = Arc::new(TicTacToe::new());
    let changes = [
        "self_play.fast_share=0.6",
        "self_play.fast_simulations=1",
        "self_play.noise_weight=1.0",
        "self_play.forced_playouts=2.0",
    ];
    let records = played(&game, &changes, 40);
    let config = config(&changes);
    let mut evaluator = NetworkEvaluator::new(&game, network(&game, &config));
    let (mut fast, mut full) = (0, 0);
    for record in &records {
        let plies = searched(&game, record);
        let taught = samples(game.as_ref(), record, &config.replay);
        assert_eq!(taught.len(), plies.iter().filter(|(_, _, _, ply)| !ply.visits.is_empty()).count());
        for (state, legal, action, ply) in plies {
            if !ply.visits.is_empty() {
                full += 1;
                continue;
            }
            fast += 1;
            // One simulation without noise takes the network's most probable move, and its value stays.
            let priors = evaluator.evaluate_one(&state).priors;
            assert_eq!(action, win(&game, &state, &legal).unwrap_or(legal[best(priors.into_iter())]));
            assert!(ply.value().is_some());
        }
    }
    let share = f64::from(fast) / f64::from(fast + full);
    assert!((0.5..0.7).contains(&share), "{fast} of {}", fast + full);
    // Beside sequential halving the draws stay, so that games differ.
    let halved = played(&game, &[&changes[..2], &["self_play.gumbel_moves=4"]].concat(), 20);
    assert!(halved.iter().flat_map(|record| &record.plies).any(|ply| ply.visits.is_empty() && ply.opinion.is_some()));
    assert!(halved.iter().any(|record| record.plies != halved[0].plies));
}

#[test]
fn simulations_rise_linearly_to_the_full_number() {
    let growing = config(&["self_play.simulations=50", "self_play.first_simulations=10", "self_play.full_simulations_at=0.8"]);
    for (progress, expected) in [(0.0, 10), (0.01, 11), (0.4, 30), (0.41, 31), (0.799, 50), (0.8, 50), (1.0, 50)] {
        assert_eq!(growing.self_play.at(progress).simulations, expected, "{progress}");
        // What is in force is no longer a function of progress.
        assert_eq!(growing.self_play.at(progress).at(0.0), growing.self_play.at(progress));
    }
    assert_eq!(config(&["self_play.simulations=50"]).self_play.at(0.1).simulations, 50);
    let fast = config(&["self_play.first_simulations=2", "self_play.fast_share=0.5", "self_play.fast_simulations=5"]).self_play;
    assert_eq!([0.0, 1.0].map(|progress| fast.at(progress).fast_simulations), [2, 5], "a fast move is no slower than others");
}

#[test]
fn methods_that_are_off_are_no_part_of_what_games_are_a_function_of() {
    let keys = |changes: &[&str]| serde_json::to_value(config(changes).self_play.at(0.3)).unwrap().as_object().unwrap().len();
    assert_eq!(keys(&[]), 13, "as many as there are without methods");
    for (change, more) in [
        ("self_play.noise_shape=0.5", 1),
        ("self_play.gumbel_moves=4", 3),
        ("self_play.gumbel_value_scale=0.5", 0),
        ("self_play.fast_simulations=3", 0),
        ("self_play.fast_share=0.5", 2),
        // The number that is in force is all that counts.
        ("self_play.first_simulations=3", 0),
        ("self_play.full_simulations_at=0.9", 0),
    ] {
        assert_eq!(keys(&["self_play.fast_simulations=2", change]), 13 + more, "{change}");
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (changes, key) in [
        (&["self_play.noise_shape=1.5"][..], "noise_shape"),
        (&["self_play.gumbel_visit_scale=-1.0"], "gumbel_visit_scale"),
        (&["self_play.gumbel_value_scale=inf"], "gumbel_value_scale"),
        (&["self_play.gumbel_moves=4", "self_play.noise_shape=0.5"], "noise_shape"),
        (&["self_play.gumbel_moves=4", "self_play.policy_temperature=1.1"], "policy_temperature"),
        (&["self_play.gumbel_moves=4", "self_play.forced_playouts=2.0"], "forced_playouts"),
        (&["self_play.fast_share=1.0"], "fast_share"),
        (&["self_play.fast_share=nan"], "fast_share"),
        (&["self_play.fast_share=0.5", "self_play.fast_simulations=0"], "fast_simulations"),
        (&["self_play.fast_share=0.5", "self_play.fast_simulations=9"], "fast_simulations"),
        (&["self_play.first_simulations=9"], "first_simulations"),
        (&["self_play.full_simulations_at=0.0"], "full_simulations_at"),
        (&["self_play.full_simulations_at=1.5"], "full_simulations_at"),
    ] {
        let error = config(changes).validate(TicTacToe::new().facts()).unwrap_err().to_string();
        assert!(error.contains(&format!("self_play.{key} must be")), "{changes:?}: {error}");
    }
    let together =
        ["self_play.gumbel_moves=4", "self_play.fast_share=0.5", "self_play.fast_simulations=4", "self_play.first_simulations=2"];
    config(&together).validate(TicTacToe::new().facts()).unwrap();
}
