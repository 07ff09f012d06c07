//! Files that survive: whole or not at all, checksummed, decoded within limits.

mod atomic;
mod chunk;
mod codec;

pub use atomic::{StorageError, read_capped, write_atomic};
pub use chunk::{ChunkWriter, Kind, Loaded, read_chunk};
