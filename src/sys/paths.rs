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
        /// What to do about it.
        advice: String,
    },
    /// It is ours, and others can write to it.
    #[error("{path} is not safe to use: others can write to it (mode {mode:o})")]
    Open {
        /// Which directory.
        path: PathBuf,
        /// Its mode.
        mode: u32,
        /// What to do about it.
        advice: String,
    },
    /// `BGPROC_HOME` depends on who reads it where.
    #[error(
        "BGPROC_HOME is `{0}`, which is no absolute path; the daemon works in another directory"
    )]
    Relative(PathBuf),
    /// Neither `BGPROC_HOME` nor a home directory is known.
    #[error("no home directory is known")]
    NoHome,
}

impl PathError {
    /// What to do about it.
    pub fn advice(&self) -> &str {
        match self {
            Self::Unsafe { advice, .. } | Self::Open { advice, .. } => advice,
            Self::Relative(_) => "write it in full, from / on",
            Self::Io { .. } | Self::NoHome => {
                "set BGPROC_HOME to a directory that you can write to"
            }
        }
    }
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
            let home = PathBuf::from(home);
            if !home.is_absolute() {
                return Err(PathError::Relative(home));
            }
            return Ok(Self {
                runtime: home.clone(),
                state: home.clone(),
                config: home,
            });
        }
        let dirs = directories::ProjectDirs::from("", "", "bgproc").ok_or(PathError::NoHome)?;
        let runtime = match dirs.runtime_dir().filter(|dir| is_in_own_dir(dir)) {
            Some(dir) => dir.to_owned(),
            None => Path::new(SHARED).join(format!("bgproc-{}", geteuid().as_raw())),
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

    /// Checks the directories of sockets, as far as they are there: what somebody else
    /// could have put there is not to be talked to.
    pub fn check_sockets(&self) -> Result<(), PathError> {
        for dir in [&self.runtime, &self.state] {
            match check_private(dir) {
                Err(PathError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
                other => other?,
            }
        }
        Ok(())
    }

    /// The daemon's socket, unless the keeper had to put it elsewhere.
    pub fn socket(&self) -> PathBuf {
        socket_in(&self.runtime)
    }

    /// Held while a client starts a keeper. In the state directory, so that clients
    /// that know different runtime directories exclude each other.
    pub fn start_lock(&self) -> PathBuf {
        self.state.join("start.lock")
    }

    /// Where the keeper says how it is: where it listens, which daemon it has. In the state directory, which
    /// every environment of a user agrees on and which no logout removes.
    pub fn keeper_socket(&self) -> PathBuf {
        self.state.join("keeper.sock")
    }

    /// Held by the keeper as well: the sessions are its, wherever its socket
    /// is, and the file says where that is.
    pub fn sessions_lock(&self) -> PathBuf {
        self.state.join("sessions.lock")
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

    /// What they had to say before that file was begun.
    pub fn older_diagnostics(&self, process: &str) -> PathBuf {
        self.state.join(format!("{process}.log.1"))
    }
}

/// The daemon's socket in a directory.
pub fn socket_in(dir: &Path) -> PathBuf {
    dir.join("daemon.sock")
}

/// Held by the keeper for as long as it lives: the socket beside it is its.
pub fn keeper_lock_in(dir: &Path) -> PathBuf {
    dir.join("keeper.lock")
}

/// Where the socket's directory is if the platform names none.
const SHARED: &str = "/tmp";

/// Whether the directory above `dir` is there and ours. `XDG_RUNTIME_DIR` may be
/// inherited from another user (su, sudo) or name one that was never made.
fn is_in_own_dir(dir: &Path) -> bool {
    let above = dir.parent().and_then(|above| std::fs::metadata(above).ok());
    above.is_some_and(|meta| meta.is_dir() && meta.uid() == geteuid().as_raw())
}

/// Makes `path` (and its parents) with mode 0700, or checks the one that is there.
pub fn private_dir(path: &Path) -> Result<(), PathError> {
    let made = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path);
    match made {
        // Something is there that is no directory, which the check explains.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(PathError::Io {
            path: path.to_owned(),
            source: error,
        }),
        _ => check_private(path),
    }
}

/// Checks that `path` is a real directory, ours, and that nobody else can write to it.
pub fn check_private(path: &Path) -> Result<(), PathError> {
    let meta = std::fs::symlink_metadata(path).map_err(|source| PathError::Io {
        path: path.to_owned(),
        source,
    })?;
    let refuse = |why: String, advice: String| {
        Err(PathError::Unsafe {
            path: path.to_owned(),
            why,
            advice,
        })
    };
    let elsewhere = "set BGPROC_HOME to a directory of yours";
    if meta.is_symlink() {
        let why = "it is a symbolic link".to_owned();
        return refuse(why, format!("remove it, or {elsewhere}"));
    }
    if !meta.is_dir() {
        let why = "it is not a directory".to_owned();
        return refuse(why, format!("remove it, or {elsewhere}"));
    }
    let (owner, me) = (meta.uid(), geteuid().as_raw());
    if owner != me {
        let why = format!("it belongs to user id {owner}, and this is user id {me}");
        return refuse(why, format!("run bgproc as that user, or {elsewhere}"));
    }
    if meta.mode() & 0o022 != 0 {
        return Err(PathError::Open {
            path: path.to_owned(),
            mode: meta.mode() & 0o7777,
            advice: format!("run: chmod 700 {}", path.display()),
        });
    }
    match path.parent() {
        Some(above) if above == Path::new(SHARED) => check_shared(above, path),
        _ => Ok(()),
    }
}

/// In a directory that everybody can write to, only the sticky bit keeps others
/// from putting their own directory in the place of ours.
fn check_shared(above: &Path, path: &Path) -> Result<(), PathError> {
    let mode = std::fs::metadata(above).map_or(0, |meta| meta.mode());
    if mode & 0o002 == 0 || mode & 0o1000 != 0 {
        return Ok(());
    }
    Err(PathError::Unsafe {
        path: path.to_owned(),
        why: format!(
            "everybody can replace it: {} has no sticky bit",
            above.display()
        ),
        advice: format!("run as root: chmod +t {}", above.display()),
    })
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
        let (link, dangling) = (dir.path().join("link"), dir.path().join("dangling"));
        std::os::unix::fs::symlink(dir.path(), &link).unwrap();
        std::os::unix::fs::symlink("nowhere", &dangling).unwrap();
        for link in [link, dangling] {
            let error = private_dir(&link).unwrap_err().to_string();
            assert!(error.contains("symbolic link"), "{error}");
        }
    }

    #[test]
    fn a_file_is_no_directory() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = private_dir(&file).unwrap_err().to_string();
        assert!(error.contains("not a directory"), "{error}");
    }

    #[test]
    fn a_shared_directory_needs_its_sticky_bit() {
        let dir = tempfile::tempdir().unwrap();
        let ours = dir.path().join("bgproc-1");
        let mode = |mode| {
            std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            check_shared(dir.path(), &ours)
        };
        mode(0o1777).unwrap();
        mode(0o755).unwrap();
        let error = mode(0o777).unwrap_err();
        assert!(error.to_string().contains("sticky"), "{error}");
    }
}
