//! Chess and Chess960, on the move generator of the `cozy-chess` crate. White moves first.
//!
//! Games end by themselves wherever the laws let a player claim a draw: after fifty moves without a capture or a pawn's move, and when
//! a position comes for the third time; and where too few pieces are left to mate. A mate on the hundredth ply of the fifty moves counts.
//!
//! # What a state holds of the past
//! Equal states have equal futures, so a state holds its clock and the keys of the positions that can come again (see `board.rs`). Its key
//! leaves them out: a transposition table takes positions with different pasts for one, as chess programs do, so that a search may think of a
//! repetition what holds without it, but no search misses that a move at hand repeats a position for the third time. A replay sample and a cached
//! evaluation belong to the whole state. The network sees the clock and whether a position was there before, not the positions before it.

mod board;
mod evaluation;
mod exchange;
mod features;
mod knowledge;
mod moves;
mod notation;
mod tuning;

use cozy_chess::{Board as Setup, Color, File, Piece, Rank, Square};

use crate::game::{Action, Entry, Facts, Game, InvalidGame, InvalidPosition, Notation, ParseMoveError, Payoff, Turn, Variant};

pub use board::Board;
use evaluation::Weights;

const SIDE: usize = 8;
const CELLS: usize = SIDE * SIDE;
/// Both players' pieces, what may castle, who may be taken en passant, the clock, and whether the position was there before.
const PLANES: usize = 2 * Piece::NUM + 5;
/// Pawns move at most 96 times and 30 pieces can be taken; before each of these, and after the last, fifty moves pass at most.
const LONGEST: usize = (96 + 30 + 1) * 100;
/// The start position among those of Chess960.
const STANDARD: usize = 518;

/// The game as the list knows it, in the variant asked for.
pub(super) fn entry(variant: &mut Variant) -> Result<Entry<Chess>, InvalidGame> {
    let start = variant.number("start", 0..=959, STANDARD)?;
    let game = Chess::from(Board::new(Setup::chess960_startpos(start as u32)), variant.name());
    let entry = Entry::new(game, "mate the king; start is the number of a Chess960 position");
    Ok(entry.notation().knowledge().config(include_str!("../../../configs/chess.toml")))
}

/// The rules of chess.
#[derive(Debug)]
pub struct Chess {
    facts: Facts,
    start: Board,
    weights: Weights,
}

impl Chess {
    /// The rules, with games from the standard start position.
    #[must_use]
    pub fn new() -> Self {
        Self::from(Board::new(Setup::default()), "chess".into())
    }

    fn from(start: Board, id: String) -> Self {
        let facts = Facts {
            id,
            actions: moves::ACTIONS,
            planes: [PLANES, SIDE, SIDE],
            chance: false,
            sum: (0.0, 0.0),
            max_plies: LONGEST,
            wdl: true,
        };
        Self { facts, start, weights: Weights::shipped() }
    }

    /// The same rules with other weights of the evaluation.
    fn weighed(&self, weights: Weights) -> Self {
        Self { facts: self.facts.clone(), start: self.start.clone(), weights }
    }
}

impl Default for Chess {
    fn default() -> Self {
        Self::new()
    }
}

impl Game for Chess {
    type State = Board;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> Board {
        self.start.clone()
    }

    fn turn(&self, state: &Board) -> Turn {
        let setup = state.setup();
        if !setup.generate_moves(|_| true) {
            let is_mate = !setup.checkers().is_empty();
            return Turn::Over(if is_mate { Payoff::win(state.mover().other()) } else { Payoff::DRAW });
        }
        if state.is_drawn() { Turn::Over(Payoff::DRAW) } else { Turn::Move(state.mover()) }
    }

    fn actions(&self, state: &Board, out: &mut Vec<Action>) {
        if state.is_drawn() {
            return;
        }
        let mover = state.setup().side_to_move();
        state.setup().generate_moves(|steps| {
            out.extend(steps.into_iter().map(|step| moves::action(step, mover)));
            false
        });
    }

    fn play(&self, state: &mut Board, action: Action) {
        let step = moves::step(state.setup(), action);
        debug_assert!(step.is_some_and(|step| state.setup().is_legal(step)), "{action:?} is not legal");
        if let Some(step) = step {
            state.play(step);
        }
    }

