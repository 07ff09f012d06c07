//! What classical search knows of chess: the evaluation and its features, exchanges, quiescence, and the parts that vary the depth.

mod common;
mod playouts;

use std::sync::Arc;

use common::{actions, after};
use playouts::{mover, playout};
use plyzero::game::{Action, Game, Knowledge, Notation, Player, Term, Turn};
use plyzero::games::{Chess, ConnectFour};
use plyzero::rng::stream;
use plyzero::search::alpha_beta::{AlphaBeta, Options, Selective};
use plyzero::search::{Budget, Decision};

type Board = <Chess as Game>::State;

fn board(fen: &str) -> Board {
    Chess::new().read(fen).unwrap()
}

fn action(state: &Board, text: &str) -> Action {
    Chess::new().parse(state, text).unwrap()
}

/// What White has more of than Black, 0 where it is not told.
fn counted(terms: &[Term], name: &str) -> i32 {
    terms.iter().find(|term| term.name == name).map_or(0, |term| term.count)
}

#[test]
fn features_are_counted_as_by_hand() {
    let named = [
        "isolated",
        "doubled",
        "backward",
        "passed_2",
        "passed_3",
        "passed_4",
        "passed_5",
        "passed_6",
        "passed_7",
        "passed_protected",
    ];
    let pawns = |fen: &str| {
        let terms = Chess::new().terms(&board(fen));
        named.map(|name| counted(&terms, name))
    };
    // White's a4, c3 and c4 are isolated, as are both of Black's; a4, c4 and e6 are free, and so is Black's d2; f5 protects e6,
    // and cannot step ahead.
    assert_eq!(pawns("4k3/6p1/4P3/5P2/P1P5/2P5/3p4/4K3 w - - 0 1"), [3 - 2, 1, 1, 0, 0, 2, 0, 1, -1, 1]);
    // d3 is backward: c4 and e4 have left it, and a pawn takes what steps to d4.
    assert_eq!(pawns("4k3/8/8/2p1p3/2P1P3/3P4/8/4K3 w - - 0 1"), [-2, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    // One that a pawn beside it can still protect is not.
    assert_eq!(pawns("4k3/8/8/2p1p3/4P3/2PP4/8/4K3 w - - 0 1")[2], 0);

    let count = |fen: &str, name: &str| counted(&Chess::new().terms(&board(fen)), name);
    let rooks = "4k3/p2p4/8/8/8/8/P7/R2RKR2 w - - 0 1";
    assert_eq!((count(rooks, "rook"), count(rooks, "rook_open_file"), count(rooks, "rook_half_open_file")), (3, 1, 1));
    // A knight in the corner attacks two squares, of which a pawn takes one.
    assert_eq!(count("4k3/1p6/8/8/8/8/8/N3K3 w - - 0 1", "knight_mobility"), 2);
    assert_eq!(count("4k3/8/8/1p6/8/8/8/N3K3 w - - 0 1", "knight_mobility"), 2);
    assert_eq!(count("4k3/8/8/p7/8/8/8/N3K3 w - - 0 1", "knight_mobility"), 2);
    assert_eq!(count("4k3/8/8/8/p7/8/8/N3K3 w - - 0 1", "knight_mobility"), 1);
    let castled = "4k3/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1";
    assert_eq!((count(castled, "shield"), count(castled, "king_open_file")), (3 - 1, -2));
    let torn = "6k1/5ppp/8/8/8/8/5P2/6K1 w - - 0 1";
    assert_eq!((count(torn, "shield"), count(torn, "king_half_open_file")), (1 - 3, 2));
    let attack = "6k1/8/8/6N1/8/8/8/4K2Q w - - 0 1";
    assert_eq!((count(attack, "two_attackers"), count(attack, "king_zone")), (1, 2 + 2));
    let threats = |fen: &str| ["pawn_threat", "minor_threat", "rook_threat", "hanging"].map(|name| count(fen, name));
    assert_eq!(threats("4k3/8/8/8/3r4/2P5/8/4K3 w - - 0 1"), [1, 0, 0, 1]);
    assert_eq!(threats("4k3/8/4p3/3q4/8/4N3/8/4K3 w - - 0 1"), [0, 1, 0, 0]);
    assert_eq!(threats("3qk3/8/8/8/8/8/8/3RK3 w - - 0 1"), [0, 0, 1, 0]);
    let passed = |fen: &str| ["passed_blocked", "passed_escorted"].map(|name| count(fen, name));
    assert_eq!(passed("8/8/8/2k5/8/3P4/3K4/8 w - - 0 1"), [0, 1 - 2]);
    assert_eq!(passed("8/8/8/8/3k4/3P4/3K4/8 w - - 0 1"), [1, -2]);
    assert_eq!(count("r3k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1", "castling"), 1);
    assert_eq!((count(castled, "tempo"), count(&castled.replace(" w ", " b "), "tempo")), (1, -1));
}

#[test]
fn the_parts_sum_to_the_estimate_and_material_is_what_books_say() {
    let game = Arc::new(Chess::new());
    for state in (0..20).flat_map(|index| playout(&game, "terms", index)) {
        if mover(game.as_ref(), &state).is_some() {
            let sum: f64 = game.terms(&state).iter().map(|term| term.part).sum();
            let utility = f64::from(game.heuristic(&state).of(Player::First));
            let value = 1000.0 * utility / (1.0 - utility.abs());
            assert!((sum - value).abs() < 1.5, "{sum} against {value}\n{}", game.draw(&state));
        }
    }
}

/// The position from the other side of the board.
fn mirrored(fen: &str) -> String {
    let fields: Vec<&str> = fen.split(' ').collect();
    let swap = |text: &str| -> String {
        text.chars()
            .map(|letter| if letter.is_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() })
            .collect()
    };
    let ranks: Vec<String> = fields[0].split('/').rev().map(swap).collect();
    let rights = swap(fields[2]);
    let rights: String = ["K", "Q", "k", "q"].into_iter().filter(|right| rights.contains(right)).collect();
    let rights = if rights.is_empty() { "-".to_owned() } else { rights };
    let mover = if fields[1] == "w" { "b" } else { "w" };
    let passing = fields[3].replace('3', "9").replace('6', "3").replace('9', "6");
    format!("{} {mover} {rights} {passing} {} {}", ranks.join("/"), fields[4], fields[5])
}

#[test]
fn both_colours_are_judged_alike() {
    let game = Arc::new(Chess::new());
    for state in (0..20).flat_map(|index| playout(&game, "mirrored", index)) {
        let other = board(&mirrored(&game.write(&state)));
        assert_eq!(game.heuristic(&state).of(Player::First), game.heuristic(&other).of(Player::Second), "{}", game.draw(&state));
        let judged = |state: &Board| -> Vec<(Action, i32, Option<i32>)> {
            let judged = |action| (action, game.ordering(state, action), game.exchange(state, action));
            let mut all: Vec<_> = actions(game.as_ref(), state).into_iter().map(judged).collect();
            all.sort_unstable();
            all
        };
        // Actions are the mover's, so that they are the same from the other side.
        assert_eq!(judged(&state), judged(&other));
    }
}

#[test]
fn exchanges_are_worth_what_they_are_by_hand() {
    let cases = [
        // Nothing takes back.
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "Rxe5", Some(100)),
        // The knight is taken by a knight, and White stops there.
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "Nxe5", Some(100 - 300)),
        // The rook behind the rook takes part.
        ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5", Some(100)),
        ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5", Some(100 - 500)),
        // A king takes what is not protected only.
        ("8/8/3k4/3p4/8/8/3R4/4K3 w - - 0 1", "Rxd5+", Some(100 - 500)),
        ("8/8/3k4/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5+", Some(100)),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", Some(100)),
        ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", Some(0)),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=Q+", Some(800)),
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=Q", Some(-100)),
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=R+", Some(500 + 400)),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", None),
        ("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "Rd4", None),
    ];
    for (fen, text, won) in cases {
        let state = board(fen);
        assert_eq!(Chess::new().exchange(&state, action(&state, text)), won, "{text} in {fen}");
    }
}

