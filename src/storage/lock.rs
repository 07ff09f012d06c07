//! One process a folder, or a file: a lock that the system holds for a process and lets go when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::StorageError;

/// Tries to take a lock, for it may be held for a moment by somebody who only looks.
const TRIES: u32 = 10;
/// Time between two tries.
const PAUSE: Duration = Duration::from_millis(20);
/// What the name of a file that guards another ends with.
const GUARD: &str = ".lock";

/// A lock held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _handle: File,
}

impl Lock {
    /// Locks the file at `path` by a file beside it that ends in `.lock`, made if need be, once nobody else holds that.
    ///
    /// # Errors
    /// When the file beside it cannot be opened or locked.
    pub fn wait_beside(path: &Path) -> Result<Self, StorageError> {
        let mut guard = path.as_os_str().to_owned();
        guard.push(GUARD);
        let guard = Path::new(&guard);
        let handle = File::options().append(true).create(true).open(guard).map_err(StorageError::io("write", guard))?;
        handle.lock().map_err(StorageError::io("lock", guard))?;
        Ok(Self { _handle: handle })
    }

    /// Locks `folder`.
    ///
    /// # Errors
    /// When another process holds the lock, or the folder cannot be locked.
    pub fn take(folder: &Path) -> Result<Self, StorageError> {
        Self::of(folder, handle(folder).map_err(StorageError::io("lock", folder))?)
    }

    /// Locks the file at `path`, made if need be.
    ///
    /// # Errors
    /// When another process holds the lock, or the file cannot be opened or locked.
    pub fn take_file(path: &Path) -> Result<Self, StorageError> {
        let handle = File::options().append(true).create(true).open(path).map_err(StorageError::io("write", path))?;
        // Elsewhere than on Unix a lock would bar this very process, which writes through another handle.
        if cfg!(unix) { Self::of(path, handle) } else { Ok(Self { _handle: handle }) }
    }

    fn of(path: &Path, handle: File) -> Result<Self, StorageError> {
        for _ in 0..TRIES {
            match handle.try_lock() {
                Ok(()) => return Ok(Self { _handle: handle }),
                Err(TryLockError::WouldBlock) => sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(StorageError::io("lock", path)(error)),
            }
        }
        Err(StorageError::Locked(path.to_owned()))
    }

    /// Whether a process holds the lock of `folder`.
    ///
    /// # Errors
    /// When that cannot be told.
    pub fn is_held(folder: &Path) -> Result<bool, StorageError> {
        let handle = handle(folder).map_err(StorageError::io("lock", folder))?;
        match handle.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(StorageError::io("lock", folder)(error)),
        }
    }
}

/// What is locked: the folder itself, which nobody can replace, or a file in it where folders cannot be opened.
fn handle(folder: &Path) -> io::Result<File> {
    if cfg!(unix) { File::open(folder) } else { File::options().append(true).create(true).open(folder.join("lock")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_once_and_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let held = Lock::take(folder.path()).unwrap();
        assert!(Lock::is_held(folder.path()).unwrap());
        let error = Lock::take(folder.path()).unwrap_err().to_string();
        assert!(error.contains("in use by another process"), "{error}");
        drop(held);
        assert!(!Lock::is_held(folder.path()).unwrap());
        assert!(Lock::take(folder.path()).is_ok());
    }
}
