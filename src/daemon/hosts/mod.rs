//! The hosts of the configuration: the state of the link to each, and the last known records of its sessions.
//!
//! [`channel`] is one connection to the daemon of a host. Its own clients get one each, as soon as they name a session
//! of that host, so scopes, leases and cursors are the host's. One more, the host's *main channel*, follows its events
//! and keeps the [`mirror`]. [`Entry`], in [`entry`], is what is known of one host. [`names`] translates the
//! ids of sessions.

pub(crate) mod channel;
mod entry;
pub(crate) mod mirror;
pub(crate) mod names;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use tokio::sync::Notify;

use crate::config::{self, HostEntry};
use crate::daemon::clock::now;
use crate::engine::Now;
use crate::engine::hosts::{HostLink, Need};
use crate::engine::registry::Principal;
use crate::link::frames::Start;
use crate::link::host::OF_PERSON;
use crate::link::{Host, Link};
use crate::protocol::reply::HostStatus;
use crate::protocol::{Error, ErrorCode, Greeting, Role, SessionId};
use crate::sys::file::{self, Stamp};
use crate::sys::paths::Home;
use channel::Channel;
use entry::Open;
pub(crate) use entry::{Attempt, Entry};
use mirror::Mirror;

/// A link to the node of a session is closed after this time without use, in milliseconds: it is a step of the
/// session's job, of which the batch system keeps account.
const NODE_IDLE_MS: u64 = 60_000;

/// Maximum number of links that are being opened at a time.
const HANDSHAKES: usize = 8;

/// All hosts.
pub(crate) struct Hosts {
    home: Home,
    /// What the configuration file looked like when it was last read.
    stamp: Option<Stamp>,
    entries: BTreeMap<Box<str>, Entry>,
    /// The variables of [`OF_PERSON`] as the person has them who connected last with one.
    of_person: BTreeMap<&'static str, String>,
    /// Notified when a link may be due, or is used by nobody any more.
    changed: Rc<Notify>,
}

impl Hosts {
    /// The hosts in the configuration file.
    pub(crate) fn load(home: &Home) -> Self {
        let mut hosts = Self {
            home: home.clone(),
            stamp: None,
            entries: BTreeMap::new(),
            of_person: BTreeMap::new(),
            changed: Rc::default(),
        };
        hosts.refresh();
        hosts
    }

    /// Reads the configuration file again if it has changed. If it is invalid, the hosts stay as they are: the commands
    /// of people report what is wrong with it. Returns the hosts that are not in it any more, or are reached in another
    /// way, with what was known of them; `None` if nothing has changed.
    pub(crate) fn refresh(&mut self) -> Option<Vec<(Box<str>, Entry)>> {
        let path = self.home.config_file();
        let stamp = file::stamp(&path);
        if stamp == self.stamp {
            return None;
        }
        self.stamp = stamp;
        let config = match config::load(&path) {
            Ok(config) => config,
            Err(error) => {
                tracing::warn!("{error}; the hosts stay as they are");
                return None;
            }
        };
        let mut gone = self.names();
        gone.retain(|name| !config.hosts.contains_key(&**name));
        let gone = gone.into_iter();
        let gone = gone.filter_map(|name| Some((name.clone(), self.remove(&name)?)));
        let mut gone: Vec<(Box<str>, Entry)> = gone.collect();
        for (name, entry) in &config.hosts {
            let replaced = self.set(name, entry.get_ref());
            gone.extend(replaced.map(|replaced| (name.as_str().into(), replaced)));
        }
        self.changed.notify_one();
        Some(gone)
    }

    /// Returns what was known of the host if it is reached in another way now.
    fn set(&mut self, name: &str, entry: &HostEntry) -> Option<Entry> {
        let host = Host::of(name, entry, &self.home.config_file(), &self.home.runtime);
        let connect = entry.connect;
        if let Some(known) = self.entries.get_mut(name)
            && known.host == host
        {
            (known.connect, known.agents) = (connect, entry.agents);
            known.session.clone_from(&entry.session);
            return None;
        }
        // An attempt of the former entry is none of the new one.
        let attempt = self.entries.get(name).map_or(0, |entry| entry.attempt + 1);
        let replaced = self.remove(name);
        let now = now();
        let mut entry = Entry {
            attempt,
            connect,
            agents: entry.agents,
            session: entry.session.clone(),
            ..Entry::new(host, HostLink::new(now))
        };
        let saved = std::fs::read(self.file(name)).ok();
        if let Some((mirror, seen)) = saved.and_then(|bytes| Mirror::load(&bytes, now)) {
            entry.link.seen_before(seen);
            entry.mirror = mirror;
        }
        self.entries.insert(name.into(), entry);
        replaced
    }

