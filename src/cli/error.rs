//! How a command can fail.

use std::path::PathBuf;

use super::place::MovesError;
use super::play::InvalidStrength;
use super::replay::InvalidReplay;
use super::solve::SolveError;
use super::tournament::InvalidTournament;
use crate::agent::{AgentError, Forfeit};
use crate::arena::{ArchiveError, ArenaError, TournamentError};
use crate::config::ConfigError;
use crate::game::{InvalidGame, InvalidPosition};
use crate::net::{CheckpointError, DeviceError};
use crate::play::uci::UciError;
use crate::search::Unsuited;
use crate::solver::four_in_a_row::shipped::ShippedError;
use crate::storage::StorageError;
use crate::train::{InvalidConfig, TrainError};

/// Why a command did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    #[error(transparent)]
    Game(#[from] InvalidGame),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Invalid(#[from] InvalidConfig),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Network(#[from] CheckpointError),
    #[error(transparent)]
    File(#[from] StorageError),
    #[error(transparent)]
    Arena(#[from] ArenaError),
    #[error(transparent)]
    Entries(#[from] InvalidTournament),
    #[error(transparent)]
    Strength(#[from] InvalidStrength),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Tournament(#[from] TournamentError),
    #[error(transparent)]
    Replay(#[from] InvalidReplay),
    #[error(transparent)]
    Folder(TrainError),
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error("interrupted")]
    Interrupted,
    #[error("{} holds no run: there is no network in its folder nets", .0.display())]
    NoNetworks(PathBuf),
    #[error("--moves: {0}")]
    Moves(#[from] MovesError),
    #[error("--position: {0}")]
    Position(#[from] InvalidPosition),
    #[error("{asked}: {game} has no notation that programs share, as chess has; {instead}")]
    NoNotation { asked: &'static str, game: String, instead: &'static str },
    #[error("{}: line {line}: {fault}", file.display())]
    Line { file: PathBuf, line: usize, fault: String },
    #[error("the evaluation of {0} has no weights to fit; that of chess has")]
    NoWeights(String),
    #[error("{0} has no notation that programs share; `plyzero uci` plays chess")]
    NoProtocol(String),
    #[error(transparent)]
    Uci(#[from] UciError),
    #[error(transparent)]
    Forfeit(#[from] Forfeit),
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error(transparent)]
    Shipped(#[from] ShippedError),
    #[error("{differ} of {lines} lines differ from what was solved, as told above")]
    Differ { differ: u64, lines: u64 },
    #[error("{game} breaks {broken} of {tried} properties, as told above")]
    Unsound { game: String, broken: usize, tried: usize },
    #[error(transparent)]
    Unsuited(#[from] Unsuited),
    #[error("a game of {game} is over before anybody moves: there is nothing to search")]
    NothingToSearch { game: String },
    #[error("--opening-plies {plies} leaves nothing to play: games of this kind have at most {longest} plies")]
    OpeningPlies { plies: usize, longest: usize },
    #[error("{option} chooses among sets of solved positions, and {game} has none: leave it out")]
    NoSets { option: &'static str, game: String },
    #[error("cannot read the input or write the output: {0}")]
    Output(#[from] std::io::Error),
    #[error("cannot write the output: {0}")]
    Json(#[from] serde_json::Error),
}

impl CliError {
    /// Whether the user can mend it by giving something else.
    pub(super) fn is_bad_input(&self) -> bool {
        match self {
            CliError::Game(_)
            | CliError::Config(_)
            | CliError::Invalid(_)
            | CliError::Device(_)
            | CliError::Agent(_)
            | CliError::Network(_)
            | CliError::File(_)
            | CliError::NoNetworks(_)
            | CliError::Moves(_)
            | CliError::Position(_)
            | CliError::NoNotation { .. }
            | CliError::NoProtocol(_)
            | CliError::NoWeights(_)
            | CliError::Line { .. }
            | CliError::Uci(UciError::Engine(_))
            | CliError::NothingToSearch { .. }
            | CliError::Solve(_)
            | CliError::OpeningPlies { .. }
            | CliError::NoSets { .. }
            | CliError::Entries(_)
            | CliError::Strength(_)
            | CliError::Archive(_)
            | CliError::Replay(_)
            | CliError::Folder(_) => true,
            CliError::Train(error) => error.is_bad_input(),
            CliError::Interrupted
            | CliError::Arena(_)
            | CliError::Tournament(_)
            | CliError::Uci(UciError::Io(_))
            | CliError::Forfeit(_)
            | CliError::Unsuited(_)
            | CliError::Unsound { .. }
            | CliError::Differ { .. }
            | CliError::Shipped(_)
            | CliError::Output(_)
            | CliError::Json(_) => false,
        }
    }
}
