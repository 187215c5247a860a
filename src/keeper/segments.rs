//! The files of a log, each named by the offset of its first byte.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::protocol::disk::segment_name;
use crate::sys::paths::create_in_private_dir;
use crate::sys::{file, segments};

/// The segments of one log.
#[derive(Debug)]
pub(super) struct Segments {
    dir: PathBuf,
    /// Start offsets, oldest first; never empty. The last segment is being written.
    starts: VecDeque<u64>,
    /// Start offsets of dropped segments whose files are still there.
    dropped: Vec<u64>,
}

/// What the segments that were dropped had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dropped {
    /// Number of bytes of the dropped range that were in no file.
    pub(super) missing: u64,
    /// Number of newlines; `None` if a file could not be read.
    pub(super) newlines: Option<u64>,
}

impl Segments {
    /// Opens the segments in `dir`; creates the first one if there is none.
    pub(super) fn open(dir: PathBuf) -> io::Result<(Self, File)> {
        make(&dir)?;
        let mut starts = segments::starts(&dir)?;
        let last = starts.last().copied().unwrap_or(0);
        if starts.is_empty() {
            starts.push(last);
        }
        let file = open_segment(&dir, last)?;
        let starts = starts.into();
        let dropped = Vec::new();
        Ok((
            Self {
                dir,
                starts,
                dropped,
            },
            file,
        ))
    }

    /// The segments in a directory that cannot be used now, as far as they are known. The oldest begins at `first`.
    pub(super) fn unopened(dir: PathBuf, first: u64) -> Self {
        let starts = segments::starts(&dir).unwrap_or_default();
        let mut starts: VecDeque<u64> = starts.into();
        if starts.is_empty() {
            starts.push_back(first);
        }
        Self {
            dir,
            starts,
            dropped: Vec::new(),
        }
    }

    /// Offset after the last byte that is in a file; `None` if that is not known.
    pub(super) fn saved_end(&self) -> Option<u64> {
        let last = self.last();
        Some(last + self.saved(last).ok()?)
    }

    /// Start offset of the oldest segment.
    pub(super) fn first(&self) -> u64 {
        self.starts.front().copied().unwrap_or(0)
    }

    /// Start offset of the segment that is being written.
    pub(super) fn last(&self) -> u64 {
        self.starts.back().copied().unwrap_or(0)
    }

    /// Begins a segment at `start`. Removes the segment before it if nothing was written to it.
    pub(super) fn begin(&mut self, start: u64) -> io::Result<File> {
        make(&self.dir)?;
        let file = open_segment(&self.dir, start)?;
        let last = self.last();
        if last != start {
            if self.starts.len() > 1 && matches!(self.saved(last), Ok(0)) {
                let _ = std::fs::remove_file(self.path(last));
                self.starts.pop_back();
            }
            self.starts.push_back(start);
        }
        Ok(file)
    }

    /// Drops the segments that lie wholly before `offset`. Their files stay until
    /// [`Self::remove_dropped`].
    pub(super) fn drop_before(&mut self, offset: u64) -> Dropped {
        let (mut missing, mut newlines) = (0, Some(0));
        while self.starts.len() > 1 && self.starts[1] <= offset {
            if let Some(start) = self.starts.pop_front() {
                missing += (self.first() - start).saturating_sub(self.saved(start).unwrap_or(0));
                let counted = segments::newlines(&self.dir, start).ok();
                newlines = newlines
                    .zip(counted)
                    .map(|(newlines, counted)| newlines + counted);
                self.dropped.push(start);
            }
        }
        Dropped { missing, newlines }
    }

    /// Removes the files of dropped segments.
    pub(super) fn remove_dropped(&mut self) {
        for start in std::mem::take(&mut self.dropped) {
            let _ = std::fs::remove_file(self.path(start));
        }
    }

    /// Number of bytes up to `end` that are in no segment.
    pub(super) fn gaps(&self, end: u64) -> u64 {
        segments::gaps(&self.dir, self.starts.iter().copied(), end)
    }

    /// Renames a file that somebody else has put at the path of the newest segment.
    pub(super) fn rename_foreign_file(&self) {
        let path = self.path(self.last());
        let _ = std::fs::rename(&path, path.with_extension("log.replaced"));
    }

    /// Path of the segment that begins at `start`.
    pub(super) fn path(&self, start: u64) -> PathBuf {
        self.dir.join(segment_name(start))
    }

    fn saved(&self, start: u64) -> io::Result<u64> {
        segments::length(&self.dir, start)
    }
}

/// Creates the session's directory, which may have been removed.
fn make(dir: &Path) -> io::Result<()> {
    match create_in_private_dir(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Opens a segment without `O_APPEND`: `splice(2)` refuses that, and the keeper sets the offset anyway.
fn open_segment(dir: &Path, start: u64) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.create(true).write(true).truncate(false);
    file::open_with(options, &dir.join(segment_name(start)))
}
