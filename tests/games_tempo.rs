//! Tempo variants: what a game pays, that it is exact, and that estimates lie between the latest win and the latest loss.

mod playouts;

use std::collections::HashMap;
use std::sync::Arc;

use playouts::{mover, playout};
use plyzero::game::{Game, Knowledge, Payoff, Player, Position, Turn, Variant};
use plyzero::games::{ConnectFour, Tempo, TicTacToe};
use plyzero::rng::stream;
use plyzero::search::Budget;
use plyzero::search::maxn::{MaxN, Pruning, Ties};
use plyzero::solver::{Induction, undecided_positions};

fn tic_tac_toe(delta: &str) -> Arc<Tempo<TicTacToe>> {
    let mut variant = Variant::parse(&format!("tic_tac_toe_tempo:delta={delta}")).unwrap();
    Arc::new(Tempo::of(TicTacToe::new(), &mut variant).unwrap())
}

fn connect_four(delta: &str) -> Arc<Tempo<ConnectFour>> {
    let mut variant = Variant::parse(&format!("connect_four_tempo:delta={delta}")).unwrap();
    Arc::new(Tempo::of(ConnectFour::new(), &mut variant).unwrap())
}

const DELTAS: [(&str, f32); 4] = [("1/2", 0.5), ("1/4", 0.25), ("1/8", 0.125), ("1/16", 0.0625)];

/// How a game of these moves ends.
fn ending<G: Game>(game: &Arc<G>, moves: &str) -> Payoff {
    let mut position = Position::initial(game);
    for label in moves.split_whitespace() {
        position.play_text(label).unwrap();
    }
    match position.turn() {
        Turn::Over(payoff) => payoff,
        turn => panic!("{turn:?} after {moves}"),
    }
}

#[test]
fn a_win_pays_less_and_a_loss_costs_less_the_later_it_comes() {
    // Nine plies at most, so T is 16; 42, so T is 64.
    assert_eq!(ending(&tic_tac_toe("1/2"), "a1 b1 a2 b2 a3"), Payoff([1.0 - 5.0 / 32.0, -1.0 + 10.0 / 32.0]));
    assert_eq!(ending(&tic_tac_toe("1/8"), "a1 b1 a2 b2 c1 b3"), Payoff([-1.0 + 12.0 / 128.0, 1.0 - 6.0 / 128.0]));
    assert_eq!(ending(&tic_tac_toe("1/2"), "a1 b2 c3 b1 b3 a3 c1 c2 a2"), Payoff::DRAW);
    assert_eq!(ending(&connect_four("1/16"), "1 2 1 2 1 2 1"), Payoff([1.0 - 7.0 / 1024.0, -1.0 + 14.0 / 1024.0]));
}

/// Checks the ends and estimates of random games, and returns the winners' utilities, the losers', and those of estimates.
fn utilities<G: Knowledge>(game: &Arc<Tempo<G>>, delta: f32) -> [Vec<f32>; 3] {
    let mut found = [const { Vec::new() }; 3];
    let mut pairs = HashMap::new();
    let (lo, hi) = game.facts().sum;
    assert!(lo == 0.0 && hi > delta / 2.0 && hi < delta, "the longest game gains more than half of it");
    let within = |payoff: Payoff| (lo..=hi).contains(&(payoff.of(Player::First) + payoff.of(Player::Second)));
    for state in (0..200).flat_map(|index| playout(game, "tempo", index)) {
        if mover(game.as_ref(), &state).is_some() {
            let estimate = game.heuristic(&state);
            assert!(within(estimate), "{estimate:?}");
            found[2].extend(estimate.0);
        }
        if let Turn::Over(payoff) = game.turn(&state) {
            assert!(within(payoff), "{payoff:?}");
            for player in Player::BOTH {
                let (own, other) = (payoff.of(player), payoff.of(player.other()));
                assert_eq!(*pairs.entry(own.to_bits()).or_insert(other), other, "one utility of a player, one pair");
                if own > other {
                    found[0].push(own);
                    found[1].push(other);
                }
            }
        }
    }
    found
}

fn assert_ordered<G: Knowledge>(game: &Arc<Tempo<G>>, delta: f32) {
    assert!(!game.facts().wdl);
    let [wins, losses, estimates] = utilities(game, delta);
    let least = |values: &[f32]| values.iter().copied().fold(f32::INFINITY, f32::min);
    let most = |values: &[f32]| values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    assert!(wins.len() > 100 && wins.iter().any(|&win| win != wins[0]), "games of different lengths");
    assert!(least(&wins) > most(&estimates) && least(&estimates) > most(&losses), "estimates are never as good as ends");
    assert!(least(&wins) > 0.0 && most(&losses) < 0.0, "a draw lies between");
    assert!(most(&estimates) > 0.0 && least(&estimates) < 0.0, "estimates say something");
}

#[test]
fn ends_and_estimates_are_ordered_and_sum_to_no_more_than_delta() {
    for (name, delta) in DELTAS {
        assert_ordered(&tic_tac_toe(name), delta);
        assert_ordered(&connect_four(name), delta);
    }
}

#[test]
fn products_that_estimates_are_made_of_are_exact() {
    for (name, delta) in DELTAS {
        let game = connect_four(name);
        let latest = f64::from(delta) * 42.0 / 64.0;
        for state in (0..40).flat_map(|index| playout(&game, "exact", index)) {
            let [first, second] = game.heuristic(&state).0.map(f64::from);
            // One side is h (1 - latest), the other -h (1 - 2 latest), for the same h, to the last bit.
            let (ahead, behind) = if first > 0.0 { (first, second) } else { (second, first) };
            assert_eq!(ahead * (1.0 - 2.0 * latest), -behind * (1.0 - latest));
        }
    }
}

#[test]
fn time_is_part_of_a_position() {
    let game = tic_tac_toe("1/4");
    let mut position = Position::initial(&game);
    let planes = |position: &Position<Tempo<TicTacToe>>| {
        let mut planes = vec![f32::NAN; 27];
        game.encode(position.state(), &mut planes);
        planes
    };
    assert_eq!(planes(&position)[18..], [0.0; 9]);
    position.play_text("b2").unwrap();
    assert_eq!(planes(&position)[18..], [1.0 / 9.0; 9]);
    assert_ne!(game.key(position.state()), game.key(&game.initial()));
}

#[test]
fn backward_induction_agrees_with_max_n_in_every_tempo_position_after_three_plies() {
    let game = tic_tac_toe("1/8");
    let mut induction = Induction::new(&game).unwrap();
    let mut maxn = MaxN::new(&game, None, Pruning::Pair, Ties::Drawn).unwrap();
    let positions = undecided_positions(game.as_ref());
    assert_eq!(positions.len(), 4520);
    let late = positions.iter().skip(1 + 9 + 72);
    for state in late.step_by(3) {
        let found = maxn.search(state, &Budget::default(), &mut stream(1, "tempo", 0));
        assert_eq!(found.value, Some(induction.worth(state)), "{}", game.draw(state));
        let Turn::Move(mover) = game.turn(state) else { panic!("somebody is to move") };
        let most = induction.utilities(state).into_iter().map(|(_, utility)| utility).fold(f32::NEG_INFINITY, f32::max);
        assert_eq!(most, induction.worth(state).of(mover));
    }
}