    /// Planes: pawns, knights, bishops, rooks, queens and the king of the mover, and those of the other; rooks that may castle, the mover's and the
    /// other's; where a pawn that has just moved two squares can be taken; the share of the fifty moves that has passed; whether the position
    /// was there before. The mover's first rank is the first row.
    fn encode(&self, state: &Board, planes: &mut [f32]) {
        let (setup, mover) = (state.setup(), state.setup().side_to_move());
        planes.fill(0.0);
        let mut at = |plane: usize, square| planes[plane * CELLS + moves::seen(square, mover)] = 1.0;
        for (side, color) in [mover, !mover].into_iter().enumerate() {
            for piece in Piece::ALL {
                setup.colored_pieces(color, piece).into_iter().for_each(|square| at(side * Piece::NUM + piece as usize, square));
            }
            let rights = setup.castle_rights(color);
            let home = Rank::First.relative_to(color);
            for file in [rights.short, rights.long].into_iter().flatten() {
                at(2 * Piece::NUM + side, Square::new(file, home));
            }
        }
        if let Some(file) = setup.en_passant() {
            at(2 * Piece::NUM + 2, Square::new(file, Rank::Sixth.relative_to(mover)));
        }
        let whole = &mut planes[(PLANES - 2) * CELLS..];
        whole[..CELLS].fill(f32::from(setup.halfmove_clock()) / 100.0);
        whole[CELLS..].fill(f32::from(u8::from(state.repeated() > 0)));
    }

    fn ends_by_past(&self, state: &Board) -> bool {
        state.is_drawn_by_past()
    }

    fn key(&self, state: &Board) -> u64 {
        state.key()
    }

    /// The board with White's pieces in capitals, and the position as FEN.
    fn draw(&self, state: &Board) -> String {
        let setup = state.setup();
        let mut text = String::new();
        for rank in Rank::ALL.into_iter().rev() {
            text += &format!("{} ", rank as usize + 1);
            for file in File::ALL {
                let square = Square::new(file, rank);
                let letter = setup.piece_on(square).map_or('.', char::from);
                let is_white = setup.color_on(square) == Some(Color::White);
                text.extend([' ', if is_white { letter.to_ascii_uppercase() } else { letter }]);
            }
            text.push('\n');
        }
        text + &format!("   a b c d e f g h\n{}\n", state.fen())
    }

    /// The move as UCI has it: the squares it leaves and reaches, and the letter of the piece that a pawn becomes.
    fn label(&self, state: &Board, action: Action) -> String {
        moves::step(state.setup(), action).map_or_else(String::new, |step| notation::uci(state, step))
    }

    /// Takes moves as UCI has them, castling both as the king's two squares and as its step onto the rook, and in Standard Algebraic Notation.
    fn parse(&self, state: &Board, text: &str) -> Result<Action, ParseMoveError> {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        let found = notation::read(state, text.trim()).map(|step| moves::action(step, state.setup().side_to_move()));
        found.filter(|action| actions.contains(action)).ok_or_else(|| {
            let labels: Vec<String> = actions.iter().map(|&action| self.label(state, action)).collect();
            ParseMoveError { text: text.trim().to_owned(), legal: labels.join(" ") }
        })
    }
}

impl Notation for Chess {
    /// A position in FEN or Shredder-FEN; without its last two fields it stands at the beginning of the fifty moves.
    fn read(&self, text: &str) -> Result<Board, InvalidPosition> {
        Board::from_fen(text).map_err(|error| InvalidPosition::new(text, error.to_string()))
    }

    fn write(&self, state: &Board) -> String {
        state.fen()
    }

    /// Standard Algebraic Notation.
    fn short(&self, state: &Board, action: Action) -> String {
        moves::step(state.setup(), action).map_or_else(String::new, |step| notation::san(state, step))
    }

    fn sent(&self, state: &Board, action: Action, as_in_chess960: bool) -> String {
        let plain = || moves::step(state.setup(), action).map_or_else(String::new, |step| step.to_string());
        if as_in_chess960 { plain() } else { self.label(state, action) }
    }

    fn variant(&self, start: &Board) -> Option<&'static str> {
        (!start.castles_as_in_standard_chess()).then_some("Chess960")
    }

    fn forget(&self, state: &Board) -> Board {
        state.without_past()
    }

    fn hundredths(&self, utility: f32) -> f32 {
        knowledge::hundredths(utility)
    }

    fn utility(&self, hundredths: f32) -> f32 {
        knowledge::utility(hundredths)
    }
}
