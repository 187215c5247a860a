//! A session's log: raw bytes in segments, one permanent offset per byte.
//!
//! While the disk refuses bytes or has too little space left, new bytes still get offsets. The
//! newest of them stay in memory (`sys::tail`), and the number of unsaved bytes is counted. As soon
//! as there is space again, the bytes in memory are saved to a new segment. Bytes that were not
//! saved leave a gap between two segments; no reader gets NULs in their place.
//!
//! Line numbers are permanent, but the daemon may be slower than a job whose output exceeds the
//! limit. So the newlines of segments that are dropped are counted, and their number is published
//! before the files are removed: a reader that no longer finds a file knows what it missed.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;

use super::disk::Disk;
use super::index::Index;
use super::segments::{Dropped, Segments};
use crate::protocol::disk::segment_bytes;
use crate::sys::splice::{CHUNK, SplicePipe, Taken};
use crate::sys::tail::{KEPT, Tail};
use crate::sys::{clock, failpoint};

/// Milliseconds to wait before another attempt to write, after the disk refused bytes.
pub(super) const RETRY_MS: u64 = 1000;

/// The log of one session, open for writing.
#[derive(Debug)]
pub(super) struct Log {
    segments: Segments,
    sink: Sink,
    end: u64,
    /// Number of newest bytes to keep. Older segments are dropped whole, so slightly more is kept.
    keep: u64,
    index: Index,
    /// Number of bytes after `first` that are in no file.
    unsaved: u64,
    /// Number of newlines before `first`; `None` if not known.
    newlines: Option<u64>,
}

/// Where new bytes go.
#[derive(Debug)]
enum Sink {
    /// The last segment.
    Segment(File),
    /// Memory, while the disk refuses them.
    Memory(Degraded),
}

/// The state of a log while the disk refuses its bytes.
#[derive(Debug)]
struct Degraded {
    reason: String,
    /// Offset from which on nothing is saved.
    since: u64,
    /// The newest of these bytes; `None` if there was no memory for them either.
    tail: Option<Tail>,
    /// Time of the next attempt, in boot-time milliseconds.
    retry_at: u64,
}

impl Degraded {
    /// Moves the bytes of `offsets` from the splice pipe into the tail. Returns how many were not moved.
    fn put(&self, pipe: &SplicePipe, offsets: Range<u64>) -> usize {
        let mut left = usize::try_from(offsets.end - offsets.start).unwrap_or(usize::MAX);
        if let Some(tail) = &self.tail {
            for (place, length) in Tail::parts(offsets) {
                let (put, refused) = pipe.put(tail, place, length);
                left -= put;
                if refused.is_some() {
                    break;
                }
            }
        }
        left
    }

    /// The bytes before `end` that are still in memory.
    fn newest(&self, end: u64) -> Vec<u8> {
        let start = end.saturating_sub(KEPT).max(self.since);
        let mut bytes = Vec::new();
        let tail = self.tail.as_ref();
        let read = tail.is_some_and(|tail| tail.read(start..end, &mut bytes).is_ok());
        if !read {
            bytes.clear();
        }
        bytes
    }
}

/// The result of one attempt to move output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moved {
    /// The log has grown; the flag says whether saving stopped or resumed.
    Bytes { degraded_changed: bool },
    /// There is nothing to read now.
    Nothing,
    /// The source is at its end.
    End,
}

impl Log {
    /// Opens the log in `dir`, or creates it. `end` is the end of the log according to an earlier keeper,
    /// and `tail` holds the bytes that keeper had in memory.
    pub(super) fn open(dir: PathBuf, keep: u64, end: u64, tail: Option<Tail>) -> io::Result<Self> {
        let index = Index::open(&dir)?;
        let (segments, file) = Segments::open(dir)?;
        let saved = segments.last() + file.metadata()?.len();
        let end = saved.max(end);
        let sink = if saved < end {
            Sink::Memory(Degraded {
                reason: "its log could not be written when the keeper was replaced".to_owned(),
                since: saved,
                tail,
                retry_at: 0,
            })
        } else {
            Sink::Segment(file)
        };
        Ok(Self {
            unsaved: segments.gaps(end),
            newlines: (segments.first() == 0).then_some(0),
            segments,
            sink,
            end,
            keep,
            index,
        })
    }

