//! Training losses, means over a batch.

use burn::tensor::Tensor;
use burn::tensor::activation::{log_softmax, tanh};

use super::ValueHead;

/// Far below any logit, yet finite, so that a masked move's probability is exactly zero and nothing is NaN.
const MASKED: f64 = -1e9;

/// Cross-entropy of the search's policy under the network's, over legal moves only: the mask comes before the softmax. A position without
/// legal moves and without a target has none, and no gradient.
///
/// `logits`, `legal` (1 where legal, else 0) and `target` are `[batch, actions]`; the result is `[1]`.
#[must_use]
pub fn policy_cross_entropy(logits: Tensor<2>, legal: Tensor<2>, target: Tensor<2>) -> Tensor<1> {
    let masked = logits * legal.clone() + (legal - 1.0) * -MASKED;
    -(target * log_softmax(masked, 1)).sum_dim(1).mean()
}

/// The value loss: cross-entropy of win, draw and loss, or the mean squared error of two utilities.
///
/// `outputs` and `target` are `[batch, head.outputs()]`; the result is `[1]`.
#[must_use]
pub fn value_loss(head: ValueHead, outputs: Tensor<2>, target: Tensor<2>) -> Tensor<1> {
    match head {
        ValueHead::Wdl => -(target * log_softmax(outputs, 1)).sum_dim(1).mean(),
        ValueHead::Utilities => (tanh(outputs) - target).square().mean(),
    }
}

/// The mean squared error; where `known` is 0 nothing is known, and there is no error.
///
/// `outputs`, `target` and `known` (1 or 0) are `[batch, 1]`; the result is `[1]`.
#[must_use]
pub fn squared_error(outputs: Tensor<2>, target: Tensor<2>, known: Tensor<2>) -> Tensor<1> {
    ((outputs - target) * known).square().mean()
}
