//! Connect Four on two 64-bit boards of seven columns of seven bits, lowest first; the seventh bit of a column stays empty,
//! so that lines never run from one column into the next (J. Tromp, "John's Connect Four Playground").

use crate::game::{Action, Entry, Facts, Game, Knowledge, Payoff, Player, Stones, Symmetry, Turn, zobrist};

const CONFIG: &str = include_str!("../../configs/connect_four.toml");

const WIDTH: usize = 7;
const HEIGHT: usize = 6;
const CELLS: usize = WIDTH * HEIGHT;
/// Bits a column: its cells and the empty one above.
const STRIDE: usize = HEIGHT + 1;
/// Distances between neighbours on a line: upwards, across, falling and rising diagonal.
const DIRECTIONS: [usize; 4] = [1, STRIDE, STRIDE - 1, STRIDE + 1];
const ZOBRIST: [u64; 2 * STRIDE * WIDTH] = zobrist::table(4);
const BOTTOM: u64 = column_bits(1);
const BOARD: u64 = BOTTOM * ((1 << HEIGHT) - 1);

const fn column_bits(bits: u64) -> u64 {
    let (mut all, mut column) = (0, 0);
    while column < WIDTH {
        all |= bits << (column * STRIDE);
        column += 1;
    }
    all
}

/// The game as the list knows it.
pub(super) fn entry() -> Entry<ConnectFour> {
    Entry::new(ConnectFour::new(), "four in a row on 7x6, with gravity")
        .knowledge()
        .config(CONFIG)
        .four_in_a_row(ConnectFour::stones)
}

/// The rules of Connect Four.
#[derive(Debug)]
pub struct ConnectFour {
    facts: Facts,
    symmetries: Vec<Symmetry>,
}

/// A position: bit `7 * column + row` of `stones[p]` is a stone of player `p`, rows counted from the bottom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board {
    stones: [u64; 2],
    key: u64,
}

impl Board {
    fn occupied(self) -> u64 {
        self.stones[0] | self.stones[1]
    }

    fn plies(self) -> u32 {
        self.occupied().count_ones()
    }

    fn mover(self) -> Player {
        Player::BOTH[(self.plies() % 2) as usize]
    }

    /// The lowest empty cell of each column that has one.
    fn landing(self) -> u64 {
        (self.occupied() + BOTTOM) & BOARD
    }

    fn put(&mut self, player: Player, bit: u64) {
        self.stones[player.index()] |= bit;
        self.key ^= ZOBRIST[player.index() * STRIDE * WIDTH + bit.trailing_zeros() as usize];
    }
}

impl ConnectFour {
    /// The rules.
    #[must_use]
    pub fn new() -> Self {
        let facts = Facts {
            id: "connect_four".into(),
            actions: WIDTH,
            planes: [2, HEIGHT, WIDTH],
            chance: false,
            sum: (0.0, 0.0),
            max_plies: CELLS,
            wdl: true,
        };
        let mirror = |column| WIDTH - 1 - column;
        Self { facts, symmetries: vec![Symmetry::new(0, WIDTH, |column| column), Symmetry::new(1, WIDTH, mirror)] }
    }

    /// A position as its solver sees it.
    #[must_use]
    pub fn stones(state: &Board) -> Stones {
        Stones { mover: state.stones[state.mover().index()], occupied: state.occupied() }
    }
}

