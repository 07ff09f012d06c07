//! The conformance suite: every game of the registry passes it, and it catches each fault it is there for. A sound game
//! has one part replaced at a time; the properties that must notice are named.

mod drops;
mod mutant;
mod nim;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use drops::Drops;
use mutant::{Lots, Mutant};
use nim::Nim;
use plyzero::game::conformance::{Report, check};
use plyzero::game::{Action, Entry, Facts, Game, Games, Outcome, Payoff, Player, Position, Symmetry, Turn, Visit};
use plyzero::games::{TicTacToe, registry};

/// Random games that each property is tried on.
const GAMES: u64 = 60;

#[test]
fn every_registered_game_is_sound() {
    struct Check;
    impl Visit for Check {
        type Output = Report;
        fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Report {
            check(entry, GAMES, 1)
        }
    }
    let mut reports = Vec::new();
    registry().each(&mut Check, &mut reports);
    assert_eq!(reports.iter().map(|report| report.game.clone()).collect::<Vec<_>>(), registry().ids());
    for report in reports {
        assert!(report.is_sound(), "{report}");
        assert!(report.positions as u64 > 5 * GAMES);
    }
}

#[test]
fn variants_are_sound_and_called_as_they_are_asked_for() {
    struct Check;
    impl Visit for Check {
        type Output = Report;
        fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Report {
            check(entry, GAMES / 6, 1)
        }
    }
    let variants = [
        "tic_tac_toe_tempo:delta=1/2",
        "tic_tac_toe_tempo:delta=1/16",
        "connect_four_tempo:delta=1/4",
        "hex:size=2",
        "hex:size=2,swap=true",
        "hex:size=3,swap=true",
        "hex:size=6,swap=true",
        "hex:size=11",
        "hex:swap=true",
        "einstein:setup=random",
        "einstein:stones=1",
        "einstein:size=3",
        "einstein:size=3,setup=random",
        "einstein:size=3,stones=1",
        "einstein:size=4,stones=3,setup=random",
        "einstein:size=9",
    ];
    for name in variants {
        let report = registry().dispatch(name, &mut Check).unwrap();
        assert!(report.is_sound(), "{report}");
        assert_eq!(report.game, name);
        assert_eq!(registry().canonical(name).as_deref(), Ok(name));
    }
}

#[test]
fn every_game_is_found_by_its_name_and_no_other() {
    struct Id;
    impl Visit for Id {
        type Output = String;
        fn visit<G: Game>(&mut self, entry: &Entry<G>) -> String {
            entry.game.facts().id.clone()
        }
    }
    let ids = registry().ids();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
    for id in &ids {
        assert_eq!(registry().dispatch(id, &mut Id), Ok(id.clone()));
    }
    let error = registry().dispatch("tictactoe", &mut Id).unwrap_err().to_string();
    assert!(error.contains("did you mean tic_tac_toe?") && ids.iter().all(|id| error.contains(id.as_str())), "{error}");
}

#[test]
fn games_that_leave_methods_to_the_trait_are_sound() {
    let report = check(&Entry::new(Nim::new(), "the last match wins"), GAMES, 1);
    assert!(report.is_sound(), "{report}");
    let report = check(&Entry::new(Drops::new(), "stones and chance"), GAMES, 1);
    assert!(report.is_sound(), "{report}");
}

type Board = <TicTacToe as Game>::State;

/// Tic-tac-toe with parts replaced.
type Fake = Mutant<TicTacToe>;

/// Tic-tac-toe before anything is replaced.
fn sound() -> Fake {
    Fake::of(TicTacToe::new())
}

/// Tic-tac-toe that names no symmetries, so that a fault shows where it is and not in them too.
fn plain() -> Fake {
    Fake { symmetries: vec![Symmetry::IDENTITY], ..sound() }
}

/// The legal moves of `state`.
fn actions(game: &TicTacToe, state: &Board) -> Vec<Action> {
    let mut actions = Vec::new();
    game.actions(state, &mut actions);
    actions
}

/// The properties that a game breaks.
fn broken<G: Game>(game: Mutant<G>) -> Vec<&'static str> {
    let report = check(&game.entry(), GAMES, 1);
    report.violated().map(|property| property.name).collect()
}

