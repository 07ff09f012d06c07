//! Learning from positions. A batch is cut into a fixed number of shards; their gradients are computed on as many threads as
//! there are and summed in the order of the shards, so that the weights do not depend on the number of threads.
//!
//! Losses: Silver et al. 2017. Rules: Loshchilov and Hutter, "Decoupled weight decay regularization", 2019; Sutskever et al., "On the
//! importance of initialization and momentum in deep learning", 2013; clipping of the whole gradient: Pascanu, Mikolov and Bengio
//! 2013. Batch normalisation sees a shard at a time (Hoffer, Hubara and Soudry, "Train longer, generalize better", 2017). The average that is
//! published is [`Network::averaged_with`]'s; heads for training alone are those of Wu, "Accelerating self-play learning in Go", 2019, section 3.4.
//! Cost: about three times that of evaluating the positions, and two numbers of optimizer state a weight.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use burn::module::{Module, ModuleVisitor, Param, ParamGroup, ParamId};
use burn::optim::decay::WeightDecayConfig;
use burn::optim::momentum::MomentumConfig;
use burn::optim::{AdamWConfig, GradientsParams, ModuleOptimizer, OptimizerRecord, SgdConfig};
use burn::tensor::{Bytes, Device, Gradients, Tensor, TensorData};

use super::batch::{Batch, Draw};
use super::replay::Replay;
use super::{Config, LearnerConfig, Losses, OptimizerKind, TrainError, WorkerPanic};
use crate::game::Game;
use crate::net::{Architecture, BatchStatistics, Checkpoint, Network, is_finite, loss};

/// A network in training.
pub struct Learner<G: Game> {
    game: Arc<G>,
    config: LearnerConfig,
    architecture: Architecture,
    network: Network,
    /// The average over the steps, where one is kept.
    average: Option<Network>,
    optimizer: ModuleOptimizer,
    device: Device,
    steps: u64,
}

/// What one shard contributes.
struct Shard {
    gradients: Vec<Option<Vec<f32>>>,
    statistics: Vec<BatchStatistics>,
    losses: Losses,
}

impl<G: Game> Learner<G> {
    /// A learner with a fresh network.
    #[must_use]
    pub fn new(game: &Arc<G>, config: &Config, device: &Device) -> Self {
        let architecture = Architecture::new(game.facts(), &config.network);
        let network = Network::new(&architecture, config.train.seed, &device.clone().autodiff());
        Self::of(game, config, device, architecture, network)
    }

    /// A learner that begins with a network and knows nothing of how it came about.
    ///
    /// # Errors
    /// When the network has another shape than the configuration says.
    pub fn with_network(game: &Arc<G>, config: &Config, device: &Device, checkpoint: &Checkpoint) -> Result<Self, TrainError> {
        let architecture = Architecture::new(game.facts(), &config.network);
        if checkpoint.header.architecture != architecture {
            return Err(TrainError::Shape(checkpoint.header.architecture.network.clone()));
        }
        let network = checkpoint.network.clone().train();
        Ok(Self::of(game, config, device, architecture, network))
    }

    fn of(game: &Arc<G>, config: &Config, device: &Device, architecture: Architecture, network: Network) -> Self {
        keep_freed_memory();
        let optimizer = optimizer(&config.learner, &network);
        let (game, device) = (Arc::clone(game), device.clone().autodiff());
        let average = (config.learner.average > 0.0).then(|| network.clone());
        Self { game, config: config.learner.clone(), architecture, network, average, optimizer, device, steps: 0 }
    }

    /// The same with an average that it has already.
    #[must_use]
    pub fn with_average(mut self, average: Network) -> Self {
        self.average = Some(average);
        self
    }

    /// Goes on after `steps` steps with what [`Learner::optimizer_state`] gave then.
    ///
    /// # Errors
    /// When the state is not that of an optimizer of this network.
    pub fn resume(mut self, optimizer_state: Vec<u8>, steps: u64) -> Result<Self, String> {
        let record = OptimizerRecord::from_bytes(Bytes::from_bytes_vec(optimizer_state)).map_err(|error| error.to_string())?;
        let tensors = record.len();
        self.optimizer = self.optimizer.load_record(record);
        // burn skips what it cannot place.
        if self.optimizer.to_record().len() != tensors {
            return Err("its optimizer is not that of its network".to_owned());
        }
        self.steps = steps;
        Ok(self)
    }

    /// What the optimizer remembers of earlier steps, in burn's own packing.
    ///
    /// # Errors
    /// When it cannot be packed.
    pub fn optimizer_state(&self) -> Result<Vec<u8>, String> {
        self.optimizer.into_bytes().map(|bytes| bytes.to_vec()).map_err(|error| error.to_string())
    }

    /// The network that is published, plays and is measured: the average, where one is kept.
    #[must_use]
    pub fn network(&self) -> &Network {
        self.average.as_ref().unwrap_or(&self.network)
    }

