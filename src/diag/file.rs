//! The file behind stderr, with bounded size.
//!
//! Stderr itself is the file, so that text we do not format (an abort, a message of the dynamic linker)
//! lands in it, too. A full file is renamed to `NAME.1`, replacing the previous one, and a new file is
//! begun.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing_subscriber::fmt::MakeWriter;

use crate::sys::file;

/// Maximum number of bytes in one file; together with the older one there are at most twice as many.
const LIMIT: u64 = 1 << 20;

/// Writes to stderr and rotates the file behind it.
pub(super) struct RotatedFile {
    path: PathBuf,
    older: PathBuf,
    /// Whether stderr is the file at `path`. If it is anything else, it is not rotated.
    is_ours: bool,
    written: AtomicU64,
}

impl RotatedFile {
    /// Wraps stderr, which is the file at `path` unless it was redirected.
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
            // If no new file can be created, truncate the old one to keep the bound.
            let _ = stderr().and_then(|file| file.set_len(0));
        }
    }

    fn begin_anew(&self) -> io::Result<()> {
        match std::fs::rename(&self.path, &self.older) {
            // The file was removed.
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
    /// Writes one line. Errors are dropped, because there is no one to report them to.
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
