//! Inference on any device of burn's: the folded network as burn tensors.

use burn::tensor::activation::relu;
use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use ndarray::ArrayView4;

use super::fold::{self, Folded};
use super::frozen::Form;
use super::model::same_conv;

/// A folded network on a device.
#[derive(Clone, Debug)]
pub(super) struct Accelerated {
    batch: usize,
    layers: Arc<Layers>,
}

#[derive(Debug)]
struct Layers {
    device: Device,
    stem: Layer<4>,
    blocks: Vec<[Layer<4>; 2]>,
    policy_conv: Layer<4>,
    policy_hidden: Option<Layer<2>>,
    policy: Layer<2>,
    value_conv: Layer<4>,
    value_hidden: Layer<2>,
    value: Layer<2>,
}

/// A convolution or a linear layer.
#[derive(Debug)]
struct Layer<const D: usize> {
    weight: Tensor<D>,
    bias: Tensor<1>,
}

impl Accelerated {
    /// The network for batches of `batch` positions; shorter ones are padded.
    pub(super) fn new(folded: &Folded, batch: usize, device: &Device) -> Self {
        Self { batch, layers: Arc::new(Layers::new(folded, device)) }
    }
}

impl Layers {
    fn new(folded: &Folded, device: &Device) -> Self {
        Self {
            device: device.clone(),
            stem: Layer::new(&folded.stem, device),
            blocks: folded.blocks.iter().map(|[first, second]| [Layer::new(first, device), Layer::new(second, device)]).collect(),
            policy_conv: Layer::new(&folded.policy_conv, device),
            policy_hidden: folded.policy_hidden.as_ref().map(|hidden| Layer::new(hidden, device)),
            policy: Layer::new(&folded.policy, device),
            value_conv: Layer::new(&folded.value_conv, device),
            value_hidden: Layer::new(&folded.value_hidden, device),
            value: Layer::new(&folded.value, device),
        }
    }
}

impl Form for Accelerated {
    fn infer(&mut self, planes: ArrayView4<f32>, policy: &mut [f32], value: &mut [f32]) {
        let (positions, depth, height, width) = planes.dim();
        let mut numbers: Vec<f32> = planes.iter().copied().collect();
        numbers.resize(self.batch.max(positions) * depth * height * width, 0.0);
        let data = TensorData::new(numbers, [self.batch.max(positions), depth, height, width]);
        let (logits, outputs) = self.layers.pass(data);
        policy.copy_from_slice(&logits[..policy.len()]);
        value.copy_from_slice(&outputs[..value.len()]);
    }

    fn fork(&self) -> Box<dyn Form> {
        Box::new(self.clone())
    }
}

impl Layers {
    fn pass(&self, planes: TensorData) -> (Vec<f32>, Vec<f32>) {
        let mut x = relu(self.stem.convolve(Tensor::from_data(planes, &self.device)));
        for [first, second] in &self.blocks {
            let y = relu(first.convolve(x.clone()));
            x = relu(x + second.convolve(y));
        }
        let mut policy = relu(self.policy_conv.convolve(x.clone())).flatten(1, 3);
        if let Some(hidden) = &self.policy_hidden {
            policy = relu(hidden.apply(policy));
        }
        let policy = self.policy.apply(policy);
        let hidden = relu(self.value_hidden.apply(relu(self.value_conv.convolve(x)).flatten(1, 3)));
        (to_host(policy), to_host(self.value.apply(hidden)))
    }
}

impl<const D: usize> Layer<D> {
    fn new(layer: &fold::Layer<D>, device: &Device) -> Self {
        Self {
            weight: Tensor::from_data(TensorData::new(layer.weight.clone(), layer.shape), device),
            bias: Tensor::from_data(TensorData::new(layer.bias.clone(), [layer.bias.len()]), device),
        }
    }
}

impl Layer<4> {
    fn convolve(&self, x: Tensor<4>) -> Tensor<4> {
        same_conv(x, self.weight.clone(), Some(self.bias.clone()))
    }
}

impl Layer<2> {
    fn apply(&self, x: Tensor<2>) -> Tensor<2> {
        x.matmul(self.weight.clone()) + self.bias.clone().unsqueeze()
    }
}

fn to_host(tensor: Tensor<2>) -> Vec<f32> {
    tensor.into_data_as::<f32>().iter::<f32>().collect()
}