#[test]
fn nothing_is_broken_before_anything_is_replaced() {
    assert_eq!(broken(sound()), [""; 0]);
    assert_eq!(broken(plain()), [""; 0]);
    assert_eq!(broken(Mutant::of(Drops::new())), [""; 0]);
}

/// The properties that tic-tac-toe breaks when other facts are claimed of it.
fn claiming(change: impl Fn(&mut Facts)) -> Vec<&'static str> {
    let mut game = plain();
    change(&mut game.facts);
    broken(game)
}

#[test]
fn facts_that_make_no_sense_are_caught() {
    assert_eq!(claiming(|facts| facts.id = "Tic Tac Toe".into()), ["facts"]);
    assert_eq!(claiming(|facts| facts.id = "".into()), ["facts"]);
    assert_eq!(claiming(|facts| facts.sum = (1.0, -1.0)), ["facts", "payoffs"]);
    assert_eq!(claiming(|facts| facts.actions = 8), ["moves"], "a move beyond the policy head");
    assert_eq!(claiming(|facts| facts.actions = 0), ["facts", "moves"]);
    assert_eq!(claiming(|facts| facts.max_plies = 8), ["endings"], "longer than it says");
    assert_eq!(claiming(|facts| facts.max_plies = 0), ["facts", "endings"]);
}

/// The properties that tic-tac-toe breaks when its ends are worth something else.
fn paying(turn: fn(&TicTacToe, &Board) -> Turn) -> Vec<&'static str> {
    broken(Fake { turn, ..sound() })
}

/// `turn`, with other utilities where the game is over.
fn worth(turn: Turn, utility: fn(f32) -> f32) -> Turn {
    match turn {
        Turn::Over(payoff) => Turn::Over(Payoff(payoff.0.map(utility))),
        other => other,
    }
}

#[test]
fn payoffs_that_the_facts_deny_are_caught() {
    assert_eq!(paying(|game, state| worth(game.turn(state), |_| 1.0)), ["payoffs"], "their sum");
    assert_eq!(paying(|game, state| worth(game.turn(state), |utility| 2.0 * utility)), ["payoffs"], "their range");
    assert_eq!(paying(|game, state| worth(game.turn(state), |utility| utility / 2.0)), ["payoffs"], "their kind");
    assert_eq!(paying(|game, state| worth(game.turn(state), |_| f32::NAN)), ["payoffs", "repetition", "symmetric play"]);
    let mut thirds = Fake { turn: |game, state| worth(game.turn(state), |utility| utility / 3.0), ..sound() };
    thirds.facts.wdl = false;
    assert_eq!(broken(thirds), ["payoffs"], "no sum of powers of two");
}

/// Tic-tac-toe whose last position repeats for ever.
fn endless() -> Fake {
    Fake {
        turn: |game, state| if let Turn::Over(_) = game.turn(state) { Turn::Move(Player::First) } else { game.turn(state) },
        actions: |game, state, out| {
            if let Turn::Over(_) = game.turn(state) { out.push(Action(0)) } else { game.actions(state, out) }
        },
        play: |game, state, action| {
            if let Turn::Move(_) = game.turn(state) {
                game.play(state, action)
            }
        },
        ..plain()
    }
}

#[test]
fn games_that_do_not_end_are_caught() {
    assert_eq!(broken(endless()), ["endings", "labels", "nonsense"], "labels are still read as the sound game has them");
    let mut boundless = endless();
    boundless.facts.max_plies = usize::MAX;
    let report = check(&boundless.entry(), 2, 1);
    assert_eq!(report.violated().next().unwrap().violations[0].problem, "no game was played to its end");
    let stuck = Fake {
        turn: |game, state| if let Turn::Over(_) = game.turn(state) { Turn::Move(Player::First) } else { game.turn(state) },
        ..plain()
    };
    assert_eq!(broken(stuck), ["endings", "moves"]);
}

