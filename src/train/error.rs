//! How a run can end before its time.

use std::any::Any;
use std::path::PathBuf;

use super::MAY_CHANGE;
use crate::arena::panic_message;
use crate::config::ConfigError;
use crate::net::{CheckpointError, NetworkConfig};
use crate::storage::StorageError;

/// Why a run ended.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The folder is in use.
    #[error("{} already holds a run: choose another folder with --run", .0.display())]
    Exists(PathBuf),
    /// Networks or games are there, and not the state to go on from.
    #[error("{} has networks or games, and no state to go on from; begin another run with `train --from` its latest network", .0.display())]
    Stateless(PathBuf),
    /// There is nothing to go on with.
    #[error("{} holds no run: there is no config.toml in it", .0.display())]
    Missing(PathBuf),
    /// A key that may not change when a run is resumed.
    #[error("{0} cannot change when a run is resumed; begin another run with `train --from NET --set {0}=...`, or keep it. May change: {may_change}", may_change = MAY_CHANGE.join(", "))]
    Fixed(String),
    /// The configuration cannot be compared with the one before.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The results would not be the same to the bit.
    #[error(
        "the run was made with {before}, and this is {now}: go on with --allow-kernel-change, knowing that it will not be the same to the bit"
    )]
    Kernel {
        /// What it was made with.
        before: String,
        /// What there is here.
        now: String,
    },
    /// A network to begin with has another shape than the configuration asks for.
    #[error(
        "the network to begin with has other sizes than the [network] section asks for: leave that section out, or make it {0}"
    )]
    Shape(NetworkConfig),
    /// A limit of processor time where the system does not tell it.
    #[error("this system does not tell how long processor cores were at work, which --cpu-minutes needs: use --minutes")]
    NoProcessorTime,
    /// Somebody asked the run to stop; everything up to here is saved.
    #[error("interrupted")]
    Interrupted,
    /// Games that are damaged or gone cannot be played again.
    #[error("{games}; to play its games again, {network}. Put one of these files back in its place")]
    Lost {
        /// What is wrong with the games.
        games: Box<StorageError>,
        /// What is wrong with the network that played them.
        network: Box<CheckpointError>,
    },
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
        "the {what} is not finite by optimizer step {step}: go on from the last network with a lower rate, by `train --resume` with `--set learner.learning_rate=...` or `--set learner.gradient_clip=...`"
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

impl TrainError {
    /// Whether the user can mend it by giving something else.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        match self {
            TrainError::Exists(_)
            | TrainError::Missing(_)
            | TrainError::Stateless(_)
            | TrainError::Fixed(_)
            | TrainError::Config(_)
            | TrainError::Kernel { .. }
            | TrainError::Shape(_)
            | TrainError::Lost { .. }
            | TrainError::NoProcessorTime
            | TrainError::Checkpoint(_) => true,
            TrainError::Storage(error) => !matches!(error, StorageError::Io { .. }),
            TrainError::Interrupted | TrainError::Worker(_) | TrainError::NotFinite { .. } | TrainError::Judge(_) => false,
        }
    }
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
