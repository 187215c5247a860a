//! Checks whether programs wait for input, and publishes the result.
//!
//! The daemon asks the keeper, because the kernel may allow only ancestors of a process to inspect
//! it. If a client waits for the answer, the daemon first tries to inspect the job itself, which is
//! faster: no other process has to run.

use std::collections::HashMap;

use serde_json::json;
use tokio::sync::oneshot;

use super::{State, output};
use crate::daemon::clock::now;
use crate::engine::input::{is_part, is_waiting};
use crate::engine::timers::Due;
use crate::protocol::event::InputNeeded;
use crate::protocol::keeper::{InputReport, ToKeeper};
use crate::protocol::status::Mode;
use crate::protocol::{EventKind, SessionId};
use crate::sys::input::{self, Effort};
use crate::term::sanitize::clean;

/// Maximum number of chunks of output that are rendered before a prompt is read. After a program
/// begins to wait, little is left to render, unless another program writes to the same terminal:
/// hence the limit.
const PROMPT_CHUNKS: usize = 8;

/// Longest prompt that is published, in characters.
const PROMPT_CHARS: usize = 200;

/// Questions to the keeper that are not answered yet.
#[derive(Default)]
pub(crate) struct InputProbes {
    last: u64,
    waiting: HashMap<u64, oneshot::Sender<()>>,
    /// Pid of a keeper that did not answer in time. It is not asked again until it answers.
    unresponsive_keeper: Option<u32>,
}

impl InputProbes {
    /// Number of the last question.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Drops the pending questions, because the keeper that was asked is gone.
    pub(crate) fn forget(&mut self) {
        self.waiting.clear();
    }

    /// Notes that the keeper with this pid has not answered these questions in time.
    pub(crate) fn give_up(&mut self, asks: Vec<u64>, keeper: u32) {
        for ask in asks {
            self.waiting.remove(&ask);
        }
        self.unresponsive_keeper = Some(keeper);
    }

    /// Builds the next question, about this session.
    fn question(&mut self, id: &SessionId) -> ToKeeper {
        self.last += 1;
        ToKeeper::InspectInput {
            session: id.clone(),
            ask: self.last,
        }
    }
}

impl State {
    /// Asks about a session if its check is due. Called by the session's timer.
    pub(crate) fn look_at_input(&mut self, id: &SessionId) {
        let eager = self.waiters.waits.want_input(id);
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        if !session.takes_input() {
            session.input.end();
        } else if session.batch.is_some() {
            // Its node looks at it. What it has said last may be news by now.
            if session.input.take_due(now().boot, false) {
                let said = session.input.report();
                self.record_input_report(id, said);
            }
        } else if session.input.take_due(now().boot, eager) {
            self.ask(id, !eager);
        }
        self.arm_input(id);
    }

    /// Schedules the next check of a session early, because a wait for its input was added.
    pub(crate) fn hurry_input(&mut self, id: &SessionId) {
        if let Some(session) = self.sessions.get_mut(id) {
            session.input.hurry(now().boot);
            self.arm_input(id);
        }
    }

    /// Sets the timer of the next check.
    pub(crate) fn arm_input(&mut self, id: &SessionId) {
        let session = self.sessions.get(id);
        let next = session.and_then(|session| session.input.next());
        self.timers.set(Due::Input(id.clone()), next);
    }

    /// Notes that these bytes were typed into a session.
    pub(crate) fn typed(&mut self, id: &SessionId, bytes: &[u8]) {
        let eager = self.waiters.waits.want_input(id);
        let asked = self.input_probes.last;
        if let Some(session) = self.sessions.get_mut(id) {
            let is_part = session.spec.mode == Mode::Pty && is_part(bytes);
            session.input.typed(now().boot, eager, asked, is_part);
            self.arm_input(id);
        }
    }

    /// Asks about a session on behalf of a client. Returns `None` if the answer is known, if the program takes
    /// no input, or if the keeper does not answer. If `several` sessions are asked about, the questions are
    /// sent in one message.
    pub(crate) fn question(
        &mut self,
        id: &SessionId,
        several: bool,
    ) -> Option<(u64, oneshot::Receiver<()>)> {
        let session = self.sessions.get(id)?;
        let is_here = session.takes_input() && session.batch.is_none();
        let worth = is_here && !session.input.is_fresh(now().boot);
        (worth && self.input_probes.unresponsive_keeper != Some(self.keeper.pid())).then_some(())?;
        let (sender, receiver) = oneshot::channel();
        let ask = self.ask(id, several);
        self.input_probes.waiting.insert(ask, sender);
        Some((ask, receiver))
    }

