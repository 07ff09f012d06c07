//! A layer in training as one operation of burn: `relu(norm(convolution(x)) + residual)`, with its gradients.
//!
//! On burn's CPU backend the kernels of [`super::conv`] compute it; other backends compose it of burn's own operations. Activations are
//! channels-last, `[batch, height, width, channels]`, so that kernels read them as they lie.
#![cfg_attr(feature = "ndarray", expect(deprecated, reason = "burn's authors deprecate the backend that the feature adds"))]

mod scaled;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, NodeGuard, Ops, OpsKind};
use burn::backend::ops::ConvOptions;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, ExtensionType, Flex, TensorMetadata, backend_extension};
use burn::tensor::{Shape, Tensor, TensorData};

use super::conv::{self, Board, Filter, Known, Training, Wanted};
use super::model::EPSILON;

pub(super) use scaled::scaled_layer;

/// A layer's output `[batch, height, width, outputs]`, and the mean and the variance of its convolution's sums, `[outputs]`.
pub(super) struct LayerOutput {
    pub(super) output: Tensor<4>,
    pub(super) mean: Tensor<1>,
    pub(super) variance: Tensor<1>,
}

/// Computes a layer of `x`, `[batch, height, width, inputs]`, with a `weight` of `[outputs, inputs, side, side]`, `gamma` and `beta` of
/// `[outputs]`. It is never rounded if `exact`.
pub(super) fn layer(
    x: Tensor<4>,
    weight: Tensor<4>,
    gamma: Tensor<1>,
    beta: Tensor<1>,
    residual: Option<Tensor<4>>,
    exact: bool,
) -> LayerOutput {
    let (x, weight) = (x.into_dispatch(), weight.into_dispatch());
    let (gamma, beta) = (gamma.into_dispatch(), beta.into_dispatch());
    let residual = residual.map_or(Residual::Nothing, |residual| Residual::Of(residual.into_dispatch()));
    let (output, mean, variance) = <Dispatch as LayerOps>::layer(x, weight, gamma, beta, residual, exact);
    LayerOutput {
        output: Tensor::from_dispatch(output),
        mean: Tensor::from_dispatch(mean),
        variance: Tensor::from_dispatch(variance),
    }
}

/// What is added before the rectifier.
#[derive(ExtensionType)]
pub(super) enum Residual<B: Backend> {
    Of(FloatTensor<B>),
    Nothing,
}

impl<B: Backend> Residual<B> {
    fn tensor(self) -> Option<FloatTensor<B>> {
        match self {
            Residual::Of(tensor) => Some(tensor),
            Residual::Nothing => None,
        }
    }
}

/// The operation, as all devices have it.
#[backend_extension(Flex, NdArray: cfg(feature = "ndarray"), Cube: cfg(any(feature = "wgpu", feature = "cuda")), Autodiff)]
pub(super) trait LayerOps: Backend {
    /// Output, mean and variance.
    fn layer(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        #[extension_type] residual: Residual<Self>,
        exact: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let outputs = composed_forward::<Self>(Inputs { x, weight, gamma, beta, exact }, residual.tensor());
        (outputs.output, outputs.mean, outputs.variance)
    }
}

/// The two directions of a layer on a backend, without a tape. What a backend keeps for the way back is its own affair.
trait Passes: Backend {
    fn forward(layer: Inputs<Self>, residual: Option<FloatTensor<Self>>) -> Outputs<Self> {
        composed_forward(layer, residual)
    }

    fn backward(layer: Inputs<Self>, outputs: Outputs<Self>, gradient: FloatTensor<Self>, wanted: Wanted) -> Back<Self> {
        composed_backward(layer, outputs, gradient, wanted)
    }
}

/// What goes into a layer, but for the residual.
#[derive(Clone, Debug)]
struct Inputs<B: Backend> {
    x: FloatTensor<B>,
    weight: FloatTensor<B>,
    gamma: FloatTensor<B>,
    beta: FloatTensor<B>,
    exact: bool,
}

/// What comes out of it, with the sums of its convolution.
#[derive(Clone, Debug)]
struct Outputs<B: Backend> {
    output: FloatTensor<B>,
    mean: FloatTensor<B>,
    variance: FloatTensor<B>,
    sums: FloatTensor<B>,
}

/// The gradients of what went in.
struct Back<B: Backend> {
    x: Option<FloatTensor<B>>,
    residual: Option<FloatTensor<B>>,
    weight: FloatTensor<B>,
    gamma: FloatTensor<B>,
    beta: FloatTensor<B>,
}

