//! A network compiled for inference: batch normalisation folded into the convolutions before it, without gradients.
//!
//! A position's answer depends neither on what else is in its batch nor on its slot nor on the batch's size; a test holds it to that.
//! It is what makes runs repeatable for any number of threads. On the CPU every position is computed alike ([`super::conv`]); other
//! devices always see batches of one size, shorter ones padded, so that they take one sequence of operations.

use std::fmt;

use burn::tensor::Device;
use ndarray::{Array2, ArrayView4};

use super::accelerated::Accelerated;
use super::fold::Folded;
use super::{Architecture, Kernel, Network, device};

/// A network that answers batches of positions. A clone shares the weights and has room of its own to compute.
#[derive(Debug)]
pub struct Frozen {
    architecture: Architecture,
    batch: usize,
    form: Box<dyn Form>,
}

/// A folded network that can be asked.
pub(super) trait Form: fmt::Debug + Send + Sync {
    /// Writes policy logits `[batch, actions]` and raw value outputs `[batch, outputs]`, row-major, of planes
    /// `[batch, planes, height, width]`.
    fn infer(&mut self, planes: ArrayView4<f32>, policy: &mut [f32], value: &mut [f32]);

    /// The same network with room of its own.
    fn fork(&self) -> Box<dyn Form>;
}

impl Frozen {
    /// Compiles `network` for batches of at most `batch` positions: where `device` is the CPU with the kernel of this process
    /// ([`Kernel::of_process`], which [`super::open_device`] has found possible), else for `device`.
    #[must_use]
    pub fn new(network: &Network, architecture: &Architecture, batch: usize, device: &Device) -> Self {
        let device = device.clone().inner();
        if device::is_cpu(&device) {
            let kernel = Kernel::of_process().unwrap_or_else(|_| Kernel::fastest());
            if let Some(frozen) = Self::with_kernel(network, architecture, batch, kernel) {
                return frozen;
            }
        }
        let form = Box::new(Accelerated::new(&Folded::new(network), batch, &device));
        Self { architecture: architecture.clone(), batch, form }
    }

    /// Compiles `network` for the CPU with `kernel`; nothing where this processor does not have it.
    #[must_use]
    pub fn with_kernel(network: &Network, architecture: &Architecture, batch: usize, kernel: Kernel) -> Option<Self> {
        let form = kernel.form(&Folded::new(network), architecture.planes)?;
        Some(Self { architecture: architecture.clone(), batch, form })
    }

    /// The largest batch.
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
    /// The batch may be as large as the network was compiled for.
    #[must_use]
    pub fn infer(&mut self, planes: ArrayView4<f32>) -> (Array2<f32>, Array2<f32>) {
        let batch = planes.dim().0;
        debug_assert!(batch <= self.batch);
        let (mut policy, mut value) =
            (vec![0.0; batch * self.architecture.actions], vec![0.0; batch * self.architecture.value.outputs()]);
        self.form.infer(planes, &mut policy, &mut value);
        (rows(policy, self.architecture.actions), rows(value, self.architecture.value.outputs()))
    }
}

impl Clone for Frozen {
    fn clone(&self) -> Self {
        Self { architecture: self.architecture.clone(), batch: self.batch, form: self.form.fork() }
    }
}

/// Rows of `columns` numbers.
fn rows(values: Vec<f32>, columns: usize) -> Array2<f32> {
    let rows = values.len() / columns;
    // An answer of another size than the architecture's would be a bug; as numbers it is none, and stops the run.
    Array2::from_shape_vec((rows, columns), values).unwrap_or_else(|_| Array2::from_elem((rows, columns), f32::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game as _;
    use crate::games::ConnectFour;
    use crate::net::{Auxiliary, NetworkConfig, Norm, conv, open_device};
    use ndarray::Array4;

    #[test]
    fn all_forms_give_the_same_answers() {
        for (norm, policy_hidden) in [(Norm::Batch, 0), (Norm::None, 6), (Norm::Batch, 40)] {
            let heads = NetworkConfig {
                channels: 8,
                blocks: 2,
                policy_channels: 3,
                value_channels: 2,
                value_hidden: 5,
                norm,
                policy_hidden,
                auxiliary: vec![Auxiliary::Reply],
            };
            assert_same_answers(&heads);
        }
    }

    fn assert_same_answers(sizes: &NetworkConfig) {
        let architecture = Architecture::new(ConnectFour::new().facts(), sizes);
        let device = open_device("cpu").unwrap();
        let network = Network::new(&architecture, 1, &device);
        let planes =
            Array4::from_shape_fn((4, 2, 6, 7), |(n, p, r, c)| f32::from(u8::from((n * 5 + p * 3 + r * 7 + c) % 3 == 0)));
        let mut accelerated = Accelerated::new(&Folded::new(&network), 5, &device);
        let (mut policy, mut value) = (vec![0.0; 28], vec![0.0; 12]);
        accelerated.infer(planes.view(), &mut policy, &mut value);
        for kernel in Kernel::possible() {
            let mut host = Frozen::with_kernel(&network, &architecture, 4, kernel).unwrap();
            let answer = host.infer(planes.view());
            let limit = if kernel.rounds() { 5e-3 } else { 1e-5 };
            for (left, right) in answer.0.iter().chain(&answer.1).zip(policy.iter().chain(&value)) {
                assert!((left - right).abs() < limit, "{kernel:?}: {left} is not {right}");
            }
            assert_eq!((answer.0.dim(), answer.1.dim()), ((4, 7), (4, 3)));
        }
        let (mut logits, mut outputs) = (vec![0.0; 28], vec![0.0; 12]);
        conv::emulated(&Folded::new(&network), architecture.planes).infer(planes.view(), &mut logits, &mut outputs);
        for (left, right) in logits.iter().chain(&outputs).zip(policy.iter().chain(&value)) {
            assert!((left - right).abs() < 5e-3, "emulated tiles: {left} is not {right}");
        }
    }
}
