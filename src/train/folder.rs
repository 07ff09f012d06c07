//! A run on disk: where each file of a run lies.
//!
//! ```text
//! <run>/config.toml            the whole configuration
//!       metrics.jsonl          one event a line, append-only
//!       games/00001.games      the games of iteration 1
//!       nets/00001.safetensors the network that iteration 1 published; 00000 is the fresh one
//!       nets/latest.safetensors, nets/best.safetensors
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{Event, TrainError};
use crate::storage::{StorageError, System, write_atomic};

/// The folder of a run.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    metrics: File,
}

impl Folder {
    /// Makes the folder and writes the configuration to it.
    ///
    /// # Errors
    /// When it already holds a run, or cannot be written.
    pub fn create(path: &Path, config: &str) -> Result<Self, TrainError> {
        if Self::holds_run(path) {
            return Err(TrainError::Exists(path.to_owned()));
        }
        for part in ["nets", "games"] {
            let part = path.join(part);
            fs::create_dir_all(&part).map_err(StorageError::io("write", &part))?;
        }
        // Of two runs that are begun at once in one folder, one makes this file.
        let metrics = path.join("metrics.jsonl");
        let metrics =
            OpenOptions::new().append(true).create_new(true).open(&metrics).map_err(StorageError::io("write", &metrics))?;
        write_atomic(&System, &path.join("config.toml"), config.as_bytes())?;
        Ok(Self { path: path.to_owned(), metrics })
    }

    /// Whether there is anything of a run in `path`.
    #[must_use]
    pub fn holds_run(path: &Path) -> bool {
        ["config.toml", "metrics.jsonl", "nets", "games"].iter().any(|part| path.join(part).exists())
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The network that an iteration published.
    #[must_use]
    pub fn net(&self, iteration: u32) -> PathBuf {
        self.path.join("nets").join(format!("{iteration:05}.safetensors"))
    }

    /// A copy of the newest network.
    #[must_use]
    pub fn latest(&self) -> PathBuf {
        self.path.join("nets").join("latest.safetensors")
    }

    /// A copy of the network that did best in its matches.
    #[must_use]
    pub fn best(&self) -> PathBuf {
        self.path.join("nets").join("best.safetensors")
    }

    /// The games of an iteration.
    #[must_use]
    pub fn games(&self, iteration: u32) -> PathBuf {
        self.path.join("games").join(format!("{iteration:05}.games"))
    }

    /// Appends an event to `metrics.jsonl`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn log(&self, event: &Event) -> Result<(), StorageError> {
        let path = self.path.join("metrics.jsonl");
        let mut line = serde_json::to_string(event).map_err(|error| StorageError::damaged(&path, error.to_string()))?;
        line.push('\n');
        (&self.metrics).write_all(line.as_bytes()).map_err(StorageError::io("write", &path))
    }
}
