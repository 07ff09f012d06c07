//! The residual blocks of a network, convolution by convolution: `x = relu(x + second(relu(first(x))))`.
//!
//! What the blocks add up stays in f32, the *stream*; where a kernel works on rounded words, convolutions read a rounded copy of it.

use super::aligned::Aligned;
use super::convolution::{Convolution, Task};
use super::simd::{Round, Simd};
use crate::net::fold::{Folded, Layer};

/// The part of a network between its stem and its heads.
pub(in crate::net) trait Trunk: Send + Sync + std::fmt::Debug + 'static {
    /// Room for activations, reused from one call to the next.
    type Scratch: Clone + Default + Send + Sync + std::fmt::Debug;

    /// Changes the stream of some positions, `[positions, cells, pitch]`, into what the blocks make of it.
    fn apply(&self, stream: &mut [f32], scratch: &mut Self::Scratch);
}

/// Blocks of convolutions with the micro-kernel of `S`.
#[derive(Debug)]
pub(in crate::net) struct Blocks<S: Simd> {
    simd: S,
    height: usize,
    width: usize,
    blocks: Vec<[Convolution<S>; 2]>,
}

/// Activations as words: the rounded copy of the stream, and what lies between the two convolutions of a block.
#[derive(Clone, Debug)]
pub(in crate::net) struct Activations<W: Copy + Default> {
    copy: Aligned<W>,
    between: Aligned<W>,
}

impl<W: Copy + Default> Default for Activations<W> {
    fn default() -> Self {
        Self { copy: Aligned::zeros(0), between: Aligned::zeros(0) }
    }
}

/// The convolution of a folded layer.
pub(super) fn convolution<S: Simd>(layer: &Layer<4>) -> Convolution<S> {
    let [_, inputs, side, _] = layer.shape;
    Convolution::new(side, inputs, &layer.bias, |output, input, tap| layer.weight[(output * inputs + input) * side * side + tap])
}

impl<S: Simd> Blocks<S> {
    pub(in crate::net) fn new(simd: S, folded: &Folded, height: usize, width: usize) -> Self {
        let blocks = folded.blocks.iter().map(|[first, second]| [convolution(first), convolution(second)]).collect();
        Self { simd, height, width, blocks }
    }
}

impl<S: Simd> Trunk for Blocks<S> {
    type Scratch = Activations<S::Word>;

    fn apply(&self, stream: &mut [f32], scratch: &mut Self::Scratch) {
        let Some([first, _]) = self.blocks.first() else { return };
        let (height, width, pitch) = (self.height, self.width, first.outputs() / S::CHANNELS);
        let positions = stream.len() / (height * width * first.outputs());
        let words = stream.len() / S::CHANNELS;
        scratch.between.reserve(words);
        if S::ROUNDS {
            scratch.copy.reserve(words);
            self.simd.run(Round { numbers: stream, words: scratch.copy.get_mut() });
        }
        for [first, second] in &self.blocks {
            let input = S::readable(stream, scratch.copy.get());
            let words = Some(scratch.between.get_mut());
            let task = Task { positions, height, width, input, pitch, numbers: None, residual: false, relu: true, words };
            first.apply(self.simd, task);
            let (input, words) = (scratch.between.get(), S::ROUNDS.then_some(scratch.copy.get_mut()));
            let numbers = Some(&mut *stream);
            let task = Task { positions, height, width, input, pitch, numbers, residual: true, relu: true, words };
            second.apply(self.simd, task);
        }
    }
}