#[test]
fn noisy_moves_are_exchanges_and_checks() {
    let game = Chess::new();
    let noisy = |fen: &str, threats| {
        let (state, mut found) = (board(fen), Vec::new());
        game.noisy(&state, threats, &mut found);
        let mut texts: Vec<String> = found.iter().map(|&action| game.short(&state, action)).collect();
        texts.sort();
        texts.join(" ")
    };
    let fen = "4k3/1P6/8/3pP3/8/8/5n2/R3K2R w KQ d6 0 1";
    assert_eq!(noisy(fen, false), "Kxf2 b8=Q+ exd6");
    assert_eq!(noisy(fen, true), "Kxf2 Ra8+ Rh8+ b8=Q+ exd6");
}

fn search(state: &Board, options: Options, depth: u32) -> Decision {
    let game = Arc::new(Chess::new());
    let mut search = AlphaBeta::new(&game, Some(Arc::clone(&game) as _), options).unwrap();
    search.search(state, &Budget::depth(depth), &mut stream(1, "chess", 0))
}

/// The queen can take a pawn that a pawn protects. A search that stops there has won a pawn; it loses a queen.
#[test]
fn quiescence_sees_beyond_the_horizon() {
    let state = board("4k3/pp3ppp/3p4/4p3/8/8/PP3PPP/4Q1K1 w - - 0 1");
    let fixed = Options { selective: Selective::NONE, ..Options::play() };
    let (blunder, quiet) =
        (action(&state, "Qxe5+"), Options { selective: Selective { quiescence: true, ..Selective::NONE }, ..fixed });
    let value = |decision: &Decision| decision.value.unwrap().of(Player::First);
    let fooled = search(&state, fixed, 1);
    assert_eq!(fooled.action, blunder);
    let whole = search(&state, quiet, 1);
    assert!(whole.action != blunder && value(&whole) < value(&fooled), "{whole:?}");
    // The fixed search believes in it again whenever its own move is the last.
    assert!(value(&search(&state, fixed, 3)) > value(&search(&state, fixed, 2)));
}