    /// The log of a job that runs, and whose directory cannot be used now: the job goes on, and so do its offsets.
    /// `first` and `end` are the bounds according to an earlier keeper, and `tail` holds the bytes that it had in
    /// memory.
    pub(super) fn unopened(
        dir: PathBuf,
        keep: u64,
        (first, end): (u64, u64),
        tail: Option<Tail>,
        why: &io::Error,
    ) -> Self {
        let index = Index::unopened(&dir);
        let segments = Segments::unopened(dir, first);
        // What is in no file and not in memory either is lost.
        let since = segments.saved_end().unwrap_or(end).min(end);
        let tail = tail.or_else(|| Tail::create().ok());
        Self {
            unsaved: segments.gaps(end),
            newlines: None,
            segments,
            sink: Sink::Memory(Degraded {
                reason: why.to_string(),
                since,
                tail,
                retry_at: clock::boot_ms() + RETRY_MS,
            }),
            end,
            keep,
            index,
        }
    }

    /// Offset after the last byte.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Offset of the oldest kept byte.
    pub(super) fn first(&self) -> u64 {
        self.segments.first()
    }

    /// Number of newlines before [`Self::first`]; `None` if not known.
    pub(super) fn newlines(&self) -> Option<u64> {
        self.newlines
    }

    /// Continues the count of newlines: an earlier opening of this log, maybe in another keeper, had
    /// dropped the bytes before `first`.
    pub(super) fn continue_count(&mut self, first: u64, newlines: Option<u64>) {
        // That keeper may have been killed before it removed the files.
        if self.first() < first {
            self.drop_segments_before(first);
            self.remove_dropped();
        }
        if self.first() == first {
            self.newlines = newlines;
        }
    }

    /// Start offset of the segment that is being written.
    pub(super) fn segment(&self) -> u64 {
        self.segments.last()
    }

    /// Number of bytes after `first` that are in no file.
    pub(super) fn unsaved(&self) -> u64 {
        self.unsaved
    }

    /// Why bytes are not being saved, and the newest of them; `None` if they are saved.
    pub(super) fn degraded(&self) -> Option<(&str, Option<&Tail>)> {
        match &self.sink {
            Sink::Segment(_) => None,
            Sink::Memory(degraded) => Some((&degraded.reason, degraded.tail.as_ref())),
        }
    }

    fn is_degraded(&self) -> bool {
        matches!(self.sink, Sink::Memory(_))
    }

    /// Moves what can be read from `source`, one chunk at most.
    pub(super) fn take(
        &mut self,
        pipe: &SplicePipe,
        disk: &mut Disk,
        source: impl AsFd,
        stream: u8,
    ) -> io::Result<Moved> {
        // Bytes without an index record must all be of one stream: see `Keeper::move_output`.
        let _ = self.index.change_stream(stream);
        let bytes = match pipe.take(source, self.room_in_segment())? {
            Taken::Bytes(bytes) => bytes,
            Taken::Nothing => return Ok(Moved::Nothing),
            Taken::End => return Ok(Moved::End),
        };
        failpoint::hit("output.before_saving");
        let degraded_changed = self.put(pipe, disk, bytes, stream);
        Ok(Moved::Bytes { degraded_changed })
    }

    /// Number of bytes for which the current segment has room. Segments are dropped whole, so
    /// longer segments would keep more bytes than requested.
    fn room_in_segment(&self) -> usize {
        if self.is_degraded() {
            return CHUNK;
        }
        let room = segment_bytes(self.keep).saturating_sub(self.end - self.segments.last());
        usize::try_from(room).unwrap_or(CHUNK).clamp(1, CHUNK)
    }

