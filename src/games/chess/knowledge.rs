//! What classical search is told of chess.

use std::sync::Arc;

use cozy_chess::{BitBoard, Move, Piece, Rank, Square, get_pawn_attacks};

use super::evaluation::Weights;
use super::exchange::{gain, victim, won, worth};
use super::features::reached;
use super::{Board, Chess, moves, tuning};
use crate::game::{Action, Fit, Knowledge, Known, Lesson, Payoff, Player, Term};

/// The hundredths of a pawn that are worth a utility of a half.
const HALF: f32 = 1000.0;
/// How much more than what it takes a move may be worth, in hundredths of a pawn (delta pruning's margin).
const MARGIN: f32 = 200.0;
/// How much a ply of quiet play may change, in hundredths of a pawn.
const DRIFT: f32 = 90.0;

/// A value in hundredths of a pawn as a utility: a half at [`HALF`], and never a win.
pub(super) fn utility(value: f32) -> f32 {
    value / (value.abs() + HALF)
}

/// The inverse of [`utility`].
pub(super) fn hundredths(utility: f32) -> f32 {
    HALF * utility / (1.0 - utility.abs()).max(f32::EPSILON)
}

/// The squares from which a piece of the mover would attack the other king; none for a king.
fn checking(state: &Board, piece: Piece) -> BitBoard {
    let setup = state.setup();
    let (mover, occupied) = (setup.side_to_move(), setup.occupied());
    let king = setup.king(!mover);
    match piece {
        Piece::Pawn => get_pawn_attacks(king, !mover),
        Piece::King => BitBoard::EMPTY,
        piece => reached(piece, king, occupied),
    }
}

impl Knowledge for Chess {
    /// The weighted sum of the features.
    fn heuristic(&self, state: &Board) -> Payoff {
        Payoff::zero_sum(Player::First, utility(self.weights.value(state.setup()) as f32))
    }

    /// The most valuable victim first, taken by the least valuable attacker; a promotion counts as what it wins.
    fn ordering(&self, state: &Board, action: Action) -> i32 {
        let Some(step) = moves::step(state.setup(), action) else { return 0 };
        let setup = state.setup();
        let gain = gain(setup, step);
        let attacker = setup.piece_on(step.from).map_or(0, |piece| worth(piece).min(1_000));
        if gain == 0 { 0 } else { 16 * gain - attacker }
    }

    /// The features that count here, in hundredths of a pawn.
    fn terms(&self, state: &Board) -> Vec<Term> {
        self.weights.terms(state.setup())
    }

    fn fit(&self, lessons: &[Lesson<Board>], results: f32) -> Option<Fit> {
        Some(tuning::fit(self, lessons, results.into()))
    }

    fn with_weights(&self, table: &str) -> Option<Result<Known<Board>, String>> {
        let weighed = |weights| Arc::new(self.weighed(weights)) as Known<Board>;
        Some(Weights::read(table).map(weighed).map_err(|error| error.to_string()))
    }

    fn is_tactical(&self) -> bool {
        true
    }

    /// Whether the king is in check.
    fn is_threatened(&self, state: &Board) -> bool {
        !state.setup().checkers().is_empty()
    }

    /// Captures and promotions, in hundredths of a pawn.
    fn exchange(&self, state: &Board, action: Action) -> Option<i32> {
        let step = moves::step(state.setup(), action)?;
        let setup = state.setup();
        (step.promotion.is_some() || victim(setup, step).is_some()).then(|| won(setup, step))
    }

    /// Captures, promotions to a queen, and if threats are wanted, pieces and pawns that go where they give check and are not lost.
    /// Checks that another piece gives because one goes away are left out.
    fn noisy(&self, state: &Board, threats: bool, out: &mut Vec<Action>) {
        if state.is_drawn() {
            return;
        }
        let (setup, mover) = (state.setup(), state.setup().side_to_move());
        let passing = setup.en_passant().map(|file| Square::new(file, Rank::Sixth.relative_to(mover)));
        let last = Rank::Eighth.relative_to(mover).bitboard();
        setup.generate_moves(|mut steps| {
            let mut wanted = setup.colors(!mover);
            if steps.piece == Piece::Pawn {
                wanted |= last | passing.map_or(BitBoard::EMPTY, Square::bitboard);
            }
            if threats {
                wanted |= checking(state, steps.piece) & !setup.colors(mover);
            }
            steps.to &= wanted;
            let is_wanted = |step: &Move| match step.promotion {
                Some(promotion) => promotion == Piece::Queen,
                None => victim(setup, *step).is_some() || won(setup, *step) >= 0,
            };
            out.extend(steps.into_iter().filter(is_wanted).map(|step| moves::action(step, mover)));
            false
        });
    }

    /// What the move takes, and a margin.
    fn reach(&self, state: &Board, action: Action, estimate: f32) -> f32 {
        let gain = moves::step(state.setup(), action).map_or(0, |step| gain(state.setup(), step));
        utility(hundredths(estimate) + gain as f32 + MARGIN)
    }

    /// So much and no more a ply.
    fn drift(&self, estimate: f32, plies: i32) -> f32 {
        utility(hundredths(estimate) + DRIFT * plies as f32)
    }

    /// Not in check, nor with less than a rook or two pieces beside the pawns, when each move may be a step back (zugzwang).
    fn pass(&self, state: &Board) -> Option<Board> {
        let setup = state.setup();
        let own = setup.colors(setup.side_to_move());
        let heavy = setup.pieces(Piece::Rook) | setup.pieces(Piece::Queen);
        let light = setup.pieces(Piece::Knight) | setup.pieces(Piece::Bishop);
        if (own & heavy).is_empty() && (own & light).len() < 2 { None } else { state.passed() }
    }
}
