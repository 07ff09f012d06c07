//! Positions as arrays: what a network learns from at once.

use ndarray::{Array2, Array4};
use rand::RngExt as _;

use super::replay::Replay;
use super::samples::Sample;
use crate::game::{Game, Turn};
use crate::net::ValueHead;
use crate::rng::Rng;

/// A position of the window, and the symmetry it is seen through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Its place in the window.
    pub place: u32,
    /// The index of the symmetry.
    pub symmetry: usize,
}

/// Sees each place through a random symmetry of the game.
pub fn with_symmetries<G: Game>(game: &G, places: Vec<u32>, rng: &mut Rng) -> Vec<Draw> {
    let symmetries = game.symmetries().len();
    places.into_iter().map(|place| Draw { place, symmetry: rng.random_range(0..symmetries) }).collect()
}

/// Arrays with one row a position.
#[derive(Debug)]
pub struct Batch {
    /// `[batch, planes, height, width]`
    pub planes: Array4<f32>,
    /// `[batch, actions]`: 1 where legal, else 0.
    pub legal: Array2<f32>,
    /// `[batch, actions]`: shares of visits.
    pub policy: Array2<f32>,
    /// `[batch, 3]`: the win, draw or loss of the mover, 1 where it is certain; or `[batch, 2]`: the utility of the mover and of the
    /// other.
    pub value: Array2<f32>,
    /// `[batch, 1]`: plies until the end, as a share of the longest game; 0 where they are not known.
    pub plies_left: Array2<f32>,
    /// `[batch, 1]`: 1 where they are, else 0.
    pub ended: Array2<f32>,
    /// `[batch, actions]`: 1 where legal after the next move, else 0; all 0 where the other player did not search there.
    pub reply_legal: Array2<f32>,
    /// `[batch, actions]`: shares of visits of the other player's search.
    pub reply: Array2<f32>,
}

impl Batch {
    /// Encodes the drawn positions.
    #[must_use]
    pub fn new<G: Game>(game: &G, head: ValueHead, replay: &Replay<G::State>, draws: &[Draw]) -> Self {
        let facts = game.facts();
        let [depth, height, width] = facts.planes;
        let columns = |columns: usize| Array2::zeros((draws.len(), columns));
        let mut batch = Self {
            planes: Array4::zeros((draws.len(), depth, height, width)),
            legal: columns(facts.actions),
            policy: columns(facts.actions),
            value: columns(head.outputs()),
            plies_left: columns(1),
            ended: columns(1),
            reply_legal: columns(facts.actions),
            reply: columns(facts.actions),
        };
        let mut actions = Vec::new();
        for (row, draw) in draws.iter().enumerate() {
            let (sample, symmetry) = (replay.sample(draw.place), &game.symmetries()[draw.symmetry]);
            let state = game.transform(&sample.state, symmetry);
            if let Some(planes) = batch.planes.index_axis_mut(ndarray::Axis(0), row).as_slice_mut() {
                game.encode(&state, planes);
            }
            actions.clear();
            game.actions(&state, &mut actions);
            for action in &actions {
                batch.legal[(row, action.index())] = 1.0;
            }
            for &(action, share) in sample.policy.iter() {
                batch.policy[(row, symmetry.action(action).index())] = share;
            }
            for (to, target) in batch.value.row_mut(row).iter_mut().zip(value_target(game, head, sample)) {
                *to = target;
            }
            if let Some(plies) = sample.plies_left {
                batch.plies_left[(row, 0)] = plies as f32 / facts.max_plies as f32;
                batch.ended[(row, 0)] = 1.0;
            }
            // What was searched lists all legal moves.
            for &(action, share) in sample.reply.iter().flat_map(|reply| reply.iter()) {
                let seen = (row, symmetry.action(action).index());
                batch.reply_legal[seen] = 1.0;
                batch.reply[seen] = share;
            }
        }
        batch
    }
}

/// What the value head is to say of a sample's position, as in [`Batch::value`]; of two utilities the third number is 0.
pub(super) fn value_target<G: Game>(game: &G, head: ValueHead, sample: &Sample<G::State>) -> [f32; 3] {
    let Turn::Move(mover) = game.turn(&sample.state) else { return [0.0; 3] };
    let expected = sample.payoff.of(mover);
    match (head, sample.draw) {
        // Wins less losses are what is expected, and both are what draws leave.
        (ValueHead::Wdl, Some(draw)) => {
            let [win, loss] = [expected, -expected].map(|gain| f32::midpoint(1.0 - draw, gain).clamp(0.0, 1.0));
            [win, 1.0 - win - loss, loss]
        }
        // A payoff between the classes is an expectation: it is spread over two of them so that its mean is kept.
        (ValueHead::Wdl, None) => {
            let [win, loss] = [expected, -expected].map(|gain| gain.max(0.0));
            [win, 1.0 - win - loss, loss]
        }
        (ValueHead::Utilities, _) => [expected, sample.payoff.of(mover.other()), 0.0],
    }
}

/// The least value loss of a head that says the same of every position.
pub(super) fn constant_value_loss(head: ValueHead, targets: &[[f32; 3]]) -> f64 {
    let count = targets.len() as f64;
    let mean = |at: usize| targets.iter().map(|target| f64::from(target[at])).sum::<f64>() / count;
    match head {
        ValueHead::Wdl => (0..3).map(mean).map(|share| if share > 0.0 { -share * share.ln() } else { 0.0 }).sum(),
        ValueHead::Utilities => {
            let variance = |at: usize| {
                let mean = mean(at);
                targets.iter().map(|target| (f64::from(target[at]) - mean).powi(2)).sum::<f64>() / count
            };
            f64::midpoint(variance(0), variance(1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_constant_says_the_mean() {
        let (win, draw) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        let wdl = constant_value_loss(ValueHead::Wdl, &[win, draw, win, draw]);
        assert!((wdl - std::f64::consts::LN_2).abs() < 1e-12, "{wdl}: the entropy of a coin");
        assert!(constant_value_loss(ValueHead::Wdl, &[win, win]).abs() < 1e-12);
        let utilities = constant_value_loss(ValueHead::Utilities, &[[1.0, -0.5, 0.0], [0.0, 0.5, 0.0]]);
        assert!((utilities - 0.25).abs() < 1e-12, "{utilities}: the mean of two variances of a quarter");
    }
}
