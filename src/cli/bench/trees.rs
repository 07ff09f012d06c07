//! Trees whose counts are known, and trees for max-n's pruning.

use super::report::{Dice, Saving, UniformRow};
use crate::game::Game as _;
use crate::rng;
use crate::search::alpha_beta::Options;
use crate::search::maxn::{Pruning, Ties};
use crate::search::textbook::{Leaves, Uniform};
use crate::search::{AlphaBeta, Budget, Expectimax, MaxN, Unsuited, expectimax};

/// Uniform trees of so many moves a position and plies.
const SHAPES: [(usize, usize); 5] = [(2, 11), (3, 8), (5, 6), (10, 4), (30, 3)];

/// Nodes of alpha-beta on ordered trees, beside those that Knuth and Moore prove.
pub(super) fn uniform() -> Result<Vec<UniformRow>, Unsuited> {
    let row = |(branching, depth): (usize, usize)| {
        let nodes = |order| {
            let game = Uniform::new(branching, depth, order);
            let mut alpha_beta = AlphaBeta::new(&game, None, Options::textbook())?;
            Ok(alpha_beta.search(&game.initial(), &Budget::default(), &mut rng::stream(1, "bench", 2)).nodes)
        };
        let b = branching as u64;
        let least = |ply: u32| b.pow(ply.div_ceil(2)) + b.pow(ply / 2) - 1;
        let plies = 0..=depth as u32;
        Ok(UniformRow {
            branching,
            depth,
            best_first: nodes(Leaves::BestFirst)?,
            least: plies.clone().map(least).sum(),
            worst_first: nodes(Leaves::WorstFirst)?,
            most: plies.map(|ply| b.pow(ply)).sum(),
        })
    };
    SHAPES.into_iter().map(row).collect()
}

/// How far from zero the sums of random pairs may be.
const EPSILONS: [f32; 4] = [0.0, 0.125, 0.5, 1.0];
/// Random trees an epsilon, of four moves a position and six plies.
const TREES: u64 = 200;
const BRANCHING: usize = 4;
const DEPTH: usize = 6;

/// The leaves of random trees that each pruning of max-n visits.
pub(super) fn maxn() -> Result<Vec<Saving>, Unsuited> {
    let saving = |epsilon: f32| {
        let leaves = |pruning, ties| {
            let mut leaves = 0;
            for seed in 0..TREES {
                let game = Uniform::new(BRANCHING, DEPTH, Leaves::Pairs { epsilon, seed });
                let mut maxn = MaxN::new(&game, None, pruning, ties)?;
                maxn.search(&game.initial(), &Budget::default(), &mut rng::stream(1, "bench", 3));
                leaves += maxn.leaves();
            }
            Ok(leaves)
        };
        Ok(Saving {
            epsilon,
            all: leaves(Pruning::Off, Ties::First)?,
            coordinate: leaves(Pruning::Coordinate, Ties::First)?,
            pair: leaves(Pruning::Pair, Ties::First)?,
            pair_strict: leaves(Pruning::Pair, Ties::Drawn)?,
        })
    };
    EPSILONS.into_iter().map(saving).collect()
}

/// Trees with chance, of so many moves a position, results of chance after each, and moves a game.
const DICE: [(usize, usize, usize); 3] = [(4, 2, 4), (4, 4, 3), (8, 6, 2)];

/// The nodes of random trees with chance that each cut of expectimax visits.
pub(super) fn dice() -> Result<Vec<Dice>, Unsuited> {
    let row = |(branching, results, depth): (usize, usize, usize)| {
        let nodes = |alpha_beta, star1, star2| {
            let mut nodes = 0;
            for seed in 0..TREES {
                let game = Uniform::new(branching, depth, Leaves::Dice { results, seed });
                let options = expectimax::Options { alpha_beta, star1, star2, ..expectimax::Options::textbook() };
                let mut expectimax = Expectimax::new(&game, None, options)?;
                nodes += expectimax.search(&game.initial(), &Budget::default(), &mut rng::stream(1, "bench", 4)).nodes;
            }
            Ok(nodes)
        };
        Ok(Dice {
            branching,
            results,
            depth,
            all: nodes(false, false, false)?,
            windows: nodes(true, false, false)?,
            star1: nodes(true, true, false)?,
            star2: nodes(true, true, true)?,
        })
    };
    DICE.into_iter().map(row).collect()
}
