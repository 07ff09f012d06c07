//! One game between two agents, from an opening to its end.
//!
//! Rule: players who name an illegal move or give up lose; a game that reaches the game's `max_plies` undecided is unfinished,
//! never a draw; others may end early by an [`Adjudication`]. A panic of an agent is caught and told, since it must neither hang a match nor pass for a lost game.

use std::any::Any;
use std::cmp::Ordering;
use std::panic::{self, AssertUnwindSafe};

use serde::{Deserialize, Serialize};

use super::adjudication::{Adjudication, Umpire};
use super::remark::{Remark, Stopwatch};
use crate::agent::{Agent, AgentFactory, Forfeit, decide_legally};
use crate::game::{Game, Payoff, Player, Position, Step, Turn};
use crate::rng::Rng;
use crate::search::Decision;

/// A game as it was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The position it began with, in the notation of the game, where that is not the initial one.
    pub start: Option<String>,
    /// All plies from there, those of the opening included.
    pub steps: Vec<Step>,
    /// How it ended.
    pub ending: Ending,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ending {
    /// By the rules.
    Over(Payoff),
    /// Early, because both players had been saying for some time that it would end so.
    Adjudicated(Payoff),
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
            Ending::Over(payoff) | Ending::Adjudicated(payoff) => Some(f64::midpoint(f64::from(payoff.of(player)), 1.0)),
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

/// A game, and what its players told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The game.
    pub record: GameRecord,
    /// Of each move that a player chose, in their order.
    pub remarks: Vec<Remark>,
}

/// What a game is played under.
#[derive(Clone, Copy)]
pub struct Conditions<'a> {
    /// Asked before each ply; once it says no the game is abandoned and there is no record of it.
    pub goes_on: &'a dyn Fn() -> bool,
    /// When it ends before its end by the rules.
    pub adjudication: Adjudication,
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

/// Plays a game from `opening` to its end; nothing where it was abandoned. `agents[p]` plays for player `p`; chance and agents draw from `rng`.
///
/// # Errors
/// When an agent panics.
pub fn play_game<G: Game>(
    opening: &Position<G>,
    agents: &mut [Box<dyn Agent<G>>; 2],
    rng: &mut Rng,
    conditions: Conditions,
) -> Result<Option<Played>, AgentPanic> {
    let mut position = opening.clone();
    let (mut umpire, mut remarks) = (Umpire::new(conditions.adjudication), Vec::new());
    let longest = position.game().facts().max_plies;
    while (conditions.goes_on)() {
        let ending = match position.turn() {
            Turn::Over(payoff) => Some(Ending::Over(payoff)),
            _ if position.steps().len() >= longest => Some(Ending::Unfinished),
            Turn::Chance => {
                position.settle(rng);
                None
            }
            Turn::Move(mover) => {
                let stopwatch = Stopwatch::start();
                match ask(agents[mover.index()].as_mut(), &position, rng)? {
                    Ok(decision) => {
                        position.play(decision.action);
                        let remark = stopwatch.remark(&decision);
                        remarks.push(remark);
                        let decided = umpire.hear(mover, remark.value.map(|value| value.of(mover)), position.steps().len());
                        // What the rules have decided needs no umpire.
                        decided.filter(|_| !matches!(position.turn(), Turn::Over(_))).map(Ending::Adjudicated)
                    }
                    Err(forfeit) => Some(Ending::Forfeited { loser: mover, forfeit }),
                }
            }
        };
        if let Some(ending) = ending {
            let record = GameRecord { start: None, steps: position.steps().to_vec(), ending };
            // Whoever was told to stop has not given up.
            return Ok((conditions.goes_on)().then_some(Played { record, remarks }));
        }
    }
    Ok(None)
}

/// As [`play_game`], with agents made for this game alone: `makers[p]`, of this name, makes the agent of player `p`.
pub(super) fn play_afresh<G: Game>(
    opening: &Position<G>,
    makers: [(&str, &AgentFactory<G>); 2],
    rng: &mut Rng,
    conditions: Conditions,
) -> Result<Option<Played>, AgentPanic> {
    let make = |(name, factory): (&str, &AgentFactory<G>)| {
        guard(|| factory()).map_err(|message| AgentPanic { agent: format!("{name} (while it was made)"), message })
    };
    let [first, second] = makers;
    play_game(opening, &mut [make(first)?, make(second)?], rng, conditions)
}

/// The legal move that `agent` chooses, or why there is none.
fn ask<G: Game>(
    agent: &mut dyn Agent<G>,
    position: &Position<G>,
    rng: &mut Rng,
) -> Result<Result<Decision, Forfeit>, AgentPanic> {
    guard(|| decide_legally(agent, position, rng)).map_err(|message| AgentPanic { agent: agent.name().to_owned(), message })
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
