//! Pending waits on one session or several.

use std::collections::{BTreeSet, HashMap};

use super::conditions::Conditions;
use super::matcher::{Decision, Matcher};
use super::output::Output;
use super::registry::Principal;
use super::session::Session;
use super::wait_inputs::WaitInputs;
use crate::protocol::SessionId;
use crate::protocol::condition::WaitMode;
use crate::term::plain::{Checkpoint, Layout};
use crate::term::size::Size;

/// Id of a pending wait.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WaitId(pub u64);

/// Outcome of a wait for each of its sessions; `None` if it was not decided in time.
pub type Verdict = Vec<(SessionId, Option<Decision>)>;

/// A wait that has not been answered.
pub struct Pending {
    /// The client that waits; `None`: the daemon itself does.
    viewer: Option<Principal>,
    mode: WaitMode,
    parts: Vec<Part>,
    /// When it times out, in boot-time milliseconds.
    deadline: Option<u64>,
}

struct Part {
    session: SessionId,
    matcher: Matcher,
    decision: Option<Decision>,
}

impl Pending {
    /// Creates a wait on these sessions. Without a deadline it never times out.
    pub fn new(
        mode: WaitMode,
        parts: Vec<(SessionId, Matcher, Option<Decision>)>,
        deadline: Option<u64>,
    ) -> Self {
        let parts = parts
            .into_iter()
            .map(|(session, matcher, decision)| Part {
                session,
                matcher,
                decision,
            })
            .collect();
        Self {
            viewer: None,
            mode,
            parts,
            deadline,
        }
    }

    /// Sets the client that waits, so that the wait ends when that may not see a session any more.
    pub fn of(self, viewer: Principal) -> Self {
        Self {
            viewer: Some(viewer),
            ..self
        }
    }

    /// Whether the wait is over. `any` is over when one session matches, `all` when one can no
    /// longer match. Both are over on a failure, or when all sessions are decided.
    pub fn is_over(&self) -> bool {
        let decided = |part: &Part| part.decision.is_some();
        let matched = |part: &Part| matches!(part.decision, Some(Decision::Matched(_)));
        let failed = |part: &Part| matches!(part.decision, Some(Decision::Failed(_)));
        let unmatched = |part: &Part| decided(part) && !matched(part);
        self.parts.iter().any(failed)
            || self.parts.iter().all(decided)
            || match self.mode {
                WaitMode::Any | WaitMode::Next => self.parts.iter().any(matched),
                WaitMode::All => self.parts.iter().any(unmatched),
            }
    }

    /// The outcome.
    pub fn verdict(self) -> Verdict {
        self.parts
            .into_iter()
            .map(|part| (part.session, part.decision))
            .collect()
    }
}

/// All pending waits.
#[derive(Default)]
pub struct Waits {
    pending: HashMap<WaitId, Pending>,
    by_session: HashMap<SessionId, OnSession>,
    last: u64,
}

/// The waits on one session. There may be thousands, so adding or removing one does not iterate
/// over the others.
#[derive(Default)]
struct OnSession {
    waits: BTreeSet<WaitId>,
    /// Number of waits that need the input state.
    input: usize,
}

impl Waits {
    /// Adds a wait that [is not over](Pending::is_over).
    pub fn add(&mut self, pending: Pending) -> WaitId {
        self.last += 1;
        let wait = WaitId(self.last);
        for part in pending.parts.iter().filter(|part| part.decision.is_none()) {
            let on = self.by_session.entry(part.session.clone()).or_default();
            on.waits.insert(wait);
            on.input += usize::from(part.matcher.conditions().wants_input());
        }
        self.pending.insert(wait, pending);
        wait
    }

    /// Removes a wait, whether it is over or not.
    pub fn remove(&mut self, wait: WaitId) -> Option<Pending> {
        let pending = self.pending.remove(&wait)?;
        for part in &pending.parts {
            if let Some(on) = self.by_session.get_mut(&part.session)
                && on.waits.remove(&wait)
            {
                on.input -= usize::from(part.matcher.conditions().wants_input());
                if on.waits.is_empty() {
                    self.by_session.remove(&part.session);
                }
            }
        }
        Some(pending)
    }

    /// Whether there is any wait on this session.
    pub fn has(&self, session: &SessionId) -> bool {
        self.by_session.contains_key(session)
    }

    /// Whether any wait needs the output of this session.
    pub fn read_output(&self, session: &SessionId) -> bool {
        self.open_parts(session)
            .any(|part| part.matcher.reads_output())
    }

