//! A network compiled for inference: batch normalisation folded into the convolutions before it, on a device without
//! gradients, always fed with one batch size. Shorter batches are padded.
//!
//! One size means one sequence of operations, so that a position's answer depends neither on what else is in the batch nor on
//! its slot; a test holds it to that. It is what makes runs repeatable for any number of threads.

use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};
use ndarray::{Array2, ArrayView4};

use super::Architecture;
use super::model::{ConvNorm, Dense, EPSILON, Network, same_conv};

/// A network that answers batches of one fixed size.
#[derive(Clone, Debug)]
pub struct Frozen {
    architecture: Architecture,
    batch: usize,
    device: Device,
    stem: Conv,
    blocks: Vec<[Conv; 2]>,
    policy_conv: Conv,
    policy: Linear,
    value_conv: Conv,
    value_hidden: Linear,
    value: Linear,
}

#[derive(Clone, Debug)]
struct Conv {
    weight: Tensor<4>,
    bias: Tensor<1>,
}

#[derive(Clone, Debug)]
struct Linear {
    weight: Tensor<2>,
    bias: Tensor<2>,
}

impl Frozen {
    /// Compiles `network` for batches of `batch` positions.
    #[must_use]
    pub fn new(network: &Network, architecture: &Architecture, batch: usize, device: &Device) -> Self {
        Self {
            architecture: architecture.clone(),
            batch,
            device: device.clone().inner(),
            stem: Conv::fold(&network.stem),
            blocks: network.blocks.iter().map(|block| [Conv::fold(&block.first), Conv::fold(&block.second)]).collect(),
            policy_conv: Conv::fold(&network.policy_conv),
            policy: Linear::new(&network.policy),
            value_conv: Conv::fold(&network.value_conv),
            value_hidden: Linear::new(&network.value_hidden),
            value: Linear::new(&network.value),
        }
    }

    /// The batch size.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// The shape.
    #[must_use]
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Policy logits `[batch, actions]` and raw value outputs `[batch, outputs]` of planes `[batch, planes, height, width]`.
    /// The batch must have the size that the network was compiled for.
    #[must_use]
    pub fn infer(&self, planes: ArrayView4<f32>) -> (Array2<f32>, Array2<f32>) {
        debug_assert_eq!(planes.dim().0, self.batch);
        let (batch, depth, height, width) = planes.dim();
        let data = TensorData::new(planes.iter().copied().collect::<Vec<f32>>(), [batch, depth, height, width]);
        let mut x = relu(self.stem.forward(Tensor::from_data(data, &self.device)));
        for [first, second] in &self.blocks {
            let y = relu(first.forward(x.clone()));
            x = relu(x + second.forward(y));
        }
        let policy = self.policy.forward(relu(self.policy_conv.forward(x.clone())).flatten(1, 3));
        let hidden = self.value_hidden.forward(relu(self.value_conv.forward(x)).flatten(1, 3));
        let value = self.value.forward(relu(hidden));
        (to_host(policy), to_host(value))
    }
}

impl Conv {
    /// `gamma * (conv(x) - mean) / sqrt(variance + epsilon) + beta` as one convolution with bias.
    fn fold(layer: &ConvNorm) -> Self {
        let scale = layer.gamma.val().inner() / (layer.running_variance.val().inner() + EPSILON).sqrt();
        let bias = layer.beta.val().inner() - layer.running_mean.val().inner() * scale.clone();
        let outputs = scale.dims()[0];
        Self { weight: layer.weight.val().inner() * scale.reshape([outputs, 1, 1, 1]), bias }
    }

    fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        same_conv(x, self.weight.clone(), Some(self.bias.clone()))
    }
}

impl Linear {
    fn new(layer: &Dense) -> Self {
        Self { weight: layer.weight.val().inner(), bias: layer.bias.val().inner().unsqueeze() }
    }

    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        x.matmul(self.weight.clone()) + self.bias.clone()
    }
}

fn to_host(tensor: Tensor<2>) -> Array2<f32> {
    let [rows, columns] = tensor.dims();
    let values: Vec<f32> = tensor.into_data_as::<f32>().iter::<f32>().collect();
    // The shape is the tensor's own.
    Array2::from_shape_vec((rows, columns), values).unwrap_or_else(|_| Array2::from_elem((rows, columns), f32::NAN))
}
