//! The journal: the lifecycle events on disk, one per line, which the next daemon reads.
//!
//! A line is written before its event is published, with one write(2). If the disk refuses it, the event is
//! published all the same; as soon as a line can be written again, the whole file is rewritten from the history
//! in memory. Until then the keeper keeps the refused lines for the next daemon. Nothing is synced: no line is
//! lost when the daemon is killed, but lines may be lost in a power failure.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use serde::Deserialize;

use crate::daemon::clock::now;
use crate::engine::event_history::{EventHistory, KEPT};
use crate::engine::journal_note::Note;
use crate::sys::file;

/// Lines that the file may have beyond those of the history in memory. With more it is rewritten, which takes
/// some milliseconds.
const SLACK: usize = KEPT / 4;

/// Lines after which a rewrite that failed is tried again, if events are missing in the file.
const PAUSE: usize = 64;

/// Maximum number of bytes of refused lines that are kept for the next daemon: some thousand events.
const MOST_REFUSED: usize = 1 << 20;

/// The journal file.
pub(crate) struct Journal {
    path: PathBuf,
    file: Option<File>,
    /// Number of lines in the file.
    lines: usize,
    /// The file is not rewritten before it has this many lines, because the last attempt to rewrite it failed.
    not_before: usize,
    /// Whether the last line could not be written.
    is_refused: bool,
    /// The lines that are missing in the file.
    refused: Vec<u8>,
    /// Whether other lines are missing than when [`Self::take_refused`] was called.
    has_news: bool,
}

impl Journal {
    /// Reads what earlier daemons wrote, and what the disk has refused them. Unreadable lines are logged and skipped.
    pub(crate) fn open(path: PathBuf, refused: Option<Vec<u8>>) -> (Self, EventHistory) {
        let mut journal = Self {
            path,
            file: None,
            lines: 0,
            not_before: 0,
            is_refused: refused.is_some(),
            refused: refused.unwrap_or_default(),
            has_news: false,
        };
        let past = journal.read();
        if journal.is_refused || journal.is_long(&past) {
            journal.rewrite(&past);
        }
        (journal, past)
    }

    /// The lines that are missing in the file, if others are than at the last call.
    pub(crate) fn take_refused(&mut self) -> Option<&[u8]> {
        let has_news = std::mem::take(&mut self.has_news);
        has_news.then_some(&*self.refused)
    }

    /// Writes one change of the history. `past` already includes it.
    pub(crate) fn write(&mut self, note: &Note, past: &EventHistory) {
        if self.file.as_ref().is_some_and(is_removed) {
            self.say(format_args!("the file was removed and is written again"));
            self.file = None;
            (self.is_refused, self.not_before) = (true, 0);
        }
        let line = match line(note) {
            Ok(line) => line,
            Err(error) => return self.say(format_args!("an event cannot be written: {error}")),
        };
        let Err(error) = self.append(&line) else {
            let is_due = self.is_refused || self.is_long(past);
            if is_due && self.lines >= self.not_before {
                self.rewrite(past);
            }
            return;
        };
        if self.refused.len() + line.len() <= MOST_REFUSED {
            self.refused.extend(line);
            self.has_news = true;
        }
        if !std::mem::replace(&mut self.is_refused, true) {
            self.not_before = 0;
            self.say(format_args!(
                "{error}; events are published but not saved until the file can be written"
            ));
        }
    }

