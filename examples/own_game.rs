//! A game of your own: Domineering (G. Andersson, 1973) on 6x6. In turn the first player puts dominoes upright and the second
//! player lying down, each on two empty cells; whoever cannot loses.
//!
//! This file is all it takes. The program it makes trains a network for the game, plays it, measures, analyses and checks it:
//!
//! ```sh
//! cargo run --release --example own_game -- train --minutes 1
//! cargo run --release --example own_game -- play domineering --agent uct:sims=2000
//! cargo run --release --example own_game -- check domineering
//! ```

use plyzero::game::{Action, Entry, Facts, Game, Payoff, Player, Registry, Symmetry, Turn};

const SIDE: usize = 6;
const CELLS: usize = SIDE * SIDE;
/// The places of a domino, seen by a mover who puts it upright: its upper half is on any row but the last.
const PLACES: usize = SIDE * (SIDE - 1);

/// The rules.
struct Domineering {
    facts: Facts,
    symmetries: Vec<Symmetry>,
}

/// A position: the cells that each player has covered, row by row from the top left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Board([u64; 2]);

impl Board {
    fn covered(self) -> u64 {
        self.0[0] | self.0[1]
    }

    fn mover(self) -> Player {
        Player::BOTH[(self.covered().count_ones() / 2 % 2) as usize]
    }

    fn is_free(self, place: usize) -> bool {
        self.covered() & domino(self.mover(), place) == 0
    }
}

/// The cell that `mover` sees at number `seen`: the second player looks at the board from its diagonal, and so sees dominoes
/// upright that lie.
fn cell(mover: Player, seen: usize) -> usize {
    if mover == Player::First { seen } else { seen % SIDE * SIDE + seen / SIDE }
}

fn domino(mover: Player, place: usize) -> u64 {
    1 << cell(mover, place) | 1 << cell(mover, place + SIDE)
}

impl Game for Domineering {
    type State = Board;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> Board {
        Board::default()
    }

    fn turn(&self, board: &Board) -> Turn {
        let mover = board.mover();
        if (0..PLACES).any(|place| board.is_free(place)) { Turn::Move(mover) } else { Turn::Over(Payoff::win(mover.other())) }
    }

    fn actions(&self, board: &Board, out: &mut Vec<Action>) {
        out.extend((0..PLACES).filter(|&place| board.is_free(place)).map(|place| Action(place as u16)));
    }

    fn play(&self, board: &mut Board, action: Action) {
        board.0[board.mover().index()] |= domino(board.mover(), action.index());
    }

    /// One plane, the free cells as the mover sees them: beyond the edge of the board there are none.
    fn encode(&self, board: &Board, planes: &mut [f32]) {
        for (seen, value) in planes.iter_mut().enumerate() {
            *value = if board.covered() >> cell(board.mover(), seen) & 1 == 0 { 1.0 } else { 0.0 };
        }
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    /// The board turned upside down; a mirror image would ask for a map of its own for each player.
    fn transform(&self, board: &Board, by: &Symmetry) -> Board {
        if by.index == 0 { *board } else { Board(board.0.map(|cells| cells.reverse_bits() >> (64 - CELLS))) }
    }

    fn draw(&self, board: &Board) -> String {
        let owner = |cell: usize| Player::BOTH.into_iter().find(|player| board.0[player.index()] >> cell & 1 == 1);
        let mark = |cell| format!(" {}", owner(cell).map_or('.', Player::mark));
        let row =
            |row: usize| format!("{} {}\n", SIDE - row, (0..SIDE).map(|column| mark(SIDE * row + column)).collect::<String>());
        (0..SIDE).map(row).collect::<String>() + "   a b c d e f\n"
    }

    /// The upper or left cell of the domino.
    fn label(&self, board: &Board, action: Action) -> String {
        let cell = cell(board.mover(), action.index());
        format!("{}{}", char::from(b'a' + (cell % SIDE) as u8), SIDE - cell / SIDE)
    }
}

fn entry() -> Entry<Domineering> {
    let facts = Facts {
        id: "domineering".into(),
        actions: PLACES,
        planes: [1, SIDE, SIDE],
        chance: false,
        sum: (0.0, 0.0),
        max_plies: CELLS / 2,
        wdl: true,
    };
    let turned = Symmetry::new(1, PLACES, |place| PLACES - 1 - place);
    let rules = Domineering { facts, symmetries: vec![Symmetry::IDENTITY, turned] };
    Entry::new(rules, "dominoes on 6x6, upright against lying; whoever cannot move loses")
}

fn main() -> std::process::ExitCode {
    plyzero::cli::run(&Registry::new().with(entry()))
}

#[test]
fn domineering_is_a_game() {
    let report = plyzero::game::conformance::check(&entry(), 60, 1);
    assert!(report.is_sound(), "{report}");
}
