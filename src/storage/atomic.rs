//! Replacing a file in one step: a reader sees the old content or the new, also after a crash.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::{Disk, StorageError};

/// What the name of a file ends with while it is being written.
pub const PARTIAL: &str = ".partial";

/// Writes `bytes` to `path`: to a sibling first, which is flushed to disk and renamed, and then the folder is flushed.
///
/// # Errors
/// When the system refuses a step. The old file, if any, is then still whole; only where the last step fails may the new one
/// have taken its place.
pub fn write_atomic(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), StorageError> {
    let sibling = beside(path);
    let written = disk
        .create(&sibling)
        .and_then(|mut file| file.write(bytes).and_then(|()| file.sync()))
        .and_then(|()| disk.rename(&sibling, path));
    if written.is_err() {
        // The error matters, not the leftover.
        let _ = disk.remove(&sibling);
    }
    written.and_then(|()| sync_parent(disk, path)).map_err(StorageError::io("write", path))
}

/// Where a file is written before it takes its name.
fn beside(path: &Path) -> PathBuf {
    let mut sibling = path.as_os_str().to_owned();
    sibling.push(PARTIAL);
    PathBuf::from(sibling)
}

/// Flushes the folder of `path`, which makes a new name in it last.
pub(super) fn sync_parent(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    disk.sync_folder(path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))
}

/// Opens a file for reading; a device or a pipe, which may have no end, is no file.
pub(super) fn open(path: &Path) -> Result<File, StorageError> {
    let metadata = fs::metadata(path).map_err(StorageError::io("read", path))?;
    if metadata.is_dir() {
        return Err(StorageError::io("read", path)(io::ErrorKind::IsADirectory.into()));
    }
    if !metadata.is_file() {
        return Err(StorageError::damaged(path, "it is a device or a pipe"));
    }
    File::open(path).map_err(StorageError::io("read", path))
}

/// Reads a whole file of at most `cap` bytes into memory.
///
/// # Errors
/// When it cannot be read, is larger or is no file.
pub fn read_capped(path: &Path, cap: u64) -> Result<Vec<u8>, StorageError> {
    let file = open(path)?;
    let too_large = || StorageError::damaged(path, format!("it is larger than {cap} bytes"));
    if file.metadata().is_ok_and(|metadata| metadata.len() > cap) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(cap.saturating_add(1)).read_to_end(&mut bytes).map_err(StorageError::io("read", path))?;
    if bytes.len() as u64 > cap { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::System;

    #[test]
    fn a_write_replaces_and_leaves_nothing_beside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomic(&System, &path, b"old").unwrap();
        write_atomic(&System, &path, b"new").unwrap();
        assert_eq!(read_capped(&path, 3).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_write_keeps_the_old_file_and_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomic(&System, &path, b"old").unwrap();
        fs::create_dir(folder.path().join("file.partial")).unwrap();
        let error = write_atomic(&System, &path, b"new").unwrap_err().to_string();
        assert!(error.contains("cannot write") && error.contains("file"), "{error}");
        assert_eq!(read_capped(&path, 10).unwrap(), b"old");
    }

    #[test]
    fn a_file_over_the_cap_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomic(&System, &path, b"1234").unwrap();
        assert!(read_capped(&path, 3).unwrap_err().to_string().contains("larger than 3 bytes"));
    }

    #[cfg(unix)]
    #[test]
    fn what_has_no_end_is_not_read() {
        let error = read_capped(Path::new("/dev/zero"), 10).unwrap_err().to_string();
        assert!(error.contains("a device or a pipe"), "{error}");
        assert!(read_capped(Path::new("/"), 10).unwrap_err().to_string().contains("cannot read /"));
    }
}
