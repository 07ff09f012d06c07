//! A disk on which one call fails, and fails once.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use plyzero::storage::{Disk, Sink, System};

/// Counts the calls that change files; the one with this number, from 1, fails.
pub struct Faulty {
    calls: Arc<AtomicU64>,
    fails: u64,
    cause: i32,
}

/// `errno` of a full disk.
pub const ENOSPC: i32 = 28;
/// `errno` of a broken one.
pub const EIO: i32 = 5;

impl Faulty {
    pub fn new(fails: u64, cause: i32) -> Arc<Self> {
        Arc::new(Self { calls: Arc::new(AtomicU64::new(0)), fails, cause })
    }

    /// Calls so far.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    fn call(&self) -> io::Result<()> {
        count(&self.calls, self.fails, self.cause)
    }
}

fn count(calls: &AtomicU64, fails: u64, cause: i32) -> io::Result<()> {
    let number = calls.fetch_add(1, Ordering::Relaxed) + 1;
    if number == fails { Err(io::Error::from_raw_os_error(cause)) } else { Ok(()) }
}

struct FaultySink {
    inner: Box<dyn Sink>,
    calls: Arc<AtomicU64>,
    fails: u64,
    cause: i32,
}

impl Faulty {
    fn sink(&self, inner: io::Result<Box<dyn Sink>>) -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(FaultySink { inner: inner?, calls: Arc::clone(&self.calls), fails: self.fails, cause: self.cause }))
    }
}

impl Disk for Faulty {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        self.call()?;
        self.sink(System.create(path))
    }

    fn append(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        self.call()?;
        self.sink(System.append(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call()?;
        System.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.call()?;
        System.remove(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.call()?;
        System.create_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.call()?;
        System.sync_folder(path)
    }
}

impl Sink for FaultySink {
    /// A write that fails leaves a part, as a full disk does.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let allowed = count(&self.calls, self.fails, self.cause);
        if allowed.is_err() {
            self.inner.write(&bytes[..bytes.len() / 2])?;
        }
        allowed?;
        self.inner.write(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        count(&self.calls, self.fails, self.cause)?;
        self.inner.sync()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        count(&self.calls, self.fails, self.cause)?;
        self.inner.cut(length)
    }
}
