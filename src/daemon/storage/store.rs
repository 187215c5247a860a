//! The session directories on disk.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::log_reader::LogReader;
use crate::engine::batch::Batch;
use crate::engine::meta::Meta;
use crate::engine::session::Session;
use crate::protocol::SessionId;
use crate::protocol::disk::{EXIT, META};
use crate::protocol::keeper::Exit;
use crate::sys::clock;
use crate::sys::file;
use crate::sys::paths::Home;
use crate::sys::segments;

/// Age below which a session's record is written without sync, in milliseconds, as its log is. A job that
/// starts, or ends at once, thus does not wait for the disk. Only a power failure within the next half minute
/// could lose both.
const FRESH_MS: i64 = 10_000;

/// The contents of the session directories.
pub(crate) struct Loaded {
    /// The records, oldest session first.
    pub(crate) metas: Vec<Meta>,
    /// Sessions with an unreadable record.
    pub(crate) without: Vec<SessionId>,
    /// Directories without a record.
    pub(crate) bare: Vec<SessionId>,
}

/// Access to the session directories.
pub(crate) struct Store {
    home: Home,
    boot_id: String,
}

impl Store {
    pub(crate) fn new(home: Home) -> Self {
        Self {
            home,
            boot_id: clock::boot_id(),
        }
    }

    /// The directories of this installation.
    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// Id of the current boot.
    pub(crate) fn boot_id(&self) -> &str {
        &self.boot_id
    }

    /// A session's directory.
    pub(crate) fn dir(&self, id: &SessionId) -> PathBuf {
        self.home.session(id)
    }

    /// Creates a session's directory.
    pub(crate) fn create(&self, id: &SessionId) -> io::Result<()> {
        std::fs::DirBuilder::new().mode(0o700).create(self.dir(id))
    }

    /// Removes a session's record, so that no later daemon takes the session over.
    pub(crate) fn remove_meta(&self, id: &SessionId) {
        // The record may never have been written.
        let _ = std::fs::remove_file(self.dir(id).join(META));
    }

    /// Removes a session's directory, if it exists. A failure is only logged: a leftover directory does no
    /// harm.
    pub(crate) fn remove(&self, id: &SessionId) {
        match std::fs::remove_dir_all(self.dir(id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(session = %id, %error, "its files cannot be removed");
            }
            _ => {}
        }
    }

    /// Writes `meta.json`.
    pub(crate) fn write_meta(&self, session: &Session) {
        let path = self.dir(&session.id).join(META);
        let age = clock::wall().millis() - session.life.created_at().millis();
        let replace = match age < FRESH_MS {
            true => file::replace_lazily,
            false => file::replace,
        };
        let written = serde_json::to_vec(&session.meta(&self.boot_id))
            .map_err(io::Error::from)
            .and_then(|bytes| replace(&path, &bytes));
        if let Err(error) = written {
            tracing::error!(session = %session.id, %error, "{META} cannot be written");
        }
    }

    /// Reads the records that earlier daemons left. An unreadable record is put aside (renamed), not removed.
    pub(crate) fn load(&self) -> Loaded {
        let entries = std::fs::read_dir(self.home.sessions())
            .into_iter()
            .flatten()
            .flatten();
        let ids = entries.filter_map(|entry| SessionId::parse(entry.file_name().to_str()?));
        let (mut metas, mut without, mut bare) = (Vec::new(), Vec::new(), Vec::new());
        for id in ids {
            let path = self.dir(&id).join(META);
            let read = file::read(&path).map_err(|error| match error.kind() {
                // The daemon died between creating the directory and writing the record, or it is not a
                // directory.
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => None,
                _ => Some(error.to_string()),
            });
            match read.and_then(|text| parse_meta(&text, &id).map_err(Some)) {
                Ok(meta) => metas.push(meta),
                Err(None) => bare.push(id),
                Err(Some(why)) => {
                    tracing::warn!(session = %id, why, "{META} is unreadable and is put aside");
                    let _ = std::fs::rename(&path, path.with_extension("json.bad"));
                    without.push(id);
                }
            }
        }
        metas.sort_by_key(|meta| meta.life.created_at());
        Loaded {
            metas,
            without,
            bare,
        }
    }

    /// Whether a session's directory exists.
    pub(crate) fn has(&self, id: &SessionId) -> bool {
        self.dir(id).is_dir()
    }

    /// Whether a session has a log, even an empty one.
    pub(crate) fn has_log(&self, id: &SessionId) -> bool {
        segments::starts(&self.dir(id)).is_ok_and(|starts| !starts.is_empty())
    }

    /// Reads a session's log: its own, or that which a node of a cluster writes.
    pub(crate) fn log(&self, id: &SessionId, batch: Option<&Batch>) -> LogReader {
        match batch {
            Some(batch) => LogReader::of_node(batch.log_directory(id)),
            None => LogReader::new(self.dir(id)),
        }
    }

    /// The exit of a session, if the keeper has saved it.
    pub(crate) fn read_exit(&self, id: &SessionId) -> Option<Exit> {
        exit_in(&self.dir(id))
    }
}

fn parse_meta(text: &[u8], id: &SessionId) -> Result<Meta, String> {
    let meta: Meta = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if meta.version > Meta::VERSION {
        return Err(format!("it is of version {}", meta.version));
    }
    if meta.id != *id {
        return Err(format!("it is of session {}", meta.id));
    }
    Ok(meta)
}

/// The exit that a keeper has saved in the directory of a session.
pub(crate) fn exit_in(dir: &Path) -> Option<Exit> {
    serde_json::from_slice(&std::fs::read(dir.join(EXIT)).ok()?).ok()
}