    /// Moves `bytes` bytes from the splice pipe into the log. Returns true if saving stopped or resumed, or
    /// both.
    pub(super) fn put(
        &mut self,
        pipe: &SplicePipe,
        disk: &mut Disk,
        bytes: usize,
        stream: u8,
    ) -> bool {
        let was_degraded = self.is_degraded();
        self.check_segment_file();
        match (disk.check(bytes), &self.sink) {
            (Some(low), Sink::Segment(_)) => self.suspend(low.to_owned()),
            (Some(_), Sink::Memory(_)) => {}
            (None, _) => self.recover(),
        }
        // If saving resumes here and the disk refuses bytes again below, the log has another tail
        // than before. The caller must then pass the new tail to the daemon.
        let has_resumed = was_degraded && !self.is_degraded();
        let start = self.segments.last();
        let left = match &self.sink {
            Sink::Segment(file) => {
                let (put, refused) = pipe.put(file, self.end - start, bytes);
                self.end += put as u64;
                if let Some(errno) = refused {
                    self.suspend(io::Error::from(errno).to_string());
                }
                bytes - put
            }
            Sink::Memory(_) => bytes,
        };
        if let Sink::Memory(degraded) = &self.sink {
            let offsets = self.end..self.end + left as u64;
            self.end = offsets.end;
            self.unsaved += left as u64;
            pipe.discard(degraded.put(pipe, offsets));
        }
        // Ignore errors: without the index only times are missing.
        let _ = self.index.add(self.end, clock::wall().millis(), stream);
        let _ = self.index.shorten(self.first());
        if !self.is_degraded() && self.end - start >= segment_bytes(self.keep) {
            self.rotate();
        }
        has_resumed || was_degraded != self.is_degraded()
    }

    /// Adds to the index the bytes that a killed keeper had not recorded.
    pub(super) fn complete_index(&mut self, stream: u8) {
        if self.index.end() < self.end {
            let _ = self.index.add(self.end, clock::wall().millis(), stream);
            let _ = self.flush_index();
        }
    }

    /// Writes the index's pending records. Returns whether all are on disk.
    pub(super) fn flush_index(&mut self) -> bool {
        self.index.flush().is_ok()
    }

    /// Begins a new segment at the end and drops everything before it. The files stay until
    /// [`Self::remove_dropped`].
    pub(super) fn clear(&mut self) -> io::Result<()> {
        if self.is_degraded() || self.end > self.segments.last() {
            self.sink = Sink::Segment(self.segments.begin(self.end)?);
        }
        self.drop_segments_before(self.end);
        self.unsaved = 0;
        Ok(())
    }

    /// Drops the segments that lie wholly before `offset`. Their files stay until
    /// [`Self::remove_dropped`].
    pub(super) fn drop_segments_before(&mut self, offset: u64) {
        let first = self.first();
        let Dropped { missing, newlines } = self.segments.drop_before(offset);
        self.unsaved = self.unsaved.saturating_sub(missing);
        let counted = self.newlines.zip(newlines);
        self.newlines = counted.map(|(before, newlines)| before + newlines);
        if self.first() != first {
            // Some file systems refuse this; the index takes more space there.
            let _ = self.index.drop_before(self.first());
        }
    }

    /// Removes the files of dropped segments. Call this after [`Self::first`] and
    /// [`Self::newlines`] are published.
    pub(super) fn remove_dropped(&mut self) {
        self.segments.remove_dropped();
    }

    /// Tries to save again if the retry time has come. Returns whether bytes are being saved.
    pub(super) fn retry(&mut self, disk: &mut Disk) -> bool {
        if disk.check(0).is_none() {
            self.recover();
        }
        !self.is_degraded()
    }

