//! The loop: self-play fills a window, a learner trains on it, a network is published and measured, again and again.
//!
//! The loop knows the rules of a game, tree search and networks. It knows no hand-written knowledge of any game, and what its
//! judges say changes nothing but which network is kept as the best one.

mod batch;
mod begin;
mod clock;
mod config;
mod duplicates;
mod error;
mod event;
mod exploration;
mod folder;
mod games_file;
mod iteration;
mod judge;
mod learner;
mod losses;
mod metrics;
mod opinion;
mod record;
mod replay;
mod resume;
mod retention;
mod run;
mod samples;
mod self_play;
mod starts;
mod state;
mod watch;

pub use batch::{Batch, Draw, with_symmetries};
pub use clock::{Limits, process_seconds};
pub use config::{
    Config, EvaluationConfig, InvalidConfig, LearnerConfig, OptimizerKind, ReplayConfig, RetentionConfig, SearchConfig,
    SelfPlayConfig, TrainConfig,
};
pub use error::{TrainError, WorkerPanic};
pub use event::{Event, Finding, Iteration, Observer, Phase};
pub use folder::Folder;
pub use games_file::{GamesFile, GamesLog, Origin};
pub use judge::Judge;
pub use learner::Learner;
pub use losses::Losses;
pub use opinion::Opinion;
pub use record::{Ending, GameRecord, Ply};
pub use replay::{Deck, Replay};
pub use resume::{MAY_CHANGE, check_changes};
pub use run::{Run, Start, Summary};
pub use samples::{Policy, Sample, samples};
pub use self_play::SelfPlay;
pub use starts::{Starts, Surprise};
pub use state::{Best, Chunk, Next, Progress, Saved};
pub use watch::{Symptom, Watch};
