//! Append-only logs of records: a header, then frames of length, checksum and payload.
//!
//! ```text
//! header | { length u32 | CRC-32 u32 | payload }*
//! ```
//! A checksum is taken over the checksum before (zero at first) and the payload, so that frames stand in their order and come from one
//! log. A frame cut short at the end of the file is what a crash leaves: it is dropped and reported. A wrong checksum anywhere is
//! damage: the file is refused.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::atomic::sync_parent;
use super::envelope::{self, HEADER, Kind};
use super::{Disk, StorageError, Tail, codec, read_capped};

const FRAME: usize = 8;
/// The largest log that is read, in bytes.
const CAP: u64 = 1 << 32;

/// What a log held.
#[derive(Debug, PartialEq)]
pub struct Loaded<T> {
    /// The records, in order.
    pub records: Vec<T>,
    /// Bytes of a torn frame at the end that were dropped.
    pub dropped: usize,
    /// The checksum of the last record.
    last: u32,
}

/// Reads all records of a log.
///
/// # Errors
/// When the file cannot be read, is of another kind or version, or is damaged anywhere but at its end.
pub fn read_log<T: DeserializeOwned>(path: &Path, kind: Kind) -> Result<Loaded<T>, StorageError> {
    let bytes = read_capped(path, CAP)?;
    let damaged = |what: String| StorageError::damaged(path, what);
    let mut rest = envelope::open(path, &bytes, kind)?;
    let (mut records, mut last) = (Vec::new(), 0);
    while let Some((payload, checksum, after)) = frame(rest) {
        let at = bytes.len() - rest.len();
        if payload.len() > codec::LIMIT || chained(last, payload) != checksum {
            return Err(damaged(format!("the record at byte {at} fails its checksum")));
        }
        last = checksum;
        records
            .push(codec::decode(payload).map_err(|what| damaged(format!("the record at byte {at} cannot be decoded: {what}")))?);
        rest = after;
    }
    Ok(Loaded { records, dropped: rest.len(), last })
}

/// A log open for appending.
pub struct Log {
    tail: Tail,
    path: PathBuf,
    /// The checksum of the last frame.
    last: u32,
}

impl Log {
    /// Opens the log at `path`, made if need be, and returns what it held; a torn tail is cut off.
    ///
    /// # Errors
    /// As [`read_log`], and when the file cannot be written.
    pub fn open<T: DeserializeOwned>(disk: &dyn Disk, path: &Path, kind: Kind) -> Result<(Self, Loaded<T>), StorageError> {
        let header = envelope::begin(kind);
        let found = match read_capped(path, CAP) {
            Ok(bytes) => bytes.len(),
            Err(error) if error.is_missing() => 0,
            Err(error) => return Err(error),
        };
        // A file that ends within its header was torn before it had anything to lose.
        let loaded = match read_log(path, kind) {
            Ok(loaded) => loaded,
            Err(_) if is_torn_header(path, &header) => Loaded { records: Vec::new(), dropped: found, last: 0 },
            Err(error) => return Err(error),
        };
        let mut tail = Tail::open(disk, path, (found - loaded.dropped) as u64)?;
        if tail.length() == 0 {
            tail.append(&header)?;
            sync_parent(disk, path).map_err(StorageError::io("write", path))?;
        }
        Ok((Self { tail, path: path.to_owned(), last: loaded.last }, loaded))
    }

    /// Appends a record. Whatever fails, the file keeps the whole records it had.
    ///
    /// # Errors
    /// When the record is too long, or the system refuses.
    pub fn append(&mut self, record: &impl Serialize) -> Result<(), StorageError> {
        let payload = codec::encode(record).map_err(|what| StorageError::damaged(&self.path, what))?;
        let checksum = chained(self.last, &payload);
        let length = payload.len() as u32;
        self.tail.append(&[&length.to_le_bytes(), &checksum.to_le_bytes(), payload.as_slice()].concat())?;
        self.last = checksum;
        Ok(())
    }

    /// Makes what was appended last.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn sync(&mut self) -> Result<(), StorageError> {
        self.tail.sync()
    }
}

/// Whether the file is missing, or holds no more than a beginning of `header`.
fn is_torn_header(path: &Path, header: &[u8; HEADER]) -> bool {
    match read_capped(path, HEADER as u64 - 1) {
        Ok(bytes) => header.starts_with(&bytes),
        Err(error) => error.is_missing(),
    }
}

fn chained(last: u32, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&last.to_le_bytes());
    hasher.update(payload);
    hasher.finalize()
}