    fn rotate(&mut self) {
        match self.segments.begin(self.end) {
            Ok(file) => self.sink = Sink::Segment(file),
            Err(error) => self.suspend(error.to_string()),
        }
        self.drop_segments_before(self.end.saturating_sub(self.keep));
    }

    /// Stops saving. Bytes that arrive from now on still get offsets.
    fn suspend(&mut self, reason: String) {
        self.sink = Sink::Memory(Degraded {
            reason,
            since: self.end,
            tail: None,
            retry_at: clock::boot_ms() + RETRY_MS,
        });
        // Only now, when the segment is closed: if there are no more descriptors, the memory gets that one.
        if let Sink::Memory(degraded) = &mut self.sink {
            degraded.tail = Tail::create().ok();
        }
    }

    /// Once the retry time has come, tries to begin a new segment with the bytes that are still in memory.
    fn recover(&mut self) {
        let now = clock::boot_ms();
        let Sink::Memory(degraded) = &mut self.sink else {
            return;
        };
        if now < degraded.retry_at {
            return;
        }
        degraded.retry_at = now + RETRY_MS;
        let bytes = degraded.newest(self.end);
        let saved = bytes.len() as u64;
        match resume(&mut self.segments, self.end - saved, &bytes) {
            Ok(file) => {
                self.sink = Sink::Segment(file);
                self.unsaved = self.unsaved.saturating_sub(saved);
            }
            Err(error) => degraded.reason = error.to_string(),
        }
    }

    /// Checks whether another process has changed the segment. If it was removed, replaced or
    /// truncated, offsets in it would be wrong, so new bytes go into a new segment.
    fn check_segment_file(&mut self) {
        let start = self.segments.last();
        let expected = self.end - start;
        let Sink::Segment(file) = &self.sink else {
            return;
        };
        let Ok(meta) = file.metadata() else { return };
        let is_gone = meta.nlink() == 0;
        if !is_gone && meta.len() == expected {
            return;
        }
        if !is_gone && meta.len() > expected {
            // Bytes that another process appended are not output of the job.
            let _ = file.set_len(expected);
            return;
        }
        let left = if is_gone { 0 } else { meta.len() };
        self.unsaved += expected - left;
        tracing::warn!(
            path = %self.segments.path(start).display(),
            lost = expected - left,
            "the log was removed or truncated by another process"
        );
        if is_gone {
            self.segments.rename_foreign_file();
        }
        match self.segments.begin(self.end) {
            Ok(file) => self.sink = Sink::Segment(file),
            Err(error) => self.suspend(error.to_string()),
        }
    }
}

