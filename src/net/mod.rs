//! The policy/value network: its shape, its layers in burn, its frozen form for inference, its file.
//!
//! `burn` appears here, in the learner, and nowhere else.

mod accelerated;
mod architecture;
mod average;
mod checkpoint;
mod conv;
mod device;
mod evaluator;
mod fold;
mod frozen;
mod layer;
pub mod loss;
mod model;
mod safetensors;

pub use burn::tensor::Device;

pub use architecture::{Architecture, Auxiliary, NetworkConfig, Norm, ValueHead};
pub(crate) use checkpoint::is_finite;
pub use checkpoint::{Checkpoint, CheckpointError, Header};
pub use conv::{Kernel, KernelError};
pub use device::{DeviceError, kernel, open_device};
pub use evaluator::NetworkEvaluator;
pub use frozen::Frozen;
pub use model::{BatchStatistics, Network, TrainingPass};
