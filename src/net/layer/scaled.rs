//! A layer in training without normalisation as one operation of burn: `relu(gain * convolution(x) + beta + residual)`, where
//! `gain = gamma / sqrt(1 + epsilon)`, with its gradients. What it is good for stands with the kernels, in `net/conv/training/scaled.rs`.

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, NodeGuard, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, TensorMetadata, backend_extension};
use burn::tensor::{Shape, Tensor};

use super::{Back, FIRST, Inputs, LAST, Recorded, Residual, hand_back, like, numbers, on_kernel, options, owned, tensor, wanted};
use crate::net::conv::Wanted;
use crate::net::model::EPSILON;

/// The output of a layer without normalisation; see [`super::layer`] for what goes in.
pub(in crate::net) fn scaled_layer(
    x: Tensor<4>,
    weight: Tensor<4>,
    gamma: Tensor<1>,
    beta: Tensor<1>,
    residual: Option<Tensor<4>>,
    exact: bool,
) -> Tensor<4> {
    let (x, weight) = (x.into_dispatch(), weight.into_dispatch());
    let (gamma, beta) = (gamma.into_dispatch(), beta.into_dispatch());
    let residual = residual.map_or(Residual::Nothing, |residual| Residual::Of(residual.into_dispatch()));
    Tensor::from_dispatch(<Dispatch as ScaledOps>::scaled_layer(x, weight, gamma, beta, residual, exact))
}

/// The operation, as all devices have it.
#[backend_extension(Flex, NdArray: cfg(feature = "ndarray"), Cube: cfg(any(feature = "wgpu", feature = "cuda")), Autodiff)]
pub(in crate::net) trait ScaledOps: Backend {
    /// The output.
    fn scaled_layer(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        #[extension_type] residual: Residual<Self>,
        exact: bool,
    ) -> FloatTensor<Self> {
        composed_forward::<Self>(Inputs { x, weight, gamma, beta, exact }, residual.tensor())
    }
}

/// The two directions on a backend, without a tape.
pub(super) trait ScaledPasses: Backend {
    fn forward(layer: Inputs<Self>, residual: Option<FloatTensor<Self>>) -> FloatTensor<Self> {
        composed_forward(layer, residual)
    }

    fn backward(layer: Inputs<Self>, output: FloatTensor<Self>, gradient: FloatTensor<Self>, wanted: Wanted) -> Back<Self> {
        composed_backward(layer, output, gradient, wanted)
    }
}

/// One over the square root of the variance that is never measured.
fn share() -> f64 {
    1.0 / (1.0 + EPSILON).sqrt()
}

/// The way forward in burn's own operations.
pub(super) fn composed_forward<B: Backend>(layer: Inputs<B>, residual: Option<FloatTensor<B>>) -> FloatTensor<B> {
    let options = options::<B>(&layer.weight);
    let sums = B::conv2d(B::float_permute(layer.x, &FIRST), layer.weight, None, options);
    let gain = B::float_mul_scalar(layer.gamma, share().into());
    let scaled = B::float_add(B::float_mul(B::float_permute(sums, &LAST), last::<B>(gain)), last::<B>(layer.beta));
    let added = match residual {
        Some(residual) => B::float_add(scaled, residual),
        None => scaled,
    };
    B::relu(added)
}

/// The way back in burn's own operations.
pub(super) fn composed_backward<B: Backend>(
    layer: Inputs<B>,
    output: FloatTensor<B>,
    gradient: FloatTensor<B>,
    wanted: Wanted,
) -> Back<B> {
    let passed = B::relu_backward(output, gradient);
    let (first, x) = (B::float_permute(passed.clone(), &FIRST), B::float_permute(layer.x, &FIRST));
    let outputs = layer.gamma.shape()[0];
    let per_kernel = || {
        let gain = B::float_mul_scalar(layer.gamma.clone(), share().into());
        B::float_reshape(gain, Shape::new([outputs, 1, 1, 1]))
    };
    let list = |tensor| B::float_reshape(tensor, Shape::new([outputs]));
    let back = wanted.input.then(|| {
        let scaled = B::float_mul(layer.weight.clone(), per_kernel());
        let options = options::<B>(&layer.weight);
        B::float_permute(B::conv2d_x_backward(x.clone(), scaled, first.clone(), options), &LAST)
    });
    let sums = B::conv2d_weight_backward(x, layer.weight.clone(), first.clone(), options::<B>(&layer.weight));
    let products = B::float_mul(sums.clone(), layer.weight.clone());
    Back {
        x: back,
        residual: wanted.residual.then_some(passed),
        weight: B::float_mul(sums, per_kernel()),
        gamma: B::float_mul_scalar(list(B::float_sum_dims(products, &[1, 2, 3])), share().into()),
        beta: list(B::float_sum_dims(first, &[0, 2, 3])),
    }
}

