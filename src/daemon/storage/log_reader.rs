//! Reads a session's log at any offset, with the times of its output.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::rc::Rc;

use super::log_index::Index;
use crate::protocol::Timestamp;
use crate::protocol::disk::{IndexRecord, segment_name};
use crate::protocol::record::OutputFile;
use crate::sys::shared_table::SharedTable;
use crate::sys::tail::{KEPT, Tail};
use crate::sys::{file, segments};

/// Reads one session's log.
///
/// Reads hardly ever block: the keeper writes bytes just before it reports them, so they are
/// usually in the page cache.
pub(crate) struct LogReader {
    dir: PathBuf,
    /// The segment that was read last, if it is kept open.
    open: RefCell<Option<Segment>>,
    /// The segments as last listed for clients, cached because many replies list them.
    listed: RefCell<Vec<OutputFile>>,
    /// The bytes that are in no file, while the log cannot be written.
    tail: Option<SharedTail>,
    /// Whether a process of this machine may still write the log. If so, the segment stays open between reads.
    is_growing: bool,
}

/// One file of the log.
struct Segment {
    start: u64,
    /// Start offset of the next segment; `u64::MAX` if there was none when this one was opened.
    end: u64,
    file: File,
}

/// The memory in which the keeper holds the newest bytes of a log that cannot be written. The end
/// offset of these bytes is in the session's slot of the shared table.
pub(crate) struct SharedTail {
    pub(crate) tail: Tail,
    pub(crate) shared_table: Rc<SharedTable>,
    pub(crate) slot: u32,
}

impl Segment {
    /// Appends bytes of this segment from offset `at` on. Returns their number.
    fn read(&self, at: u64, want: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let Some(inside) = at.checked_sub(self.start) else {
            return Ok(0);
        };
        let left = usize::try_from(self.end.saturating_sub(at)).unwrap_or(usize::MAX);
        file::read_at(&self.file, inside, want.min(left), bytes)
    }
}

impl SharedTail {
    /// The first offset that is still in memory.
    fn start(&self) -> u64 {
        self.shared_table.slot(self.slot).end().saturating_sub(KEPT)
    }

    /// Appends the bytes from `at` on. Returns false if they were overwritten meanwhile.
    fn read(&self, at: u64, want: usize, bytes: &mut Vec<u8>) -> bool {
        let old = bytes.len();
        let read = self.tail.read(at..at + want as u64, bytes);
        let whole = read.is_ok() && at >= self.start();
        if !whole {
            bytes.truncate(old);
        }
        whole
    }
}

/// Consecutive bytes of one stream with one time of arrival: those of one index record. Not a run
/// of the session's program ([`crate::protocol::run::Run`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrival {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) stream: u8,
    pub(crate) at: Timestamp,
}

