//! Files that survive: whole or not at all, checksummed, decoded within limits.
//!
//! Every call that changes a file goes through a [`Disk`]. A value of its own is [sealed](write_sealed) and replaced in one step; what
//! grows is a [`Log`], whose torn tail costs its last record and nothing else.

mod atomic;
mod codec;
mod disk;
mod envelope;
mod error;
mod lock;
mod log;
mod patience;
mod sealed;
mod tail;

pub use atomic::{PARTIAL, read_capped, write_atomic};
pub use disk::{Disk, Sink, System};
pub use envelope::Kind;
pub use error::StorageError;
pub use lock::Lock;
pub use log::{Loaded, Log, read_log};
pub use patience::{patiently, rest};
pub use sealed::{read_sealed, sha256, write_sealed};
pub use tail::Tail;
