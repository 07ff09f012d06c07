//! A layer in training: a convolution, batch normalisation, what is added, the rectifier; forwards, and backwards to the gradients of all that
//! went in. Positions go through a few at a time, so that what one product leaves the next finds in the cache; only normalisation, which
//! needs all of them, divides each direction in two; without it ([`scaled`]) nothing does.
//!
//! Activations are channels-last, `[positions, cells, channels]`. With a kernel that rounds, what goes into the products is rounded to bf16;
//! sums, normalisation and weights are f32.

mod gradient;
mod norm;
mod passes;
mod products;
mod scaled;
#[cfg(test)]
mod tests;

pub(in crate::net) use passes::By;
pub(in crate::net) use products::{Cells, Products, Vectors};

/// The size of a board.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Board {
    pub(in crate::net) height: usize,
    pub(in crate::net) width: usize,
}

impl Board {
    pub(in crate::net) fn cells(self) -> usize {
        self.height * self.width
    }
}

/// The weights of a convolution, `[shape[0], shape[1], side, side]`.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Filter<'a> {
    pub(in crate::net) weights: &'a [f32],
    pub(in crate::net) shape: [usize; 2],
    pub(in crate::net) side: usize,
    /// Whether it goes from outputs to inputs, which takes gradients back.
    pub(in crate::net) turned: bool,
}

impl Filter<'_> {
    pub(in crate::net) fn outputs(&self) -> usize {
        self.shape[usize::from(self.turned)]
    }

    pub(in crate::net) fn inputs(&self) -> usize {
        self.shape[usize::from(!self.turned)]
    }

    #[inline]
    pub(in crate::net) fn weight(&self, output: usize, input: usize, tap: usize) -> f32 {
        let taps = self.side * self.side;
        if self.turned {
            self.weights[(input * self.shape[1] + output) * taps + taps - 1 - tap]
        } else {
            self.weights[(output * self.shape[1] + input) * taps + tap]
        }
    }
}

/// What goes into a layer.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Layer<'a> {
    pub(in crate::net) board: Board,
    /// `[positions, cells, inputs]`
    pub(in crate::net) input: &'a [f32],
    pub(in crate::net) filter: Filter<'a>,
    /// `[outputs]`
    pub(in crate::net) gamma: &'a [f32],
    /// What is added to a variance before its square root is taken.
    pub(in crate::net) epsilon: f32,
}

impl Layer<'_> {
    /// Cells of all positions.
    fn cells(&self) -> usize {
        self.input.len() / self.filter.inputs()
    }
}

/// What comes out of it.
#[derive(Debug)]
pub(in crate::net) struct Forward {
    /// `[positions, cells, outputs]`
    pub(in crate::net) output: Vec<f32>,
    /// `[outputs]`
    pub(in crate::net) mean: Vec<f32>,
    /// `[outputs]`
    pub(in crate::net) variance: Vec<f32>,
    /// The convolution's sums, for the way back: `[positions, cells, pitch]`.
    pub(in crate::net) sums: Vec<f32>,
}

/// What is known of a layer on the way back. What is owned is used up.
#[derive(Debug)]
pub(in crate::net) struct Known<'a> {
    /// The gradient of the output.
    pub(in crate::net) gradient: Vec<f32>,
    pub(in crate::net) output: &'a [f32],
    pub(in crate::net) mean: &'a [f32],
    pub(in crate::net) variance: &'a [f32],
    /// The convolution's sums, as [`Training::forward`] gave them.
    pub(in crate::net) sums: Vec<f32>,
}

/// Which gradients are asked for, beside those of the parameters.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Wanted {
    pub(in crate::net) input: bool,
    pub(in crate::net) residual: bool,
}

/// The gradients of what went into a layer.
#[derive(Debug)]
pub(in crate::net) struct Gradients {
    /// Of the input, where it was asked for.
    pub(in crate::net) input: Option<Vec<f32>>,
    /// Of what was added, where it was asked for.
    pub(in crate::net) residual: Option<Vec<f32>>,
    pub(in crate::net) weights: Vec<f32>,
    pub(in crate::net) gamma: Vec<f32>,
    pub(in crate::net) beta: Vec<f32>,
}

/// What computes layers in training.
pub(in crate::net) trait Training: std::fmt::Debug {
    /// `relu(norm(convolution) + residual)`.
    fn forward(&self, layer: &Layer, beta: &[f32], residual: Option<&[f32]>) -> Forward;

    /// The gradients of what went in: of the parameters always, of the input and the residual as `wanted`.
    fn backward(&self, layer: &Layer, known: Known, wanted: Wanted) -> Gradients;

    /// The output of a layer without normalisation: see [`scaled`].
    fn scaled_forward(&self, layer: &Layer, beta: &[f32], residual: Option<&[f32]>) -> Vec<f32>;

    /// Its gradients, as above; `gradient` is that of `output`.
    fn scaled_backward(&self, layer: &Layer, gradient: Vec<f32>, output: &[f32], wanted: Wanted) -> Gradients;
}
