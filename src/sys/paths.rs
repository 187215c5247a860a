//! The directories for sockets, state and configuration.
//!
//! `BGPROC_HOME` moves all three together; otherwise the platform's own directories are used. Private
//! directories are created with mode 0700, and one that other users could write to is refused.

use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use super::node_home::{NODE, SESSIONS};
use super::role::ProcessRole;
use super::{machine, node_home, users};
use crate::protocol::SessionId;

/// Why a directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// The system refused access.
    #[error("cannot use {path}: {source}")]
    Io {
        /// The directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Another user could have put files there.
    #[error("{path} is not safe to use: {why}")]
    Unsafe {
        /// The directory.
        path: PathBuf,
        /// The problem.
        why: String,
        /// How to fix it.
        advice: String,
    },
    /// The directory is ours, but other users can write to it.
    #[error("{path} is not safe to use: others can write to it (mode {mode:o})")]
    Open {
        /// The directory.
        path: PathBuf,
        /// Its mode.
        mode: u32,
        /// How to fix it.
        advice: String,
    },
    /// `BGPROC_HOME` is relative, so it would depend on the current directory.
    #[error(
        "BGPROC_HOME is `{0}`, which is not an absolute path; the daemon runs in another directory"
    )]
    Relative(PathBuf),
    /// Neither `BGPROC_HOME` nor a home directory is set.
    #[error("cannot determine the home directory")]
    NoHome,
}

impl PathError {
    /// How to fix it.
    pub fn advice(&self) -> &str {
        match self {
            Self::Unsafe { advice, .. } | Self::Open { advice, .. } => advice,
            Self::Relative(_) => "set it to an absolute path",
            Self::Io { .. } | Self::NoHome => {
                "set BGPROC_HOME to a directory that you can write to"
            }
        }
    }
}

/// The three directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// Socket and locks.
    pub runtime: PathBuf,
    /// Sessions, journal, diagnostics.
    pub state: PathBuf,
    /// `config.toml`.
    pub config: PathBuf,
    /// The session for which this home was made, on a node of a cluster.
    pub session: Option<SessionId>,
}

/// Longest content of that file that is read, in bytes.
const NODE_BYTES: u64 = 64;

impl Home {
    /// Determines the directories from the environment; creates nothing.
    pub fn locate() -> Result<Self, PathError> {
        if let Some(home) = std::env::var_os("BGPROC_HOME").filter(|home| !home.is_empty()) {
            let home = PathBuf::from(home);
            if !home.is_absolute() {
                return Err(PathError::Relative(home));
            }
            // The directory of a session on a cluster stands for the home of the run that owns the session.
            let owner = node_home::owner(&home).ok().flatten();
            let home = owner.map_or(home, |owner| owner.home);
            if let Some(session) = node_of(&home) {
                return Ok(Self {
                    runtime: node_runtime(&home),
                    state: home.clone(),
                    config: home,
                    session,
                });
            }
            let part = machine::part_of(&home);
            return Ok(Self {
                runtime: match &part {
                    Some(part) => own_runtime(&machine::word_for(part)),
                    None => home.clone(),
                },
                state: part.unwrap_or_else(|| home.clone()),
                config: home,
                session: None,
            });
        }
        let dirs = directories::ProjectDirs::from("", "", "bgproc").ok_or(PathError::NoHome)?;
        let state = dirs
            .state_dir()
            .unwrap_or_else(|| dirs.data_local_dir())
            .to_owned();
        let runtime = match dirs.runtime_dir().filter(|dir| is_in_own_dir(dir)) {
            // Another state is another registry, so its sockets are others too.
            Some(dir) if is_shared_by_all(dir) && is_elsewhere(&state) => {
                dir.with_file_name(format!("bgproc-{}", machine::word_for(&state)))
            }
            Some(dir) => dir.to_owned(),
            None if is_elsewhere(&state) => own_runtime(&machine::word_for(&state)),
            None => Path::new(SHARED).join(format!("bgproc-{}", geteuid().as_raw())),
        };
        Ok(Self {
            runtime,
            state: machine::part_of(&state).unwrap_or(state),
            config: dirs.config_dir().to_owned(),
            session: None,
        })
    }