impl Default for ConnectFour {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether `stones` hold four in a row.
fn has_four(stones: u64) -> bool {
    DIRECTIONS.iter().any(|&step| {
        let pairs = stones & (stones >> step);
        pairs & (pairs >> (2 * step)) != 0
    })
}

/// The bits of a board, lowest first.
fn bits(mut board: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = board & board.wrapping_neg();
        board ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

impl Game for ConnectFour {
    type State = Board;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> Board {
        Board::default()
    }

    fn turn(&self, state: &Board) -> Turn {
        let last = state.mover().other();
        if has_four(state.stones[last.index()]) {
            Turn::Over(Payoff::win(last))
        } else if state.occupied() == BOARD {
            Turn::Over(Payoff::DRAW)
        } else {
            Turn::Move(state.mover())
        }
    }

    fn actions(&self, state: &Board, out: &mut Vec<Action>) {
        if matches!(self.turn(state), Turn::Move(_)) {
            out.extend(bits(state.landing()).map(|bit| Action((bit.trailing_zeros() as usize / STRIDE) as u16)));
        }
    }

    fn play(&self, state: &mut Board, action: Action) {
        let bit = state.landing() & (((1 << STRIDE) - 1) << (action.index() * STRIDE));
        debug_assert!(bit != 0, "column {} is full", action.0 + 1);
        state.put(state.mover(), bit);
    }

    /// Planes: the mover's stones, the other's stones; the top row first.
    fn encode(&self, state: &Board, planes: &mut [f32]) {
        let mover = state.mover();
        for (plane, player) in planes.chunks_exact_mut(CELLS).zip([mover, mover.other()]) {
            let stones = state.stones[player.index()];
            for (cell, value) in plane.iter_mut().enumerate() {
                let (row, column) = (HEIGHT - 1 - cell / WIDTH, cell % WIDTH);
                *value = if stones >> (column * STRIDE + row) & 1 == 1 { 1.0 } else { 0.0 };
            }
        }
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    fn transform(&self, state: &Board, by: &Symmetry) -> Board {
        let mut image = Board::default();
        for player in Player::BOTH {
            for bit in bits(state.stones[player.index()]) {
                let cell = bit.trailing_zeros() as usize;
                let column = by.action(Action((cell / STRIDE) as u16)).index();
                image.put(player, 1 << (column * STRIDE + cell % STRIDE));
            }
        }
        image
    }

    fn key(&self, state: &Board) -> u64 {
        state.key
    }

    fn draw(&self, state: &Board) -> String {
        let mut text = String::new();
        for row in (0..HEIGHT).rev() {
            for column in 0..WIDTH {
                let bit = 1 << (column * STRIDE + row);
                let owner = Player::BOTH.into_iter().find(|player| state.stones[player.index()] & bit != 0);
                text.extend([' ', owner.map_or('.', Player::mark)]);
            }
            text.push('\n');
        }
        text + " 1 2 3 4 5 6 7\n"
    }

    fn label(&self, _: &Board, action: Action) -> String {
        (action.0 + 1).to_string()
    }
}

impl Knowledge for ConnectFour {
    /// Lines of four cells that only one player has stones on, weighted by how many, and stones in the middle columns.
    fn heuristic(&self, state: &Board) -> Payoff {
        let [first, second] = state.stones;
        let lines = open_lines(first, second) - open_lines(second, first);
        let centre =
            |stones: u64| CENTRE.iter().map(|&(columns, weight)| (stones & columns).count_ones() as i32 * weight).sum::<i32>();
        let balance = (lines + centre(first) - centre(second)) as f32;
        Payoff::zero_sum(Player::First, 0.9 * balance / (balance.abs() + 64.0))
    }

    /// Central columns first: more lines run through them.
    fn ordering(&self, _: &Board, action: Action) -> i32 {
        -(action.index().abs_diff(WIDTH / 2) as i32)
    }
}

/// What lines of four cells are worth to the owner of `mine`: 1, 4 or 16 with one, two or three stones, and nothing once the other
/// has a stone there. A line is known by its lowest cell; all lines of a direction are counted at once, in two bits each.
fn open_lines(mine: u64, other: u64) -> i32 {
    let worth = |(step, starts): (usize, u64)| {
        let cells = |board: u64| [board, board >> step, board >> (2 * step), board >> (3 * step)];
        let open = starts & !cells(other).into_iter().fold(0, |any, cell| any | cell);
        let [a, b, c, d] = cells(mine);
        let (low, high) = (a ^ b ^ c ^ d, a & b ^ c & d ^ (a ^ b) & (c ^ d));
        let count = |lines: u64| (open & lines).count_ones() as i32;
        16 * count(high & low) + 4 * count(high & !low) + count(low & !high)
    };
    DIRECTIONS.into_iter().zip(STARTS).map(worth).sum()
}

/// For each direction the lowest cells of its lines.
const STARTS: [u64; 4] = starts();

const fn starts() -> [u64; 4] {
    let (mut starts, mut at) = ([0; 4], 0);
    while at < 4 {
        let step = DIRECTIONS[at];
        starts[at] = BOARD & BOARD >> step & BOARD >> (2 * step) & BOARD >> (3 * step);
        at += 1;
    }
    starts
}

/// Columns by nearness to the middle, with the worth of a stone there.
const CENTRE: [(u64, i32); 2] = [(column(3), 3), (column(2) | column(4), 1)];

const fn column(index: usize) -> u64 {
    ((1 << HEIGHT) - 1) << (index * STRIDE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Position;
    use crate::rng::stream;
    use rand::RngExt as _;

    #[test]
    fn lines_counted_at_once_are_lines_counted_one_by_one() {
        let lines: Vec<u64> = DIRECTIONS
            .iter()
            .zip(STARTS)
            .flat_map(|(&step, starts)| bits(starts).map(move |start| (0..4).fold(0, |line, at| line | start << (at * step))))
            .collect();
        assert_eq!(lines.len(), 69);
        let game = std::sync::Arc::new(ConnectFour::new());
        for index in 0..50 {
            let (mut position, mut rng) = (Position::initial(&game), stream(1, "lines", index));
            while let Turn::Move(_) = position.turn() {
                let [first, second] = position.state().stones;
                for (mine, other) in [(first, second), (second, first)] {
                    let worth = |&line: &u64| match (mine & line).count_ones() {
                        stones if stones > 0 && other & line == 0 => 1 << (2 * (stones - 1)),
                        _ => 0,
                    };
                    assert_eq!(open_lines(mine, other), lines.iter().map(worth).sum::<i32>());
                }
                let actions = position.actions();
                position.play(actions[rng.random_range(0..actions.len())]);
            }
        }
    }
}
