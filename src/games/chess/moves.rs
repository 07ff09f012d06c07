//! Moves as indices of the policy head: 73 planes of 64 squares, plane by plane, from the mover's view (D. Silver et al., "A general reinforcement learning
//! algorithm that masters chess, shogi and Go through self-play", 2018, supplement).
//!
//! The square is the one a piece leaves, Black's seen from the other side of the board. The plane says how it goes: 56 for a direction and a number of
//! squares, as queens move; 8 for knights; 9 for promotions to less than a queen. A pawn that reaches the last rank in any other way
//! becomes a queen. Castling is the king's step onto its rook, so that one rule holds for Chess960 too.

use cozy_chess::{Board, Color, Move, Piece, Rank, Square};

use crate::game::Action;

const SQUARES: usize = 64;
/// Directions of a queen, as files and ranks.
const LINES: [(i8, i8); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
const LEAPS: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
/// What else than a queen a pawn may become, in the order of the planes.
const LESSER: [Piece; 3] = [Piece::Knight, Piece::Bishop, Piece::Rook];
/// The first plane of knights, and that of lesser promotions.
const LEAP: usize = 56;
const LESS: usize = 64;

/// The size of the policy head.
pub(super) const ACTIONS: usize = 73 * SQUARES;

/// The steps of the planes but those of lesser promotions, as files and ranks.
const STEPS: [(i8, i8); LESS] = {
    let mut steps = [(0, 0); LESS];
    let mut plane = 0;
    while plane < LESS {
        steps[plane] = if plane < LEAP {
            let ((files, ranks), length) = (LINES[plane / 7], (plane % 7 + 1) as i8);
            (files * length, ranks * length)
        } else {
            LEAPS[plane - LEAP]
        };
        plane += 1;
    }
    steps
};

/// The plane of each step, by files and ranks from -7 to 7.
const PLANES: [[u8; 15]; 15] = {
    let mut planes = [[0; 15]; 15];
    let mut plane = 0;
    while plane < LESS {
        let (files, ranks) = STEPS[plane];
        planes[(files + 7) as usize][(ranks + 7) as usize] = plane as u8;
        plane += 1;
    }
    planes
};

/// The number of a square as `mover` sees it.
pub(super) fn seen(square: Square, mover: Color) -> usize {
    square.relative_to(mover) as usize
}

/// The index of a legal move of `mover`.
pub(super) fn action(step: Move, mover: Color) -> Action {
    let (from, to) = (step.from.relative_to(mover), step.to.relative_to(mover));
    let files = to.file() as i8 - from.file() as i8;
    let lesser = step.promotion.and_then(|promotion| LESSER.iter().position(|&piece| piece == promotion));
    let plane = match lesser {
        Some(piece) => LESS + 3 * piece + (files + 1) as usize,
        None => {
            let ranks = to.rank() as i8 - from.rank() as i8;
            PLANES[(files + 7) as usize][(ranks + 7) as usize].into()
        }
    };
    Action((plane * SQUARES + from as usize) as u16)
}

/// The move with this index, or none where the step leads off the board. Whether it is legal is not asked.
pub(super) fn step(board: &Board, action: Action) -> Option<Move> {
    let mover = board.side_to_move();
    let (plane, from) = (action.index() / SQUARES, Square::try_index(action.index() % SQUARES)?);
    let (files, ranks) = match plane.checked_sub(LESS) {
        Some(lesser) => (lesser as i8 % 3 - 1, 1),
        None => STEPS[plane],
    };
    let (start, to) = (from.relative_to(mover), from.try_offset(files, ranks)?);
    let promotion = match plane.checked_sub(LESS) {
        Some(lesser) => Some(LESSER[lesser / 3]),
        None => (to.rank() == Rank::Eighth && board.pieces(Piece::Pawn).has(start)).then_some(Piece::Queen),
    };
    Some(Move { from: start, to: to.relative_to(mover), promotion })
}
