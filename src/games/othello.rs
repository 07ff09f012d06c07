//! Othello on two 64-bit boards. Squares are numbered row by row from the top left, `a1` to `h8`; the first player has the black
//! discs. A player who cannot move passes, which is a move of its own; the game ends when neither can.
//!
//! Discs that turn are found by filling along each of the eight directions in parallel (the dumb seven-fill of computer
//! chess, G. Isenberg): from the mover's discs over those of the other as far as they go, then one square further. Cost: some
//! dozen shifts a direction, whatever the position.

use crate::game::{Action, Entry, Facts, Game, Knowledge, Payoff, Player, Symmetry, Turn, symmetry, zobrist};

const SIDE: usize = 8;
const CELLS: usize = SIDE * SIDE;
/// The action of passing, beyond those of the squares.
const PASS: Action = Action(CELLS as u16);
const ACTIONS: usize = CELLS + 1;
/// A disc is put on each of the 60 empty squares, and no pass follows a pass.
const LONGEST: usize = 120;

const ZOBRIST: [u64; 2 * CELLS + 1] = zobrist::table(5);
/// The key of the second player's being to move.
const SECOND_MOVES: u64 = ZOBRIST[2 * CELLS];

/// Steps to the eight neighbours, with the squares that a step arrives on: one across the edge of the board would come out
/// on its other side.
const DIRECTIONS: [(i32, u64); 8] =
    [(1, NOT_A), (-1, NOT_H), (8, u64::MAX), (-8, u64::MAX), (9, NOT_A), (-9, NOT_H), (7, NOT_H), (-7, NOT_A)];
const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;

/// The game as the list knows it.
pub(super) fn entry() -> Entry<Othello> {
    Entry::new(Othello::new(), "discs that enclose others turn them; most discs win")
        .knowledge()
        .config(include_str!("../../configs/othello.toml"))
}

/// The rules of Othello.
#[derive(Debug)]
pub struct Othello {
    facts: Facts,
    symmetries: Vec<Symmetry>,
}

/// A position: bit `8 * row + column` of `discs[p]` is a disc of player `p`, rows counted from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    discs: [u64; 2],
    mover: Player,
}

impl Board {
    /// The discs of `player` and those of the other.
    fn seen_by(self, player: Player) -> (u64, u64) {
        (self.discs[player.index()], self.discs[player.other().index()])
    }

    /// The squares that `player` may put a disc on.
    fn moves(self, player: Player) -> u64 {
        let (own, other) = self.seen_by(player);
        let beyond = |&(step, arrivals): &_| shift(enclosable(own, other, step, arrivals), step) & arrivals;
        DIRECTIONS.iter().map(beyond).fold(0, |all, found| all | found) & !(own | other)
    }

    /// The discs that turn when the mover puts one on `square`.
    fn turned(self, square: u64) -> u64 {
        let (own, other) = self.seen_by(self.mover);
        let line = |&(step, arrivals): &_| {
            let line = enclosable(square, other, step, arrivals);
            if shift(line, step) & arrivals & own == 0 { 0 } else { line }
        };
        DIRECTIONS.iter().map(line).fold(0, |all, found| all | found)
    }

    fn count(self, player: Player) -> u32 {
        self.discs[player.index()].count_ones()
    }
}

/// Every square of `board` moved by a step, those that fall off at the top or bottom left out.
fn shift(board: u64, step: i32) -> u64 {
    if step > 0 { board << step } else { board >> -step }
}

/// The discs of `other` in unbroken lines from `from` in one direction.
fn enclosable(from: u64, other: u64, step: i32, arrivals: u64) -> u64 {
    let through = other & arrivals;
    let first = shift(from, step) & through;
    // At most six discs lie between two others.
    (0..5).fold(first, |line, _| line | shift(line, step) & through)
}

impl Othello {
    /// The rules.
    #[must_use]
    pub fn new() -> Self {
        let facts = Facts {
            id: "othello".into(),
            actions: ACTIONS,
            planes: [2, SIDE, SIDE],
            chance: false,
            sum: (0.0, 0.0),
            max_plies: LONGEST,
            wdl: true,
        };
        let symmetries = (0..8).map(|index| Symmetry::new(index, ACTIONS, |action| image(index, action))).collect();
        Self { facts, symmetries }
    }
}

impl Default for Othello {
    fn default() -> Self {
        Self::new()
    }
}

/// Where a symmetry takes an action: a pass stays one.
fn image(symmetry: usize, action: usize) -> usize {
    if action == PASS.index() {
        return action;
    }
    let (row, column) = symmetry::square(symmetry, SIDE, (action / SIDE, action % SIDE));
    SIDE * row + column
}

/// The numbers of the squares of `board`, lowest first.
fn squares(mut board: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let square = (board != 0).then(|| board.trailing_zeros() as usize);
        board &= board.wrapping_sub(1);
        square
    })
}

impl Game for Othello {
    type State = Board;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> Board {
        // Black on e4 and d5, white on d4 and e5.
        Board { discs: [1 << 28 | 1 << 35, 1 << 27 | 1 << 36], mover: Player::First }
    }

