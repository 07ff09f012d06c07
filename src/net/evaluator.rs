//! A frozen network as an evaluator: encode, infer in batches, mask, soften.

use std::sync::Arc;

use ndarray::{Array4, ArrayView1, Axis, Slice};

use super::{Frozen, ValueHead};
use crate::eval::{Chances, Evaluation, Evaluator};
use crate::game::{Action, Game, Payoff, Player, Turn};

/// A network that evaluates positions of a game.
#[derive(Debug)]
pub struct NetworkEvaluator<G> {
    game: Arc<G>,
    network: Frozen,
    /// `[batch, planes, height, width]`
    planes: Array4<f32>,
}

impl<G: Game> NetworkEvaluator<G> {
    /// The evaluator. The network must have been made for this game.
    #[must_use]
    pub fn new(game: &Arc<G>, network: Frozen) -> Self {
        let [depth, height, width] = game.facts().planes;
        let planes = Array4::zeros((network.batch(), depth, height, width));
        Self { game: Arc::clone(game), network, planes }
    }

    fn evaluation(
        &self,
        leaf: &G::State,
        policy: ArrayView1<f32>,
        value: ArrayView1<f32>,
        actions: &mut Vec<Action>,
    ) -> Evaluation {
        actions.clear();
        self.game.actions(leaf, actions);
        let priors = softmax(actions.iter().map(|action| policy[action.index()]));
        let mover = match self.game.turn(leaf) {
            Turn::Move(mover) => mover,
            Turn::Chance | Turn::Over(_) => Player::First,
        };
        let (payoff, chances) = worth(self.network.architecture().value, value, mover);
        Evaluation { priors, payoff, chances }
    }
}

impl<G: Game> Evaluator<G> for NetworkEvaluator<G> {
    fn evaluate(&mut self, leaves: &[G::State], out: &mut Vec<Evaluation>) {
        let mut actions = Vec::new();
        for chunk in leaves.chunks(self.network.batch()) {
            for (leaf, mut planes) in chunk.iter().zip(self.planes.outer_iter_mut()) {
                if let Some(planes) = planes.as_slice_mut() {
                    self.game.encode(leaf, planes);
                }
            }
            let (policy, value) = self.network.infer(self.planes.slice_axis(Axis(0), Slice::from(..chunk.len())));
            for (at, leaf) in chunk.iter().enumerate() {
                out.push(self.evaluation(leaf, policy.row(at), value.row(at), &mut actions));
            }
        }
    }
}

/// Raw value outputs as utilities, the mover's come first, and as chances where they are a win's, a draw's and a loss's.
fn worth(head: ValueHead, outputs: ArrayView1<f32>, mover: Player) -> (Payoff, Option<Chances>) {
    match head {
        ValueHead::Wdl => {
            let shares = softmax(outputs.iter().copied());
            let chances = Chances { win: shares[0], draw: shares[1], loss: shares[2] };
            (Payoff::zero_sum(mover, chances.win - chances.loss), Some(chances))
        }
        ValueHead::Utilities => {
            let (mine, other) = (outputs[0].tanh(), outputs[1].tanh());
            (Payoff(if mover == Player::First { [mine, other] } else { [other, mine] }), None)
        }
    }
}

/// Probabilities of logits.
fn softmax(logits: impl Iterator<Item = f32> + Clone) -> Vec<f32> {
    let most = logits.clone().fold(f32::NEG_INFINITY, f32::max);
    let mut shares: Vec<f32> = logits.map(|logit| (logit - most).exp()).collect();
    let total: f32 = shares.iter().sum();
    for share in &mut shares {
        *share /= total;
    }
    shares
}
