//! The files of a log, each named by the offset of its first byte.

use std::collections::VecDeque;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::protocol::disk::segment_name;
use crate::sys::segments;

/// The segments of one log.
#[derive(Debug)]
pub(super) struct Segments {
    dir: PathBuf,
    /// Start offsets, oldest first; never empty. The last one is being written.
    starts: VecDeque<u64>,
}

impl Segments {
    /// What is in `dir`; a first segment is made if there is none.
    pub(super) fn open(dir: PathBuf) -> io::Result<(Self, File)> {
        make(&dir)?;
        let mut starts = segments::starts(&dir)?;
        let last = starts.last().copied().unwrap_or(0);
        if starts.is_empty() {
            starts.push(last);
        }
        let file = open_segment(&dir, last)?;
        let starts = starts.into();
        Ok((Self { dir, starts }, file))
    }

    /// Offset of the first byte of all.
    pub(super) fn first(&self) -> u64 {
        self.starts.front().copied().unwrap_or(0)
    }

    /// Offset of the first byte of the segment that is being written.
    pub(super) fn last(&self) -> u64 {
        self.starts.back().copied().unwrap_or(0)
    }

    /// Goes on in a segment that begins at `start`. One before it in which
    /// nothing was written goes.
    pub(super) fn begin(&mut self, start: u64) -> io::Result<File> {
        make(&self.dir)?;
        let file = open_segment(&self.dir, start)?;
        let last = self.last();
        if last != start {
            if self.starts.len() > 1 && self.saved(last) == 0 {
                let _ = std::fs::remove_file(self.path(last));
                self.starts.pop_back();
            }
            self.starts.push_back(start);
        }
        Ok(file)
    }

    /// Drops the segments that lie wholly before `offset`. Returns how many
    /// bytes of that range had been in no file.
    pub(super) fn drop_before(&mut self, offset: u64) -> u64 {
        let mut missing = 0;
        while self.starts.len() > 1 && self.starts[1] <= offset {
            if let Some(start) = self.starts.pop_front() {
                missing += (self.first() - start).saturating_sub(self.saved(start));
                let _ = std::fs::remove_file(self.path(start));
            }
        }
        missing
    }

    /// Bytes that are in no file, between the segments and up to `end`.
    pub(super) fn gaps(&self, end: u64) -> u64 {
        segments::gaps(&self.dir, self.starts.iter().copied(), end)
    }

    /// What lies where the segment that is being written should be is not it.
    pub(super) fn put_stranger_aside(&self) {
        let path = self.path(self.last());
        let _ = std::fs::rename(&path, path.with_extension("log.replaced"));
    }

    /// Where a segment lies.
    pub(super) fn path(&self, start: u64) -> PathBuf {
        self.dir.join(segment_name(start))
    }

    fn saved(&self, start: u64) -> u64 {
        segments::length(&self.dir, start)
    }
}

/// Somebody may have removed the directory.
fn make(dir: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Not for appending: `splice(2)` refuses that, and the offset is ours anyway.
fn open_segment(dir: &Path, start: u64) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options
        .create(true)
        .write(true)
        .truncate(false)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .mode(0o600)
        .open(dir.join(segment_name(start)))
}
