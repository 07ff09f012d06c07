//! How every binary file of this program begins.
//!
//! ```text
//! magic "plyzero\n" | version u16 | kind u16
//! ```
//! Numbers are little-endian.

use std::io::Read as _;
use std::path::Path;

use super::{StorageError, atomic};

const MAGIC: &[u8; 8] = b"plyzero\n";
/// No earlier version is one flipped bit away from it, so that none is taken for another: 3 would be from 2.
const VERSION: u16 = 4;
/// The length of the beginning, in bytes.
pub(super) const HEADER: usize = 12;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Kind {
    /// The games of self-play of an iteration, sealed.
    Games = 1,
    /// What a run needs to go on, sealed.
    State = 2,
    /// A log of games of a tournament.
    Tournament = 3,
    /// A log of games of an iteration that is still being played.
    Playing = 4,
    /// Scores of positions that a solver found out, sealed.
    Solved = 5,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Games, Kind::State, Kind::Tournament, Kind::Playing, Kind::Solved];

    /// The first format version that its content has had the form of today.
    fn since(self) -> u16 {
        match self {
            Kind::Solved => 1,
            Kind::Games | Kind::State | Kind::Playing => 2,
            Kind::Tournament => 4,
        }
    }

    /// What the file at `path` holds, as its first bytes say; none where it is not a file of this program.
    ///
    /// # Errors
    /// When it cannot be read, or was written by a newer program, or by one whose files are read no more.
    pub fn of(path: &Path) -> Result<Option<Self>, StorageError> {
        let file = atomic::open(path)?;
        let mut beginning = Vec::new();
        file.take(HEADER as u64).read_to_end(&mut beginning).map_err(StorageError::io("read", path))?;
        if !beginning.starts_with(MAGIC) {
            return Ok(None);
        }
        split(path, &beginning).map(|(kind, _)| Some(kind))
    }
}

/// How a file of `kind` begins.
pub(super) fn begin(kind: Kind) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    bytes[10..].copy_from_slice(&(kind as u16).to_le_bytes());
    bytes
}

/// What follows the beginning of the file at `path`, which holds `bytes` and must be of `kind`.
pub(super) fn open<'a>(path: &Path, bytes: &'a [u8], kind: Kind) -> Result<&'a [u8], StorageError> {
    match split(path, bytes)? {
        (found, rest) if found == kind => Ok(rest),
        (found, _) => Err(StorageError::damaged(path, format!("it holds {found:?} where {kind:?} should be"))),
    }
}

fn split<'a>(path: &Path, bytes: &'a [u8]) -> Result<(Kind, &'a [u8]), StorageError> {
    let damaged = |what: String| StorageError::damaged(path, what);
    let Some((header, rest)) = bytes.split_at_checked(HEADER) else {
        return Err(damaged("it is shorter than its header".to_owned()));
    };
    if &header[..8] != MAGIC {
        return Err(damaged("it does not begin with plyzero's mark".to_owned()));
    }
    let version = u16::from_le_bytes([header[8], header[9]]);
    if version > VERSION {
        return Err(StorageError::Newer { path: path.to_owned(), found: version, known: VERSION });
    }
    let kind = u16::from_le_bytes([header[10], header[11]]);
    match Kind::ALL.into_iter().find(|known| *known as u16 == kind) {
        Some(kind) if version < kind.since() => {
            Err(StorageError::Older { path: path.to_owned(), found: version, known: kind.since() })
        }
        Some(kind) => Ok((kind, rest)),
        None => Err(damaged(format!("there is no kind {kind} of file"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_earlier_versions_are_read_where_their_content_is_the_same_and_named_where_not() {
        let path = Path::new("file");
        let of_version_1 = |kind| {
            let mut bytes = begin(kind);
            bytes[8..10].copy_from_slice(&1u16.to_le_bytes());
            bytes
        };
        assert!(open(path, &of_version_1(Kind::Solved), Kind::Solved).unwrap().is_empty());
        for (kind, since) in [(Kind::Games, 2), (Kind::State, 2), (Kind::Playing, 2), (Kind::Tournament, 4)] {
            let error = open(path, &of_version_1(kind), kind).unwrap_err();
            assert!(
                error.to_string().contains(&format!("version 1, and this build reads such files from {since} on")),
                "{error}"
            );
            assert!(open(path, &begin(kind), kind).is_ok());
        }
    }
}
