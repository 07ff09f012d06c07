//! How a file can fail.

use std::io;
use std::path::{Path, PathBuf};

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The system said no.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: `read`, `write`, `remove`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The content is not what it should be.
    #[error("{} is damaged or not a plyzero file: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Written by a newer program.
    #[error("{} has format version {found}, and this build reads up to {known}: use a newer plyzero", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u16,
        /// The newest version this build knows.
        known: u16,
    },
    /// Written by a program whose files of this kind are read no more.
    #[error(
        "{} has format version {found}, and this build reads such files from {known} on: use the plyzero that wrote it, or begin a new run",
        path.display()
    )]
    Older {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u16,
        /// The oldest version that is read.
        known: u16,
    },
    /// Another process works there.
    #[error("{} is in use by another process: wait until it ends, or choose another place", .0.display())]
    Locked(PathBuf),
}

impl StorageError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| StorageError::Io { action, path: path.to_owned(), source }
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        StorageError::Damaged { path: path.to_owned(), what: what.into() }
    }

    /// Whether there is no room left, which may change while one waits.
    #[must_use]
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, StorageError::Io { source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded))
    }

    /// Whether the file is not what it should be.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        matches!(self, StorageError::Damaged { .. })
    }

    /// Whether the file does not exist.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, StorageError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
