//! A game made to try networks and training: sums are general, players do not alternate, it ends only where asked to, and its
//! rules have a trap.

use plyzero::game::{Action, Facts, Game, Outcome, Payoff, Player, Symmetry, Turn};
use plyzero::rng::mix;

const CELLS: usize = 8;

/// What the rules are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Encode,
    Play,
    Transform,
}

/// Hears of every call; it may panic.
pub type Trap = fn(Call, &Track);

/// Players advance on a lane each, by 0, 1 or 2 cells; never by 2 from an odd cell.
#[derive(Clone)]
pub struct Race {
    pub facts: Facts,
    pub symmetries: Vec<Symmetry>,
    /// The game ends after so many plies.
    pub length: usize,
    /// It ends once somebody has come so far.
    pub goal: usize,
    pub trap: Trap,
}

/// A position: plies played, and the cells reached by both players.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Track {
    pub plies: usize,
    pub cells: [usize; 2],
}

impl Race {
    pub fn new() -> Self {
        let facts = Facts {
            id: "race".into(),
            actions: 3,
            planes: [3, 1, CELLS],
            chance: false,
            sum: (-1.0, 1.0),
            max_plies: 6,
            wdl: false,
        };
        Self { facts, symmetries: vec![Symmetry::new(0, 3, |action| action)], length: 6, goal: CELLS, trap: |_, _| () }
    }
}

impl Game for Race {
    type State = Track;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> Track {
        Track { plies: 0, cells: [0; 2] }
    }

    fn turn(&self, state: &Track) -> Turn {
        let mover = [Player::First, Player::Second, Player::Second, Player::First][state.plies % 4];
        let [first, second] = state.cells.map(|cell| cell as f32);
        let payoff = Payoff([(first - 2.0) / 8.0, (first - second) / 16.0]);
        let ends = state.plies >= self.length || state.cells.iter().any(|&cell| cell >= self.goal);
        if ends { Turn::Over(payoff) } else { Turn::Move(mover) }
    }

    fn actions(&self, state: &Track, out: &mut Vec<Action>) {
        if let Turn::Move(mover) = self.turn(state) {
            let fast = if state.cells[mover.index()].is_multiple_of(2) { 3 } else { 2 };
            out.extend((0..fast).map(Action));
        }
    }

    fn outcomes(&self, _: &Track, _: &mut Vec<(Outcome, f32)>) {}

    fn play(&self, state: &mut Track, action: Action) {
        (self.trap)(Call::Play, state);
        if let Turn::Move(mover) = self.turn(state) {
            let cell = &mut state.cells[mover.index()];
            *cell = (*cell + action.index()).min(CELLS - 1);
            state.plies += 1;
        }
    }

    fn roll(&self, _: &mut Track, _: Outcome) {}

    /// Planes: the cell of the mover, the cell of the other player, the number of plies.
    fn encode(&self, state: &Track, planes: &mut [f32]) {
        (self.trap)(Call::Encode, state);
        planes.fill(0.0);
        if let Turn::Move(mover) = self.turn(state) {
            planes[state.cells[mover.index()]] = 1.0;
            planes[CELLS + state.cells[mover.other().index()]] = 1.0;
            planes[2 * CELLS + state.plies % CELLS] = 1.0;
        }
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    fn transform(&self, state: &Track, _: &Symmetry) -> Track {
        (self.trap)(Call::Transform, state);
        state.clone()
    }

    fn key(&self, state: &Track) -> u64 {
        mix((state.plies * 64 + state.cells[0] * 8 + state.cells[1] + 1) as u64)
    }

    fn draw(&self, state: &Track) -> String {
        format!("{state:?}\n")
    }

    fn label(&self, _: &Track, action: Action) -> String {
        action.0.to_string()
    }
}
