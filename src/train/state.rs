//! Where a run stands: in memory, and on disk between two of its steps.
//!
//! A step (an iteration, or an evaluation) ends with a commit: the state is replaced in one step, and with it everything that the step
//! wrote counts. What a crash undoes is at most one step, and the games of that step stay too.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::clock::{Clock, Limits, Taken};
use super::metrics::Metrics;
use super::starts::{Starts, Surprise};
use super::{Learner, Replay, Watch};
use crate::game::Game;
use crate::storage::{Kind, StorageError, read_sealed};

/// What a run does next. Decisions that look at a clock are made here and saved before anybody acts on them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Next {
    /// An iteration that begins when this share of the run is over, which sets the learning rate.
    Iteration {
        /// In [0, 1).
        progress: f64,
    },
    /// An evaluation of the newest network.
    Evaluation,
    /// Nothing: the run has ended.
    End,
}

/// The best network so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// The iteration that published it.
    pub iteration: u32,
    /// Its share of the points over all matches.
    pub share: f64,
}

/// The positions of an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// The iteration.
    pub iteration: u32,
    /// How many positions its games gave.
    pub positions: usize,
    /// The share of the run that lay behind it when it began, which what grows with the run goes by.
    pub progress: f64,
    /// Which of its games began in the archive.
    pub starts: Starts,
    /// What its games are a function of: see [`super::Origin`].
    pub digest: String,
}

/// The counters of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Iterations done.
    pub iteration: u32,
    /// Games played in them.
    pub games: u64,
    /// Positions that they gave.
    pub positions: u64,
    /// Optimizer steps made.
    pub steps: u64,
    /// What comes next.
    pub next: Next,
    /// The best network, where there were matches.
    pub best: Option<Best>,
    /// The iteration whose network was measured last; 0 where none was.
    pub measured: u32,
    /// Where the positions of the window come from, oldest first.
    pub window: Vec<Chunk>,
    /// Positions that surprised, the most surprising first.
    pub archive: Vec<Surprise>,
    /// What was not as it should be, of late.
    pub watch: Watch,
    /// Seconds that the run has taken.
    pub seconds: f64,
    /// Seconds of all cores together that it has taken, as far as systems told.
    pub core_seconds: f64,
    /// How long it may take.
    pub limits: Limits,
    /// The length of `metrics.jsonl`, in bytes.
    pub metrics: u64,
    /// The SHA-256 of the network file it began from, where it did not begin fresh.
    pub parent: Option<String>,
}

/// What a run needs to go on.
#[derive(Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The configuration in force.
    pub config: String,
    /// What decides the bits of its results.
    pub kernel: String,
    /// The counters.
    pub progress: Progress,
    /// The published network, as in its file.
    pub network: Vec<u8>,
    /// The network that the optimizer steps on, where it is another.
    pub trained: Option<Vec<u8>>,
    /// The optimizer's state, in burn's own packing.
    pub optimizer: Vec<u8>,
    /// How often each position of the window was trained on, oldest first.
    pub uses: Vec<u16>,
}

/// Where a run stands.
pub(super) struct State<G: Game> {
    pub(super) learner: Learner<G>,
    pub(super) replay: Replay<G::State>,
    pub(super) metrics: Metrics,
    pub(super) clock: Clock,
    pub(super) progress: Progress,
}

impl Progress {
    /// The counters of a run that has done nothing.
    pub(super) fn new(limits: Limits, parent: Option<String>) -> Self {
        Self {
            iteration: 0,
            games: 0,
            positions: 0,
            steps: 0,
            next: Next::End,
            best: None,
            measured: 0,
            window: Vec::new(),
            archive: Vec::new(),
            watch: Watch::new(),
            seconds: 0.0,
            core_seconds: 0.0,
            limits,
            metrics: 0,
            parent,
        }
    }

    /// The time that the run has taken.
    pub(super) fn taken(&self) -> Taken {
        Taken { seconds: self.seconds, core_seconds: self.core_seconds }
    }

    /// Adds what an iteration gave to a window of so many positions.
    pub(super) fn slide(&mut self, chunk: Chunk, window: usize) {
        self.window.push(chunk);
        let mut total: usize = self.window.iter().map(|chunk| chunk.positions).sum();
        while total - self.window[0].positions >= window {
            total -= self.window.remove(0).positions;
        }
    }
}

impl Saved {
    /// Reads the state of a run back.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn read(path: &Path) -> Result<Self, StorageError> {
        read_sealed(path, Kind::State)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_names_the_iterations_it_holds() {
        let chunk =
            |iteration, positions| Chunk { iteration, positions, progress: 0.0, starts: Starts::new(), digest: String::new() };
        let mut progress = Progress::new(Limits::default(), None);
        for (iteration, expected) in [(1, vec![1]), (2, vec![1, 2]), (3, vec![1, 2, 3]), (4, vec![2, 3, 4]), (5, vec![3, 4, 5])] {
            // Of the oldest iteration a single position is left.
            progress.slide(chunk(iteration, 10), 21);
            assert_eq!(progress.window.iter().map(|chunk| chunk.iteration).collect::<Vec<_>>(), expected, "{iteration}");
        }
        progress.slide(chunk(6, 100), 21);
        assert_eq!(progress.window, [chunk(6, 100)]);
    }
}
