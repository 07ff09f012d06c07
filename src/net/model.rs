//! The residual network (He et al. 2016; as in Silver et al., "Mastering the game of Go without human knowledge", 2017):
//! a 3x3 stem, blocks of two 3x3 convolutions with batch normalisation or without, a policy head and a value head, and heads that only
//! training asks.
//!
//! Parameters are drawn from a named stream, not from burn's global generator, so that a seed fixes them. The running
//! statistics of batch normalisation are plain parameters without gradient: a training pass returns what it measured, and the
//! learner decides how to fold it in, so that passes on several threads stay repeatable.

use burn::module::{Module, Param, ParamId};
use burn::tensor::activation::relu;
use burn::tensor::module::{batch_norm, conv2d};
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor, TensorData};
use rand_distr::{Distribution, Normal};

use super::layer::{LayerOutput, layer, scaled_layer};
use super::{Architecture, Auxiliary, Norm};
use crate::rng::{self, Rng};

/// Added to a variance before its square root is taken.
pub(super) const EPSILON: f64 = 1e-5;

/// What one training pass measured in one normalisation: mean and variance over batch and board, `[channels]` each.
#[derive(Debug)]
pub struct BatchStatistics {
    /// The mean of each channel.
    pub mean: Tensor<1>,
    /// The variance of each channel.
    pub variance: Tensor<1>,
}

/// A policy/value network.
#[derive(Module, Debug)]
pub struct Network {
    pub(super) stem: ConvNorm,
    pub(super) blocks: Vec<Block>,
    pub(super) policy_conv: ConvNorm,
    pub(super) policy_hidden: Option<Dense>,
    pub(super) policy: Dense,
    pub(super) value_conv: ConvNorm,
    pub(super) value_hidden: Dense,
    pub(super) value: Dense,
    /// Heads of training alone: see [`super::Auxiliary`].
    plies_left: Option<Dense>,
    reply: Option<Dense>,
    #[module(skip)]
    norm: Norm,
}

/// What a network says in training, and what its normalisations measured.
#[derive(Debug)]
pub struct TrainingPass {
    /// Policy logits, `[batch, actions]`.
    pub policy: Tensor<2>,
    /// Raw value outputs, `[batch, outputs]`.
    pub value: Tensor<2>,
    /// Shares of the longest game that are left, `[batch, 1]`, where the network has this head.
    pub plies_left: Option<Tensor<2>>,
    /// Policy logits after the next move, `[batch, actions]`, where the network has this head.
    pub reply: Option<Tensor<2>>,
    /// In the order in which the pass meets its normalisations; empty where it has none.
    pub statistics: Vec<BatchStatistics>,
}

/// A residual block: `relu(x + second(relu(first(x))))`.
#[derive(Module, Debug)]
pub(super) struct Block {
    pub(super) first: ConvNorm,
    pub(super) second: ConvNorm,
}

/// A same-padding convolution without bias, then batch normalisation; or scale and shift, where the statistics stay 0 and 1.
#[derive(Module, Debug)]
pub(super) struct ConvNorm {
    /// `[out, in, side, side]`
    pub(super) weight: Param<Tensor<4>>,
    pub(super) gamma: Param<Tensor<1>>,
    pub(super) beta: Param<Tensor<1>>,
    pub(super) running_mean: Param<Tensor<1>>,
    pub(super) running_variance: Param<Tensor<1>>,
}

/// A fully connected layer.
#[derive(Module, Debug)]
pub(super) struct Dense {
    /// `[in, out]`
    pub(super) weight: Param<Tensor<2>>,
    pub(super) bias: Param<Tensor<1>>,
}

impl Network {
    /// A network with fresh parameters, a function of the architecture and the seed.
    #[must_use]
    pub fn new(architecture: &Architecture, seed: u64, device: &Device) -> Self {
        let sizes = &architecture.network;
        let (channels, cells, actions) = (sizes.channels, architecture.cells(), architecture.actions);
        let policy_input = sizes.policy_channels * cells;
        let mut init = Init { rng: rng::stream(seed, "parameters", 0), device, count: 0 };
        Self {
            stem: init.conv_norm(architecture.planes[0], channels, 3, 1.0),
            // A block that starts as the identity lets a deep network learn like a shallow one (Goyal et al. 2017, 5.1).
            blocks: (0..sizes.blocks)
                .map(|_| Block {
                    first: init.conv_norm(channels, channels, 3, 1.0),
                    second: init.conv_norm(channels, channels, 3, 0.0),
                })
                .collect(),
            policy_conv: init.conv_norm(channels, sizes.policy_channels, 1, 1.0),
            policy_hidden: (sizes.policy_hidden > 0).then(|| init.dense(policy_input, sizes.policy_hidden, HIDDEN_GAIN)),
            policy: match sizes.policy_hidden {
                0 => init.dense(policy_input, actions, LAST_GAIN),
                units => init.dense(units, actions, LAST_GAIN),
            },
            value_conv: init.conv_norm(channels, sizes.value_channels, 1, 1.0),
            value_hidden: init.dense(sizes.value_channels * cells, sizes.value_hidden, HIDDEN_GAIN),
            value: init.dense(sizes.value_hidden, architecture.value.outputs(), LAST_GAIN),
            plies_left: sizes.has(Auxiliary::PliesLeft).then(|| init.dense(sizes.value_hidden, 1, LAST_GAIN)),
            reply: sizes.has(Auxiliary::Reply).then(|| init.dense(policy_input, actions, LAST_GAIN)),
            norm: sizes.norm,
        }
    }