    /// Sends a question, at once or in one message with others of this turn. Returns its number.
    fn ask(&mut self, id: &SessionId, with_others: bool) -> u64 {
        let question = self.input_probes.question(id);
        if with_others {
            self.keeper.send_soon(&question)
        } else {
            self.keeper.send(&question)
        }
        self.input_probes.last
    }

    /// Takes the keeper's answer to question `ask`.
    pub(crate) fn on_input_report(
        &mut self,
        id: &SessionId,
        ask: u64,
        report: Option<InputReport>,
    ) {
        self.input_probes.unresponsive_keeper = None;
        let known = self.sessions.get(id);
        if known.is_some_and(|session| session.input.is_stale(ask)) {
            // Something was typed after the question: ask again, because the client wants to know its effect.
            if let Some(asker) = self.input_probes.waiting.remove(&ask) {
                let again = self.ask(id, false);
                self.input_probes.waiting.insert(again, asker);
            }
            return;
        }
        self.record_input_report(id, report);
        if let Some(asker) = self.input_probes.waiting.remove(&ask) {
            // Fails if the client no longer waits.
            let _ = asker.send(());
        }
    }

    /// Inspects a session in the daemon itself. Returns false if the keeper has to be asked. It has
    /// to if the daemon may not inspect the processes, if there are many of them, if the keeper may
    /// still hold output that the program wrote before it began to wait, or if the program may be
    /// about to wait.
    pub(crate) fn inspect_locally(&mut self, id: &SessionId) -> bool {
        let Some(session) = self.sessions.get(id) else {
            return true;
        };
        let at = now().boot;
        if !session.takes_input() || session.batch.is_some() || session.input.is_fresh(at) {
            return true;
        }
        let io = self.sessions.io(id);
        let fd = io.and_then(|io| io.input.as_deref());
        let (Some(io), Some(fd), Some(pid)) = (io, fd, session.life.pid()) else {
            return false;
        };
        let report = match session.spec.mode {
            Mode::Pty => input::terminal(fd, pid, Effort::Quick),
            Mode::Pipe => input::pipe(fd, pid, Effort::Quick),
        };
        let Ok(report) = report else { return false };
        let is_known = match report.reading {
            Some(_) if is_waiting(report) => self.sessions.has_no_output_left(io),
            Some(_) => !session.input.is_active(at),
            None => false,
        };
        if is_known {
            self.record_input_report(id, Some(report));
        }
        is_known
    }

    /// Takes the result of a check, and publishes what changed.
    pub(super) fn record_input_report(&mut self, id: &SessionId, report: Option<InputReport>) {
        if report.is_some_and(|report| report.reading == Some(true)) {
            // Render first, because the program's last output says which screen it uses and what its prompt is.
            for _ in 0..PROMPT_CHUNKS {
                if !output::render_chunk(self, id) {
                    break;
                }
            }
        }
        if let Some(session) = self.sessions.get_mut(id) {
            let before = session.input_state();
            let replaced = session.record_input(report, now());
            let state = session.input_state();
            let needed = if session.listens() {
                None
            } else {
                session.input.news(state, now().boot)
            };
            if state != before && self.events.has_listeners(EventKind::Output) {
                output::tell_output(self, id);
            }
            if let Some(state) = needed {
                let data = InputNeeded {
                    input_state: state,
                    prompt: self.prompt(id),
                };
                self.publish(EventKind::InputNeeded, id, json!(data));
            }
            if replaced {
                self.persist(id);
            }
            self.tell_submitter(id);
            self.look(id);
        }
    }

    /// The line on which a program waits for input.
    fn prompt(&mut self, id: &SessionId) -> Option<String> {
        let session = self.sessions.get_mut(id)?;
        let line = match session.spec.mode {
            Mode::Pty => session.output.screen_if_any()?.prompt(),
            Mode::Pipe => {
                let tail = self.sessions.tail(id, PROMPT_CHARS);
                tail.lines().last().unwrap_or_default().to_owned()
            }
        };
        let line = clean(line.trim_end());
        let excess = line.chars().count().saturating_sub(PROMPT_CHARS);
        Some(line.chars().skip(excess).collect())
    }
}
