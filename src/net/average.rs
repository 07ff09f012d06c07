//! Averages of networks over the steps of training.
//!
//! The rule: after each step `average = decay * average + (1 - decay) * weights`, an exponential moving average (Polyak and Juditsky, "Acceleration
//! of stochastic approximation by averaging", 1992, whose weights are all equal). Hypothesis: late in training steps go around a good point rather
//! than towards it, so that the mean is nearer to it. Cost: as much memory and time as one more copy of the weights a step.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::Tensor;

use super::Network;

impl Network {
    /// Its weights times `decay`, and those of a network of the same shape times the rest; running statistics alike.
    #[must_use]
    pub fn averaged_with(self, weights: &Network, decay: f64) -> Self {
        let mut lists = Lists(Vec::new());
        weights.visit(&mut lists);
        self.map(&mut Blend { weights: lists.0.into_iter(), decay })
    }
}

/// The numbers of each parameter, in order.
struct Lists(Vec<Tensor<1>>);

impl ModuleVisitor for Lists {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let numbers = param.val().inner();
        let count = numbers.shape().num_elements();
        self.0.push(numbers.reshape([count]));
    }
}

/// Averages each parameter with the next list.
struct Blend {
    weights: std::vec::IntoIter<Tensor<1>>,
    decay: f64,
}

impl ModuleMapper for Blend {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        // Networks of one shape have as many lists as parameters.
        let Some(weights) = self.weights.next() else { return param };
        param.map(|average| {
            let average = average.inner();
            let weights = weights.reshape(average.dims());
            average * self.decay + weights * (1.0 - self.decay)
        })
    }
}
