//! Positions of four in a row on two sets of 49 bits: seven columns of seven bits, lowest first, of which the seventh stays empty, so
//! that lines never run from one column into the next (J. Tromp, "John's Connect Four Playground").
//!
//! All cells of a kind are found at once by shifting whole boards; nothing here loops over cells.

use crate::game::Stones;

/// Columns.
pub const COLUMNS: usize = 7;
/// Cells of the board.
pub const CELLS: u32 = 42;
/// Bits a column.
const STRIDE: u32 = 7;
/// The lowest cell of every column.
const BOTTOM: u64 = 0x0000_0408_1020_4081;
/// All cells.
const ALL: u64 = BOTTOM * 0b11_1111;
/// Columns from the middle outwards: more lines run through the middle.
const FROM_THE_MIDDLE: [usize; COLUMNS] = [3, 2, 4, 1, 5, 0, 6];

/// A position nobody has won, for the player to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board {
    mover: u64,
    occupied: u64,
}

/// Moves that lead nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// A sign that is no column.
    #[error("move {number}: {sign:?} is no column; columns are 1 to 7")]
    NoColumn {
        /// The place of the move, from 1.
        number: usize,
        /// What stands there.
        sign: char,
    },
    /// A seventh stone.
    #[error("move {number}: column {column} is full")]
    Full {
        /// The place of the move, from 1.
        number: usize,
        /// The column, from 1.
        column: usize,
    },
    /// Nobody is to move.
    #[error("the game is over after {plies} moves: nobody is to move")]
    Over {
        /// Moves until then.
        plies: usize,
    },
}

impl Board {
    /// The position after `moves`, which lists columns 1 to 7 such as `4455`, with or without blanks between.
    ///
    /// # Errors
    /// When a move is none or not legal, or when the game is over, so that nobody is to move.
    pub fn after(moves: &str) -> Result<Self, PlayError> {
        let mut board = Board::default();
        let signs = moves.chars().filter(|sign| !sign.is_whitespace());
        for (played, sign) in signs.enumerate() {
            let number = played + 1;
            let column = sign.to_digit(10).map(|digit| digit as usize).filter(|column| (1..=COLUMNS).contains(column));
            let column = column.ok_or(PlayError::NoColumn { number, sign })?;
            let cell = board.landing() & column_cells(column - 1);
            if cell == 0 {
                return Err(PlayError::Full { number, column });
            }
            let wins = board.wins_at(cell);
            board = board.play(cell);
            if wins || board.is_full() {
                // Moves after the end are as wrong as the end itself.
                return Err(PlayError::Over { plies: number });
            }
        }
        Ok(board)
    }

    /// Stones on the board.
    #[must_use]
    pub const fn plies(self) -> u32 {
        self.occupied.count_ones()
    }

    /// Whether no cell is empty.
    pub(super) const fn is_full(self) -> bool {
        self.occupied == ALL
    }

    /// Whether nobody is to move.
    pub(super) fn is_over(self) -> bool {
        let other = self.occupied ^ self.mover;
        self.is_full() || other & completing(other) != 0
    }

    /// The lowest empty cell of each column that has one: the legal moves.
    pub(super) const fn landing(self) -> u64 {
        (self.occupied + BOTTOM) & ALL
    }

    /// The empty cells.
    pub(super) const fn empty(self) -> u64 {
        ALL & !self.occupied
    }

    /// The legal move in each column, from the left.
    #[must_use]
    pub fn moves(self) -> [Option<u64>; COLUMNS] {
        std::array::from_fn(|column| Some(self.landing() & column_cells(column)).filter(|&cell| cell != 0))
    }

    /// Whether the mover wins by playing `cell`.
    #[must_use]
    pub const fn wins_at(self, cell: u64) -> bool {
        completing(self.mover) & cell != 0
    }

    /// Whether the mover wins with his next stone.
    #[must_use]
    pub const fn wins_at_once(self) -> bool {
        self.wins_at(self.landing())
    }

    /// The position after the mover has played `cell`, a legal move.
    #[must_use]
    pub const fn play(self, cell: u64) -> Self {
        Board { mover: self.occupied ^ self.mover, occupied: self.occupied | cell }
    }

    /// The cells that would complete four in a row for the mover once he has played `cell`, occupied cells among them.
    pub(super) const fn completing_after(self, cell: u64) -> u64 {
        completing(self.mover | cell)
    }

    /// The cells that would complete four in a row for the other player, occupied cells among them.
    pub(super) const fn completing_for_other(self) -> u64 {
        completing(self.occupied ^ self.mover)
    }

