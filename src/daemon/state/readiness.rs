//! Readiness probes of jobs, and the ports that jobs listen on.
//!
//! Patterns are matched against output as it comes. The kernel does not report new listening ports, so they are
//! polled while a wait or a probe needs one: often at first and after output, then less often, and not at all
//! when nothing waits. One poll serves all waits for ports of a session. Jobs of projects that are ready are looked at
//! again now and then ([`probing`](crate::engine::session)).

use std::collections::BTreeSet;

use serde_json::json;

use super::State;
use crate::daemon::clock::now;
use crate::daemon::sessions::PortSweep;
use crate::engine::life::Probed;
use crate::engine::readiness::Refusal;
use crate::engine::session::Session;
use crate::engine::timers::Due;
use crate::engine::wait_inputs::WaitInputs;
use crate::protocol::{EventKind, SessionId};
use crate::sys::ports;

/// Shortest and longest interval between two polls, in milliseconds.
const FIRST_PAUSE_MS: u64 = 20;
const LAST_PAUSE_MS: u64 = 250;

/// Interval if only a late probe needs the ports, in milliseconds.
const LATE_PAUSE_MS: u64 = 2000;

/// Delay before a probe's deadline is checked again if there is unrendered output, in milliseconds.
const UNSEEN_MS: u64 = 20;

impl State {
    /// Passes a session's output to its readiness probe and to the waits.
    pub(crate) fn show_output(&mut self, id: &SessionId, offset: u64, bytes: &[u8]) {
        let session = self.sessions.get_mut(id);
        if session.is_some_and(|session| session.probe_output(offset, bytes)) {
            self.tell_ready(id);
        }
        let over = self.waiters.waits.output(id, offset, bytes);
        self.resolve(over);
        self.hasten_ports(id);
    }

    /// Starts the readiness probe of the current run, if the session has one.
    pub(crate) fn begin_probe(&mut self, id: &SessionId) {
        if let Some((session, io)) = self.sessions.both_mut(id) {
            session.plain_probe = io.spec().and_then(|spec| spec.ready.clone());
            session.probe();
        }
        let session = self.sessions.get(id);
        let is_ready = session.is_some_and(|session| session.ready() == Some(true));
        if is_ready {
            self.attempt_probe_again(id)
        } else {
            self.attempt_probe_at(id, now().boot)
        }
        self.arm(id);
        self.await_ports(id);
    }

    /// Plans the next attempt of a probe after the usual pause, if attempts are made.
    pub(crate) fn attempt_probe_again(&mut self, id: &SessionId) {
        let session = self.sessions.get(id);
        let pause = session.map_or(0, Session::attempt_pause_ms);
        self.attempt_probe_at(id, now().boot.saturating_add(pause));
    }

    /// Plans the next attempt of a probe, if attempts are made.
    pub(crate) fn attempt_probe_at(&mut self, id: &SessionId, at: u64) {
        let session = self.sessions.get(id);
        let is_open = session.is_some_and(|session| session.attempted_probe().is_some());
        self.timers
            .set(Due::Probe(id.clone()), is_open.then_some(at));
    }

    /// Records that an attempt of a session's probe has succeeded in this run.
    pub(crate) fn attempt_succeeded(&mut self, id: &SessionId, run: u32) {
        let session = self.sessions.get_mut(id);
        if session.is_some_and(|session| session.attempt_succeeded(run)) {
            self.tell_ready(id);
        }
        self.attempt_probe_again(id);
    }

    /// Records that an attempt of a session's probe has failed in this run, and what it was told.
    pub(crate) fn attempt_failed(&mut self, id: &SessionId, run: u32, told: Option<Refusal>) {
        let session = self.sessions.get_mut(id);
        if session.is_some_and(|session| session.attempt_failed(run, told, now().boot)) {
            self.persist(id);
            self.look(id);
            self.await_ports(id);
        }
        self.end_if_unready(id);
        self.attempt_probe_again(id);
    }

    /// Has a session ended that is not ready any more for longer than its restart policy allows. Called after an attempt
    /// that has failed, not by a timer: while the machine slept, nobody has looked.
    fn end_if_unready(&mut self, id: &SessionId) {
        let at = now().boot;
        let session = self.sessions.get(id);
        if session.is_some_and(|session| session.unready_too_long(at).is_some()) {
            self.timers.set(Due::Unready(id.clone()), Some(at));
        }
    }

