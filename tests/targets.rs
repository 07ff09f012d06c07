//! What games teach: value targets, weights and limits of samples, each on a game small enough to work out by hand; and duplicates in the
//! window.

mod tiny;

use std::sync::Arc;

use plyzero::eval::Forecast;
use plyzero::game::{Action, Game as _, Payoff, Player, Step};
use plyzero::games::TicTacToe;
use plyzero::rng::stream;
use plyzero::train::{Ending, GameRecord, Opinion, Ply, Replay, ReplayConfig, Sample, samples};

fn targets(change: impl FnOnce(&mut ReplayConfig)) -> ReplayConfig {
    let mut config = tiny::config(&[]).replay;
    change(&mut config);
    config
}

/// A first player's expectation.
fn of(utility: f32, draw: f32) -> Forecast {
    Forecast { payoff: Payoff::zero_sum(Player::First, utility), draw }
}

/// A ply of a search that gave `value` to its position and `best` to its best move; all visits went to the move that was played.
fn ply(action: u16, value: Forecast, best: Forecast) -> Ply {
    let opinion = Opinion { value, best, surprise: 0.0, gap: 0.0, proven: None, exploratory: false };
    Ply { step: Step::Move(Action(action)), visits: vec![(Action(action), 4)], opinion: Some(opinion) }
}

/// X takes the upper row while O takes squares of the middle one, and wins after five plies.
fn game() -> GameRecord {
    let plies = vec![
        ply(0, of(0.0, 0.5), of(0.125, 0.5)),
        ply(3, of(0.25, 0.25), of(0.25, 0.75)),
        ply(1, of(0.5, 0.25), of(0.75, 0.25)),
        ply(4, of(0.5, 0.0), of(0.5, 0.5)),
        ply(2, of(1.0, 0.0), of(1.0, 0.0)),
    ];
    GameRecord { id: 0, network: 0, plies, ending: Ending::Over(Payoff::win(Player::First)) }
}

fn taught(record: &GameRecord, config: &ReplayConfig) -> Vec<Sample<<TicTacToe as plyzero::game::Game>::State>> {
    samples(&TicTacToe::new(), record, config)
}

/// What the samples expect for the first player.
fn expected(record: &GameRecord, config: &ReplayConfig) -> Vec<f32> {
    taught(record, config).iter().map(|sample| sample.payoff.of(Player::First)).collect()
}

#[test]
fn lambda_mixes_what_each_next_search_thought_of_its_best_move_with_what_came_after() {
    assert_eq!(expected(&game(), &targets(|_| ())), [1.0; 5], "the end alone");
    let none = targets(|config| config.lambda = 0.0);
    assert_eq!(expected(&game(), &none), [0.25, 0.75, 0.5, 1.0, 1.0], "the next search alone");
    // From the end: 1; (1 + 1) / 2; (0.5 + 1) / 2; (0.75 + 0.75) / 2; (0.25 + 0.75) / 2.
    let half = targets(|config| config.lambda = 0.5);
    assert_eq!(expected(&game(), &half), [0.5, 0.75, 0.75, 1.0, 1.0]);
    let soft = targets(|config| (config.lambda, config.search_value) = (0.5, 0.5));
    assert_eq!(expected(&game(), &soft), [0.25, 0.5, 0.625, 0.75, 1.0], "half of it the search's own value");
}

#[test]
fn what_follows_a_ply_that_gave_something_away_counts_no_more_once_traces_are_cut() {
    let mut record = game();
    record.plies[2].opinion.as_mut().unwrap().exploratory = true;
    assert_eq!(expected(&record, &targets(|_| ())), [1.0; 5]);
    let cut = targets(|config| config.cut_exploratory = true);
    assert_eq!(expected(&record, &cut), [0.75, 0.75, 0.75, 1.0, 1.0], "before it, what its search thought of its best move");
}

#[test]
fn draws_are_told_where_that_is_asked_for() {
    let silent = taught(&game(), &targets(|_| ()));
    assert!(silent.iter().all(|sample| sample.draw.is_none()));
    let told = taught(&game(), &targets(|config| (config.tell_draws, config.lambda) = (true, 0.5)));
    // From the end: 0; (0 + 0) / 2; (0.5 + 0) / 2; (0.25 + 0.25) / 2; (0.75 + 0.25) / 2.
    assert_eq!(told.iter().map(|sample| sample.draw.unwrap()).collect::<Vec<_>>(), [0.5, 0.25, 0.25, 0.0, 0.0]);
    let mut drawn = game();
    drawn.ending = Ending::Over(Payoff::DRAW);
    let draws: Vec<_> = taught(&drawn, &targets(|config| config.tell_draws = true)).iter().map(|sample| sample.draw).collect();
    assert_eq!(draws, [Some(1.0); 5]);
}

