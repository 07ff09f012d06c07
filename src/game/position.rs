//! A position together with the way that led to it, which is what an agent is asked about.

use std::sync::Arc;

use rand::RngExt as _;
use serde::{Deserialize, Serialize};

use super::{Action, Game, Outcome, ParseMoveError, Turn};
use crate::rng::Rng;

/// One ply: a player's move, or a result of chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Step {
    /// A player moved.
    Move(Action),
    /// Chance acted.
    Chance(Outcome),
}

/// A state and the steps that led to it from where it started, the initial position unless another was set up.
#[derive(Debug)]
pub struct Position<G: Game> {
    game: Arc<G>,
    start: G::State,
    state: G::State,
    steps: Vec<Step>,
}

impl<G: Game> Clone for Position<G> {
    fn clone(&self) -> Self {
        Self { game: Arc::clone(&self.game), start: self.start.clone(), state: self.state.clone(), steps: self.steps.clone() }
    }
}

impl<G: Game> Position<G> {
    /// The initial position.
    #[must_use]
    pub fn initial(game: &Arc<G>) -> Self {
        Self::at(game, game.initial())
    }

    /// A position that was set up, without steps.
    #[must_use]
    pub fn at(game: &Arc<G>, state: G::State) -> Self {
        Self { game: Arc::clone(game), start: state.clone(), state, steps: Vec::new() }
    }

    /// The rules.
    #[must_use]
    pub fn game(&self) -> &Arc<G> {
        &self.game
    }

    /// The position itself.
    #[must_use]
    pub fn state(&self) -> &G::State {
        &self.state
    }

    /// The steps that lead here from an earlier position of the same game, if it is one.
    #[must_use]
    pub fn steps_since(&self, earlier: &Self) -> Option<&[Step]> {
        self.steps.strip_prefix(earlier.steps.as_slice()).filter(|_| self.start == earlier.start)
    }

    /// Where it started.
    #[must_use]
    pub fn start(&self) -> &G::State {
        &self.start
    }

    /// How it came about, oldest first.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Who acts, or how it ended.
    #[must_use]
    pub fn turn(&self) -> Turn {
        self.game.turn(&self.state)
    }

    /// The legal moves.
    #[must_use]
    pub fn actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.game.actions(&self.state, &mut actions);
        actions
    }

    /// The results of chance that are possible now.
    #[must_use]
    pub fn outcomes(&self) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        self.game.outcomes(&self.state, &mut outcomes);
        outcomes.into_iter().map(|(outcome, _)| outcome).collect()
    }

    /// Plays a legal move.
    pub fn play(&mut self, action: Action) {
        self.game.play(&mut self.state, action);
        self.steps.push(Step::Move(action));
    }

    /// Applies a result of chance.
    pub fn roll(&mut self, outcome: Outcome) {
        self.game.roll(&mut self.state, outcome);
        self.steps.push(Step::Chance(outcome));
    }

    /// Whether a step is possible here.
    #[must_use]
    pub fn allows(&self, step: Step) -> bool {
        match (self.turn(), step) {
            (Turn::Move(_), Step::Move(action)) => self.actions().contains(&action),
            (Turn::Chance, Step::Chance(outcome)) => self.outcomes().contains(&outcome),
            _ => false,
        }
    }

    /// Takes a step that is possible.
    pub fn take(&mut self, step: Step) {
        match step {
            Step::Move(action) => self.play(action),
            Step::Chance(outcome) => self.roll(outcome),
        }
    }

    /// Plays the move that `text` names.
    ///
    /// # Errors
    /// When no legal move is called so.
    pub fn play_text(&mut self, text: &str) -> Result<Action, ParseMoveError> {
        let action = self.game.parse(&self.state, text)?;
        self.play(action);
        Ok(action)
    }

    /// Lets chance act until a player is to move or the game is over.
    pub fn settle(&mut self, rng: &mut Rng) {
        while self.turn() == Turn::Chance {
            let outcome = draw(self.game.as_ref(), &self.state, rng);
            self.roll(outcome);
        }
    }

    /// The position `plies` steps ago; the first one where there were fewer.
    #[must_use]
    pub fn before(&self, plies: usize) -> Self {
        let mut earlier = Self::at(&self.game, self.start.clone());
        let steps = &self.steps[..self.steps.len().saturating_sub(plies)];
        steps.iter().for_each(|&step| earlier.take(step));
        earlier
    }
}

/// Draws a result of chance with its probability, in a state where chance acts.
pub fn draw<G: Game>(game: &G, state: &G::State, rng: &mut Rng) -> Outcome {
    let mut outcomes = Vec::new();
    game.outcomes(state, &mut outcomes);
    draw_from(&outcomes, rng)
}

/// Draws one of the results of chance that [`Game::outcomes`] listed.
pub fn draw_from(outcomes: &[(Outcome, f32)], rng: &mut impl rand::Rng) -> Outcome {
    let mut left: f32 = rng.random();
    for &(outcome, probability) in outcomes {
        if left < probability {
            return outcome;
        }
        left -= probability;
    }
    // Rounding may leave a sliver beyond the last probability.
    outcomes.last().map_or(Outcome(0), |&(outcome, _)| outcome)
}
