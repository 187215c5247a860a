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

mod degraded;

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;

use super::disk::Disk;
use super::index::Index;
use super::segments::{Dropped, Segments};
use crate::protocol::disk::segment_bytes;
use crate::sys::splice::{CHUNK, SplicePipe, Taken};
use crate::sys::tail::Tail;
use crate::sys::{clock, failpoint};
use degraded::Degraded;

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

    /// An earlier keeper knew why bytes are not being saved, if they are not.
    pub(super) fn degraded_because(mut self, reason: Option<&str>) -> Self {
        if let (Sink::Memory(degraded), Some(reason)) = (&mut self.sink, reason) {
            reason.clone_into(&mut degraded.reason);
        }
        self
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

    /// Keeps at least the newest `keep` bytes from now on.
    pub(super) fn set_keep(&mut self, keep: u64) {
        self.keep = keep;
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
mod tests;
