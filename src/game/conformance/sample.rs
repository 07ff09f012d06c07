//! The positions that properties are tried on: those of seeded random games, every ply of them, chance included.

use rand::RngExt as _;

use super::{Fault, guarded};
use crate::game::{Action, Entry, Game, Outcome, Player, Step, Turn, draw};
use crate::rng::{self, Rng};

/// Plies after which a game is left undecided, whatever its facts allow.
const PATIENCE: usize = 4096;

/// A game with positions of it.
pub(super) struct Sample<'a, G: Game> {
    pub(super) entry: &'a Entry<G>,
    /// Every position of every game, in order.
    pub(super) positions: Vec<Reached<G::State>>,
    /// What went wrong while they were played.
    pub(super) faults: Vec<Fault>,
    games: Vec<Vec<Step>>,
}

/// A position, and where it stands in its game.
pub(super) struct Reached<S> {
    pub(super) state: S,
    game: usize,
    plies: usize,
}

impl<'a, G: Game> Sample<'a, G> {
    /// Plays `games` random games. What a game that breaks off has reached by then is kept.
    pub(super) fn play(entry: &'a Entry<G>, games: u64, seed: u64) -> Self {
        let mut sample = Self { entry, positions: Vec::new(), faults: Vec::new(), games: Vec::new() };
        for number in 0..games {
            let mut rng = rng::stream(seed, "conformance", number);
            sample.games.push(Vec::new());
            if let Err(problem) = guarded(|| sample.play_one(&mut rng)) {
                let at = sample.positions.len().checked_sub(1);
                sample.faults.push(Fault { at, problem });
            }
        }
        sample
    }

    fn play_one(&mut self, rng: &mut Rng) -> Result<(), String> {
        let (rules, game) = (self.game(), self.games.len() - 1);
        let longest = rules.facts().max_plies;
        let mut state = rules.initial();
        loop {
            let plies = self.games[game].len();
            self.positions.push(Reached { state: state.clone(), game, plies });
            let step = match rules.turn(&state) {
                Turn::Over(_) => return Ok(()),
                _ if plies >= PATIENCE => return Ok(()),
                _ if plies >= longest => {
                    return Err(format!("a game goes on after {longest} plies, the most that its facts allow"));
                }
                Turn::Chance if self.outcomes(&state).is_empty() => return Err("chance is to act and has no outcome".to_owned()),
                Turn::Chance => Step::Chance(draw(rules, &state, rng)),
                Turn::Move(_) if self.actions(&state).is_empty() => return Err("a player is to move and has no move".to_owned()),
                Turn::Move(_) => {
                    let actions = self.actions(&state);
                    Step::Move(actions[rng.random_range(0..actions.len())])
                }
            };
            self.games[game].push(step);
            state = self.after(&state, step);
        }
    }

    /// The rules.
    pub(super) fn game(&self) -> &'a G {
        self.entry.game.as_ref()
    }

    /// The legal moves of `state`.
    pub(super) fn actions(&self, state: &G::State) -> Vec<Action> {
        let mut actions = Vec::new();
        self.game().actions(state, &mut actions);
        actions
    }

    /// The results of chance in `state`.
    pub(super) fn outcomes(&self, state: &G::State) -> Vec<(Outcome, f32)> {
        let mut outcomes = Vec::new();
        self.game().outcomes(state, &mut outcomes);
        outcomes
    }

    /// `state` after `step`.
    pub(super) fn after(&self, state: &G::State, step: Step) -> G::State {
        let mut next = state.clone();
        match step {
            Step::Move(action) => self.game().play(&mut next, action),
            Step::Chance(outcome) => self.game().roll(&mut next, outcome),
        }
        next
    }

    /// Who is to move in `state`, if anyone.
    pub(super) fn mover(&self, state: &G::State) -> Option<Player> {
        match self.game().turn(state) {
            Turn::Move(player) => Some(player),
            Turn::Chance | Turn::Over(_) => None,
        }
    }

    /// The encoding of `state`, written over a buffer of `filling`.
    pub(super) fn encoding(&self, state: &G::State, filling: f32) -> Vec<f32> {
        let mut planes = vec![filling; self.game().facts().planes.iter().product()];
        self.game().encode(state, &mut planes);
        planes
    }

    /// The name of `action` in an error: its label and its number.
    pub(super) fn name(&self, state: &G::State, action: Action) -> String {
        format!("{} (action {})", self.game().label(state, action), action.0)
    }

    /// Position number `at` for people: the moves that led to it, and the board. Of a game that cannot tell, its state as Rust
    /// has it.
    pub(super) fn describe(&self, at: usize) -> String {
        let Reached { state, game, plies } = &self.positions[at];
        let path = guarded::<_, String>(|| Ok(self.path(&self.games[*game][..*plies])));
        let path = path.unwrap_or_else(|_| format!("{plies} plies"));
        let board = guarded::<_, String>(|| Ok(self.game().draw(state))).unwrap_or_else(|_| format!("{state:?}"));
        format!("after {}, in random game {game}:\n{board}", if path.is_empty() { "no move" } else { &path })
    }

    /// The labels of steps from the initial position; results of chance as they are called.
    fn path(&self, steps: &[Step]) -> String {
        let mut state = self.game().initial();
        let mut label = |&step: &Step| {
            let label = match step {
                Step::Move(action) => self.game().label(&state, action),
                Step::Chance(outcome) => outcome.to_string(),
            };
            state = self.after(&state, step);
            label
        };
        steps.iter().map(&mut label).collect::<Vec<_>>().join(" ")
    }
}
