//! Taking over: what the keeper has, and what earlier daemons wrote down.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use serde_json::json;
use tokio::io::Interest;

use super::driver::Driver;
use super::end_tree;
use super::hub::{Hub, now};
use super::keeper_link::{KeeperLink, Shared, waiting_end};
use super::log_reader::LogReader;
use super::rebuild::{self, Remains};
use super::settings::Settings;
use super::state::State;
use super::store::{Loaded, Store};
use super::successor::KeeperProcess;
use crate::engine::Now;
use crate::engine::meta::Meta;
use crate::engine::session::Session;
use crate::protocol::keeper::{Kept, ToDaemon, ToKeeper};
use crate::protocol::{EventKind, Mode, SessionId, Status};
use crate::sys::channel::Channel;
use crate::sys::paths::Home;
use crate::sys::shared_table::SharedTable;
use crate::sys::splice::SplicePipe;
use crate::sys::{process, pty, readiness};

/// Hears the keeper out and puts together the state to go on with.
pub(super) async fn adopt(
    home: Home,
    settings: Settings,
    mut channel: Channel,
) -> io::Result<(Hub, OwnedFd)> {
    let link = waiting_end(&channel)?;
    let Greetings {
        welcome,
        kept,
        closed,
    } = greetings(&mut channel, &link).await?;
    channel.send(&ToKeeper::Ready, vec![])?;
    let store = Store::new(home);
    let keeper = KeeperLink::new(channel, welcome.shared, welcome.process, welcome.upgrading);
    let mut state = State::new(store, settings, keeper);
    state.remember_removed();
    let ending = state.take_over(kept);
    for session in closed {
        state.hear((ToDaemon::Closed { session }, Vec::new()));
    }
    let hub = Hub::new(state);
    for id in ending {
        end_tree::resume(&hub, &id);
    }
    Ok((hub, link))
}

/// Who the keeper is, and what it shares.
struct Welcome {
    process: KeeperProcess,
    shared: Shared,
    upgrading: bool,
}

/// A session as the keeper has it.
type Handed = (Kept, Vec<OwnedFd>);

/// What the keeper says before anything else.
struct Greetings {
    welcome: Welcome,
    kept: HashMap<SessionId, Handed>,
    /// Sessions whose terminals nobody has open any more since they were handed over. Nothing tells that again: such
    /// a session would have its terminal open for ever, and never be forgotten.
    closed: Vec<SessionId>,
}

/// Kinds of messages that have to make sense, or we would tell a job as lost that
/// runs: then another version of the program is what is needed.
const NEEDED: &[&str] = &["Welcome", "Adopt"];

/// The keeper says first who it is and then, one by one, what it has.
async fn greetings(channel: &mut Channel, link: &OwnedFd) -> io::Result<Greetings> {
    let ready = readiness::watch(link.try_clone()?, Interest::READABLE)?;
    let mut welcome = None;
    let mut expected = usize::MAX;
    let (mut kept, mut closed) = (HashMap::new(), Vec::new());
    while welcome.is_none() || kept.len() < expected {
        ready.readable().await?.clear_ready();
        for (message, fds) in channel.receive::<ToDaemon>(NEEDED)? {
            match message {
                ToDaemon::Welcome {
                    keeper_pid,
                    version,
                    files,
                    upgrading,
                    sessions,
                } => {
                    let missing = |_| io::Error::other("the keeper's greeting lacks a descriptor");
                    let [listener, shared_table, out, into] =
                        <[OwnedFd; 4]>::try_from(fds).map_err(missing)?;
                    welcome = Some(Welcome {
                        process: KeeperProcess::new(keeper_pid, version, None)?,
                        shared: Shared {
                            shared_table: Rc::new(SharedTable::open(shared_table)?),
                            pipe: SplicePipe::open(out, into),
                            listener,
                            files,
                        },
                        upgrading,
                    });
                    expected = sessions;
                }
                ToDaemon::Adopt(session) => {
                    kept.insert(session.session.clone(), (*session, fds));
                }
                ToDaemon::Closed { session } => closed.push(session),
                // Told while we were starting; the log and exit.json tell it as well.
                _ => {}
            }
        }
    }
    let welcome = welcome.ok_or_else(|| io::Error::other("the keeper did not greet"))?;
    Ok(Greetings {
        welcome,
        kept,
        closed,
    })
}