    /// Creates the directories that the daemon needs and checks that only we can write to them.
    pub fn prepare(&self) -> Result<(), PathError> {
        private_dir(&self.runtime)?;
        private_dir(&self.exclusive())?;
        if let Some(parts) = machine::parts(&self.state) {
            private_dir(parts)?;
        }
        private_dir(&self.state)?;
        private_dir(&self.sessions())
    }

    /// Checks the directories of the sockets, as far as they exist, because a client must not talk to a
    /// socket that another user could have put there.
    pub fn check_sockets(&self) -> Result<(), PathError> {
        for dir in [&self.runtime, &self.state, &self.exclusive()] {
            match check_private(dir) {
                Err(PathError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
                other => other?,
            }
        }
        Ok(())
    }

    /// Path of the daemon's socket, unless the keeper had to put it elsewhere.
    pub fn socket(&self) -> PathBuf {
        socket_in(&self.runtime)
    }

    /// The directory of what only one keeper may have: the state directory, so that clients with different runtime
    /// directories exclude each other. File systems that several machines see may have no locks and no sockets. A home
    /// on a node has one runtime directory only, which takes its place; for a part of a state there is one that follows
    /// from its name.
    fn exclusive(&self) -> PathBuf {
        if machine::parts(&self.state).is_some() {
            return own_runtime(&machine::word_for(&self.state));
        }
        if self.state.join(NODE).exists() {
            self.runtime.clone()
        } else {
            self.state.clone()
        }
    }

    /// Lock file held while a client starts a keeper.
    pub fn start_lock(&self) -> PathBuf {
        start_lock_in(&self.exclusive())
    }

    /// The keeper's status socket, which tells where the daemon listens and which daemon runs. It is where every
    /// environment of a user looks for it, and survives a logout.
    pub fn keeper_socket(&self) -> PathBuf {
        self.exclusive().join("keeper.sock")
    }

    /// Lock file of the sessions, also held by the keeper. It contains the path of the socket, wherever
    /// that is.
    pub fn sessions_lock(&self) -> PathBuf {
        self.exclusive().join("sessions.lock")
    }

    /// The directory that holds one directory per session.
    pub fn sessions(&self) -> PathBuf {
        self.state.join(SESSIONS)
    }

    /// A session's directory.
    pub fn session(&self, id: &SessionId) -> PathBuf {
        self.sessions().join(id.as_str())
    }

    /// The directory that holds one file per project.
    pub fn projects(&self) -> PathBuf {
        self.state.join("projects")
    }

    /// What was last known of the sessions of another host.
    pub fn host(&self, name: &str) -> PathBuf {
        self.state.join("hosts").join(format!("{name}.json"))
    }

    /// The journal of events, one per line.
    pub fn journal(&self) -> PathBuf {
        self.state.join("journal.jsonl")
    }

    /// The configuration file, which need not exist.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The log file of keeper or daemon.
    pub fn diagnostics(&self, process: ProcessRole) -> PathBuf {
        self.state.join(format!("{process}.log"))
    }

    /// Its previous, full log file.
    pub fn older_diagnostics(&self, process: ProcessRole) -> PathBuf {
        self.state.join(format!("{process}.log.1"))
    }
}

/// The session of a node's home; `None` if the home is not on a node, the inner `None` if it is an allocation's.
fn node_of(home: &Path) -> Option<Option<SessionId>> {
    let file = std::fs::File::open(home.join(NODE)).ok()?;
    let mut text = String::new();
    file.take(NODE_BYTES).read_to_string(&mut text).ok()?;
    Some(SessionId::parse(text.trim()))
}

/// The directory of a node's own for a home that other machines see, too. Its name is that of the home.
fn node_runtime(home: &Path) -> PathBuf {
    let name = home.file_name().unwrap_or_default().to_string_lossy();
    Path::new(SHARED).join(format!("{}{name}", node_runtimes()))
}

/// How the names of this user's directories of that kind begin, in [`SHARED`].
pub(super) fn node_runtimes() -> String {
    format!("{}node-", own_runtimes())
}

/// The directory for the sockets of a home whose own directory other machines see, too.
fn own_runtime(name: &str) -> PathBuf {
    Path::new(SHARED).join(format!("{}{name}", own_runtimes()))
}

fn own_runtimes() -> String {
    format!("bgproc-{}-", geteuid().as_raw())
}

/// Path of the daemon's socket in a directory.
pub fn socket_in(dir: &Path) -> PathBuf {
    dir.join("daemon.sock")
}

/// Lock file in a directory of sockets, held while a client starts a keeper there.
pub(super) fn start_lock_in(dir: &Path) -> PathBuf {
    dir.join("start.lock")
}

/// Lock file beside the daemon's socket. The keeper holds it for as long as it lives, and thereby owns the
/// socket.
pub fn keeper_lock_in(dir: &Path) -> PathBuf {
    dir.join("keeper.lock")
}

/// Parent of the socket's directory if the platform names no runtime directory.
pub(super) const SHARED: &str = "/tmp";

/// Whether the parent of `dir` exists and is ours. `XDG_RUNTIME_DIR` may be inherited from another user
/// (su, sudo) or name a directory that was never created.
fn is_in_own_dir(dir: &Path) -> bool {
    let above = dir.parent().and_then(|above| std::fs::metadata(above).ok());
    above.is_some_and(|meta| meta.is_dir() && meta.uid() == geteuid().as_raw())
}

/// Whether a runtime directory is the one that the system makes for each user (systemd's `pam_systemd`), and not one that
/// somebody has chosen together with the state.
fn is_shared_by_all(dir: &Path) -> bool {
    let usual = Path::new("/run/user").join(geteuid().as_raw().to_string());
    dir.parent() == Some(&usual)
}

/// Whether the state is not the usual one of this user: `XDG_STATE_HOME` names another directory, or `HOME` is not the
/// user's, as in tests that have one of their own.
fn is_elsewhere(state: &Path) -> bool {
    let Some(dirs) = directories::BaseDirs::new() else {
        return false;
    };
    let home = users::home_dir().unwrap_or_else(|| dirs.home_dir().to_owned());
    if std::env::var_os("XDG_STATE_HOME").is_some_and(|dir| !dir.is_empty()) {
        return !state.starts_with(home.join(".local/state"));
    }
    let [real, named] = [&*home, dirs.home_dir()].map(std::fs::canonicalize);
    // A home that is not there is not another one.
    matches!((real, named), (Ok(real), Ok(named)) if real != named)
}

/// Creates `path` (and its parents) with mode 0700, or checks the existing directory.
pub fn private_dir(path: &Path) -> Result<(), PathError> {
    let made = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path);
    match made {
        // What is there may not be a directory; the check explains that.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(PathError::Io {
            path: path.to_owned(),
            source: error,
        }),
        _ => check_private(path),
    }
}

