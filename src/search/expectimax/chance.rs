//! The recursion of expectimax where chance acts: a mean of which a part may settle whether it matters.
//!
//! Every result of chance has a value between two bounds, at first those of all utilities. Hence so has the mean.
//!
//! - Star1: before a result is searched, the bounds of the others say which of its values would put the mean at or outside the
//!   window's ends. Those need not be told apart: they are the ends of the result's own window, and a value there ends the
//!   search.
//! - Star2: before that, one move after each result is tried. The mover need not choose it, so its value bounds the
//!   result's from the mover's side. The bounds may settle the mean at once, and narrow every window of star1; where they do not
//!   settle it, the move tried is not searched again.
//!
//! Sums are rounded, so a cut asks for a margin; without a cut the mean is summed in the order of the rules, and so has the
//! same bits however it was searched.

use super::Expectimax;
use super::window::Window;
use crate::game::{Game, Outcome, Player, Turn};
use crate::search::MARGIN;

/// A result of chance, with bounds of what it is worth to the first player.
struct Branch<S> {
    state: S,
    probability: f64,
    lowest: f64,
    highest: f64,
    /// What the first move here came to, where it was tried, and in which window.
    tried: Option<(f64, Window)>,
}

/// The results of chance in one position.
struct Branches<S> {
    of: Vec<Branch<S>>,
    window: Window,
}

impl<S> Branches<S> {
    /// Bounds of the mean.
    fn bounds(&self) -> (f64, f64) {
        let sum = |bound: fn(&Branch<S>) -> f64| self.of.iter().map(|branch| branch.probability * bound(branch)).sum();
        (sum(|branch| branch.lowest), sum(|branch| branch.highest))
    }

    /// The values of result `at` that would not settle the mean.
    fn window_of(&self, at: usize) -> Window {
        let (lowest, highest) = self.bounds();
        let Branch { probability, lowest: own_lowest, highest: own_highest, .. } = self.of[at];
        let (low_others, high_others) = (lowest - probability * own_lowest, highest - probability * own_highest);
        Window {
            alpha: (self.window.alpha - MARGIN - high_others) / probability,
            beta: (self.window.beta + MARGIN - low_others) / probability,
        }
    }

    /// A bound of the mean that is at or outside an end of the window, where the bounds of the results give one.
    fn settled(&self) -> Option<f64> {
        let (lowest, highest) = self.bounds();
        let below = (highest <= self.window.alpha - MARGIN).then_some(highest);
        below.or_else(|| (lowest >= self.window.beta + MARGIN).then_some(lowest))
    }

    /// The mean, once every result has its value.
    fn mean(&self) -> f64 {
        self.bounds().0
    }
}

impl<G: Game> Expectimax<G> {
    /// The mean over the results of chance in `state`, in the sense of [`Expectimax::visit`]. The line of play ends here.
    pub(super) fn mean(&mut self, state: &G::State, ply: u32, depth: u32, window: Window) -> Option<f64> {
        let mut branches = self.branches(state, window);
        if self.options.star1 && self.options.star2 && depth > 0 && !window.is_open() {
            for at in 0..branches.of.len() {
                self.probe(&mut branches, at, ply + 1, depth)?;
                if let Some(bound) = branches.settled() {
                    return Some(bound);
                }
            }
        }
        for at in 0..branches.of.len() {
            let own = if self.options.star1 { branches.window_of(at) } else { Window::OPEN };
            let Branch { state, tried, .. } = &branches.of[at];
            // Bounds have only become narrower since the trial, but for rounding.
            let own = tried.map_or(own, |(_, earlier)| own.within(earlier));
            let value = match *tried {
                Some((first, _)) => self.visit_tried(state, ply + 1, depth, own, first)?,
                None => self.visit(state, ply + 1, depth, own)?,
            };
            let branch = &mut branches.of[at];
            if value < own.beta {
                branch.highest = value;
            }
            if value > own.alpha {
                branch.lowest = value;
            }
            if !own.holds(value) {
                let (lowest, highest) = branches.bounds();
                return Some(if value <= own.alpha { highest.min(window.alpha) } else { lowest.max(window.beta) });
            }
        }
        Some(branches.mean())
    }

    /// The possible results, each bounded by what utilities can be.
    fn branches(&self, state: &G::State, window: Window) -> Branches<G::State> {
        let mut outcomes: Vec<(Outcome, f32)> = Vec::new();
        self.game.outcomes(state, &mut outcomes);
        outcomes.retain(|&(_, probability)| probability > 0.0);
        // The rules state single precision, whose sum may miss 1.
        let total: f64 = outcomes.iter().map(|&(_, probability)| f64::from(probability)).sum();
        let (lowest, highest) = self.range();
        let branch = |(outcome, probability): (Outcome, f32)| {
            let mut state = state.clone();
            self.game.roll(&mut state, outcome);
            Branch { state, probability: f64::from(probability) / total, lowest, highest, tried: None }
        };
        Branches { of: outcomes.into_iter().map(branch).collect(), window }
    }

    /// Tries the first move after result `at`, and bounds the result by it.
    fn probe(&mut self, branches: &mut Branches<G::State>, at: usize, ply: u32, depth: u32) -> Option<()> {
        let Turn::Move(mover) = self.game.turn(&branches.of[at].state) else { return Some(()) };
        let mut next = branches.of[at].state.clone();
        let moves = self.list(&next, ply);
        let first = moves.first().copied();
        self.moves.put_back(ply, moves);
        let Some(first) = first else { return Some(()) };
        self.game.play(&mut next, first);
        let own = branches.window_of(at);
        let value = self.visit(&next, ply + 1, depth - 1, own)?;
        let branch = &mut branches.of[at];
        branch.tried = Some((value, own));
        // At its lower end a value is an upper bound, and one of a move the first player need not make; and the other way round.
        match mover {
            Player::First if value > own.alpha => branch.lowest = branch.lowest.max(value),
            Player::Second if value < own.beta => branch.highest = branch.highest.min(value),
            Player::First | Player::Second => {}
        }
        Some(())
    }
}
