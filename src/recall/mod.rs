//! What bgproc remembers for a person between commands: the last used job of each terminal, how far each
//! job was seen in the dashboard, and how the list of the dashboard was left.
//!
//! All are small files in the state directory. They are conveniences: a file that cannot be read counts as
//! empty, and errors in writing one are ignored.

pub mod last_job;
pub mod list_view;
pub mod seen_jobs;

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::sys::paths::Home;

/// The path of a file in the state directory. Of another host's jobs there is a file of its own.
fn in_state(name: &str, host: Option<&str>) -> Option<PathBuf> {
    let state = Home::locate().ok()?.state;
    Some(match host {
        Some(host) => state.join(format!("{host}.{name}")),
        None => state.join(name),
    })
}

/// Reads a JSON file of at most `most` bytes; `None` if there is none, or if it is something else.
fn read<T: DeserializeOwned>(path: &Path, most: u64) -> Option<T> {
    if std::fs::metadata(path).ok()?.len() > most {
        return None;
    }
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}
