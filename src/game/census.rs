//! How large a game is: counted where every position can be visited, estimated by random play elsewhere.

use std::collections::{HashMap, HashSet};

use rand::RngExt as _;

use super::{Action, Game, Outcome, Turn, draw};
use crate::rng;

/// Exact numbers of a small game. Results of chance count as moves do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Census {
    /// Distinct positions that can be reached, the initial one and finished ones among them.
    pub positions: usize,
    /// Classes of positions that symmetries turn into each other.
    pub classes: usize,
    /// Ways from the initial position to an end.
    pub games: u128,
}

/// What random play tells of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Mean number of moves, or results of chance, in a position.
    pub branching: f64,
    /// Mean length of a game in plies.
    pub plies: f64,
}

impl Estimate {
    /// The logarithm to base 10 of branching^plies, the size of a uniform tree like this one.
    #[must_use]
    pub fn digits(&self) -> f64 {
        self.plies * self.branching.log10()
    }
}

/// Counts a game of at most `limit` positions; `None` where there are more. No position may lead back to itself. Cost: time and
/// memory in the number of positions.
pub fn count<G: Game>(game: &G, limit: usize) -> Option<Census> {
    let mut games = HashMap::new();
    let whole = games_from(game, &game.initial(), &mut games, limit)?;
    let mut seen: HashSet<G::State> = HashSet::new();
    for state in games.keys() {
        if !game.symmetries().iter().any(|symmetry| seen.contains(&game.transform(state, symmetry))) {
            seen.insert(state.clone());
        }
    }
    Some(Census { positions: games.len(), classes: seen.len(), games: whole })
}

/// The games that can still follow `state`, kept in `known` for every position visited.
fn games_from<G: Game>(game: &G, state: &G::State, known: &mut HashMap<G::State, u128>, limit: usize) -> Option<u128> {
    if let Some(&games) = known.get(state) {
        return Some(games);
    }
    let successors = successors(game, state);
    let mut games = u128::from(successors.is_empty());
    for next in successors {
        games = games.saturating_add(games_from(game, &next, known, limit)?);
    }
    known.insert(state.clone(), games);
    (known.len() <= limit).then_some(games)
}

fn successors<G: Game>(game: &G, state: &G::State) -> Vec<G::State> {
    let (mut actions, mut outcomes): (Vec<Action>, Vec<(Outcome, f32)>) = (Vec::new(), Vec::new());
    game.actions(state, &mut actions);
    game.outcomes(state, &mut outcomes);
    let moved = actions.into_iter().map(|action| {
        let mut next = state.clone();
        game.play(&mut next, action);
        next
    });
    let rolled = outcomes.into_iter().map(|(outcome, _)| {
        let mut next = state.clone();
        game.roll(&mut next, outcome);
        next
    });
    moved.chain(rolled).collect()
}

/// The ways to play `plies` plies from `state`, results of chance included; chess programs call it perft. The last ply is counted, not
/// played.
pub fn perft<G: Game>(game: &G, state: &G::State, plies: u32) -> u64 {
    ways(game, state, &mut vec![Choices::default(); plies as usize])
}

/// What can happen in a position: a buffer for each ply of the path.
#[derive(Clone, Default)]
struct Choices {
    actions: Vec<Action>,
    outcomes: Vec<(Outcome, f32)>,
}

/// The ways to play as many plies as there are buffers.
fn ways<G: Game>(game: &G, state: &G::State, buffers: &mut [Choices]) -> u64 {
    let Some((Choices { actions, outcomes }, deeper)) = buffers.split_first_mut() else { return 1 };
    actions.clear();
    outcomes.clear();
    game.actions(state, actions);
    game.outcomes(state, outcomes);
    if deeper.is_empty() {
        return (actions.len() + outcomes.len()) as u64;
    }
    let mut after = |change: &dyn Fn(&mut G::State)| {
        let mut next = state.clone();
        change(&mut next);
        ways(game, &next, deeper)
    };
    let moved: u64 = actions.iter().map(|&action| after(&|next| game.play(next, action))).sum();
    let rolled: u64 = outcomes.iter().map(|&(outcome, _)| after(&|next| game.roll(next, outcome))).sum();
    moved + rolled
}

/// Estimates a game by so many random games. Cost: their plies.
pub fn estimate<G: Game>(game: &G, games: u64, seed: u64) -> Estimate {
    let (mut choices, mut plies) = (0, 0);
    let (mut actions, mut outcomes) = (Vec::new(), Vec::new());
    for index in 0..games {
        let (mut state, mut rng) = (game.initial(), rng::stream(seed, "census", index));
        for _ in 0..game.facts().max_plies {
            actions.clear();
            outcomes.clear();
            match game.turn(&state) {
                Turn::Over(_) => break,
                Turn::Move(_) => {
                    game.actions(&state, &mut actions);
                    game.play(&mut state, actions[rng.random_range(0..actions.len())]);
                }
                Turn::Chance => {
                    game.outcomes(&state, &mut outcomes);
                    let outcome = draw(game, &state, &mut rng);
                    game.roll(&mut state, outcome);
                }
            }
            choices += actions.len() + outcomes.len();
            plies += 1;
        }
    }
    Estimate { branching: choices as f64 / f64::from(plies.max(1)), plies: f64::from(plies) / games.max(1) as f64 }
}