    /// Number of waits that read the lines of this session. Each has its own reader.
    pub fn readers(&self, session: &SessionId) -> usize {
        self.open_parts(session)
            .filter(|part| part.matcher.reads_lines())
            .count()
    }

    /// Whether any wait needs the input state of this session.
    pub fn want_input(&self, session: &SessionId) -> bool {
        self.by_session.get(session).is_some_and(|on| on.input > 0)
    }

    /// The conditions of a wait.
    pub fn conditions(&self, wait: WaitId) -> Option<&Conditions> {
        let part = self.pending.get(&wait)?.parts.first()?;
        Some(part.matcher.conditions())
    }

    /// Whether any wait needs the ready state of this session.
    pub fn want_ready(&self, session: &SessionId) -> bool {
        self.open(session).any(Conditions::wants_ready)
    }

    /// Whether any wait needs the screen of this session.
    pub fn want_screen(&self, session: &SessionId) -> bool {
        self.open(session).any(Conditions::reads_screen)
    }

    /// Whether any wait needs the process group in the foreground of this session's terminal.
    pub fn want_foreground(&self, session: &SessionId) -> bool {
        self.open(session).any(Conditions::wants_foreground)
    }

    /// The ports that waits on this session name.
    pub fn ports(&self, session: &SessionId) -> BTreeSet<u16> {
        self.open(session).flat_map(Conditions::ports).collect()
    }

    /// The undecided conditions on a session.
    fn open(&self, session: &SessionId) -> impl Iterator<Item = &Conditions> {
        self.open_parts(session)
            .map(|part| part.matcher.conditions())
    }

    /// The parts of waits that a session may still decide.
    fn open_parts(&self, session: &SessionId) -> impl Iterator<Item = &Part> {
        let parts = self.on(session).flat_map(|pending| &pending.parts);
        parts.filter(move |part| part.session == *session && part.decision.is_none())
    }

    fn on(&self, session: &SessionId) -> impl Iterator<Item = &Pending> {
        let on = self.by_session.get(session).into_iter();
        on.flat_map(|on| &on.waits)
            .filter_map(|wait| self.pending.get(wait))
    }

    /// Processes output of a session. Returns the waits that are over.
    pub fn output(&mut self, session: &SessionId, offset: u64, bytes: &[u8]) -> Vec<WaitId> {
        self.decide(session, |matcher| matcher.output(offset, bytes))
    }

    /// Lets the waits on a session continue at `at`, because the output before it is no longer kept.
    pub fn skip_to(&mut self, session: &SessionId, layout: Layout, at: Checkpoint) {
        self.decide(session, |matcher| {
            matcher.skip_to(layout, at);
            None
        });
    }

    /// The waits on a session, among others maybe, of clients that may not see it.
    pub fn shut_out(&self, session: &Session) -> Vec<WaitId> {
        let is_on = |pending: &Pending| pending.parts.iter().any(|part| part.session == session.id);
        let is_shut_out = |pending: &Pending| {
            let viewer = pending.viewer.as_ref();
            viewer.is_some_and(|viewer| !viewer.sees(session)) && is_on(pending)
        };
        let shut_out = self
            .pending
            .iter()
            .filter(|(_, pending)| is_shut_out(pending));
        shut_out.map(|(wait, _)| *wait).collect()
    }

    /// Lets the waits on a session continue at another size of its terminal.
    pub fn resize(&mut self, session: &SessionId, size: Size) {
        self.decide(session, |matcher| {
            matcher.resize(size);
            None
        });
    }

    /// Checks a session's waits after a change other than output. Returns the waits that are over.
    pub fn look(
        &mut self,
        session: &SessionId,
        output: &mut Output,
        facts: WaitInputs<'_>,
        now: u64,
    ) -> Vec<WaitId> {
        self.decide(session, |matcher| matcher.look(output, facts, now))
    }

    fn decide(
        &mut self,
        session: &SessionId,
        mut decide: impl FnMut(&mut Matcher) -> Option<Decision>,
    ) -> Vec<WaitId> {
        let mut over = Vec::new();
        let on = self.by_session.get(session).into_iter();
        for wait in on.flat_map(|on| &on.waits) {
            let Some(pending) = self.pending.get_mut(wait) else {
                continue;
            };
            for part in &mut pending.parts {
                if part.session == *session && part.decision.is_none() {
                    part.decision = decide(&mut part.matcher);
                }
            }
            if pending.is_over() {
                over.push(*wait);
            }
        }
        over
    }

    /// The undecided sessions of a wait.
    pub fn undecided(&self, wait: WaitId) -> Vec<SessionId> {
        let parts = self
            .pending
            .get(&wait)
            .map_or(&[][..], |pending| &pending.parts);
        let open = parts.iter().filter(|part| part.decision.is_none());
        open.map(|part| part.session.clone()).collect()
    }

