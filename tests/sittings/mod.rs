//! Runs in several sittings: begun, interrupted, gone on with.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use plyzero::game::Game;
use plyzero::games::TicTacToe;
use plyzero::storage::System;
use plyzero::train::{Config, Event, Folder, GamesFile, Observer, Phase, Summary, TrainError};

use crate::outcome::results;
use crate::trial::Trial;

pub type Files = BTreeMap<String, Vec<u8>>;

/// Remembers warnings, and raises a flag at one of the moments at which it hears of progress.
#[derive(Default)]
pub struct Interrupter {
    pub moments: AtomicU64,
    pub at: u64,
    pub stop: AtomicBool,
    pub warnings: Mutex<Vec<String>>,
}

impl Interrupter {
    pub fn at(moment: u64) -> Self {
        Self { at: moment, ..Self::default() }
    }

    pub fn warnings(&self) -> String {
        self.warnings.lock().unwrap().join("\n")
    }
}

impl Observer for Interrupter {
    fn event(&self, _: &Event) {}

    fn warn(&self, warning: &str) {
        self.warnings.lock().unwrap().push(warning.to_owned());
    }

    fn progress(&self, _: Phase, _: u64, _: u64) {
        if self.moments.fetch_add(1, Ordering::Relaxed) + 1 == self.at {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

pub fn create(path: &Path) -> Folder {
    Folder::create(path, Arc::new(System)).unwrap()
}

pub fn open(path: &Path) -> Folder {
    Folder::open(path, Arc::new(System)).unwrap()
}

/// What a run comes to that nobody disturbs.
pub fn unbroken<G: Game>(game: G, config: &Config) -> Files {
    let root = tempfile::tempdir().unwrap();
    Trial::default().run(game, config, &create(root.path())).unwrap();
    results(root.path())
}

/// A finished run.
pub fn finished(config: &Config) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    Trial::default().run(TicTacToe::new(), config, &create(root.path())).unwrap();
    root
}

pub fn resume(root: &Path, config: &Config) -> Result<Summary, TrainError> {
    Trial::default().run(TicTacToe::new(), config, &open(root))
}

pub fn games(root: &Path, iteration: u32) -> GamesFile {
    GamesFile::read(&root.join(format!("games/{iteration:05}.games"))).unwrap().0
}
