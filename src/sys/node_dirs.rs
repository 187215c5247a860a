//! The directories with sockets and locks that homes on nodes of a cluster have on each node.
//!
//! A node removes its own when its job ends, unless the cluster has killed all of the job. Then the next job of the user on
//! that node removes it.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::process::geteuid;

use super::lock::Lock;
use super::paths::{Home, SHARED, keeper_lock_in, node_runtimes, start_lock_in};

/// A directory that has changed within this time may belong to a keeper that is being started.
const SETTLED: Duration = Duration::from_secs(60);

/// Removes the directories of this user whose keepers are dead, except that of `home`.
pub fn clear(home: &Home) {
    // The next job tries again.
    let _ = clear_in(
        Path::new(SHARED),
        &node_runtimes(),
        &home.runtime,
        SystemTime::now(),
    );
}

fn clear_in(shared: &Path, prefix: &str, own: &Path, now: SystemTime) -> io::Result<()> {
    for entry in std::fs::read_dir(shared)?.flatten() {
        let path = entry.path();
        let is_of_node = entry.file_name().to_string_lossy().starts_with(prefix);
        if is_of_node && path != own && is_left(&path, now).unwrap_or(false) {
            // One that cannot be removed holds up no other.
            let _ = remove(&path);
        }
    }
    Ok(())
}

/// Whether a directory is this user's and nothing has happened in it for a while.
fn is_left(dir: &Path, now: SystemTime) -> io::Result<bool> {
    let meta = std::fs::symlink_metadata(dir)?;
    let is_ours = meta.is_dir() && meta.uid() == geteuid().as_raw();
    let age = now.duration_since(meta.modified()?).unwrap_or_default();
    Ok(is_ours && age >= SETTLED)
}

/// Removes a directory unless a keeper holds its lock, or a client that starts one.
fn remove(dir: &Path) -> io::Result<()> {
    let locks = [keeper_lock_in(dir), start_lock_in(dir)];
    let mut held = Vec::new();
    for lock in &locks {
        match Lock::attempt(lock)? {
            Some(lock) => held.push(lock),
            None => return Ok(()),
        }
    }
    std::fs::remove_dir_all(dir)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_dead_and_settled_is_removed() {
        let shared = tempfile::tempdir().unwrap();
        let dir = |name: &str| {
            let dir = shared.path().join(name);
            std::fs::create_dir(&dir).unwrap();
            std::fs::write(dir.join("daemon.sock"), "").unwrap();
            dir
        };
        let [dead, alive, starting, own, other] = [
            "node-dead",
            "node-alive",
            "node-starting",
            "node-own",
            "other",
        ]
        .map(dir);
        let _keeper = Lock::attempt(&keeper_lock_in(&alive)).unwrap().unwrap();
        let _client = Lock::attempt(&start_lock_in(&starting)).unwrap().unwrap();
        let clear = |now| clear_in(shared.path(), "node-", &own, now).unwrap();
        clear(SystemTime::now());
        assert!(dead.exists(), "it has just been made");
        clear(SystemTime::now() + 2 * SETTLED);
        assert!(!dead.exists());
        for dir in [alive, starting, own, other] {
            assert!(dir.join("daemon.sock").exists(), "{}", dir.display());
        }
    }
}