#[test]
fn mates_are_found_with_every_part_and_without() {
    let cases = [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "Rd8#", 1),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1", "Qxf7#", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "Ra6", 3),
        ("2bqkbn1/2pppp2/np2N3/r3P1p1/p2N2B1/5Q2/PPPPKPP1/RNB2r2 w - - 0 1", "Qf3xf7+", 0),
    ];
    let parts = |index: u8| Selective {
        quiescence: index & 1 > 0,
        extensions: index & 2 > 0,
        null_move: index & 4 > 0,
        reductions: index & 8 > 0,
        futility: index & 16 > 0,
    };
    for (fen, text, plies) in &cases[..3] {
        let state = board(fen);
        for selective in (0..32).map(parts) {
            let found = search(&state, Options { selective, shuffle_root: false, ..Options::play() }, plies + 1);
            assert_eq!(found.action, action(&state, text), "{selective:?} in {fen}");
            assert_eq!(found.value.unwrap().of(Player::First), 1.0, "{selective:?} in {fen}");
            assert_eq!(found.principal_variation.len(), *plies as usize, "{selective:?} in {fen}");
        }
    }
}

#[test]
fn a_draw_by_repetition_is_seen_and_not_taken_for_the_position() {
    // White is lost but for a perpetual check.
    let state = board("6k1/5ppp/8/8/8/1q6/r7/3Q3K w - - 0 1");
    let _ = search(&state, Options::play(), 4);
    let drawn = board("7k/6pp/8/4Q3/8/8/qr6/7K w - - 0 1");
    let found = search(&drawn, Options::play(), 9);
    assert_eq!(found.action, action(&drawn, "Qe8#"));
}

/// Where knowledge tells no exchanges and no threats, the selective parts change nothing, nodes included.
#[test]
fn other_games_are_searched_as_ever() {
    let game = Arc::new(ConnectFour::new());
    let mut rng = stream(1, "selective", 0);
    for index in 0..6 {
        let states = playout(&game, "selective", index);
        let state = &states[index as usize % 8];
        let searched = |selective, rng: &mut _| {
            let options = Options { selective, table_mib: 1, ..Options::play() };
            let mut search = AlphaBeta::new(&game, Some(Arc::clone(&game) as _), options).unwrap();
            let found = search.search(state, &Budget::depth(7), rng);
            (found.value, found.nodes)
        };
        let mut same = rng.clone();
        assert_eq!(searched(Selective::ALL, &mut rng), searched(Selective::NONE, &mut same));
    }
}

/// Every part saves nodes of the same depth, or finds more with it: the direction each is there for.
#[test]
fn each_part_does_what_it_is_there_for() {
    let middle = board("r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8");
    let nodes = |selective| search(&middle, Options { selective, shuffle_root: false, ..Options::play() }, 6).nodes;
    let (all, quiet) = (Selective::ALL, Selective { quiescence: true, ..Selective::NONE });
    let reduced = nodes(Selective { reductions: true, ..quiet });
    let passing = nodes(Selective { null_move: true, ..quiet });
    let futile = nodes(Selective { futility: true, ..quiet });
    assert!(reduced < nodes(quiet) && passing < nodes(quiet) && futile < nodes(quiet) && nodes(all) < nodes(quiet));
    let after_pass = Chess::new().pass(&middle).unwrap();
    assert!(Chess::new().turn(&after_pass) == Turn::Move(Player::Second));
    assert!(Chess::new().pass(&board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")).is_none(), "pawns alone may be in zugzwang");
    assert!(
        Chess::new()
            .pass(&after(
                &Chess::new(),
                &board("4k3/8/8/8/8/8/4P3/Q3K3 w - - 0 1"),
                action(&board("4k3/8/8/8/8/8/4P3/Q3K3 w - - 0 1"), "Qa8+")
            ))
            .is_none()
    );
}
