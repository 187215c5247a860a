//! The file that keeps the tombstones of removed sessions across daemons.

use std::io::{self, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::Now;
use crate::engine::tombstones::{MAX_TOMBSTONES, Tombstone, Tombstones};
use crate::protocol::SessionId;
use crate::protocol::disk::REMOVED;
use crate::sys::file;
use crate::sys::paths::Home;

/// One JSON object per line, oldest first.
pub(crate) struct TombstoneFile {
    path: PathBuf,
    /// Number of lines, including those of expired tombstones.
    lines: usize,
    /// Whether the last line may be cut short, so that nothing can be appended.
    is_torn: bool,
}

#[derive(PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    session_id: SessionId,
    #[serde(flatten)]
    tombstone: Tombstone,
}

impl TombstoneFile {
    /// Adds the sessions that earlier daemons removed to `tombstones`. Rewrites the file without lines that a
    /// crash cut short or that this version cannot read.
    pub(crate) fn load(home: &Home, tombstones: &mut Tombstones, now: Now) -> Self {
        let path = home.state.join(REMOVED);
        // If the file does not exist, no session was removed yet.
        let text = file::read(&path).unwrap_or_default();
        let mut file = Self {
            path,
            lines: 0,
            is_torn: false,
        };
        for line in text.split(|&byte| byte == b'\n') {
            let Ok(mut line) = serde_json::from_slice::<Line>(line) else {
                continue;
            };
            line.tombstone.removed = line.tombstone.removed.carried_over(now);
            tombstones.add(line.session_id, line.tombstone, now);
        }
        if !text.is_empty()
            && let Err(error) = file.rewrite(tombstones)
        {
            file.is_torn = true;
            tracing::warn!("{}: {error}", file.path.display());
        }
        file
    }

    /// Appends the session that was removed last. If this fails, the only effect is that the next daemon does
    /// not know that the session was removed.
    pub(crate) fn add(&mut self, id: &SessionId, all: &Tombstones) {
        let Some(tombstone) = all.get(id) else { return };
        let written = if self.lines < 2 * MAX_TOMBSTONES && !self.is_torn {
            self.append(id, tombstone)
        } else {
            self.rewrite(all)
        };
        self.is_torn = written.is_err();
        if let Err(error) = written {
            tracing::warn!("{}: {error}", self.path.display());
        }
    }

    fn append(&mut self, id: &SessionId, tombstone: &Tombstone) -> io::Result<()> {
        let mut file = file::append(&self.path)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::tests::golden::{self, at, id};
    use crate::protocol::{Scope, Status};

    #[test]
    fn removed_sessions_of_version_1() {
        let tombstone = |scope, status, exit_code| Tombstone {
            scope,
            status,
            exit_code,
            signal: None,
            removed: Now {
                boot: 300_000,
                wall: at(300),
            },
            label: None,
        };
        let builder = Scope::named("builder").unwrap_or_else(Scope::human);
        let lines = [
            Line {
                session_id: id("removed00001"),
                tombstone: tombstone(builder, Status::Error, Some(4)),
            },
            Line {
                session_id: id("removed00002"),
                tombstone: tombstone(Scope::human(), Status::Killed, None),
            },
        ];
        golden::lines("home/removed.jsonl", &lines, &["", "/removed"]);
    }
}
