//! One process a folder: a lock that the system holds for a process and lets go when the process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::Path;

use super::StorageError;

/// A lock held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks `folder` by the file `lock` in it, made if need be. It stays there when the lock is let go; it means nothing then.
    ///
    /// # Errors
    /// When another process holds the lock, or the file cannot be opened.
    pub fn take(folder: &Path) -> Result<Self, StorageError> {
        let path = folder.join("lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(StorageError::io("write", &path))?;
        match file.try_lock() {
            Ok(()) => {
                // For people who wonder; nothing relies on it.
                let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
                Ok(Self { _file: file })
            }
            Err(TryLockError::WouldBlock) => {
                let mut number = String::new();
                let _ = file.take(32).read_to_string(&mut number);
                Err(StorageError::Locked { path: folder.to_owned(), holder: format!("process {}", number.trim()) })
            }
            Err(TryLockError::Error(error)) => Err(StorageError::io("lock", &path)(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_once_and_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let held = Lock::take(folder.path()).unwrap();
        let error = Lock::take(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("in use by process {}", std::process::id())), "{error}");
        drop(held);
        assert!(Lock::take(folder.path()).is_ok());
    }
}
