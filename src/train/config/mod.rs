//! Everything a run is a function of. One struct is one section of the TOML file; the shipped files hold the defaults.

mod in_force;
mod validate;

use serde::{Deserialize, Serialize};

use crate::net::NetworkConfig;
use crate::search::mcts::Rule;

pub use validate::InvalidConfig;

/// A whole configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What is trained, and for how long.
    pub train: TrainConfig,
    /// The network's sizes.
    pub network: NetworkConfig,
    /// How a tree is searched, in self-play and in evaluation.
    pub search: SearchConfig,
    /// How games are made.
    pub self_play: SelfPlayConfig,
    /// Which positions are learned from.
    pub replay: ReplayConfig,
    /// How they are learned.
    pub learner: LearnerConfig,
    /// How new networks are measured.
    pub evaluation: EvaluationConfig,
    /// Which files of past iterations stay.
    pub retention: RetentionConfig,
}

/// The `[train]` section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// The game.
    pub game: String,
    /// The seed of every random stream of the run.
    pub seed: u64,
    /// Iterations of self-play, learning and publishing a network.
    pub iterations: u32,
    /// Where tensors live: `cpu`, or what a cargo feature added.
    pub device: String,
}

/// The `[search]` section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// The weight of exploration.
    pub c_puct: f32,
    /// First-play urgency reduction, in utilities.
    pub fpu_reduction: f32,
    /// The same at the root.
    pub root_fpu_reduction: f32,
    /// Whether the tree keeps proofs and heeds them (MCTS-Solver).
    #[serde(skip_serializing_if = "is_off")]
    pub solve: bool,
}

/// Whether a method is off. It is then left out of what games are said to be a function of, so that games made before there was
/// such a method are still theirs.
fn is_off<T: Default + PartialEq>(method: &T) -> bool {
    *method == T::default()
}

/// The same of a temperature.
fn is_neutral(temperature: &f32) -> bool {
    *temperature == 1.0
}

impl SearchConfig {
    /// The selection rule.
    #[must_use]
    pub fn rule(&self) -> Rule {
        let Self { c_puct, fpu_reduction, root_fpu_reduction, solve } = *self;
        Rule::Puct { c_puct, fpu_reduction, root_fpu_reduction, solve }
    }

    /// The selection rule for play: the root has no first-play urgency of its own, and what is proven counts.
    #[must_use]
    pub fn play_rule(&self) -> Rule {
        let Self { c_puct, fpu_reduction, .. } = *self;
        Rule::Puct { c_puct, fpu_reduction, root_fpu_reduction: fpu_reduction, solve: true }
    }
}

/// The `[self_play]` section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayConfig {
    /// Games an iteration.
    pub games: u32,
    /// Simulations a move.
    pub simulations: u32,
    /// Games that one worker steps in lockstep.
    pub lockstep: usize,
    /// Positions an inference: the fixed batch size.
    pub batch: usize,
    /// Evaluations that one worker remembers.
    pub cache: usize,
    /// Concentration of the Dirichlet noise at the root.
    pub noise_alpha: f32,
    /// Its share in the root's priors.
    pub noise_weight: f32,
    /// Temperature of the moves before `temperature_plies`.
    pub temperature: f32,
    /// Plies after which moves are played at `final_temperature`, counted from the start of the game, random ones included.
    pub temperature_plies: u32,
    /// Temperature of later moves.
    pub final_temperature: f32,
    /// The share of games that start after uniformly random plies.
    pub random_share: f32,
    /// The most random plies such a game starts with; their number is uniform from one.
    pub random_plies: u32,
    /// Whether random plies let nobody win at once.
    #[serde(skip_serializing_if = "is_off")]
    pub random_safe: bool,
    /// The share of games that start at positions of earlier games in which the search surprised the network.
    #[serde(skip_serializing_if = "is_off")]
    pub archive_share: f32,
    /// How many such positions are kept.
    pub archive: usize,
    /// The share of moves before `temperature_plies` that are drawn evenly from those not proven to lose.
    #[serde(skip_serializing_if = "is_off")]
    pub exploration: f32,
    /// The same of later moves.
    #[serde(skip_serializing_if = "is_off")]
    pub final_exploration: f32,
    /// Temperature of the root's priors, applied before the noise.
    #[serde(skip_serializing_if = "is_neutral")]
    pub policy_temperature: f32,
    /// How much visits at the root are forced, and taken off the policy target; 0 for not at all.
    #[serde(skip_serializing_if = "is_off")]
    pub forced_playouts: f32,
    /// Whether a game ends once its position is proven.
    #[serde(skip_serializing_if = "is_off")]
    pub end_proven: bool,
    /// The share of the noise's concentration that goes by the priors; 0 spreads it evenly.
    #[serde(skip_serializing_if = "is_off")]
    pub noise_shape: f32,
    /// The most moves that sequential halving considers at the root; 0 leaves the root to PUCT and noise.
    #[serde(skip_serializing_if = "is_off")]
    pub gumbel_moves: u32,
    /// The visits that sequential halving adds to those of the most visited move when it scales values.
    #[serde(skip_serializing_if = "is_off")]
    pub gumbel_visit_scale: f32,
    /// The weight of values, from -1 to 1, beside logits in sequential halving.
    #[serde(skip_serializing_if = "is_off")]
    pub gumbel_value_scale: f32,
    /// The share of moves that are searched fast and not learned from.
    #[serde(skip_serializing_if = "is_off")]
    pub fast_share: f32,
    /// Simulations of a fast move.
    #[serde(skip_serializing_if = "is_off")]
    pub fast_simulations: u32,
    /// Simulations a move when the run begins; 0 for as many as ever.
    #[serde(skip_serializing_if = "is_off")]
    pub first_simulations: u32,
    /// The progress of the run, in (0, 1], from which on `simulations` are made.
    #[serde(skip_serializing_if = "is_off")]
    pub full_simulations_at: f64,
}

