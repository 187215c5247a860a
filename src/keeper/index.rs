//! The index of a log: when each range of bytes arrived, and on which stream.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, fallocate};

use crate::protocol::disk::{INDEX, IndexRecord};
use crate::sys::file;

/// Bytes that arrive within this many milliseconds share a record. This is precise enough to replay
/// a screen, and keeps the index small when a job writes without pause.
const GRAIN_MS: i64 = 20;

/// Maximum number of records on disk (6 MiB). A job that writes without pause reaches it in 90
/// minutes.
const MAX_RECORDS: usize = 256 * 1024;

/// Maximum number of records in memory. If the disk refuses more, the last one covers what follows.
const MAX_PENDING: usize = 1024;

/// Writes `output.idx`. The newest record stays in memory until the keeper's event loop has nothing
/// else to do, and for longer if the disk refuses it. If the keeper is killed before that, the length
/// of the log shows how many bytes lack a record.
#[derive(Debug)]
pub(super) struct Index {
    path: PathBuf,
    /// Whether what is on disk is known.
    is_open: bool,
    /// Created with the first record; a silent job has none.
    file: Option<File>,
    /// Length on disk in bytes, a whole number of records.
    length: u64,
    /// The last record on disk.
    written: Option<IndexRecord>,
    /// Records that are not on disk, oldest first.
    pending: VecDeque<IndexRecord>,
    /// The number of records at which it is rewritten.
    shorten_at: u64,
}

impl Index {
    pub(super) fn open(dir: &Path) -> io::Result<Self> {
        Self::open_at(dir.join(INDEX))
    }

    /// The index of a directory that cannot be used now. It is opened before the next record is written.
    pub(super) fn unopened(dir: &Path) -> Self {
        Self {
            path: dir.join(INDEX),
            is_open: false,
            file: None,
            length: 0,
            written: None,
            pending: VecDeque::new(),
            shorten_at: MAX_RECORDS as u64,
        }
    }

