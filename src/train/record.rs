//! Games as they were played, and the training samples they hold. The window is always filled from records, so what a chunk
//! on disk gives back is what the learner saw.

use serde::{Deserialize, Serialize};

use crate::game::{Action, Game, Payoff, Player, Step, Turn};

/// One game of self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number within the run, which also names its random stream.
    pub id: u64,
    /// The iteration of the network that played it.
    pub network: u32,
    /// What happened, oldest first.
    pub plies: Vec<Ply>,
    /// How it ended.
    pub ending: Ending,
}

/// How a game of self-play ended. It is written as the `Option<Payoff>` that it was before proofs ended games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ending {
    /// Not at all: it was cut at the game's longest length.
    Unfinished,
    /// By the rules.
    Over(Payoff),
    /// One ply after a position in which a search proved this payoff.
    Proven(Payoff),
}

impl Ending {
    /// What it was worth to both players, where that is known.
    #[must_use]
    pub fn payoff(self) -> Option<Payoff> {
        match self {
            Ending::Unfinished => None,
            Ending::Over(payoff) | Ending::Proven(payoff) => Some(payoff),
        }
    }
}

/// One ply of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ply {
    /// What was played or drawn.
    pub step: Step,
    /// What each legal move counted in the search's policy: its visits, but where proofs say more; empty where nothing was searched
    /// (random plies and chance).
    pub visits: Vec<(Action, u32)>,
    /// The search's value of the position before the ply.
    pub value: Option<Payoff>,
}

/// A position to learn from. It holds the state, which is small; planes are encoded when a batch is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<S> {
    /// The position; a player is to move in it.
    pub state: S,
    /// The share of visits of each legal move: the policy target.
    pub policy: Box<[(Action, f32)]>,
    /// The value target.
    pub payoff: Payoff,
}

/// The samples of a game: one a searched ply, in order. A ply that plays or visits what is not legal ends the replay; a
/// whole record has none.
///
/// The value target is how the game ended (for an unfinished one, what the search last thought), mixed with a share
/// `search_value` of what the search thought of the position itself, which is less noisy and less true (Willemsen, Baier and Kaisers,
/// "Value targets in off-policy AlphaZero: a new greedy backup", 2021, soft-Z).
pub fn samples<G: Game>(game: &G, record: &GameRecord, search_value: f32) -> Vec<Sample<G::State>> {
    let last = || record.plies.iter().rev().find_map(|ply| ply.value);
    let Some(ending) = record.ending.payoff().or_else(last) else { return Vec::new() };
    let (mut state, mut samples, mut actions) = (game.initial(), Vec::new(), Vec::new());
    for ply in &record.plies {
        match (game.turn(&state), ply.step) {
            (Turn::Move(_), Step::Move(action)) => {
                actions.clear();
                game.actions(&state, &mut actions);
                let mut named = ply.visits.iter().map(|(action, _)| action).chain([&action]);
                if !named.all(|action| actions.contains(action)) {
                    break;
                }
                let total: u32 = ply.visits.iter().map(|&(_, visits)| visits).sum();
                if total > 0 {
                    let policy = ply.visits.iter().map(|&(action, visits)| (action, visits as f32 / total as f32)).collect();
                    let payoff = mix(ending, ply.value.unwrap_or(ending), search_value);
                    samples.push(Sample { state: state.clone(), policy, payoff });
                }
                game.play(&mut state, action);
            }
            (Turn::Chance, Step::Chance(outcome)) => game.roll(&mut state, outcome),
            _ => break,
        }
    }
    samples
}

/// `share` of `other` and the rest of `one`.
fn mix(one: Payoff, other: Payoff, share: f32) -> Payoff {
    let part = |player: Player| one.of(player) + share * (other.of(player) - one.of(player));
    Payoff(Player::BOTH.map(part))
}
