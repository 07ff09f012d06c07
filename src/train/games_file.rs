//! Files of games: those of an iteration, sealed, or a log of them while they are played. Both begin with where the games come from,
//! so that games of another run, or of other settings, cannot pass for those that are wanted.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::record::GameRecord;
use crate::storage::{Disk, Kind, Log, StorageError, read_log, read_sealed, write_sealed};

/// What games are a function of, but for their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The game.
    pub game: String,
    /// The seed of the run.
    pub seed: u64,
    /// The iteration of the network that played.
    pub network: u32,
    /// The SHA-256 of that network's file and of the settings of search and self-play.
    pub digest: String,
}

/// Games of one origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GamesFile {
    /// Where they come from.
    pub origin: Origin,
    /// The games; in the order of their numbers where they are an iteration's, of their ends where they are still played.
    pub records: Vec<GameRecord>,
}

/// A record of a log.
#[derive(Serialize, Deserialize)]
enum Line {
    Origin(Origin),
    Game(GameRecord),
}

impl GamesFile {
    /// Reads a file of either kind. Also how many bytes of a torn record were dropped.
    ///
    /// # Errors
    /// When it cannot be read, is damaged or holds something else.
    pub fn read(path: &Path) -> Result<(Self, usize), StorageError> {
        if Kind::of(path)? != Some(Kind::Playing) {
            return Ok((read_sealed(path, Kind::Games)?, 0));
        }
        let loaded = read_log(path, Kind::Playing)?;
        let missing = || StorageError::damaged(path, "its first record, the origin of its games, is missing");
        Ok((sort(path, loaded.records)?.ok_or_else(missing)?, loaded.dropped))
    }

    /// Writes the games of an iteration in one step.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn write(&self, disk: &dyn Disk, path: &Path) -> Result<(), StorageError> {
        write_sealed(disk, path, Kind::Games, self)
    }
}

/// A log of games of one origin, open for more.
pub struct GamesLog(Log);

impl GamesLog {
    /// Opens the log at `path`, made if need be, and gives back the games it has and how many bytes of a torn one were dropped.
    ///
    /// # Errors
    /// When it cannot be read or written, is damaged, or holds games of another origin.
    pub fn open(disk: &dyn Disk, path: &Path, origin: &Origin) -> Result<(Self, Vec<GameRecord>, usize), StorageError> {
        let (mut log, loaded) = Log::open(disk, path, Kind::Playing)?;
        let records = match sort(path, loaded.records)? {
            Some(found) if found.origin == *origin => found.records,
            Some(_) => return Err(StorageError::damaged(path, "it holds games of another run")),
            None => {
                log.append(&Line::Origin(origin.clone()))?;
                Vec::new()
            }
        };
        Ok((Self(log), records, loaded.dropped))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, record: &GameRecord) -> Result<(), StorageError> {
        self.0.append(&Line::Game(record.clone()))
    }
}

/// The origin and the games of a log; nothing where it has no records.
fn sort(path: &Path, lines: Vec<Line>) -> Result<Option<GamesFile>, StorageError> {
    let mut lines = lines.into_iter();
    let origin = match lines.next() {
        Some(Line::Origin(origin)) => origin,
        Some(Line::Game(_)) => return Err(StorageError::damaged(path, "it begins with a game")),
        None => return Ok(None),
    };
    let game = |line| match line {
        Line::Game(record) => Ok(record),
        Line::Origin(_) => Err(StorageError::damaged(path, "it has two origins")),
    };
    Ok(Some(GamesFile { origin, records: lines.map(game).collect::<Result<_, _>>()? }))
}
