//! A session's log: raw bytes in segments, one permanent offset per byte.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use super::index::Index;
use crate::protocol::disk::{segment_bytes, segment_name, segment_start};
use crate::sys::clock;
use crate::sys::pump::{Moved, Pump};

/// After the disk refused bytes, it is tried again no sooner than this.
const RETRY_MS: u64 = 1000;

/// The log of one session, open for writing.
#[derive(Debug)]
pub(super) struct Log {
    dir: PathBuf,
    /// Start offsets, oldest first; the last one is being written.
    segments: VecDeque<u64>,
    /// Without one, bytes are read and not saved.
    file: Option<File>,
    end: u64,
    /// Bytes to keep at least.
    keep: u64,
    index: Index,
    trouble: Option<Trouble>,
}

#[derive(Debug)]
struct Trouble {
    reason: String,
    /// Boot-time milliseconds.
    retry_at: u64,
}

/// What a turn at the log has brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grew {
    /// It has grown; the flag says whether saving stopped or resumed.
    Yes { trouble_changed: bool },
    /// There is nothing to read now.
    No,
    /// There will never be more.
    End,
}

impl Log {
    /// Opens the log in `dir`, which may hold one already.
    pub(super) fn open(dir: PathBuf, keep: u64) -> io::Result<Self> {
        let mut starts: Vec<u64> = std::fs::read_dir(&dir)?
            .flatten()
            .filter_map(|entry| segment_start(entry.file_name().to_str()?))
            .collect();
        starts.sort_unstable();
        let index = Index::open(&dir)?;
        let last = starts.last().copied().unwrap_or(0);
        if starts.is_empty() {
            starts.push(0);
        }
        let file = open_segment(&dir, last)?;
        let end = last + file.metadata()?.len();
        let file = Some(file);
        Ok(Self {
            dir,
            segments: starts.into(),
            file,
            end,
            keep,
            index,
            trouble: None,
        })
    }

    /// Offset after the last byte.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Offset of the first byte that is kept.
    pub(super) fn first(&self) -> u64 {
        self.segments.front().copied().unwrap_or(self.end)
    }

    /// Why bytes are not being saved, if they are not.
    pub(super) fn trouble(&self) -> Option<&str> {
        self.trouble.as_ref().map(|trouble| trouble.reason.as_str())
    }

    /// Moves what `source` has, one chunk at most.
    pub(super) fn take(&mut self, pump: &Pump, source: impl AsFd, stream: u8) -> io::Result<Grew> {
        let was_in_trouble = self.trouble.is_some();
        self.recover();
        let start = self.segments.back().copied().unwrap_or(0);
        let (saved, lost, errno) = match pump.run(source, self.file.as_ref(), self.end - start)? {
            Moved::Saved(bytes) => (bytes, 0, 0),
            Moved::Refused { saved, lost, errno } => (saved, lost, errno),
            Moved::Nothing => return Ok(Grew::No),
            Moved::End => return Ok(Grew::End),
        };
        self.end += (saved + lost) as u64;
        if lost > 0 {
            self.suspend(errno);
        } else {
            self.trouble = None;
        }
        // The index is an aid: without it times are missing, nothing else.
        let _ = self.index.add(self.end, clock::wall().millis(), stream);
        if self.file.is_some() && self.end - start >= segment_bytes(self.keep) {
            self.rotate();
        }
        Ok(Grew::Yes {
            trouble_changed: was_in_trouble != self.trouble.is_some(),
        })
    }

    /// Writes what the index still has in memory.
    pub(super) fn flush_index(&mut self) {
        let _ = self.index.flush();
    }

