//! Networks that look trained: every number is random, scales of normalisations may be negative.

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{Tensor, TensorData};
use plyzero::game::Facts;
use plyzero::net::{Architecture, Device, Network, NetworkConfig, Norm, open_device};
use plyzero::rng::{Rng, stream};
use rand::RngExt as _;

/// The CPU.
pub fn cpu() -> Device {
    open_device("cpu").unwrap()
}

/// A small network's shape.
pub fn architecture(facts: &Facts, channels: usize, blocks: usize) -> Architecture {
    let network = NetworkConfig {
        channels,
        blocks,
        policy_channels: 3,
        value_channels: 2,
        value_hidden: 5,
        norm: Norm::Batch,
        policy_hidden: 0,
        auxiliary: Vec::new(),
    };
    Architecture::new(facts, &network)
}

/// A network of that shape whose parameters are all random, and running statistics where it has any.
pub fn seasoned(architecture: &Architecture, seed: u64) -> Network {
    let norm = architecture.network.norm;
    Network::new(architecture, seed, &cpu()).map(&mut Season { rng: stream(seed, "season", 0), path: Vec::new(), norm })
}

struct Season {
    rng: Rng,
    path: Vec<String>,
    norm: Norm,
}

impl ModuleMapper for Season {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let shape = param.val().dims();
        let fan_in = if D == 4 { shape[1..].iter().product() } else { shape[0] };
        let spread = 2.0 / (fan_in as f32).sqrt();
        if self.norm == Norm::None && self.path.last().unwrap().starts_with("running") {
            return param;
        }
        let (low, high) = match self.path.last().unwrap().as_str() {
            "weight" => (-spread, spread),
            "gamma" => (-1.5, 1.5),
            "beta" | "bias" | "running_mean" => (-0.5, 0.5),
            "running_variance" => (0.3, 2.0),
            other => panic!("no such parameter: {other}"),
        };
        let values: Vec<f32> = (0..shape.iter().product()).map(|_| self.rng.random_range(low..high)).collect();
        param.map(|old| Tensor::from_data(TensorData::new(values, shape), &old.device()))
    }
}
