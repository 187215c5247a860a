//! What was typed into a session, and by whom.
//!
//! One JSON object a line in `input.log`. While the terminal has echo off, what
//! is typed is not for anybody's eyes: only its length is kept. That loses what
//! is typed into line editors, too (they echo by themselves), and it never
//! keeps a password.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::protocol::disk::INPUT;
use crate::protocol::{Role, Scope, Timestamp};
use crate::sys::file;

/// Beyond this the older half is dropped, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// One write.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// When.
    pub(crate) at: Timestamp,
    /// Whose scope it was; `human` for people.
    pub(crate) by: Scope,
    /// How many bytes.
    pub(crate) bytes: usize,
    /// What, with invalid UTF-8 replaced; `None` where echo was off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

impl Entry {
    /// Whether a person typed it, or an agent: people's scope is theirs alone.
    pub(crate) fn kind(&self) -> Role {
        match self.by.is_human() {
            true => Role::Human,
            false => Role::Agent,
        }
    }

    /// What a reader is shown.
    pub(crate) fn shown(&self) -> String {
        match &self.text {
            Some(text) => text.clone(),
            None => format!("({} bytes, not shown)", self.bytes),
        }
    }
}

/// Notes what is typed. The file that was written last stays open: who types goes on
/// typing.
#[derive(Default)]
pub(crate) struct InputLogs {
    last: Option<(PathBuf, File)>,
}

impl InputLogs {
    /// Notes a write in the session's directory.
    pub(crate) fn append(&mut self, dir: &Path, entry: &Entry) -> io::Result<()> {
        let mut file = match self.last.take() {
            Some((last, file)) if last == dir => file,
            _ => open(dir)?,
        };
        let mut meta = file.metadata()?;
        if meta.nlink() == 0 {
            // Somebody has removed it, or the session, of which another has the name.
            file = open(dir)?;
            meta = file.metadata()?;
        }
        if meta.len() > MAX_BYTES {
            file = drop_older_half(dir)?;
        }
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        file.write_all(&line)?;
        self.last = Some((dir.to_owned(), file));
        Ok(())
    }
}

fn open(dir: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.create(true).append(true).mode(0o600);
    options.open(dir.join(INPUT))
}

/// What was typed, oldest first. A line that a crash cut short is passed over.
pub(crate) fn read(dir: &Path) -> Vec<Entry> {
    let Ok(file) = File::open(dir.join(INPUT)) else {
        return Vec::new();
    };
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    lines
        .filter_map(|line| serde_json::from_str(&line).ok())
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
    OpenOptions::new().append(true).open(dir.join(INPUT))
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
    fn what_was_typed_is_read_again_and_a_torn_line_is_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let mut logs = InputLogs::default();
        logs.append(dir.path(), &entry("abc\n")).unwrap();
        let mut file = OpenOptions::new()
            .append(true)
            .open(dir.path().join(INPUT))
            .unwrap();
        file.write_all(b"{\"at\":\"20").unwrap();
        assert_eq!(read(dir.path()), [entry("abc\n")]);
    }

    #[test]
    fn each_session_has_its_own_and_one_that_was_removed_begins_anew() {
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
    fn it_does_not_grow_without_end() {
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