#[test]
fn half_the_weight_of_a_game_goes_by_surprise() {
    let mut record = game();
    for (ply, surprise) in record.plies.iter_mut().zip([0.0, 0.5, 0.0, 1.0, 0.5]) {
        ply.opinion.as_mut().unwrap().surprise = surprise;
    }
    let weights = |share| {
        let config = targets(|config| config.surprise = share);
        taught(&record, &config).iter().map(|sample| sample.weight).collect::<Vec<_>>()
    };
    assert_eq!(weights(0.0), [1.0; 5]);
    // Of five positions one had half of all surprise: half of five, and the even half of one.
    assert_eq!(weights(0.5), [0.5, 1.125, 0.5, 1.75, 1.125]);
    let even = targets(|config| config.surprise = 0.5);
    assert!(taught(&game(), &even).iter().all(|sample| sample.weight == 1.0), "nothing surprised");
}

#[test]
fn the_first_proven_positions_of_a_game_are_learned_from() {
    let mut record = game();
    for (at, plies) in [(2, 3), (3, 2), (4, 1)] {
        record.plies[at].opinion.as_mut().unwrap().proven = Some(plies);
    }
    let learned = |most| taught(&record, &targets(|config| config.proven_positions = most)).len();
    assert_eq!([0, 1, 2, 3].map(learned), [5, 3, 4, 5]);
}

#[test]
fn samples_know_how_long_the_game_lasted_and_what_the_other_player_answered() {
    let left = |record: &GameRecord| taught(record, &targets(|_| ())).iter().map(|sample| sample.plies_left).collect::<Vec<_>>();
    assert_eq!(left(&game()), [5, 4, 3, 2, 1].map(Some));
    let mut proven = game();
    // Ended by a proof of three plies before the fourth, one of which was played.
    proven.plies.truncate(4);
    proven.plies[3].opinion.as_mut().unwrap().proven = Some(3);
    proven.ending = Ending::Proven(Payoff::win(Player::First));
    assert_eq!(left(&proven), [6, 5, 4, 3].map(Some));
    proven.ending = Ending::Unfinished;
    assert_eq!(left(&proven), [None; 4]);

    let found = taught(&game(), &targets(|_| ()));
    for pair in found.windows(2) {
        assert_eq!(pair[0].reply, Some(Arc::clone(&pair[1].policy)));
    }
    assert_eq!(found[4].reply, None, "the game is over");
    let mut silent = game();
    silent.plies[3].visits.clear();
    let found = taught(&silent, &targets(|_| ()));
    assert_eq!((found.len(), &found[2].reply), (4, &None), "a search that teaches no policy is no reply either");
    assert_eq!(found[3].payoff, Payoff::win(Player::First));
}

#[test]
fn equal_positions_share_the_mean_of_their_targets_and_weigh_as_the_root_of_their_number() {
    let game = TicTacToe::new();
    let mut after = game.initial();
    game.play(&mut after, Action(4));
    let sample = |state, first: f32, payoff| Sample::new(state, [(Action(0), first), (Action(1), 1.0 - first)], payoff);
    let (win, loss) = (Payoff::win(Player::First), Payoff::win(Player::Second));
    let all = [
        sample(game.initial(), 1.0, win),
        sample(after, 0.5, loss),
        sample(game.initial(), 0.5, loss),
        sample(game.initial(), 0.0, win),
        sample(game.initial(), 0.5, win),
    ];
    let mut replay = Replay::new(&targets(|config| (config.window, config.average_duplicates) = (5, true)));
    replay.extend(all.clone());
    for round in 0..2 {
        let mut deck = replay.deck();
        for (at, found) in replay.samples().enumerate() {
            let expected =
                if at == 1 { all[1].clone() } else { Sample { weight: 0.5, ..sample(game.initial(), 0.5, Payoff([0.5, -0.5])) } };
            assert_eq!(*found, expected, "round {round}, place {at}");
        }
        let drawn = replay.draw(&mut deck, 3000, &mut stream(1, "test", round)).is_none();
        assert!(drawn, "five positions have not as many uses");
    }
    // One falls out; the others are averaged afresh.
    replay.extend([sample(game.initial(), 0.5, loss)]);
    let _ = replay.deck();
    assert!(replay.samples().filter(|sample| sample.state == game.initial()).all(|sample| sample.payoff == Payoff::DRAW));
    let mut apart = Replay::new(&targets(|config| config.window = 5));
    apart.extend(all.clone());
    let _ = apart.deck();
    assert!(apart.samples().eq(&all));
}

#[test]
fn a_window_may_hold_a_share_of_all_that_was_played() {
    let growing = targets(|config| (config.window, config.window_share, config.least_window) = (1000, 0.25, 100));
    assert_eq!(
        [0, 399, 400, 2000, 4000, 1 << 40].map(|positions| growing.window_after(positions)),
        [100, 100, 100, 500, 1000, 1000]
    );
    assert_eq!([0, 1 << 40].map(|positions| targets(|config| config.window = 7).window_after(positions)), [7, 7]);
}
