//! Looks at what programs do with their input, and tells what comes of it.
//!
//! The keeper is asked, who may look at any job; on behalf of somebody who waits for the
//! answer, the daemon looks by itself first, which takes no turn of another process.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::json;
use tokio::sync::oneshot;

use super::hub::{Hub, now};
use super::state::State;
use super::{render, text};
use crate::engine::input::is_waiting;
use crate::engine::timers::Due;
use crate::protocol::keeper::{Sight, ToKeeper};
use crate::protocol::record::Mode;
use crate::protocol::{EventKind, SessionId};
use crate::sys::input::{self, Effort};
use crate::term::sanitize::clean;

/// For so long an answer is waited for where somebody asks. A keeper answers in less
/// than a millisecond, and later on a machine that has too much to do; one that has
/// not answered by then is stopped, or of a version that does not know the question.
const PATIENCE: Duration = Duration::from_secs(2);

/// Chunks of output looked at first. A program that waits has written little that
/// nobody has looked at, but another one may write beside it.
const PROMPT_CHUNKS: usize = 8;

/// Characters of a prompt that are told.
const PROMPT_CHARS: usize = 200;

/// Questions that were not answered yet.
#[derive(Default)]
pub(super) struct Looks {
    last: u64,
    waiting: HashMap<u64, oneshot::Sender<()>>,
    /// Pid of a keeper that does not answer.
    deaf: Option<u32>,
}

impl Looks {
    /// Number of the last question.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// The next question, about this session.
    fn question(&mut self, id: &SessionId) -> ToKeeper {
        self.last += 1;
        ToKeeper::Look {
            session: id.clone(),
            ask: self.last,
        }
    }
}

impl Hub {
    /// Looks now at what a session's program does with its input, and at what it
    /// wrote before.
    pub(super) async fn see_input(&self, id: &SessionId) {
        if !self.with(|state| state.look_here(id)) {
            self.see_inputs(std::slice::from_ref(id)).await;
        }
    }

    /// The same of several, at once.
    pub(super) async fn see_inputs(&self, ids: &[SessionId]) {
        let several = ids.len() > 1;
        let asked: Vec<_> = self.with(|state| {
            let asked = ids.iter().filter_map(|id| state.question(id, several));
            asked.collect()
        });
        let (asks, answers): (Vec<u64>, Vec<_>) = asked.into_iter().unzip();
        let all = async {
            for answer in answers {
                // It is forgotten only with what was asked.
                let _ = answer.await;
            }
        };
        if tokio::time::timeout(PATIENCE, all).await.is_err() {
            self.with(|state| {
                for ask in asks {
                    state.looks.waiting.remove(&ask);
                }
                state.looks.deaf = Some(state.keeper.pid());
            });
        }
    }
}

impl State {
    /// The time for a look at a session has come.
    pub(super) fn look_at_input(&mut self, id: &SessionId) {
        let eager = self.waits.want_input(id);
        let Some(session) = self.registry.get_mut(id) else {
            return;
        };
        if !session.takes_input() {
            session.input.end();
        } else if session.input.is_due(now().boot, eager) {
            self.ask(id, !eager);
        }
        self.arm_input(id);
    }

    /// Somebody waits for a session to want input.
    pub(super) fn hurry_input(&mut self, id: &SessionId) {
        if let Some(session) = self.registry.get_mut(id) {
            session.input.hurry(now().boot);
            self.arm_input(id);
        }
    }

    /// Sets the clock for the next look.
    pub(super) fn arm_input(&mut self, id: &SessionId) {
        let session = self.registry.get(id);
        let next = session.and_then(|session| session.input.next());
        self.timers.set(Due::Input(id.clone()), next);
    }

    /// Something was typed into a session.
    pub(super) fn typed(&mut self, id: &SessionId) {
        let eager = self.waits.want_input(id);
        let asked = self.looks.last;
        if let Some(session) = self.registry.get_mut(id) {
            session.input.typed(now().boot, eager, asked);
            self.arm_input(id);
        }
    }

