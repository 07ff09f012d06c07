//! Hex (P. Hein, 1942; J. Nash, 1948) on a rhombus of hexagons, two 128-bit boards. The first player connects the top with the
//! bottom, the second the left with the right; there are no draws. Cells are numbered row by row from the top left, `a1`, `b1`, ...
//!
//! The mover sees the board from the diagonal if it is the second player, and so always connects the top with the bottom. With
//! the swap rule the second player may take over the first stone instead of putting one: it becomes a stone of the second player
//! on the mirrored cell.
//!
//! A stone wins if the chain it belongs to touches both edges: chains are filled on whole boards of bits, once a move. Cost: at
//! most as many rounds of a dozen operations as the chain is long.

use crate::game::{Action, Entry, Facts, Game, InvalidGame, Knowledge, Payoff, Player, Symmetry, Turn, Variant, zobrist};

/// The largest board whose cells fit into 128 bits.
const LARGEST: usize = 11;
/// The largest board whose positions can be visited one by one.
const ENUMERABLE: usize = 3;

const ZOBRIST: [u64; 2 * LARGEST * LARGEST + 1] = zobrist::table(6);
/// The key of a swap's having taken place.
const SWAPPED: u64 = ZOBRIST[2 * LARGEST * LARGEST];

/// The variant asked for, as the list knows it.
pub(super) fn entry(variant: &mut Variant) -> Result<Entry<Hex>, InvalidGame> {
    let game = Hex::of(variant)?;
    let is_small = game.size <= ENUMERABLE;
    let entry = Entry::new(game, "X connects top and bottom of a rhombus, O left and right").knowledge();
    Ok(if is_small { entry.enumerable() } else { entry })
}

/// The rules of Hex.
#[derive(Debug)]
pub struct Hex {
    facts: Facts,
    symmetries: Vec<Symmetry>,
    size: usize,
    /// Whether the second player may take over the first stone.
    swap: bool,
    /// The cells of each edge: top, bottom, left, right.
    edges: [u128; 4],
}

/// A position: bit `size * row + column` of `stones[p]` is a stone of player `p`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board {
    stones: [u128; 2],
    /// Whether the first stone was taken over.
    swapped: bool,
    /// Whether the last stone connected its edges.
    won: bool,
}

impl Board {
    fn occupied(self) -> u128 {
        self.stones[0] | self.stones[1]
    }

    /// A swap is a ply that adds no stone.
    fn mover(self) -> Player {
        Player::BOTH[((self.occupied().count_ones() + u32::from(self.swapped)) % 2) as usize]
    }
}

impl Hex {
    /// The variant that is asked for: its options are `size`, the cells of an edge, and `swap`.
    ///
    /// # Errors
    /// When `variant` gives a size or a rule that there is none of.
    pub fn of(variant: &mut Variant) -> Result<Self, InvalidGame> {
        let size = variant.number("size", 2..=LARGEST, 7)?;
        let swap = variant.flag("swap")?;
        let cells = size * size;
        let facts = Facts {
            id: variant.name(),
            actions: cells + usize::from(swap),
            planes: [2 + usize::from(swap), size, size],
            chance: false,
            sum: (0.0, 0.0),
            max_plies: cells + usize::from(swap),
            wdl: true,
        };
        let turned = |action| if action < cells { cells - 1 - action } else { action };
        let symmetries = vec![Symmetry::IDENTITY, Symmetry::new(1, facts.actions, turned)];
        let top = (1 << size) - 1;
        let left = (0..size).fold(0, |column, row| column | 1 << (size * row));
        let edges = [top, top << (cells - size), left, left << (size - 1)];
        Ok(Self { facts, symmetries, size, swap, edges })
    }

    fn cells(&self) -> usize {
        self.size * self.size
    }

    /// The action of taking over the first stone, beyond those of the cells.
    fn takeover(&self) -> Action {
        Action(self.cells() as u16)
    }

    fn may_swap(&self, state: &Board) -> bool {
        self.swap && !state.swapped && state.occupied().count_ones() == 1
    }

    /// The cell that `player` sees at `seen`, and the reverse.
    fn view(&self, player: Player, seen: usize) -> usize {
        if player == Player::First { seen } else { self.size * (seen % self.size) + seen / self.size }
    }

    /// The two edges that `player` connects.
    fn goals(&self, player: Player) -> (u128, u128) {
        let [top, bottom, left, right] = self.edges;
        if player == Player::First { (top, bottom) } else { (left, right) }
    }

    /// The cells next to one of `cells`.
    fn neighbours(&self, cells: u128) -> u128 {
        let [_, _, left, right] = self.edges;
        let rightwards = (cells << 1 | cells >> (self.size - 1)) & !left;
        let leftwards = (cells >> 1 | cells << (self.size - 1)) & !right;
        let board = u128::MAX >> (128 - self.cells());
        (rightwards | leftwards | cells << self.size | cells >> self.size) & board
    }

    /// `from` with every chain of `stones` that touches it.
    fn fill(&self, from: u128, stones: u128) -> u128 {
        let mut filled = from;
        loop {
            let more = filled | self.neighbours(filled) & stones;
            if more == filled {
                return filled;
            }
            filled = more;
        }
    }

