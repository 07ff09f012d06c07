//! EinStein würfelt nicht! (I. Althöfer, 2004), a race with a die. Each player has numbered stones in a corner and moves them,
//! one step a turn, towards the opposite corner: right, down or diagonally as the player sees it. The die says which stone; for
//! a number that has left the board, the next lower or the next higher one that is there. Whatever stands on the cell it comes
//! to is taken, a stone of one's own too. Whoever reaches the opposite corner, or leaves the other without stones, wins.
//!
//! Each player looks at the board from the own corner, so that moves and boards are the same for both: the second player's cells
//! are those of the first turned by half. Chance acts before every move: its outcome is the number rolled. With a random set-up it
//! also places the stones, the first player's in the order of their numbers, then the second player's: the outcome is the
//! number of the place among those of the corner.

use crate::game::{Action, Entry, Facts, Game, InvalidGame, Knowledge, Outcome, Payoff, Player, Symmetry, Turn, Variant};

/// The most stones a player can have.
const MOST: usize = 6;
/// The cell of a stone that is not on the board.
const OFF: u8 = u8::MAX;
/// Steps in (rows, columns), as the mover sees them: right, down, diagonally.
const STEPS: [(usize, usize); 3] = [(0, 1), (1, 0), (1, 1)];

/// The variant asked for, as the list knows it.
pub(super) fn entry(variant: &mut Variant) -> Result<Entry<Einstein>, InvalidGame> {
    Ok(Entry::new(Einstein::of(variant)?, "a race of numbered stones; a die says which may move")
        .knowledge()
        .config(include_str!("../../configs/einstein.toml")))
}

/// The rules of EinStein würfelt nicht!
#[derive(Debug)]
pub struct Einstein {
    facts: Facts,
    symmetries: Vec<Symmetry>,
    size: usize,
    stones: usize,
    /// Whether chance places the stones.
    random: bool,
    /// The cells that a player's stones start from, row by row.
    corner: Vec<u8>,
}

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    /// `cells[p][k]` is where stone k + 1 of player `p` is, as its owner numbers the cells: row by row from the own corner.
    cells: [[u8; MOST]; 2],
    /// Stones that chance has still to place.
    unplaced: u8,
    /// The number rolled; 0 before the roll.
    die: u8,
    mover: Player,
}

impl Einstein {
    /// The variant that is asked for. Its options are `size`, the cells of an edge; `stones` of each player; and `setup`, fixed
    /// (by number, row by row) or random.
    ///
    /// # Errors
    /// When `variant` gives something that they cannot be. Boards of 3x3 have room for three stones.
    pub fn of(variant: &mut Variant) -> Result<Self, InvalidGame> {
        let size = variant.number("size", 3..=9, 5)?;
        // Those that fill a triangle, so that the board has a symmetry.
        let stones = match size {
            3 => variant.choice("stones", ("3", 3), &[("1", 1)])?,
            _ => variant.choice("stones", ("6", 6), &[("3", 3), ("1", 1)])?,
        };
        let random = variant.choice("setup", ("fixed", false), &[("random", true)])?;
        let depth = (1..).find(|depth| depth * (depth + 1) / 2 >= stones).unwrap_or(size);
        let corner: Vec<u8> = (0..size * size).filter(|cell| cell / size + cell % size < depth).map(|cell| cell as u8).collect();
        // Every move brings a stone nearer to the corner by one step at least, and is preceded by a roll.
        let steps: usize = corner.iter().map(|&cell| 2 * (size - 1) - usize::from(cell) / size - usize::from(cell) % size).sum();
        let facts = Facts {
            id: variant.name(),
            actions: stones * STEPS.len(),
            planes: [2 * stones + 1, size, size],
            chance: true,
            sum: (0.0, 0.0),
            max_plies: 4 * steps + if random { 2 * stones } else { 0 },
            wdl: true,
        };
        let mirrored = |action| STEPS.len() * (action / STEPS.len()) + [1, 0, 2][action % STEPS.len()];
        let symmetries = vec![Symmetry::IDENTITY, Symmetry::new(1, facts.actions, mirrored)];
        Ok(Self { facts, symmetries, size, stones, random, corner })
    }

