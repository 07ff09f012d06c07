//! `metrics.jsonl`: one event a line, append-only but for lines of an iteration that a crash undid.

use std::path::{Path, PathBuf};

use super::Event;
use crate::storage::{Disk, Sink, StorageError};

/// The file, open for appending.
pub(super) struct Metrics {
    sink: Box<dyn Sink>,
    path: PathBuf,
    /// Bytes written.
    length: u64,
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
        let mut sink = disk.append(path).map_err(StorageError::io("write", path))?;
        let found = std::fs::metadata(path).map_err(StorageError::io("read", path))?.len();
        if found > length {
            sink.cut(length).map_err(StorageError::io("write", path))?;
        }
        let kept = found.min(length);
        Ok((Self { sink, path: path.to_owned(), length: kept, unsynced: Vec::new() }, length - kept))
    }

    /// Bytes written so far.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Appends an event. Where it fails, the file is as it was.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn append(&mut self, event: &Event) -> Result<(), StorageError> {
        let mut line = serde_json::to_vec(event).map_err(|error| StorageError::damaged(&self.path, error.to_string()))?;
        line.push(b'\n');
        self.write(&line)?;
        self.unsynced.extend(line);
        Ok(())
    }

    /// Makes what was appended last.
    ///
    /// # Errors
    /// When the system refuses. What it dropped is then written again, so that another call may succeed.
    pub(super) fn sync(&mut self) -> Result<(), StorageError> {
        let synced = self.sink.sync().map_err(StorageError::io("write", &self.path));
        let lines = std::mem::take(&mut self.unsynced);
        if synced.is_err() {
            self.length -= lines.len() as u64;
            let _ = self.sink.cut(self.length);
            self.write(&lines)?;
            self.unsynced = lines;
        }
        synced
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        let written = self.sink.write(bytes);
        if written.is_err() {
            let _ = self.sink.cut(self.length);
        }
        written.map_err(StorageError::io("write", &self.path))?;
        self.length += bytes.len() as u64;
        Ok(())
    }
}
