//! One host: its link, what is known of its sessions, and who waits for it.

use std::rc::Rc;

use serde_json::json;
use tokio::sync::Notify;

use super::channel::Channel;
use super::mirror::Mirror;
use crate::daemon::clock::now;
use crate::engine::Now;
use crate::engine::hosts::HostLink;
use crate::engine::registry::Principal;
use crate::link::frames::Start;
use crate::link::{Host, Link, fault};
use crate::protocol::reply::{HostConnect, HostStatus};
use crate::protocol::{Error, ErrorCode, Role, SessionId, Timestamp};

/// A request waits for the next attempt if it comes within this time, in milliseconds.
const SOON: u64 = 1_000;

/// An attempt to connect a host, and the link that it brings.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub(crate) host: Host,
    /// Whether a daemon is started there. What goes on by itself does not start one that a person has stopped.
    pub(crate) start: Start,
    pub(super) number: u64,
}

/// One host.
pub(crate) struct Entry {
    pub(super) host: Host,
    /// Number of the last attempt to connect it.
    pub(super) attempt: u64,
    pub(super) connect: HostConnect,
    pub(super) agents: bool,
    pub(crate) link: HostLink,
    pub(super) open: Option<Open>,
    pub(crate) mirror: Mirror,
    pub(super) version: Option<String>,
    /// Notified when an attempt has ended, and when the link has.
    pub(super) settled: Rc<Notify>,
    /// Notified when its link is to be closed.
    pub(super) closing: Rc<Notify>,
    /// Notified when clients want other kinds of live events, or the host is to be probed.
    pub(super) interest: Rc<Notify>,
    /// Whether the host is to be asked for a sign of life.
    pub(super) is_doubtful: bool,
    /// The session that holds it, if it is an allocation of a batch system.
    pub(super) session: Option<String>,
    /// Whether that session has ended, and the host with it.
    pub(super) is_over: bool,
    /// Whether this is no host of the configuration, but the node on which a batch system runs a session.
    pub(super) is_node: bool,
}

/// An open link.
pub(super) struct Open {
    pub(super) link: Rc<Link>,
    pub(super) main: Rc<Channel>,
}

impl Entry {
    /// A host that was not connected yet.
    pub(super) fn new(host: Host, link: HostLink) -> Self {
        Self {
            host,
            attempt: 0,
            connect: HostConnect::Demand,
            agents: false,
            link,
            open: None,
            mirror: Mirror::default(),
            version: None,
            settled: Rc::default(),
            closing: Rc::default(),
            interest: Rc::default(),
            is_doubtful: false,
            session: None,
            is_over: false,
            is_node: false,
        }
    }

    /// The link and the main channel, if the host is connected.
    pub(crate) fn open(&self) -> Option<(Rc<Link>, Rc<Channel>)> {
        let open = self.open.as_ref()?;
        Some((open.link.clone(), open.main.clone()))
    }

    /// Notified when an attempt has ended, and when the link has.
    pub(crate) fn settled(&self) -> Rc<Notify> {
        self.settled.clone()
    }

    /// Notified when the link is to be closed.
    pub(crate) fn closing(&self) -> Rc<Notify> {
        self.closing.clone()
    }

    /// Whether this is no host of the configuration, but the node on which a batch system runs a session.
    pub(crate) fn is_node(&self) -> bool {
        self.is_node
    }

    /// Has the host give a sign of life, because it seems to be silent.
    pub(crate) fn doubt(&mut self) {
        self.is_doubtful = true;
        self.interest.notify_one();
    }

    /// Whether the host is to be asked for a sign of life now.
    pub(crate) fn take_doubt(&mut self) -> bool {
        std::mem::take(&mut self.is_doubtful)
    }

    /// Notified when clients want other kinds of live events, or the host is to be probed.
    pub(crate) fn interest(&self) -> Rc<Notify> {
        self.interest.clone()
    }