    /// How many stones `player` needs yet, were the other to put no more.
    fn distance(&self, state: &Board, player: Player) -> u32 {
        let (start, goal) = self.goals(player);
        let (own, other) = (state.stones[player.index()], state.stones[player.other().index()]);
        let (mut stones, mut reached) = (0, self.fill(start & own, own));
        // Each round allows a stone more. A player who is cut off reaches everything there is within as many as there are cells.
        while reached & goal == 0 && stones < self.cells() as u32 {
            let further = reached | (start | self.neighbours(reached)) & !other;
            reached = self.fill(further, own);
            stones += 1;
        }
        stones
    }
}

/// The numbers of the cells of `board`, lowest first.
fn cells(mut board: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = (board != 0).then(|| board.trailing_zeros() as usize);
        board &= board.wrapping_sub(1);
        cell
    })
}

impl Game for Hex {
    type State = Board;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> Board {
        Board::default()
    }

    fn turn(&self, state: &Board) -> Turn {
        let mover = state.mover();
        if state.won { Turn::Over(Payoff::win(mover.other())) } else { Turn::Move(mover) }
    }

    fn actions(&self, state: &Board, out: &mut Vec<Action>) {
        if state.won {
            return;
        }
        let (mover, occupied) = (state.mover(), state.occupied());
        let empty = |seen: &usize| occupied >> self.view(mover, *seen) & 1 == 0;
        out.extend((0..self.cells()).filter(empty).map(|seen| Action(seen as u16)));
        if self.may_swap(state) {
            out.push(self.takeover());
        }
    }

    fn play(&self, state: &mut Board, action: Action) {
        let mover = state.mover();
        if action == self.takeover() {
            debug_assert!(self.may_swap(state), "there is no stone to take over");
            let stone = state.stones[0].trailing_zeros() as usize;
            state.stones = [0, 1 << self.view(Player::Second, stone)];
            state.swapped = true;
            return;
        }
        let stone = 1 << self.view(mover, action.index());
        debug_assert!(state.occupied() & stone == 0, "{action:?} is occupied");
        let own = &mut state.stones[mover.index()];
        *own |= stone;
        let (chain, (start, goal)) = (self.fill(stone, *own), self.goals(mover));
        state.won = chain & start != 0 && chain & goal != 0;
    }

    /// Planes: the mover's stones, the other's stones as the mover sees them; with the swap rule, one that is filled where the
    /// mover may swap.
    fn encode(&self, state: &Board, planes: &mut [f32]) {
        let mover = state.mover();
        let may_swap = f32::from(u8::from(self.may_swap(state)));
        let mut boards = planes.chunks_exact_mut(self.cells());
        for (player, plane) in [mover, mover.other()].into_iter().zip(boards.by_ref()) {
            for (seen, value) in plane.iter_mut().enumerate() {
                *value = f32::from((state.stones[player.index()] >> self.view(mover, seen) & 1) as u8);
            }
        }
        boards.for_each(|plane| plane.fill(may_swap));
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    /// The board turned upside down; a mirror image would exchange the players.
    fn transform(&self, state: &Board, by: &Symmetry) -> Board {
        if by.index == 0 {
            return *state;
        }
        Board { stones: state.stones.map(|stones| stones.reverse_bits() >> (128 - self.cells())), ..*state }
    }

    fn key(&self, state: &Board) -> u64 {
        let start = if state.swapped { SWAPPED } else { 0 };
        Player::BOTH.iter().fold(start, |key, player| {
            let words = &ZOBRIST[player.index() * LARGEST * LARGEST..];
            cells(state.stones[player.index()]).fold(key, |key, cell| key ^ words[cell])
        })
    }

    fn draw(&self, state: &Board) -> String {
        let letters: String = (0..self.size).map(|column| format!(" {}", letter(column))).collect();
        let mut text = format!("  {letters}\n");
        for row in 0..self.size {
            text += &format!("{:>2}{}", row + 1, " ".repeat(row));
            for column in 0..self.size {
                let bit = 1 << (self.size * row + column);
                let owner = Player::BOTH.into_iter().find(|player| state.stones[player.index()] & bit != 0);
                text.extend([' ', owner.map_or('.', Player::mark)]);
            }
            text.push('\n');
        }
        text
    }

    fn label(&self, state: &Board, action: Action) -> String {
        if action == self.takeover() {
            return "swap".to_owned();
        }
        let cell = self.view(state.mover(), action.index());
        format!("{}{}", letter(cell % self.size), cell / self.size + 1)
    }
}

fn letter(column: usize) -> char {
    char::from(b'a' + column as u8)
}

impl Knowledge for Hex {
    /// How many stones each player needs yet to connect, the mover being half a stone ahead.
    fn heuristic(&self, state: &Board) -> Payoff {
        let mover = state.mover();
        let need = |player| self.distance(state, player) as f32;
        let balance = need(mover.other()) - need(mover) + 0.5;
        Payoff::zero_sum(mover, 0.9 * balance / (balance.abs() + 2.0))
    }

    /// Central cells first; to swap before all.
    fn ordering(&self, _: &Board, action: Action) -> i32 {
        if action == self.takeover() {
            return 1;
        }
        let from_middle = |at: usize| (2 * at).abs_diff(self.size - 1) as i32;
        -from_middle(action.index() / self.size) - from_middle(action.index() % self.size)
    }
}
