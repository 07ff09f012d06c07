//! `metrics.jsonl`: one event a line, append-only but for lines of an iteration that a crash undid.

use std::path::{Path, PathBuf};

use super::Event;
use crate::storage::{Disk, StorageError, Tail};

/// The file, open for appending.
pub(super) struct Metrics {
    tail: Tail,
    path: PathBuf,
    /// What was written since it was last made to last.
    unsynced: Vec<u8>,
}

impl Metrics {
    /// Opens the file at `path`, cut to its first `length` bytes. Also how many of those are missing, which only happens where
    /// somebody else shortened it.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn open(disk: &dyn Disk, path: &Path, length: u64) -> Result<(Self, u64), StorageError> {
        let tail = Tail::open(disk, path, length)?;
        let lost = length - tail.length();
        Ok((Self { tail, path: path.to_owned(), unsynced: Vec::new() }, lost))
    }

    /// The length of the file, in bytes.
    pub(super) fn length(&self) -> u64 {
        self.tail.length()
    }

    /// Appends an event. Where it fails, the file is as it was.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn append(&mut self, event: &Event) -> Result<(), StorageError> {
        let mut line = serde_json::to_vec(event).map_err(|error| StorageError::damaged(&self.path, error.to_string()))?;
        line.push(b'\n');
        self.tail.append(&line)?;
        self.unsynced.extend(line);
        Ok(())
    }

    /// Makes what was appended last.
    ///
    /// # Errors
    /// When the system refuses. What it dropped is then written again, so that another call may succeed.
    pub(super) fn sync(&mut self) -> Result<(), StorageError> {
        let synced = self.tail.sync();
        if synced.is_err() {
            self.tail.cut(self.tail.length() - self.unsynced.len() as u64)?;
            self.tail.append(&self.unsynced)?;
        } else {
            self.unsynced.clear();
        }
        synced
    }
}
