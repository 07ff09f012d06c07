//! Where games of self-play begin: at the initial position, after random plies, or at a position of an earlier game that surprised its search.
//!
//! # Random plies
//! Rule: a few uniformly random moves; if that is asked for, none that lets the other player win at once. Most games from there are between
//! players who stand about equally, and few are over before they teach anything.
//!
//! # The archive
//! Rule: of all positions that were searched, those are kept in which what the search found differed most from what the network alone had thought; an
//! iteration makes older differences count less by a tenth. A share of the games begins at such positions, drawn by their differences. Which
//! games, and where, is decided before an iteration begins, from what was committed, and is part of the state of a run; so games that are
//! lost from disk are played again from the same positions. Proven positions have nothing to teach and are left out.
//!
//! Source: Trudeau and Bowling, "Targeted search control in AlphaZero for effective policy improvement" (Go-Exploit), 2023: starts from an
//! archive of visited positions; drawing by surprise instead of evenly is ours. Cost: one look at each ply of an iteration.

use std::collections::{BTreeMap, HashSet};

use rand::RngExt as _;
use serde::{Deserialize, Serialize};

use super::{GameRecord, SelfPlayConfig};
use crate::game::{Game, Payoff, Position, Step, Turn};
use crate::rng::{self, Rng};

/// The games that begin in the archive, by their numbers: the steps from the initial position.
pub type Starts = BTreeMap<u64, Vec<Step>>;

/// A position that surprised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surprise {
    /// The steps from the initial position.
    pub steps: Vec<Step>,
    /// By how much the search's value differed from the network's, in utilities; less for each iteration since.
    pub gap: f32,
}

/// What is left of a difference after an iteration.
const FADING: f32 = 0.9;

/// Adds what the games of an iteration found to the archive, which keeps the `size` largest differences.
pub(super) fn renew(archive: &mut Vec<Surprise>, records: &[GameRecord], size: usize) {
    for surprise in archive.iter_mut() {
        surprise.gap *= FADING;
    }
    let mut found: Vec<(f32, usize, usize)> = Vec::new();
    for (number, record) in records.iter().enumerate() {
        for (at, ply) in record.plies.iter().enumerate() {
            if let Some(opinion) = ply.opinion.filter(|opinion| opinion.proven.is_none() && opinion.gap > 0.0) {
                found.push((opinion.gap, number, at));
            }
        }
    }
    largest_first(&mut found, |&(gap, ..)| gap);
    found.truncate(size);
    let steps = |number: usize, at: usize| records[number].plies[..at].iter().map(|ply| ply.step).collect();
    // New ones come first, so that they stay where an old one has the same steps.
    let mut all: Vec<Surprise> = found.iter().map(|&(gap, number, at)| Surprise { steps: steps(number, at), gap }).collect();
    all.append(archive);
    let mut seen = HashSet::new();
    all.retain(|surprise| seen.insert(surprise.steps.clone()));
    largest_first(&mut all, |surprise| surprise.gap);
    all.truncate(size);
    *archive = all;
}

/// Sorts by a number, the largest first, equals as they were.
fn largest_first<T>(list: &mut [T], number: impl Fn(&T) -> f32) {
    list.sort_by(|one, other| number(other).total_cmp(&number(one)));
}

/// Decides which of the games with these numbers begin in the archive, and where.
pub(super) fn choose(archive: &[Surprise], config: &SelfPlayConfig, seed: u64, ids: impl Iterator<Item = u64>) -> Starts {
    let total: f32 = archive.iter().map(|surprise| surprise.gap).sum();
    if config.archive_share <= 0.0 || total <= 0.0 {
        return Starts::new();
    }
    let choice = |id: u64| {
        let mut rng = rng::stream(seed, "starts", id);
        (rng.random::<f32>() < config.archive_share).then(|| {
            let mut left = rng.random::<f32>() * total;
            let drawn = archive.iter().find(|surprise| {
                left -= surprise.gap;
                left < 0.0
            });
            // Rounding may leave a sliver beyond the last.
            (id, drawn.unwrap_or(&archive[archive.len() - 1]).steps.clone())
        })
    };
    ids.filter_map(choice).collect()
}

/// Goes to the position after `steps`, or as far as they are legal.
pub(super) fn follow<G: Game>(position: &mut Position<G>, steps: &[Step]) {
    for &step in steps {
        if !position.allows(step) {
            return;
        }
        position.take(step);
    }
}

/// Plays `plies` uniformly random moves, of those only that let nobody win at once if it is to be `safe`. A prefix that would end the game, or reach
/// its longest length, is given up where it stands one ply earlier, as is one without such moves.
pub(super) fn random_prefix<G: Game>(position: &mut Position<G>, plies: u32, safe: bool, rng: &mut Rng) {
    for _ in 0..plies {
        let mut actions = position.actions();
        if safe {
            actions.retain(|&action| {
                let mut after = position.clone();
                after.play(action);
                !can_win(&after)
            });
        }
        if actions.is_empty() {
            return;
        }
        let mut after = position.clone();
        after.play(actions[rng.random_range(0..actions.len())]);
        after.settle(rng);
        let is_long = after.steps().len() >= after.game().facts().max_plies;
        if is_long || !matches!(after.turn(), Turn::Move(_)) {
            return;
        }
        *position = after;
    }
}

/// Whether the one who is to move wins with a move; not where chance acts first.
fn can_win<G: Game>(position: &Position<G>) -> bool {
    let Turn::Move(mover) = position.turn() else { return false };
    position.actions().into_iter().any(|action| {
        let mut after = position.state().clone();
        position.game().play(&mut after, action);
        matches!(position.game().turn(&after), Turn::Over(payoff) if payoff.of(mover) >= Payoff::MOST)
    })
}