    /// Whether the wait has timed out.
    pub fn is_expired(&self, wait: WaitId, now: u64) -> bool {
        let deadline = self.pending.get(&wait).and_then(|pending| pending.deadline);
        deadline.is_some_and(|deadline| deadline <= now)
    }

    /// When the wait ends if nothing happens, in boot-time milliseconds: at its deadline, or when a
    /// session has been silent for long enough.
    pub fn due<'a>(
        &self,
        wait: WaitId,
        now: u64,
        output_of: impl Fn(&SessionId) -> Option<&'a Output>,
    ) -> Option<u64> {
        let pending = self.pending.get(&wait)?;
        let parts = pending.parts.iter().filter(|part| part.decision.is_none());
        let idle = parts
            .filter_map(|part| part.matcher.due(output_of(&part.session)?, now))
            .min();
        [pending.deadline, idle].into_iter().flatten().min()
    }

    /// Number of pending waits.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether no wait is pending.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::engine::Now;
    use crate::protocol::Condition;
    use crate::protocol::Status;
    use crate::protocol::condition::View;
    use crate::protocol::status::Mode;
    use crate::term::plain::{Checkpoint, Layout, LayoutKind};

    fn wait(session: &SessionId, until: Condition, view: View) -> Pending {
        let layout = Layout {
            size: Size::new(24, 80),
            kind: LayoutKind::Terminal,
        };
        let conditions = Conditions::new(Some(&[until]), None, view).unwrap();
        let matcher = Matcher::new(Rc::new(conditions), layout, Checkpoint::at(0), 0);
        Pending::new(WaitMode::Any, vec![(session.clone(), matcher, None)], None)
    }

    #[test]
    fn readers_counts_the_pending_waits_for_lines() {
        let (id, mut waits) = (SessionId::fresh(), Waits::default());
        let pattern = |text: &str| Condition::Pattern(text.to_owned());
        waits.add(wait(&id, Condition::Exit(true), View::Plain));
        waits.add(wait(&id, pattern("a"), View::Screen));
        waits.add(wait(&SessionId::fresh(), pattern("a"), View::Plain));
        assert_eq!(waits.readers(&id), 0);
        let first = waits.add(wait(&id, pattern("a"), View::Plain));
        waits.add(wait(&id, pattern("b"), View::Plain));
        assert_eq!(waits.readers(&id), 2);
        assert_eq!(waits.output(&id, 0, b"a\n"), [first]);
        waits.remove(first);
        assert_eq!(waits.readers(&id), 1);
    }

    #[test]
    fn the_output_of_a_session_that_is_decided_is_not_needed_any_more() {
        let (one, other, mut waits) = (SessionId::fresh(), SessionId::fresh(), Waits::default());
        let pattern = |id| wait(id, Condition::Pattern("a".to_owned()), View::Plain);
        let mut both = pattern(&one);
        both.mode = WaitMode::All;
        both.parts.extend(pattern(&other).parts);
        waits.add(both);
        assert!(
            waits.output(&one, 0, b"a\n").is_empty(),
            "it waits for both"
        );
        assert!(!waits.read_output(&one));
        assert!(waits.read_output(&other));
    }

    #[test]
    fn a_screen_is_matched_when_its_update_has_ended() {
        let at = |boot| Now {
            boot,
            ..Now::default()
        };
        let facts = WaitInputs::of(Status::Running);
        let (id, mut waits) = (SessionId::fresh(), Waits::default());
        let ended = waits.add(wait(
            &id,
            Condition::Pattern("half".to_owned()),
            View::Screen,
        ));
        let mut output = Output::new(Mode::Pty, Size::new(4, 20));
        output.feed(b"\x1b[?2026hhalf", at(1_000));
        assert!(waits.look(&id, &mut output, facts, 1_000).is_empty());
        assert_eq!(output.update_ends_at(1_100), Some(1_150));
        let over = WaitInputs::of(Status::Done);
        assert_eq!(waits.look(&id, &mut output, over, 1_100), [ended]);
        for (bytes, now) in [("\x1b[?2026h\x1b[?2026l", 2_000), ("\x1b[?2026h", 2_150)] {
            let mut waits = Waits::default();
            let ended = waits.add(wait(
                &id,
                Condition::Pattern("half".to_owned()),
                View::Screen,
            ));
            output.feed(bytes.as_bytes(), at(2_000));
            assert_eq!(
                waits.look(&id, &mut output, facts, now),
                [ended],
                "{bytes:?}"
            );
        }
    }
}
