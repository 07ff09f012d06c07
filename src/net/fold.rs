//! Batch normalisation folded into the convolution before it, as numbers of the host:
//! `gamma * (conv(x) - mean) / sqrt(variance + epsilon) + beta` is one convolution with bias. Without normalisation
//! the mean is 0 and the variance 1. Heads of training alone are left out.

use burn::module::Param;
use burn::tensor::Tensor;

use super::model::{ConvNorm, Dense, EPSILON, Network};

/// A network as convolutions and linear layers with biases.
pub(super) struct Folded {
    pub(super) stem: Layer<4>,
    pub(super) blocks: Vec<[Layer<4>; 2]>,
    pub(super) policy_conv: Layer<4>,
    pub(super) policy_hidden: Option<Layer<2>>,
    pub(super) policy: Layer<2>,
    pub(super) value_conv: Layer<4>,
    pub(super) value_hidden: Layer<2>,
    pub(super) value: Layer<2>,
}

/// Weights of `shape`, row-major, and a bias an output: `[out, in, side, side]` or `[in, out]`.
pub(super) struct Layer<const D: usize> {
    pub(super) shape: [usize; D],
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl Folded {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            stem: conv(&network.stem),
            blocks: network.blocks.iter().map(|block| [conv(&block.first), conv(&block.second)]).collect(),
            policy_conv: conv(&network.policy_conv),
            policy_hidden: network.policy_hidden.as_ref().map(dense),
            policy: dense(&network.policy),
            value_conv: conv(&network.value_conv),
            value_hidden: dense(&network.value_hidden),
            value: dense(&network.value),
        }
    }
}

fn conv(layer: &ConvNorm) -> Layer<4> {
    let (gamma, beta) = (numbers(&layer.gamma), numbers(&layer.beta));
    let (mean, variance) = (numbers(&layer.running_mean), numbers(&layer.running_variance));
    let scale: Vec<f32> =
        gamma.iter().zip(&variance).map(|(gamma, variance)| gamma / (variance + EPSILON as f32).sqrt()).collect();
    let mut weight = numbers(&layer.weight);
    let inputs = weight.len() / scale.len();
    for (kernel, scale) in weight.chunks_exact_mut(inputs).zip(&scale) {
        kernel.iter_mut().for_each(|weight| *weight *= scale);
    }
    let bias = beta.iter().zip(&mean).zip(&scale).map(|((beta, mean), scale)| beta - mean * scale).collect();
    Layer { shape: layer.weight.dims(), weight, bias }
}

fn dense(layer: &Dense) -> Layer<2> {
    Layer { shape: layer.weight.dims(), weight: numbers(&layer.weight), bias: numbers(&layer.bias) }
}

fn numbers<const D: usize>(param: &Param<Tensor<D>>) -> Vec<f32> {
    param.val().inner().into_data_as::<f32>().iter::<f32>().collect()
}
