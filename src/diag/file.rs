//! The file behind stderr, which never grows beyond its bound.
//!
//! Stderr itself is the file, so that what is not ours to format (an abort, a
//! linker's complaint) lands in it, too. Once it is full it becomes `NAME.1` in
//! place of the one before, and a new one takes its place.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tracing_subscriber::fmt::MakeWriter;

use crate::sys::file;

/// Bytes of one file; with the older one there are at most twice as many.
const LIMIT: u64 = 1 << 20;

/// Stderr as a file of bounded size.
pub(super) struct RotatedFile {
    /// Where it lies; `None` if stderr is something else, which is left alone.
    path: Option<PathBuf>,
    written: AtomicU64,
}

impl RotatedFile {
    /// Stderr, if it is the file at `path`.
    pub(super) fn on_stderr(path: &Path) -> Self {
        let behind = stderr().and_then(|file| file.metadata());
        let named = std::fs::symlink_metadata(path);
        let (path, written) = match (behind, named) {
            (Ok(behind), Ok(named)) if id(&behind) == id(&named) => {
                (Some(path.to_owned()), behind.len())
            }
            _ => (None, 0),
        };
        Self {
            path,
            written: AtomicU64::new(written),
        }
    }

    fn make_room(&self, path: &Path) {
        let moved = move_aside(path).and_then(|()| {
            let next = file::append(path)?;
            Ok(rustix::stdio::dup2_stderr(&next)?)
        });
        if moved.is_err() {
            // Without a new file the old one starts again: the bound holds.
            let _ = stderr().and_then(|file| file.set_len(0));
        }
        self.written.store(0, Ordering::Relaxed);
    }
}

/// The name of the older file.
fn older(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    name.into()
}

fn move_aside(path: &Path) -> io::Result<()> {
    match std::fs::rename(path, older(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
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
        if let Some(path) = &self.path
            && before > 0
            && before + size > LIMIT
        {
            self.make_room(path);
            self.written.store(size, Ordering::Relaxed);
        }
        let _ = rustix::io::write(rustix::stdio::stderr(), line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
