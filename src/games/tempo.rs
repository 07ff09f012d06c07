//! Tempo variants: another game in which time is worth something. A game that a player wins after t plies gives the winner
//! 1 - δ·t/T and the loser -1 + 2·δ·t/T; a draw gives nothing to either.
//!
//! Hypotheses: the inner game is zero-sum and knows wins, draws and losses alone. T is the least power of two above its longest
//! length, and δ is 1/2, 1/4, 1/8 or 1/16. So t < T, every utility is dyadic and exact as an `f32`, winners stay above draws and
//! losers below them, and the sum u1 + u2 = δ·t/T of a decided game lies in [0, δ), while the game is not zero-sum. Equal
//! utilities of one player mean equal pairs, so that every position has one value, whoever breaks ties.

use super::{ConnectFour, TicTacToe};
use crate::game::{
    Action, Entry, Facts, Game, InvalidGame, Knowledge, Outcome, ParseMoveError, Payoff, Player, Symmetry, Term, Turn, Variant,
};
use crate::rng::mix;

/// Steps of estimates: few enough that what is made of them is exact.
const STEPS: f32 = 1024.0;

/// Tic-tac-toe in the variant asked for, as the list knows it.
pub(super) fn tic_tac_toe(variant: &mut Variant) -> Result<Entry<Tempo<TicTacToe>>, InvalidGame> {
    let game = Tempo::of(TicTacToe::new(), variant)?;
    Ok(Entry::new(game, "three in a row on 3x3, the sooner the better")
        .knowledge()
        .config(include_str!("../../configs/tic_tac_toe_tempo.toml"))
        .enumerable())
}

/// Connect Four in the variant asked for, as the list knows it.
pub(super) fn connect_four(variant: &mut Variant) -> Result<Entry<Tempo<ConnectFour>>, InvalidGame> {
    let game = Tempo::of(ConnectFour::new(), variant)?;
    Ok(Entry::new(game, "four in a row on 7x6, with gravity, the sooner the better")
        .knowledge()
        .config(include_str!("../../configs/connect_four_tempo.toml")))
}

/// The rules of `G` with payoffs that depend on the length of the game.
#[derive(Debug)]
pub struct Tempo<G> {
    inner: G,
    facts: Facts,
    /// δ/T: what the loser and the winner together gain a ply.
    rate: f32,
}

/// A position of `G`, and how many plies led to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Timed<S> {
    board: S,
    plies: u16,
}

impl<G: Game> Tempo<G> {
    /// The variant of `inner` that is asked for; its option is `delta`, δ.
    ///
    /// # Errors
    /// When `variant` gives another δ than one of those above.
    pub fn of(inner: G, variant: &mut Variant) -> Result<Self, InvalidGame> {
        let delta = variant.choice("delta", ("1/8", 0.125), &[("1/2", 0.5), ("1/4", 0.25), ("1/16", 0.0625)])?;
        let plain = inner.facts();
        let [planes, height, width] = plain.planes;
        let rate = delta / (plain.max_plies + 1).next_power_of_two() as f32;
        let sum = (0.0, rate * plain.max_plies as f32);
        let facts = Facts { id: variant.name(), planes: [planes + 1, height, width], sum, wdl: false, ..plain.clone() };
        Ok(Self { rate, inner, facts })
    }

    /// The inner game's worth of `value` to each, where a win is worth `win` to the winner and `-loss` to the loser.
    fn scaled(value: Payoff, win: f32, loss: f32) -> Payoff {
        Payoff(value.0.map(|utility| if utility > 0.0 { utility * win } else { utility * loss }))
    }
}

impl<G: Game> Game for Tempo<G> {
    type State = Timed<G::State>;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> Timed<G::State> {
        Timed { board: self.inner.initial(), plies: 0 }
    }

    fn turn(&self, state: &Timed<G::State>) -> Turn {
        match self.inner.turn(&state.board) {
            Turn::Over(payoff) => {
                let share = self.rate * f32::from(state.plies);
                Turn::Over(Self::scaled(payoff, 1.0 - share, 1.0 - 2.0 * share))
            }
            other => other,
        }
    }

    fn actions(&self, state: &Timed<G::State>, out: &mut Vec<Action>) {
        self.inner.actions(&state.board, out);
    }

    fn outcomes(&self, state: &Timed<G::State>, out: &mut Vec<(Outcome, f32)>) {
        self.inner.outcomes(&state.board, out);
    }

    fn play(&self, state: &mut Timed<G::State>, action: Action) {
        self.inner.play(&mut state.board, action);
        state.plies += 1;
    }

    fn roll(&self, state: &mut Timed<G::State>, outcome: Outcome) {
        self.inner.roll(&mut state.board, outcome);
        state.plies += 1;
    }

    /// Planes: those of the inner game, then one filled with the share of the longest length that has passed.
    fn encode(&self, state: &Timed<G::State>, planes: &mut [f32]) {
        let [_, height, width] = self.facts.planes;
        let (board, time) = planes.split_at_mut(planes.len() - height * width);
        self.inner.encode(&state.board, board);
        time.fill(f32::from(state.plies) / self.facts.max_plies as f32);
    }

    fn symmetries(&self) -> &[Symmetry] {
        self.inner.symmetries()
    }

    fn transform(&self, state: &Timed<G::State>, by: &Symmetry) -> Timed<G::State> {
        Timed { board: self.inner.transform(&state.board, by), plies: state.plies }
    }

    fn key(&self, state: &Timed<G::State>) -> u64 {
        self.inner.key(&state.board) ^ mix(u64::from(state.plies))
    }

    fn draw(&self, state: &Timed<G::State>) -> String {
        self.inner.draw(&state.board)
    }

    fn label(&self, state: &Timed<G::State>, action: Action) -> String {
        self.inner.label(&state.board, action)
    }

    fn parse(&self, state: &Timed<G::State>, text: &str) -> Result<Action, ParseMoveError> {
        self.inner.parse(&state.board, text)
    }
}

impl<G: Knowledge> Knowledge for Tempo<G> {
    /// The inner game's estimate, as if whoever is ahead won in the last ply: so it lies strictly between the latest win and the
    /// latest loss, and its sum within the bounds of the facts. It is rounded to steps, so that its products are exact.
    fn heuristic(&self, state: &Timed<G::State>) -> Payoff {
        let estimate = self.inner.heuristic(&state.board).of(Player::First);
        let step = (estimate * STEPS).round().clamp(1.0 - STEPS, STEPS - 1.0);
        let latest = self.rate * self.facts.max_plies as f32;
        Self::scaled(Payoff::zero_sum(Player::First, step / STEPS), 1.0 - latest, 1.0 - 2.0 * latest)
    }

    fn terms(&self, state: &Timed<G::State>) -> Vec<Term> {
        self.inner.terms(&state.board)
    }

    fn is_threatened(&self, state: &Timed<G::State>) -> bool {
        self.inner.is_threatened(&state.board)
    }

    fn ordering(&self, state: &Timed<G::State>, action: Action) -> i32 {
        self.inner.ordering(&state.board, action)
    }
}
