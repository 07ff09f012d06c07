//! A position of chess with what the rules need of its past, and the draws that follow from both.
//!
//! # Repetition
//! Only positions since the last move that cannot be taken back (a capture, a pawn's move, a lost right to castle) can come again. Their keys
//! are kept as a list that boards share with those they came from, so that a copy costs one count and a move one cell; the fifty-move rule bounds
//! it at a hundred. Two positions are the same if the same moves are possible in them (FIDE Laws of Chess, 9.2.3): a pawn that could be taken en
//! passant by nobody makes no difference. That two positions with one 64-bit key are the same is taken for granted.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use cozy_chess::{BitBoard, Board as Setup, Color, FenParseError, File, Move, Piece, Rank, Square, get_pawn_attacks};

use crate::game::Player;

/// A position, its past included.
#[derive(Clone, Debug)]
pub struct Board {
    /// Its full-move number is always 1: it is kept beside it, where it does not tell equal positions apart.
    setup: Setup,
    /// As in FEN, from 1.
    number: u16,
    key: u64,
    /// The positions that can come again, the latest first.
    past: Option<Arc<Past>>,
    /// How often this position was there before.
    repeated: u32,
}

#[derive(Debug, PartialEq, Eq)]
struct Past {
    key: u64,
    before: Option<Arc<Past>>,
}

/// Positions are equal if the rules cannot tell them apart: pieces, rights, clock and past.
impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.setup == other.setup && self.past == other.past
    }
}

impl Eq for Board {}

impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.key, self.setup.halfmove_clock()).hash(state);
    }
}

impl Board {
    /// A position without a past.
    pub(super) fn new(mut setup: Setup) -> Self {
        let number = setup.fullmove_number();
        setup.set_fullmove_number(1);
        Self { key: key(&setup), setup, number, past: None, repeated: 0 }
    }

    /// The position that a FEN describes, also one for Chess960; missing clocks are 0 and 1.
    ///
    /// # Errors
    /// When it is not well formed, or nothing that the rules know: without a king, say, or with the other side in check.
    pub(super) fn from_fen(text: &str) -> Result<Self, FenParseError> {
        let mut fields: Vec<&str> = text.split_ascii_whitespace().take(7).collect();
        let missing = if fields.len() < 4 { &[][..] } else { ["0", "1"].get(fields.len() - 4..).unwrap_or_default() };
        fields.extend(missing);
        fields.join(" ").parse().map(Self::new)
    }

    /// The position as FEN; where the castling rights of standard chess cannot say it, as Shredder-FEN.
    pub(super) fn fen(&self) -> String {
        let mut setup = self.setup.clone();
        setup.set_fullmove_number(self.number);
        if self.castles_as_in_standard_chess() { format!("{setup}") } else { format!("{setup:#}") }
    }

    /// Whether all rights to castle are of a king on the e-file with rooks in the corners.
    pub(super) fn castles_as_in_standard_chess(&self) -> bool {
        Color::ALL.into_iter().all(|color| {
            let rights = self.setup.castle_rights(color);
            let corners = [(rights.short, File::H), (rights.long, File::A)];
            let king = self.setup.king(color).file();
            corners.into_iter().all(|(rook, corner)| rook.is_none_or(|rook| rook == corner && king == File::E))
        })
    }

    /// Pieces, rights and clock.
    pub(super) fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Who is to move, if anyone is.
    pub(super) fn mover(&self) -> Player {
        player(self.setup.side_to_move())
    }

    /// The key of the position, its past and its clocks left out.
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    /// How often this position was there before.
    pub(super) fn repeated(&self) -> u32 {
        self.repeated
    }

    /// Plays a legal move.
    pub(super) fn play(&mut self, step: Move) {
        let rights = Color::ALL.map(|color| *self.setup.castle_rights(color));
        self.number = self.number.saturating_add(u16::from(self.setup.side_to_move() == Color::Black));
        self.setup.play_unchecked(step);
        self.setup.set_fullmove_number(1);
        let returns = self.setup.halfmove_clock() > 0 && rights == Color::ALL.map(|color| *self.setup.castle_rights(color));
        self.past = returns.then(|| Arc::new(Past { key: self.key, before: self.past.take() }));
        self.key = key(&self.setup);
        let past = std::iter::successors(self.past.as_deref(), |past| past.before.as_deref());
        // The same player is to move every second ply, and no position comes again within two.
        self.repeated = past.skip(3).step_by(2).filter(|past| past.key == self.key).count() as u32;
    }

    /// The position with the other side to move; none in check. What was before cannot come again.
    pub(super) fn passed(&self) -> Option<Self> {
        let mut setup = self.setup.null_move()?;
        setup.set_fullmove_number(1);
        Some(Self { key: key(&setup), setup, number: self.number, past: None, repeated: 0 })
    }

    /// The position at the beginning of fifty moves, with nothing before it.
    pub(super) fn without_past(&self) -> Self {
        let mut setup = self.setup.clone();
        setup.set_halfmove_clock(0);
        Self { setup, past: None, repeated: 0, ..*self }
    }

    /// Whether the game is drawn though there may be moves: by fifty moves, the third repetition or too few pieces.
    pub(super) fn is_drawn(&self) -> bool {
        self.is_drawn_by_past() || self.lacks_material()
    }

    /// Whether it is drawn by fifty moves or the third repetition.
    pub(super) fn is_drawn_by_past(&self) -> bool {
        self.setup.halfmove_clock() >= 100 || self.repeated >= 2
    }

    /// Whether no sequence of moves mates: bare kings, one knight beside them, or bishops on squares of one colour alone.
    fn lacks_material(&self) -> bool {
        let of = |piece| self.setup.pieces(piece);
        if !(of(Piece::Pawn) | of(Piece::Rook) | of(Piece::Queen)).is_empty() {
            return false;
        }
        let (knights, bishops) = (of(Piece::Knight), of(Piece::Bishop));
        if knights.is_empty() {
            return bishops.is_subset(BitBoard::DARK_SQUARES) || bishops.is_subset(BitBoard::LIGHT_SQUARES);
        }
        knights.len() == 1 && bishops.is_empty()
    }
}

/// The first player has the white pieces.
pub(super) fn player(color: Color) -> Player {
    match color {
        Color::White => Player::First,
        Color::Black => Player::Second,
    }
}

/// The key of a position, in which the file of a pawn that has just moved two squares counts only if it can be taken.
fn key(setup: &Setup) -> u64 {
    let Some(file) = setup.en_passant() else { return setup.hash() };
    let mover = setup.side_to_move();
    let to = Square::new(file, Rank::Sixth.relative_to(mover));
    let takers = get_pawn_attacks(to, !mover) & setup.colored_pieces(mover, Piece::Pawn);
    let is_open = takers.into_iter().any(|from| setup.is_legal(Move { from, to, promotion: None }));
    if is_open { setup.hash() } else { setup.hash_without_ep() }
}
