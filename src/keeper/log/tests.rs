//! Tests of the log of a session.

use std::os::fd::OwnedFd;

use super::*;
use crate::protocol::disk::{IndexRecord, segment_name};
use crate::sys::tail::KEPT;

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