    /// Forgets a host, whose link ends.
    fn remove(&mut self, name: &str) -> Option<Entry> {
        let mut entry = self.entries.remove(name)?;
        entry.end();
        // It may not be there; what it knows comes again from the host.
        let _ = std::fs::remove_file(self.file(name));
        Some(entry)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.host(name)
    }

    /// Whether there is any host.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A host by name.
    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// A host by name.
    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Entry> {
        self.entries.get_mut(name)
    }

    /// The hosts of the configuration.
    fn hosts(&self) -> impl Iterator<Item = (&Box<str>, &Entry)> {
        self.entries.iter().filter(|(_, entry)| !entry.is_node)
    }

    /// The names of all hosts.
    pub(crate) fn names(&self) -> Vec<Box<str>> {
        self.hosts().map(|(name, _)| name.clone()).collect()
    }

    /// The node on which a batch system runs a session, by a name that no host has. It is reached like a host, for as
    /// long as it is used.
    pub(crate) fn set_node(&mut self, host: Host) {
        let name: Box<str> = host.name.as_str().into();
        if self
            .entries
            .get(&name)
            .is_some_and(|known| known.host == host)
        {
            return;
        }
        self.forget_node(&name);
        let link = HostLink::new(now()).closing_after(NODE_IDLE_MS);
        let entry = Entry {
            is_node: true,
            ..Entry::new(host, link)
        };
        self.entries.insert(name, entry);
    }

    /// A batch system runs a session now. A host that it holds can be reached.
    pub(crate) fn placed(&mut self, id: &SessionId) {
        let held = |entry: &&mut Entry| entry.session.as_deref() == Some(id.as_str());
        for entry in self.entries.values_mut().filter(held) {
            entry.is_over = false;
            entry.link.woke(now());
            self.changed.notify_one();
        }
    }

    /// The hosts that sessions hold, each with its session.
    pub(crate) fn held(&self) -> Vec<(Box<str>, SessionId)> {
        let held = self
            .entries
            .iter()
            .filter_map(|(name, entry)| Some((name.clone(), entry.holder()?)));
        held.collect()
    }

    /// A session does not run on its node any more.
    pub(crate) fn forget_node(&mut self, name: &str) {
        if self.entries.get(name).is_some_and(Entry::is_node) {
            self.remove(name);
            self.changed.notify_one();
        }
    }

    /// Notes that a person has connected, whose ssh agent and Slurm links use from now on.
    pub(crate) fn greet(&mut self, greeting: &Greeting) {
        let env = greeting.env.as_ref();
        for name in OF_PERSON {
            let value = env.and_then(|env| env.get(name));
            if let Some(value) = value.filter(|_| greeting.role == Role::Human) {
                self.of_person.insert(name, value.clone());
            }
        }
    }

    /// The hosts that a client may reach; `None` for all. Agents reach those that `--hosts` names, else those that
    /// the configuration opens to them.
    pub(crate) fn reach_of(&self, greeting: &Greeting) -> Option<HashSet<Box<str>>> {
        if greeting.role == Role::Human {
            return None;
        }
        let named = greeting.policy.hosts.as_ref();
        let may = |name: &str, entry: &Entry| match named {
            Some(named) => named.iter().any(|one| one == name),
            None => entry.agents,
        };
        let reached = self.hosts().filter(|(name, entry)| may(name, entry));
        Some(reached.map(|(name, _)| name.clone()).collect())
    }

    /// Whether a client may reach a host.
    pub(crate) fn check(&self, greeting: &Greeting, name: &str) -> Result<(), Error> {
        if self.get(name).is_none_or(Entry::is_node) {
            return Err(self.unknown(greeting, name));
        }
        match self.reach_of(greeting) {
            Some(hosts) if !hosts.contains(name) => Err(Error::new(
                ErrorCode::PermissionDenied,
                format!("host {name} is not open to this agent"),
            )
            .hint(format!(
                "a person can open it: `agents = true` in [hosts.{name}] of config.toml, or --hosts {name}"
            ))),
            _ => Ok(()),
        }
    }

    fn unknown(&self, greeting: &Greeting, name: &str) -> Error {
        let reach = self.reach_of(greeting);
        let names = self.hosts().filter(|(name, _)| match &reach {
            Some(reach) => reach.contains(*name),
            None => true,
        });
        let names: Vec<&str> = names.map(|(name, _)| &**name).collect();
        let hint = if names.is_empty() {
            "bgproc hosts add NAME [SSH DESTINATION] adds one".to_owned()
        } else {
            format!("hosts: {}", names.join(", "))
        };
        Error::new(ErrorCode::HostUnknown, format!("there is no host {name}")).hint(hint)
    }

