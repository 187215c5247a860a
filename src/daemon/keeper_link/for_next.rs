//! What the keeper keeps for the next daemon: text in memory that is not on the disk, because the disk refuses it or
//! because it may not be there. Each has a name, which the next daemon looks for and which may be of another version.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::link::KeeperLink;
use crate::protocol::SessionId;
use crate::protocol::keeper::ToKeeper;
use crate::sys::sealed;

/// Begin the names of records and projects. The id follows.
const RECORD: &str = "record:";
const PROJECT: &str = "project:";

/// Something that is kept for the next daemon.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ForNext<'a> {
    /// The record of a session, if the disk refuses it.
    Record(&'a SessionId),
    /// A project by its id, if the disk refuses it.
    Project(&'a str),
    /// The client whose environment the jobs of a project get, by the project's id.
    Caller(&'a str),
    /// What a session that waits is to run, by the session's id.
    FirstRun(&'a str),
    /// The environment of a launcher, by its name.
    Launcher(&'a str),
    /// The lines of the journal that the disk has refused.
    Events,
    /// A change of files to which a job has not reacted yet.
    Change { project: &'a str, job: &'a str },
}

impl ForNext<'_> {
    /// The name under which the keeper keeps it. Never change one: daemons of other versions look for it. The ids of
    /// projects and sessions differ, so they tell callers and first runs from each other.
    fn key(self) -> String {
        match self {
            Self::Record(id) => format!("{RECORD}{id}"),
            Self::Project(id) => format!("{PROJECT}{id}"),
            Self::Caller(id) | Self::FirstRun(id) => id.to_owned(),
            Self::Events => "events".to_owned(),
            Self::Launcher(name) => format!("launcher:{name}"),
            Self::Change { project, job } => format!("change:{project}/{job}"),
        }
    }
}

impl KeeperLink {
    /// Notes what earlier daemons have kept.
    pub(crate) fn found_stored(&mut self, stored: BTreeMap<String, OwnedFd>) {
        self.stored = stored;
    }

    /// Has this text kept for the next daemon, in place of what was kept before.
    pub(crate) fn keep(&mut self, what: ForNext<'_>, text: &[u8]) {
        self.store(what, sealed::seal(text));
    }

    /// Has this value kept for the next daemon, as JSON.
    pub(crate) fn keep_json(&mut self, what: ForNext<'_>, value: &impl Serialize) {
        let text = serde_json::to_vec(value).map_err(io::Error::from);
        self.store(what, text.and_then(|text| sealed::seal(&text)));
    }

    /// Forgets what is kept, here and in the keeper.
    pub(crate) fn drop_kept(&mut self, what: ForNext<'_>) {
        let name = what.key();
        if self.stored.remove(&name).is_some() {
            self.send_stored(name);
        }
    }

    /// What is kept.
    pub(crate) fn kept(&self, what: ForNext<'_>) -> Option<Vec<u8>> {
        let name = what.key();
        read(&name, self.stored.get(&name)?)
    }

    /// Whether something is kept.
    pub(crate) fn has_kept(&self, what: ForNext<'_>) -> bool {
        self.stored.contains_key(&what.key())
    }

    /// What is kept, from JSON.
    pub(crate) fn kept_json<T: DeserializeOwned>(&self, what: ForNext<'_>) -> Option<T> {
        let value = serde_json::from_slice(&self.kept(what)?);
        let warn = |error: &serde_json::Error| {
            tracing::warn!(name = what.key(), %error, "what was kept cannot be understood");
        };
        value.inspect_err(warn).ok()
    }

    /// All records that are kept, with the ids of their sessions.
    pub(crate) fn kept_records(&self) -> Vec<(SessionId, Vec<u8>)> {
        let records = self.kept_below(RECORD);
        let records = records.filter_map(|(id, text)| Some((SessionId::parse(id)?, text)));
        records.collect()
    }

    /// All projects that are kept.
    pub(crate) fn kept_projects(&self) -> Vec<Vec<u8>> {
        self.kept_below(PROJECT).map(|(_, text)| text).collect()
    }

    /// Sends everything that is kept, to the next keeper.
    pub(super) fn send_all_stored(&mut self) {
        let names: Vec<String> = self.stored.keys().cloned().collect();
        for name in names {
            self.send_stored(name);
        }
    }

    /// What is kept under names that begin with `prefix`, with the rest of each name.
    fn kept_below(&self, prefix: &'static str) -> impl Iterator<Item = (&str, Vec<u8>)> {
        let stored = self.stored.range(prefix.to_owned()..);
        let stored =
            stored.map_while(move |(name, fd)| Some((name, name.strip_prefix(prefix)?, fd)));
        stored.filter_map(|(name, rest, fd)| Some((rest, read(name, fd)?)))
    }

    fn store(&mut self, what: ForNext<'_>, memory: io::Result<OwnedFd>) {
        let name = what.key();
        match memory {
            Ok(memory) => {
                self.stored.insert(name.clone(), memory);
                self.send_stored(name);
            }
            Err(error) => {
                tracing::warn!(name, %error, "this cannot be kept for the next daemon");
                // What was kept before is out of date.
                if self.stored.remove(&name).is_some() {
                    self.send_stored(name);
                }
            }
        }
    }

    /// Tells the keeper what is stored under a name now, if anything. Errors are ignored here, as in [`Self::send`]:
    /// everything is sent again to the next keeper.
    fn send_stored(&mut self, name: String) {
        let fd = self.stored.get(&name).and_then(|fd| fd.try_clone().ok());
        self.send_with(&ToKeeper::Store { name }, fd.into_iter().collect());
    }
}

fn read(name: &str, memory: &OwnedFd) -> Option<Vec<u8>> {
    let text = sealed::read(memory);
    let warn = |error: &io::Error| tracing::warn!(name, %error, "what was kept cannot be read");
    text.inspect_err(warn).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn daemons_of_all_versions_use_the_same_names() {
        let id = SessionId::fresh();
        let names = [
            ForNext::Record(&id),
            ForNext::Project("p1"),
            ForNext::Caller("p1"),
            ForNext::FirstRun(id.as_str()),
            ForNext::Launcher("gpu"),
            ForNext::Events,
            ForNext::Change {
                project: "p1",
                job: "web",
            },
        ]
        .map(ForNext::key);
        let record = format!("record:{id}");
        let expected = [
            record.as_str(),
            "project:p1",
            "p1",
            id.as_str(),
            "launcher:gpu",
            "events",
            "change:p1/web",
        ];
        assert_eq!(names, expected);
    }
}
