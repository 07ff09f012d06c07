//! What a game teaches: a policy and a value for each searched position.
//!
//! # The value target
//! Rule: going back from the end of the game, what is expected of it is, before each ply,
//! `(1 - lambda) * q + lambda * (what is expected after the ply)`, with q what the search after the ply thought of the best move there; before a ply that
//! gave something away it is what the search thought of the best move before it, if such traces are cut. Of that a share is replaced by the search's own
//! value of the position. With lambda 1, no cut and no share it is how the game ended; for an unfinished game, what the search last thought.
//!
//! Sources: Sutton, "Learning to predict by the methods of temporal differences", 1988 (lambda); Watkins, "Learning from delayed rewards", 1989
//! (the cut); Willemsen, Baier and Kaisers, "Value targets in off-policy AlphaZero: a new greedy backup", 2021 (soft-Z, and the greedy value).
//! Payoffs are absolute, so nothing changes sign on the way. Cost: one pass over the game each way.
//!
//! # How much a position counts
//! Rule: a share of the weight of a game's positions goes by how much the search surprised the network (the relative entropy of its policy
//! from the priors), the rest is even; the mean is 1. Source: Wu, `KataGo` ("policy surprise weighting").

use std::sync::Arc;

use super::ReplayConfig;
use super::record::{Ending, GameRecord, Ply};
use crate::eval::Forecast;
use crate::game::{Action, Game, Payoff, Player, Step, Turn};

/// A probability a move.
pub type Policy = Arc<[(Action, f32)]>;

/// A position to learn from. It holds the state, which is small; planes are encoded when a batch is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<S> {
    /// The position; a player is to move in it.
    pub state: S,
    /// The share of visits of each legal move: the policy target.
    pub policy: Policy,
    /// The value target.
    pub payoff: Payoff,
    /// The chance of a draw, where the target tells draws from wins and losses that cancel out.
    pub draw: Option<f32>,
    /// How often it is drawn beside others, whose weights are 1 in the mean.
    pub weight: f32,
    /// Plies until the game ended, where it did.
    pub plies_left: Option<u32>,
    /// What the other player's search made of the next position, where it was to move there and searched.
    pub reply: Option<Policy>,
}

impl<S> Sample<S> {
    /// A sample that says nothing but its two targets.
    #[must_use]
    pub fn new(state: S, policy: impl Into<Policy>, payoff: Payoff) -> Self {
        Self { state, policy: policy.into(), payoff, draw: None, weight: 1.0, plies_left: None, reply: None }
    }
}

/// The samples of a game: one a searched ply whose policy is to be learned, in order; of those that were proven the first few, where that is
/// limited. A ply that plays or visits what is not legal ends the replay; a whole record has none.
pub fn samples<G: Game>(game: &G, record: &GameRecord, config: &ReplayConfig) -> Vec<Sample<G::State>> {
    let Some(targets) = values(record, config) else { return Vec::new() };
    let positions = positions(game, record);
    let policies: Vec<Option<Policy>> = record.plies.iter().map(policy).collect();
    let (is_wdl, end, most_proven) = (game.facts().wdl, end(record), config.proven_positions);
    let (mut samples, mut surprises, mut proven) = (Vec::new(), Vec::new(), 0);
    for (at, (state, mover)) in positions.iter().enumerate() {
        let (Some(policy), opinion) = (&policies[at], record.plies[at].opinion) else { continue };
        proven += u32::from(opinion.is_some_and(|opinion| opinion.proven.is_some()));
        if most_proven > 0 && proven > most_proven {
            break;
        }
        let answers = positions.get(at + 1).is_some_and(|(_, next)| next.is_some() && next != mover);
        samples.push(Sample {
            state: state.clone(),
            policy: Arc::clone(policy),
            payoff: targets[at].payoff,
            draw: (config.tell_draws && is_wdl).then_some(targets[at].draw),
            weight: 1.0,
            plies_left: end.and_then(|end| end.checked_sub(at as u32)),
            reply: policies.get(at + 1).filter(|_| answers).cloned().flatten(),
        });
        surprises.push(opinion.map_or(0.0, |opinion| opinion.surprise));
    }
    weigh(&mut samples, &surprises, config.surprise);
    samples
}

/// The position before each ply and the player who was to move, as far as plies are legal.
fn positions<G: Game>(game: &G, record: &GameRecord) -> Vec<(G::State, Option<Player>)> {
    let (mut state, mut positions, mut actions) = (game.initial(), Vec::new(), Vec::new());
    for ply in &record.plies {
        let before = state.clone();
        match (game.turn(&state), ply.step) {
            (Turn::Move(mover), Step::Move(action)) => {
                actions.clear();
                game.actions(&state, &mut actions);
                let mut named = ply.visits.iter().map(|(action, _)| action).chain([&action]);
                if !named.all(|action| actions.contains(action)) {
                    break;
                }
                game.play(&mut state, action);
                positions.push((before, Some(mover)));
            }
            (Turn::Chance, Step::Chance(outcome)) => {
                game.roll(&mut state, outcome);
                positions.push((before, None));
            }
            _ => break,
        }
    }
    positions
}

/// The policy to learn before a ply, if there is one.
fn policy(ply: &Ply) -> Option<Policy> {
    let total: u32 = ply.visits.iter().map(|&(_, visits)| visits).sum();
    (total > 0).then(|| ply.visits.iter().map(|&(action, visits)| (action, visits as f32 / total as f32)).collect())
}

/// The value target before each ply; none where nothing is known of the end.
fn values(record: &GameRecord, config: &ReplayConfig) -> Option<Vec<Forecast>> {
    let last = || Some(record.plies.iter().rev().find_map(|ply| ply.opinion)?.value);
    let mut expected = record.ending.payoff().map(Forecast::certain).or_else(last)?;
    let mut best_after = expected;
    let mut targets: Vec<Forecast> = record
        .plies
        .iter()
        .rev()
        .map(|ply| {
            let Some(opinion) = ply.opinion else { return expected };
            let is_cut = config.cut_exploratory && opinion.exploratory;
            expected = if is_cut { opinion.best } else { expected.mixed(best_after, 1.0 - config.lambda) };
            best_after = opinion.best;
            expected.mixed(opinion.value, config.search_value)
        })
        .collect();
    targets.reverse();
    Some(targets)
}

/// The number of plies of the whole game, with those that were proven and not played; none where it did not end.
fn end(record: &GameRecord) -> Option<u32> {
    let proven = |(at, ply): (usize, &Ply)| Some(at as u32 + ply.opinion?.proven?);
    match record.ending {
        Ending::Unfinished => None,
        Ending::Over(_) => Some(record.plies.len() as u32),
        Ending::Proven(_) => record.plies.iter().enumerate().rev().find_map(proven),
    }
}

/// Spreads `share` of the weight by the surprises.
fn weigh<S>(samples: &mut [Sample<S>], surprises: &[f32], share: f32) {
    let total: f32 = surprises.iter().sum();
    if total > 0.0 {
        for (sample, surprise) in samples.iter_mut().zip(surprises) {
            sample.weight = 1.0 - share + share * surprise * surprises.len() as f32 / total;
        }
    }
}
