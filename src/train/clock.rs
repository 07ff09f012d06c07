//! The clock of a run: seconds that it has taken, which stand still while it is interrupted.

use std::time::Instant;

/// Counts on from where it stood.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    begun: Instant,
    before: f64,
}

impl Clock {
    /// A clock that shows `seconds` now.
    pub(super) fn from(seconds: f64) -> Self {
        Self { begun: Instant::now(), before: seconds }
    }

    /// What it shows.
    pub(super) fn seconds(&self) -> f64 {
        self.before + self.begun.elapsed().as_secs_f64()
    }
}