/// Splits off the first whole frame.
fn frame(bytes: &[u8]) -> Option<(&[u8], u32, &[u8])> {
    let (head, rest) = bytes.split_at_checked(FRAME)?;
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let (payload, after) = rest.split_at_checked(word(0) as usize)?;
    Some((payload, word(4), after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::System;
    use std::fs;

    fn written(records: &[Vec<u32>]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("00000.playing");
        let (mut log, loaded) = open(&path).unwrap();
        assert_eq!((loaded.records.len(), loaded.dropped), (0, 0));
        for record in records {
            log.append(record).unwrap();
        }
        log.sync().unwrap();
        (folder, path)
    }

    fn open(path: &Path) -> Result<(Log, Loaded<Vec<u32>>), StorageError> {
        Log::open(&System, path, Kind::Playing)
    }

    fn read(path: &Path) -> Result<Loaded<Vec<u32>>, StorageError> {
        read_log(path, Kind::Playing)
    }

    #[test]
    fn records_come_back_in_order() {
        let records = vec![vec![], vec![1, 2, 3], vec![u32::MAX; 100]];
        let (_folder, path) = written(&records);
        let loaded = read(&path).unwrap();
        assert_eq!((loaded.records, loaded.dropped), (records, 0));
    }

    #[test]
    fn a_torn_tail_is_dropped_at_every_length_and_the_log_goes_on() {
        let records = vec![vec![7], vec![1, 2, 3]];
        let (_folder, path) = written(&records);
        let whole = fs::read(&path).unwrap();
        let first = HEADER + FRAME + 2;
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let kept = usize::from(length >= first);
            if length >= HEADER {
                let loaded = read(&path).unwrap();
                assert_eq!(loaded.records, records[..kept], "at {length}");
                assert_eq!(loaded.dropped, length - if kept == 1 { first } else { HEADER });
            }
            let (mut log, loaded) = open(&path).unwrap();
            assert_eq!(loaded.records, records[..kept], "at {length}");
            log.append(&vec![9u32]).unwrap();
            let loaded = read(&path).unwrap();
            assert_eq!((loaded.records, loaded.dropped), ([&records[..kept], &[vec![9]]].concat(), 0));
        }
    }

    #[test]
    fn a_flipped_bit_is_never_read_as_data() {
        let records = vec![vec![7], vec![1, 2, 3]];
        let (_folder, path) = written(&records);
        let whole = fs::read(&path).unwrap();
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &bytes).unwrap();
            // A length made longer looks like a torn tail; everything before it must still be right.
            if let Ok(loaded) = read(&path) {
                assert!(loaded.dropped > 0 && records.starts_with(&loaded.records), "bit {bit}");
            }
        }
    }

    #[test]
    fn records_stand_in_their_order_and_come_from_one_log() {
        let (_folder, path) = written(&[vec![1], vec![2], vec![3]]);
        let (_other, other) = written(&[vec![4], vec![5]]);
        let (whole, foreign) = (fs::read(&path).unwrap(), fs::read(&other).unwrap());
        let frame = |bytes: &[u8], at: usize| bytes[HEADER + 10 * at..][..10].to_vec();
        for frames in [vec![1, 0, 2], vec![0, 0], vec![0, 2]] {
            let body: Vec<u8> = frames.iter().flat_map(|&at| frame(&whole, at)).collect();
            fs::write(&path, [&whole[..HEADER], &body].concat()).unwrap();
            assert!(read(&path).unwrap_err().to_string().contains("fails its checksum"), "{frames:?}");
        }
        fs::write(&path, [&whole[..HEADER + 10], &frame(&foreign, 1)].concat()).unwrap();
        assert!(read(&path).is_err());
    }

    #[test]
    fn the_longest_records_can_be_read_back_and_longer_ones_are_not_written() {
        // A length of five bytes, then a byte a number that is counted as four when it is decoded.
        let longest = vec![7; codec::LIMIT - 5];
        let (_folder, path) = written(std::slice::from_ref(&longest));
        assert!(read(&path).unwrap().records == [longest]);
        let (mut log, _) = open(&path).unwrap();
        let error = log.append(&vec![7u32; codec::LIMIT]).unwrap_err().to_string();
        assert!(error.contains("too long"), "{error}");
    }

    #[test]
    fn newer_and_foreign_files_are_refused_by_name() {
        let (_folder, path) = written(&[vec![1]]);
        let mut bytes = fs::read(&path).unwrap();
        bytes[8] = 9;
        fs::write(&path, &bytes).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("format version 9") && error.contains("00000.playing"), "{error}");
        for foreign in [&b"#!/bin/sh\necho hello\n"[..], b"short"] {
            fs::write(&path, foreign).unwrap();
            assert!(open(&path).is_err(), "a foreign file must not be written to");
            assert_eq!(fs::read(&path).unwrap(), foreign);
        }
    }
}
