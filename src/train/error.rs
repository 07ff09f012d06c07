//! How a run can end before its time.

use std::any::Any;
use std::path::PathBuf;

use crate::arena::panic_message;
use crate::net::CheckpointError;
use crate::storage::StorageError;

/// Why a run ended.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The folder is in use.
    #[error("{} already holds a run: choose another folder with --run", .0.display())]
    Exists(PathBuf),
    /// A file could not be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A network could not be saved.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A thread panicked.
    #[error(transparent)]
    Worker(#[from] WorkerPanic),
    /// Training diverged.
    #[error(
        "the {what} is not finite by optimizer step {step}: lower learner.learning_rate or learner.gradient_clip; the last network saved is intact"
    )]
    NotFinite {
        /// What is not finite.
        what: &'static str,
        /// The optimizer step, from 1.
        step: u64,
    },
    /// A judge could not do its work.
    #[error("the network could not be measured: {0}")]
    Judge(String),
}

/// A worker thread panicked, which is a bug; its message says where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a {role} worker failed: {cause}")]
pub struct WorkerPanic {
    role: &'static str,
    cause: String,
}

impl WorkerPanic {
    /// From what `catch_unwind` or `join` gave.
    #[must_use]
    pub fn new(role: &'static str, payload: &(dyn Any + Send)) -> Self {
        Self { role, cause: panic_message(payload) }
    }
}