    fn is_long(&self, past: &EventHistory) -> bool {
        self.lines > past.len() + SLACK
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(file::append(&self.path)?),
        };
        let written = loop {
            match file.write(line) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => break outcome?,
            }
        };
        if written < line.len() {
            // Remove the incomplete line.
            let end = file.metadata()?.len();
            file.set_len(end.saturating_sub(written as u64))?;
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.lines += 1;
        Ok(())
    }

    /// Rewrites the file from the history in memory.
    fn rewrite(&mut self, past: &EventHistory) {
        match self.replace(past) {
            Ok((file, lines)) => {
                self.file = Some(file);
                self.lines = lines;
                self.not_before = 0;
                self.has_news |= !self.refused.is_empty();
                self.refused = Vec::new();
                if std::mem::take(&mut self.is_refused) {
                    self.say(format_args!(
                        "the file can be written again; no event is missing"
                    ));
                }
            }
            Err(error) => {
                // The old file is still there and in use. Do not try again with every line.
                self.not_before = self.lines + if self.is_refused { PAUSE } else { SLACK };
                if !self.is_refused {
                    self.say(format_args!("cannot rewrite the file: {error}"));
                }
            }
        }
    }

    fn replace(&self, past: &EventHistory) -> io::Result<(File, usize)> {
        let (mut bytes, mut lines) = (Vec::new(), 0);
        for note in past.notes() {
            serde_json::to_writer(&mut bytes, &note)?;
            bytes.push(b'\n');
            lines += 1;
        }
        // Not lazily: it is rare, and if the power failed before the kernel writes the new file, all events were lost.
        file::replace(&self.path, &bytes)?;
        Ok((file::append(&self.path)?, lines))
    }

    fn read(&mut self) -> EventHistory {
        let mut missing = Missing::of(&self.refused);
        let mut past = self.read_file(&mut missing);
        missing.give_rest(&mut past);
        past.forget_old(now());
        past
    }

    /// Reads the file, with the lines that are missing in it where they belong.
    fn read_file(&mut self, missing: &mut Missing) -> EventHistory {
        let mut past = EventHistory::default();
        let bytes = match file::read_patiently(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return past,
            Err(error) => {
                self.say(format_args!(
                    "{error}; the file is put aside, and a new one is started"
                ));
                let _ = std::fs::rename(&self.path, self.path.with_extension("jsonl.bad"));
                return past;
            }
        };
        let whole = bytes.iter().rposition(|&byte| byte == b'\n');
        let whole = whole.map_or(0, |last| last + 1);
        if whole < bytes.len() {
            self.cut(whole, bytes.len() - whole);
        }
        let (mut bad, mut first) = (0, String::new());
        for line in bytes[..whole].split_inclusive(|&byte| byte == b'\n') {
            self.lines += 1;
            let note = serde_json::from_slice(line).inspect(|note| {
                if let Note::Entry(entry) = note {
                    missing.give_before(entry.seq(), &mut past);
                }
            });
            let why = match note.map(|note| past.take_in(note)) {
                Ok(true) => continue,
                Ok(false) => "its number is lower than the one before".to_owned(),
                Err(error) => {
                    // It may be an event of a newer version: never use its number again.
                    if let Ok(Numbered { seq: used }) = serde_json::from_slice(line) {
                        past.take_in(Note::Used { used, forgotten: 0 });
                    }
                    error.to_string()
                }
            };
            if bad == 0 {
                first = format!("line {}: {why}", self.lines);
            }
            bad += 1;
        }
        if bad > 0 {
            self.say(format_args!("{bad} lines were skipped; {first}"));
        }
        past
    }

    /// Removes an incomplete last line. Its event was never published, because a line is written first.
    fn cut(&mut self, whole: usize, torn: usize) {
        self.say(format_args!(
            "the last line is torn; its {torn} bytes are removed"
        ));
        let cut = file::append(&self.path).and_then(|file| {
            file.set_len(whole as u64)?;
            Ok(file)
        });
        match cut {
            Ok(file) => self.file = Some(file),
            Err(error) => self.say(format_args!("cannot remove the torn line: {error}")),
        }
    }

    fn say(&self, what: std::fmt::Arguments<'_>) {
        let path = self.path.display();
        tracing::warn!("{path}: {what}");
    }
}

/// The notes of refused lines, in their order. Later lines may be in the file, if it could not be rewritten.
struct Missing(Vec<Note>);

impl Missing {
    fn of(lines: &[u8]) -> Self {
        let lines = lines.split_inclusive(|&byte| byte == b'\n');
        let notes = lines.filter_map(|line| serde_json::from_slice(line).ok());
        Self(notes.collect())
    }