    /// Whether the host may be connected soon, now that somebody needs it. A link that has ended counts as open until
    /// its end is noticed.
    pub(crate) fn can_come(&self, now: Now) -> bool {
        if self.is_over {
            return false;
        }
        let due = self.link.next(self.connect, true);
        let link = &self.link;
        link.is_up() || link.is_opening() || due.is_some_and(|at| at <= now.boot + SOON)
    }

    /// Whether a session on it is the one that holds it, which whoever has submitted it knows already.
    pub(crate) fn is_held_by(&self, id: &SessionId) -> bool {
        let holder = self.holder();
        holder.is_some_and(|holder| holder.bare() == id.bare())
    }

    /// The session that holds it, if it is an allocation of a batch system.
    pub(crate) fn holder(&self) -> Option<SessionId> {
        SessionId::parse_any(self.session.as_deref()?)
    }

    /// Whether the session that holds it has ended, and the host with it.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Notes that the session that holds it has ended: there is no host any more, and no session on it. Returns the
    /// sessions that were known.
    pub(crate) fn give_up(&mut self) -> Vec<SessionId> {
        self.is_over = true;
        self.link.rest(now());
        self.end();
        let known = self.mirror.ids().cloned().collect();
        self.mirror.replace(Vec::new(), now());
        known
    }

    /// Whether only a person's `connect` connects it.
    fn is_manual(&self) -> bool {
        self.connect == HostConnect::Manual
    }

    /// When it was last connected, if it is not now.
    pub(crate) fn seen(&self) -> Option<Timestamp> {
        if self.link.is_up() {
            None
        } else {
            self.link.last_seen().or(Some(Timestamp(0)))
        }
    }

    /// Closes the link for good.
    pub(crate) fn disconnect(&mut self) {
        self.link.disconnect(now());
        self.end();
    }

    /// Lets go of the link.
    pub(super) fn end(&mut self) {
        self.open = None;
        self.closing.notify_waiters();
        self.settled.notify_waiters();
    }

    /// Why the host cannot be used now.
    pub(crate) fn fault(&self) -> Error {
        let name = &self.host.name;
        let error = match self.reason() {
            Some(error) => error,
            None if self.link.is_up() => fault::unreachable(&self.host, "it does not answer"),
            None if self.link.is_opening() => {
                fault::unreachable(&self.host, "it has not answered yet")
            }
            None if self.is_manual() => Error::new(
                ErrorCode::HostUnreachable,
                format!(
                    "host {name} is not connected, which is left to you (`connect = \"manual\"`)"
                ),
            )
            .hint(format!("bgproc hosts login {name} connects it")),
            None => Error::new(
                ErrorCode::HostUnreachable,
                format!("host {name} is not connected"),
            )
            .hint(format!("bgproc hosts login {name} connects it")),
        };
        let error = error.add_data("host", json!(name));
        match error.code {
            ErrorCode::HostUnreachable => error
                .add_data("since", json!(self.link.since()))
                .add_data("lastSeen", json!(self.link.last_seen())),
            _ => error,
        }
    }

    /// Why it is not connected, if there is a reason.
    fn reason(&self) -> Option<Error> {
        if self.is_over {
            return Some(fault::job_ended(&self.host));
        }
        let fault = self.link.fault()?.clone();
        // A node that a job holds may be gone with it, which its batch system tells.
        let lasts = !self.is_node && self.session.is_none();
        Some(match self.link.last_seen() {
            Some(_) if lasts => fault::jobs_go_on(fault),
            _ => fault,
        })
    }

    pub(super) fn status(&self, name: &str, viewer: &Principal, now: Now) -> HostStatus {
        let retry = self.link.retry_at();
        let in_future = |at: u64| {
            let left = at.saturating_sub(now.boot).cast_signed();
            Timestamp(now.wall.millis() + left)
        };
        HostStatus {
            name: name.to_owned(),
            state: self.link.state(),
            since: Some(self.link.since()),
            last_seen: self.link.last_seen(),
            error: self.reason(),
            retry_at: retry.map(in_future),
            connect: self.connect,
            agents: self.agents,
            version: self.version.clone(),
            sessions: self.mirror.count(viewer),
            reach: (viewer.role == Role::Human).then(|| self.host.reached()),
        }
    }
}
