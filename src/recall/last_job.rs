//! The last job that a person used on each terminal, which is the target `-`.
//!
//! Each terminal session has a small file with an id in the state directory, so that a verb in one shell does
//! not change `-` in another. Without a terminal (cron, CI) nothing is kept. The file is a convenience: if it
//! cannot be written, the verb has still done its work, so the error is ignored.

use std::fs::{DirBuilder, Metadata};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::protocol::SessionId;
use crate::sys::file;
use crate::sys::login::Login;
use crate::sys::paths::Home;

/// Directory of the files, within the state directory.
const DIR: &str = "terminals";

/// File of earlier versions, shared by all terminals.
const FORMER: &str = "recent";

/// How long to keep the file of a terminal that cannot be found, because it may belong to another container.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// Saves `id` for the next verb on this terminal.
pub fn remember(id: &SessionId) {
    if let Some(path) = place() {
        write(&path, id);
    }
}

/// The id that was saved last on this terminal.
pub fn recall() -> Option<SessionId> {
    read(&place()?)
}

/// Whether there is a terminal to save an id for.
pub fn has_terminal() -> bool {
    Login::current().is_some()
}

/// The path of this terminal's file.
fn place() -> Option<PathBuf> {
    let Login { leader, start } = Login::current()?;
    let dir = Home::locate().ok()?.state.join(DIR);
    Some(dir.join(format!("{leader}-{start}")))
}

fn write(path: &Path, id: &SessionId) {
    let is_new = !path.exists();
    if file::replace(path, id.as_str().as_bytes()).is_ok() && !is_new {
        return;
    }
    let Some(dir) = path.parent() else {
        return;
    };
    if is_new && !path.exists() {
        // The state directory exists, because a daemon has answered about a job.
        let _ = DirBuilder::new().mode(0o700).create(dir);
        let _ = file::replace(path, id.as_str().as_bytes());
    }
    clean(dir);
}

/// Removes the files of terminals that are gone. Called once per new terminal.
fn clean(dir: &Path) {
    let _ = std::fs::remove_file(dir.with_file_name(FORMER));
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let is_old = entry.metadata().is_ok_and(|meta| is_older(&meta, KEPT));
        let name = entry.file_name();
        let login = name.to_str().and_then(login);
        if is_old && !login.is_some_and(|login| login.is_there()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn login(name: &str) -> Option<Login> {
    let (leader, start) = name.split_once('-')?;
    Some(Login {
        leader: leader.parse().ok()?,
        start: start.parse().ok()?,
    })
}

fn is_older(meta: &Metadata, age: Duration) -> bool {
    let since = meta.modified().ok().and_then(|at| at.elapsed().ok());
    since.is_some_and(|since| since > age)
}

fn read(path: &Path) -> Option<SessionId> {
    SessionId::parse_any(std::fs::read_to_string(path).ok()?.trim())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn reads_back_the_id_and_ignores_garbage() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(DIR).join("7-42");
        assert_eq!(read(&path), None);
        let id = SessionId::fresh();
        write(&path, &id);
        assert_eq!(read(&path), Some(id));
        std::fs::write(&path, "../../etc/passwd").unwrap();
        assert_eq!(read(&path), None);
        let files = std::fs::read_dir(dir.path().join(DIR)).unwrap();
        assert_eq!(files.count(), 1);
    }

    #[test]
    fn a_new_terminal_removes_old_files() {
        let dir = tempfile::tempdir().unwrap();
        let (former, dir) = (dir.path().join(FORMER), dir.path().join(DIR));
        std::fs::create_dir(&dir).unwrap();
        let pid = std::process::id();
        let own = crate::sys::process::read(pid).unwrap().start;
        let there = format!("{pid}-{own}");
        std::fs::write(&former, "x").unwrap();
        for name in [&there, "4000000-1", "4000000-2", "torn.tmp"] {
            let file = File::create(dir.join(name)).unwrap();
            if name != "4000000-2" {
                let old = SystemTime::now() - 2 * KEPT;
                file.set_modified(old).unwrap();
            }
        }
        write(&dir.join("7-42"), &SessionId::fresh());
        let mut left: Vec<_> = std::fs::read_dir(&dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let mut expected = vec!["4000000-2".to_owned(), "7-42".to_owned(), there];
        expected.sort();
        assert_eq!(left, expected);
        assert!(!former.exists());
    }
}