impl State {
    /// Returns the sessions whose ending has to be seen through.
    fn take_over(&mut self, mut kept: HashMap<SessionId, Handed>) -> Vec<SessionId> {
        let mut ending = Vec::new();
        let Loaded {
            metas,
            without,
            bare,
        } = self.store.load();
        for meta in metas {
            let id = meta.id.clone();
            if self.bus.past.last_turn(&id) == Some(EventKind::Removed) {
                // Told, and not done. The keeper is told to forget it below.
                self.store.remove(&id);
                continue;
            }
            let mine = kept.remove(&id);
            if mine.is_none() && self.was_never_started(&meta) {
                tracing::info!(session = %id, "it was not started before the daemon died");
                self.store.remove(&id);
                continue;
            }
            self.take_over_session(meta, mine);
            if self
                .registry
                .get(&id)
                .is_some_and(|s| s.life.ending().is_some() || s.life.kill_at().is_some())
            {
                ending.push(id);
            }
        }
        for id in bare {
            if self.bus.past.last_turn(&id) == Some(EventKind::Removed) {
                // The daemon ended before the keeper had let go of it. The keeper is told to forget it below.
                self.store.remove(&id);
            }
        }
        for id in without {
            let kept = kept.remove(&id);
            self.take_over_unknown(id, kept);
        }
        for (id, kept) in kept {
            match self.store.has(&id) {
                true => self.take_over_unknown(id, Some(kept)),
                // Removed, and the daemon ended before it told the keeper so.
                false => drop(self.keeper.forget(&id)),
            }
        }
        self.check_log_quota();
        ending
    }

    /// Whether a session was written down, but its start never reached a keeper: nobody was told of it, and
    /// whoever asked for it may ask again. A keeper makes the log first of all; and one that has lived since before
    /// would have it.
    fn was_never_started(&self, meta: &Meta) -> bool {
        let is_new = meta.life.status() == Status::Starting && meta.life.runs().is_empty();
        let since = process::read(self.keeper.pid()).map(|keeper| keeper.started_boot());
        let would_have_it = since.is_some_and(|since| since < meta.life.started_boot());
        is_new
            && meta.boot_id == self.store.boot_id()
            && (would_have_it || !self.store.has_log(&meta.id))
            && self.store.read_exit(&meta.id).is_none()
    }

    /// A session without a record: what runs goes on, what has ended is told.
    fn take_over_unknown(&mut self, id: SessionId, handed: Option<Handed>) {
        let dir = self.store.dir(&id);
        let (first, _) = LogReader::new(dir.clone()).bounds();
        let remains = match &handed {
            Some((kept, fds)) => Remains {
                id,
                argv: kept.spec.argv.clone(),
                cwd: kept.spec.cwd.clone(),
                mode: kept.spec.mode,
                size: fds.first().filter(|_| kept.has_input).and_then(pty::size),
                pid: kept.exit.is_none().then_some(kept.pid),
                first,
            },
            None => Remains {
                id,
                argv: Vec::new(),
                cwd: String::new(),
                mode: Mode::Pty,
                size: None,
                pid: None,
                first,
            },
        };
        tracing::warn!(session = %remains.id, pid = remains.pid, "its record is made anew");
        let meta = rebuild::rebuilt(remains, &dir, self.store.boot_id(), now());
        self.take_over_session(meta, handed);
    }

    fn take_over_session(&mut self, meta: Meta, kept: Option<Handed>) {
        let now = now();
        let id = meta.id.clone();
        let (lines_before, counted_to) = (meta.lines_before, meta.lines_before_offset);
        let same_boot = meta.boot_id == self.store.boot_id();
        let log = LogReader::new(self.store.dir(&id));
        let (first, end) = log.bounds();
        let mut session = Session::from_meta(meta, same_boot, now);
        self.bus.set_shared(&id, !session.share.is_none());
        // They were counted up to some place behind the first byte that is kept.
        let (_, counted) = log.read_all(first, counted_to.unwrap_or(first));
        let newlines = counted.iter().filter(|&&byte| byte == b'\n').count() as u64;
        let lines_before = lines_before.saturating_sub(newlines);
        session.output.begin_at(first, lines_before + 1);
        if let Some(last) = end.checked_sub(1).and_then(|last| log.run_at(last)) {
            let at = Now {
                boot: 0,
                wall: last.at,
            };
            session.output.was_written(end, at.carried_over(now));
        }
        let mut driver = Driver::new(log);
        driver.end = end;
        driver.unsaved = driver.log.gaps();
        driver.measured = end;
        let exit = kept.as_ref().and_then(|(kept, _)| kept.exit.clone());
        let exit = exit.or_else(|| self.store.read_exit(&id));
        let was_alive = session.life.status().is_alive();
        let mut is_unseen_retry = false;
        let before =
            json!({ "reason": session.life.reason(), "backoffMs": session.life.backoff_ms() });
        let mut is_new = was_alive && session.life.pid().is_none() && exit.is_some();
        if let Some((kept, fds)) = kept {
            self.keeper.take_slot(kept.slot, &id);
            session.tty_open = !kept.open.is_empty();
            session.log_degraded.clone_from(&kept.degraded);
            let shown = self.keeper.shared_table().slot(kept.slot).shown();
            session.output.show(&session.scope, shown);
            let last = session.life.last_process().map(|(pid, _)| pid);
            is_unseen_retry = session.life.status() == Status::Retrying
                && last.is_some_and(|pid| pid != kept.pid);
            if session.life.pid().is_none() && exit.is_none() || is_unseen_retry {
                // Started, and the daemon ended before it wrote the pid down.
                session.life.started(kept.pid, end, now);
                is_new = true;
            }
            driver.hold(kept, fds, self.keeper.shared_table());
        } else if was_alive && exit.is_none() {
            let why = if same_boot {
                "its keeper ended"
            } else {
                "the machine was restarted"
            };
            session.life.lost(why, now);
        }
        self.registry.insert(session);
        self.drivers.insert(id.clone(), driver);
        let told = self.bus.past.last_turn(&id);
        // Ends that its policy goes on from are not told, so this cannot have been.
        let is_told = matches!(told, Some(EventKind::Started | EventKind::Restarted));
        if is_new && (is_unseen_retry || !is_told) {
            self.publish_start(&id, before);
        }
        let status = self.registry.get(&id).map(|s| s.life.status());
        match exit.filter(|_| was_alive || is_unseen_retry) {
            Some(exit) => self.finish(&id, &exit),
            None if !was_alive && !is_unseen_retry => self.take_over_ended(&id),
            None if status.is_some_and(Status::is_finished) => {
                self.publish_end(EventKind::Lost, &id);
            }
            None => self.publish(EventKind::Adopted, &id, serde_json::json!({})),
        }
        self.begin_probe(&id);
        self.persist(&id);
        self.release(&id);
        self.mark_dirty(&id);
    }
}