    /// Policy logits `[batch, actions]` and raw value outputs `[batch, outputs]` of planes `[batch, planes, height, width]`,
    /// normalised by running statistics.
    #[must_use]
    pub fn forward(&self, planes: Tensor<4>) -> (Tensor<2>, Tensor<2>) {
        let mut x = relu(self.stem.forward(planes));
        for block in &self.blocks {
            let y = relu(block.first.forward(x.clone()));
            x = relu(x + block.second.forward(y));
        }
        let policy = relu(self.policy_conv.forward(x.clone())).flatten(1, 3);
        let value = relu(self.value_conv.forward(x)).flatten(1, 3);
        (self.logits(policy), self.value.forward(self.hidden(value)))
    }

    /// The same in training, normalised by the batch's own statistics, with what only training asks.
    #[must_use]
    pub fn forward_train(&self, planes: Tensor<4>) -> TrainingPass {
        let mut statistics = Vec::new();
        let mut apply = |layer: &ConvNorm, x, residual, exact| match self.norm {
            Norm::Batch => {
                let (y, measured) = layer.forward_train(x, residual, exact);
                statistics.push(measured);
                y
            }
            Norm::None => layer.forward_scaled(x, residual, exact),
        };
        // As in the frozen network, stem and heads are never rounded.
        let mut x = apply(&self.stem, planes.permute([0, 2, 3, 1]), None, true);
        for block in &self.blocks {
            let y = apply(&block.first, x.clone(), None, false);
            x = apply(&block.second, y, Some(x), false);
        }
        let mut head = |layer, x| apply(layer, x, None, true).permute([0, 3, 1, 2]).flatten(1, 3);
        let (policy, value) = (head(&self.policy_conv, x.clone()), head(&self.value_conv, x));
        let hidden = self.hidden(value);
        TrainingPass {
            reply: self.reply.as_ref().map(|reply| reply.forward(policy.clone())),
            policy: self.logits(policy),
            plies_left: self.plies_left.as_ref().map(|plies_left| plies_left.forward(hidden.clone())),
            value: self.value.forward(hidden),
            statistics,
        }
    }

    /// The linear layers of the policy head.
    fn logits(&self, x: Tensor<2>) -> Tensor<2> {
        let x = match &self.policy_hidden {
            Some(hidden) => relu(hidden.forward(x)),
            None => x,
        };
        self.policy.forward(x)
    }

    /// The hidden layer of the value head.
    fn hidden(&self, x: Tensor<2>) -> Tensor<2> {
        relu(self.value_hidden.forward(x))
    }

    /// How many numbers it has, running statistics included.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.num_params()
    }

    /// Moves the running statistics towards what several passes measured: `momentum` is the weight of the new, which is the
    /// mean over the passes, taken in their order. Without normalisation there are none to move.
    #[must_use]
    pub fn with_statistics(mut self, passes: &[Vec<BatchStatistics>], momentum: f64) -> Self {
        if self.norm == Norm::None {
            return self;
        }
        let mut at = 0;
        let mut update = |layer: ConvNorm| {
            let mean = mean_of(passes.iter().map(|pass| &pass[at].mean));
            let variance = mean_of(passes.iter().map(|pass| &pass[at].variance));
            at += 1;
            layer.with_statistics(mean, variance, momentum)
        };
        self.stem = update(self.stem);
        self.blocks =
            self.blocks.into_iter().map(|block| Block { first: update(block.first), second: update(block.second) }).collect();
        self.policy_conv = update(self.policy_conv);
        self.value_conv = update(self.value_conv);
        self
    }
}

fn mean_of<'a>(tensors: impl ExactSizeIterator<Item = &'a Tensor<1>>) -> Option<Tensor<1>> {
    let count = tensors.len() as f64;
    tensors.cloned().reduce(|sum, tensor| sum + tensor).map(|sum| sum / count)
}