    fn open_at(path: PathBuf) -> io::Result<Self> {
        let file = match open(&path, false) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                // A FIFO or the like. The job matters more than what was in its place.
                std::fs::rename(&path, path.with_extension("idx.bad"))?;
                None
            }
            opened => Some(opened?),
        };
        let mut length = 0;
        if let Some(file) = &file {
            // Cut off a partial record left by a crash: it would shift all that follow.
            length = file.metadata()?.len();
            length -= length % IndexRecord::BYTES as u64;
            file.set_len(length)?;
        }
        let mut index = Self {
            path,
            is_open: true,
            file,
            length,
            written: None,
            pending: VecDeque::new(),
            shorten_at: MAX_RECORDS as u64,
        };
        if let Some(last) = index.records().checked_sub(1) {
            index.written = index.record(last)?;
        }
        Ok(index)
    }

    /// End offset of the newest record.
    pub(super) fn end(&self) -> u64 {
        let last = self.pending.back().or(self.written.as_ref());
        last.map_or(0, |record| record.end)
    }

    /// Prepares for bytes of `stream`: writes the pending record if it belongs to another stream.
    pub(super) fn change_stream(&mut self, stream: u8) -> io::Result<()> {
        match self.pending.back() {
            Some(last) if last.stream != stream => self.flush(),
            _ => Ok(()),
        }
    }

    /// Records that the log has grown to `end`.
    pub(super) fn add(&mut self, end: u64, at: i64, stream: u8) -> io::Result<()> {
        match self.pending.back_mut() {
            Some(last) if last.stream == stream && is_soon(last, at) => {
                last.end = end;
                Ok(())
            }
            _ => {
                let written = self.flush();
                let is_full = self.pending.len() >= MAX_PENDING;
                match self.pending.back_mut() {
                    // It could not be written, and has to cover these bytes as well.
                    Some(last) if last.stream == stream || is_full => last.end = end,
                    _ => self.pending.push_back(IndexRecord { end, at, stream }),
                }
                written
            }
        }
    }

    /// Whether records are only in memory.
    pub(super) fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Writes the pending records.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        if !self.is_open && self.is_pending() {
            let opened = Self::open_at(self.path.clone())?;
            let mut pending = std::mem::take(&mut self.pending);
            pending.retain(|record| record.end > opened.end());
            *self = Self { pending, ..opened };
        }
        if self.is_pending() && self.is_removed() {
            // What it said is gone. Readers need at least what follows: which stream wrote it.
            (self.file, self.length, self.written) = (None, 0, None);
        }
        while let Some(record) = self.pending.front().copied() {
            self.write(record)?;
            self.pending.pop_front();
        }
        Ok(())
    }

    /// Whether another process has removed the file.
    fn is_removed(&self) -> bool {
        let meta = self.file.as_ref().and_then(|file| file.metadata().ok());
        meta.is_some_and(|meta| meta.nlink() == 0)
    }

    /// Writes a record. If its time is within [`GRAIN_MS`] of the last record on disk, it is merged into that one. So
    /// the index grows by at most one record per [`GRAIN_MS`], even if a job writes byte by byte.
    fn write(&mut self, mut record: IndexRecord) -> io::Result<()> {
        let size = IndexRecord::BYTES as u64;
        let mut place = self.length;
        let mut replaced = None;
        if let Some(last) = self.written.filter(|last| last.stream == record.stream)
            && is_soon(&last, record.at)
        {
            record.at = last.at;
            place -= size;
            replaced = Some(last);
        }
        let file = match self.file.take() {
            Some(file) => file,
            None => open(&self.path, true)?,
        };
        let file = self.file.insert(file);
        let written = file.write_all_at(&record.to_bytes(), place);
        if written.is_err() {
            // Cut off a partial record: it would shift all that follow. One that was to be replaced may be damaged.
            file.set_len(place)?;
            self.length = place;
            if let Some(last) = replaced {
                self.written = None;
                self.pending.push_front(last);
            }
            return written;
        }
        self.length = place + size;
        self.written = Some(record);
        Ok(())
    }

    /// Frees the disk space of records that end at or before `offset`, by punching a hole. They read as
    /// zeros afterwards. The other records keep their place, because another process may be
    /// searching the index at the same time.
    pub(super) fn drop_before(&mut self, offset: u64) -> io::Result<()> {
        let (mut low, mut high) = (0, self.records());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.record(middle)? {
                Some(record) if record.end > offset => high = middle,
                _ => low = middle + 1,
            }
        }
        // Keep the last record: it tells where the index ends.
        let dropped = low.min(self.records().saturating_sub(1)) * IndexRecord::BYTES as u64;
        let Some(file) = self.file.as_ref().filter(|_| dropped > 0) else {
            return Ok(());
        };
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        Ok(fallocate(file, flags, 0, dropped)?)
    }

    /// Rewrites the index if it has reached [`MAX_RECORDS`]: drops the records of bytes before
    /// `first` and merges others in pairs. The file is replaced as a whole, so a reader finds
    /// either the old or the new one.
    pub(super) fn shorten(&mut self, first: u64) -> io::Result<()> {
        if self.records() < self.shorten_at {
            return Ok(());
        }
        let bytes = file::read(&self.path)?;
        let records = bytes.chunks_exact(IndexRecord::BYTES);
        let records = shortened(records.filter_map(IndexRecord::from_bytes), first);
        let bytes: Vec<u8> = records
            .iter()
            .flat_map(|record| record.to_bytes())
            .collect();
        if let Err(error) = file::replace(&self.path, &bytes) {
            // On a full disk, for example. The next attempt waits until the index has grown by as much again.
            self.shorten_at = self.records() + MAX_RECORDS as u64 / 8;
            return Err(error);
        }
        self.shorten_at = MAX_RECORDS as u64;
        // Until the new one is open: the file of before is one that nobody finds any more.
        self.is_open = false;
        self.length = bytes.len() as u64;
        self.written = records.last().copied();
        self.file = Some(open(&self.path, false)?);
        self.is_open = true;
        Ok(())
    }

    /// Number of records on disk.
    fn records(&self) -> u64 {
        self.length / IndexRecord::BYTES as u64
    }

    /// The `n`th record on disk, counted from 0.
    fn record(&self, n: u64) -> io::Result<Option<IndexRecord>> {
        let mut bytes = [0; IndexRecord::BYTES];
        let Some(file) = &self.file else {
            return Ok(None);
        };
        file.read_exact_at(&mut bytes, n * IndexRecord::BYTES as u64)?;
        Ok(IndexRecord::from_bytes(&bytes))
    }
}

/// Whether bytes of time `at` still belong to record `last`: less than [`GRAIN_MS`] later.
fn is_soon(last: &IndexRecord, at: i64) -> bool {
    (0..GRAIN_MS).contains(&(at - last.at))
}

fn open(path: &Path, create: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options
        .create(create)
        .read(true)
        .write(true)
        .truncate(false);
    file::open_with(options, path)
}