    /// The cell that the other player calls `cell`.
    fn turned(&self, cell: u8) -> u8 {
        (self.size * self.size - 1) as u8 - cell
    }

    /// Whose stone chance places next, and its index.
    fn next_stone(&self, state: &Board) -> (Player, usize) {
        let placed = 2 * self.stones - usize::from(state.unplaced);
        (Player::BOTH[placed / self.stones], placed % self.stones)
    }

    /// The stones of the mover, by index, that the die lets move; none before the roll.
    fn movable(&self, state: &Board) -> impl Iterator<Item = usize> {
        let cells = state.cells[state.mover.index()];
        let there = move |&stone: &usize| cells[stone] != OFF;
        let rolled = usize::from(state.die).checked_sub(1);
        let (lower, higher) = rolled.map_or((None, None), |rolled| {
            let higher = (rolled..self.stones).find(there);
            // The stone rolled itself is found first by both.
            ((0..=rolled).rev().find(there).filter(|&lower| Some(lower) != higher), higher)
        });
        lower.into_iter().chain(higher)
    }

    /// Where a step takes a stone from `cell`, if not off the board.
    fn step(&self, cell: u8, step: usize) -> Option<u8> {
        let (rows, columns) = STEPS[step];
        let (row, column) = (usize::from(cell) / self.size + rows, usize::from(cell) % self.size + columns);
        (row < self.size && column < self.size).then_some((self.size * row + column) as u8)
    }

    /// Who has won, if anybody has.
    fn winner(&self, state: &Board) -> Option<Player> {
        let goal = self.turned(0);
        let has_won =
            |player: &Player| state.cells[player.index()].contains(&goal) || state.cells[player.other().index()] == [OFF; MOST];
        Player::BOTH.into_iter().find(has_won)
    }

    /// Steps that the foremost stone of `player` needs, moved diagonally where it can be.
    fn distance(&self, state: &Board, player: Player) -> usize {
        let steps = |cell: usize| self.size - 1 - (cell / self.size).min(cell % self.size);
        let cells = state.cells[player.index()].iter().filter(|&&cell| cell != OFF);
        cells.map(|&cell| steps(usize::from(cell))).min().unwrap_or(self.size)
    }
}

impl Game for Einstein {
    type State = Board;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> Board {
        let mut own = [OFF; MOST];
        if !self.random {
            own.iter_mut().zip(&self.corner).for_each(|(stone, &cell)| *stone = cell);
        }
        let unplaced = if self.random { 2 * self.stones as u8 } else { 0 };
        Board { cells: [own; 2], unplaced, die: 0, mover: Player::First }
    }

    fn turn(&self, state: &Board) -> Turn {
        if state.unplaced > 0 {
            return Turn::Chance;
        }
        match self.winner(state) {
            Some(winner) => Turn::Over(Payoff::win(winner)),
            None if state.die == 0 => Turn::Chance,
            None => Turn::Move(state.mover),
        }
    }

    fn actions(&self, state: &Board, out: &mut Vec<Action>) {
        let cells = state.cells[state.mover.index()];
        for stone in self.movable(state) {
            let steps = (0..STEPS.len()).filter(|&step| self.step(cells[stone], step).is_some());
            out.extend(steps.map(|step| Action((STEPS.len() * stone + step) as u16)));
        }
    }

    fn outcomes(&self, state: &Board, out: &mut Vec<(Outcome, f32)>) {
        if self.turn(state) != Turn::Chance {
            return;
        }
        // A player's places are as many as the numbers of the die.
        let taken = if state.unplaced > 0 { state.cells[self.next_stone(state).0.index()] } else { [OFF; MOST] };
        let free = (1u16..).zip(&self.corner).filter(|(_, cell)| !taken.contains(cell)).map(|(number, _)| number);
        let even = 1.0 / free.clone().count() as f32;
        out.extend(free.map(|number| (Outcome(number), even)));
    }

