//! Positions as arrays: what a network learns from at once.

use ndarray::{Array2, Array4};
use rand::RngExt as _;

use super::replay::Replay;
use crate::game::{Game, Player, Turn};
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
}

impl Batch {
    /// Encodes the drawn positions.
    #[must_use]
    pub fn new<G: Game>(game: &G, head: ValueHead, replay: &Replay<G::State>, draws: &[Draw]) -> Self {
        let facts = game.facts();
        let [depth, height, width] = facts.planes;
        let mut batch = Self {
            planes: Array4::zeros((draws.len(), depth, height, width)),
            legal: Array2::zeros((draws.len(), facts.actions)),
            policy: Array2::zeros((draws.len(), facts.actions)),
            value: Array2::zeros((draws.len(), head.outputs())),
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
            if let Turn::Move(mover) = game.turn(&state) {
                set_value(head, batch.value.row_mut(row), |player| sample.payoff.of(player), sample.draw, mover);
            }
        }
        batch
    }
}

fn set_value(
    head: ValueHead,
    mut row: ndarray::ArrayViewMut1<f32>,
    utility: impl Fn(Player) -> f32,
    draw: Option<f32>,
    mover: Player,
) {
    match (head, draw) {
        // Wins less losses are what is expected, and both are what draws leave.
        (ValueHead::Wdl, Some(draw)) => {
            let (expected, decided) = (utility(mover), 1.0 - draw);
            row[0] = f32::midpoint(decided, expected).clamp(0.0, 1.0);
            row[2] = f32::midpoint(decided, -expected).clamp(0.0, 1.0);
            row[1] = 1.0 - row[0] - row[2];
        }
        // A payoff between the classes is an expectation: it is spread over two of them so that its mean is kept.
        (ValueHead::Wdl, None) => {
            let expected = utility(mover);
            row[0] = expected.max(0.0);
            row[2] = (-expected).max(0.0);
            row[1] = 1.0 - row[0] - row[2];
        }
        (ValueHead::Utilities, _) => {
            row[0] = utility(mover);
            row[1] = utility(mover.other());
        }
    }
}
