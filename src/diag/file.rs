//! The file behind stderr, which never grows beyond its bound.
//!
//! Stderr itself is the file, so that what is not ours to format (an abort, a
//! linker's complaint) lands in it, too. Once it is full it becomes `NAME.1` in
//! place of the one before, and a new one takes its place.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing_subscriber::fmt::MakeWriter;

use crate::sys::file;

/// Bytes of one file; with the older one there are at most twice as many.
const LIMIT: u64 = 1 << 20;

/// Stderr as a file of bounded size.
pub(super) struct RotatedFile {
    path: PathBuf,
    older: PathBuf,
    /// Whether stderr is that file; if it is something else it is left alone.
    is_ours: bool,
    written: AtomicU64,
}

impl RotatedFile {
    /// Stderr, which is the file at `path` unless somebody pointed it elsewhere.
    pub(super) fn on_stderr(path: PathBuf, older: PathBuf) -> Self {
        let behind = stderr().and_then(|file| file.metadata());
        let named = std::fs::symlink_metadata(&path);
        let size = match (behind, named) {
            (Ok(behind), Ok(named)) if id(&behind) == id(&named) => Some(behind.len()),
            _ => None,
        };
        Self {
            path,
            older,
            is_ours: size.is_some(),
            written: AtomicU64::new(size.unwrap_or_default()),
        }
    }

    fn make_room(&self) {
        if self.begin_anew().is_err() {
            // Without a new file the old one starts again: the bound holds.
            let _ = stderr().and_then(|file| file.set_len(0));
        }
    }

    fn begin_anew(&self) -> io::Result<()> {
        match std::fs::rename(&self.path, &self.older) {
            // Somebody has removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
        let next = file::append(&self.path)?;
        Ok(rustix::stdio::dup2_stderr(&next)?)
    }
}

fn stderr() -> io::Result<File> {
    Ok(File::from(rustix::io::dup(rustix::stdio::stderr())?))
}

fn id(meta: &std::fs::Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

impl<'a> MakeWriter<'a> for RotatedFile {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

impl Write for &RotatedFile {
    /// One line. What the disk does not take is gone: nobody is there to be told.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let size = line.len() as u64;
        let before = self.written.fetch_add(size, Ordering::Relaxed);
        if self.is_ours && before > 0 && before + size > LIMIT {
            self.make_room();
            self.written.store(size, Ordering::Relaxed);
        }
        let _ = rustix::io::write(rustix::stdio::stderr(), line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