impl State {
    /// Goes on with what is still to be done for a session without a process.
    fn take_over_ended(&mut self, id: &SessionId) {
        let can_run = self
            .drivers
            .get(id)
            .is_some_and(|driver| driver.spec().is_some());
        let waits = self
            .registry
            .get(id)
            .is_some_and(|s| s.life.retry_at().is_some());
        if waits && !can_run {
            self.stop_retrying(id, None);
        }
        self.run_on_exit(id);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixListener;

    use serde_json::json;

    use super::*;
    use crate::protocol::tests::keeper::kept;
    use crate::sys::detach::socket_pair;

    /// A keeper of another version, and what the daemon has of it.
    fn keeper() -> (Channel, Channel) {
        let (ours, theirs) = socket_pair().unwrap();
        let (mut keeper, daemon) = (Channel::new(theirs).unwrap(), Channel::new(ours).unwrap());
        let listener = UnixListener::from(socket_pair().unwrap().0);
        let (shared_table, pipe) = (
            SharedTable::create().unwrap(),
            SplicePipe::create().unwrap(),
        );
        let [out, into] = pipe.ends();
        let fds = [listener.as_fd(), shared_table.as_fd(), out, into];
        let fds = Vec::from(fds.map(|fd| fd.try_clone_to_owned().unwrap()));
        keeper.send(&json!({"Weather": "fine"}), vec![]).unwrap();
        let welcome = json!({"Welcome": {"keeper_pid": std::process::id(), "version": "9.9.9",
            "sessions": 1, "mood": "new"}});
        keeper.send(&welcome, fds).unwrap();
        (keeper, daemon)
    }

    #[tokio::test]
    async fn a_keeper_of_another_version_is_heard_out() {
        let (mut keeper, mut daemon) = keeper();
        let (one, _) = socket_pair().unwrap();
        keeper.send(&json!({"Dance": {}}), vec![one]).unwrap();
        let mut adopt = serde_json::to_value(ToDaemon::Adopt(Box::new(kept()))).unwrap();
        adopt["Adopt"]["mood"] = json!("new");
        let (input, pidfd) = socket_pair().unwrap();
        keeper.send(&adopt, vec![input, pidfd]).unwrap();
        let link = waiting_end(&daemon).unwrap();
        let Greetings {
            welcome,
            kept: handed,
            ..
        } = greetings(&mut daemon, &link).await.unwrap();
        assert_eq!(welcome.process.version, "9.9.9");
        assert_eq!((welcome.upgrading, welcome.shared.files), (false, None));
        let (session, fds) = &handed[&kept().session];
        assert_eq!((session, fds.len()), (&kept(), 2));
    }

    #[tokio::test]
    async fn a_job_that_this_version_cannot_take_over_is_not_told_as_lost() {
        let (mut keeper, mut daemon) = keeper();
        keeper.send(&json!({"Adopt": {"job": 1}}), vec![]).unwrap();
        let link = waiting_end(&daemon).unwrap();
        let error = greetings(&mut daemon, &link).await.err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
