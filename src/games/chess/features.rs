//! What the evaluation counts in a position: each feature for White less the same for Black.
//!
//! Everything is seen from its owner's side of the board, so that a feature means the same for both. Squares are folded: the files a and h are
//! one, as are b and g, and so on. S. Russell and P. Norvig, "Artificial Intelligence", section 5.3: an evaluation is a weighted sum of features.

use cozy_chess::{
    BitBoard, Board as Setup, Color, File, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

/// A feature that has a name of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// Pieces; the king counts for nothing, both having one.
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    /// Two bishops or more.
    BishopPair,
    /// Squares that knights attack, but those of own pieces and of the other's pawns; likewise the other pieces.
    KnightMobility,
    BishopMobility,
    RookMobility,
    QueenMobility,
    /// Rooks on files without pawns.
    RookOpenFile,
    /// Rooks on files without own pawns, others being there.
    RookHalfOpenFile,
    /// Pawns without own pawns on files beside theirs.
    Isolated,
    /// Pawns behind another of their own.
    Doubled,
    /// Pawns, not isolated, that no own pawn can come to protect and that a pawn takes if they step ahead.
    Backward,
    /// Pawns that no pawn can stop, by their ranks, and those of them that a pawn protects.
    Passed2,
    Passed3,
    Passed4,
    Passed5,
    Passed6,
    Passed7,
    PassedProtected,
    /// Those of them that something stands before.
    PassedBlocked,
    /// By how many steps the other's king is farther from the square before them than the own one.
    PassedEscorted,
    /// Rights to castle.
    Castling,
    /// Pawns on the two ranks before a king on its first two, on its file and those beside it.
    Shield,
    /// Files at the king without pawns.
    KingOpenFile,
    /// Files at the king without own pawns, others being there.
    KingHalfOpenFile,
    /// Squares at the other's king, counted once for each piece that attacks them.
    KingZone,
    /// Pieces that attack squares at the other's king: exactly two, three, or more.
    TwoAttackers,
    ThreeAttackers,
    MoreAttackers,
    /// The other's pieces that pawns attack; its rooks and queens that knights and bishops do, its queens that rooks do.
    PawnThreat,
    MinorThreat,
    RookThreat,
    /// The other's pawns and pieces that are attacked and that nothing protects.
    Hanging,
    /// Being to move.
    Tempo,
}

