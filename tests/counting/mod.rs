//! A game made for tests: so small that every outcome can be told beforehand, with chance and a general payoff.

use plyzero::game::{Action, Facts, Game, Outcome, Payoff, Player, Symmetry, Turn};

/// Players in turn add 0 or 1 and, with a coin, it adds as much after each move. The game ends after `length` plies; its
/// payoff is general: the first player gets a quarter of the sum, the second nothing.
pub struct Counting {
    facts: Facts,
    symmetries: Vec<Symmetry>,
    length: usize,
    /// The probability that the coin adds 1.
    coin: f32,
}

impl Counting {
    /// Without a coin there is no chance.
    pub fn new(length: usize, max_plies: usize, coin: Option<f32>) -> Self {
        let chance = coin.is_some();
        let facts =
            Facts { id: "counting".into(), actions: 2, planes: [1, 1, 1], chance, sum: (0.0, 1.0), max_plies, wdl: false };
        Self { facts, symmetries: vec![Symmetry::new(0, 2, |action| action)], length, coin: coin.unwrap_or_default() }
    }
}

impl Game for Counting {
    /// Plies and sum.
    type State = (usize, usize);

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> (usize, usize) {
        (0, 0)
    }

    fn turn(&self, &(plies, sum): &(usize, usize)) -> Turn {
        match plies {
            _ if plies >= self.length => Turn::Over(Payoff([sum as f32 / 4.0, 0.0])),
            _ if self.facts.chance && plies % 2 == 1 => Turn::Chance,
            _ if self.facts.chance => Turn::Move(Player::BOTH[plies / 2 % 2]),
            _ => Turn::Move(Player::BOTH[plies % 2]),
        }
    }

    fn actions(&self, state: &(usize, usize), out: &mut Vec<Action>) {
        if matches!(self.turn(state), Turn::Move(_)) {
            out.extend([Action(0), Action(1)]);
        }
    }

    fn outcomes(&self, state: &(usize, usize), out: &mut Vec<(Outcome, f32)>) {
        if self.turn(state) == Turn::Chance {
            out.extend([(Outcome(0), 1.0 - self.coin), (Outcome(1), self.coin)]);
        }
    }

    fn play(&self, state: &mut (usize, usize), action: Action) {
        *state = (state.0 + 1, state.1 + action.index());
    }

    fn roll(&self, state: &mut (usize, usize), outcome: Outcome) {
        *state = (state.0 + 1, state.1 + usize::from(outcome.0));
    }

    fn encode(&self, _: &(usize, usize), planes: &mut [f32]) {
        planes.fill(0.0);
    }

    fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    fn transform(&self, state: &(usize, usize), _: &Symmetry) -> (usize, usize) {
        *state
    }

    fn key(&self, state: &(usize, usize)) -> u64 {
        (state.0 * 64 + state.1) as u64
    }

    fn draw(&self, state: &(usize, usize)) -> String {
        format!("plies {}, sum {}\n", state.0, state.1)
    }

    fn label(&self, _: &(usize, usize), action: Action) -> String {
        action.0.to_string()
    }
}
