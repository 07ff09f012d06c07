//! A game that says no more than it must: no chance, no symmetries, no key of its own.

use plyzero::game::{Action, Facts, Game, Payoff, Player, Turn};

const MATCHES: usize = 12;

/// Players in turn take one to three matches; whoever takes the last one wins.
pub struct Nim(Facts);

impl Nim {
    pub fn new() -> Self {
        Self::of("nim".into(), MATCHES)
    }

    /// The game of so many matches, called `id`.
    pub fn of(id: String, matches: usize) -> Self {
        let planes = [1, 1, matches];
        Self(Facts { id, actions: 3, planes, chance: false, sum: (0.0, 0.0), max_plies: matches, wdl: true })
    }
}

impl Game for Nim {
    /// Matches left, and who is to take.
    type State = (usize, Player);

    fn facts(&self) -> &Facts {
        &self.0
    }

    fn initial(&self) -> (usize, Player) {
        (self.0.max_plies, Player::First)
    }

    fn turn(&self, &(left, mover): &(usize, Player)) -> Turn {
        if left == 0 { Turn::Over(Payoff::win(mover.other())) } else { Turn::Move(mover) }
    }

    fn actions(&self, &(left, _): &(usize, Player), out: &mut Vec<Action>) {
        out.extend((0..left.min(3)).map(|less| Action(less as u16)));
    }

    fn play(&self, state: &mut (usize, Player), action: Action) {
        *state = (state.0 - action.index() - 1, state.1.other());
    }

    fn encode(&self, &(left, _): &(usize, Player), planes: &mut [f32]) {
        planes.iter_mut().enumerate().for_each(|(at, value)| *value = f32::from(u8::from(at < left)));
    }

    fn draw(&self, &(left, _): &(usize, Player)) -> String {
        format!("{left} matches: {}\n", "|".repeat(left))
    }

    fn label(&self, _: &(usize, Player), action: Action) -> String {
        format!("take{}", action.0 + 1)
    }
}
