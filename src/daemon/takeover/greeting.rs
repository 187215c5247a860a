//! The keeper's greeting: its process, the shared resources, and every session it holds.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use tokio::io::Interest;

use crate::daemon::keeper_link::{KeeperProcess, Shared};
use crate::protocol::SessionId;
use crate::protocol::keeper::{Kept, ToDaemon};
use crate::sys::channel::{Channel, Received};
use crate::sys::readiness;
use crate::sys::shared_table::SharedTable;
use crate::sys::splice::SplicePipe;

/// The keeper's process and the shared resources.
pub(super) struct Welcome {
    pub(super) process: KeeperProcess,
    pub(super) shared: Shared,
    pub(super) upgrading: bool,
    /// What earlier daemons have stored, by name.
    pub(super) stored: BTreeMap<String, OwnedFd>,
}

/// A session as the keeper hands it over, with its descriptors.
pub(super) type Handed = (Kept, Vec<OwnedFd>);

/// The whole greeting.
pub(super) struct Greetings {
    pub(super) welcome: Welcome,
    pub(super) kept: HashMap<SessionId, Handed>,
    /// What the keeper has sent after the greeting, in order. It does not repeat this: without it, for example, a
    /// session whose terminal was closed meanwhile would count as open for ever, and never expire.
    pub(super) later: Vec<Received<ToDaemon>>,
}

/// Kinds of messages that have to be understood. Otherwise the daemon would report running jobs as lost; a
/// matching version of the program is needed instead.
const NEEDED: &[&str] = &["Welcome", "Adopt"];

/// Receives the greeting: the keeper first describes itself and then hands over each session. If it is killed before it
/// has handed over all of them, returns what has arrived: the descriptors of the others are lost.
pub(super) async fn greetings(channel: &mut Channel, link: &OwnedFd) -> io::Result<Greetings> {
    let ready = readiness::watch(link.try_clone()?, Interest::READABLE)?;
    let mut welcome = None;
    let mut expected = usize::MAX;
    let (mut kept, mut later) = (HashMap::new(), Vec::new());
    let (mut stored, mut expected_stored) = (BTreeMap::new(), 0);
    while welcome.is_none() || kept.len() < expected || stored.len() < expected_stored {
        ready.readable().await?.clear_ready();
        let received = match channel.receive::<ToDaemon>(NEEDED) {
            Ok(received) => received,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                let pidfd = match &welcome {
                    Some(Welcome { process, .. }) => process.pidfd()?,
                    None => return Err(error),
                };
                // One that lives has all sessions, and starts another daemon.
                if !KeeperProcess::dies(pidfd).await? {
                    return Err(error);
                }
                // What has arrived is handed to the next keeper.
                tracing::warn!(
                    sessions = kept.len(),
                    expected,
                    "the keeper died while it greeted"
                );
                break;
            }
            Err(error) => return Err(error),
        };
        for (message, fds) in received {
            match message {
                ToDaemon::Welcome {
                    keeper_pid,
                    version,
                    files,
                    upgrading,
                    sessions,
                    stored: count,
                } => {
                    expected_stored = count;
                    let missing = |_| io::Error::other("the keeper's greeting lacks descriptors");
                    let [listener, shared_table, out, into] =
                        <[OwnedFd; 4]>::try_from(fds).map_err(missing)?;
                    welcome = Some(Welcome {
                        process: KeeperProcess::first(keeper_pid, version)?,
                        shared: Shared {
                            shared_table: Rc::new(SharedTable::open(shared_table)?),
                            pipe: SplicePipe::open(out, into),
                            listener,
                            files,
                        },
                        upgrading,
                        stored: BTreeMap::new(),
                    });
                    expected = sessions;
                }
                ToDaemon::Adopt(session) => {
                    kept.insert(session.session.clone(), (*session, fds));
                }
                ToDaemon::Stored { name } => {
                    stored.extend(fds.into_iter().next().map(|fd| (name, fd)))
                }
                message => later.push((message, fds)),
            }
        }
    }
    let mut welcome = welcome.ok_or_else(|| io::Error::other("the keeper did not greet"))?;
    welcome.stored = stored;
    Ok(Greetings {
        welcome,
        kept,
        later,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::daemon::keeper_link::waiting_end;
    use crate::protocol::tests::keeper::kept;
    use crate::sys::detach::socket_pair;
    use crate::sys::fixture;

    /// The channels of a keeper of another version and of the daemon.
    fn keeper() -> (Channel, Channel) {
        let (ours, theirs) = socket_pair().unwrap();
        let (mut keeper, daemon) = (Channel::new(theirs).unwrap(), Channel::new(ours).unwrap());
        keeper.send(&json!({"Weather": "fine"}), vec![]).unwrap();
        let welcome = json!({"Welcome": {"keeper_pid": std::process::id(), "version": "9.9.9",
            "sessions": 1, "mood": "new"}});
        keeper.send(&welcome, fixture::shared()).unwrap();
        (keeper, daemon)
    }

    #[tokio::test]
    async fn reads_the_greeting_of_another_version() {
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
        assert_eq!(welcome.process.version.as_deref(), Some("9.9.9"));
        assert_eq!((welcome.upgrading, welcome.shared.files), (false, None));
        let (session, fds) = &handed[&kept().session];
        assert_eq!((session, fds.len()), (&kept(), 2));
    }

    #[tokio::test]
    async fn what_a_keeper_has_handed_over_before_it_died_is_taken() {
        let (ours, theirs) = socket_pair().unwrap();
        let (mut keeper, mut daemon) = (Channel::new(theirs).unwrap(), Channel::new(ours).unwrap());
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let welcome =
            json!({"Welcome": {"keeper_pid": ended.id(), "version": "9.9.9", "sessions": 2}});
        keeper.send(&welcome, fixture::shared()).unwrap();
        keeper
            .send(&ToDaemon::Adopt(Box::new(kept())), vec![])
            .unwrap();
        drop(keeper);
        let link = waiting_end(&daemon).unwrap();
        let Greetings {
            welcome,
            kept: handed,
            ..
        } = greetings(&mut daemon, &link).await.unwrap();
        assert!(welcome.process.pidfd().unwrap().is_none());
        assert_eq!(handed.keys().collect::<Vec<_>>(), [&kept().session]);
    }

    #[tokio::test]
    async fn a_keeper_that_breaks_off_and_lives_keeps_its_sessions() {
        let (keeper, mut daemon) = keeper();
        drop(keeper);
        let link = waiting_end(&daemon).unwrap();
        let error = greetings(&mut daemon, &link).await.err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[tokio::test]
    async fn what_follows_the_greeting_is_kept() {
        let (mut keeper, mut daemon) = keeper();
        keeper
            .send(&ToDaemon::Adopt(Box::new(kept())), vec![])
            .unwrap();
        let session = kept().session;
        let degraded = ToDaemon::Degraded {
            session: session.clone(),
            reason: Some("full".to_owned()),
        };
        let (tail, listener) = socket_pair().unwrap();
        keeper.send(&degraded, vec![tail]).unwrap();
        keeper.send(&ToDaemon::Closed { session }, vec![]).unwrap();
        keeper.send(&ToDaemon::Listening, vec![listener]).unwrap();
        let link = waiting_end(&daemon).unwrap();
        let later = greetings(&mut daemon, &link).await.unwrap().later;
        let counts: Vec<usize> = later.iter().map(|(_, fds)| fds.len()).collect();
        assert_eq!(counts, [1, 0, 1]);
        assert_eq!(later[0].0, degraded);
        assert!(matches!(later[2].0, ToDaemon::Listening));
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
