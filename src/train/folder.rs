//! A run on disk: where each file of a run lies, and that one process at a time works there.
//!
//! ```text
//! <run>/config.toml            the whole configuration
//!       metrics.jsonl          one event a line, append-only
//!       games/00001.games      the games of iteration 1, once all are played; until then 00001.playing
//!       nets/00001.safetensors the network that iteration 1 published; 00000 is the one it began with
//!       nets/latest.safetensors, nets/best.safetensors
//!       state/run.state        what resuming needs
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::TrainError;
use crate::storage::{Disk, Lock, PARTIAL, StorageError};

/// The folder of a run, held by this process.
pub struct Folder {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    _lock: Lock,
}

impl Folder {
    /// Makes the folder of a new run.
    ///
    /// # Errors
    /// When it already holds a run, another process works there, or it cannot be made.
    pub fn create(path: &Path, disk: Arc<dyn Disk>) -> Result<Self, TrainError> {
        // Before the folder is touched; and again when nobody else can touch it.
        refuse_remains(path)?;
        for part in ["nets", "games", "state"] {
            let part = path.join(part);
            disk.create_folder(&part).map_err(StorageError::io("write", &part))?;
        }
        let folder = Self { path: path.to_owned(), disk, _lock: Lock::take(path)? };
        refuse_remains(path)?;
        Ok(folder)
    }

    /// Opens the folder of a run to go on with it. What a crash left half-written is removed.
    ///
    /// # Errors
    /// When it holds no run, or another process works there.
    pub fn open(path: &Path, disk: Arc<dyn Disk>) -> Result<Self, TrainError> {
        if !Self::holds_run(path) {
            return Err(TrainError::Missing(path.to_owned()));
        }
        let folder = Self { path: path.to_owned(), disk, _lock: Lock::take(path)? };
        for part in [path.to_owned(), path.join("nets"), path.join("games"), path.join("state")] {
            folder.disk.create_folder(&part).map_err(StorageError::io("write", &part))?;
            for leftover in list(&part)?.into_iter().filter(|name| is_leftover(name)) {
                folder.remove(&part.join(leftover))?;
            }
        }
        Ok(folder)
    }

    /// Whether `path` is the folder of a run: its configuration is written once the run has a network to begin with.
    #[must_use]
    pub fn holds_run(path: &Path) -> bool {
        path.join("config.toml").exists()
    }

    /// Whether nothing was played or learned here yet.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn is_new(&self) -> Result<bool, TrainError> {
        match refuse_progress(&self.path) {
            Ok(()) => Ok(true),
            Err(TrainError::Exists(path)) => Err(TrainError::Stateless(path)),
            Err(error) => Err(error),
        }
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How its files are changed.
    #[must_use]
    pub fn disk(&self) -> &dyn Disk {
        self.disk.as_ref()
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.path.join("config.toml")
    }

    /// The events.
    #[must_use]
    pub fn metrics(&self) -> PathBuf {
        self.path.join("metrics.jsonl")
    }

    /// What resuming needs.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.path.join("state").join("run.state")
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

    /// The games of an iteration while they are played.
    #[must_use]
    pub fn playing(&self, iteration: u32) -> PathBuf {
        self.path.join("games").join(format!("{iteration:05}.playing"))
    }

    /// The iterations of which `part` (`nets` or `games`) holds a file with this ending, in order.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn iterations(&self, part: &str, ending: &str) -> Result<Vec<u32>, StorageError> {
        let names = list(&self.path.join(part))?;
        let mut found: Vec<u32> = names.iter().filter_map(|name| name.strip_suffix(ending)?.parse().ok()).collect();
        found.sort_unstable();
        Ok(found)
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove(&self, path: &Path) -> Result<(), StorageError> {
        match self.disk.remove(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(StorageError::io("remove", path)(error)),
            _ => Ok(()),
        }
    }

    /// Puts a damaged file out of the way, for its owner to look at; returns its new name.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn quarantine(&self, path: &Path) -> Result<PathBuf, StorageError> {
        let mut aside = path.as_os_str().to_owned();
        aside.push(".damaged");
        let aside = PathBuf::from(aside);
        self.disk.rename(path, &aside).map_err(StorageError::io("rename", path))?;
        Ok(aside)
    }
}

/// Refuses a folder in which a run, or what is left of one, would be lost.
fn refuse_remains(path: &Path) -> Result<(), TrainError> {
    let has_events = fs::metadata(path.join("metrics.jsonl")).is_ok_and(|events| events.len() > 0);
    if Folder::holds_run(path) || has_events { Err(TrainError::Exists(path.to_owned())) } else { refuse_progress(path) }
}

/// Refuses a folder with more than the first network of a run.
fn refuse_progress(path: &Path) -> Result<(), TrainError> {
    let names = |part: &str| list(&path.join(part)).unwrap_or_default();
    let is_first = |name: &String| name.starts_with("00000.") || name.starts_with("latest.");
    if names("games").is_empty() && names("nets").iter().all(is_first) {
        Ok(())
    } else {
        Err(TrainError::Exists(path.to_owned()))
    }
}

/// Whether a file of this name is one of ours that was never finished.
fn is_leftover(name: &str) -> bool {
    let ours = ["config.toml", ".safetensors", ".games", "run.state"];
    name.strip_suffix(PARTIAL).is_some_and(|name| ours.iter().any(|end| name.ends_with(end)))
}

/// The names in a folder.
fn list(folder: &Path) -> Result<Vec<String>, StorageError> {
    let entries = fs::read_dir(folder).map_err(StorageError::io("read", folder))?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
}
