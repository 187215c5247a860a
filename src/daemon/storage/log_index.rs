//! Reads the index of a session's log.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::protocol::disk::{INDEX, IndexRecord};
use crate::sys::file;

/// Maximum number of index records read at once.
pub(super) const AT_ONCE: u64 = 1024;

/// The index of a log, open for reading: which stream wrote what, and when.
pub(super) struct Index {
    file: File,
    /// Number of records.
    count: u64,
}

impl Index {
    pub(super) fn open(dir: &Path) -> Option<Self> {
        let file = file::open(&dir.join(INDEX)).ok()?;
        let count = file.metadata().ok()?.len() / IndexRecord::BYTES as u64;
        Some(Self { file, count })
    }

    /// Number of the first record that ends after `offset`.
    pub(super) fn first_after(&self, offset: u64) -> u64 {
        self.first(|record| record.end > offset)
    }

    /// Number of the first record for which `is_it` holds, or the number of records if there is
    /// none. `is_it` must hold for all records after the first such record as well.
    pub(super) fn first(&self, is_it: impl Fn(&IndexRecord) -> bool) -> u64 {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.record(middle) {
                Some(record) if !is_it(&record) => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    /// The record with this number, counted from 0.
    pub(super) fn record(&self, n: u64) -> Option<IndexRecord> {
        let mut bytes = [0; IndexRecord::BYTES];
        let at = n * IndexRecord::BYTES as u64;
        self.file.read_exact_at(&mut bytes, at).ok()?;
        IndexRecord::from_bytes(&bytes)
    }

    /// The last record; `None` if there is none.
    pub(super) fn last(&self) -> Option<IndexRecord> {
        self.record(self.count.checked_sub(1)?)
    }

    /// Reads up to `wanted` records from number `from` on in one read, at most [`AT_ONCE`].
    pub(super) fn records(&self, from: u64, wanted: u64) -> Vec<IndexRecord> {
        let size = IndexRecord::BYTES as u64;
        let count = wanted.min(AT_ONCE).min(self.count.saturating_sub(from));
        let mut bytes = Vec::new();
        let want = usize::try_from(count * size).unwrap_or(0);
        // What cannot be read counts as missing.
        let _ = file::read_at(&self.file, from * size, want, &mut bytes);
        let records = bytes.chunks_exact(IndexRecord::BYTES);
        records.map_while(IndexRecord::from_bytes).collect()
    }
}
