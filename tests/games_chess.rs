//! Chess: its rules against published counts of moves, its draws, its texts, and its moves as policy indices.

mod common;

use common::{actions, after};
use plyzero::game::census::perft;
use plyzero::game::{Action, Entry, Game, Notation, Payoff, Player, Turn, conformance};
use plyzero::games::Chess;

/// The state after moves in either notation.
fn played(game: &Chess, fen: &str, moves: &str) -> <Chess as Game>::State {
    let start = if fen.is_empty() { game.initial() } else { game.read(fen).unwrap() };
    moves.split_whitespace().fold(start, |state, text| after(game, &state, game.parse(&state, text).unwrap()))
}

/// Counts of ways after 1, 2, 3 ... plies.
fn assert_ways(fen: &str, counts: &[u64]) {
    let game = Chess::new();
    let state = if fen.is_empty() { game.initial() } else { game.read(fen).unwrap() };
    let found: Vec<u64> = (1..=counts.len() as u32).map(|plies| perft(&game, &state, plies)).collect();
    assert_eq!(found, counts, "{fen}");
}

/// Positions of the Chess Programming Wiki ("Perft Results"), which together hold every rule of movement.
#[test]
fn moves_are_as_many_as_published() {
    assert_ways("", &[20, 400, 8_902, 197_281, 4_865_609]);
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -";
    assert_ways(kiwipete, &[48, 2_039, 97_862, 4_085_603]);
    assert_ways("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", &[14, 191, 2_812, 43_238, 674_624]);
    let promotions = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";
    assert_ways(promotions, &[6, 264, 9_467, 422_333]);
    assert_ways("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1_486, 62_379, 2_103_487]);
    let middle = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    assert_ways(middle, &[46, 2_079, 89_890, 3_894_594]);
}

#[test]
fn chess960_castles_from_anywhere() {
    assert_ways("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", &[21, 528, 12_189, 326_672]);
    let game = Chess::new();
    let fen = "4k3/8/8/8/8/8/8/5K1R w H - 0 1";
    // The king's step to g1 is a move of its own, so that castling is its step onto the rook.
    assert_eq!(game.write(&played(&game, fen, "f1g1")), "4k3/8/8/8/8/8/8/6KR b - - 1 1");
    assert_eq!(game.write(&played(&game, fen, "f1h1")), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    assert_eq!(game.write(&played(&game, fen, "O-O")), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
}

/// How the game stands after moves.
fn turn(fen: &str, moves: &str) -> Turn {
    let game = Chess::new();
    let state = played(&game, fen, moves);
    assert_eq!(actions(&game, &state).is_empty(), matches!(game.turn(&state), Turn::Over(_)));
    game.turn(&state)
}

const DRAWN: Turn = Turn::Over(Payoff::DRAW);

#[test]
fn mates_and_stalemates_end_games() {
    assert_eq!(turn("", "f3 e5 g4 Qh4#"), Turn::Over(Payoff::win(Player::Second)));
    assert_eq!(turn("", "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7"), Turn::Over(Payoff::win(Player::First)));
    assert_eq!(turn("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "Kg6"), DRAWN);
    assert_eq!(turn("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "Qe7"), Turn::Move(Player::Second));
}

#[test]
fn the_third_repetition_is_a_draw() {
    let there_and_back = "Nf3 Nf6 Ng1 Ng8";
    assert_eq!(turn("", there_and_back), Turn::Move(Player::First));
    assert_eq!(turn("", &format!("{there_and_back} Nf3 Nf6 Ng1")), Turn::Move(Player::Second));
    assert_eq!(turn("", &format!("{there_and_back} {there_and_back}")), DRAWN);
    // Not three times in a row.
    assert_eq!(turn("", "Nf3 Nf6 Ng1 Ng8 Nc3 Nc6 Nb1 Nb8"), DRAWN);
    // The position after e4 comes three times though a pawn had just moved two squares: nobody could take it.
    let after_e4 = "Nf6 Nf3 Ng8 Ng1";
    assert_eq!(turn("", &format!("e4 {after_e4} {after_e4}")), DRAWN);
    // Here it could be taken the first time.
    let taken = "rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(turn(taken, &format!("e4 {after_e4} {after_e4}")), Turn::Move(Player::Second));
    assert_eq!(turn(taken, &format!("e4 {after_e4} {after_e4} Nf6")), DRAWN);
    // A right to castle that is gone makes another position.
    let rooks = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let steps = "Rb1 Rb8 Ra1 Ra8";
    assert_eq!(turn(rooks, &format!("{steps} {steps}")), Turn::Move(Player::First));
    assert_eq!(turn(rooks, &format!("{steps} {steps} Rb1")), Turn::Move(Player::Second));
    assert_eq!(turn(rooks, &format!("{steps} {steps} Rb1 Rb8")), DRAWN);
}

#[test]
fn fifty_moves_are_a_draw_but_a_mate_counts() {
    let last = "7k/8/5KQ1/8/8/8/8/8 w - - 99 80";
    assert_eq!(turn(last, "Qg5"), DRAWN);
    assert_eq!(turn(last, "Qg7"), Turn::Over(Payoff::win(Player::First)));
    assert_eq!(turn("7k/8/5K2/8/8/8/P5Q1/8 w - - 99 80", "a3"), Turn::Move(Player::Second));
    assert_eq!(turn("7k/8/5KQ1/8/8/8/8/8 w - - 100 80", ""), DRAWN);
}

#[test]
fn too_few_pieces_are_a_draw() {
    let drawn = ["4k3/8/8/3K4", "4k3/8/8/3KN3", "4kb2/8/8/3K4", "4kb2/8/8/3K4/5B2/B7"];
    let open = ["4kn2/8/8/3KN3", "4k3/8/8/3KP3", "4kb2/8/8/3K4/6B1", "4k3/8/8/3KNN2", "4kb2/8/8/3KN3"];
    let of = |board: &str| {
        let rows = format!("8/8/{board}{}", "/8".repeat(5 - board.matches('/').count()));
        turn(&format!("{rows} w - - 0 1"), "")
    };
    // Bishops on squares of one colour mate nobody, however many they are.
    assert_eq!(drawn.map(of), [DRAWN; 4]);
    assert_eq!(open.map(of), [Turn::Move(Player::First); 5]);
}

#[test]
fn positions_are_read_and_written() {
    let game = Chess::new();
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        "8/8/4k3/8/8/3KP3/8/8 b - - 37 112",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    ];
    for fen in fens {
        assert_eq!(game.write(&game.read(fen).unwrap()), fen);
        assert!(game.draw(&game.read(fen).unwrap()).ends_with(&format!("\n{fen}\n")));
    }
    assert_eq!(game.write(&played(&game, "", "e4 c5 Nf3")), "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
    assert_eq!(game.read("4k3/8/8/8/8/8/8/4K2R w K -"), game.read(" 4k3/8/8/8/8/8/8/4K2R  w K - 0 1 "));
    let wrong = [
        "",
        "w",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w KQ - 0 1",
        "k3k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/P3K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - e3 0 1",
        "4k2R/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 101 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 and more",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 0 1",
        "44k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8 w - - 0 1",
    ];
    for fen in wrong {
        assert!(game.read(fen).is_err(), "{fen}");
    }
    let long = game.read(&"9".repeat(1_000_000)).unwrap_err().to_string();
    assert!(long.len() < 300, "{long}");
}

#[test]
fn moves_are_read_in_both_notations() {
    let game = Chess::new();
    let fen = "3k2n1/7P/Q3p3/4BPp1/Q1Q4q/8/5B2/R3K2R w KQ g6 0 1";
    let state = game.read(fen).unwrap();
    let texts =
        [("hxg8=R+", "h7g8r"), ("hxg8=N", "h7g8n"), ("h8=Q", "h7h8q"), ("O-O-O+", "e1c1"), ("fxg6", "f5g6"), ("Bd4", "e5d4")];
    for (san, uci) in texts {
        let action = game.parse(&state, uci).unwrap();
        assert_eq!((game.label(&state, action), game.short(&state, action)), (uci.to_owned(), san.to_owned()));
        for text in [san, san.trim_end_matches('+'), &format!("{san}!?"), &uci.to_uppercase()] {
            assert_eq!(game.parse(&state, text), Ok(action), "{text}");
        }
    }
    assert_eq!(game.parse(&state, "0-0-0"), game.parse(&state, "e1a1"));
    for wrong in ["", "e2e4", "h7h8", "h7h8k", "Ke8", "Qb5", "O-O-O-O", "Qb3b4", "\u{1F600}", "a1a1"] {
        let error = game.parse(&state, wrong).unwrap_err();
        assert!(error.text == wrong && error.legal.contains("e1c1"), "{wrong}: {error}");
    }
}

#[test]
fn a_policy_index_is_what_the_paper_says() {
    let game = Chess::new();
    let index = |fen: &str, text: &str| {
        let state = if fen.is_empty() { game.initial() } else { game.read(fen).unwrap() };
        let Action(index) = game.parse(&state, text).unwrap();
        (index / 64, index % 64)
    };
    // Planes of seven lengths a direction, north first; squares by rank, a1 first.
    assert_eq!(index("", "e2e3"), (0, 12));
    assert_eq!(index("", "e2e4"), (1, 12));
    assert_eq!(index("", "g1f3"), (56 + 7, 6));
    assert_eq!(index("", "b1c3"), (56, 1));
    // Black moves as if from the other side, the files as they are.
    let black = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    assert_eq!(index(black, "e7e5"), (1, 12));
    assert_eq!(index(black, "g8f6"), (56 + 7, 6));
    let promotion = "1n2k3/P7/8/8/8/8/8/4K2R w K - 0 1";
    assert_eq!(index(promotion, "a7a8q"), (0, 48));
    assert_eq!(index(promotion, "a7b8q"), (7, 48));
    assert_eq!(index(promotion, "a7a8n"), (64 + 1, 48));
    assert_eq!(index(promotion, "a7b8r"), (64 + 6 + 2, 48));
    assert_eq!(index(promotion, "e1g1"), (14 + 2, 4));
}

#[test]
fn planes_show_the_position_from_the_movers_side() {
    let game = Chess::new();
    let planes = |fen: &str, moves: &str| {
        let mut planes = vec![9.0; game.facts().planes.iter().product()];
        game.encode(&played(&game, fen, moves), &mut planes);
        planes
    };
    let ones =
        |planes: &[f32], plane: usize| -> Vec<usize> { (0..64).filter(|square| planes[64 * plane + square] == 1.0).collect() };
    let start = planes("", "");
    assert_eq!(ones(&start, 0), (8..16).collect::<Vec<_>>());
    assert_eq!((ones(&start, 5), ones(&start, 11)), (vec![4], vec![60]));
    assert_eq!((ones(&start, 12), ones(&start, 13)), (vec![0, 7], vec![56, 63]));
    // A mirrored position with the other side to move looks the same.
    let (white, black) = ("r3k3/1p6/8/8/8/8/8/4K2R w Kq - 30 9", "4k2r/8/8/8/8/8/1P6/R3K3 b Qk - 30 9");
    assert_eq!(planes(white, ""), planes(black, ""));
    assert_eq!(planes(white, "")[64 * 15], 0.3);
    let taken = planes("rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e4");
    assert_eq!(ones(&taken, 14), [44]);
    let again = planes("", "Nf3 Nf6 Ng1 Ng8");
    assert_eq!((ones(&again, 16).len(), ones(&start, 16).len()), (64, 0));
}

#[test]
fn equal_positions_have_equal_pasts_and_one_key() {
    let game = Chess::new();
    let [one, other] = ["Nf3 Nf6 Nc3 Nc6", "Nc3 Nc6 Nf3 Nf6"].map(|moves| played(&game, "", moves));
    assert_eq!(game.key(&one), game.key(&other));
    assert!(one != other, "what can come again differs");
    let [one, other] = ["Nf3 Nf6 e4", "e4 Nf6 Nf3"].map(|moves| played(&game, "", moves));
    assert!(one != other, "only in one of them can a pawn be taken en passant");
    let [one, other] = ["e4 d6 d4 e6", "d4 e6 e4 d6"].map(|moves| played(&game, "", moves));
    assert_eq!(game.write(&one).replace(" e6 ", " - "), game.write(&other).replace(" d6 ", " - "));
    let [early, late] = ["e4 e5 Ke2 Ke7 d4 d5", "e3 e6 Ke2 Ke7 e4 e5 d4 d5"].map(|moves| played(&game, "", moves));
    assert_eq!(early, late, "the number of the move tells nothing");
}

#[test]
fn chess960_is_sound_from_any_start() {
    use plyzero::game::Games as _;
    struct Check;
    impl plyzero::game::Visit for Check {
        type Output = conformance::Report;
        fn visit<G: Game>(&mut self, entry: &Entry<G>) -> conformance::Report {
            conformance::check(entry, 2, 1)
        }
    }
    for start in [0, 300, 959] {
        let report = plyzero::games::registry().dispatch(&format!("chess:start={start}"), &mut Check).unwrap();
        assert!(report.is_sound() && report.game == format!("chess:start={start}"), "{report}");
    }
}