/// The `[replay]` section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayConfig {
    /// Positions in the sliding window.
    pub window: usize,
    /// How often each new position is trained on, on average: fixes the optimizer steps of an iteration.
    pub reuse: f32,
    /// The share of the search's own value in the value target; the rest is how the game ended.
    pub search_value: f32,
    /// How often any position may be trained on at most.
    pub max_uses: u16,
    /// How much of what is expected after a ply is expected before it; the rest is what the search after the ply thought.
    pub lambda: f32,
    /// Whether what comes after a ply that gave something away says nothing about the position before it.
    pub cut_exploratory: bool,
    /// Whether value targets keep the search's chances of a draw, instead of the fewest losses that go with its value.
    pub tell_draws: bool,
    /// The share of a game's weight that goes by how surprising its positions were.
    pub surprise: f32,
    /// How many proven positions of a game are learned from; 0 for all.
    pub proven_positions: u32,
    /// Whether equal positions of the window are seen with the mean of their targets, and together count as the square root of their number.
    pub average_duplicates: bool,
    /// The share of all positions of the run that the window holds, at least `least_window` and at most `window`; 0 for as many as `window`.
    pub window_share: f64,
    /// The least size of a window that grows.
    pub least_window: usize,
}

impl ReplayConfig {
    /// The size of the window once the run has given so many positions.
    #[must_use]
    pub fn window_after(&self, positions: u64) -> usize {
        if self.window_share > 0.0 {
            ((positions as f64 * self.window_share) as usize).max(self.least_window).min(self.window)
        } else {
            self.window
        }
    }
}

/// The update rule of the `[learner]` section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerKind {
    /// Adam with decoupled weight decay (Loshchilov and Hutter 2019).
    AdamW,
    /// Stochastic gradient descent with momentum.
    Sgd,
}

/// The `[learner]` section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnerConfig {
    /// The update rule.
    pub optimizer: OptimizerKind,
    /// Positions an optimizer step.
    pub batch: usize,
    /// Parts of a batch whose gradients are computed apart and summed in order, on as many threads as there are.
    pub shards: usize,
    /// The learning rate after warm-up and before decay.
    pub learning_rate: f64,
    /// Steps over which the learning rate rises from zero.
    pub warmup_steps: u64,
    /// The progress of the run, in [0, 1], at which the learning rate starts to fall along a cosine.
    pub decay_from: f64,
    /// What is left of the learning rate at the end of the run.
    pub final_rate: f64,
    /// Momentum, for SGD.
    pub momentum: f64,
    /// Weight decay of matrices and kernels; norms and biases have none.
    pub weight_decay: f32,
    /// The largest norm of the whole gradient.
    pub gradient_clip: f32,
    /// The weight of the value loss beside the policy loss.
    pub value_weight: f32,
    /// How fast running statistics of batch normalisation follow a batch.
    pub norm_momentum: f64,
    /// What the average of the weights keeps of itself a step; 0 where none is kept.
    pub average: f64,
    /// The weight of the loss of the head `plies_left`, where the network has it.
    pub plies_left_weight: f32,
    /// The weight of the loss of the head `reply`, where the network has it.
    pub reply_weight: f32,
}

/// The `[evaluation]` section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationConfig {
    /// Iterations between evaluations; the last network is always evaluated.
    pub every: u32,
    /// Opponents, as agent specifications.
    pub opponents: Vec<String>,
    /// Games against each.
    pub games: usize,
    /// Random plies of the openings they start from; longer ones where too few of these are distinct.
    pub opening_plies: usize,
    /// Simulations a move of the network.
    pub simulations: u32,
}

/// The `[retention]` section. The first, the latest and the best network always stay, and the games that the window holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetentionConfig {
    /// The newest networks that stay.
    pub networks: u32,
    /// Of older networks every so-many-th stays.
    pub milestones: u32,
    /// The newest iterations whose games stay.
    pub games: u32,
}