/// Drops records of bytes before `first` and joins adjacent records of one stream in pairs. Where streams
/// alternate, joining saves nothing, so the oldest records are dropped.
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
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn on_disk(dir: &Path) -> Vec<(u64, i64, u8)> {
        let bytes = std::fs::read(dir.join(INDEX)).unwrap();
        let records = bytes.chunks(IndexRecord::BYTES);
        records
            .map(|bytes| IndexRecord::from_bytes(bytes).unwrap())
            .map(|record| (record.end, record.at, record.stream))
            .collect()
    }

    #[test]
    fn small_writes_share_a_record_on_disk() {
        let dir = tempfile::tempdir().unwrap();
        let mut index = Index::open(dir.path()).unwrap();
        for end in 1..=60 {
            index.add(end, 1000 + end.cast_signed(), 0).unwrap();
            index.flush().unwrap();
        }
        index.add(61, 1061, 1).unwrap();
        index.flush().unwrap();
        let expected = [(20, 1001, 0), (40, 1021, 0), (60, 1041, 0), (61, 1061, 1)];
        assert_eq!(on_disk(dir.path()), expected);
        // The next keeper extends the same record.
        let mut index = Index::open(dir.path()).unwrap();
        index.add(62, 1062, 1).unwrap();
        index.flush().unwrap();
        assert_eq!(on_disk(dir.path()).last(), Some(&(62, 1061, 1)));
    }

    #[test]
    fn a_silent_job_has_no_index() {
        let dir = tempfile::tempdir().unwrap();
        let mut index = Index::open(dir.path()).unwrap();
        index.flush().unwrap();
        index.drop_before(10).unwrap();
        index.shorten(10).unwrap();
        assert_eq!(index.end(), 0);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        index.add(5, 1000, 0).unwrap();
        index.flush().unwrap();
        assert_eq!(on_disk(dir.path()), [(5, 1000, 0)]);
    }

    #[test]
    fn a_record_that_the_disk_refuses_is_written_later() {
        let dir = tempfile::tempdir().unwrap();
        let away = dir.path().join("away");
        let mut index = Index::open(&away).unwrap();
        index.add(5, 1000, 0).unwrap();
        assert!(index.flush().is_err());
        assert!(index.add(9, 2000, 0).is_err());
        std::fs::create_dir(&away).unwrap();
        index.flush().unwrap();
        index.add(12, 3000, 0).unwrap();
        index.flush().unwrap();
        assert_eq!(on_disk(&away), [(9, 1000, 0), (12, 3000, 0)]);
    }

    #[test]
    fn an_index_that_somebody_removes_is_written_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut index = Index::open(dir.path()).unwrap();
        index.add(5, 1000, 0).unwrap();
        index.flush().unwrap();
        std::fs::remove_file(dir.path().join(INDEX)).unwrap();
        index.add(9, 1005, 0).unwrap();
        index.flush().unwrap();
        assert_eq!(on_disk(dir.path()), [(9, 1005, 0)]);
    }

    #[test]
    fn streams_that_the_disk_refuses_stay_apart() {
        let dir = tempfile::tempdir().unwrap();
        let away = dir.path().join("away");
        let mut index = Index::open(&away).unwrap();
        for (end, stream) in [(5_u64, 0), (7, 1), (9, 0)] {
            let at = 1000 + end.cast_signed() * 100;
            assert!(index.add(end, at, stream).is_err() || end == 5);
        }
        std::fs::create_dir(&away).unwrap();
        index.flush().unwrap();
        assert_eq!(on_disk(&away), [(5, 1500, 0), (7, 1700, 1), (9, 1900, 0)]);
        assert!(!index.is_pending());
    }

    #[test]
    fn an_index_that_could_not_be_opened_goes_on_where_it_ended() {
        let dir = tempfile::tempdir().unwrap();
        let mut index = Index::open(dir.path()).unwrap();
        index.add(5, 1000, 0).unwrap();
        index.flush().unwrap();
        let mut index = Index::unopened(dir.path());
        index.add(9, 2000, 0).unwrap();
        index.flush().unwrap();
        assert_eq!(on_disk(dir.path()), [(5, 1000, 0), (9, 2000, 0)]);
    }

    #[test]
    fn dropped_records_take_no_disk_space() {
        let dir = tempfile::tempdir().unwrap();
        let mut index = Index::open(dir.path()).unwrap();
        for end in 1..=10_000 {
            index.add(end, end.cast_signed() * 100, 0).unwrap();
        }
        index.flush().unwrap();
        let room = || std::fs::metadata(dir.path().join(INDEX)).unwrap().blocks() * 512;
        let before = room();
        index.drop_before(9_000).unwrap();
        assert!(room() < before / 4, "{} of {before}", room());
        let records = on_disk(dir.path());
        assert_eq!(records[9_000], (9_001, 900_100, 0));
        assert_eq!(records.len(), 10_000);
        index.drop_before(20_000).unwrap();
        assert_eq!(Index::open(dir.path()).unwrap().end(), 10_000);
    }

    #[test]
    fn a_long_index_is_shortened_and_keeps_growing() {
        let dir = tempfile::tempdir().unwrap();
        let mut index = Index::open(dir.path()).unwrap();
        let count = MAX_RECORDS as u64 + 10;
        for n in 1..=count {
            index.add(n, n as i64 * GRAIN_MS, 0).unwrap();
            index.shorten(1000).unwrap();
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
    fn shortening_never_joins_different_streams() {
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