    /// Takes in what comes before the event of this number.
    fn give_before(&mut self, seq: u64, past: &mut EventHistory) {
        let is_before = |note: &Note| matches!(note, Note::Entry(entry) if entry.seq() < seq);
        let last = self.0.iter().rposition(is_before);
        for note in self.0.drain(..last.map_or(0, |at| at + 1)) {
            past.take_in(note);
        }
    }

    /// Takes in what is left.
    fn give_rest(self, past: &mut EventHistory) {
        for note in self.0 {
            past.take_in(note);
        }
    }
}

fn line(note: &Note) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(note)?;
    line.push(b'\n');
    Ok(line)
}

/// Whether a file has lost its name: the next daemon would not find what is written to it.
fn is_removed(file: &File) -> bool {
    file.metadata().is_ok_and(|meta| meta.nlink() == 0)
}

/// The number that every event of every version has.
#[derive(Deserialize)]
struct Numbered {
    seq: u64,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use serde_json::json;

    use super::*;
    use crate::engine::journal_note::Entry;
    use crate::protocol::{Event, EventKind, Scope, SessionId};

    fn entry(seq: u64) -> Entry {
        Entry {
            event: Event {
                seq: Some(seq),
                at: Some(now().wall),
                session_id: Some(SessionId::fresh()),
                data: json!({"label": "web", "command": "npm run dev", "status": "error",
                    "exitCode": 1, "signal": null, "runtimeMs": 1234, "output": "x\n".repeat(100)}),
                ..Event::of(EventKind::Exited)
            },
            scope: Scope::human(),
            undelivered: true,
        }
    }

    fn add(journal: &mut Journal, past: &mut EventHistory) {
        let entry = entry(past.seq() + 1);
        past.add(entry.clone());
        journal.write(&Note::Entry(entry), past);
    }

    fn seqs(past: &EventHistory) -> Vec<u64> {
        let notes = past.notes().filter_map(|note| match note {
            Note::Entry(entry) => Some(entry.seq()),
            _ => None,
        });
        notes.collect()
    }

