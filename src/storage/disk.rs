//! The calls by which files are changed, behind a trait, so that a test can let any one of them fail.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Where files are.
pub trait Disk: Send + Sync {
    /// Opens a file for writing, made or emptied.
    ///
    /// # Errors
    /// When the system refuses.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>>;

    /// Opens a file for writing at its end, made if need be.
    ///
    /// # Errors
    /// When the system refuses.
    fn append(&self, path: &Path) -> io::Result<Box<dyn Sink>>;

    /// Gives a file another name, in place of what had that name.
    ///
    /// # Errors
    /// When the system refuses.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// When the system refuses.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes a folder and those above it, where they are not there yet.
    ///
    /// # Errors
    /// When the system refuses.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Makes the names in a folder last.
    ///
    /// # Errors
    /// When the system refuses.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// An open file.
pub trait Sink: Send {
    /// Writes all of `bytes` at the end; part of them where it fails.
    ///
    /// # Errors
    /// When the system refuses.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Makes what was written last.
    ///
    /// # Errors
    /// When the system refuses; what was written since the last success may then be lost.
    fn sync(&mut self) -> io::Result<()>;

    /// Cuts the file to a length, in bytes.
    ///
    /// # Errors
    /// When the system refuses.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

/// The files of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Disk for System {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(File::create(path)?))
    }

    fn append(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(OpenOptions::new().append(true).create(true).open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // Only Unix lets a folder be opened as a file; elsewhere names are as durable as the system makes them.
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }
}

impl Sink for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}
