//! Tic-tac-toe on two 9-bit boards. Squares are numbered row by row from the top left: `a3 b3 c3 / a2 b2 c2 / a1 b1 c1`.

use crate::game::{
    Action, Entry, Facts, Game, Knowledge, Payoff, Player, Rung, ShippedNetwork, Symmetry, Turn, symmetry, zobrist,
};

const CONFIG: &str = include_str!("../../configs/tic_tac_toe.toml");
const NETWORKS: &[ShippedNetwork] =
    &[ShippedNetwork { name: "perfect", bytes: include_bytes!("../../checkpoints/tic_tac_toe.safetensors") }];
/// docs/strength.md has the tournament behind it.
const LADDER: &[Rung] = &[
    Rung { agent: "random", elo: 0 },
    Rung { agent: "uct:sims=4", elo: 67 },
    Rung { agent: "uct:sims=10", elo: 201 },
    Rung { agent: "uct:sims=25", elo: 260 },
    Rung { agent: "puct:sims=100", elo: 308 },
];
const CELLS: usize = 9;
const FULL: u16 = 0b111_111_111;
const LINES: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000, // rows
    0b001_001_001,
    0b010_010_010,
    0b100_100_100, // columns
    0b100_010_001,
    0b001_010_100, // diagonals
];
/// Bit b of the whole is set where board b, one player's stones, has a line.
const WON: [u64; (1 << CELLS) / 64] = won();
const ZOBRIST: [u64; 2 * CELLS] = zobrist::table(3);

const fn won() -> [u64; (1 << CELLS) / 64] {
    let (mut won, mut board) = ([0; (1 << CELLS) / 64], 0);
    while board < 1 << CELLS {
        let mut line = 0;
        while line < LINES.len() {
            if LINES[line] & !(board as u16) == 0 {
                won[board / 64] |= 1 << (board % 64);
            }
            line += 1;
        }
        board += 1;
    }
    won
}

/// The game as the list knows it.
pub(super) fn entry() -> Entry<TicTacToe> {
    Entry::new(TicTacToe::new(), "three in a row on 3x3").knowledge().config(CONFIG).enumerable().shipped(NETWORKS, LADDER)
}

/// The rules of tic-tac-toe.
#[derive(Debug)]
pub struct TicTacToe {
    facts: Facts,
    symmetries: Vec<Symmetry>,
}

/// A position: bit `c` of `stones[p]` is a stone of player `p` on square `c`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board {
    stones: [u16; 2],
}

impl Board {
    fn occupied(self) -> u16 {
        self.stones[0] | self.stones[1]
    }

    fn mover(self) -> Player {
        Player::BOTH[(self.occupied().count_ones() % 2) as usize]
    }
}

impl TicTacToe {
    /// The rules.
    #[must_use]
    pub fn new() -> Self {
        let facts = Facts {
            id: "tic_tac_toe".into(),
            actions: CELLS,
            planes: [2, 3, 3],
            chance: false,
            sum: (0.0, 0.0),
            max_plies: CELLS,
            wdl: true,
        };
        let symmetries = (0..8).map(|index| Symmetry::new(index, CELLS, |cell| image(index, cell))).collect();
        Self { facts, symmetries }
    }
}

impl Default for TicTacToe {
    fn default() -> Self {
        Self::new()
    }
}

fn image(symmetry: usize, cell: usize) -> usize {
    let (row, column) = symmetry::square(symmetry, 3, (cell / 3, cell % 3));
    3 * row + column
}

/// The squares of a board, in order.
fn cells(mut board: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = board.trailing_zeros() as usize;
        (board != 0).then(|| board &= board - 1).map(|()| cell)
    })
}

impl Game for TicTacToe {
    type State = Board;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> Board {
        Board::default()
    }

    fn turn(&self, state: &Board) -> Turn {
        let last = state.mover().other();
        let stones = usize::from(state.stones[last.index()] & FULL);
        if WON[stones / 64] >> (stones % 64) & 1 == 1 {
            Turn::Over(Payoff::win(last))
        } else if state.occupied() == FULL {
            Turn::Over(Payoff::DRAW)
        } else {
            Turn::Move(state.mover())
        }
    }

    fn actions(&self, state: &Board, out: &mut Vec<Action>) {
        if matches!(self.turn(state), Turn::Move(_)) {
            out.extend(cells(FULL & !state.occupied()).map(|cell| Action(cell as u16)));
        }
    }

    fn play(&self, state: &mut Board, action: Action) {
        debug_assert!(state.occupied() & (1 << action.0) == 0, "{action:?} is occupied");
        state.stones[state.mover().index()] |= 1 << action.0;
    }

    /// Planes: the mover's stones, the other's stones.
    fn encode(&self, state: &Board, planes: &mut [f32]) {
        let mover = state.mover();
        for (plane, player) in planes.chunks_exact_mut(CELLS).zip([mover, mover.other()]) {
            for (cell, value) in plane.iter_mut().enumerate() {
                *value = f32::from(state.stones[player.index()] >> cell & 1);
            }
        }
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    fn transform(&self, state: &Board, by: &Symmetry) -> Board {
        Board {
            stones: state.stones.map(|board| cells(board).fold(0, |seen, cell| seen | 1 << by.action(Action(cell as u16)).0)),
        }
    }

    fn key(&self, state: &Board) -> u64 {
        (0..2).fold(0, |key, player| cells(state.stones[player]).fold(key, |key, cell| key ^ ZOBRIST[player * CELLS + cell]))
    }

    fn draw(&self, state: &Board) -> String {
        let mut text = String::new();
        for row in 0..3 {
            text += &format!("{} ", 3 - row);
            for column in 0..3 {
                let bit = 1 << (3 * row + column);
                let owner = Player::BOTH.into_iter().find(|player| state.stones[player.index()] & bit != 0);
                text.extend([' ', owner.map_or('.', Player::mark)]);
            }
            text.push('\n');
        }
        text + "   a b c\n"
    }

    fn label(&self, _: &Board, action: Action) -> String {
        let column = char::from(b'a' + (action.0 % 3) as u8);
        format!("{column}{}", 3 - action.0 / 3)
    }
}

impl Knowledge for TicTacToe {
    /// Lines that only one player has stones on, counted with the square of those stones.
    fn heuristic(&self, state: &Board) -> Payoff {
        let [first, second] = state.stones;
        let open = |mine: u16, other: u16| -> i32 {
            LINES.iter().filter(|&&line| other & line == 0).map(|&line| ((mine & line).count_ones() as i32).pow(2)).sum()
        };
        let balance = open(first, second) - open(second, first);
        Payoff::zero_sum(Player::First, balance as f32 / 64.0)
    }

    /// The centre, then corners, then edges: the number of lines through the square.
    fn ordering(&self, _: &Board, action: Action) -> i32 {
        LINES.iter().filter(|&&line| line & (1 << action.0) != 0).count() as i32
    }
}
