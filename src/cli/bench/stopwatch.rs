//! Time on the wall and time of processor cores, which is what counts on a machine that others use too.

use std::time::Instant;

use crate::train::process_seconds;

/// Runs from when it was started.
pub(super) struct Stopwatch {
    begun: Instant,
    before: Option<f64>,
}

/// What it shows.
#[derive(Clone, Copy)]
pub(super) struct Elapsed {
    /// Seconds on the wall.
    pub(super) seconds: f64,
    /// Seconds of all cores that this process ran on; those on the wall where the system does not tell.
    pub(super) core_seconds: f64,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self { begun: Instant::now(), before: process_seconds() }
    }

    pub(super) fn read(&self) -> Elapsed {
        let seconds = self.begun.elapsed().as_secs_f64();
        let core_seconds = process_seconds().zip(self.before).map_or(seconds, |(now, before)| now - before);
        Elapsed { seconds, core_seconds }
    }
}

/// The middle of some figures, the lower of two middle ones; 0 of none.
pub(super) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!((median(vec![4.0, 1.0]), median(Vec::new())), (1.0, 0.0));
    }

    #[test]
    fn both_clocks_go_forward() {
        let watch = Stopwatch::start();
        let work = (0..1_000_000u64).fold(0, |sum, number| std::hint::black_box(sum ^ number));
        let Elapsed { seconds, core_seconds } = watch.read();
        assert!(seconds > 0.0 && core_seconds > 0.0, "{seconds} {core_seconds} {work}");
    }
}
