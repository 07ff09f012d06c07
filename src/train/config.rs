//! Everything a run is a function of. One struct is one section of the TOML file; the shipped files hold the defaults.

use serde::{Deserialize, Serialize};

use crate::game::Facts;
use crate::net::{Architecture, NetworkConfig};
use crate::search::mcts::Rule;

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

    /// The selection rule for play: the root has no first-play urgency of its own.
    #[must_use]
    pub fn play_rule(&self) -> Rule {
        let Self { c_puct, fpu_reduction, solve, .. } = *self;
        Rule::Puct { c_puct, fpu_reduction, root_fpu_reduction: fpu_reduction, solve }
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
    /// Temperature of the root's priors, applied before the noise.
    #[serde(skip_serializing_if = "is_neutral")]
    pub policy_temperature: f32,
    /// How much visits at the root are forced, and taken off the policy target; 0 for not at all.
    #[serde(skip_serializing_if = "is_off")]
    pub forced_playouts: f32,
    /// Whether a game ends once its position is proven.
    #[serde(skip_serializing_if = "is_off")]
    pub end_proven: bool,
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

/// A configuration that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("configuration key {key} {problem}")]
pub struct InvalidConfig {
    key: &'static str,
    problem: String,
}

impl Config {
    /// Checks what types cannot say.
    ///
    /// # Errors
    /// Names the first key whose value cannot be used, and what it should be.
    pub fn validate(&self, facts: &Facts) -> Result<(), InvalidConfig> {
        let ensure = |holds: bool, key: &'static str, problem: &str| {
            if holds { Ok(()) } else { Err(InvalidConfig { key, problem: problem.to_owned() }) }
        };
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let natural = |value: f64| value.is_finite() && value >= 0.0;
        let (net, play, learn) = (&self.network, &self.self_play, &self.learner);
        ensure(
            self.train.game == facts.id,
            "train.game",
            &format!("must be {:?} here; --game or --config choose the game", facts.id),
        )?;
        ensure(self.train.iterations > 0, "train.iterations", "must be at least 1")?;
        ensure((1..=4096).contains(&net.channels), "network.channels", "must be from 1 to 4096")?;
        ensure(net.blocks <= 256, "network.blocks", "must be at most 256")?;
        ensure((1..=4096).contains(&net.policy_channels), "network.policy_channels", "must be from 1 to 4096")?;
        ensure((1..=4096).contains(&net.value_channels), "network.value_channels", "must be from 1 to 4096")?;
        ensure((1..=4096).contains(&net.value_hidden), "network.value_hidden", "must be from 1 to 4096")?;
        ensure(
            Architecture::new(facts, net).parameters() <= Architecture::MOST_PARAMETERS,
            "network.channels",
            &format!("must be less beside these other sizes: a network has at most {} numbers", Architecture::MOST_PARAMETERS),
        )?;
        ensure(natural(self.search.c_puct.into()), "search.c_puct", "must be a number of at least 0")?;
        ensure(natural(self.search.fpu_reduction.into()), "search.fpu_reduction", "must be a number of at least 0")?;
        ensure(natural(self.search.root_fpu_reduction.into()), "search.root_fpu_reduction", "must be a number of at least 0")?;
        ensure((1..=1_000_000).contains(&play.games), "self_play.games", "must be from 1 to 1000000")?;
        ensure((1..=10_000_000).contains(&play.simulations), "self_play.simulations", "must be from 1 to 10000000")?;
        ensure((1..=1_000_000).contains(&play.lockstep), "self_play.lockstep", "must be from 1 to 1000000")?;
        ensure((1..=65536).contains(&play.batch), "self_play.batch", "must be from 1 to 65536")?;
        ensure(play.cache <= 1 << 26, "self_play.cache", "must be at most 67108864")?;
        ensure(positive(play.noise_alpha.into()), "self_play.noise_alpha", "must be a number above 0")?;
        ensure(share(play.noise_weight.into()), "self_play.noise_weight", "must be from 0 to 1")?;
        ensure(natural(play.temperature.into()), "self_play.temperature", "must be a number of at least 0")?;
        ensure(natural(play.final_temperature.into()), "self_play.final_temperature", "must be a number of at least 0")?;
        ensure(share(play.random_share.into()), "self_play.random_share", "must be from 0 to 1")?;
        ensure(
            play.random_share == 0.0 || play.random_plies > 0,
            "self_play.random_plies",
            "must be at least 1 where random_share is not 0",
        )?;
        ensure(positive(play.policy_temperature.into()), "self_play.policy_temperature", "must be a number above 0")?;
        ensure(natural(play.forced_playouts.into()), "self_play.forced_playouts", "must be a number of at least 0")?;
        ensure(!play.end_proven || self.search.solve, "self_play.end_proven", "must be false where search.solve is not true")?;
        ensure((1..=1 << 31).contains(&self.replay.window), "replay.window", "must be from 1 to 2147483648")?;
        ensure(positive(self.replay.reuse.into()), "replay.reuse", "must be a number above 0")?;
        ensure(share(self.replay.search_value.into()), "replay.search_value", "must be from 0 to 1")?;
        ensure(self.replay.max_uses > 0, "replay.max_uses", "must be at least 1")?;
        ensure(
            learn.shards > 0 && learn.batch >= learn.shards,
            "learner.batch",
            "must be at least learner.shards, which must be at least 1",
        )?;
        ensure(learn.batch <= 1_000_000, "learner.batch", "must be at most 1000000")?;
        ensure(learn.batch.is_multiple_of(learn.shards), "learner.batch", "must be a multiple of learner.shards")?;
        ensure(positive(learn.learning_rate), "learner.learning_rate", "must be a number above 0")?;
        ensure(share(learn.decay_from), "learner.decay_from", "must be from 0 to 1")?;
        ensure(share(learn.final_rate), "learner.final_rate", "must be from 0 to 1")?;
        ensure((0.0..1.0).contains(&learn.momentum), "learner.momentum", "must be at least 0 and below 1")?;
        ensure(natural(learn.weight_decay.into()), "learner.weight_decay", "must be a number of at least 0")?;
        ensure(positive(learn.gradient_clip.into()), "learner.gradient_clip", "must be a number above 0")?;
        ensure(natural(learn.value_weight.into()), "learner.value_weight", "must be a number of at least 0")?;
        ensure(share(learn.norm_momentum), "learner.norm_momentum", "must be from 0 to 1")?;
        ensure(
            learn.batch <= self.replay.window.saturating_mul(self.replay.max_uses.into()),
            "learner.batch",
            "must be at most replay.window times replay.max_uses",
        )?;
        ensure(
            self.evaluation.opening_plies < facts.max_plies,
            "evaluation.opening_plies",
            &format!("must be below {}, the longest length of a game", facts.max_plies),
        )?;
        ensure(self.evaluation.every > 0, "evaluation.every", "must be at least 1")?;
        ensure((1..=1_000_000).contains(&self.evaluation.games), "evaluation.games", "must be from 1 to 1000000")?;
        ensure(self.evaluation.simulations > 0, "evaluation.simulations", "must be at least 1")?;
        ensure(self.retention.networks > 0, "retention.networks", "must be at least 1")?;
        ensure(self.retention.milestones > 0, "retention.milestones", "must be at least 1")?;
        ensure(self.retention.games > 0, "retention.games", "must be at least 1")
    }
}