    fn play(&self, state: &mut Board, action: Action) {
        let (stone, step) = (action.index() / STEPS.len(), action.index() % STEPS.len());
        let (own, other) = (state.mover.index(), state.mover.other().index());
        let target = self.step(state.cells[own][stone], step).unwrap_or(OFF);
        debug_assert!(target != OFF, "{action:?} leads off the board");
        let take = |cells: &mut [u8; MOST], at: u8| cells.iter_mut().filter(|cell| **cell == at).for_each(|cell| *cell = OFF);
        take(&mut state.cells[own], target);
        take(&mut state.cells[other], self.turned(target));
        state.cells[own][stone] = target;
        state.mover = state.mover.other();
        state.die = 0;
    }

    fn roll(&self, state: &mut Board, outcome: Outcome) {
        if state.unplaced > 0 {
            let (player, stone) = self.next_stone(state);
            state.cells[player.index()][stone] = self.corner[usize::from(outcome.0) - 1];
            state.unplaced -= 1;
        } else {
            state.die = outcome.0 as u8;
        }
    }

    /// Planes: one for each of the mover's stones, one for each of the other's, one with the stones that may move; as the mover
    /// sees the board.
    fn encode(&self, state: &Board, planes: &mut [f32]) {
        planes.fill(0.0);
        let area = self.size * self.size;
        let mut set = |plane: usize, cell: u8| {
            if cell != OFF {
                planes[area * plane + usize::from(cell)] = 1.0;
            }
        };
        let (own, other) = (state.cells[state.mover.index()], state.cells[state.mover.other().index()]);
        for stone in 0..self.stones {
            set(stone, own[stone]);
            set(self.stones + stone, if other[stone] == OFF { OFF } else { self.turned(other[stone]) });
        }
        self.movable(state).for_each(|stone| set(2 * self.stones, own[stone]));
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    /// The board mirrored at the diagonal between the two corners.
    fn transform(&self, state: &Board, by: &Symmetry) -> Board {
        let size = self.size as u8;
        let mirrored = |cell: u8| if cell == OFF { OFF } else { size * (cell % size) + cell / size };
        if by.index == 0 { *state } else { Board { cells: state.cells.map(|cells| cells.map(mirrored)), ..*state } }
    }

    fn draw(&self, state: &Board) -> String {
        let mut text = String::new();
        for row in 0..self.size {
            text += &(self.size - row).to_string();
            for column in 0..self.size {
                let cell = (self.size * row + column) as u8;
                let at = |player, cell: u8| {
                    let stone = state.cells[Player::index(player)].iter().position(|&own| own == cell)?;
                    Some(format!("  {}{}", player.mark(), stone + 1))
                };
                let stone = at(Player::First, cell).or_else(|| at(Player::Second, self.turned(cell)));
                text += &stone.unwrap_or_else(|| "   .".to_owned());
            }
            text.push('\n');
        }
        text += &(0..self.size).fold(" ".to_owned(), |line, column| format!("{line}   {}", letter(column)));
        match (self.turn(state), state.die) {
            (Turn::Move(mover), die) => text + &format!("\n{} has rolled {die}\n", mover.mark()),
            _ => text + "\n",
        }
    }

    /// The number of the stone and the cell it goes to.
    fn label(&self, state: &Board, action: Action) -> String {
        let stone = action.index() / STEPS.len();
        let seen = self.step(state.cells[state.mover.index()][stone], action.index() % STEPS.len()).unwrap_or(0);
        let cell = usize::from(if state.mover == Player::First { seen } else { self.turned(seen) });
        format!("{}{}{}", stone + 1, letter(cell % self.size), self.size - cell / self.size)
    }
}

fn letter(column: usize) -> char {
    char::from(b'a' + column as u8)
}

impl Knowledge for Einstein {
    /// The race of the foremost stones, the mover being half a step ahead.
    fn heuristic(&self, state: &Board) -> Payoff {
        let steps = |player| self.distance(state, player) as f32;
        let balance = steps(state.mover.other()) - steps(state.mover) + 0.5;
        Payoff::zero_sum(state.mover, 0.9 * balance / (balance.abs() + 3.0))
    }

    /// Diagonal steps first: they are the fastest.
    fn ordering(&self, _: &Board, action: Action) -> i32 {
        i32::from(action.index() % STEPS.len() == 2)
    }
}
