//! Where sockets, state and configuration live.
//!
//! `BGPROC_HOME` moves all three together; otherwise the platform's own
//! directories are used. Every directory that is ours alone is made 0700, and
//! one that somebody else could write to is refused.

use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use crate::protocol::SessionId;

/// Why a directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// The system refused.
    #[error("cannot use {path}: {source}")]
    Io {
        /// Which directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Somebody else could have put files there.
    #[error("{path} is not safe to use: {why}")]
    Unsafe {
        /// Which directory.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Neither `BGPROC_HOME` nor a home directory is known.
    #[error("no home directory is known; set BGPROC_HOME to a directory of yours")]
    NoHome,
}

/// The three places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// Socket and locks.
    pub runtime: PathBuf,
    /// Sessions, journal, diagnostics.
    pub state: PathBuf,
    /// `config.toml`.
    pub config: PathBuf,
}

impl Home {
    /// The places that the environment names; creates nothing.
    pub fn locate() -> Result<Self, PathError> {
        if let Some(home) = std::env::var_os("BGPROC_HOME").filter(|home| !home.is_empty()) {
            let home = std::path::absolute(&home).map_err(|source| PathError::Io {
                path: home.into(),
                source,
            })?;
            return Ok(Self {
                runtime: home.clone(),
                state: home.clone(),
                config: home,
            });
        }
        let dirs = directories::ProjectDirs::from("", "", "bgproc").ok_or(PathError::NoHome)?;
        let runtime = match dirs.runtime_dir() {
            Some(dir) => dir.to_owned(),
            None => PathBuf::from(format!("/tmp/bgproc-{}", geteuid().as_raw())),
        };
        let state = dirs
            .state_dir()
            .unwrap_or_else(|| dirs.data_local_dir())
            .to_owned();
        Ok(Self {
            runtime,
            state,
            config: dirs.config_dir().to_owned(),
        })
    }

    /// Makes the directories that the daemon needs and checks that they are ours alone.
    pub fn prepare(&self) -> Result<(), PathError> {
        private_dir(&self.runtime)?;
        private_dir(&self.state)?;
        private_dir(&self.sessions())
    }

    /// The daemon's socket.
    pub fn socket(&self) -> PathBuf {
        self.runtime.join("daemon.sock")
    }

    /// Held while a client starts a keeper.
    pub fn start_lock(&self) -> PathBuf {
        self.runtime.join("start.lock")
    }

    /// Held by the keeper for as long as it lives.
    pub fn keeper_lock(&self) -> PathBuf {
        self.runtime.join("keeper.lock")
    }

    /// One directory a session.
    pub fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// A session's directory.
    pub fn session(&self, id: &SessionId) -> PathBuf {
        self.sessions().join(id.as_str())
    }

    /// What has happened, one event a line.
    pub fn journal(&self) -> PathBuf {
        self.state.join("journal.jsonl")
    }

    /// The configuration file, which need not exist.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// What keeper and daemon have to say about themselves.
    pub fn diagnostics(&self, process: &str) -> PathBuf {
        self.state.join(format!("{process}.log"))
    }
}

/// Makes `path` (and its parents) with mode 0700, or checks the one that is there:
/// a real directory, ours, and closed to everybody else.
pub fn private_dir(path: &Path) -> Result<(), PathError> {
    let io_error = |source| PathError::Io {
        path: path.to_owned(),
        source,
    };
    let unsafe_because = |why: String| PathError::Unsafe {
        path: path.to_owned(),
        why,
    };
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(io_error)?;
    let meta = std::fs::symlink_metadata(path).map_err(io_error)?;
    if meta.is_symlink() {
        return Err(unsafe_because("it is a symbolic link".to_owned()));
    }
    if !meta.is_dir() {
        return Err(unsafe_because("it is not a directory".to_owned()));
    }
    let me = geteuid().as_raw();
    if meta.uid() != me {
        return Err(unsafe_because(format!(
            "it belongs to user id {}, not {me}",
            meta.uid()
        )));
    }
    if meta.mode() & 0o022 != 0 {
        let mode = meta.mode() & 0o7777;
        return Err(unsafe_because(format!(
            "others can write to it (mode {mode:o}); run: chmod 700 {}",
            path.display()
        )));
    }
    Ok(())
}

/// This program's file, to start it again. After the file was replaced, Linux
/// names the old one "… (deleted)"; the new one at the same place is meant.
pub fn own_program() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?;
    let text = path.as_os_str().as_encoded_bytes();
    match text.strip_suffix(b" (deleted)") {
        Some(kept) => {
            use std::os::unix::ffi::OsStrExt;
            Ok(PathBuf::from(std::ffi::OsStr::from_bytes(kept)))
        }
        None => Ok(path),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_directory_that_others_can_write_to_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let open = dir.path().join("open");
        private_dir(&open).unwrap();
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o770)).unwrap();
        let error = private_dir(&open).unwrap_err().to_string();
        assert!(error.contains("others can write"), "{error}");
    }

    #[test]
    fn a_link_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path(), &link).unwrap();
        assert!(
            private_dir(&link)
                .unwrap_err()
                .to_string()
                .contains("symbolic link")
        );
    }
}