    fn tell_ready(&mut self, id: &SessionId) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let took = now().boot.saturating_sub(session.life.started_boot());
        // The probe of a project's job may contain what its file takes from the environment.
        let probe = session
            .spec
            .ready
            .as_ref()
            .filter(|_| session.spec.project.is_none());
        let data = json!({ "tookMs": took, "probe": probe });
        self.publish(EventKind::Ready, id, data);
        self.persist(id);
        self.look(id);
    }

    /// Publishes that a probe did not succeed by its deadline. The job keeps running, and the probe continues.
    pub(crate) fn tell_late(&mut self, id: &SessionId) {
        let at = now().boot;
        // Render the remaining output first: it may say that the job is ready.
        let end = self.sessions.log_end(id);
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        if session.output.end() < end {
            self.render_queue.add(id);
            self.timers.set(Due::Late(id.clone()), Some(at + UNSEEN_MS));
            return;
        }
        if session.late_at().is_some_and(|late| late <= at) {
            session.life.set_probed(Probed::Late);
            let limit = session.spec.ready.as_ref().map(|probe| probe.patience_ms());
            let reason = session.late_reason();
            let project = session.spec.project.as_ref().map(|of| of.id.clone());
            let data = json!({ "limit": "ready.timeoutMs", "value": limit, "reason": reason });
            self.publish(EventKind::Limit, id, data);
            if let Some(project) = project {
                self.projects.touch(&project);
            }
            // A start waits until it is ready, or is not in time.
            self.look(id);
        }
        self.persist(id);
    }

    /// The ports that a wait or the probe of a session needs.
    fn wanted_ports(&self, id: &SessionId) -> BTreeSet<u16> {
        let mut wanted = self.waiters.waits.ports(id);
        if let Some(session) = self.sessions.get(id) {
            wanted.extend(session.probed_port());
        }
        wanted
    }

    /// Starts to poll a session's ports, if a wait or a probe needs one.
    pub(crate) fn await_ports(&mut self, id: &SessionId) {
        // A poll that is under way collects the needed ports itself.
        let is_under_way = self.sessions.io(id).is_some_and(|d| d.sweep.is_some());
        if !is_under_way && self.wanted_ports(id).is_empty() {
            return;
        }
        let Some(io) = self.sessions.io_mut(id) else {
            return;
        };
        let at = now().boot;
        io.sweep.get_or_insert(PortSweep {
            at,
            pause: 0,
            foreign: Vec::new(),
        });
        self.hasten_ports(id);
    }

    /// Polls soon, because a port may be new; does nothing if the ports are not being polled.
    fn hasten_ports(&mut self, id: &SessionId) {
        let sweep = self.sessions.io_mut(id).and_then(|d| d.sweep.as_mut());
        if let Some(sweep) = sweep {
            sweep.pause = FIRST_PAUSE_MS;
            let due = sweep.at + sweep.pause;
            self.timers.set(Due::Ports(id.clone()), Some(due));
        }
    }

    /// Polls the ports that a wait or a probe of a session needs.
    pub(crate) fn sweep_ports(&mut self, id: &SessionId) {
        let wanted = self.wanted_ports(id);
        let Some(io) = self.sessions.io_mut(id) else {
            return;
        };
        let Some(mut sweep) = io.sweep.take().filter(|_| !wanted.is_empty()) else {
            return;
        };
        let mut sockets = ports::listening();
        sockets.retain(|socket| wanted.contains(&socket.port));
        if sockets != sweep.foreign {
            let own = self.sessions.held_ports(id, &sockets);
            sockets.retain(|socket| !own.contains(&socket.port));
            self.found_ports(id, &Vec::from_iter(own));
        }
        self.end_if_unready(id);
        sweep.foreign = sockets;
        sweep.at = now().boot;
        sweep.pause = if self.is_patient(id) {
            LATE_PAUSE_MS
        } else {
            (sweep.pause * 2).min(LAST_PAUSE_MS)
        };
        let due = sweep.at + sweep.pause;
        // Look the session up again: the ports may have decided its last wait, and it may have been removed.
        if let Some(io) = self.sessions.io_mut(id) {
            io.sweep = Some(sweep);
            self.timers.set(Due::Ports(id.clone()), Some(due));
        }
    }

    /// Whether only a late probe needs the ports.
    fn is_patient(&self, id: &SessionId) -> bool {
        let is_late = self.sessions.get(id).is_some_and(Session::is_late);
        is_late && self.waiters.waits.ports(id).is_empty() && !self.waiters.waits.want_ready(id)
    }

    fn found_ports(&mut self, id: &SessionId, own: &[u16]) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        if session.probe_ports(own) {
            self.tell_ready(id);
            self.attempt_probe_again(id);
        }
        let inputs = self.pending_inputs(id);
        let Some((session, inputs)) = self.sessions.get_mut(id).zip(inputs) else {
            return;
        };
        let inputs = WaitInputs {
            ports: Some(own),
            ..inputs
        };
        let over = self
            .waiters
            .waits
            .look(id, &mut session.output, inputs, now().boot);
        self.resolve(over);
    }
}
