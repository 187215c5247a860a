//! The log of what was typed into a session, and by which scope.
//!
//! `input.log` has one JSON object per line. While the terminal has echo off, only the number of bytes is
//! stored, so that no password is kept. This also omits what is typed into line editors, because they echo by
//! themselves.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::protocol::disk::INPUT;
use crate::protocol::{Scope, Timestamp};
use crate::sys::file;

/// Size in bytes above which the older half is dropped.
const MAX_BYTES: u64 = 1 << 20;

/// One write.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) at: Timestamp,
    /// The scope that typed; `human` for people.
    pub(crate) by: Scope,
    /// Number of bytes.
    pub(crate) bytes: usize,
    /// The text, with invalid UTF-8 replaced; `None` if echo was off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

impl Entry {
    /// The text to show to readers.
    pub(crate) fn shown(&self) -> String {
        match &self.text {
            Some(text) => text.clone(),
            None if self.bytes == 1 => "(1 byte, not shown)".to_owned(),
            None => format!("({} bytes, not shown)", self.bytes),
        }
    }
}

/// Appends to the input logs. The file written last stays open, because the next write is mostly to the same
/// session.
#[derive(Default)]
pub(crate) struct InputLogs {
    last: Option<(PathBuf, File)>,
}

impl InputLogs {
    /// Closes the log in this directory, which is about to be removed.
    pub(crate) fn close(&mut self, dir: &Path) {
        self.last.take_if(|(last, _)| last == dir);
    }

    /// Appends a write to the log in the session's directory.
    pub(crate) fn append(&mut self, dir: &Path, entry: &Entry) -> io::Result<()> {
        let known = self.last.take().filter(|(last, _)| last == dir);
        let is_known = known.is_some();
        let mut file = match known {
            Some((_, file)) => file,
            None => open(dir)?,
        };
        let mut meta = file.metadata()?;
        if meta.nlink() == 0 {
            // The file was removed, or the session was, and another one has its name.
            file = open(dir)?;
            meta = file.metadata()?;
        }
        if meta.len() > MAX_BYTES {
            file = drop_older_half(dir)?;
        }
        let mut line = Vec::new();
        if !is_known && meta.len() > 0 {
            // An earlier daemon may have left its last line cut short, which must not take this one with it. An empty
            // line is skipped.
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, entry)?;
        line.push(b'\n');
        let end = file.metadata()?.len();
        if let Err(error) = file.write_all(&line) {
            // A part of the line would spoil the next one, too.
            let _ = file.set_len(end);
            return Err(error);
        }
        self.last = Some((dir.to_owned(), file));
        Ok(())
    }
}

fn open(dir: &Path) -> io::Result<File> {
    file::append(&dir.join(INPUT))
}

/// Reads the log, oldest write first. A line that a crash cut short is skipped.
pub(crate) fn read(dir: &Path) -> Vec<Entry> {
    let bytes = file::read(&dir.join(INPUT)).unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

fn drop_older_half(dir: &Path) -> io::Result<File> {
    let entries = read(dir);
    let mut newer = Vec::new();
    for entry in &entries[entries.len() / 2..] {
        serde_json::to_writer(&mut newer, entry)?;
        newer.push(b'\n');
    }
    file::replace(&dir.join(INPUT), &newer)?;
    open(dir)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::tests::golden;

    fn entry(text: &str) -> Entry {
        let text = Some(text.to_owned());
        Entry {
            at: Timestamp(5),
            by: Scope::human(),
            bytes: 3,
            text,
        }
    }

    #[test]
    fn reads_back_input_and_skips_a_torn_line() {
        let dir = tempfile::tempdir().unwrap();
        let mut logs = InputLogs::default();
        logs.append(dir.path(), &entry("abc\n")).unwrap();
        let mut file = file::append(&dir.path().join(INPUT)).unwrap();
        // In the middle of a character.
        file.write_all(b"{\"at\":\"20\xc3\n").unwrap();
        logs.append(dir.path(), &entry("def\n")).unwrap();
        file.write_all(b"{\"at\":\"20").unwrap();
        assert_eq!(read(dir.path()), [entry("abc\n"), entry("def\n")]);
    }

    #[test]
    fn sessions_have_separate_files_and_a_removed_file_is_created_again() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut logs = InputLogs::default();
        for (dir, text) in [(&one, "a"), (&other, "b"), (&one, "c"), (&one, "d")] {
            logs.append(dir.path(), &entry(text)).unwrap();
        }
        assert_eq!(read(one.path()), ["a", "c", "d"].map(entry));
        assert_eq!(read(other.path()), [entry("b")]);
        std::fs::remove_file(one.path().join(INPUT)).unwrap();
        logs.append(one.path(), &entry("e")).unwrap();
        assert_eq!(read(one.path()), [entry("e")]);
    }

    #[test]
    fn input_of_version_1() {
        let at = golden::at(1);
        let shown = Entry {
            at,
            ..entry("yes\n")
        };
        let hidden = Entry {
            text: None,
            bytes: 9,
            ..shown.clone()
        };
        let name = "home/sessions/done00000001/input.log";
        golden::lines(name, &[shown, hidden], &[""]);
    }

    #[test]
    fn the_file_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let large = "x".repeat(100_000);
        let mut logs = InputLogs::default();
        for n in 0..30 {
            let entry = entry(&format!("{n} {large}"));
            logs.append(dir.path(), &entry).unwrap();
        }
        let length = std::fs::metadata(dir.path().join(INPUT)).unwrap().len();
        assert!(length < 2 * MAX_BYTES, "{length}");
        assert!(read(dir.path()).last().unwrap().shown().starts_with("29 "));
    }
}