/// From channels-last to channels-first.
const FIRST: [usize; 4] = [0, 3, 1, 2];
/// From channels-first to channels-last.
const LAST: [usize; 4] = [0, 2, 3, 1];

fn options<B: Backend>(weight: &FloatTensor<B>) -> ConvOptions<2> {
    let padding = weight.shape()[2] / 2;
    ConvOptions::new([1, 1], [padding, padding], [1, 1], 1)
}

/// The way forward in burn's own operations.
fn composed_forward<B: Backend>(layer: Inputs<B>, residual: Option<FloatTensor<B>>) -> Outputs<B> {
    let options = options::<B>(&layer.weight);
    let sums = B::conv2d(B::float_permute(layer.x, &FIRST), layer.weight, None, options);
    let norm = B::batch_norm_train(sums.clone(), layer.gamma, layer.beta, EPSILON);
    let output = B::float_permute(norm.output, &LAST);
    let output = match residual {
        Some(residual) => B::float_add(output, residual),
        None => output,
    };
    Outputs { output: B::relu(output), mean: norm.mean, variance: norm.variance, sums }
}

/// The way back in burn's own operations.
fn composed_backward<B: Backend>(layer: Inputs<B>, outputs: Outputs<B>, gradient: FloatTensor<B>, wanted: Wanted) -> Back<B> {
    let passed = B::relu_backward(outputs.output, gradient);
    let (first, x) = (B::float_permute(passed.clone(), &FIRST), B::float_permute(layer.x, &FIRST));
    let norm = B::batch_norm_train_backward(outputs.sums, layer.gamma, outputs.mean, outputs.variance, EPSILON, first);
    let options = || options::<B>(&layer.weight);
    let back = wanted.input.then(|| {
        let back = B::conv2d_x_backward(x.clone(), layer.weight.clone(), norm.x_grad.clone(), options());
        B::float_permute(back, &LAST)
    });
    let weight = B::conv2d_weight_backward(x, layer.weight.clone(), norm.x_grad, options());
    Back { x: back, residual: wanted.residual.then_some(passed), weight, gamma: norm.gamma_grad, beta: norm.beta_grad }
}

#[cfg(feature = "ndarray")]
mod ndarray {
    impl super::Passes for burn::backend::NdArray {}
    impl super::LayerOps for burn::backend::NdArray {}
}

#[cfg(any(feature = "wgpu", feature = "cuda"))]
mod cube {
    impl super::Passes for burn::backend::Cube {}
    impl super::LayerOps for burn::backend::Cube {}
}

impl Passes for Flex {
    fn forward(layer: Inputs<Self>, residual: Option<FloatTensor<Self>>) -> Outputs<Self> {
        let (shape, outputs) = (layer.x.shape(), layer.weight.shape()[0]);
        let (beta, residual) = (numbers(&layer.beta), residual.as_ref().map(numbers));
        let forward = on_kernel(&layer, |training, layer| training.forward(layer, &beta, residual.as_deref()));
        let cells = shape[0] * shape[1] * shape[2];
        let pitch = forward.sums.len() / cells.max(1);
        Outputs {
            output: tensor(forward.output, [shape[0], shape[1], shape[2], outputs]),
            mean: tensor(forward.mean, [outputs]),
            variance: tensor(forward.variance, [outputs]),
            sums: tensor(forward.sums, [cells, pitch]),
        }
    }

    fn backward(layer: Inputs<Self>, outputs: Outputs<Self>, gradient: FloatTensor<Self>, wanted: Wanted) -> Back<Self> {
        let (output, mean, variance) = (numbers(&outputs.output), numbers(&outputs.mean), numbers(&outputs.variance));
        let (gradient, sums) = (owned(gradient), owned(outputs.sums));
        let known = Known { gradient, output: &output, mean: &mean, variance: &variance, sums };
        let back = on_kernel(&layer, |training, layer| training.backward(layer, known, wanted));
        like(back, &layer, &outputs.output)
    }
}

/// Gradients by a kernel, in the shapes of what they are gradients of.
fn like(back: conv::Gradients, layer: &Inputs<Flex>, output: &FloatTensor<Flex>) -> Back<Flex> {
    let like = |numbers: Vec<f32>, of: &FloatTensor<Flex>| tensor(numbers, of.shape());
    Back {
        x: back.input.map(|numbers| like(numbers, &layer.x)),
        residual: back.residual.map(|numbers| like(numbers, output)),
        weight: like(back.weights, &layer.weight),
        gamma: like(back.gamma, &layer.gamma),
        beta: like(back.beta, &layer.gamma),
    }
}

