//! What types cannot say of a configuration.

use super::{Config, EvaluationConfig, LearnerConfig, ReplayConfig, RetentionConfig, SearchConfig, SelfPlayConfig, TrainConfig};
use crate::game::Facts;
use crate::net::{Architecture, NetworkConfig};

/// A configuration that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("configuration key {key} {problem}")]
pub struct InvalidConfig {
    key: &'static str,
    problem: String,
}

type Checked = Result<(), InvalidConfig>;

fn ensure(holds: bool, key: &'static str, problem: &str) -> Checked {
    if holds { Ok(()) } else { Err(InvalidConfig { key, problem: problem.to_owned() }) }
}

fn share(value: impl Into<f64>) -> bool {
    (0.0..=1.0).contains(&value.into())
}

fn positive(value: impl Into<f64>) -> bool {
    let value = value.into();
    value.is_finite() && value > 0.0
}

fn natural(value: impl Into<f64>) -> bool {
    let value = value.into();
    value.is_finite() && value >= 0.0
}

impl Config {
    /// Checks every value, and those that must fit each other.
    ///
    /// # Errors
    /// Names the first key whose value cannot be used, and what it should be.
    pub fn validate(&self, facts: &Facts) -> Result<(), InvalidConfig> {
        train(&self.train, facts)?;
        network(&self.network, facts)?;
        search(&self.search)?;
        self_play(&self.self_play, &self.search)?;
        replay(&self.replay)?;
        learner(&self.learner, &self.replay)?;
        evaluation(&self.evaluation, facts)?;
        retention(&self.retention)
    }
}

fn train(train: &TrainConfig, facts: &Facts) -> Checked {
    ensure(train.game == facts.id, "train.game", &format!("must be {:?} here; --game or --config choose the game", facts.id))?;
    ensure(train.iterations > 0, "train.iterations", "must be at least 1")
}

fn network(net: &NetworkConfig, facts: &Facts) -> Checked {
    ensure((1..=4096).contains(&net.channels), "network.channels", "must be from 1 to 4096")?;
    ensure(net.blocks <= 256, "network.blocks", "must be at most 256")?;
    ensure((1..=4096).contains(&net.policy_channels), "network.policy_channels", "must be from 1 to 4096")?;
    ensure((1..=4096).contains(&net.value_channels), "network.value_channels", "must be from 1 to 4096")?;
    ensure((1..=4096).contains(&net.value_hidden), "network.value_hidden", "must be from 1 to 4096")?;
    ensure(net.policy_hidden <= 4096, "network.policy_hidden", "must be at most 4096")?;
    let names_once = |head| net.auxiliary.iter().filter(|other| *other == head).count() == 1;
    ensure(net.auxiliary.iter().all(names_once), "network.auxiliary", "must be a list that names no head twice")?;
    ensure(
        Architecture::new(facts, net).parameters() <= Architecture::MOST_PARAMETERS,
        "network.channels",
        &format!("must be less beside these other sizes: a network has at most {} numbers", Architecture::MOST_PARAMETERS),
    )
}

fn search(search: &SearchConfig) -> Checked {
    ensure(natural(search.c_puct), "search.c_puct", "must be a number of at least 0")?;
    ensure(natural(search.fpu_reduction), "search.fpu_reduction", "must be a number of at least 0")?;
    ensure(natural(search.root_fpu_reduction), "search.root_fpu_reduction", "must be a number of at least 0")
}

fn self_play(play: &SelfPlayConfig, search: &SearchConfig) -> Checked {
    ensure((1..=1_000_000).contains(&play.games), "self_play.games", "must be from 1 to 1000000")?;
    ensure((1..=10_000_000).contains(&play.simulations), "self_play.simulations", "must be from 1 to 10000000")?;
    ensure((1..=1_000_000).contains(&play.lockstep), "self_play.lockstep", "must be from 1 to 1000000")?;
    ensure((1..=65536).contains(&play.batch), "self_play.batch", "must be from 1 to 65536")?;
    ensure(play.cache <= 1 << 26, "self_play.cache", "must be at most 67108864")?;
    ensure(positive(play.noise_alpha), "self_play.noise_alpha", "must be a number above 0")?;
    ensure(share(play.noise_weight), "self_play.noise_weight", "must be from 0 to 1")?;
    ensure(natural(play.temperature), "self_play.temperature", "must be a number of at least 0")?;
    ensure(natural(play.final_temperature), "self_play.final_temperature", "must be a number of at least 0")?;
    ensure(share(play.random_share), "self_play.random_share", "must be from 0 to 1")?;
    ensure(
        play.random_share == 0.0 || play.random_plies > 0,
        "self_play.random_plies",
        "must be at least 1 where random_share is not 0",
    )?;
    ensure(share(play.archive_share), "self_play.archive_share", "must be from 0 to 1")?;
    ensure((1..=1 << 20).contains(&play.archive), "self_play.archive", "must be from 1 to 1048576")?;
    ensure(share(play.exploration), "self_play.exploration", "must be from 0 to 1")?;
    ensure(share(play.final_exploration), "self_play.final_exploration", "must be from 0 to 1")?;
    ensure(positive(play.policy_temperature), "self_play.policy_temperature", "must be a number above 0")?;
    ensure(natural(play.forced_playouts), "self_play.forced_playouts", "must be a number of at least 0")?;
    ensure(!play.end_proven || search.solve, "self_play.end_proven", "must be false where search.solve is not true")?;
    gumbel(play)?;
    simulations(play)
}