#[test]
fn moves_that_are_listed_wrongly_are_caught() {
    let listing = |actions| broken(Fake { actions, ..plain() });
    assert_eq!(
        listing(|game, state, out| out.extend(actions(game, state).into_iter().chain(actions(game, state)))),
        ["moves", "labels", "nonsense"]
    );
    let beyond_the_end: fn(&TicTacToe, &Board, &mut Vec<Action>) = |game, state, out| match game.turn(state) {
        Turn::Over(_) => out.push(Action(0)),
        _ => game.actions(state, out),
    };
    let harmless = |game: &TicTacToe, state: &mut Board, action| {
        if let Turn::Move(_) = game.turn(state) {
            game.play(state, action)
        }
    };
    assert_eq!(broken(Fake { actions: beyond_the_end, play: harmless, ..plain() }), ["moves", "labels", "nonsense"]);
    let replaced = listing(|game, state, out| {
        out.clear();
        game.actions(state, out);
    });
    assert_eq!(replaced, ["lists"]);
    let backwards_at_last = listing(|game, state, out| {
        let before = out.len();
        game.actions(state, out);
        if before > 0 {
            out[before..].reverse();
        }
    });
    assert_eq!(backwards_at_last, ["lists"], "the order depends on what is there");
}

#[test]
fn rules_that_change_their_mind_are_caught() {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let drawing =
        Fake { draw: |game, state| format!("{}{}\n", game.draw(state), ASKED.fetch_add(1, Ordering::Relaxed)), ..sound() };
    assert_eq!(broken(drawing), ["repetition"]);
    static MADE: AtomicU64 = AtomicU64::new(0);
    let playing = Fake {
        play: |game, state, action| {
            let legal = actions(game, state);
            let other = legal[MADE.fetch_add(1, Ordering::Relaxed) as usize % legal.len()];
            game.play(state, if legal.len() > 2 { other } else { action });
        },
        ..plain()
    };
    assert!(broken(playing).contains(&"repetition"));
}

type Row = <Drops as Game>::State;

/// The properties that a game with chance breaks when its outcomes are listed so.
fn drawing_lots(outcomes: fn(&Drops, &Row, &mut Lots)) -> Vec<&'static str> {
    broken(Mutant { outcomes, ..Mutant::of(Drops::new()) })
}

/// The outcomes of `row`, with a probability moved from the last to the first.
fn skewed(game: &Drops, row: &Row, by: f32) -> Lots {
    let mut outcomes = Vec::new();
    game.outcomes(row, &mut outcomes);
    if let [first, .., last] = outcomes.as_mut_slice() {
        (first.1, last.1) = (first.1 + by, last.1 - by);
    }
    outcomes
}

#[test]
fn chance_that_is_none_is_caught() {
    let short =
        drawing_lots(|game, row, out| out.extend(skewed(game, row, 0.0).into_iter().map(|(lot, likely)| (lot, 0.9 * likely))));
    assert_eq!(short, ["chance"], "probabilities must sum to 1");
    let impossible = drawing_lots(|game, row, out| out.extend(skewed(game, row, 1.0 / 3.0)));
    assert_eq!(impossible, ["chance", "symmetric play"], "none may be 0");
    let twice = drawing_lots(|game, row, out| {
        let half: Vec<_> = skewed(game, row, 0.0).into_iter().map(|(lot, likely)| (lot, likely / 2.0)).collect();
        out.extend([half.clone(), half].concat());
    });
    assert_eq!(twice, ["chance"]);
    assert_eq!(drawing_lots(|_, _, _| ()), ["endings", "chance"]);
    let always = drawing_lots(|game, row, out| match game.turn(row) {
        Turn::Chance => game.outcomes(row, out),
        _ => out.push((Outcome(0), 1.0)),
    });
    assert_eq!(always, ["chance", "symmetric play"], "lots are drawn where chance does not act");
    let mut denied = Mutant::of(Drops::new());
    denied.facts.chance = false;
    assert_eq!(broken(denied), ["chance"]);
    let lopsided = drawing_lots(|game, row, out| out.extend(skewed(game, row, 0.125)));
    assert_eq!(lopsided, ["symmetric play"], "an image must be as likely");
}

#[test]
fn keys_that_tell_nothing_or_too_much_are_caught() {
    assert_eq!(broken(Fake { key: |_, _| 7, ..sound() }), ["keys"]);
    static ASKED: AtomicU64 = AtomicU64::new(0);
    assert_eq!(broken(Fake { key: |_, _| ASKED.fetch_add(1, Ordering::Relaxed), ..sound() }), ["keys", "inverses"]);
}

/// The properties that tic-tac-toe breaks when a network sees it so.
fn seen(encode: fn(&TicTacToe, &Board, &mut [f32])) -> Vec<&'static str> {
    broken(Fake { encode, ..sound() })
}

