//! The games of a tournament on disk: a log that begins with its terms and grows by a record a game, as games end.
//!
//! Opening the same tournament again gives back the games it has; a crash costs those in hand. A file of another tournament is
//! refused and left as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::terms::Terms;
use super::{GameRecord, Remark};
use crate::storage::{Disk, Kind, Lock, Log, StorageError, read_log};

/// A record of the log.
#[derive(Serialize, Deserialize)]
enum Line {
    Terms(Box<Terms>),
    Game(Archived),
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Archived {
    /// Its number in the schedule.
    pub number: usize,
    /// The plies of its opening.
    pub opening: usize,
    /// How it went.
    pub record: GameRecord,
    /// What the players told of their moves.
    pub remarks: Vec<Remark>,
}

/// Why games cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The file holds another tournament.
    #[error("{} holds another tournament: {difference}; choose another file, or the same tournament to go on with it", path.display())]
    Another {
        /// The file.
        path: PathBuf,
        /// The first respect in which they differ.
        difference: String,
    },
}

/// The games of a tournament, open for more.
pub struct Archive {
    log: Log,
    games: BTreeMap<usize, GameRecord>,
    _lock: Lock,
}

impl Archive {
    /// Opens the file at `path`, made if need be with its folder, for the tournament of these terms.
    ///
    /// # Errors
    /// When it cannot be read or written, is damaged, holds another tournament, or is in use.
    pub fn open(disk: &dyn Disk, path: &Path, terms: &Terms) -> Result<Self, ArchiveError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            disk.create_folder(folder).map_err(StorageError::io("write", folder))?;
        }
        // Before the log is opened: what looks like a torn tail may be what another process is writing.
        let lock = Lock::take_file(path)?;
        let (mut log, loaded) = Log::open(disk, path, Kind::Tournament)?;
        let games = match sort(path, loaded.records)? {
            Some((found, games)) => match found.difference(terms) {
                Some(difference) => return Err(ArchiveError::Another { path: path.to_owned(), difference }),
                None => games,
            },
            None => {
                log.append(&Line::Terms(Box::new(terms.clone())))?;
                Vec::new()
            }
        };
        Ok(Self { log, games: games.into_iter().map(|game| (game.number, game.record)).collect(), _lock: lock })
    }

    /// The terms and the games of the file at `path`, in the order of their numbers.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or is no file of a tournament.
    pub fn read(path: &Path) -> Result<(Terms, Vec<Archived>), StorageError> {
        let (terms, mut games) = sort(path, read_log(path, Kind::Tournament)?.records)?
            .ok_or_else(|| StorageError::damaged(path, "its first record, the terms of the tournament, is missing"))?;
        games.sort_by_key(|game| game.number);
        Ok((terms, games))
    }

    /// The games so far, by number.
    #[must_use]
    pub fn games(&self) -> &BTreeMap<usize, GameRecord> {
        &self.games
    }

    /// Adds a game.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, game: &Archived) -> Result<(), StorageError> {
        self.log.append(&Line::Game(game.clone()))?;
        self.games.insert(game.number, game.record.clone());
        Ok(())
    }

    /// Makes the games so far last, whatever happens to the machine.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn sync(&mut self) -> Result<(), StorageError> {
        self.log.sync()
    }
}

/// The terms and the games that the records of a file hold; nothing where there are no records.
fn sort(path: &Path, records: Vec<Line>) -> Result<Option<(Terms, Vec<Archived>)>, StorageError> {
    let mut records = records.into_iter();
    let terms = match records.next() {
        Some(Line::Terms(terms)) => *terms,
        Some(Line::Game(_)) => return Err(StorageError::damaged(path, "it begins with a game")),
        None => return Ok(None),
    };
    let most = terms.schedule(usize::MAX).games();
    let game = |line| match line {
        Line::Game(game) if game.number < most => Ok(game),
        Line::Game(_) => Err(StorageError::damaged(path, "it holds a game that its terms do not know")),
        Line::Terms(_) => Err(StorageError::damaged(path, "it has terms twice")),
    };
    let games = records.map(game).collect::<Result<_, _>>()?;
    Ok(Some((terms, games)))
}
