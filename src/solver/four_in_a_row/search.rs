//! The search: is the score of a position above a number? A few such questions narrow a score down to one value.
//!
//! Each question is an alpha-beta search with a window of no width. It plays moves that do not lose at once only, answers from what is
//! known of positions met before, and tries moves first that leave more cells to complete a line. The questions halve what is left,
//! from far off 0 towards it: a quick win or loss is soon told, and what is learnt there helps with the rest.
//!
//! Scores are exact, whatever the table has room for: an entry holds the whole key of its position. Cost: exponential in the empty cells;
//! half a million positions a score with twelve stones on the board, thousands with twenty. Sources: D. Knuth and R. Moore, "An analysis of
//! alpha-beta pruning", 1975; J. Pearl, "Scout", 1980, and A. Plaat et al., "Best-first fixed-depth minimax algorithms", 1996 (windows
//! of no width over a table); P. Pons, "Solving Connect 4: how to build a perfect AI", 2015 (moves that do not lose, order by threats); A.
//! Plaat et al., "Exploiting graph properties of game trees", 1996 (successors looked up first).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::board::{Board, COLUMNS, from_the_middle};
use super::cache::Cache;
use super::score::{loss_next, win_now};
use super::table::{Bounds, Table};

/// With fewer stones than this, positions share what is known with their mirror images; later few meet theirs.
const MIRRORED: u32 = 14;
/// With fewer stones than this, all successors are looked up before any is searched; later that costs more than it saves.
const LOOKED_UP: u32 = 22;
/// Positions between two looks at the flag that ends a search: a power of two.
const PATIENCE: u64 = 1 << 14;

/// What is asked of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Its score: who wins, and when.
    Score,
    /// The sign of its score, -1, 0 or 1: who wins. It takes less time.
    Class,
}

impl Goal {
    /// What is asked of a position with this score.
    #[must_use]
    pub const fn of(self, score: i32) -> i32 {
        match self {
            Goal::Score => score,
            Goal::Class => score.signum(),
        }
    }
}

/// What a search may use and spend.
#[derive(Clone)]
pub struct Options {
    /// MiB of its table; at least one.
    pub table_mib: usize,
    /// Where scores of early positions are kept.
    pub cache: Option<Arc<Cache>>,
    /// It gives a question up after about so many positions.
    pub nodes: Option<u64>,
    /// Raised by somebody else to make it give up.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Options {
    /// Nothing but a table of `table_mib` MiB.
    #[must_use]
    pub const fn table(table_mib: usize) -> Self {
        Self { table_mib, cache: None, nodes: None, stop: None }
    }
}

/// Perfect play of four in a row. What it has found out about a position helps with the next.
pub struct Search {
    table: Table,
    options: Options,
    nodes: u64,
    /// It gives up when it has visited so many positions.
    last: u64,
    gave_up: bool,
}

/// A move that does not lose at once.
#[derive(Clone, Copy, Default)]
struct Try {
    cell: u64,
    /// The cells that complete a line for its player once it is played.
    completing: u64,
    /// How many of them are empty: more are better.
    threats: u32,
}