    /// Begins a new segment at the end and drops all before it.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.begin_segment()?;
        self.drop_segments_before(self.end);
        Ok(())
    }

    fn rotate(&mut self) {
        if let Err(error) = self.begin_segment() {
            self.suspend(error.raw_os_error().unwrap_or_default());
            return;
        }
        self.drop_segments_before(self.end.saturating_sub(self.keep));
    }

    fn begin_segment(&mut self) -> io::Result<()> {
        if self.segments.back() == Some(&self.end) && self.file.is_some() {
            return Ok(());
        }
        let file = open_segment(&self.dir, self.end)?;
        self.file = Some(file);
        if self.segments.back() != Some(&self.end) {
            self.segments.push_back(self.end);
        }
        Ok(())
    }

    /// Drops the segments that lie wholly before `offset`.
    pub(super) fn drop_segments_before(&mut self, offset: u64) {
        while self.segments.len() > 1 && self.segments[1] <= offset {
            if let Some(start) = self.segments.pop_front() {
                let _ = std::fs::remove_file(self.dir.join(segment_name(start)));
            }
        }
    }

    /// Goes on without saving; what is written meanwhile has offsets, too.
    fn suspend(&mut self, errno: i32) {
        let reason = io::Error::from_raw_os_error(errno).to_string();
        self.trouble = Some(Trouble {
            reason,
            retry_at: clock::boot_ms() + RETRY_MS,
        });
        self.file = None;
    }

    /// After a while in trouble, tries a new segment: the lost bytes leave a gap
    /// between segments, never a hole that would read as NULs.
    fn recover(&mut self) {
        let due = self
            .trouble
            .as_ref()
            .is_some_and(|t| clock::boot_ms() >= t.retry_at);
        if !due {
            return;
        }
        if let Some(&start) = self.segments.back() {
            let path = self.dir.join(segment_name(start));
            let empty = std::fs::metadata(&path).is_ok_and(|meta| meta.len() == 0);
            if empty && self.segments.len() > 1 {
                let _ = std::fs::remove_file(path);
                self.segments.pop_back();
            }
        }
        if let Err(error) = self.begin_segment() {
            self.suspend(error.raw_os_error().unwrap_or_default());
        }
    }
}

/// Not for appending: `splice(2)` refuses that, and the offset is ours anyway.
fn open_segment(dir: &std::path::Path, start: u64) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options
        .create(true)
        .write(true)
        .truncate(false)
        .mode(0o600)
        .open(dir.join(segment_name(start)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn write(log: &mut Log, pump: &Pump, bytes: &[u8]) {
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        rustix::io::write(&writer, bytes).unwrap();
        assert_eq!(
            log.take(pump, &reader, 0).unwrap(),
            Grew::Yes {
                trouble_changed: false
            }
        );
    }

    #[test]
    fn clear_moves_the_beginning_and_keeps_the_offsets() {
        let dir = tempfile::tempdir().unwrap();
        let pump = Pump::new().unwrap();
        let mut log = Log::open(dir.path().to_owned(), 1 << 20).unwrap();
        write(&mut log, &pump, b"hello");
        log.clear().unwrap();
        write(&mut log, &pump, b"you");
        assert_eq!((log.first(), log.end()), (5, 8));
        assert_eq!(
            std::fs::read(dir.path().join("output.5.log")).unwrap(),
            b"you"
        );
        assert!(!dir.path().join("output.log").exists());
    }

    #[test]
    fn an_opened_log_goes_on_where_it_ended() {
        let dir = tempfile::tempdir().unwrap();
        let pump = Pump::new().unwrap();
        let mut log = Log::open(dir.path().to_owned(), 1 << 20).unwrap();
        write(&mut log, &pump, b"one");
        log.flush_index();
        drop(log);
        let mut log = Log::open(dir.path().to_owned(), 1 << 20).unwrap();
        write(&mut log, &pump, b"two");
        log.flush_index();
        assert_eq!(
            std::fs::read(dir.path().join("output.log")).unwrap(),
            b"onetwo"
        );
        assert_eq!(
            std::fs::read(dir.path().join("output.idx")).unwrap().len(),
            48
        );
    }
}
