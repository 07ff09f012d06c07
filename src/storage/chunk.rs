//! Append-only chunks of records: a header, then frames of length, checksum and payload.
//!
//! ```text
//! magic "plyzero\n" | version u16 | kind u16 | { length u32 | CRC-32 of the payload u32 | payload }*
//! ```
//! Numbers are little-endian. A frame cut short at the end of the file is what a crash leaves: it is dropped and reported. A
//! wrong checksum anywhere is damage: the file is refused.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::atomic::{StorageError, read_capped, sync_folder};
use super::codec;

const MAGIC: &[u8; 8] = b"plyzero\n";
const VERSION: u16 = 1;
const HEADER: usize = 12;
const FRAME: usize = 8;
/// The largest chunk that is read, in bytes.
const CAP: u64 = 1 << 32;

/// What the records of a chunk are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Kind {
    /// Games of self-play.
    Games = 1,
}

/// Writes a new chunk.
#[derive(Debug)]
pub struct ChunkWriter {
    file: File,
    path: PathBuf,
}

impl ChunkWriter {
    /// Starts a chunk at a path where no file is yet.
    ///
    /// # Errors
    /// When the file exists or cannot be made.
    pub fn create(path: &Path, kind: Kind) -> Result<Self, StorageError> {
        let mut header = Vec::with_capacity(HEADER);
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&(kind as u16).to_le_bytes());
        let file = OpenOptions::new().append(true).create_new(true).open(path);
        let file = file.and_then(|mut file| file.write_all(&header).map(|()| file)).map_err(StorageError::io("write", path))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Appends a record.
    ///
    /// # Errors
    /// When it is too long or cannot be written.
    pub fn append(&mut self, record: &impl Serialize) -> Result<(), StorageError> {
        let payload = codec::encode(record).map_err(|what| StorageError::damaged(&self.path, what))?;
        let mut frame = Vec::with_capacity(FRAME + payload.len());
        frame.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        frame.extend_from_slice(&crc32fast::hash(&payload).to_le_bytes());
        frame.extend_from_slice(&payload);
        self.file.write_all(&frame).map_err(StorageError::io("write", &self.path))
    }

    /// Flushes everything to disk.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn finish(self) -> Result<(), StorageError> {
        self.file.sync_all().and_then(|()| sync_folder(&self.path)).map_err(StorageError::io("write", &self.path))
    }
}

/// What a chunk held.
#[derive(Debug, PartialEq)]
pub struct Loaded<T> {
    /// The records, in order.
    pub records: Vec<T>,
    /// Bytes of a torn frame at the end that were dropped.
    pub dropped: usize,
}

/// Reads all records of a chunk.
///
/// # Errors
/// When the file cannot be read, is of another kind or version, or is damaged anywhere but at its end.
pub fn read_chunk<T: DeserializeOwned>(path: &Path, kind: Kind) -> Result<Loaded<T>, StorageError> {
    let bytes = read_capped(path, CAP)?;
    let damaged = |what: String| StorageError::damaged(path, what);
    let Some((header, mut rest)) = bytes.split_at_checked(HEADER) else {
        return Err(damaged("it is shorter than its header".to_owned()));
    };
    if &header[..8] != MAGIC {
        return Err(damaged("it does not begin with plyzero's mark".to_owned()));
    }
    let version = u16::from_le_bytes([header[8], header[9]]);
    if version > VERSION {
        return Err(StorageError::Newer { path: path.to_owned(), found: version, known: VERSION });
    }
    if version < VERSION {
        return Err(damaged(format!("there never was a format version {version}")));
    }
    if u16::from_le_bytes([header[10], header[11]]) != kind as u16 {
        return Err(damaged(format!("it does not hold {kind:?}")));
    }
    let mut records = Vec::new();
    while let Some((payload, checksum, after)) = frame(rest) {
        let at = bytes.len() - rest.len();
        if payload.len() > codec::LIMIT || crc32fast::hash(payload) != checksum {
            return Err(damaged(format!("the record at byte {at} fails its checksum")));
        }
        records
            .push(codec::decode(payload).map_err(|what| damaged(format!("the record at byte {at} cannot be decoded: {what}")))?);
        rest = after;
    }
    Ok(Loaded { records, dropped: rest.len() })
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
    use std::fs;

    fn written(records: &[Vec<u32>]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("00000.games");
        let mut writer = ChunkWriter::create(&path, Kind::Games).unwrap();
        for record in records {
            writer.append(record).unwrap();
        }
        writer.finish().unwrap();
        (folder, path)
    }

    fn read(path: &Path) -> Result<Loaded<Vec<u32>>, StorageError> {
        read_chunk(path, Kind::Games)
    }

    #[test]
    fn records_come_back_in_order() {
        let records = vec![vec![], vec![1, 2, 3], vec![u32::MAX; 100]];
        let (_folder, path) = written(&records);
        assert_eq!(read(&path).unwrap(), Loaded { records, dropped: 0 });
    }

    #[test]
    fn a_torn_tail_is_dropped_at_every_length() {
        let records = vec![vec![7], vec![1, 2, 3]];
        let (_folder, path) = written(&records);
        let whole = fs::read(&path).unwrap();
        let first = HEADER + FRAME + 2;
        for length in HEADER..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let loaded = read(&path).unwrap();
            let kept = usize::from(length >= first);
            assert_eq!(loaded.records, records[..kept], "at {length}");
            assert_eq!(loaded.dropped, length - if kept == 1 { first } else { HEADER });
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
    fn the_longest_records_can_be_read_back_and_longer_ones_are_not_written() {
        // A length of five bytes, then a byte a number that is counted as four when it is decoded.
        let longest = vec![7; codec::LIMIT - 5];
        let (_folder, path) = written(std::slice::from_ref(&longest));
        assert!(read(&path).unwrap().records == [longest]);
        let folder = tempfile::tempdir().unwrap();
        let mut writer = ChunkWriter::create(&folder.path().join("00000.games"), Kind::Games).unwrap();
        let error = writer.append(&vec![7u32; codec::LIMIT]).unwrap_err().to_string();
        assert!(error.contains("too long"), "{error}");
    }

    #[test]
    fn newer_and_foreign_files_are_refused_by_name() {
        let (_folder, path) = written(&[vec![1]]);
        let mut bytes = fs::read(&path).unwrap();
        bytes[8] = 9;
        fs::write(&path, &bytes).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("format version 9") && error.contains("00000.games"), "{error}");
        fs::write(&path, b"#!/bin/sh\necho hello\n").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("mark"));
        assert!(ChunkWriter::create(&path, Kind::Games).is_err(), "an existing chunk must never be overwritten");
    }
}
