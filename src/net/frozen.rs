//! A network compiled for inference: batch normalisation folded into the convolutions before it, without gradients, always fed
//! with one batch size. Shorter batches are padded.
//!
//! One size means one sequence of operations, so that a position's answer depends neither on what else is in the batch nor on
//! its slot; a test holds it to that. It is what makes runs repeatable for any number of threads.

use std::fmt;
use std::sync::Arc;

use burn::tensor::Device;
use ndarray::{Array2, ArrayView4};

use super::accelerated::Accelerated;
use super::fold::Folded;
use super::host::Host;
use super::{Architecture, Network, device};

/// A network that answers batches of one fixed size.
#[derive(Clone, Debug)]
pub struct Frozen {
    architecture: Architecture,
    batch: usize,
    /// Shared by all clones: weights are never written again.
    form: Arc<dyn Form>,
}

/// A folded network that can be asked.
pub(super) trait Form: fmt::Debug + Send + Sync {
    /// Policy logits `[batch, actions]` and raw value outputs `[batch, outputs]`, row-major, of planes
    /// `[batch, planes, height, width]`.
    fn infer(&self, planes: ArrayView4<f32>) -> (Vec<f32>, Vec<f32>);
}

impl Frozen {
    /// Compiles `network` for batches of `batch` positions: for the host where `device` is the CPU, else for `device`.
    #[must_use]
    pub fn new(network: &Network, architecture: &Architecture, batch: usize, device: &Device) -> Self {
        let (folded, device) = (Folded::new(network), device.clone().inner());
        let form: Arc<dyn Form> = if device::is_cpu(&device) {
            Arc::new(Host::new(&folded, architecture))
        } else {
            Arc::new(Accelerated::new(&folded, &device))
        };
        Self { architecture: architecture.clone(), batch, form }
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
        let (policy, value) = self.form.infer(planes);
        (rows(policy, self.architecture.actions), rows(value, self.architecture.value.outputs()))
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
    use crate::net::{NetworkConfig, open_device};
    use ndarray::Array4;

    #[test]
    fn both_forms_give_the_same_answers() {
        let sizes = NetworkConfig { channels: 8, blocks: 2, policy_channels: 3, value_channels: 2, value_hidden: 5 };
        let architecture = Architecture::new(ConnectFour::new().facts(), &sizes);
        let device = open_device("cpu").unwrap();
        let folded = Folded::new(&Network::new(&architecture, 1, &device));
        let planes =
            Array4::from_shape_fn((4, 2, 6, 7), |(n, p, r, c)| f32::from(u8::from((n * 5 + p * 3 + r * 7 + c) % 3 == 0)));
        let host = Host::new(&folded, &architecture).infer(planes.view());
        let accelerated = Accelerated::new(&folded, &device).infer(planes.view());
        for (left, right) in host.0.iter().chain(&host.1).zip(accelerated.0.iter().chain(&accelerated.1)) {
            assert!((left - right).abs() < 1e-5, "{left} is not {right}");
        }
        assert_eq!((host.0.len(), host.1.len()), (28, 12));
    }
}
