//! What a position is worth to both players, the bounds of its sum, and the choice of a mover among such pairs.

use super::node::Held;
use super::{Pruning, Ties};
use crate::game::{Payoff, Player};
use crate::search::MARGIN;

/// A utility for each player. Double precision: dyadic payoffs are exact in it, and means of them nearly so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Worth([f64; 2]);

impl Worth {
    /// Worth nothing yet: the start of a sum.
    pub(super) const NOTHING: Worth = Worth([0.0; 2]);

    /// The utility of `player`.
    pub(super) const fn of(self, player: Player) -> f64 {
        self.0[player.index()]
    }

    pub(super) fn payoff(self) -> Payoff {
        Payoff(self.0.map(|utility| utility as f32))
    }

    /// This and `weight` times `other`.
    pub(super) fn plus(self, weight: f64, other: Worth) -> Self {
        Worth([self.0[0] + weight * other.0[0], self.0[1] + weight * other.0[1]])
    }

    pub(super) fn over(self, total: f64) -> Self {
        Worth(self.0.map(|utility| utility / total))
    }
}

impl From<Payoff> for Worth {
    fn from(payoff: Payoff) -> Self {
        Worth(payoff.0.map(f64::from))
    }
}

/// Bounds of the sum of both utilities.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    lo: f64,
    hi: f64,
    /// Kept from the bounds by every test, against rounding.
    margin: f64,
}

impl Bounds {
    /// Estimates are multiples of this, so that moving their sum is exact.
    const UNIT: f64 = 1.0 / (1u64 << 24) as f64;

    /// `None` where they bound nothing. `rounds` says that utilities may be rounded.
    pub(super) fn new((lo, hi): (f32, f32), rounds: bool) -> Option<Self> {
        let bounded = lo.is_finite() && hi.is_finite() && lo <= hi;
        bounded.then(|| Self { lo: lo.into(), hi: hi.into(), margin: if rounds { MARGIN } else { 0.0 } })
    }

    /// How ties of `ties` are to be treated below the root. Where the sum never changes, what is equal for one is equal for the other,
    /// so that the first of equal moves says as much as all.
    pub(super) fn ties_below(&self, ties: Ties) -> Ties {
        if self.lo == self.hi { Ties::First } else { ties }
    }

    /// `estimate` with its sum within the bounds: where it is outside, both utilities are moved by the same amount.
    pub(super) fn fit(&self, estimate: Payoff) -> Worth {
        let [first, second] = estimate.0.map(|utility| (f64::from(utility) / Self::UNIT).round() * Self::UNIT);
        let sum = first + second;
        let shift = (sum.clamp(self.lo, self.hi) - sum) / 2.0;
        Worth([first + shift, second + shift])
    }

    /// Whether the holder of an earlier option can leave a position, in which the other player has found `best` so far.
    pub(super) fn refute(&self, held: Held, best: Worth, pruning: Pruning) -> bool {
        let most = match pruning {
            Pruning::Off => return false,
            Pruning::Coordinate => best.of(held.player) + (self.hi - self.lo),
            Pruning::Pair => self.hi - best.of(held.player.other()),
        } + self.margin;
        match held.ties {
            Ties::First => most <= held.alpha,
            Ties::Drawn => most < held.alpha,
        }
    }
}

/// The best of the pairs offered to a mover.
pub(super) struct Choice {
    mover: Player,
    ties: Ties,
    best: Option<Best>,
}

/// Pairs that are equally good for the mover.
struct Best {
    /// The mover's utility.
    own: f64,
    /// The other player's utilities, summed.
    other: f64,
    count: f64,
}

impl Choice {
    pub(super) fn new(mover: Player, ties: Ties) -> Self {
        Self { mover, ties, best: None }
    }

    /// Who chooses.
    pub(super) const fn mover(&self) -> Player {
        self.mover
    }

    /// Considers `worth`; true where it is better than everything before.
    pub(super) fn offer(&mut self, worth: Worth) -> bool {
        let (own, other) = (worth.of(self.mover), worth.of(self.mover.other()));
        match &mut self.best {
            Some(best) if own < best.own || own == best.own && self.ties == Ties::First => false,
            Some(best) if own == best.own => {
                best.other += other;
                best.count += 1.0;
                false
            }
            best => {
                *best = Some(Best { own, other, count: 1.0 });
                true
            }
        }
    }

    /// What the offers come to; nothing before the first.
    pub(super) fn worth(&self) -> Option<Worth> {
        let Best { own, other, count } = self.best.as_ref()?;
        let other = other / count;
        Some(Worth(if self.mover == Player::First { [*own, other] } else { [other, *own] }))
    }

    /// The option that the mover now holds against the position after another move.
    pub(super) fn held(&self) -> Option<Held> {
        self.best.as_ref().map(|best| Held { player: self.mover, alpha: best.own, ties: self.ties })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_outside_the_bounds_is_moved_inside_and_both_parts_alike() {
        let fit = |first, second| Bounds::new((-0.25, 0.5), false).map(|bounds| bounds.fit(Payoff([first, second])));
        assert_eq!(fit(0.5, -0.5), Some(Worth([0.5, -0.5])));
        assert_eq!(fit(0.75, 0.25), Some(Worth([0.5, 0.0])));
        assert_eq!(fit(-1.0, 0.25), Some(Worth([-0.75, 0.5])));
        let Some(Worth([first, second])) = fit(0.9, 0.3) else { unreachable!() };
        assert_eq!(first + second, 0.5, "to the bit, whatever the estimate");
    }

    #[test]
    fn sums_without_bounds_are_refused() {
        let none = [(0.0, f32::INFINITY), (f32::NAN, 0.0), (1.0, -1.0)];
        assert!(none.iter().all(|&sum| Bounds::new(sum, false).is_none()));
    }

    #[test]
    fn equal_best_pairs_are_averaged_where_ties_are_drawn() {
        let choose = |ties| {
            let mut choice = Choice::new(Player::First, ties);
            let raised = [[0.0, 1.0], [0.5, 0.0], [0.25, 1.0], [0.5, 0.5]].map(|pair| choice.offer(Worth(pair)));
            assert_eq!(raised, [true, true, false, false]);
            choice.worth()
        };
        assert_eq!(choose(Ties::First), Some(Worth([0.5, 0.0])));
        assert_eq!(choose(Ties::Drawn), Some(Worth([0.5, 0.25])));
    }
}
