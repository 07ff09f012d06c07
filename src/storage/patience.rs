//! Waiting for room on a full disk.

use std::thread::sleep;
use std::time::Duration;

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

/// Sleeps for so long, or until `is_over` says so; whether it never did.
pub fn rest(length: Duration, is_over: impl Fn() -> bool) -> bool {
    let slice = Duration::from_millis(50).min(length);
    let mut rested = Duration::ZERO;
    while rested < length && !is_over() {
        sleep(slice);
        rested += slice;
    }
    !is_over()
}