#[test]
fn encodings_that_mislead_are_caught() {
    let sticky = seen(|game, state, planes| {
        let before = planes[0];
        game.encode(state, planes);
        if before == 7.0 {
            planes[0] = before;
        }
    });
    assert_eq!(sticky, ["encodings"], "it depends on what was in the buffer");
    assert_eq!(
        seen(|game, state, planes| {
            game.encode(state, planes);
            planes.iter_mut().for_each(|value| *value /= *value);
        }),
        ["encodings", "inverses"],
        "0 / 0 is no number"
    );
    let mut unwritten = Fake { encode: |game, state, planes| game.encode(state, &mut planes[..18]), ..sound() };
    unwritten.facts.planes = [3, 3, 3];
    assert_eq!(broken(unwritten), ["encodings"], "a plane is left as it was");
    assert_eq!(seen(|_, _, planes| planes.fill(0.0)), ["telling encodings"]);
    assert_eq!(
        seen(|game, state, planes| {
            game.encode(state, planes);
            planes[9..].fill(0.0);
        }),
        ["telling encodings"]
    );
}

/// Symmetry number `index` of tic-tac-toe, called number `place`.
fn square(place: usize, index: usize) -> Symmetry {
    let mut symmetry = TicTacToe::new().symmetries()[index].clone();
    symmetry.index = place;
    symmetry
}

/// The properties that tic-tac-toe breaks with these symmetries.
fn mirrored(symmetries: Vec<Symmetry>) -> Vec<&'static str> {
    broken(Fake { symmetries, ..sound() })
}

#[test]
fn symmetries_that_are_none_are_caught() {
    assert_eq!(mirrored(vec![]), ["symmetries", "identity"]);
    assert_eq!(mirrored(vec![square(0, 1), square(1, 0)]), ["symmetries", "identity"], "the identity comes first");
    assert_eq!(mirrored(vec![square(0, 0), square(7, 1)]), ["symmetries"], "a wrong number");
    assert_eq!(mirrored(vec![square(0, 0), square(1, 1), square(2, 1)]), ["symmetries"], "one twice");
    assert_eq!(mirrored(vec![square(0, 0), square(1, 5)]), ["inverses"], "a rotation without the rotation back");
    assert_eq!(mirrored(vec![square(0, 0), Symmetry::new(1, 9, |_| 0)]), ["symmetries", "symmetric play", "inverses"]);
    let short = mirrored(vec![square(0, 0), Symmetry::new(1, 4, |action| action)]);
    assert!(short.contains(&"symmetries"), "a map that is too short panics, and that is told");
    // The rows of the board are mirrored, but the moves by columns: what a network would be taught is wrong.
    let by_board: fn(&TicTacToe, &Board, &Symmetry) -> Board =
        |game, state, by| game.transform(state, &game.symmetries()[by.index]);
    let crossed = vec![square(0, 0), square(1, 2), square(2, 1)];
    assert_eq!(broken(Fake { transform: by_board, symmetries: crossed, ..sound() }), ["symmetric play"]);
    let still: fn(&TicTacToe, &Board, &Symmetry) -> Board = |_, state, _| *state;
    assert_eq!(broken(Fake { transform: still, ..sound() }), ["symmetric play"], "the moves are mirrored, but not the board");
    let cleared: fn(&TicTacToe, &Board, &Symmetry) -> Board = |game, _, _| game.initial();
    assert!(broken(Fake { transform: cleared, ..sound() }).contains(&"identity"));
}

#[test]
fn labels_and_boards_that_cannot_be_read_are_caught() {
    let labelled = |label| broken(Fake { label, ..sound() });
    assert_eq!(labelled(|game, state, action| game.label(state, action) + "x"), ["labels", "nonsense"], "it does not parse back");
    assert_eq!(labelled(|_, _, _| "here".to_owned()), ["labels", "nonsense"], "all are called alike");
    assert_eq!(labelled(|_, _, _| String::new()), ["labels", "nonsense"]);
    assert_eq!(labelled(|game, state, action| game.label(state, action).replace('1', " 1")), ["labels", "nonsense"]);
    assert_eq!(labelled(|game, state, action| game.label(state, action).replace('1', ",1")), ["labels", "nonsense"]);
    let deaf_to_case = Fake {
        parse: |game, state, text| {
            if text.contains(char::is_uppercase) { game.parse(state, "nothing") } else { game.parse(state, text) }
        },
        ..sound()
    };
    assert_eq!(broken(deaf_to_case), ["labels"]);
    let credulous = Fake {
        parse: |game, state, text| game.parse(state, text).or_else(|error| actions(game, state).first().copied().ok_or(error)),
        ..sound()
    };
    assert_eq!(broken(credulous), ["nonsense"]);
    assert_eq!(broken(Fake { draw: |game, state| game.draw(state).trim_end().to_owned(), ..sound() }), ["drawing"]);
    assert_eq!(broken(Fake { draw: |_, _| "\n".to_owned(), ..sound() }), ["drawing"]);
}

