//! Where games of self-play begin, and moves that are drawn evenly.

mod common;
mod tiny;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::{actions, after};
use plyzero::game::{Action, Game, Payoff, Step, Turn};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::net::{Architecture, Frozen, Network, open_device};
use plyzero::solver::{Class, Exhaustive};
use plyzero::train::{Config, GameRecord, SelfPlay, Starts};
use tiny::config;

/// The games with numbers 0 to `count` of a fresh network.
fn play<G: Game>(game: G, config: &Config, count: u64, starts: &Starts) -> Vec<GameRecord> {
    let (game, device) = (Arc::new(game), open_device("cpu").unwrap());
    let architecture = Architecture::new(game.facts(), &config.network);
    let network = Network::new(&architecture, 1, &device);
    let network = Frozen::new(&network, &architecture, config.self_play.batch, &device);
    let job = SelfPlay { game: &game, config, network: &network, iteration: 0, starts };
    let (mut records, ids) = (Vec::new(), (0..count).collect::<Vec<_>>());
    job.play(&ids, 1, &AtomicBool::new(false), &mut |record| {
        records.push(record);
        Ok(())
    })
    .unwrap();
    records.sort_by_key(|record| record.id);
    records
}

/// The position where the first search of a game began, and the plies before it.
fn start<G: Game>(game: &G, record: &GameRecord) -> (G::State, usize) {
    let random = record.plies.iter().take_while(|ply| ply.opinion.is_none());
    let (mut state, mut plies) = (game.initial(), 0);
    for ply in random {
        let Step::Move(action) = ply.step else { panic!("no chance acts here") };
        state = after(game, &state, action);
        plies += 1;
    }
    (state, plies)
}

/// Whether the one who is to move can win at once.
fn can_win<G: Game>(game: &G, state: &G::State) -> bool {
    let Turn::Move(mover) = game.turn(state) else { return false };
    let ends = |action: Action| matches!(game.turn(&after(game, state, action)), Turn::Over(end) if end == Payoff::win(mover));
    actions(game, state).into_iter().any(ends)
}

#[test]
fn safe_random_plies_let_nobody_win_at_once() {
    let long = ["train.game=connect_four", "self_play.random_share=1.0", "self_play.random_plies=20"];
    let game = ConnectFour::new();
    let starts = |safe: &str| {
        let records = play(ConnectFour::new(), &config(&[&long[..], &[safe]].concat()), 60, &Starts::new());
        records.iter().map(|record| start(&game, record)).collect::<Vec<_>>()
    };
    let (safe, any) = (starts("self_play.random_safe=true"), starts("self_play.random_safe=false"));
    assert!(safe.iter().all(|(state, _)| !can_win(&game, state)));
    assert!(any.iter().filter(|(state, _)| can_win(&game, state)).count() > 5);
    assert!(safe.iter().any(|(_, plies)| *plies > 15), "and yet they can be long");
}

#[test]
fn games_begin_where_they_are_told() {
    let steps = [4, 0, 8].map(|action| Step::Move(Action(action)));
    let starts = Starts::from([(1, steps.to_vec()), (2, vec![steps[0], steps[0]])]);
    let records = play(TicTacToe::new(), &config(&["self_play.random_share=0.0"]), 3, &starts);
    let begun =
        |at: usize| records[at].plies.iter().take_while(|ply| ply.opinion.is_none()).map(|ply| ply.step).collect::<Vec<_>>();
    assert_eq!([begun(0), begun(1)], [vec![], steps.to_vec()]);
    assert_eq!(begun(2), steps[..1], "as far as steps are legal");
}

#[test]
fn explored_moves_are_drawn_evenly_from_those_not_proven_to_lose() {
    let greedy = ["self_play.random_share=0.0", "self_play.temperature=0.0", "self_play.noise_weight=0.0"];
    let firsts = |change: &[&str]| {
        let records = play(TicTacToe::new(), &config(&[&greedy[..], change].concat()), 900, &Starts::new());
        let mut counts = [0; 9];
        for record in records {
            let Step::Move(Action(first)) = record.plies[0].step else { panic!("no chance acts here") };
            counts[usize::from(first)] += 1;
        }
        counts
    };
    assert_eq!(firsts(&[]).into_iter().filter(|&count| count > 0).count(), 1, "nothing is left to chance");
    let always = firsts(&["self_play.exploration=1.0"]);
    assert!(always.iter().all(|count| (60..140).contains(count)), "{always:?}");
    let half = firsts(&["self_play.exploration=0.5"]);
    assert!(half.iter().filter(|count| (25..75).contains(*count)).count() == 8, "{half:?}");
    assert_eq!(firsts(&["self_play.final_exploration=1.0"]), firsts(&[]), "the first move is an early one");

    // With proofs, moves that are known to lose are left alone: so wide a search sees all replies that win at once.
    let solving = ["search.solve=true", "search.c_puct=50.0", "self_play.exploration=1.0", "self_play.simulations=100"];
    let (game, mut solver) = (TicTacToe::new(), Exhaustive::new(&Arc::new(TicTacToe::new())).unwrap());
    for record in play(TicTacToe::new(), &config(&[&solving[..], &["self_play.random_share=0.0"]].concat()), 40, &Starts::new()) {
        let mut state = game.initial();
        for ply in &record.plies {
            let Step::Move(action) = ply.step else { panic!("no chance acts here") };
            let (is_lost, next) = (solver.verdict(&state).outcome == Class::Loss, after(&game, &state, action));
            assert!(is_lost || can_win(&game, &state) || !can_win(&game, &next), "{}", game.draw(&next));
            state = next;
        }
    }
}