fn gumbel(play: &SelfPlayConfig) -> Checked {
    ensure(share(play.noise_shape), "self_play.noise_shape", "must be from 0 to 1")?;
    ensure(natural(play.gumbel_visit_scale), "self_play.gumbel_visit_scale", "must be a number of at least 0")?;
    ensure(natural(play.gumbel_value_scale), "self_play.gumbel_value_scale", "must be a number of at least 0")?;
    let is_off = play.gumbel_moves == 0;
    ensure(is_off || play.noise_shape == 0.0, "self_play.noise_shape", "must be 0.0 where gumbel_moves is not 0")?;
    ensure(is_off || play.policy_temperature == 1.0, "self_play.policy_temperature", "must be 1.0 where gumbel_moves is not 0")?;
    ensure(is_off || play.forced_playouts == 0.0, "self_play.forced_playouts", "must be 0.0 where gumbel_moves is not 0")
}

fn simulations(play: &SelfPlayConfig) -> Checked {
    ensure((0.0..1.0).contains(&play.fast_share), "self_play.fast_share", "must be at least 0 and below 1")?;
    ensure(
        play.fast_share == 0.0 || (1..=play.simulations).contains(&play.fast_simulations),
        "self_play.fast_simulations",
        "must be from 1 to self_play.simulations where fast_share is not 0",
    )?;
    ensure(
        play.first_simulations <= play.simulations,
        "self_play.first_simulations",
        "must be at most self_play.simulations, or 0 for as many from the start",
    )?;
    let full = play.full_simulations_at;
    ensure(positive(full) && full <= 1.0, "self_play.full_simulations_at", "must be above 0 and at most 1")
}

fn replay(replay: &ReplayConfig) -> Checked {
    ensure((1..=1 << 31).contains(&replay.window), "replay.window", "must be from 1 to 2147483648")?;
    ensure(positive(replay.reuse), "replay.reuse", "must be a number above 0")?;
    ensure(share(replay.search_value), "replay.search_value", "must be from 0 to 1")?;
    ensure(replay.max_uses > 0, "replay.max_uses", "must be at least 1")?;
    ensure(share(replay.lambda), "replay.lambda", "must be from 0 to 1")?;
    ensure((0.0..1.0).contains(&replay.surprise), "replay.surprise", "must be at least 0 and below 1")?;
    ensure(share(replay.window_share), "replay.window_share", "must be from 0 to 1")?;
    ensure(
        replay.window_share == 0.0 || (1..=replay.window).contains(&replay.least_window),
        "replay.least_window",
        "must be from 1 to replay.window",
    )
}

fn learner(learn: &LearnerConfig, replay: &ReplayConfig) -> Checked {
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
    ensure(natural(learn.weight_decay), "learner.weight_decay", "must be a number of at least 0")?;
    ensure(positive(learn.gradient_clip), "learner.gradient_clip", "must be a number above 0")?;
    ensure(natural(learn.value_weight), "learner.value_weight", "must be a number of at least 0")?;
    ensure(share(learn.norm_momentum), "learner.norm_momentum", "must be from 0 to 1")?;
    ensure((0.0..1.0).contains(&learn.average), "learner.average", "must be at least 0 and below 1")?;
    ensure(natural(learn.plies_left_weight), "learner.plies_left_weight", "must be a number of at least 0")?;
    ensure(natural(learn.reply_weight), "learner.reply_weight", "must be a number of at least 0")?;
    ensure(
        learn.batch <= replay.window.saturating_mul(replay.max_uses.into()),
        "learner.batch",
        "must be at most replay.window times replay.max_uses",
    )
}

fn evaluation(evaluation: &EvaluationConfig, facts: &Facts) -> Checked {
    ensure(
        evaluation.opening_plies < facts.max_plies,
        "evaluation.opening_plies",
        &format!("must be below {}, the longest length of a game", facts.max_plies),
    )?;
    ensure(evaluation.every > 0, "evaluation.every", "must be at least 1")?;
    ensure((1..=1_000_000).contains(&evaluation.games), "evaluation.games", "must be from 1 to 1000000")?;
    ensure(evaluation.simulations > 0, "evaluation.simulations", "must be at least 1")
}

fn retention(retention: &RetentionConfig) -> Checked {
    ensure(retention.networks > 0, "retention.networks", "must be at least 1")?;
    ensure(retention.milestones > 0, "retention.milestones", "must be at least 1")?;
    ensure(retention.games > 0, "retention.games", "must be at least 1")
}