    /// How the hosts that a client may reach are connected.
    pub(crate) fn statuses(
        &self,
        greeting: &Greeting,
        viewer: &Principal,
        only: Option<&[String]>,
    ) -> Vec<HostStatus> {
        let reach = self.reach_of(greeting);
        let wanted = self.hosts().filter(|(name, _)| {
            reach.as_ref().is_none_or(|reach| reach.contains(*name))
                && only.is_none_or(|only| only.iter().any(|one| **one == ***name))
        });
        wanted
            .map(|(name, entry)| entry.status(name, viewer, now()))
            .collect()
    }

    /// Notes that somebody needs a host now.
    pub(crate) fn need(&mut self, name: &str, need: Need) {
        if let Some(entry) = self.entries.get_mut(name) {
            entry.link.need(need, now());
            self.changed.notify_one();
        }
    }

    /// Notified when a link may be due.
    pub(crate) fn changed(&self) -> Rc<Notify> {
        self.changed.clone()
    }

    /// Notes that clients want other events than before.
    pub(crate) fn interest_changed(&self) {
        if self.entries.is_empty() {
            return;
        }
        self.changed.notify_one();
        for entry in self.entries.values() {
            entry.interest.notify_one();
        }
    }

    /// Notes that this machine has slept, or that its clock was set: what is connected gives a sign of life, and what
    /// is not is tried again.
    pub(crate) fn woke(&mut self) {
        for entry in self.entries.values_mut() {
            entry.link.woke(now());
            entry.doubt();
        }
    }

    /// The links to open now, and the time at which the next one is due. Closes those that nobody uses. `watched` says
    /// whether somebody looks at what happens on a host.
    pub(crate) fn due(
        &mut self,
        watched: impl Fn(&str) -> bool,
        now: Now,
    ) -> (Vec<Attempt>, Option<u64>) {
        let opening = self
            .entries
            .values()
            .filter(|entry| entry.link.is_opening());
        let mut room = HANDSHAKES.saturating_sub(opening.count());
        let (mut due, mut next) = (Vec::new(), None::<u64>);
        for (name, entry) in &mut self.entries {
            if entry.is_over {
                continue;
            }
            let (connect, watched) = (entry.connect, watched(name));
            if entry.link.is_unused(connect, watched, now.boot) {
                entry.link.rest(now);
                entry.end();
            } else if entry.link.is_due(connect, watched, now.boot) {
                // Without room it is looked at again when an attempt has ended.
                if room > 0 {
                    room -= 1;
                    entry.link.opening(now);
                    let was_up = entry.version.is_some();
                    let start = if was_up && !entry.link.is_needed() {
                        Start::AfterCrash
                    } else {
                        Start::Yes
                    };
                    let mut host = entry.host.clone();
                    host.env.clone_from(&self.of_person);
                    entry.attempt += 1;
                    let number = entry.attempt;
                    due.push(Attempt {
                        host,
                        start,
                        number,
                    });
                }
                continue;
            }
            let at = entry.link.next(connect, watched);
            next = [next, at].into_iter().flatten().min();
        }
        (due, next)
    }

    /// Notes that the link to a host is open, with its main channel. Returns false if the link is not wanted any more.
    pub(crate) fn opened(
        &mut self,
        attempt: &Attempt,
        link: &Rc<Link>,
        main: &Rc<Channel>,
        version: &str,
    ) -> bool {
        let Some(entry) = self.of(attempt) else {
            return false;
        };
        let is_new = !entry.link.is_up();
        if is_new {
            if !entry.link.is_opening() {
                return false;
            }
            entry.link.opened(now());
        }
        entry.version = Some(version.to_owned());
        entry.open = Some(Open {
            link: link.clone(),
            main: main.clone(),
        });
        entry.settled.notify_waiters();
        self.changed.notify_one();
        true
    }

    /// Notes that the link to a host has ended, or could not be opened. Returns whether that is news.
    pub(crate) fn failed(&mut self, attempt: &Attempt, error: Error, chance: u64) -> bool {
        self.changed.notify_one();
        let Some(entry) = self.of(attempt) else {
            return false;
        };
        let is_open = entry.link.is_up() || entry.link.is_opening();
        let is_news = is_open && entry.link.failed(error, now(), chance);
        entry.end();
        is_news
    }

    /// The entry of a host, if this is the last attempt to connect it.
    fn of(&mut self, attempt: &Attempt) -> Option<&mut Entry> {
        let entry = self.entries.get_mut(&*attempt.host.name)?;
        (entry.attempt == attempt.number).then_some(entry)
    }

    /// Writes the mirror of a host to its file, if it has changed. Returns what is wrong if it cannot.
    pub(crate) fn save(&mut self, name: &str) -> std::io::Result<()> {
        let path = self.file(name);
        let Some(entry) = self.entries.get_mut(name) else {
            return Ok(());
        };
        let Some(bytes) = entry.mirror.unsaved(now()).filter(|_| !entry.is_node) else {
            return Ok(());
        };
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir)?;
        }
        file::replace_lazily(&path, &bytes)?;
        entry.mirror.saved();
        Ok(())
    }
}
