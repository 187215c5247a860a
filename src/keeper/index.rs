//! The index beside a log: when bytes came, and from which stream.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use crate::protocol::disk::{INDEX, IndexRecord};
use crate::sys::file;

/// Bytes that come within so many milliseconds share a record: fine enough to
/// replay a screen, and a flood writes no index to speak of.
const GRAIN_MS: i64 = 20;

/// Records on disk at most: 6 MiB. A job that prints without pause fills that in
/// an hour and a half.
const MAX_RECORDS: usize = 256 * 1024;

/// Writes `output.idx`. The newest record stays in memory until the loop has
/// nothing else to do; if it is lost with the keeper, the log's own length
/// tells what is missing.
#[derive(Debug)]
pub(super) struct Index {
    file: File,
    /// Where the last record on disk ends.
    written: u64,
    /// How many there are.
    records: usize,
    pending: Option<IndexRecord>,
}

impl Index {
    pub(super) fn open(dir: &Path) -> io::Result<Self> {
        let file = open(dir)?;
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
            records: length as usize / IndexRecord::BYTES,
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

    /// Writes the index anew if it has grown too long: without what is about
    /// bytes before `first`, and coarser. A reader finds one or the other.
    pub(super) fn shorten(&mut self, dir: &Path, first: u64) -> io::Result<()> {
        if self.records < MAX_RECORDS {
            return Ok(());
        }
        let bytes = std::fs::read(dir.join(INDEX))?;
        let records = bytes.chunks_exact(IndexRecord::BYTES);
        let records = shortened(records.filter_map(IndexRecord::from_bytes), first);
        let bytes: Vec<u8> = records
            .iter()
            .flat_map(|record| record.to_bytes())
            .collect();
        file::replace(&dir.join(INDEX), &bytes)?;
        self.file = open(dir)?;
        self.records = records.len();
        Ok(())
    }

    /// Writes what is in memory.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self.pending.take() {
            Some(record) => {
                self.written = record.end;
                self.records += 1;
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

fn open(dir: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options
        .create(true)
        .read(true)
        .append(true)
        .mode(0o600)
        .open(dir.join(INDEX))
}

/// What is about bytes before `first` goes; of two records of one stream, one is
/// left. Where streams take turns that saves nothing, so the oldest go.
fn shortened(records: impl Iterator<Item = IndexRecord>, first: u64) -> Vec<IndexRecord> {
    let mut kept: Vec<IndexRecord> = Vec::new();
    let mut joined = false;
    for record in records.filter(|record| record.end > first) {
        match kept.last_mut() {
            Some(last) if last.stream == record.stream && !joined => {
                last.end = record.end;
                joined = true;
            }
            _ => {
                kept.push(record);
                joined = false;
            }
        }
    }
    let surplus = kept.len().saturating_sub(MAX_RECORDS / 2);
    kept.split_off(surplus)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_long_index_is_shortened_and_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let mut index = Index::open(dir.path()).unwrap();
        let count = MAX_RECORDS as u64 + 10;
        for n in 1..=count {
            index.add(n, n as i64 * GRAIN_MS, 0).unwrap();
            index.shorten(dir.path(), 1000).unwrap();
        }
        index.flush().unwrap();
        let bytes = std::fs::read(dir.path().join(INDEX)).unwrap();
        let records: Vec<_> = bytes
            .chunks_exact(IndexRecord::BYTES)
            .map(|bytes| IndexRecord::from_bytes(bytes).unwrap())
            .collect();
        assert!(records.len() < MAX_RECORDS * 3 / 4, "{}", records.len());
        assert_eq!(records.last().unwrap().end, count);
        assert!(records[0].end > 1000 && records[0].end < 1010);
        assert!(records.windows(2).all(|pair| pair[0].end < pair[1].end));
    }

    #[test]
    fn streams_are_never_mixed_up() {
        let record = |end: u64| IndexRecord {
            end,
            at: 0,
            stream: (end % 2) as u8,
        };
        let kept = shortened((0..MAX_RECORDS as u64).map(record), 0);
        assert_eq!(kept.len(), MAX_RECORDS / 2);
        assert!(
            kept.iter()
                .all(|record| u64::from(record.stream) == record.end % 2)
        );
    }
}
