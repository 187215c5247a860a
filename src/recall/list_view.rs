//! How a person has left the list of the dashboard: its width, the folded groups and the selection,
//! saved for the next dashboard.
//!
//! This is saved in a small JSON file in the state directory. As with [`seen_jobs`](super::seen_jobs),
//! losing it does no harm.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::in_state;
use crate::sys::file;

/// Name of the file in the state directory.
const FILE: &str = "list.json";

/// Largest size in bytes; a larger file was not written by bgproc.
const MAX_BYTES: u64 = 1 << 20;

/// Maximum number of folded groups in the file, so that it stays below [`MAX_BYTES`].
const MAX_FOLDED: usize = 1000;

/// Maximum length of the key of a group in bytes; a longer one is not saved.
const MAX_KEY: usize = 512;

/// The contents of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListView {
    /// Width of the list in columns, if it was set.
    pub width: Option<u16>,
    /// Keys of the folded groups.
    pub folded: Vec<String>,
    /// The selected job, by its id.
    pub job: Option<String>,
    /// The selected group, by its key, if no job was selected.
    pub group: Option<String>,
}

/// Saves it. `host` has the jobs, if not this machine.
pub fn remember(view: ListView, host: Option<&str>) {
    if let Some(path) = in_state(FILE, host) {
        write(&path, view);
    }
}

/// Reads the file; `None` if there is none.
pub fn recall(host: Option<&str>) -> Option<ListView> {
    read(&in_state(FILE, host)?)
}

fn write(path: &Path, mut view: ListView) {
    view.folded.retain(|key| key.len() <= MAX_KEY);
    view.folded.sort();
    view.folded.truncate(MAX_FOLDED);
    if read(path).as_ref() == Some(&view) {
        return;
    }
    if let Ok(bytes) = serde_json::to_vec(&view) {
        let _ = file::replace(path, &bytes);
    }
}

fn read(path: &Path) -> Option<ListView> {
    super::read(path, MAX_BYTES)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_was_saved_and_ignores_garbage() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        assert_eq!(read(&path), None);
        let view = ListView {
            width: Some(33),
            folded: vec!["d:/b".to_owned(), "g:a".to_owned()],
            job: Some("web000000000".to_owned()),
            group: None,
        };
        write(&path, view.clone());
        assert_eq!(read(&path), Some(view));
        std::fs::write(&path, r#"{"folded": [], "more": 1}"#).unwrap();
        assert_eq!(read(&path), Some(ListView::default()));
        std::fs::write(&path, "][").unwrap();
        assert_eq!(read(&path), None);
    }

    #[test]
    fn the_file_stays_small_enough_to_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let long = |n: usize| format!("g:{n:0500}");
        let mut folded: Vec<String> = (0..MAX_FOLDED + 5).map(long).collect();
        folded.push("x".repeat(MAX_KEY + 1));
        write(
            &path,
            ListView {
                folded,
                ..ListView::default()
            },
        );
        assert_eq!(read(&path).unwrap().folded.len(), MAX_FOLDED);
    }
}
