//! What a run tells: lines of `metrics.jsonl`, and progress for people.

use serde::Serialize;

use super::Symptom;
use crate::arena::{MatchResult, accuracy::Accuracy, agreement::Scores};

/// One line of `metrics.jsonl`, named by its `event` key.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The run begins.
    Started {
        /// The program's version.
        version: &'static str,
        /// The game.
        game: String,
        /// The seed.
        seed: u64,
        /// Worker threads.
        threads: usize,
        /// What decides the bits of its results: the device and its instructions.
        kernel: String,
        /// Numbers in the network, running statistics included.
        parameters: usize,
    },
    /// The run goes on after an interruption.
    Resumed {
        /// The program's version.
        version: &'static str,
        /// Iterations done.
        iteration: u32,
        /// Worker threads.
        threads: usize,
        /// What decides the bits of its results from here on.
        kernel: String,
        /// Whether keys of the configuration changed.
        changed: bool,
    },
    /// An iteration was played and learned.
    Iteration(Iteration),
    /// Something is not as it should be.
    Warning {
        /// The iteration after which it was told.
        iteration: u32,
        /// What.
        symptom: Symptom,
    },
    /// A judge measured the network.
    Evaluation {
        /// The iteration of the network.
        iteration: u32,
        /// Minutes of processor time that the run had taken when it began to measure this network, interruptions or not; absent where
        /// the system does not tell.
        #[serde(skip_serializing_if = "Option::is_none")]
        cpu_minutes: Option<f64>,
        /// What was found.
        #[serde(flatten)]
        finding: Finding,
    },
    /// The network became the best so far by its matches.
    Best {
        /// The iteration of the network.
        iteration: u32,
        /// Its share of the points over all matches.
        share: f64,
    },
    /// The run has ended as planned.
    Finished {
        /// Iterations done.
        iterations: u32,
        /// Seconds that the run took.
        seconds: f64,
    },
}

/// What an iteration did. Seconds are wall-clock time.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Iteration {
    /// Its number, from 1: also that of the network it published.
    pub iteration: u32,
    /// The share of the run that lay behind it when it began, which sets the learning rate.
    pub progress: f64,
    /// Seconds that the run had taken at its end; what an interruption undid does not count.
    pub seconds: f64,
    /// Seconds of self-play.
    pub self_play_seconds: f64,
    /// Seconds of learning.
    pub learn_seconds: f64,
    /// Seconds of all processor cores together in the whole iteration; absent where the system does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_seconds: Option<f64>,
    /// Games played.
    pub games: u64,
    /// Games played since the run began.
    pub total_games: u64,
    /// Positions that workers looked for in their memories of evaluations; like the next a measurement, which depends on the
    /// number of threads and counts only games played since the last interruption.
    pub cache_asked: u64,
    /// Those they found there.
    pub cache_found: u64,
    /// New positions to learn from.
    pub positions: usize,
    /// The share of new positions that differ from each other.
    pub distinct_share: f64,
    /// The share of games that differ from each other.
    pub distinct_games_share: f64,
    /// Positions in the window.
    pub window: usize,
    /// Mean length of a game, in plies.
    pub mean_plies: f64,
    /// The share of games the first player won, of those not cut short.
    pub first_win_share: f64,
    /// The share of games drawn, of those not cut short.
    pub draw_share: f64,
    /// Games cut at the longest length.
    pub unfinished: usize,
    /// Optimizer steps.
    pub steps: u64,
    /// Times that a position was drawn, for each new one.
    pub reuse: f64,
    /// The learning rate reached: that of the step to come, at this progress.
    pub learning_rate: f64,
    /// Mean policy loss, in nats; like the next ones absent where no step was made.
    pub policy_loss: f64,
    /// Mean value loss.
    pub value_loss: f64,
    /// What the value loss of the new positions would be if the network said the same of all of them.
    pub constant_value_loss: f64,
    /// Mean loss of the head `plies_left`, where the network has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies_left_loss: Option<f64>,
    /// Mean loss of the head `reply`, in nats, where the network has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_loss: Option<f64>,
    /// Mean norm of the gradient before clipping.
    pub gradient_norm: f64,
}

/// A measurement of a network.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Finding {
    /// Games against another player.
    Match {
        /// How the network played.
        player: String,
        /// Against whom.
        opponent: String,
        /// How it went.
        #[serde(flatten)]
        result: Box<MatchResult>,
    },
    /// A comparison with perfect play. It is told and nothing more.
    Accuracy {
        /// How the network chose.
        player: String,
        /// How well, over all positions.
        #[serde(flatten)]
        accuracy: Accuracy,
        /// The mean over the sets that the positions come from.
        mean: Box<Scores>,
    },
}

/// A part of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Playing games.
    SelfPlay,
    /// Optimizer steps.
    Learning,
    /// Games of evaluation.
    Evaluation,
}

/// Someone who is told what happens.
pub trait Observer: Sync {
    /// An event, after it was written.
    fn event(&self, event: &Event);

    /// Something a person should know that is no part of the run's course: a full disk, a damaged file.
    fn warn(&self, warning: &str);

    /// `done` of `total` units of a phase are done.
    fn progress(&self, phase: Phase, done: u64, total: u64);
}
