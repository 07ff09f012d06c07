//! What comes after the trunk: both heads' 1x1 convolutions as one, then their linear layers, whose cells are the positions.

use super::aligned::Aligned;
use super::convolution::{Convolution, Task};
use super::simd::Simd;
use crate::net::fold::{Folded, Layer};

/// Policy and value head.
#[derive(Debug)]
pub(super) struct Heads<E: Simd> {
    simd: E,
    cells: usize,
    /// Channels of the policy's 1x1 convolution, which come first.
    policy_channels: usize,
    value_channels: usize,
    conv: Convolution<E>,
    policy_hidden: Option<Linear<E>>,
    policy: Linear<E>,
    value_hidden: Linear<E>,
    value: Linear<E>,
}

/// A linear layer.
#[derive(Debug)]
struct Linear<E: Simd> {
    inputs: usize,
    outputs: usize,
    product: Convolution<E>,
}

/// Room for what the heads compute on their way, a list a layer.
#[derive(Clone, Debug)]
pub(super) struct Rooms {
    conv: Aligned<f32>,
    /// `[positions, channels, cells]`, as the linear layers read it.
    policy_input: Aligned<f32>,
    value_input: Aligned<f32>,
    hidden: Aligned<f32>,
    output: Aligned<f32>,
}

impl Default for Rooms {
    fn default() -> Self {
        let [conv, policy_input, value_input, hidden, output] = std::array::from_fn(|_| Aligned::zeros(0));
        Self { conv, policy_input, value_input, hidden, output }
    }
}

impl<E: Simd<Word = f32>> Heads<E> {
    pub(super) fn new(simd: E, folded: &Folded, cells: usize) -> Self {
        let (policy, value) = (&folded.policy_conv, &folded.value_conv);
        let [policy_channels, inputs, ..] = policy.shape;
        let both = [&policy.weight[..], &value.weight].concat();
        let bias = [&policy.bias[..], &value.bias].concat();
        Self {
            simd,
            cells,
            policy_channels,
            value_channels: value.bias.len(),
            conv: Convolution::new(1, inputs, &bias, |output, input, _| both[output * inputs + input]),
            policy_hidden: folded.policy_hidden.as_ref().map(Linear::new),
            policy: Linear::new(&folded.policy),
            value_hidden: Linear::new(&folded.value_hidden),
            value: Linear::new(&folded.value),
        }
    }

    /// Policy logits `[positions, actions]` and raw value outputs `[positions, outputs]` of the stream.
    pub(super) fn apply(&self, stream: &[f32], pitch: usize, rooms: &mut Rooms, policy: &mut [f32], value: &mut [f32]) {
        let (width, outputs) = (stream.len() / pitch, self.conv.outputs());
        rooms.conv.reserve(width * outputs);
        let numbers = Some(&mut *rooms.conv.get_mut());
        self.conv.apply(self.simd, row(width, stream, pitch, numbers, true));
        let positions = width / self.cells;
        let heads = &rooms.conv.get()[..width * outputs];
        self.transpose(heads, positions, 0, self.policy_channels, &mut rooms.policy_input);
        self.transpose(heads, positions, self.policy_channels, self.value_channels, &mut rooms.value_input);
        let (input, pitch) = match &self.policy_hidden {
            Some(hidden) => {
                hidden.apply(self.simd, positions, rooms.policy_input.get(), hidden.inputs, true, &mut rooms.hidden);
                (&rooms.hidden, hidden.product.outputs())
            }
            None => (&rooms.policy_input, self.policy.inputs),
        };
        self.policy.apply(self.simd, positions, input.get(), pitch, false, &mut rooms.output);
        self.policy.write(rooms.output.get(), policy);
        self.value_hidden.apply(self.simd, positions, rooms.value_input.get(), self.value_hidden.inputs, true, &mut rooms.hidden);
        let pitch = self.value_hidden.product.outputs();
        self.value.apply(self.simd, positions, rooms.hidden.get(), pitch, false, &mut rooms.output);
        self.value.write(rooms.output.get(), value);
    }

    /// Channels `first..first + channels` of each position, `[channels, cells]`.
    fn transpose(&self, heads: &[f32], positions: usize, first: usize, channels: usize, to: &mut Aligned<f32>) {
        let (pitch, cells) = (self.conv.outputs(), self.cells);
        to.reserve(positions * channels * cells);
        for (to, position) in to.get_mut().chunks_exact_mut(channels * cells).zip(heads.chunks_exact(cells * pitch)) {
            for (channel, to) in to.chunks_exact_mut(cells).enumerate() {
                for (to, cell) in to.iter_mut().zip(position.chunks_exact(pitch)) {
                    *to = cell[first + channel];
                }
            }
        }
    }
}

impl<E: Simd<Word = f32>> Linear<E> {
    fn new(layer: &Layer<2>) -> Self {
        let [inputs, outputs] = layer.shape;
        let product = Convolution::new(1, inputs, &layer.bias, |output, input, _| layer.weight[input * outputs + output]);
        Self { inputs, outputs, product }
    }

    fn apply(&self, simd: E, positions: usize, input: &[f32], pitch: usize, relu: bool, to: &mut Aligned<f32>) {
        to.reserve(positions * self.product.outputs());
        self.product.apply(simd, row(positions, input, pitch, Some(to.get_mut()), relu));
    }

    /// Leaves out the padding.
    fn write(&self, padded: &[f32], to: &mut [f32]) {
        for (to, from) in to.chunks_exact_mut(self.outputs).zip(padded.chunks_exact(self.product.outputs())) {
            to.copy_from_slice(&from[..self.outputs]);
        }
    }
}

/// A task whose cells lie in one row.
fn row<'a, E: Simd<Word = f32>>(
    width: usize,
    input: &'a [f32],
    pitch: usize,
    numbers: Option<&'a mut [f32]>,
    relu: bool,
) -> Task<'a, E> {
    Task { positions: 1, height: 1, width, input, pitch, numbers, residual: false, relu, words: None }
}
