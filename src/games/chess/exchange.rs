//! What a capture wins once both sides have taken back on its square as long as it pays (static exchange evaluation).
//!
//! Rule: the sides take in turn, each with its least valuable piece that reaches the square, pieces behind others coming into play as those
//! leave; each may stop. Pins and checks are not looked at, but a king does not take what is protected. Cost: one look at the attackers of a square
//! for each capture. F. Reinfeld's counting of attackers and defenders, as an algorithm by B. Berliner and others of the 1970s; here in the form with a list of gains.

use cozy_chess::{
    BitBoard, Board as Setup, Color, Move, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};

/// What pieces are worth in an exchange, in hundredths of a pawn. A king is worth more than all else.
const WORTH: [i32; Piece::NUM] = [100, 300, 325, 500, 900, 20_000];

/// What a piece is worth.
pub(super) fn worth(piece: Piece) -> i32 {
    WORTH[piece as usize]
}

/// What a move takes or turns its pawn into, in hundredths of a pawn; 0 of other moves.
pub(super) fn gain(setup: &Setup, step: Move) -> i32 {
    let victim = victim(setup, step).map_or(0, worth);
    victim + step.promotion.map_or(0, |promotion| worth(promotion) - worth(Piece::Pawn))
}

/// The piece that a move takes.
pub(super) fn victim(setup: &Setup, step: Move) -> Option<Piece> {
    let mover = setup.side_to_move();
    if setup.colors(!mover).has(step.to) {
        return setup.piece_on(step.to);
    }
    let is_en_passant = setup.pieces(Piece::Pawn).has(step.from) && step.from.file() != step.to.file();
    is_en_passant.then_some(Piece::Pawn)
}

/// What the side to move wins by `step` if both sides go on taking on its square as long as it pays; what it loses is negative.
pub(super) fn won(setup: &Setup, step: Move) -> i32 {
    let mover = setup.side_to_move();
    let Some(piece) = setup.piece_on(step.from) else { return 0 };
    let is_castling = setup.colors(mover).has(step.to);
    if is_castling {
        return 0;
    }
    let mut gains = [0; 32];
    gains[0] = gain(setup, step);
    let mut occupied = setup.occupied() ^ step.from.bitboard();
    if victim(setup, step).is_some() && !setup.occupied().has(step.to) {
        occupied ^= Square::new(step.to.file(), Rank::Fifth.relative_to(mover)).bitboard();
    }
    let (mut on_square, mut side, mut last) = (worth(step.promotion.unwrap_or(piece)), !mover, 0);
    while let Some((from, taker)) = least_attacker(setup, step.to, side, occupied) {
        occupied ^= from.bitboard();
        if taker == Piece::King && least_attacker(setup, step.to, !side, occupied).is_some() {
            break;
        }
        last += 1;
        gains[last] = on_square - gains[last - 1];
        (on_square, side) = (worth(taker), !side);
    }
    // Whoever would lose by taking back does not.
    for at in (1..=last).rev() {
        gains[at - 1] = -gains[at].max(-gains[at - 1]);
    }
    gains[0]
}

/// The least valuable piece of `side` that attacks `square`, of those that are `occupied`.
fn least_attacker(setup: &Setup, square: Square, side: Color, occupied: BitBoard) -> Option<(Square, Piece)> {
    let own = setup.colors(side) & occupied;
    let of = |piece| own & setup.pieces(piece);
    // Sliding pieces are looked for last: what they see takes longest to find.
    let lines = || get_rook_moves(square, occupied);
    let diagonals = || get_bishop_moves(square, occupied);
    let attackers = |piece| match piece {
        Piece::Pawn => of(piece) & get_pawn_attacks(square, !side),
        Piece::Knight => of(piece) & get_knight_moves(square),
        Piece::Bishop => of(piece) & diagonals(),
        Piece::Rook => of(piece) & lines(),
        Piece::Queen => of(piece) & (lines() | diagonals()),
        Piece::King => of(piece) & get_king_moves(square),
    };
    Piece::ALL.into_iter().find_map(|piece| Some((attackers(piece).next_square()?, piece)))
}
