//! The session directories on disk.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::log_reader::LogReader;
use crate::engine::batch::Batch;
use crate::engine::meta::Meta;
use crate::engine::session::Session;
use crate::protocol::SessionId;
use crate::protocol::disk::META;
use crate::protocol::keeper::Exit;
use crate::sys::clock;
use crate::sys::paths::{Home, create_in_private_dir};
use crate::sys::segments;
use crate::sys::{exit_file, file};

/// Age below which the kernel may write a session's record to disk later, in milliseconds, as it does with logs. A job
/// that starts, or ends at once, thus does not wait for the disk. Only a power failure within the next half minute could
/// lose both. Later records are written as [`file::replace`] does.
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

impl Loaded {
    /// Takes a newer record of a session.
    pub(crate) fn replace(&mut self, record: Meta) {
        self.metas.retain(|known| known.id != record.id);
        self.without.retain(|id| *id != record.id);
        self.bare.retain(|id| *id != record.id);
        let created = record.life.created_at();
        let place = self
            .metas
            .partition_point(|known| known.life.created_at() <= created);
        self.metas.insert(place, record);
    }
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

    /// Creates a session's directory, and that of all sessions if somebody has removed it.
    pub(crate) fn create(&self, id: &SessionId) -> io::Result<()> {
        create_in_private_dir(&self.dir(id))
    }

    /// Creates a session's directory again, which somebody has removed.
    pub(crate) fn create_again(&self, id: &SessionId) -> io::Result<()> {
        match self.create(id) {
            // The keeper has created it meanwhile, for the log.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            created => created,
        }
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

    /// Removes a session's directory if nothing is in it. Who knows whose files those are that no session has?
    pub(crate) fn remove_if_empty(&self, id: &SessionId) {
        let _ = std::fs::remove_dir(self.dir(id));
    }

    /// The record of a session, as it is written.
    pub(crate) fn record(&self, session: &Session) -> Meta {
        session.meta(&self.boot_id)
    }

    /// Writes `meta.json`.
    pub(crate) fn write_meta(&self, session: &Session) -> io::Result<()> {
        let path = self.dir(&session.id).join(META);
        let age = clock::wall().millis() - session.life.created_at().millis();
        let replace = if age < FRESH_MS {
            file::replace_lazily
        } else {
            file::replace
        };
        replace(&path, &serde_json::to_vec(&self.record(session))?)
    }

    /// Reads the records that earlier daemons left. An unreadable record is put aside (renamed), not removed.
    ///
    /// # Errors
    ///
    /// If the directory of all sessions cannot be read. A daemon that took it for empty would forget every session.
    pub(crate) fn load(&self) -> io::Result<Loaded> {
        let (mut metas, mut without, mut bare) = (Vec::new(), Vec::new(), Vec::new());
        for id in self.ids()? {
            self.remove_temporaries(&id);
            let path = self.dir(&id).join(META);
            let read = file::read_patiently(&path).map_err(|error| match error.kind() {
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
        Ok(Loaded {
            metas,
            without,
            bare,
        })
    }

    /// Removes unfinished records: a daemon that was killed while it wrote one has left it.
    fn remove_temporaries(&self, id: &SessionId) {
        let entries = std::fs::read_dir(self.dir(id));
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name
                .to_str()
                .is_some_and(|name| file::is_temporary(name, META))
            {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// The sessions that have a directory. The directory of all sessions is created again if somebody has removed it.
    fn ids(&self) -> io::Result<Vec<SessionId>> {
        let place = self.home.sessions();
        let read = || -> io::Result<Vec<SessionId>> {
            let entries = match std::fs::read_dir(&place) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    create_private(&place)?;
                    std::fs::read_dir(&place)?
                }
                entries => entries?,
            };
            let names = entries.map(|entry| Ok(entry?.file_name()));
            let names = names.collect::<io::Result<Vec<_>>>()?;
            let ids = names.iter().filter_map(|name| name.to_str());
            Ok(ids.filter_map(SessionId::parse).collect())
        };
        read().map_err(|error| {
            let why = format!("{} cannot be read: {error}", place.display());
            io::Error::new(error.kind(), why)
        })
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
        exit_file::read(&self.dir(id))
    }
}

/// Creates a directory that only we can enter.
fn create_private(dir: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(dir)
}

/// Reads a record. The error says what is wrong with it.
pub(crate) fn parse_meta(text: &[u8], id: &SessionId) -> Result<Meta, String> {
    let meta: Meta = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if meta.version > Meta::VERSION {
        return Err(format!("it is of version {}", meta.version));
    }
    if meta.id != *id {
        return Err(format!("it is of session {}", meta.id));
    }
    Ok(meta)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn store(dir: &Path) -> Store {
        Store::new(Home {
            runtime: dir.to_owned(),
            state: dir.to_owned(),
            config: dir.to_owned(),
            session: None,
        })
    }

    #[test]
    fn what_killed_daemons_have_left_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        store.load().unwrap();
        let id = SessionId::fresh();
        store.create(&id).unwrap();
        for name in [
            "meta.17.tmp",
            "meta.4711.tmp",
            "exit.9.tmp",
            "meta.json.bad",
        ] {
            std::fs::write(store.dir(&id).join(name), "").unwrap();
        }
        let bare = store.load().unwrap().bare;
        assert_eq!(bare, std::slice::from_ref(&id));
        let left = std::fs::read_dir(store.dir(&id)).unwrap();
        let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        // The keeper runs, and may just be writing its file.
        assert_eq!(left, ["exit.9.tmp", "meta.json.bad"]);
    }

    #[test]
    fn sessions_that_cannot_be_read_are_an_error() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("sessions"), "").unwrap();
        let error = store(dir.path()).load().err().unwrap();
        assert!(
            error.to_string().contains("sessions cannot be read: "),
            "{error}"
        );
    }
}
