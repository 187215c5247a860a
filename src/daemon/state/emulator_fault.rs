//! Recovery from a failed terminal emulator: the output that made it fail is recorded, and the screen is
//! repainted without it.
//!
//! No output is known to make the emulator fail. If one does, only one screen is harmed, and the recording
//! allows the fault to be reproduced.

use std::io;
use std::path::{Path, PathBuf};

use super::State;
use super::repaint::repaint_screen;
use crate::protocol::SessionId;
use crate::sys::file;

/// Bytes before the failure that are recorded.
const KEPT: u64 = 64 * 1024;

/// Maximum number of recordings per session. After that a failing screen is only reset, so that output made to fail
/// costs no more than other output.
const MAX_RECORDINGS: u32 = 4;

/// Records the newest output of a session whose emulator has failed on it, and repaints the screen.
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
            "the terminal emulator failed on output, which could not be recorded: {error}"
        ),
    }
    let screen = repaint_screen(state, id, size, 0);
    if let Some(session) = state.sessions.get_mut(id) {
        session.output.replace_screen(screen);
    }
}

/// Writes the output that the emulator failed on to `panic-OFFSET.bin`, where OFFSET is the offset after its
/// last byte. Returns `None` if there are enough recordings.
fn record(dir: &Path, end: u64, bytes: &[u8]) -> io::Result<Option<PathBuf>> {
    let there = std::fs::read_dir(dir)?
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"panic-"))
        .count();
    // Recordings of an earlier daemon count as well: it was fed the same output.
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
    fn records_failing_output_privately_and_a_limited_number_of_times() {
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