    /// Asks about a session on somebody's behalf, if there is anything to be asked
    /// that is not known; `several` of them are sent in one message.
    fn question(&mut self, id: &SessionId, several: bool) -> Option<(u64, oneshot::Receiver<()>)> {
        let session = self.registry.get(id)?;
        let worth = session.takes_input() && !session.input.is_fresh(now().boot);
        (worth && self.looks.deaf != Some(self.keeper.pid())).then_some(())?;
        let (sender, receiver) = oneshot::channel();
        let ask = self.ask(id, several);
        self.looks.waiting.insert(ask, sender);
        Some((ask, receiver))
    }

    /// Asks at once, or with all others that are asked now; returns the number of the question.
    fn ask(&mut self, id: &SessionId, with_others: bool) -> u64 {
        let question = self.looks.question(id);
        match with_others {
            true => self.keeper.send_soon(&question),
            false => self.keeper.send(&question),
        }
        self.looks.last
    }

    /// The keeper is gone, and what it was asked with it.
    pub(super) fn forget_looks(&mut self) {
        self.looks.waiting.clear();
    }

    /// The keeper's answer.
    pub(super) fn input_seen(&mut self, id: &SessionId, ask: u64, sight: Option<Sight>) {
        self.looks.deaf = None;
        let known = self.registry.get(id);
        if known.is_some_and(|session| session.input.is_of_before(ask)) {
            // Who waits wants to know what comes of what was typed.
            if let Some(asker) = self.looks.waiting.remove(&ask) {
                let again = self.ask(id, false);
                self.looks.waiting.insert(again, asker);
            }
            return;
        }
        self.saw_input(id, sight);
        if let Some(asker) = self.looks.waiting.remove(&ask) {
            // It may have given up.
            let _ = asker.send(());
        }
    }

    /// Looks at a session now. False if the keeper is to be asked: because we may not
    /// look, because there are many to look at, because it may still have output that the program wrote before, or because
    /// the program may begin to wait this very moment.
    fn look_here(&mut self, id: &SessionId) -> bool {
        let Some(session) = self.registry.get(id) else {
            return true;
        };
        let at = now().boot;
        if !session.takes_input() || session.input.is_fresh(at) {
            return true;
        }
        let driver = self.drivers.get(id);
        let fd = driver.and_then(|driver| driver.input.as_deref());
        let (Some(driver), Some(fd), Some(pid)) = (driver, fd, session.life.pid()) else {
            return false;
        };
        let sight = match session.spec.mode {
            Mode::Pty => input::terminal(fd, pid, Effort::Quick),
            Mode::Pipe => input::pipe(fd, pid, Effort::Quick),
        };
        let Ok(sight) = sight else { return false };
        let is_known = match sight.reading {
            Some(_) if is_waiting(sight) => driver.has_no_output_left(self.keeper.shared_table()),
            Some(_) => !session.input.is_stirring(at),
            None => false,
        };
        if is_known {
            self.saw_input(id, Some(sight));
        }
        is_known
    }

    /// What was seen of a session's input, and what comes of it.
    fn saw_input(&mut self, id: &SessionId, sight: Option<Sight>) {
        if sight.is_some_and(|sight| sight.reading == Some(true)) {
            // Which screen it is on, and its prompt, are in the last it wrote.
            for _ in 0..PROMPT_CHUNKS {
                if !render::render_chunk(self, id) {
                    break;
                }
            }
        }
        if let Some(session) = self.registry.get_mut(id) {
            let before = session.input_state();
            session.input.saw(sight, now().boot);
            let state = session.input_state();
            let needed = session.input.news(state, now().boot);
            if state != before && self.bus.has_listeners(EventKind::Output) {
                render::tell_output(self, id);
            }
            if let Some(state) = needed {
                let data = json!({ "inputState": state, "prompt": self.prompt(id) });
                self.publish(EventKind::InputNeeded, id, data);
            }
            self.look(id);
        }
    }

    /// The line on which a program waits.
    fn prompt(&mut self, id: &SessionId) -> Option<String> {
        let session = self.registry.get_mut(id)?;
        let line = match session.spec.mode {
            Mode::Pty => session.output.screen_if_any()?.prompt(),
            Mode::Pipe => {
                let tail = text::tail(self, id, PROMPT_CHARS);
                tail.lines().last().unwrap_or_default().to_owned()
            }
        };
        let line = clean(line.trim_end());
        let excess = line.chars().count().saturating_sub(PROMPT_CHARS);
        Some(line.chars().skip(excess).collect())
    }
}