    /// The network that the optimizer steps on, where it is not the published one.
    #[must_use]
    pub fn trained(&self) -> Option<&Network> {
        self.average.as_ref().map(|_| &self.network)
    }

    /// Its shape.
    #[must_use]
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Optimizer steps so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The learning rate of the next step at a progress of the run in [0, 1]: a linear rise, a plateau, a cosine.
    #[must_use]
    pub fn learning_rate(&self, progress: f64) -> f64 {
        let config = &self.config;
        let warm = ((self.steps + 1) as f64 / config.warmup_steps.max(1) as f64).min(1.0);
        let late = ((progress - config.decay_from) / (1.0 - config.decay_from)).clamp(0.0, 1.0);
        let late = if late.is_nan() { 0.0 } else { late };
        let cosine = f64::midpoint(1.0, (late * std::f64::consts::PI).cos());
        config.learning_rate * warm * (config.final_rate + (1.0 - config.final_rate) * cosine)
    }

    /// One optimizer step on drawn positions, at least one.
    ///
    /// # Errors
    /// When a thread panics, or a loss or gradient is not finite; the network is then as it was before the step.
    pub fn step(
        &mut self,
        replay: &Replay<G::State>,
        draws: &[Draw],
        progress: f64,
        threads: usize,
    ) -> Result<Losses, TrainError> {
        let shards = self.shards(replay, draws, threads)?;
        let count = shards.len() as f64;
        let mut losses = Losses::mean(&shards.iter().map(|shard| shard.losses).collect::<Vec<_>>());
        let mut gradients = sum(shards.iter().map(|shard| &shard.gradients));
        let squares: f64 = gradients.iter().flatten().flatten().map(|&gradient| f64::from(gradient).powi(2)).sum();
        losses.gradient_norm = squares.sqrt() / count;
        if let Some(what) = losses.not_finite() {
            return Err(TrainError::NotFinite { what, step: self.steps + 1 });
        }
        let clip = (f64::from(self.config.gradient_clip) / losses.gradient_norm.max(f64::MIN_POSITIVE)).min(1.0);
        let scale = (clip / count) as f32;
        gradients.iter_mut().flatten().flatten().for_each(|gradient| *gradient *= scale);

        let mut assign =
            Assign { gradients: gradients.into_iter(), out: GradientsParams::new(), device: self.device.clone().inner() };
        self.network.visit(&mut assign);
        let rate = self.learning_rate(progress);
        let statistics: Vec<Vec<BatchStatistics>> = shards.into_iter().map(|shard| shard.statistics).collect();
        let stepped = self.optimizer.step(rate, self.network.clone(), assign.out);
        self.network = stepped.with_statistics(&statistics, self.config.norm_momentum);
        self.steps += 1;
        let decay = self.average_decay();
        self.average = self.average.take().map(|average| average.averaged_with(&self.network, decay));
        Ok(losses)
    }

    /// What the average keeps of itself after so many steps: little at first, so that it soon forgets what it began with.
    fn average_decay(&self) -> f64 {
        let steps = self.steps as f64;
        self.config.average.min((1.0 + steps) / (10.0 + steps))
    }

    /// Checks that no weight has become infinite or not a number.
    ///
    /// # Errors
    /// When one has.
    pub fn check(&self) -> Result<(), TrainError> {
        if is_finite(&self.network) { Ok(()) } else { Err(TrainError::NotFinite { what: "weight", step: self.steps }) }
    }

