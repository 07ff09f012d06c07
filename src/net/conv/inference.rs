//! A folded network on the CPU, a few positions at a time through all its layers, so that their activations stay in the cache.
//!
//! The stem and the heads are computed in f32 whatever the trunk does: they cost little, and rounding would hurt them most.

use std::sync::Arc;

use ndarray::ArrayView4;

use super::aligned::Aligned;
use super::convolution::{Convolution, Task};
use super::heads::{Heads, Rooms};
use super::simd::Simd;
use super::trunk::{Trunk, convolution};
use crate::net::fold::Folded;
use crate::net::frozen::Form;

/// Bytes of the stream of the positions that go through the network together: with as much again for what lies between two
/// convolutions, and a block of weights, it fits into the second-level cache.
const TOGETHER: usize = 128 << 10;

/// A network with room to compute. A clone shares the weights and has its own room.
#[derive(Debug)]
pub(in crate::net) struct Inference<E: Simd, T: Trunk> {
    layers: Arc<Layers<E, T>>,
    rooms: Scratch<T::Scratch>,
}

#[derive(Debug)]
struct Layers<E: Simd, T: Trunk> {
    simd: E,
    height: usize,
    width: usize,
    planes: usize,
    stem: Convolution<E>,
    trunk: T,
    heads: Heads<E>,
}

#[derive(Clone, Debug)]
struct Scratch<T> {
    /// `[positions, cells, planes]`
    input: Aligned<f32>,
    /// `[positions, cells, channels]`
    stream: Aligned<f32>,
    trunk: T,
    heads: Rooms,
}

impl<E: Simd<Word = f32>, T: Trunk> Inference<E, T> {
    /// The network of `folded` for boards of `[planes, height, width]`, with `trunk` made of its blocks.
    pub(in crate::net) fn new(simd: E, folded: &Folded, [planes, height, width]: [usize; 3], trunk: T) -> Self {
        let (stem, heads) = (convolution(&folded.stem), Heads::new(simd, folded, height * width));
        let layers = Layers { simd, height, width, planes, stem, trunk, heads };
        let rooms = Scratch {
            input: Aligned::zeros(0),
            stream: Aligned::zeros(0),
            trunk: T::Scratch::default(),
            heads: Rooms::default(),
        };
        Self { layers: Arc::new(layers), rooms }
    }
}

impl<E: Simd, T: Trunk> Clone for Inference<E, T> {
    fn clone(&self) -> Self {
        Self { layers: Arc::clone(&self.layers), rooms: self.rooms.clone() }
    }
}

impl<E: Simd<Word = f32>, T: Trunk> Form for Inference<E, T> {
    fn infer(&mut self, planes: ArrayView4<f32>, policy: &mut [f32], value: &mut [f32]) {
        let planes = planes.as_standard_layout();
        let (Some(numbers), batch) = (planes.as_slice(), planes.dim().0) else { return };
        if batch == 0 {
            return;
        }
        let (actions, outputs) = (policy.len() / batch, value.len() / batch);
        let together = self.layers.together();
        let parts = policy.chunks_mut(together * actions).zip(value.chunks_mut(together * outputs));
        for (boards, (policy, value)) in numbers.chunks(together * numbers.len() / batch).zip(parts) {
            self.layers.infer(boards, &mut self.rooms, policy, value);
        }
    }

    fn fork(&self) -> Box<dyn Form> {
        Box::new(self.clone())
    }
}

impl<E: Simd<Word = f32>, T: Trunk> Layers<E, T> {
    /// Positions that go through the network together.
    fn together(&self) -> usize {
        (TOGETHER / (self.height * self.width * self.stem.outputs() * size_of::<f32>())).max(1)
    }

    /// Policy and value of boards, `[positions, planes, cells]`.
    fn infer(&self, boards: &[f32], scratch: &mut Scratch<T::Scratch>, policy: &mut [f32], value: &mut [f32]) {
        let cells = self.height * self.width;
        let (positions, pitch) = (boards.len() / (self.planes * cells), self.stem.outputs());
        scratch.input.reserve(boards.len());
        let input = &mut scratch.input.get_mut()[..boards.len()];
        for (to, board) in input.chunks_exact_mut(self.planes * cells).zip(boards.chunks_exact(self.planes * cells)) {
            for (plane, numbers) in board.chunks_exact(cells).enumerate() {
                to.iter_mut().skip(plane).step_by(self.planes).zip(numbers).for_each(|(to, number)| *to = *number);
            }
        }
        scratch.stream.reserve(positions * cells * pitch);
        let stream = &mut scratch.stream.get_mut()[..positions * cells * pitch];
        let (height, width, numbers) = (self.height, self.width, Some(&mut *stream));
        let task =
            Task { positions, height, width, input, pitch: self.planes, numbers, residual: false, relu: true, words: None };
        self.stem.apply(self.simd, task);
        self.trunk.apply(stream, &mut scratch.trunk);
        self.heads.apply(stream, pitch, &mut scratch.heads, policy, value);
    }
}
