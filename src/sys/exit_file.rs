//! `exit.json` in the directory of a session: how it ended. A keeper writes it, for a daemon that comes later.

use std::io;
use std::path::Path;

use super::file;
use crate::protocol::disk::EXIT;
use crate::protocol::keeper::Exit;

/// The exit that is in the directory of a session.
pub fn read(dir: &Path) -> Option<Exit> {
    serde_json::from_slice(&file::read(&dir.join(EXIT)).ok()?).ok()
}

/// Writes it.
pub fn write(dir: &Path, exit: &Exit) -> io::Result<()> {
    file::replace(&dir.join(EXIT), &serde_json::to_vec(exit)?)
}