/// A number a channel, for activations that are channels-last.
fn last<B: Backend>(list: FloatTensor<B>) -> FloatTensor<B> {
    let channels = list.shape()[0];
    B::float_reshape(list, Shape::new([1, 1, 1, channels]))
}

#[cfg(feature = "ndarray")]
mod ndarray {
    impl super::ScaledPasses for burn::backend::NdArray {}
    impl super::ScaledOps for burn::backend::NdArray {}
}

#[cfg(any(feature = "wgpu", feature = "cuda"))]
mod cube {
    impl super::ScaledPasses for burn::backend::Cube {}
    impl super::ScaledOps for burn::backend::Cube {}
}

impl ScaledPasses for Flex {
    fn forward(layer: Inputs<Self>, residual: Option<FloatTensor<Self>>) -> FloatTensor<Self> {
        let ([batch, height, width, _], outputs) = (layer.x.shape().dims(), layer.weight.shape()[0]);
        let (beta, residual) = (numbers(&layer.beta), residual.as_ref().map(numbers));
        let output = on_kernel(&layer, |training, layer| training.scaled_forward(layer, &beta, residual.as_deref()));
        tensor(output, [batch, height, width, outputs])
    }

    fn backward(layer: Inputs<Self>, output: FloatTensor<Self>, gradient: FloatTensor<Self>, wanted: Wanted) -> Back<Self> {
        let (gradient, numbers) = (owned(gradient), numbers(&output));
        let back = on_kernel(&layer, |training, layer| training.scaled_backward(layer, gradient, &numbers, wanted));
        like(back, &layer, &output)
    }
}

impl ScaledOps for Flex {
    fn scaled_layer(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        residual: Residual<Self>,
        exact: bool,
    ) -> FloatTensor<Self> {
        Self::forward(Inputs { x, weight, gamma, beta, exact }, residual.tensor())
    }
}

/// The node of a layer on autodiff's tape: its parents are x, weight, gamma, beta and, where there is one, the residual.
#[derive(Debug)]
struct ScaledBackward;

impl<B: ScaledPasses, const N: usize> Backward<B, N> for ScaledBackward {
    type State = (Inputs<B>, FloatTensor<B>);

    fn backward(self, ops: Ops<Self::State, N>, grads: &mut Gradients, _: &mut Checkpointer) {
        let ((inputs, output), wanted) = (ops.state, wanted(&ops.parents));
        let gradient = grads.consume::<B>(&ops.node);
        let back = B::backward(inputs, output, gradient, wanted);
        hand_back(ops.parents, back, |parent, gradient| grads.register::<B>(parent.id, gradient));
    }
}

impl<B: ScaledPasses, C: CheckpointStrategy> ScaledOps for Autodiff<B, C> {
    fn scaled_layer(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        residual: Residual<Self>,
        exact: bool,
    ) -> FloatTensor<Self> {
        let ((x, of_x), (weight, of_weight)) = (x.into_parts(), weight.into_parts());
        let ((gamma, of_gamma), (beta, of_beta)) = (gamma.into_parts(), beta.into_parts());
        let inputs = Inputs { x, weight, gamma, beta, exact };
        match residual {
            Residual::Of(residual) => {
                let (residual, of_residual) = residual.into_parts();
                record::<B, C, 5>([of_x, of_weight, of_gamma, of_beta, of_residual], inputs, Some(residual))
            }
            Residual::Nothing => record::<B, C, 4>([of_x, of_weight, of_gamma, of_beta], inputs, None),
        }
    }
}

/// Computes a layer and, where a parent wants a gradient, records it.
fn record<B: ScaledPasses, C: CheckpointStrategy, const N: usize>(
    parents: [NodeGuard; N],
    inputs: Inputs<B>,
    residual: Option<FloatTensor<B>>,
) -> Recorded<B, C> {
    let output = B::forward(inputs.clone(), residual);
    match Backward::<B, N>::prepare::<C>(ScaledBackward, parents).compute_bound().stateful() {
        OpsKind::Tracked(prep) => prep.finish((inputs, output.clone()), output),
        OpsKind::UnTracked(prep) => prep.finish(output),
    }
}
