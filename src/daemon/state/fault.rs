//! A screen whose emulator has failed: what it failed on is kept, and the screen
//! is painted anew without it.
//!
//! Nothing known makes it fail; the next thing that does shall harm one screen,
//! and leave behind what is needed to mend it.

use std::io;
use std::path::{Path, PathBuf};

use super::State;
use super::output::repaint_screen;
use crate::protocol::SessionId;
use crate::sys::file;

/// Bytes before the place of the failure that are kept.
const KEPT: u64 = 64 * 1024;

/// Recordings of a session at most; after that its screen only starts over, so
/// that output made to fail costs no more than other output.
const MAX_RECORDINGS: u32 = 4;

/// Looks after a session whose emulator has failed on its newest output.
pub(crate) fn contain(state: &mut State, id: &SessionId) {
    let (Some(session), Some(io)) = (state.sessions.get(id), state.sessions.io(id)) else {
        return;
    };
    if session.output.failures() > MAX_RECORDINGS {
        return;
    }
    let (size, end) = (session.output.size(), session.output.end());
    let (_, bytes) = io.log.read_all(end.saturating_sub(KEPT), end);
    match record(&state.sessions.store.dir(id), end, &bytes) {
        Ok(Some(path)) => tracing::error!(
            session = %id,
            end,
            "the terminal emulator failed on output, which is in {}; please report it",
            path.display()
        ),
        Ok(None) => return,
        Err(error) => tracing::error!(
            session = %id,
            end,
            "the terminal emulator failed on output, which could not be kept: {error}"
        ),
    }
    let screen = repaint_screen(state, id, size, 0);
    if let Some(session) = state.sessions.get_mut(id) {
        session.output.replace_screen(screen);
    }
}

/// Keeps what the emulator failed on as `panic-OFFSET.bin`, where OFFSET is that
/// of the byte after it; `None` if there are enough of these.
fn record(dir: &Path, end: u64, bytes: &[u8]) -> io::Result<Option<PathBuf>> {
    let there = std::fs::read_dir(dir)?
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"panic-"))
        .count();
    // Also those of an earlier daemon, which fed the same output.
    if there >= MAX_RECORDINGS as usize {
        return Ok(None);
    }
    let path = dir.join(format!("panic-{end}.bin"));
    file::replace(&path, bytes)?;
    Ok(Some(path))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_it_failed_on_is_kept_privately_and_not_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let first = record(dir.path(), 100, b"bytes").unwrap().unwrap();
        assert_eq!(first, dir.path().join("panic-100.bin"));
        assert_eq!(std::fs::read(&first).unwrap(), b"bytes");
        let mode = std::fs::metadata(&first).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        for end in 101..110 {
            record(dir.path(), end, b"more").unwrap();
        }
        let kept = std::fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(kept, MAX_RECORDINGS as usize);
    }
}