impl LogReader {
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self {
            dir,
            open: RefCell::new(None),
            listed: RefCell::default(),
            tail: None,
            is_growing: true,
        }
    }

    /// A log that other machines write. When another of them takes it over, its directory is exchanged, so no file is kept
    /// open.
    pub(crate) fn of_node(dir: PathBuf) -> Self {
        Self {
            is_growing: false,
            ..Self::new(dir)
        }
    }

    /// Sets the memory that has the bytes that are in no file.
    pub(crate) fn set_tail(&mut self, tail: Option<SharedTail>) {
        self.tail = tail;
    }

    /// The memory for bytes that are in no file.
    pub(crate) fn tail(&self) -> Option<&Tail> {
        self.tail.as_ref().map(|shared| &shared.tail)
    }

    /// Sets whether the log may still grow. If not, no file is kept open between reads.
    pub(crate) fn set_growing(&mut self, is_growing: bool) {
        self.is_growing = is_growing;
        self.open.replace(None);
    }

    /// The kept segments as (offset, bytes), oldest first.
    fn segments(&self) -> Vec<(u64, u64)> {
        let starts = self.starts().into_iter();
        starts.map(|start| (start, self.length(start))).collect()
    }

    /// Drops the segments before `first`. Only for a log that no process writes any more.
    pub(crate) fn drop_before(&self, first: u64) -> io::Result<()> {
        self.open.replace(None);
        let segments = self.segments();
        if segments.last().is_some_and(|(start, _)| *start < first) {
            // Keep an empty last segment, because its name records the end offset of the log.
            let mut options = File::options();
            let path = self.dir.join(segment_name(first));
            options.create(true).write(true).truncate(false).mode(0o600);
            options.open(path)?;
        }
        for (start, _) in segments.iter().filter(|(start, _)| *start < first) {
            std::fs::remove_file(self.dir.join(segment_name(*start)))?;
        }
        Ok(())
    }

    /// The kept segments, oldest first. `ends` gives the start offsets of the first and the newest segment, if
    /// they are known. Segments are only added at the end and dropped at the front, so if both are unchanged,
    /// the cached list is valid.
    pub(crate) fn files(&self, ends: Option<(u64, u64)>) -> Vec<OutputFile> {
        let mut listed = self.listed.borrow_mut();
        let known = listed.first().zip(listed.last());
        let known = known.map(|(first, newest)| (first.offset, newest.offset));
        if known.is_none() || known != ends {
            let path = |start| self.dir.join(segment_name(start)).display().to_string();
            let file = |offset| OutputFile {
                path: path(offset),
                offset,
            };
            *listed = self.starts().into_iter().map(file).collect();
        }
        listed.clone()
    }

    /// The start offsets of the kept segments, oldest first.
    pub(crate) fn starts(&self) -> Vec<u64> {
        self.try_starts().unwrap_or_default()
    }

    /// The start offsets of the segments, oldest first. A log without a directory has none.
    fn try_starts(&self) -> io::Result<Vec<u64>> {
        found(segments::starts(&self.dir)).map(Option::unwrap_or_default)
    }

    /// First and end offset of the log according to its files.
    pub(crate) fn bounds(&self) -> (u64, u64) {
        let starts = self.starts();
        let last = starts.last().copied().unwrap_or(0);
        (
            starts.first().copied().unwrap_or(0),
            last + self.length(last),
        )
    }

    /// Number of bytes in a segment; 0 if it is not known.
    fn length(&self, start: u64) -> u64 {
        segments::length(&self.dir, start).unwrap_or(0)
    }

    /// Reads consecutive bytes from `offset` on, at most `max`, up to `end` or to the next gap in
    /// the log. Returns the offset of the first byte, which is greater than `offset` if the byte
    /// there is not kept. What cannot be read counts as not kept.
    pub(crate) fn read(&self, offset: u64, end: u64, max: usize) -> (u64, Vec<u8>) {
        self.try_read(offset, end, max).unwrap_or((offset, vec![]))
    }

    /// As [`Self::read`], but says what cannot be read.
    ///
    /// # Errors
    ///
    /// If the bytes at `offset` may be kept, and cannot be read: the disk has failed, or this process has no descriptor
    /// left.
    pub(crate) fn try_read(&self, offset: u64, end: u64, max: usize) -> io::Result<(u64, Vec<u8>)> {
        let mut start = offset;
        let mut bytes = Vec::new();
        while bytes.len() < max {
            let at = start + bytes.len() as u64;
            if at >= end {
                break;
            }
            let want = usize::try_from(end - at)
                .unwrap_or(max)
                .min(max - bytes.len());
            match self.read_some(at, want, &mut bytes) {
                Ok(0) => {}
                Ok(_) => continue,
                // The next read begins there, and says so.
                Err(_) if !bytes.is_empty() => break,
                Err(error) => return Err(error),
            }
            // No file has this offset: it is in a gap or in a dropped segment, or the byte is only in memory.
            let segment = self.try_starts()?.into_iter().find(|&segment| segment > at);
            let next = match (segment, &self.tail) {
                (Some(segment), _) => segment,
                (None, Some(tail)) if at < tail.start() => tail.start(),
                (None, Some(tail)) if tail.read(at, want, &mut bytes) => continue,
                // The bytes were overwritten just now: continue where the memory starts.
                (None, Some(tail)) if at < tail.start() => tail.start(),
                _ => break,
            };
            if !bytes.is_empty() {
                break;
            }
            start = next;
        }
        Ok((start, bytes))
    }

    /// As [`Self::read`], without a limit on the number of bytes. It stops at a gap as well.
    pub(crate) fn read_all(&self, offset: u64, end: u64) -> (u64, Vec<u8>) {
        self.read(offset, end, usize::MAX)
    }

    /// All bytes of a range that are kept. What is missing between them does not show.
    ///
    /// # Errors
    ///
    /// As [`Self::try_read`].
    pub(crate) fn kept(&self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        let (mut at, mut kept) = (from, Vec::new());
        while at < to {
            let (start, bytes) = self.try_read(at, to, usize::MAX)?;
            if bytes.is_empty() {
                break;
            }
            at = start + bytes.len() as u64;
            kept.extend(bytes);
        }
        Ok(kept)
    }

    /// Number of newlines between two offsets, in the parts that are kept.
    pub(crate) fn newlines(&self, from: u64, to: u64) -> u64 {
        let (mut at, mut count) = (from, 0);
        while let Some((next, newlines)) = self.next_newlines(at, to) {
            at = next;
            count += newlines;
        }
        count
    }

    /// Number of newlines in the next chunk of a range, and where the one after it begins; `None` at its end.
    pub(crate) fn next_newlines(&self, from: u64, to: u64) -> Option<(u64, u64)> {
        if from >= to {
            return None;
        }
        let (start, bytes) = self.read(from, to, NEWLINES_CHUNK);
        let count = memchr::memchr_iter(b'\n', &bytes).count() as u64;
        (!bytes.is_empty()).then(|| (start + bytes.len() as u64, count))
    }

    /// Number of bytes after the first one, up to `end`, that are in no file.
    pub(crate) fn gaps(&self, end: u64) -> u64 {
        segments::gaps(&self.dir, self.starts().into_iter(), end)
    }

    /// Appends bytes from `at` on, as far as one segment has them. Returns their number.
    fn read_some(&self, at: u64, want: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let mut open = self.open.borrow_mut();
        if let Some(segment) = &*open {
            let read = segment.read(at, want, bytes)?;
            if read > 0 {
                return Ok(read);
            }
        }
        let starts = self.try_starts()?;
        let Some(place) = starts.iter().rposition(|&start| start <= at) else {
            return Ok(0);
        };
        let start = starts[place];
        let Some(file) = found(File::open(self.dir.join(segment_name(start))))? else {
            return Ok(0);
        };
        let end = starts.get(place + 1).copied().unwrap_or(u64::MAX);
        let segment = Segment { start, end, file };
        let read = segment.read(at, want, bytes);
        *open = self.is_growing.then_some(segment);
        read
    }

    /// The run that contains `offset`, from `offset` on.
    pub(crate) fn arrival_at(&self, offset: u64) -> Option<Arrival> {
        let index = Index::open(&self.dir)?;
        let IndexRecord { end, at, stream } = index.record(index.first_after(offset))?;
        Some(Arrival {
            start: offset,
            end,
            stream,
            at: Timestamp(at),
        })
    }

    /// The arrivals of a range, cut to it.
    pub(crate) fn arrivals(&self, from: u64, to: u64) -> Vec<Arrival> {
        let Some(index) = Index::open(&self.dir) else {
            return Vec::new();
        };
        let mut low = index.first_after(from);
        let mut arrivals = Vec::new();
        let mut start = from;
        while start < to {
            // Every record covers at least one byte, so this many suffice.
            let records = index.records(low, to - start);
            if records.is_empty() {
                break;
            }
            low += records.len() as u64;
            for IndexRecord { end, at, stream } in records {
                if start >= to {
                    break;
                }
                let end = end.min(to);
                arrivals.push(Arrival {
                    start,
                    end,
                    stream,
                    at: Timestamp(at),
                });
                start = end;
            }
        }
        arrivals
    }

    /// The end of the output at `time`. If the wall clock was set back, this is one of the offsets written at
    /// that time.
    pub(crate) fn end_at(&self, time: Timestamp) -> u64 {
        let Some(index) = Index::open(&self.dir) else {
            return 0;
        };
        let low = index.first(|record| record.at > time.millis());
        let last = low.checked_sub(1).and_then(|last| index.record(last));
        last.map_or(0, |record| record.end)
    }

    /// The offset up to which the index has records.
    pub(crate) fn indexed_end(&self) -> u64 {
        let last = Index::open(&self.dir).and_then(|index| index.last());
        last.map_or(0, |record| record.end)
    }
}

