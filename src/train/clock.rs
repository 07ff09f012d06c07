//! The clock of a run: seconds that it has taken, on the wall and of processor cores, which stand still while it is interrupted; and how
//! long it may take.

use std::time::Instant;

use serde::{Deserialize, Serialize};

/// How long a run may take, interruptions apart; what is none is not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Minutes on the wall.
    pub minutes: Option<f64>,
    /// Minutes of all cores together.
    pub cpu_minutes: Option<f64>,
}

impl Limits {
    /// These, and of `former` ones those that are not limited here.
    pub(super) fn or(self, former: Self) -> Self {
        Self { minutes: self.minutes.or(former.minutes), cpu_minutes: self.cpu_minutes.or(former.cpu_minutes) }
    }

    /// The share that has passed of the limit that is nearer; 0 where there is none.
    pub(super) fn passed(self, clock: &Clock) -> f64 {
        let share =
            |seconds: Option<f64>, minutes: Option<f64>| seconds.zip(minutes).map_or(0.0, |(taken, most)| taken / (60.0 * most));
        share(Some(clock.seconds()), self.minutes).max(share(clock.core_seconds(), self.cpu_minutes))
    }
}

/// Counts on from where it stood.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    begun: Instant,
    /// What the process had taken by then, where the system tells.
    begun_cores: Option<f64>,
    before: Taken,
}

/// Time that a run has taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// Seconds on the wall.
    pub(super) seconds: f64,
    /// Seconds of all cores together.
    pub(super) core_seconds: f64,
}

impl Clock {
    /// A clock that shows `before` now.
    pub(super) fn from(before: Taken) -> Self {
        Self { begun: Instant::now(), begun_cores: process_seconds(), before }
    }

    /// Seconds on the wall.
    pub(super) fn seconds(&self) -> f64 {
        self.before.seconds + self.begun.elapsed().as_secs_f64()
    }

    /// Seconds of all cores that the run's processes ran on; none where the system does not tell.
    pub(super) fn core_seconds(&self) -> Option<f64> {
        let (now, begun) = process_seconds().zip(self.begun_cores)?;
        Some(self.before.core_seconds + now - begun)
    }
}

/// Seconds of all cores that this process has run on, where the system tells.
#[cfg(unix)]
#[must_use]
pub fn process_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
}

/// Seconds of all cores that this process has run on, where the system tells.
#[cfg(not(unix))]
#[must_use]
pub fn process_seconds() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_limit_counts() {
        let clock = Clock::from(Taken { seconds: 600.0, core_seconds: 1800.0 });
        let passed = |minutes, cpu_minutes| Limits { minutes, cpu_minutes }.passed(&clock);
        let near = |share: f64, expected: f64| assert!((expected..expected + 0.01).contains(&share), "{share} is not {expected}");
        assert_eq!(passed(None, None), 0.0);
        near(passed(Some(20.0), None), 0.5);
        if cfg!(unix) {
            near(passed(Some(20.0), Some(40.0)), 0.75);
            near(passed(Some(12.0), Some(40.0)), 600.0 / 720.0);
        }
        let former = Limits { minutes: Some(1.0), cpu_minutes: Some(2.0) };
        assert_eq!(
            Limits { minutes: Some(3.0), cpu_minutes: None }.or(former),
            Limits { minutes: Some(3.0), cpu_minutes: Some(2.0) }
        );
    }

    #[test]
    fn both_times_go_on_from_where_they_stood() {
        let clock = Clock::from(Taken { seconds: 100.0, core_seconds: 1000.0 });
        let work = (0..1_000_000u64).fold(0, |sum, number| std::hint::black_box(sum ^ number));
        assert!(clock.seconds() > 100.0, "{work}");
        assert_eq!(clock.core_seconds().is_some(), cfg!(unix));
        assert!(clock.core_seconds().is_none_or(|seconds| seconds > 1000.0));
    }
}