    #[test]
    fn the_next_daemon_reads_back_the_history() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let (mut journal, mut past) = Journal::open(path.clone(), None);
        assert!(!path.exists());
        add(&mut journal, &mut past);
        add(&mut journal, &mut past);
        past.deliver(&[1]);
        journal.write(&Note::Delivered { delivered: vec![1] }, &past);
        past.acknowledge(&Scope::human(), 1);
        let ack = Note::Ack {
            ack: 1,
            scope: Scope::human(),
        };
        journal.write(&ack, &past);
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let (mut journal, mut again) = Journal::open(path.clone(), None);
        assert!(again.notes().eq(past.notes()));
        add(&mut journal, &mut again);
        assert_eq!(seqs(&Journal::open(path, None).1), [1, 2, 3]);
    }

    #[test]
    fn removes_a_torn_line_and_skips_unreadable_ones() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let line = |seq| serde_json::to_string(&Note::Entry(entry(seq))).unwrap();
        let torn = &line(9)[..50];
        let (one, four) = (line(1), line(4));
        let later = r#"{"event":"of_the_future","seq":3,"scope":"a"}"#;
        let text = format!("{one}\n\0\0\0\nnonsense\n{{}}\n{later}\n{one}\n{four}\n{torn}");
        std::fs::write(&path, &text).unwrap();
        let (mut journal, mut past) = Journal::open(path.clone(), None);
        assert_eq!(seqs(&past), [1, 4]);
        let kept = std::fs::metadata(&path).unwrap().len();
        assert_eq!(kept, (text.len() - torn.len()) as u64);
        add(&mut journal, &mut past);
        let (_, past) = Journal::open(path, None);
        assert_eq!(seqs(&past), [1, 4, 5]);
    }

    #[test]
    fn what_the_disk_has_refused_is_read_where_it_belongs() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let lines = |seqs: &[u64]| {
            let notes = seqs
                .iter()
                .map(|seq| line(&Note::Entry(entry(*seq))).unwrap());
            notes.collect::<Vec<_>>().concat()
        };
        std::fs::write(&path, lines(&[1, 2, 5])).unwrap();
        let delivered = line(&Note::Delivered { delivered: vec![2] }).unwrap();
        let refused = [delivered, lines(&[3, 4, 6])].concat();
        let (mut journal, past) = Journal::open(path.clone(), Some(refused));
        assert_eq!(seqs(&past), [1, 2, 3, 4, 5, 6]);
        let undelivered = |note: Note| match note {
            Note::Entry(entry) => entry.undelivered.then(|| entry.seq()),
            _ => None,
        };
        let told: Vec<u64> = past.notes().filter_map(undelivered).collect();
        assert_eq!(told, [1, 3, 4, 5, 6]);
        // It was rewritten, so nothing is to be kept any more.
        assert_eq!(journal.take_refused(), Some(&[][..]));
        assert_eq!(seqs(&Journal::open(path, None).1), seqs(&past));
    }

    #[test]
    fn does_not_reuse_the_number_of_an_unknown_event() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let note = r#"{"forgotten":[1],"scope":"a"}"#;
        let event = r#"{"event":"of_the_future","seq":7,"scope":"a","more":{}}"#;
        std::fs::write(&path, format!("{note}\n{event}\n")).unwrap();
        let (mut journal, mut past) = Journal::open(path.clone(), None);
        assert_eq!((seqs(&past), past.seq()), (vec![], 7));
        add(&mut journal, &mut past);
        assert_eq!(seqs(&Journal::open(path, None).1), [8]);
    }

    #[test]
    fn an_empty_torn_or_unreadable_file_is_a_fresh_start() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        for text in ["", "torn", "\n"] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(Journal::open(path.clone(), None).1.seq(), 0);
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        let (mut journal, mut past) = Journal::open(path.clone(), None);
        add(&mut journal, &mut past);
        assert_eq!(seqs(&Journal::open(path, None).1), [1]);
        assert!(dir.path().join("journal.jsonl.bad").is_dir());
    }

    #[test]
    fn refused_lines_are_written_once_the_disk_accepts_them() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("away").join("journal.jsonl");
        let (mut journal, mut past) = Journal::open(path.clone(), None);
        add(&mut journal, &mut past);
        add(&mut journal, &mut past);
        assert!(journal.is_refused);
        std::fs::create_dir(dir.path().join("away")).unwrap();
        add(&mut journal, &mut past);
        assert!(!journal.is_refused);
        assert_eq!(seqs(&Journal::open(path, None).1), [1, 2, 3]);
    }

    #[test]
    fn a_file_that_somebody_removes_is_written_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let (mut journal, mut past) = Journal::open(path.clone(), None);
        add(&mut journal, &mut past);
        std::fs::remove_file(&path).unwrap();
        add(&mut journal, &mut past);
        add(&mut journal, &mut past);
        assert_eq!(seqs(&Journal::open(path, None).1), [1, 2, 3]);
    }

    #[test]
    fn the_file_is_rewritten_when_most_lines_are_obsolete() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let (mut journal, mut past) = Journal::open(path.clone(), None);
        let session = SessionId::fresh();
        for _ in 0..SLACK + 2 {
            let mut adopted = entry(past.seq() + 1);
            adopted.event.event = EventKind::Adopted;
            adopted.event.session_id = Some(session.clone());
            past.add(adopted.clone());
            journal.write(&Note::Entry(adopted), &past);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.lines().count(), journal.lines), (2, 2));
        // Later lines go to the new file.
        add(&mut journal, &mut past);
        let (_, again) = Journal::open(path, None);
        let last = SLACK as u64 + 2;
        assert_eq!(
            (seqs(&again), again.seq()),
            (vec![last, last + 1], last + 1)
        );
    }
}