impl Feature {
    /// All, in order, as the table of weights calls them.
    pub(super) const NAMED: [(Feature, &'static str); 37] = [
        (Feature::Pawn, "pawn"),
        (Feature::Knight, "knight"),
        (Feature::Bishop, "bishop"),
        (Feature::Rook, "rook"),
        (Feature::Queen, "queen"),
        (Feature::BishopPair, "bishop_pair"),
        (Feature::KnightMobility, "knight_mobility"),
        (Feature::BishopMobility, "bishop_mobility"),
        (Feature::RookMobility, "rook_mobility"),
        (Feature::QueenMobility, "queen_mobility"),
        (Feature::RookOpenFile, "rook_open_file"),
        (Feature::RookHalfOpenFile, "rook_half_open_file"),
        (Feature::Isolated, "isolated"),
        (Feature::Doubled, "doubled"),
        (Feature::Backward, "backward"),
        (Feature::Passed2, "passed_2"),
        (Feature::Passed3, "passed_3"),
        (Feature::Passed4, "passed_4"),
        (Feature::Passed5, "passed_5"),
        (Feature::Passed6, "passed_6"),
        (Feature::Passed7, "passed_7"),
        (Feature::PassedProtected, "passed_protected"),
        (Feature::PassedBlocked, "passed_blocked"),
        (Feature::PassedEscorted, "passed_escorted"),
        (Feature::Castling, "castling"),
        (Feature::Shield, "shield"),
        (Feature::KingOpenFile, "king_open_file"),
        (Feature::KingHalfOpenFile, "king_half_open_file"),
        (Feature::KingZone, "king_zone"),
        (Feature::TwoAttackers, "two_attackers"),
        (Feature::ThreeAttackers, "three_attackers"),
        (Feature::MoreAttackers, "more_attackers"),
        (Feature::PawnThreat, "pawn_threat"),
        (Feature::MinorThreat, "minor_threat"),
        (Feature::RookThreat, "rook_threat"),
        (Feature::Hanging, "hanging"),
        (Feature::Tempo, "tempo"),
    ];
}

/// Squares of a kind of piece, folded: eight ranks of four.
pub(super) const FOLDED: usize = 32;
/// The number of all features: those with names, then the squares of pawns, knights, bishops, rooks, queens and kings.
pub(super) const FEATURES: usize = Feature::NAMED.len() + Piece::NUM * FOLDED;

/// The place of a square of a kind of piece among the features; `square` as its owner sees it.
pub(super) fn square_feature(piece: Piece, square: Square) -> usize {
    let file = square.file() as usize;
    Feature::NAMED.len() + piece as usize * FOLDED + square.rank() as usize * 4 + file.min(7 - file)
}

/// How much of the pieces of a middle game is there, of [`WHOLE`].
pub(super) fn phase(setup: &Setup) -> i32 {
    let count = |piece| setup.pieces(piece).len() as i32;
    let pieces = count(Piece::Knight) + count(Piece::Bishop) + 2 * count(Piece::Rook) + 4 * count(Piece::Queen);
    pieces.min(WHOLE)
}

/// The phase of the start position.
pub(super) const WHOLE: i32 = 24;

/// Tells `add` of every feature of `setup`, in parts whose sums are what White has more of than Black.
pub(super) fn count(setup: &Setup, mut add: impl FnMut(usize, i32)) {
    let mut add_some = |feature: Feature, number: i32| {
        if number != 0 {
            add(feature as usize, number);
        }
    };
    let mut sides = Color::ALL.map(|color| Side::new(setup, color));
    for (color, sign) in [(Color::White, 1), (Color::Black, -1)] {
        let [own, other] = [color, !color].map(|color| &sides[color as usize]);
        let mut add = |feature: Feature, number: i32| add_some(feature, sign * number);
        pawns(setup, color, own, other, &mut add);
        king(own, other, &mut add);
        let reach = pieces(setup, color, own, other, &mut add);
        sides[color as usize].reach = reach;
        add(
            Feature::Castling,
            setup.castle_rights(color).short.is_some() as i32 + setup.castle_rights(color).long.is_some() as i32,
        );
        add(Feature::Tempo, i32::from(setup.side_to_move() == color));
    }
    for (color, sign) in [(Color::White, 1), (Color::Black, -1)] {
        let [own, other] = [color, !color].map(|color| &sides[color as usize].reach);
        threats(setup, color, own, other, &mut |feature, number| add_some(feature, sign * number));
    }
    for piece in Piece::ALL {
        for (color, sign) in [(Color::White, 1), (Color::Black, -1)] {
            for square in setup.colored_pieces(color, piece) {
                add(square_feature(piece, square.relative_to(color)), sign);
            }
        }
    }
}

/// What is needed of a side more than once, as that side sees the board.
struct Side {
    pawns: BitBoard,
    /// What its pawns attack.
    attacked: BitBoard,
    king: Square,
    /// What is attacked by which of its pieces, once that is known.
    reach: Reach,
}

/// What pieces of a side attack, as White sees the board.
#[derive(Clone, Copy)]
struct Reach {
    pawns: BitBoard,
    minors: BitBoard,
    rooks: BitBoard,
    /// All of them, queens and the king too.
    all: BitBoard,
}

impl Reach {
    const NOTHING: Reach =
        Reach { pawns: BitBoard::EMPTY, minors: BitBoard::EMPTY, rooks: BitBoard::EMPTY, all: BitBoard::EMPTY };
}

impl Side {
    fn new(setup: &Setup, color: Color) -> Self {
        let pawns = turned(setup.colored_pieces(color, Piece::Pawn), color);
        Self { pawns, attacked: attacked(pawns), king: setup.king(color).relative_to(color), reach: Reach::NOTHING }
    }
}

/// A set of squares as `color` sees it.
fn turned(squares: BitBoard, color: Color) -> BitBoard {
    if color == Color::White { squares } else { squares.flip_ranks() }
}

fn attacked(pawns: BitBoard) -> BitBoard {
    beside(BitBoard(pawns.0 << 8))
}

/// The squares to the left and right of others.
fn beside(squares: BitBoard) -> BitBoard {
    let (a, h) = (File::A.bitboard(), File::H.bitboard());
    BitBoard((squares & !h).0 << 1 | (squares & !a).0 >> 1)
}

/// The squares ahead of others on their files.
fn ahead(squares: BitBoard) -> BitBoard {
    let mut filled = squares.0 << 8;
    filled |= filled << 8;
    filled |= filled << 16;
    BitBoard(filled | filled << 32)
}

/// The squares behind others on their files.
fn behind(squares: BitBoard) -> BitBoard {
    ahead(squares.flip_ranks()).flip_ranks()
}

fn pawns(setup: &Setup, color: Color, own: &Side, other: &Side, add: &mut impl FnMut(Feature, i32)) {
    let (pawns, enemies) = (own.pawns, other.pawns.flip_ranks());
    let whole_files = pawns | ahead(pawns) | behind(pawns);
    let isolated = pawns & !beside(whole_files);
    add(Feature::Isolated, isolated.len() as i32);
    add(Feature::Doubled, (pawns & behind(pawns)).len() as i32);
    let protectable = own.attacked | ahead(own.attacked);
    let stops = BitBoard(pawns.0 << 8) & other.attacked.flip_ranks() & !protectable;
    add(Feature::Backward, (BitBoard(stops.0 >> 8) & !isolated).len() as i32);
    let stopped = behind(enemies);
    let passed = pawns & !(stopped | beside(stopped) | behind(pawns));
    for square in passed {
        let rank = square.rank() as usize;
        // Pawns stand on the second to the seventh rank.
        add(Feature::NAMED[Feature::Passed2 as usize + rank - 1].0, 1);
        let next = square.offset(0, 1);
        add(Feature::PassedEscorted, distance(other.king.flip_rank(), next) - distance(own.king, next));
    }
    let before = BitBoard(passed.0 << 8) & turned(setup.occupied(), color);
    add(Feature::PassedBlocked, before.len() as i32);
    add(Feature::PassedProtected, (passed & own.attacked).len() as i32);
}

/// The steps of a king from one square to another.
fn distance(from: Square, to: Square) -> i32 {
    let apart = |one: usize, other: usize| (one as i32 - other as i32).abs();
    apart(from.file() as usize, to.file() as usize).max(apart(from.rank() as usize, to.rank() as usize))
}

fn king(own: &Side, other: &Side, add: &mut impl FnMut(Feature, i32)) {
    let enemies = other.pawns.flip_ranks();
    let file = own.king.file().bitboard();
    let at_king = file | beside(file);
    if own.king.rank() <= Rank::Second {
        let place = own.king.bitboard() | beside(own.king.bitboard());
        let before = BitBoard(place.0 << 8 | place.0 << 16);
        add(Feature::Shield, (own.pawns & before).len() as i32);
    }
    for file in File::ALL {
        let squares = file.bitboard();
        if (squares & at_king).is_empty() || !(squares & own.pawns).is_empty() {
            continue;
        }
        let is_open = (squares & enemies).is_empty();
        add(if is_open { Feature::KingOpenFile } else { Feature::KingHalfOpenFile }, 1);
    }
}

/// Material, mobility, rooks' files, and attacks on the other king. Gives what the pieces attack.
fn pieces(setup: &Setup, color: Color, own: &Side, other: &Side, add: &mut impl FnMut(Feature, i32)) -> Reach {
    let named = |piece: Piece, first: Feature| Feature::NAMED[first as usize + piece as usize].0;
    for piece in [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
        add(named(piece, Feature::Pawn), setup.colored_pieces(color, piece).len() as i32);
    }
    add(Feature::BishopPair, i32::from(setup.colored_pieces(color, Piece::Bishop).len() >= 2));
    let target = setup.king(!color);
    let zone = get_king_moves(target) | target.bitboard();
    let free = !(setup.colors(color) | turned(other.attacked, !color));
    let (own_pawns, all_pawns) = (turned(own.pawns, color), setup.pieces(Piece::Pawn));
    let (mut attackers, mut attacks) = (0, 0);
    let pawns = turned(own.attacked, color);
    let mut reach = Reach { pawns, all: pawns | get_king_moves(setup.king(color)), ..Reach::NOTHING };
    for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
        let mut mobility = 0;
        for square in setup.colored_pieces(color, piece) {
            let reached = reached(piece, square, setup.occupied());
            mobility += (reached & free).len() as i32;
            reach.all |= reached;
            match piece {
                Piece::Knight | Piece::Bishop => reach.minors |= reached,
                Piece::Rook => reach.rooks |= reached,
                _ => {}
            }
            let near = (reached & zone).len() as i32;
            attackers += i32::from(near > 0);
            attacks += near;
            let file = square.file().bitboard();
            if piece == Piece::Rook && (file & own_pawns).is_empty() {
                let is_open = (file & all_pawns).is_empty();
                add(if is_open { Feature::RookOpenFile } else { Feature::RookHalfOpenFile }, 1);
            }
        }
        // Pawns have no mobility of their own here.
        add(Feature::NAMED[Feature::KnightMobility as usize + piece as usize - 1].0, mobility);
    }
    add(Feature::KingZone, attacks);
    match attackers {
        0 | 1 => {}
        2 => add(Feature::TwoAttackers, 1),
        3 => add(Feature::ThreeAttackers, 1),
        _ => add(Feature::MoreAttackers, 1),
    }
    reach
}

/// What of the other side stands where it may be taken at a profit.
fn threats(setup: &Setup, color: Color, own: &Reach, other: &Reach, add: &mut impl FnMut(Feature, i32)) {
    let of = |piece| setup.colored_pieces(!color, piece);
    let (queens, rooks, pawns, king) = (of(Piece::Queen), of(Piece::Rook), of(Piece::Pawn), of(Piece::King));
    let number = |squares: BitBoard| squares.len() as i32;
    let men = setup.colors(!color) & !king;
    add(Feature::PawnThreat, number(men & !pawns & own.pawns));
    add(Feature::MinorThreat, number((queens | rooks) & own.minors));
    add(Feature::RookThreat, number(queens & own.rooks));
    add(Feature::Hanging, number(men & own.all & !other.all));
}

/// The squares that a knight, bishop, rook or queen attacks.
pub(super) fn reached(piece: Piece, square: Square, occupied: BitBoard) -> BitBoard {
    match piece {
        Piece::Knight => get_knight_moves(square),
        Piece::Bishop => get_bishop_moves(square, occupied),
        Piece::Rook => get_rook_moves(square, occupied),
        _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
    }
}
