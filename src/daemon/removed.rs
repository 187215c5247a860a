//! The file that remembers removed sessions over the death of a daemon.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::hub::now;
use super::state::State;
use crate::engine::tombstones::{MAX_TOMBSTONES, Tombstone, Tombstones};
use crate::protocol::SessionId;
use crate::protocol::disk::REMOVED;
use crate::sys::file;
use crate::sys::paths::Home;

/// One JSON object a line, the oldest first.
pub(super) struct RemovedFile {
    path: PathBuf,
    /// Lines that it has, those of forgotten ones included.
    lines: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    session_id: SessionId,
    #[serde(flatten)]
    tombstone: Tombstone,
}

impl RemovedFile {
    pub(super) fn new(home: &Home) -> Self {
        Self {
            path: home.state.join(REMOVED),
            lines: 0,
        }
    }

    /// Adds the session that was removed last. Without its line, the session is
    /// unknown to the next daemon, and that is all.
    pub(super) fn add(&mut self, id: &SessionId, all: &Tombstones) {
        let Some(tombstone) = all.get(id) else { return };
        let written = match self.lines < 2 * MAX_TOMBSTONES {
            true => self.append(id, tombstone),
            false => self.rewrite(all),
        };
        if let Err(error) = written {
            tracing::warn!("{}: {error}", self.path.display());
        }
    }

    fn append(&mut self, id: &SessionId, tombstone: &Tombstone) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = options
            .create(true)
            .append(true)
            .mode(0o600)
            .open(&self.path)?;
        file.write_all(&line(id, tombstone)?)?;
        self.lines += 1;
        Ok(())
    }

    fn rewrite(&mut self, all: &Tombstones) -> io::Result<()> {
        let mut text = Vec::new();
        for (id, tombstone) in all.iter() {
            text.extend(line(id, tombstone)?);
        }
        file::replace(&self.path, &text)?;
        self.lines = all.iter().count();
        Ok(())
    }
}

fn line(id: &SessionId, tombstone: &Tombstone) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(&Line {
        session_id: id.clone(),
        tombstone: tombstone.clone(),
    })?;
    line.push(b'\n');
    Ok(line)
}

impl State {
    /// Reads what earlier daemons have removed. A line that a crash cut short is
    /// passed over; without it the file is written anew.
    pub(super) fn remember_removed(&mut self) {
        // Without the file, nothing was removed yet.
        let text = std::fs::read_to_string(&self.removed.path).unwrap_or_default();
        let now = now();
        for line in text.lines() {
            let Ok(mut line) = serde_json::from_str::<Line>(line) else {
                continue;
            };
            line.tombstone.removed = line.tombstone.removed.carried_over(now);
            let tombstones = &mut self.registry.tombstones;
            tombstones.add(line.session_id, line.tombstone, now);
        }
        if text.is_empty() {
            return;
        }
        if let Err(error) = self.removed.rewrite(&self.registry.tombstones) {
            let path = self.removed.path.display();
            tracing::warn!("{path}: {error}");
        }
    }
}