/// Shows a layer to the kernel of this process.
fn on_kernel<R>(layer: &Inputs<Flex>, run: impl FnOnce(&dyn Training, &conv::Layer) -> R) -> R {
    let (x, weights, gamma) = (numbers(&layer.x), numbers(&layer.weight), numbers(&layer.gamma));
    let ([_, height, width, _], [outputs, inputs, side, _]) = (layer.x.shape().dims(), layer.weight.shape().dims());
    let filter = Filter { weights: &weights, shape: [outputs, inputs], side, turned: false };
    let shown = conv::Layer { board: Board { height, width }, input: &x, filter, gamma: &gamma, epsilon: EPSILON as f32 };
    run(&*conv::training(layer.exact), &shown)
}

/// The numbers of a tensor as they lie, copied only where they do not lie row by row.
fn numbers(tensor: &FloatTensor<Flex>) -> Cow<'_, [f32]> {
    match tensor.as_slice::<f32>() {
        Some(numbers) => Cow::Borrowed(numbers),
        None => Cow::Owned(tensor.to_contiguous().into_data().iter::<f32>().collect()),
    }
}

/// The numbers of a tensor, not copied where nobody else has it.
fn owned(tensor: FloatTensor<Flex>) -> Vec<f32> {
    tensor.into_data().convert::<f32>().try_into_vec().unwrap_or_default()
}

fn tensor(numbers: Vec<f32>, shape: impl Into<Shape>) -> FloatTensor<Flex> {
    FloatTensor::<Flex>::from_data(TensorData::new(numbers, shape.into()))
}

impl LayerOps for Flex {
    fn layer(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        residual: Residual<Self>,
        exact: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let outputs = Self::forward(Inputs { x, weight, gamma, beta, exact }, residual.tensor());
        (outputs.output, outputs.mean, outputs.variance)
    }
}

/// The node of a layer on autodiff's tape: its parents are x, weight, gamma, beta and, where there is one, the residual.
#[derive(Debug)]
struct LayerBackward;

impl<B: Passes, const N: usize> Backward<B, N> for LayerBackward {
    type State = (Inputs<B>, Outputs<B>);

    fn backward(self, ops: Ops<Self::State, N>, grads: &mut Gradients, _: &mut Checkpointer) {
        let ((inputs, outputs), wanted) = (ops.state, wanted(&ops.parents));
        let gradient = grads.consume::<B>(&ops.node);
        let back = B::backward(inputs, outputs, gradient, wanted);
        hand_back(ops.parents, back, |parent, gradient| grads.register::<B>(parent.id, gradient));
    }
}

/// Which gradients the parents of a layer ask for.
fn wanted<P>(parents: &[Option<P>]) -> Wanted {
    let wanted = |parent: usize| parents.get(parent).is_some_and(Option::is_some);
    Wanted { input: wanted(0), residual: wanted(4) }
}

/// Hands the parents of a layer their gradients.
fn hand_back<B: Backend, P, const N: usize>(parents: [Option<P>; N], back: Back<B>, mut register: impl FnMut(P, FloatTensor<B>)) {
    let gradients = [back.x, Some(back.weight), Some(back.gamma), Some(back.beta), back.residual];
    for (parent, gradient) in parents.into_iter().zip(gradients) {
        if let (Some(parent), Some(gradient)) = (parent, gradient) {
            register(parent, gradient);
        }
    }
}

impl<B: Passes, C: CheckpointStrategy> LayerOps for Autodiff<B, C> {
    fn layer(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        residual: Residual<Self>,
        exact: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
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

/// A tensor of an autodiff backend.
type Recorded<B, C> = FloatTensor<Autodiff<B, C>>;

/// Computes a layer and, where a parent wants a gradient, records it.
fn record<B: Passes, C: CheckpointStrategy, const N: usize>(
    parents: [NodeGuard; N],
    inputs: Inputs<B>,
    residual: Option<FloatTensor<B>>,
) -> (Recorded<B, C>, Recorded<B, C>, Recorded<B, C>) {
    let outputs = B::forward(inputs.clone(), residual);
    let (mean, variance) = (Recorded::<B, C>::new(outputs.mean.clone()), Recorded::<B, C>::new(outputs.variance.clone()));
    let output = match Backward::<B, N>::prepare::<C>(LayerBackward, parents).compute_bound().stateful() {
        OpsKind::Tracked(prep) => {
            let output = outputs.output.clone();
            prep.finish((inputs, outputs), output)
        }
        OpsKind::UnTracked(prep) => prep.finish(outputs.output),
    };
    (output, mean, variance)
}
