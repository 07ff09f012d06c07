//! Whole runs, made with what a test cares about and nothing else.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use plyzero::game::Game;
use plyzero::net::open_device;
use plyzero::train::{Config, Event, Folder, Judge, Limits, Observer, Phase, Run, Start, Summary, TrainError};

/// Hears everything and keeps nothing.
pub struct Nobody;

impl Observer for Nobody {
    fn event(&self, _: &Event) {}
    fn warn(&self, _: &str) {}
    fn progress(&self, _: Phase, done: u64, total: u64) {
        assert!(0 < done && done <= total, "{done} of {total}");
    }
}

/// Nobody says stop.
pub static GO: AtomicBool = AtomicBool::new(false);

/// How a run is made.
pub struct Trial<'a> {
    pub threads: usize,
    pub limits: Limits,
    pub judges: Vec<Box<dyn Judge + 'a>>,
    pub observer: &'a dyn Observer,
    pub stop: &'a AtomicBool,
    pub start: Start,
}

impl Default for Trial<'_> {
    fn default() -> Self {
        Self { threads: 1, limits: Limits::default(), judges: Vec::new(), observer: &Nobody, stop: &GO, start: Start::Fresh }
    }
}

impl Trial<'_> {
    /// Makes the run in `folder`, or goes on with the one that is there.
    pub fn run<G: Game>(self, game: G, config: &Config, folder: &Folder) -> Result<Summary, TrainError> {
        config.validate(game.facts()).unwrap();
        let run = Run {
            game: &Arc::new(game),
            config,
            text: &toml::to_string(config).unwrap(),
            folder,
            start: self.start,
            device: &open_device("cpu").unwrap(),
            threads: self.threads,
            limits: self.limits,
            allow_kernel_change: false,
            judges: self.judges,
            observer: self.observer,
            stop: self.stop,
            patience: Duration::ZERO,
        };
        run.run()
    }
}