/// Creates a directory of mode 0700 in a [`private_dir`], which is created again if somebody has removed it.
///
/// # Errors
///
/// Also if it exists.
pub fn create_in_private_dir(path: &Path) -> io::Result<()> {
    let create = || std::fs::DirBuilder::new().mode(0o700).create(path);
    match (create(), path.parent()) {
        (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
            private_dir(parent).map_err(io::Error::other)?;
            create()
        }
        (created, _) => created,
    }
}

/// Checks that `path` is a real directory, that it is ours, and that no other user can write to it.
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

/// Checks the sticky bit of a directory that everyone can write to: without it, another user could replace
/// our directory.
fn check_shared(above: &Path, path: &Path) -> Result<(), PathError> {
    let mode = std::fs::metadata(above).map_or(0, |meta| meta.mode());
    if mode & 0o002 == 0 || mode & 0o1000 != 0 {
        return Ok(());
    }
    Err(PathError::Unsafe {
        path: path.to_owned(),
        why: format!(
            "other users can replace it: {} has no sticky bit",
            above.display()
        ),
        advice: format!("run as root: chmod +t {}", above.display()),
    })
}

/// Path of this program's file, to start it again. If the file was replaced, Linux appends " (deleted)" to
/// its name; this returns the path of the new file.
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
    fn a_file_is_not_a_directory() {
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