impl ConvNorm {
    fn convolve(&self, x: Tensor<4>) -> Tensor<4> {
        same_conv(x, self.weight.val(), None)
    }

    fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let (mean, variance) = (self.running_mean.val(), self.running_variance.val());
        batch_norm(self.convolve(x), self.gamma.val(), self.beta.val(), mean, variance, EPSILON)
    }

    /// `relu(norm(convolution) + residual)` of channels-last activations, and what was measured.
    fn forward_train(&self, x: Tensor<4>, residual: Option<Tensor<4>>, exact: bool) -> (Tensor<4>, BatchStatistics) {
        let LayerOutput { output, mean, variance } =
            layer(x, self.weight.val(), self.gamma.val(), self.beta.val(), residual, exact);
        (output, BatchStatistics { mean: mean.inner(), variance: variance.inner() })
    }

    /// `relu(gain * convolution + beta + residual)` of channels-last activations.
    fn forward_scaled(&self, x: Tensor<4>, residual: Option<Tensor<4>>, exact: bool) -> Tensor<4> {
        scaled_layer(x, self.weight.val(), self.gamma.val(), self.beta.val(), residual, exact)
    }

    fn with_statistics(mut self, mean: Option<Tensor<1>>, variance: Option<Tensor<1>>, momentum: f64) -> Self {
        self.running_mean = moved(self.running_mean, mean, momentum);
        self.running_variance = moved(self.running_variance, variance, momentum);
        self
    }
}

fn moved(old: Param<Tensor<1>>, measured: Option<Tensor<1>>, momentum: f64) -> Param<Tensor<1>> {
    let Some(measured) = measured else { return old };
    old.map(|old| Tensor::from_inner(old.inner() * (1.0 - momentum) + measured * momentum).set_require_grad(false))
}

impl Dense {
    pub(super) fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        x.matmul(self.weight.val()) + self.bias.val().unsqueeze()
    }
}

/// A convolution with stride 1 whose output has the size of its input, for odd kernels.
pub(super) fn same_conv(x: Tensor<4>, weight: Tensor<4>, bias: Option<Tensor<1>>) -> Tensor<4> {
    let padding = weight.dims()[2] / 2;
    let options = ConvOptions::new([1, 1], [padding, padding], [1, 1], 1);
    conv2d(x, weight, bias, options)
}

/// Layers followed by a rectifier keep the variance of their input (He et al. 2015).
const HIDDEN_GAIN: f64 = std::f64::consts::SQRT_2;
/// Small last layers make a fresh network answer nearly even priors and draws.
const LAST_GAIN: f64 = 0.1;

/// Draws parameters, in a fixed order.
struct Init<'a> {
    rng: Rng,
    device: &'a Device,
    /// Parameters drawn so far: the identity of the next one. burn would choose identities at random, and an optimizer's state,
    /// which goes by them, would then fit no other process's network.
    count: u64,
}

impl Init<'_> {
    fn conv_norm(&mut self, inputs: usize, outputs: usize, side: usize, gamma: f32) -> ConvNorm {
        let shape = [outputs, inputs, side, side];
        ConvNorm {
            weight: self.normal(shape, inputs * side * side, HIDDEN_GAIN),
            gamma: self.constant(gamma, outputs),
            beta: self.constant(0.0, outputs),
            running_mean: self.constant(0.0, outputs).set_require_grad(false),
            running_variance: self.constant(1.0, outputs).set_require_grad(false),
        }
    }

    fn dense(&mut self, inputs: usize, outputs: usize, gain: f64) -> Dense {
        Dense { weight: self.normal([inputs, outputs], inputs, gain), bias: self.constant(0.0, outputs) }
    }

    fn constant(&mut self, value: f32, count: usize) -> Param<Tensor<1>> {
        self.parameter(vec![value; count], [count])
    }

    fn normal<const D: usize>(&mut self, shape: [usize; D], fan_in: usize, gain: f64) -> Param<Tensor<D>> {
        let deviation = gain / (fan_in as f64).sqrt();
        let count = shape.iter().product();
        let values: Vec<f32> = match Normal::new(0.0, deviation) {
            Ok(normal) => (0..count).map(|_| normal.sample(&mut self.rng) as f32).collect(),
            Err(_) => vec![0.0; count], // only a deviation that is not finite has no normal law: a layer without inputs
        };
        self.parameter(values, shape)
    }

    fn parameter<const D: usize>(&mut self, values: Vec<f32>, shape: [usize; D]) -> Param<Tensor<D>> {
        let mut parameter = Param::from_data(TensorData::new(values, shape), self.device);
        parameter.id = ParamId::from(self.count);
        self.count += 1;
        parameter
    }
}
