//! The end of a file that grows: a write that fails leaves the file as it was.

use std::path::{Path, PathBuf};

use super::{Disk, Sink, StorageError};

/// A file open for appending.
pub struct Tail {
    sink: Box<dyn Sink>,
    path: PathBuf,
    /// The length of the file, in bytes.
    length: u64,
}

impl Tail {
    /// Opens the file at `path`, made if need be, and cut to its first `length` bytes where it is longer.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn open(disk: &dyn Disk, path: &Path, length: u64) -> Result<Self, StorageError> {
        let sink = disk.append(path).map_err(StorageError::io("write", path))?;
        let found = std::fs::metadata(path).map_err(StorageError::io("read", path))?.len();
        let mut tail = Self { sink, path: path.to_owned(), length: found };
        if found > length {
            tail.cut(length)?;
        }
        Ok(tail)
    }

    /// The length of the file, in bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Appends all of `bytes`, or nothing.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        let written = self.sink.write(bytes);
        if written.is_err() {
            // If this fails too, a part stays: whoever reads the file must know where it ends.
            let _ = self.sink.cut(self.length);
        }
        written.map_err(StorageError::io("write", &self.path))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Cuts the file to a length, in bytes.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn cut(&mut self, length: u64) -> Result<(), StorageError> {
        self.sink.cut(length).map_err(StorageError::io("write", &self.path))?;
        self.length = length;
        Ok(())
    }

    /// Makes what was appended last.
    ///
    /// # Errors
    /// When the system refuses; what was appended since the last success may then be lost.
    pub fn sync(&mut self) -> Result<(), StorageError> {
        self.sink.sync().map_err(StorageError::io("write", &self.path))
    }
}
