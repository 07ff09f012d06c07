//! Scores of early positions, kept in a file from one run to the next: what takes minutes is found out once.
//!
//! Rule: exact scores of positions with at most `PLIES` stones whose search visited at least `COSTLY` positions; a position and its mirror
//! image are one. The file is one sealed value, replaced in one step by what is there and what is new, under a lock beside it: runs
//! that end at the same time lose nothing of each other. A file that is not such a cache is never changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::board::Board;
use super::score::{HIGHEST, LOWEST};
use crate::storage::{Disk, Kind, Lock, StorageError, read_sealed, write_sealed};

/// The most stones of a position that is kept.
const PLIES: u32 = 12;
/// The least number of positions that a search visited for a score that is kept: a good tenth of a second.
const COSTLY: u64 = 1 << 20;
/// The keys of positions are below.
const KEYS: u64 = 1 << 49;

/// Known scores by [mirrored keys](Board::mirrored_key), shared by several searches.
pub struct Cache {
    /// None where scores are kept in memory alone.
    path: Option<PathBuf>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    scores: BTreeMap<u64, i8>,
    /// Whether some are not yet in the file.
    is_new: bool,
}

impl Cache {
    /// The cache in the file at `path`; empty where there is no file yet.
    ///
    /// # Errors
    /// When the file cannot be read or is no cache.
    pub fn open(path: &Path) -> Result<Self, StorageError> {
        let known = Known { scores: read(path)?, is_new: false };
        Ok(Self { path: Some(path.to_owned()), known: Mutex::new(known) })
    }

    /// A cache without a file, for searches of one process.
    #[must_use]
    pub fn in_memory() -> Self {
        Self { path: None, known: Mutex::default() }
    }

    /// The score of `board`, if it is known.
    pub(super) fn get(&self, board: Board) -> Option<i32> {
        if board.plies() > PLIES {
            return None;
        }
        self.known().scores.get(&board.mirrored_key()).map(|&score| score.into())
    }

    /// Keeps the score of `board`, which took a search of `nodes` positions, if the rule says so.
    pub(super) fn add(&self, board: Board, score: i32, nodes: u64) {
        if board.plies() <= PLIES && nodes >= COSTLY {
            let mut known = self.known();
            known.is_new |= known.scores.insert(board.mirrored_key(), score as i8).is_none();
        }
    }

    /// Positions whose score is known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known().scores.len()
    }

    /// Whether no score is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes what is new to the file, together with what others have written there; its folder is made if need be.
    ///
    /// # Errors
    /// When the system refuses, or the file is no cache any more.
    pub fn save(&self, disk: &dyn Disk) -> Result<(), StorageError> {
        let mut known = self.known();
        let Some(path) = self.path.as_deref().filter(|_| known.is_new) else { return Ok(()) };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            disk.create_folder(folder).map_err(StorageError::io("create", folder))?;
        }
        let _lock = Lock::wait_beside(path)?;
        let written = read(path)?;
        known.scores.extend(written);
        write_sealed(disk, path, Kind::Solved, &known.scores)?;
        known.is_new = false;
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Nothing leaves the map half changed.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(path: &Path) -> Result<BTreeMap<u64, i8>, StorageError> {
    let scores: BTreeMap<u64, i8> = match read_sealed(path, Kind::Solved) {
        Err(error) if error.is_missing() => return Ok(BTreeMap::new()),
        read => read?,
    };
    let is_sound = |(&key, &score): (&u64, &i8)| key < KEYS && (LOWEST..=HIGHEST).contains(&score.into());
    if scores.iter().all(is_sound) { Ok(scores) } else { Err(StorageError::damaged(path, "it holds what is no score")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::System;
    use std::fs;

    fn board(moves: &str) -> Board {
        Board::after(moves).unwrap()
    }

    #[test]
    fn scores_come_back_for_a_position_and_its_mirror_image() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new folder").join("cache");
        let cache = Cache::open(&path).unwrap();
        cache.add(board("12"), -2, COSTLY);
        cache.add(board("13"), -3, COSTLY - 1);
        cache.add(board("4444443333335"), -4, COSTLY);
        cache.save(&System).unwrap();
        let read = Cache::open(&path).unwrap();
        assert_eq!(
            ["12", "76", "13", "21", "4444443333335"].map(|moves| read.get(board(moves))),
            [Some(-2), Some(-2), None, None, None]
        );
        assert_eq!(read.len(), 1);
    }

    #[test]
    fn two_runs_lose_nothing_of_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache");
        let [one, other] = [Cache::open(&path).unwrap(), Cache::open(&path).unwrap()];
        one.add(board("1"), 1, COSTLY);
        other.add(board("2"), 2, COSTLY);
        one.save(&System).unwrap();
        other.save(&System).unwrap();
        let read = Cache::open(&path).unwrap();
        assert_eq!(["1", "2"].map(|moves| read.get(board(moves))), [Some(1), Some(2)]);
    }

    #[test]
    fn what_is_no_cache_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache");
        let cache = Cache::open(&path).unwrap();
        cache.add(board("1"), 1, COSTLY);
        write_sealed(&System, &path, Kind::Solved, &BTreeMap::from([(KEYS, 0i8)])).unwrap();
        assert!(Cache::open(&path).is_err(), "a key that no position has");
        write_sealed(&System, &path, Kind::Solved, &BTreeMap::from([(1u64, 19i8)])).unwrap();
        assert!(Cache::open(&path).is_err(), "a score that no position has");
        fs::write(&path, "somebody's letters").unwrap();
        assert!(cache.save(&System).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"somebody's letters");
    }
}