#[test]
fn heuristics_that_mislead_are_caught() {
    let judging = |heuristic| broken(Fake { heuristic, ..sound() });
    assert_eq!(judging(|_, _| Payoff::win(Player::First)), ["heuristics"], "an estimate is no result");
    assert_eq!(judging(|_, _| Payoff([f32::NAN; 2])), ["heuristics"]);
    assert_eq!(judging(|_, _| Payoff([0.5, 0.5])), ["heuristics"], "it must sum to 0 where payoffs do");
    assert_eq!(
        judging(|game, state| Payoff::zero_sum(Player::First, if prefers_a_corner(game, state) { 0.5 } else { 0.0 })),
        ["heuristics"]
    );
    assert_eq!(broken(Fake { is_threatened: prefers_a_corner, ..sound() }), ["heuristics"]);
    assert_eq!(broken(Fake { ordering: |_, _, action| i32::from(action.0), ..sound() }), ["heuristics"]);
}

/// Something that is true of one corner and not of the others.
fn prefers_a_corner(game: &TicTacToe, state: &Board) -> bool {
    actions(game, state).contains(&Action(0))
}

#[test]
fn panics_are_violations_and_end_nothing() {
    let fragile = Fake {
        play: |game, state, action| {
            assert!(actions(game, state).len() != 5, "five are too many");
            game.play(state, action);
        },
        ..plain()
    };
    let report = check(&fragile.entry(), GAMES, 1);
    let endings = report.violated().find(|property| property.name == "endings").unwrap();
    assert_eq!(endings.violations[0].problem, "the game panicked: five are too many");
    assert!(endings.violations[0].position.as_ref().unwrap().contains("3  "), "with the board before it");
    let mute = Fake { label: |_, _, _| panic!("no name"), draw: |_, _| panic!("no board"), ..plain() };
    let report = check(&mute.entry(), GAMES, 1);
    let broken: Vec<&str> = report.violated().map(|property| property.name).collect();
    assert_eq!(broken, ["repetition", "labels", "nonsense", "drawing"]);
    let position = report.violated().next().unwrap().violations[0].position.clone().unwrap();
    assert!(position.starts_with("after no move, in random game 0:\nBoard {"), "{position}");
}

#[test]
fn a_violation_tells_where_it_was_found() {
    let blind = Fake {
        label: |game, state, action| if actions(game, state).len() == 7 { "x".to_owned() } else { game.label(state, action) },
        ..plain()
    };
    let report = check(&blind.entry(), 4, 1);
    let labels = report.violated().find(|property| property.name == "labels").unwrap();
    assert_eq!(labels.violations.len(), 3, "the first few will do");
    let position = labels.violations[0].position.clone().unwrap();
    let moves = position.lines().next().unwrap().trim_start_matches("after ").split(',').next().unwrap().to_owned();
    // The moves lead to the board that is drawn.
    let mut there = Position::initial(&Arc::new(TicTacToe::new()));
    moves.split(' ').for_each(|label| assert!(there.play_text(label).is_ok()));
    assert_eq!(position.split_once('\n').unwrap().1, there.game().draw(there.state()));
    let text = report.to_string();
    assert!(
        text.starts_with(&format!("tic_tac_toe: 4 random games, {} positions\n  holds   facts ", report.positions)),
        "{text}"
    );
    assert!(
        text.contains("\n  BROKEN  labels ")
            && text.contains(&format!("\n        after {moves}, in random game 0:\n        3  ")),
        "{text}"
    );
}

#[test]
fn a_report_is_a_function_of_the_game_and_the_seed() {
    let report = |seed| check(&Fake { key: |_, _| 7, ..sound() }.entry(), 5, seed);
    assert_eq!(report(1), report(1));
    assert_ne!(report(1).positions, report(2).positions);
}