/// Bytes read at once to count newlines.
const NEWLINES_CHUNK: usize = 1 << 20;

/// What was opened; `None` if there is no such file.
fn found<T>(opened: io::Result<T>) -> io::Result<Option<T>> {
    match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::daemon::storage::log_index::AT_ONCE;
    use crate::protocol::disk::INDEX;

    fn log(segments: &[(u64, &str)]) -> (tempfile::TempDir, LogReader) {
        let dir = tempfile::tempdir().unwrap();
        for (start, text) in segments {
            std::fs::write(dir.path().join(segment_name(*start)), text).unwrap();
        }
        let reader = LogReader::new(dir.path().to_owned());
        (dir, reader)
    }

    #[test]
    fn reads_a_range_across_segments() {
        let (_dir, log) = log(&[(0, "hello "), (6, "world")]);
        assert_eq!(log.read_all(3, 9), (3, b"lo wor".to_vec()));
        assert_eq!(log.read(0, 11, 4), (0, b"hell".to_vec()));
        assert_eq!(log.bounds(), (0, 11));
    }

    #[test]
    fn skips_bytes_that_are_not_kept() {
        let (_dir, log) = log(&[(10, "abc"), (20, "def")]);
        assert_eq!(log.read_all(0, 23), (10, b"abc".to_vec()));
        assert_eq!(log.read_all(13, 23), (20, b"def".to_vec()));
        assert_eq!(log.read_all(23, 99), (23, vec![]));
    }

    #[test]
    fn what_cannot_be_read_is_no_gap() {
        let (dir, _) = log(&[(0, "hello")]);
        let file = LogReader::new(dir.path().join(segment_name(0)));
        assert!(file.try_read(0, 5, 5).is_err(), "it is no directory");
        let gone = LogReader::new(dir.path().join("gone"));
        assert_eq!(gone.try_read(0, 5, 5).unwrap(), (0, vec![]));
    }

    #[test]
    fn newlines_are_counted_across_segments_and_gaps() {
        let (_dir, log) = log(&[(10, "a\nb"), (13, "\n"), (20, "d\n\nf")]);
        assert_eq!(log.newlines(0, 99), 4);
        assert_eq!(log.newlines(12, 22), 2);
        assert_eq!(log.newlines(24, 99), 0);
    }

    #[test]
    fn skips_dropped_segments_and_keeps_the_end() {
        let (_dir, log) = log(&[(0, "hello "), (6, "world"), (11, "!")]);
        log.drop_before(6).unwrap();
        assert_eq!(log.segments(), [(6, 5), (11, 1)]);
        log.drop_before(12).unwrap();
        assert_eq!((log.segments(), log.bounds()), (vec![(12, 0)], (12, 12)));
        assert_eq!(log.read_all(0, 12), (12, vec![]));
    }

    #[test]
    fn the_index_separates_streams() {
        let (dir, log) = log(&[(0, "outerrout")]);
        let records = [(3, 0), (6, 1), (9, 0)];
        let bytes: Vec<u8> = records
            .iter()
            .flat_map(|&(end, stream)| IndexRecord { end, at: 5, stream }.to_bytes())
            .collect();
        std::fs::write(dir.path().join(INDEX), bytes).unwrap();
        let arrivals = log.arrivals(1, 7);
        let cut: Vec<_> = arrivals
            .iter()
            .map(|run| (run.start, run.end, run.stream))
            .collect();
        assert_eq!(cut, [(1, 3, 0), (3, 6, 1), (6, 7, 0)]);
        assert_eq!(log.arrival_at(4).unwrap().stream, 1);
        assert_eq!(log.indexed_end(), 9);
        // More records than one read returns.
        let record = |end| IndexRecord {
            end,
            at: 5,
            stream: 0,
        };
        let bytes: Vec<u8> = (1..=3 * AT_ONCE)
            .flat_map(|end| record(end).to_bytes())
            .collect();
        std::fs::write(dir.path().join(INDEX), bytes).unwrap();
        let arrivals = log.arrivals(7, 3 * AT_ONCE - 7);
        assert_eq!(arrivals.len() as u64, 3 * AT_ONCE - 14);
        assert_eq!((arrivals[0].start, arrivals[0].end), (7, 8));
    }
}
