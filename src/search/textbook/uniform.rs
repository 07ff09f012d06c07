//! Trees in which every position has as many moves and every game as many plies; players alternate. With leaves in the best
//! and in the worst order they show what pruning saves at most and at least (D. Knuth and R. Moore, "An analysis of alpha-beta
//! pruning", 1975); with random pairs, and with chance, what it saves between.

use std::sync::Arc;

use crate::game::{Action, Facts, Game, Outcome, Payoff, Player, Turn};
use crate::rng::mix;

/// What the leaves of a uniform tree are worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Leaves {
    /// In every position the first move is best, and each is worse than the one before it. Zero-sum.
    BestFirst,
    /// In every position the last move is best, and each is worse than the one after it. Zero-sum.
    WorstFirst,
    /// Random multiples of 1/8 whose sum is at most `epsilon`, itself a multiple of 1/8, away from zero.
    Pairs {
        /// How far sums may be from zero.
        epsilon: f32,
        /// Names the tree.
        seed: u64,
    },
    /// After each move chance draws one of `results`, all equally likely. Random multiples of 1/8. Zero-sum.
    Dice {
        /// Results of chance in each position where it acts.
        results: usize,
        /// Names the tree.
        seed: u64,
    },
}

/// A uniform tree as a game.
#[derive(Debug)]
pub struct Uniform {
    facts: Facts,
    leaves: Leaves,
}

/// A position: the way to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    plies: usize,
    /// The moves and results of chance as digits.
    digits: u64,
    /// The same, with the moves of the second player counted as negative digits.
    balance: i64,
}

impl Uniform {
    /// Random utilities are multiples of this.
    const GRID: f32 = 1.0 / 8.0;

    /// The tree with `branching` moves a position and `depth` plies, those of chance not counted. Ordered leaves are distinct
    /// up to 2^23 of them.
    #[must_use]
    pub fn new(branching: usize, depth: usize, leaves: Leaves) -> Arc<Self> {
        let epsilon = if let Leaves::Pairs { epsilon, .. } = leaves { epsilon } else { 0.0 };
        let facts = Facts {
            id: "uniform_tree".to_owned(),
            actions: branching,
            planes: [1, 1, 1],
            chance: matches!(leaves, Leaves::Dice { .. }),
            sum: (-epsilon, epsilon),
            max_plies: if matches!(leaves, Leaves::Dice { .. }) { 2 * depth } else { depth },
            wdl: false,
        };
        Arc::new(Self { facts, leaves })
    }

    /// A random number for `path`.
    fn word(seed: u64, path: &Path) -> u64 {
        mix(mix(seed).wrapping_add(path.digits))
    }

    /// A random utility, from a random number.
    fn utility(word: u64) -> f32 {
        (word % 17) as f32 * Self::GRID - 1.0
    }

    /// What the leaf at the end of `path` is worth.
    fn payoff(&self, path: &Path) -> Payoff {
        match self.leaves {
            Leaves::BestFirst => Payoff::zero_sum(Player::Second, self.share(path)),
            Leaves::WorstFirst => Payoff::zero_sum(Player::First, self.share(path)),
            Leaves::Pairs { epsilon, seed } => {
                let word = Self::word(seed, path);
                let first = Self::utility(word);
                let most = (epsilon / Self::GRID) as u64;
                let sum = ((word >> 32) % (2 * most + 1)) as f32 * Self::GRID - epsilon;
                Payoff([first, (sum - first).clamp(-1.0, 1.0)])
            }
            Leaves::Dice { seed, .. } => Payoff::zero_sum(Player::First, Self::utility(Self::word(seed, path))),
        }
    }
}

impl Uniform {
    fn step(&self, path: &mut Path, digit: u16) {
        let results = if let Leaves::Dice { results, .. } = self.leaves { results } else { 0 };
        let base = self.facts.actions.max(results) as u64;
        let signed = if path.plies.is_multiple_of(2) { i64::from(digit) } else { -i64::from(digit) };
        path.balance = path.balance.wrapping_mul(base as i64).wrapping_add(signed);
        path.digits = path.digits.wrapping_mul(base).wrapping_add(digit.into());
        path.plies += 1;
    }

    /// The balance of `path` as a utility. An earlier move outweighs all later ones, so that no bound from above tells anything
    /// of a position before its last move.
    fn share(&self, path: &Path) -> f32 {
        let leaves = (self.facts.actions as u64).saturating_pow(self.facts.max_plies as u32);
        path.balance as f32 / leaves.checked_next_power_of_two().unwrap_or(u64::MAX) as f32
    }
}

impl Game for Uniform {
    type State = Path;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn initial(&self) -> Path {
        Path { plies: 0, digits: 0, balance: 0 }
    }

    fn turn(&self, path: &Path) -> Turn {
        match self.leaves {
            _ if path.plies == self.facts.max_plies => Turn::Over(self.payoff(path)),
            Leaves::Dice { .. } if path.plies % 2 == 1 => Turn::Chance,
            Leaves::Dice { .. } => Turn::Move(Player::BOTH[path.plies / 2 % 2]),
            _ => Turn::Move(Player::BOTH[path.plies % 2]),
        }
    }

    fn actions(&self, path: &Path, out: &mut Vec<Action>) {
        if let Turn::Move(_) = self.turn(path) {
            out.extend((0..).map(Action).take(self.facts.actions));
        }
    }

    fn outcomes(&self, path: &Path, out: &mut Vec<(Outcome, f32)>) {
        if let (Turn::Chance, Leaves::Dice { results, .. }) = (self.turn(path), self.leaves) {
            out.extend((0..).map(|result| (Outcome(result), 1.0 / results as f32)).take(results));
        }
    }

    fn play(&self, path: &mut Path, action: Action) {
        self.step(path, action.0);
    }

    fn roll(&self, path: &mut Path, outcome: Outcome) {
        self.step(path, outcome.0);
    }

    /// The way as a number.
    fn encode(&self, path: &Path, planes: &mut [f32]) {
        planes.fill(path.digits as f32);
    }

    fn draw(&self, path: &Path) -> String {
        format!("{} plies, path {}\n", path.plies, path.digits)
    }

    /// The number of the move.
    fn label(&self, _: &Path, action: Action) -> String {
        action.0.to_string()
    }
}
