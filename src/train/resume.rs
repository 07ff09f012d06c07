//! What may be different when a run goes on.

use super::TrainError;
use crate::config::differences;

/// The keys, or beginnings of keys, that may change when a run is resumed: how long it is, how fast it learns, how it is measured, what
/// stays on disk, and what changes nothing but speed. Everything else is what the run's past is made of.
pub const MAY_CHANGE: [&str; 10] = [
    "train.iterations",
    "train.device",
    "self_play.lockstep",
    "self_play.cache",
    "learner.learning_rate",
    "learner.decay_from",
    "learner.final_rate",
    "learner.gradient_clip",
    "evaluation.",
    "retention.",
];

/// Whether a run made with one configuration (TOML) may go on with another; whether anything changed.
///
/// # Errors
/// When a key differs that may not, which is named, and when one of them is not TOML.
pub fn check_changes(before: &str, after: &str) -> Result<bool, TrainError> {
    let changed = differences(before, after)?;
    match changed.iter().find(|key| !MAY_CHANGE.iter().any(|free| key.starts_with(free))) {
        Some(key) => Err(TrainError::Fixed(key.clone())),
        None => Ok(!changed.is_empty()),
    }
}