    fn turn(&self, state: &Board) -> Turn {
        if state.moves(state.mover) != 0 || state.moves(state.mover.other()) != 0 {
            return Turn::Move(state.mover);
        }
        let [first, second] = Player::BOTH.map(|player| state.count(player));
        Turn::Over(match first.cmp(&second) {
            std::cmp::Ordering::Greater => Payoff::win(Player::First),
            std::cmp::Ordering::Equal => Payoff::DRAW,
            std::cmp::Ordering::Less => Payoff::win(Player::Second),
        })
    }

    fn actions(&self, state: &Board, out: &mut Vec<Action>) {
        let moves = state.moves(state.mover);
        if moves != 0 {
            out.extend(squares(moves).map(|square| Action(square as u16)));
        } else if state.moves(state.mover.other()) != 0 {
            out.push(PASS);
        }
    }

    fn play(&self, state: &mut Board, action: Action) {
        if action != PASS {
            let square = 1 << action.0;
            let turned = state.turned(square);
            debug_assert!(turned != 0, "{action:?} turns no disc");
            let (own, other) = (state.mover.index(), state.mover.other().index());
            state.discs[own] |= square | turned;
            state.discs[other] &= !turned;
        }
        state.mover = state.mover.other();
    }

    /// Planes: the mover's discs, the other's discs.
    fn encode(&self, state: &Board, planes: &mut [f32]) {
        let (own, other) = state.seen_by(state.mover);
        for (plane, discs) in planes.chunks_exact_mut(CELLS).zip([own, other]) {
            for (square, value) in plane.iter_mut().enumerate() {
                *value = f32::from((discs >> square & 1) as u8);
            }
        }
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    fn transform(&self, state: &Board, by: &Symmetry) -> Board {
        let image = |discs| squares(discs).fold(0, |seen, square| seen | 1 << by.action(Action(square as u16)).0);
        Board { discs: state.discs.map(image), ..*state }
    }

    fn key(&self, state: &Board) -> u64 {
        let start = if state.mover == Player::First { 0 } else { SECOND_MOVES };
        Player::BOTH.iter().fold(start, |key, player| {
            squares(state.discs[player.index()]).fold(key, |key, square| key ^ ZOBRIST[player.index() * CELLS + square])
        })
    }

    fn draw(&self, state: &Board) -> String {
        let mut text = "   a b c d e f g h\n".to_owned();
        for row in 0..SIDE {
            text += &format!("{} ", row + 1);
            for column in 0..SIDE {
                let bit = 1 << (SIDE * row + column);
                let owner = Player::BOTH.into_iter().find(|player| state.discs[player.index()] & bit != 0);
                text.extend([' ', owner.map_or('.', Player::mark)]);
            }
            text.push('\n');
        }
        text
    }

    fn label(&self, _: &Board, action: Action) -> String {
        if action == PASS {
            return "pass".to_owned();
        }
        let column = char::from(b'a' + (action.index() % SIDE) as u8);
        format!("{column}{}", action.index() / SIDE + 1)
    }
}

const CORNERS: u64 = 0x8100_0000_0000_0081;
/// The squares diagonally next to corners, which give the corner away.
const NEAR_CORNERS: u64 = 0x0042_0000_0000_4200;
const EDGES: u64 = 0xFF81_8181_8181_81FF;

impl Knowledge for Othello {
    /// Corners, the squares that give them away, moves to choose from, and discs, which count the more the fewer squares are
    /// empty.
    fn heuristic(&self, state: &Board) -> Payoff {
        let worth = |player: Player| {
            let own = state.discs[player.index()];
            let moves = state.moves(player).count_ones() as f32;
            let near = squares(own & NEAR_CORNERS).filter(|&square| is_open_corner(*state, square)).count() as f32;
            12.0 * (own & CORNERS).count_ones() as f32 - 4.0 * near + moves
        };
        let [first, second] = state.discs.map(|discs| discs.count_ones() as f32);
        let balance = worth(Player::First) - worth(Player::Second) + (first - second) * (first + second) / 64.0;
        Payoff::zero_sum(Player::First, 0.9 * balance / (balance.abs() + 24.0))
    }

    /// Corners, then edges, then the middle, and squares that give a corner away last.
    fn ordering(&self, _: &Board, action: Action) -> i32 {
        let square = if action == PASS { 0 } else { 1 << action.0 };
        match square {
            _ if square & CORNERS != 0 => 3,
            _ if square & NEAR_CORNERS != 0 => 0,
            _ if square & EDGES != 0 => 2,
            _ => 1,
        }
    }
}

/// Whether the corner diagonally next to `square` is empty.
fn is_open_corner(state: Board, square: usize) -> bool {
    let nearest = |at: usize| if at < SIDE / 2 { 0 } else { SIDE - 1 };
    let corner = SIDE * nearest(square / SIDE) + nearest(square % SIDE);
    (state.discs[0] | state.discs[1]) >> corner & 1 == 0
}
