//! Replacing a file in one step: a reader sees the old content or the new, also after a crash.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The system said no.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: `read`, `write`.
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
}

impl StorageError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| StorageError::Io { action, path: path.to_owned(), source }
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        StorageError::Damaged { path: path.to_owned(), what: what.into() }
    }
}

/// Writes `bytes` to `path`: to a sibling first, which is flushed to disk and renamed, and then the folder is flushed.
///
/// # Errors
/// When the system refuses a step; the old file, if any, is then still whole.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), StorageError> {
    let mut sibling = path.as_os_str().to_owned();
    sibling.push(".partial");
    let sibling = PathBuf::from(sibling);
    let written = File::create(&sibling)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&sibling, path))
        .and_then(|()| sync_folder(path));
    if written.is_err() {
        // The error matters, not the leftover.
        let _ = fs::remove_file(&sibling);
    }
    written.map_err(StorageError::io("write", path))
}

/// Flushes the folder of `path`, which makes a rename or a new file in it last.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Only Unix lets a folder be opened as a file; elsewhere renames are as durable as the system makes them.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Reads a whole file of at most `cap` bytes into memory.
///
/// # Errors
/// When it cannot be read or is larger.
pub fn read_capped(path: &Path, cap: u64) -> Result<Vec<u8>, StorageError> {
    let file = File::open(path).map_err(StorageError::io("read", path))?;
    let mut bytes = Vec::new();
    file.take(cap + 1).read_to_end(&mut bytes).map_err(StorageError::io("read", path))?;
    if bytes.len() as u64 > cap {
        return Err(StorageError::damaged(path, format!("it is larger than {cap} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_replaces_and_leaves_nothing_beside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomic(&path, b"old").unwrap();
        write_atomic(&path, b"new").unwrap();
        assert_eq!(read_capped(&path, 3).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_write_keeps_the_old_file_and_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomic(&path, b"old").unwrap();
        fs::create_dir(folder.path().join("file.partial")).unwrap();
        let error = write_atomic(&path, b"new").unwrap_err().to_string();
        assert!(error.contains("cannot write") && error.contains("file"), "{error}");
        assert_eq!(read_capped(&path, 10).unwrap(), b"old");
    }

    #[test]
    fn a_file_over_the_cap_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomic(&path, b"1234").unwrap();
        assert!(read_capped(&path, 3).unwrap_err().to_string().contains("larger than 3 bytes"));
    }
}
