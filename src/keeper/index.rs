//! The index beside a log: when bytes came, and from which stream.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use crate::protocol::disk::{INDEX, IndexRecord};

/// Bytes that come within so many milliseconds share a record: fine enough to
/// replay a screen, and a flood writes no index to speak of.
const GRAIN_MS: i64 = 20;

/// Writes `output.idx`. The newest record stays in memory until the loop has
/// nothing else to do; if it is lost with the keeper, the log's own length
/// tells what is missing.
#[derive(Debug)]
pub(super) struct Index {
    file: File,
    /// Where the last record on disk ends.
    written: u64,
    pending: Option<IndexRecord>,
}

impl Index {
    pub(super) fn open(dir: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options
            .create(true)
            .read(true)
            .append(true)
            .mode(0o600)
            .open(dir.join(INDEX))?;
        // A record that a crash cut short would shift all that follow.
        let length = file.metadata()?.len();
        let length = length - length % IndexRecord::BYTES as u64;
        file.set_len(length)?;
        let mut last = [0; IndexRecord::BYTES];
        let written = match length.checked_sub(IndexRecord::BYTES as u64) {
            Some(at) => {
                file.read_exact_at(&mut last, at)?;
                IndexRecord::from_bytes(&last).map_or(0, |record| record.end)
            }
            None => 0,
        };
        Ok(Self {
            file,
            written,
            pending: None,
        })
    }

    /// Up to where the log is known here.
    pub(super) fn end(&self) -> u64 {
        self.pending.map_or(self.written, |record| record.end)
    }

    /// What comes next is of this stream: a record of another one is written.
    pub(super) fn change_stream(&mut self, stream: u8) -> io::Result<()> {
        match &self.pending {
            Some(last) if last.stream != stream => self.flush(),
            _ => Ok(()),
        }
    }

    /// Notes that the log has grown to `end`.
    pub(super) fn add(&mut self, end: u64, at: i64, stream: u8) -> io::Result<()> {
        match &mut self.pending {
            Some(last) if last.stream == stream && (0..GRAIN_MS).contains(&(at - last.at)) => {
                last.end = end;
                Ok(())
            }
            _ => {
                let written = self.flush();
                self.pending = Some(IndexRecord { end, at, stream });
                written
            }
        }
    }

    /// Writes what is in memory.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self.pending.take() {
            Some(record) => {
                self.written = record.end;
                let at = self.file.metadata()?.len();
                let written = self.file.write_all(&record.to_bytes());
                if written.is_err() {
                    // Half a record would shift all that follow.
                    self.file.set_len(at)?;
                }
                written
            }
            None => Ok(()),
        }
    }
}
