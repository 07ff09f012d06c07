//! The rules of chess beside the move generator they rest on: the same counts, with the same counting of the last ply.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use plyzero::game::census::perft;
use plyzero::game::{Game as _, Notation as _};
use plyzero::games::Chess;

const POSITIONS: [(&str, &str, u32); 2] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4),
];

/// The generator's own count.
fn bare(board: &cozy_chess::Board, plies: u32) -> u64 {
    let mut ways = 0;
    board.generate_moves(|steps| {
        if plies == 1 {
            ways += steps.len() as u64;
        } else {
            for step in steps {
                let mut next = board.clone();
                next.play_unchecked(step);
                ways += bare(&next, plies - 1);
            }
        }
        false
    });
    ways
}

fn count(criterion: &mut Criterion) {
    let game = Chess::new();
    for (name, fen, plies) in POSITIONS {
        let (state, board) = (game.read(fen).unwrap_or(game.initial()), fen.parse().unwrap_or_default());
        assert_eq!(perft(&game, &state, plies), bare(&board, plies));
        let mut group = criterion.benchmark_group(format!("perft {name}"));
        group.bench_function("cozy-chess", |bencher| bencher.iter(|| bare(black_box(&board), plies)));
        group.bench_function("plyzero", |bencher| bencher.iter(|| perft(&game, black_box(&state), plies)));
        group.finish();
    }
}

criterion_group!(benches, count);
criterion_main!(benches);