    /// The gradients of each shard, in order. Thread `t` of `n` computes shards `t`, `t + n`, ...
    fn shards(&self, replay: &Replay<G::State>, draws: &[Draw], threads: usize) -> Result<Vec<Shard>, WorkerPanic> {
        let parts: Vec<&[Draw]> = draws.chunks(draws.len().div_ceil(self.config.shards)).collect();
        let threads = threads.clamp(1, parts.len());
        let work = |thread: usize| -> Vec<Shard> {
            parts
                .iter()
                .skip(thread)
                .step_by(threads)
                .map(|part| self.shard(&Batch::new(self.game.as_ref(), self.architecture.value, replay, part)))
                .collect()
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let handles: Vec<_> = (1..threads).map(|thread| scope.spawn(move || work(thread))).collect();
            // A panic here is told like one of another thread.
            let own = catch_unwind(AssertUnwindSafe(|| work(0)));
            std::iter::once(own).chain(handles.into_iter().map(std::thread::ScopedJoinHandle::join)).collect()
        });
        let mut queues = Vec::with_capacity(threads);
        for result in results {
            queues.push(result.map_err(|cause| WorkerPanic::new("learner", &*cause))?.into_iter());
        }
        Ok((0..parts.len()).filter_map(|part| queues[part % threads].next()).collect())
    }

    fn shard(&self, batch: &Batch) -> Shard {
        let tensor = |array: &ndarray::Array2<f32>| -> Tensor<2> {
            Tensor::from_data(
                TensorData::new(array.iter().copied().collect::<Vec<f32>>(), [array.nrows(), array.ncols()]),
                &self.device,
            )
        };
        let (rows, depth, height, width) = batch.planes.dim();
        let planes = TensorData::new(batch.planes.iter().copied().collect::<Vec<f32>>(), [rows, depth, height, width]);
        // Leaves of its own: passes that share leaves share a tape, which the first backward pass uses up.
        let network = self.network.clone().fork(&self.device);
        let pass = network.forward_train(Tensor::from_data(planes, &self.device));
        let policy = loss::policy_cross_entropy(pass.policy, tensor(&batch.legal), tensor(&batch.policy));
        let value = loss::value_loss(self.architecture.value, pass.value, tensor(&batch.value));
        let plies_left = pass.plies_left.map(|share| loss::squared_error(share, tensor(&batch.plies_left), tensor(&batch.ended)));
        let reply = pass.reply.map(|logits| loss::policy_cross_entropy(logits, tensor(&batch.reply_legal), tensor(&batch.reply)));
        let mut total = policy.clone() + value.clone() * self.config.value_weight;
        for (loss, weight) in [(&plies_left, self.config.plies_left_weight), (&reply, self.config.reply_weight)] {
            if let Some(loss) = loss {
                total = total + loss.clone() * weight;
            }
        }
        let mut collect = Collect { source: total.backward(), gradients: Vec::new() };
        network.visit(&mut collect);
        let scalar = |loss: Tensor<1>| f64::from(loss.inner().into_data_as::<f32>().iter::<f32>().next().unwrap_or(f32::NAN));
        let losses = Losses {
            policy: scalar(policy),
            value: scalar(value),
            plies_left: plies_left.map(scalar),
            reply: reply.map(scalar),
            gradient_norm: 0.0,
        };
        Shard { gradients: collect.gradients, statistics: pass.statistics, losses }
    }
}

/// Has the C library's allocator, where it is the system's, keep what activations free for those of the next step: it returns memory to the
/// system, and faults it in again page by page, beyond twice the size of the largest block that was freed so far.
fn keep_freed_memory() {
    drop(std::hint::black_box(vec![0u8; 31 << 20]));
}

/// The update rule. Matrices and kernels decay; norms and biases, which have one dimension, do not.
fn optimizer(config: &LearnerConfig, network: &Network) -> ModuleOptimizer {
    struct Vectors(BTreeSet<ParamId>);
    impl ModuleVisitor for Vectors {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if D == 1 {
                self.0.insert(param.id);
            }
        }
    }
    let mut vectors = Vectors(BTreeSet::new());
    network.visit(&mut vectors);
    let group = ParamGroup::from_ids(vectors.0.into_iter().collect());
    match config.optimizer {
        OptimizerKind::AdamW => {
            let rule = |decay| AdamWConfig::new().with_epsilon(1e-8).with_weight_decay(decay).build();
            ModuleOptimizer::from(rule(config.weight_decay)).with_group(group, rule(0.0), None)
        }
        OptimizerKind::Sgd => {
            let momentum = MomentumConfig::new().with_momentum(config.momentum).with_dampening(0.0);
            let rule = |decay: Option<f32>| {
                SgdConfig::new()
                    .with_momentum(Some(momentum.clone()))
                    .with_weight_decay(decay.map(WeightDecayConfig::new))
                    .build()
            };
            ModuleOptimizer::from(rule(Some(config.weight_decay))).with_group(group, rule(None), None)
        }
    }
}

/// Takes the gradient of each parameter to the host, in the order of the module's parameters.
struct Collect {
    source: Gradients,
    gradients: Vec<Option<Vec<f32>>>,
}

impl ModuleVisitor for Collect {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let gradient = param.val().grad_remove(&mut self.source);
        self.gradients.push(gradient.map(|gradient| gradient.into_data_as::<f32>().iter::<f32>().collect()));
    }
}

/// The reverse: hands each parameter its gradient.
struct Assign {
    gradients: std::vec::IntoIter<Option<Vec<f32>>>,
    out: GradientsParams,
    device: Device,
}

impl ModuleVisitor for Assign {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = self.gradients.next().flatten() {
            let data = TensorData::new(gradient, param.val().dims());
            self.out.register(param.id, Tensor::<D>::from_data(data, &self.device));
        }
    }
}

/// The sum of the shards' gradients, added in their order.
fn sum<'a>(shards: impl Iterator<Item = &'a Vec<Option<Vec<f32>>>>) -> Vec<Option<Vec<f32>>> {
    let mut total: Vec<Option<Vec<f32>>> = Vec::new();
    for shard in shards {
        if total.is_empty() {
            total.clone_from(shard);
            continue;
        }
        for (sum, part) in total.iter_mut().zip(shard) {
            if let (Some(sum), Some(part)) = (sum, part) {
                sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            }
        }
    }
    total
}
