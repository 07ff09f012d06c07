//! Waiting for room on a full disk.

use super::StorageError;

/// Does something that may need room on a disk, again and again as long as there is none and `wait`, which is told why, says true.
///
/// # Errors
/// What `act` came to when it failed for another reason, or when `wait` said false.
pub fn patiently<T>(
    mut act: impl FnMut() -> Result<T, StorageError>,
    mut wait: impl FnMut(&StorageError) -> bool,
) -> Result<T, StorageError> {
    loop {
        match act() {
            Err(error) if error.is_full() && wait(&error) => {}
            done => return done,
        }
    }
}
