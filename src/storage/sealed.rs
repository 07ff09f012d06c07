//! A value in a file of its own: written in one step, under one checksum.
//!
//! ```text
//! header | length u64 | SHA-256 of the payload | payload
//! ```

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use super::envelope::{self, Kind};
use super::{Disk, StorageError, codec, read_capped, write_atomic};

const LENGTH: usize = 8;
const CHECKSUM: usize = 32;
/// The largest file that is read, in bytes.
const CAP: u64 = codec::SEALED_LIMIT as u64 + 64;

/// Writes a value in one step.
///
/// # Errors
/// When it is too large, or the system refuses; the old file is then still whole.
pub fn write_sealed(disk: &dyn Disk, path: &Path, kind: Kind, value: &impl Serialize) -> Result<(), StorageError> {
    let payload = codec::encode_sealed(value).map_err(|what| StorageError::damaged(path, what))?;
    let mut bytes = envelope::begin(kind).to_vec();
    bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&Sha256::digest(&payload));
    bytes.extend_from_slice(&payload);
    write_atomic(disk, path, &bytes)
}

/// Reads a value back.
///
/// # Errors
/// When the file cannot be read, is of another kind or version, or is not the one that was written.
pub fn read_sealed<T: DeserializeOwned>(path: &Path, kind: Kind) -> Result<T, StorageError> {
    let bytes = read_capped(path, CAP)?;
    let damaged = |what: String| StorageError::damaged(path, what);
    let rest = envelope::open(path, &bytes, kind)?;
    let head = rest.split_first_chunk::<LENGTH>().and_then(|(length, rest)| Some((length, rest.split_at_checked(CHECKSUM)?)));
    let Some((length, (checksum, payload))) = head else { return Err(damaged("it is cut short".to_owned())) };
    let length = u64::from_le_bytes(*length);
    if length != payload.len() as u64 {
        return Err(damaged(format!("it holds {} bytes of {length}", payload.len())));
    }
    if Sha256::digest(payload).as_slice() != checksum {
        return Err(damaged("it fails its checksum".to_owned()));
    }
    codec::decode_sealed(payload).map_err(|what| damaged(format!("it cannot be decoded: {what}")))
}

/// The SHA-256 of `bytes` in hexadecimal, as `sha256sum` prints it.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::System;
    use std::fs;

    #[test]
    fn a_value_comes_back_and_no_changed_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("value");
        let value = (7u64, vec![1.5f32, f32::MIN_POSITIVE], "text".to_owned());
        write_sealed(&System, &path, Kind::State, &value).unwrap();
        let read = || read_sealed::<(u64, Vec<f32>, String)>(&path, Kind::State);
        assert_eq!(read().unwrap(), value);
        let whole = fs::read(&path).unwrap();
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &bytes).unwrap();
            assert!(read().is_err(), "bit {bit}");
        }
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(read().is_err(), "length {length}");
        }
        fs::write(&path, [&whole[..], b"more"].concat()).unwrap();
        assert!(read().is_err());
        fs::write(&path, &whole).unwrap();
        let error = read_sealed::<u64>(&path, Kind::Games).unwrap_err().to_string();
        assert!(error.contains("holds State where Games should be"), "{error}");
    }
}
