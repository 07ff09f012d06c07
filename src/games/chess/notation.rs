//! Moves as text: as UCI has them, and in Standard Algebraic Notation (SAN).

use cozy_chess::Move;
use cozy_chess::util::{display_san_move, display_uci_move, parse_san_move, parse_uci_move};

use super::Board;

/// A legal move as UCI has it. Castling is the king's step onto its rook unless king and rook stand where they do in standard chess: from
/// elsewhere the king's step to its new square may be a move of its own.
pub(super) fn uci(board: &Board, step: Move) -> String {
    let setup = board.setup();
    if board.castles_as_in_standard_chess() { display_uci_move(setup, step).to_string() } else { step.to_string() }
}

/// A legal move in SAN.
pub(super) fn san(board: &Board, step: Move) -> String {
    display_san_move(board.setup(), step).to_string()
}

/// The legal move that `text` names in either notation.
pub(super) fn read(board: &Board, text: &str) -> Option<Move> {
    let setup = board.setup();
    let lower = text.to_ascii_lowercase();
    let exact = || lower.parse().ok().filter(|&step| setup.is_legal(step));
    let castles =
        || parse_uci_move(setup, &lower).ok().filter(|&step| board.castles_as_in_standard_chess() && setup.is_legal(step));
    // Zeros are common in castling, and marks of what somebody thinks of a move say nothing of it.
    let plain = text.trim_end_matches(['!', '?']).replace('0', "O");
    exact().or_else(castles).or_else(|| parse_san_move(setup, &plain).ok())
}
