//! One game between two agents, from an opening to its end.
//!
//! Rule: players who name an illegal move or give up lose; a game that reaches the game's `max_plies` undecided is unfinished,
//! never a draw. A panic of an agent is caught and told, since it must neither hang a match nor pass for a lost game.

use std::any::Any;
use std::cmp::Ordering;
use std::panic::{self, AssertUnwindSafe};

use serde::{Deserialize, Serialize};

use crate::agent::{Agent, AgentFactory, Forfeit, decide_legally};
use crate::game::{Action, Game, Payoff, Player, Position, Step, Turn};
use crate::rng::Rng;

/// A game as it was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// All plies from the initial position, those of the opening included.
    pub steps: Vec<Step>,
    /// How it ended.
    pub ending: Ending,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ending {
    /// By the rules.
    Over(Payoff),
    /// `loser` gave up or named an illegal move.
    Forfeited {
        /// Who loses by it.
        loser: Player,
        /// Why.
        forfeit: Forfeit,
    },
    /// The game reached its longest length undecided.
    Unfinished,
}

impl GameRecord {
    /// The points of `player`: `(utility + 1) / 2`, so 1 for a win, 0 for a loss or a forfeit; none where the game is unfinished.
    #[must_use]
    pub fn score(&self, player: Player) -> Option<f64> {
        match &self.ending {
            Ending::Over(payoff) => Some(f64::midpoint(f64::from(payoff.of(player)), 1.0)),
            Ending::Forfeited { loser, .. } => Some(if *loser == player { 0.0 } else { 1.0 }),
            Ending::Unfinished => None,
        }
    }

    /// How the game went for `player`: `Greater` for a win, which is more points than the opponent's, `Equal` for a draw and
    /// `Less` for a loss; none where the game is unfinished.
    #[must_use]
    pub fn outcome(&self, player: Player) -> Option<Ordering> {
        self.score(player)?.partial_cmp(&self.score(player.other())?)
    }
}

/// An agent panicked, which is a fault of the program and not of its play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("agent {agent} panicked: {message}")]
pub struct AgentPanic {
    /// The agent.
    pub agent: String,
    /// What it said.
    pub message: String,
}

/// Plays a game from `opening` to its end. `agents[p]` plays for player `p`; chance and agents draw from `rng`.
///
/// Before each ply `goes_on` is asked; once it says no the game is abandoned and there is no record of it.
///
/// # Errors
/// When an agent panics.
pub fn play_game<G: Game>(
    opening: &Position<G>,
    agents: &mut [Box<dyn Agent<G>>; 2],
    rng: &mut Rng,
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<GameRecord>, AgentPanic> {
    let mut position = opening.clone();
    let longest = position.game().facts().max_plies;
    while goes_on() {
        let ending = match position.turn() {
            Turn::Over(payoff) => Some(Ending::Over(payoff)),
            _ if position.steps().len() >= longest => Some(Ending::Unfinished),
            Turn::Chance => {
                position.settle(rng);
                None
            }
            Turn::Move(mover) => match ask(agents[mover.index()].as_mut(), &position, rng)? {
                Ok(action) => {
                    position.play(action);
                    None
                }
                Err(forfeit) => Some(Ending::Forfeited { loser: mover, forfeit }),
            },
        };
        if let Some(ending) = ending {
            // Whoever was told to stop has not given up.
            return Ok(goes_on().then(|| GameRecord { steps: position.steps().to_vec(), ending }));
        }
    }
    Ok(None)
}

/// As [`play_game`], with agents made for this game alone: `makers[p]`, of this name, makes the agent of player `p`.
pub(super) fn play_afresh<G: Game>(
    opening: &Position<G>,
    makers: [(&str, &AgentFactory<G>); 2],
    rng: &mut Rng,
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<GameRecord>, AgentPanic> {
    let make = |(name, factory): (&str, &AgentFactory<G>)| {
        guard(|| factory()).map_err(|message| AgentPanic { agent: format!("{name} (while it was made)"), message })
    };
    let [first, second] = makers;
    play_game(opening, &mut [make(first)?, make(second)?], rng, goes_on)
}

/// The legal move that `agent` chooses, or why there is none.
fn ask<G: Game>(agent: &mut dyn Agent<G>, position: &Position<G>, rng: &mut Rng) -> Result<Result<Action, Forfeit>, AgentPanic> {
    match guard(|| decide_legally(agent, position, rng)) {
        Ok(decided) => Ok(decided.map(|decision| decision.action)),
        Err(message) => Err(AgentPanic { agent: agent.name().to_owned(), message }),
    }
}

/// The result of `call`, or what it said when it panicked.
fn guard<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    // Whatever a panic left half done is dropped with the game, so that nobody can observe it.
    panic::catch_unwind(AssertUnwindSafe(call)).map_err(|payload| panic_message(payload.as_ref()))
}

/// The text a panic came with.
#[must_use]
pub fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string).or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it gave no message".to_owned())
}