    /// The legal moves after which the other player, for whom `completing` completes a line, does not win at once; none where he wins
    /// whatever is played. The mover must not be able to win at once.
    pub(super) const fn not_losing(self, completing: u64) -> u64 {
        let landing = self.landing();
        let forced = landing & completing;
        let playable = match forced.count_ones() {
            0 => landing,
            1 => forced,
            _ => 0,
        };
        // Below a cell where the other player completes a line nobody may play.
        playable & !(completing >> 1)
    }

    /// A number that no other position has, below 2^49, and never 0: in each column the mover's stones, with a one on top of all stones.
    #[must_use]
    pub const fn key(self) -> u64 {
        self.mover + self.occupied + BOTTOM
    }

    /// The [key](Board::key) that a position shares with its mirror image alone.
    #[must_use]
    pub const fn mirrored_key(self) -> u64 {
        let (key, image) = (self.key(), mirror(self.key()));
        if key < image { key } else { image }
    }
}

impl From<Stones> for Board {
    fn from(stones: Stones) -> Self {
        Board { mover: stones.mover, occupied: stones.occupied }
    }
}

/// The cells of a column, from 0.
const fn column_cells(column: usize) -> u64 {
    0b11_1111 << (column as u32 * STRIDE)
}

/// The moves among `cells`, middle columns first.
pub(super) fn from_the_middle(cells: u64) -> impl Iterator<Item = u64> {
    FROM_THE_MIDDLE.into_iter().map(move |column| cells & column_cells(column)).filter(|&cell| cell != 0)
}

/// The cells that complete four in a row together with three of `stones`: for each direction, those beside three in a row and those
/// in the gap of two and one.
const fn completing(stones: u64) -> u64 {
    let upright = (stones << 1) & (stones << 2) & (stones << 3);
    (upright | along(stones, STRIDE) | along(stones, STRIDE - 1) | along(stones, STRIDE + 1)) & ALL
}

const fn along(stones: u64, step: u32) -> u64 {
    let below = (stones << step) & (stones << (2 * step));
    let above = (stones >> step) & (stones >> (2 * step));
    (below & ((stones << (3 * step)) | (stones >> step))) | (above & ((stones << step) | (stones >> (3 * step))))
}

/// The columns of `bits` from right to left.
const fn mirror(bits: u64) -> u64 {
    let (mut image, mut column) = (0, 0);
    while column < COLUMNS as u32 {
        image |= (bits >> (column * STRIDE) & 0x7f) << ((COLUMNS as u32 - 1 - column) * STRIDE);
        column += 1;
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_masks_are_the_board() {
        assert_eq!((0..COLUMNS).map(column_cells).sum::<u64>(), ALL);
        assert_eq!(ALL.count_ones(), CELLS);
        assert_eq!(Board::default().landing(), BOTTOM);
    }

    #[test]
    fn moves_are_read_with_and_without_blanks_and_wrong_ones_are_named() {
        assert_eq!(Board::after("4455"), Board::after(" 4 4 5\t5 "));
        assert_eq!(Board::after(""), Ok(Board::default()));
        let message = |moves| Board::after(moves).unwrap_err().to_string();
        assert_eq!(message("448"), "move 3: '8' is no column; columns are 1 to 7");
        assert_eq!(message("4x"), "move 2: 'x' is no column; columns are 1 to 7");
        assert_eq!(message("1111111"), "move 7: column 1 is full");
        assert_eq!(message("1212121"), "the game is over after 7 moves: nobody is to move");
        assert_eq!(message("12121213"), "the game is over after 7 moves: nobody is to move");
    }

    #[test]
    fn a_mirror_image_has_the_same_key_and_nothing_else_has() {
        let keys = ["12", "76", "13", "21"].map(|moves| Board::after(moves).unwrap());
        assert_eq!(keys[0].mirrored_key(), keys[1].mirrored_key());
        assert_ne!(keys[0].key(), keys[1].key());
        assert_ne!(keys[0].mirrored_key(), keys[2].mirrored_key());
        assert_ne!(keys[0].mirrored_key(), keys[3].mirrored_key());
        assert_eq!(mirror(mirror(keys[0].key())), keys[0].key());
    }

    #[test]
    fn gaps_and_ends_complete_a_line_and_columns_do_not_run_into_each_other() {
        // The mover holds the bottom of columns 1, 2 and 4: column 3 is the gap.
        assert_eq!(completing(1 | 1 << 7 | 1 << 21), 1 << 14);
        // The three highest cells of a column: there is nothing above, and the next column's bottom is no part of them.
        assert_eq!(completing(1 << 3 | 1 << 4 | 1 << 5), 0);
    }
}