impl Search {
    /// A search with an empty table.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { table: Table::new(options.table_mib), options, nodes: 0, last: u64::MAX, gave_up: false }
    }

    /// Whether there is memory for tables of `table_mib` MiB together: where there is not, [`Search::new`] would end the process.
    #[must_use]
    pub fn has_room(table_mib: usize) -> bool {
        Table::has_room(table_mib)
    }

    /// Positions visited so far.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Where it keeps scores of early positions.
    pub(super) fn cache(&self) -> Option<&Cache> {
        self.options.cache.as_deref()
    }

    /// Forgets what was found out, so that the cost of the next position does not depend on those before.
    pub fn forget(&mut self) {
        self.table.clear();
    }

    /// What `board`, where somebody is to move, is worth to its mover; none where the search gave up.
    pub fn solve(&mut self, board: Board, goal: Goal) -> Option<i32> {
        self.begin();
        self.narrow(board, goal)
    }

    /// What the columns are worth to the mover of `board`, from the left, none for those that are full. None at all where the search
    /// gave up.
    pub fn solve_columns(&mut self, board: Board, goal: Goal) -> Option<[Option<i32>; COLUMNS]> {
        self.begin();
        let mut worth = [None; COLUMNS];
        for (worth, cell) in worth.iter_mut().zip(board.moves()) {
            let Some(cell) = cell else { continue };
            let score = if board.wins_at(cell) {
                goal.of(win_now(board.plies()))
            } else {
                let next = board.play(cell);
                if next.is_full() { 0 } else { -self.narrow(next, goal)? }
            };
            *worth = Some(score);
        }
        Some(worth)
    }

    fn begin(&mut self) {
        self.last = self.options.nodes.map_or(u64::MAX, |nodes| self.nodes.saturating_add(nodes));
        self.gave_up = self.is_to_give_up();
    }

    fn is_to_give_up(&self) -> bool {
        self.nodes >= self.last || self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Narrows what `board` is worth to its mover down to one number.
    fn narrow(&mut self, board: Board, goal: Goal) -> Option<i32> {
        let plies = board.plies();
        if board.wins_at_once() {
            return Some(goal.of(win_now(plies)));
        }
        if let Some(known) = self.cache().and_then(|cache| cache.get(board)) {
            return Some(goal.of(known));
        }
        let (mut lower, mut upper) = match goal {
            Goal::Score => (loss_next(plies), win_now(plies)),
            Goal::Class => (-1, 1),
        };
        let before = self.nodes;
        while lower < upper {
            let middle = lower + (upper - lower).div_euclid(2);
            let question = if middle <= 0 { middle.min(lower / 2) } else { middle.max(upper / 2) };
            let found = self.search(board, board.completing_for_other(), plies, question);
            if self.gave_up {
                return None;
            }
            if found > question { lower = found.min(upper) } else { upper = found.max(lower) }
        }
        if let Some(cache) = self.cache().filter(|_| goal == Goal::Score) {
            cache.add(board, lower, self.nodes - before);
        }
        Some(lower)
    }

    /// Whether the score of `board`, whose mover cannot win at once, is above `alpha`: it is at least what comes back where that is
    /// above `alpha`, and at most that where it is not. Given are also the cells that complete a line for the other player, and the
    /// number of stones. What comes back means nothing once the search has given up.
    fn search(&mut self, board: Board, completing_for_other: u64, plies: u32, alpha: i32) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(PATIENCE) {
            self.gave_up |= self.is_to_give_up();
        }
        let cells = board.not_losing(completing_for_other);
        if cells == 0 {
            return loss_next(plies);
        }
        // Nobody wins within the next two plies.
        let mut known = Bounds { lower: loss_next(plies + 2), upper: win_now(plies + 2) };
        if known.lower > alpha || known.lower >= known.upper {
            return known.lower;
        }
        if known.upper <= alpha {
            return known.upper;
        }
        if cells.is_power_of_two() {
            // A forced move takes no table: what follows is known as well as this.
            return -self.search(board.play(cells), board.completing_after(cells), plies + 1, -alpha - 1);
        }
        let key = key(board, plies);
        known = known.and(self.table.probe(key));
        if known.lower > alpha {
            return known.lower;
        }
        if known.upper <= alpha {
            return known.upper;
        }
        let (tries, count) = ordered(board, cells);
        let tries = &tries[..count];
        if plies < LOOKED_UP
            && let Some(lower) =
                tries.iter().map(|mv| -self.known_upper(board.play(mv.cell), plies + 1)).find(|&lower| lower > alpha)
        {
            return lower;
        }
        let before = self.nodes;
        let mut best = known.lower;
        for mv in tries {
            best = best.max(-self.search(board.play(mv.cell), mv.completing, plies + 1, -alpha - 1));
            if best > alpha || self.gave_up {
                break;
            }
        }
        if !self.gave_up {
            let found = if best > alpha { Bounds { lower: best, ..known } } else { Bounds { upper: best, ..known } };
            self.table.store(key, found, self.nodes - before);
        }
        best
    }

    fn known_upper(&self, board: Board, plies: u32) -> i32 {
        self.table.probe(key(board, plies)).upper
    }
}

/// What positions are known by in the table.
fn key(board: Board, plies: u32) -> u64 {
    if plies < MIRRORED { board.mirrored_key() } else { board.key() }
}

/// The moves `cells` of `board`, most threats first, middle columns first among equals; and how many there are.
fn ordered(board: Board, cells: u64) -> ([Try; COLUMNS], usize) {
    let mut tries = [Try::default(); COLUMNS];
    let mut count = 0;
    for cell in from_the_middle(cells) {
        let completing = board.completing_after(cell);
        let threats = (completing & board.empty()).count_ones();
        let mut place = count;
        while place > 0 && tries[place - 1].threats < threats {
            tries[place] = tries[place - 1];
            place -= 1;
        }
        tries[place] = Try { cell, completing, threats };
        count += 1;
    }
    (tries, count)
}
