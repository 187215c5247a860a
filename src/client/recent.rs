//! The session that a person's last verb was about, which the target `-` means.
//!
//! One id in a file of the state directory. It is a convenience: where it
//! cannot be written, the verb has still done its work, so nothing is said.

use std::path::Path;

use crate::protocol::SessionId;
use crate::sys::file;
use crate::sys::paths::Home;

/// Its name in the state directory.
const FILE: &str = "recent";

/// Keeps `id` for the next verb.
pub fn remember(id: &SessionId) {
    if let Ok(home) = Home::locate() {
        write(&home.state.join(FILE), id);
    }
}

/// The id that was kept last.
pub fn recall() -> Option<SessionId> {
    read(&Home::locate().ok()?.state.join(FILE))
}

fn write(path: &Path, id: &SessionId) {
    let _ = file::replace(path, id.as_str().as_bytes());
}

fn read(path: &Path) -> Option<SessionId> {
    SessionId::parse(std::fs::read_to_string(path).ok()?.trim())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_and_garbage_is_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("recent");
        assert_eq!(read(&path), None);
        let id = SessionId::fresh();
        write(&path, &id);
        assert_eq!(read(&path), Some(id));
        std::fs::write(&path, "../../etc/passwd").unwrap();
        assert_eq!(read(&path), None);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
