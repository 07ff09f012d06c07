//! A small sound game with chance, a symmetry and nothing else: what the trait's own methods do for a game is tried on it.

use plyzero::game::{Action, Facts, Game, Outcome, Payoff, Player, Symmetry, Turn};

const CELLS: usize = 4;

/// On a row of four cells the first player puts a stone, chance blocks a cell, the second player puts a stone, chance blocks the
/// last cell. Whoever alone holds a cell at an end wins.
pub struct Drops {
    facts: Facts,
    symmetries: Vec<Symmetry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    Empty,
    Stone(Player),
    Blocked,
}

impl Drops {
    pub fn new() -> Self {
        let facts = Facts {
            id: "drops".into(),
            actions: CELLS,
            planes: [3, 1, CELLS],
            chance: true,
            sum: (0.0, 0.0),
            max_plies: CELLS,
            wdl: true,
        };
        let mirror = Symmetry::new(1, CELLS, |cell| CELLS - 1 - cell);
        Self { facts, symmetries: vec![Symmetry::IDENTITY, mirror] }
    }
}

/// The cells with nothing on them.
fn empty(row: &[Cell; CELLS]) -> impl Iterator<Item = u16> {
    (0u16..).zip(row).filter(|(_, cell)| **cell == Cell::Empty).map(|(at, _)| at)
}

impl Game for Drops {
    type State = [Cell; CELLS];

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> [Cell; CELLS] {
        [Cell::Empty; CELLS]
    }

    fn turn(&self, row: &[Cell; CELLS]) -> Turn {
        let holds = |player| row[0] == Cell::Stone(player) || row[CELLS - 1] == Cell::Stone(player);
        match empty(row).count() {
            4 => Turn::Move(Player::First),
            2 => Turn::Move(Player::Second),
            0 => Turn::Over(match Player::BOTH.map(holds) {
                [true, false] => Payoff::win(Player::First),
                [false, true] => Payoff::win(Player::Second),
                _ => Payoff::DRAW,
            }),
            _ => Turn::Chance,
        }
    }

    fn actions(&self, row: &[Cell; CELLS], out: &mut Vec<Action>) {
        if let Turn::Move(_) = self.turn(row) {
            out.extend(empty(row).map(Action));
        }
    }

    fn outcomes(&self, row: &[Cell; CELLS], out: &mut Vec<(Outcome, f32)>) {
        if self.turn(row) == Turn::Chance {
            let even = 1.0 / empty(row).count() as f32;
            out.extend(empty(row).map(|cell| (Outcome(cell), even)));
        }
    }

    fn play(&self, row: &mut [Cell; CELLS], action: Action) {
        if let Turn::Move(mover) = self.turn(row) {
            row[action.index()] = Cell::Stone(mover);
        }
    }

    fn roll(&self, row: &mut [Cell; CELLS], outcome: Outcome) {
        row[usize::from(outcome.0)] = Cell::Blocked;
    }

    /// Planes: stones of the first player, stones of the second, blocked cells.
    fn encode(&self, row: &[Cell; CELLS], planes: &mut [f32]) {
        let [first, second] = Player::BOTH.map(Cell::Stone);
        for (plane, kind) in planes.chunks_exact_mut(CELLS).zip([first, second, Cell::Blocked]) {
            plane.iter_mut().zip(row).for_each(|(value, cell)| *value = f32::from(u8::from(*cell == kind)));
        }
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    fn transform(&self, row: &[Cell; CELLS], by: &Symmetry) -> [Cell; CELLS] {
        let mut image = *row;
        (0u16..).zip(row).for_each(|(at, cell)| image[by.action(Action(at)).index()] = *cell);
        image
    }

    fn draw(&self, row: &[Cell; CELLS]) -> String {
        let mark = |cell: &Cell| match cell {
            Cell::Empty => '.',
            Cell::Stone(player) => player.mark(),
            Cell::Blocked => '#',
        };
        row.iter().map(mark).chain(['\n']).collect()
    }

    fn label(&self, _: &[Cell; CELLS], action: Action) -> String {
        format!("cell{}", action.0 + 1)
    }
}
