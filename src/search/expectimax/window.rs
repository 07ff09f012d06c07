//! Values of the first player that still matter.

use crate::game::Player;

/// Both ends are outside: a value at or below alpha, or at or above beta, need only be known to be so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// The first player has this already.
    pub(super) alpha: f64,
    /// The second player allows no more.
    pub(super) beta: f64,
}

impl Window {
    /// Every value matters.
    pub(super) const OPEN: Window = Window { alpha: f64::NEG_INFINITY, beta: f64::INFINITY };

    /// Whether every value matters, so that there is nothing to cut.
    pub(super) fn is_open(self) -> bool {
        self.alpha == f64::NEG_INFINITY && self.beta == f64::INFINITY
    }

    /// Whether `value`, found with this window, is exact.
    pub(super) fn holds(self, value: f64) -> bool {
        self.alpha < value && value < self.beta
    }

    /// The values that matter in both.
    pub(super) fn within(self, other: Window) -> Self {
        Window { alpha: self.alpha.max(other.alpha), beta: self.beta.min(other.beta) }
    }

    /// The window once `mover` has a move worth `value`.
    pub(super) fn after(self, mover: Player, value: f64) -> Self {
        match mover {
            Player::First => Window { alpha: self.alpha.max(value), ..self },
            Player::Second => Window { beta: self.beta.min(value), ..self },
        }
    }

    /// Whether the other player avoids a position in which `mover` has a move worth `value`.
    pub(super) fn is_refuted(self, mover: Player, value: f64) -> bool {
        match mover {
            Player::First => value >= self.beta,
            Player::Second => value <= self.alpha,
        }
    }
}

/// How `player` likes a value of the first player: higher is better.
pub(super) fn liking(player: Player, value: f64) -> f64 {
    match player {
        Player::First => value,
        Player::Second => -value,
    }
}