/// Begins a segment at `start` with bytes that were in memory.
fn resume(segments: &mut Segments, start: u64, bytes: &[u8]) -> io::Result<File> {
    let file = segments.begin(start)?;
    if let Err(error) = file.write_all_at(bytes, 0) {
        // Truncate the file: otherwise the part that was written would count as saved.
        file.set_len(0)?;
        return Err(error);
    }
    Ok(file)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::os::fd::OwnedFd;

    use super::*;
    use crate::protocol::disk::{IndexRecord, segment_name};

    struct Bench {
        dir: tempfile::TempDir,
        pipe: SplicePipe,
        disk: Disk,
        source: OwnedFd,
        job: OwnedFd,
    }

    impl Bench {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let (source, job) = rustix::pipe::pipe().unwrap();
            Self {
                disk: Disk::new(dir.path().to_owned()),
                pipe: SplicePipe::create().unwrap(),
                dir,
                source,
                job,
            }
        }

        fn open(&self, end: u64) -> Log {
            Log::open(self.dir.path().to_owned(), 1 << 20, end, None).unwrap()
        }

        fn write(&mut self, log: &mut Log, bytes: &[u8]) -> bool {
            rustix::io::write(&self.job, bytes).unwrap();
            match log.take(&self.pipe, &mut self.disk, &self.source, 0) {
                Ok(Moved::Bytes { degraded_changed }) => degraded_changed,
                other => panic!("{other:?}"),
            }
        }

        fn file(&self, name: &str) -> Option<String> {
            std::fs::read_to_string(self.dir.path().join(name)).ok()
        }
    }

    /// The next attempt is due.
    fn retry_now(log: &mut Log) {
        match &mut log.sink {
            Sink::Memory(degraded) => degraded.retry_at = 0,
            Sink::Segment(_) => panic!("it is not degraded"),
        }
    }

    #[test]
    fn clear_moves_the_beginning_and_keeps_the_offsets() {
        let mut bench = Bench::new();
        let mut log = bench.open(0);
        bench.write(&mut log, b"he\nllo\n");
        log.clear().unwrap();
        assert!(
            bench.file("output.log").is_some(),
            "removed once it is published"
        );
        log.remove_dropped();
        bench.write(&mut log, b"you");
        assert_eq!((log.first(), log.end()), (7, 10));
        assert_eq!(log.newlines(), Some(2));
        assert_eq!(bench.file("output.7.log").unwrap(), "you");
        assert_eq!(bench.file("output.log"), None);
    }

    #[test]
    fn the_newlines_of_what_is_dropped_are_counted_across_keepers() {
        let mut bench = Bench::new();
        let keep = 1 << 18;
        let dir = bench.dir.path().to_owned();
        let mut log = Log::open(dir.clone(), keep, 0, None).unwrap();
        let line = [b'x'; 99];
        let lines = [&line[..], b"\n"].concat().repeat(300);
        while log.first() < 300_000 {
            bench.write(&mut log, &lines);
        }
        let before = (log.first(), log.newlines());
        assert_eq!(log.newlines(), Some(log.first() / 100));
        // The keeper is killed before it has removed the files.
        let mut log = Log::open(dir.clone(), keep, log.end(), None).unwrap();
        assert_eq!(log.first(), 0);
        log.continue_count(before.0, before.1);
        assert_eq!((log.first(), log.newlines()), before);
        log.clear().unwrap();
        assert_eq!(log.newlines(), Some(log.end() / 100));
        log.remove_dropped();
        let log = Log::open(dir, keep, 0, None).unwrap();
        assert_eq!(log.newlines(), None);
    }

    #[test]
    fn no_segment_exceeds_its_length() {
        let mut bench = Bench::new();
        let keep = 1 << 18;
        let mut log = Log::open(bench.dir.path().to_owned(), keep, 0, None).unwrap();
        let length = segment_bytes(keep);
        while log.end() < 10 * length {
            bench.write(&mut log, &vec![b'x'; CHUNK / 2 + 1000]);
        }
        let first = log.first();
        assert!((keep..=keep + length).contains(&(log.end() - first)));
        for start in (first..log.end()).step_by(CHUNK) {
            let segment = bench.file(&segment_name(start)).unwrap();
            assert!(segment.len() as u64 <= length, "{start}: {}", segment.len());
        }
    }

    #[test]
    fn a_reopened_log_continues_at_its_end() {
        let mut bench = Bench::new();
        let mut log = bench.open(0);
        bench.write(&mut log, b"one");
        // The keeper was killed before it wrote the index.
        drop(log);
        let mut log = bench.open(3);
        log.complete_index(0);
        bench.write(&mut log, b"two");
        log.flush_index();
        assert_eq!(bench.file("output.log").unwrap(), "onetwo");
        let index = std::fs::read(bench.dir.path().join("output.idx")).unwrap();
        let last = IndexRecord::from_bytes(index.rchunks(IndexRecord::BYTES).next().unwrap());
        assert_eq!(last.unwrap().end, 6);
    }

    #[test]
    fn bytes_left_in_the_splice_pipe_are_written_next() {
        let mut bench = Bench::new();
        let mut log = bench.open(0);
        bench.write(&mut log, b"one");
        rustix::io::write(&bench.job, b"two").unwrap();
        bench.pipe.take(&bench.source, CHUNK).unwrap();
        let mut log = bench.open(3);
        let left = bench.pipe.left().unwrap();
        log.put(&bench.pipe, &mut bench.disk, left, 0);
        assert_eq!((log.end(), log.unsaved()), (6, 0));
        assert_eq!(bench.file("output.log").unwrap(), "onetwo");
    }

    #[test]
    fn a_full_disk_keeps_the_newest_bytes_and_saves_them_later() {
        let mut bench = Bench::new();
        let mut log = bench.open(0);
        bench.write(&mut log, b"saved ");
        log.suspend("full".to_owned());
        let flood = vec![b'x'; 40_000];
        for _ in 0..3 {
            bench.write(&mut log, &flood);
        }
        bench.write(&mut log, b"newest");
        assert_eq!(log.degraded().unwrap().0, "full");
        assert_eq!((log.end(), log.unsaved()), (120_012, 120_006));
        retry_now(&mut log);
        assert!(log.retry(&mut bench.disk));
        let start = 120_012 - KEPT;
        let saved = bench.file(&format!("output.{start}.log")).unwrap();
        assert!(saved.ends_with("newest") && saved.len() as u64 == KEPT);
        assert_eq!(log.unsaved(), start - 6);
        assert!(!bench.write(&mut log, b"!"));
        // A newly opened log counts the same number of missing bytes.
        assert_eq!(bench.open(0).unsaved(), start - 6);
    }

    #[test]
    fn a_log_whose_end_was_in_memory_continues_after_the_gap() {
        let mut bench = Bench::new();
        let mut log = bench.open(0);
        bench.write(&mut log, b"saved");
        let mut log = bench.open(100);
        assert_eq!((log.end(), log.unsaved()), (100, 95));
        assert!(bench.write(&mut log, b"more"), "saving resumes");
        assert_eq!(bench.file("output.100.log").unwrap(), "more");
    }

    #[test]
    fn a_log_that_could_not_be_opened_loses_nothing() {
        let mut bench = Bench::new();
        let mut log = bench.open(0);
        bench.write(&mut log, b"one\n");
        let dir = bench.dir.path().to_owned();
        let why = io::Error::other("refused");
        let mut log = Log::unopened(dir, 1 << 20, (0, log.end()), None, &why);
        log.continue_count(0, Some(0));
        assert_eq!(log.degraded().unwrap().0, "refused");
        bench.write(&mut log, b"two\n");
        assert_eq!((log.end(), log.unsaved()), (8, 4));
        retry_now(&mut log);
        assert!(log.retry(&mut bench.disk) && log.flush_index());
        bench.write(&mut log, b"three\n");
        assert_eq!(bench.file("output.log").unwrap(), "one\n");
        assert_eq!(bench.file("output.4.log").unwrap(), "two\nthree\n");
        assert_eq!((log.unsaved(), log.newlines()), (0, Some(0)));
    }

    #[test]
    fn a_log_that_was_removed_or_cut_gets_a_new_segment() {
        let mut bench = Bench::new();
        let mut log = bench.open(0);
        bench.write(&mut log, b"12345");
        std::fs::remove_file(bench.dir.path().join("output.log")).unwrap();
        std::fs::write(bench.dir.path().join("output.log"), "not ours").unwrap();
        bench.write(&mut log, b"678");
        assert_eq!(bench.file("output.5.log").unwrap(), "678");
        assert_eq!(bench.file("output.log"), None);
        let cut = std::fs::OpenOptions::new()
            .write(true)
            .open(bench.dir.path().join("output.5.log"));
        cut.unwrap().set_len(1).unwrap();
        bench.write(&mut log, b"9");
        assert_eq!(bench.file("output.8.log").unwrap(), "9");
        assert_eq!((log.end(), log.unsaved()), (9, 7));
    }
}
