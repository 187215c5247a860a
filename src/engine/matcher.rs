//! One session's part of a wait: checks the session's output and state against the compiled
//! conditions.

use super::conditions::{Compiled, Conditions};
use super::echo::Echo;
use super::input::{needs, waits};
use super::layouts::Layouts;
use super::output::Output;
use super::pattern_search::{Last, Patterns, found};
use super::shell_command::{MarkSearch, TypedCommand};
use super::shell_marks::EndSearch;
use super::wait_inputs::WaitInputs;
use crate::protocol::Status;
use crate::protocol::condition::View;
use crate::protocol::reply::Matched;
use crate::protocol::status::InputState;
use crate::term::plain::follower::Follower;
use crate::term::plain::{Checkpoint, Layout};
use crate::term::size::Size;

/// Quiet time before a program that waits for a line or a password counts as waiting for somebody, in
/// milliseconds. Programs that poll their input while they work write within this time.
const TURN_LINE_MS: u64 = 100;

/// How long a program has waited for a line or a password when it counts as waiting for somebody although other threads or
/// programs write all the time, in milliseconds.
const TURN_READ_MS: u64 = 2000;

/// Quiet time of programs that read single keys. They read all the time, and draw their screen in steps.
const TURN_KEYS_MS: u64 = 250;

/// Quiet time after which a shell that waits for input has not taken the command that was typed into it, in
/// milliseconds.
const NOT_BEGUN_MS: u64 = 1500;

/// Kind of the conditions that are about a program that waits for input.
const INPUT: &str = "input";

/// Outcome of one session's part.
#[derive(Clone, PartialEq, Debug)]
pub enum Decision {
    /// A condition of `until` holds.
    Matched(Matched),
    /// A condition of `fail` holds.
    Failed(Matched),
    /// The session ended first.
    Exited,
    /// The session is lost.
    Lost,
}

/// One session's part of a wait.
pub struct Matcher {
    conditions: std::rc::Rc<Conditions>,
    lines: Option<Follower>,
    /// The search for the end of a typed command.
    marks: Option<MarkSearch>,
    /// The search for the end of the command that the shell runs.
    end: Option<EndSearch>,
    /// What the same request has typed.
    echo: Echo,
    /// The line in which the wait began, as far as it was written before: its number and its text.
    before: Option<(u64, String)>,
    /// Offset up to which output has been checked.
    position: u64,
    /// When the wait began, in boot-time milliseconds.
    began: u64,
    /// Whether silence before the beginning of the wait is ignored.
    silence_from_now: bool,
}

impl Matcher {
    /// Creates a matcher that checks output from `at` on.
    pub fn new(
        conditions: std::rc::Rc<Conditions>,
        layout: Layout,
        at: Checkpoint,
        began: u64,
    ) -> Self {
        let lines = conditions.reads_lines().then(|| Follower::new(layout, at));
        let marks = conditions
            .command()
            .map(|command| MarkSearch::new(&command.id, at.offset));
        let waits_for_end = conditions.all().any(|c| matches!(c, Compiled::CommandEnd));
        Self {
            conditions,
            lines,
            marks,
            end: waits_for_end.then(|| EndSearch::new(at.offset)),
            echo: Echo::default(),
            before: None,
            position: at.offset,
            began,
            silence_from_now: false,
        }
    }

    /// Sets whether silence before the beginning of the wait is ignored.
    #[must_use]
    pub fn silence_from_now(mut self, on: bool) -> Self {
        self.silence_from_now = on;
        self
    }

    /// Sets the text that the same request has typed. Patterns do not match its echo.
    #[must_use]
    pub fn ignore_echo(mut self, echo: Echo) -> Self {
        self.echo = echo;
        self
    }

    /// Adds the beginning of the line within which the wait begins: `bytes`, which are written from `at` on. A pattern
    /// is about whole lines, but matches only if it needs what is written later.
    #[must_use]
    pub fn within_line(mut self, layouts: &Layouts, at: Checkpoint, bytes: &[u8]) -> Self {
        if let Some(lines) = &mut self.lines {
            *lines = Follower::new(layouts.at(at.offset), at);
            let mut last = Last(None);
            for (layout, part) in layouts.parts(at.offset, bytes) {
                lines.resize(layout.size);
                lines.feed(part, &mut last);
            }
            self.before = last.0;
        }
        self
    }

    /// Offset up to which output has been checked.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Continues at `at`, because the output before it is no longer kept. The lines after it have
    /// other numbers than those that follow the output that was checked.
    pub fn skip_to(&mut self, layout: Layout, at: Checkpoint) {
        if self.position < at.offset {
            let reads = self.conditions.reads_lines();
            self.lines = reads.then(|| Follower::new(layout, at));
            self.position = at.offset;
        }
    }

    /// Continues at another size of the terminal.
    pub fn resize(&mut self, size: Size) {
        if let Some(lines) = &mut self.lines {
            lines.resize(size);
        }
    }

    /// Whether any condition needs the output.
    pub fn reads_output(&self) -> bool {
        self.conditions.reads_output()
    }

    /// Whether output is read line by line.
    pub fn reads_lines(&self) -> bool {
        self.lines.is_some()
    }

    /// The conditions of the wait.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// As [`Self::output`], for bytes that may have been written for several sizes.
    pub fn past_output(
        &mut self,
        layouts: &Layouts,
        offset: u64,
        bytes: &[u8],
    ) -> Option<Decision> {
        let mut at = offset;
        layouts
            .parts(offset, bytes)
            .iter()
            .find_map(|(layout, part)| {
                self.resize(layout.size);
                let decision = self.output(at, part);
                at += part.len() as u64;
                decision
            })
    }

    /// Checks the bytes that begin at `offset`. Bytes that were checked before are skipped.
    pub fn output(&mut self, offset: u64, bytes: &[u8]) -> Option<Decision> {
        let seen = usize::try_from(self.position.saturating_sub(offset)).unwrap_or(usize::MAX);
        let bytes = bytes.get(seen..)?;
        self.position = offset + (seen + bytes.len()) as u64;
        let any = |condition: &Compiled| matches!(condition, Compiled::Output);
        if let Some(index) = self.conditions.until.iter().position(any)
            && !bytes.is_empty()
        {
            return Some(Decision::Matched(Matched::of(index, "output")));
        }
        if let Some(marks) = &mut self.marks {
            marks.feed(offset + seen as u64, bytes);
            if marks.ended().is_some() {
                let command = |condition: &Compiled| matches!(condition, Compiled::Command(_));
                let index = self.conditions.until.iter().position(command);
                return Some(Decision::Matched(Matched::of(index?, "command")));
            }
        }
        // If several lines match, the first one decides.
        if let Some(lines) = &mut self.lines {
            let mut patterns = Patterns {
                conditions: &self.conditions,
                echo: &mut self.echo,
                before: self.before.as_ref(),
            };
            let decision = lines.feed(bytes, &mut patterns);
            if decision.is_some() {
                return decision;
            }
        }
        // What is written before the end of a command belongs to it.
        let end = self.end.as_mut()?;
        end.feed(offset + seen as u64, bytes);
        let exit_code = end.ended()?;
        let found = |list: &[Compiled]| {
            let is_end = |condition: &Compiled| matches!(condition, Compiled::CommandEnd);
            Some(Matched {
                exit_code,
                ..Matched::of(list.iter().position(is_end)?, "command")
            })
        };
        let failed = found(&self.conditions.fail).map(Decision::Failed);
        failed.or_else(|| found(&self.conditions.until).map(Decision::Matched))
    }

    /// Checks the conditions that do not depend on output bytes: screen, input, ports, silence,
    /// end.
    pub fn look(
        &mut self,
        output: &mut Output,
        facts: WaitInputs<'_>,
        now: u64,
    ) -> Option<Decision> {
        let conditions = self.conditions.clone();
        let is_unread = facts.is_behind && conditions.reads_output();
        let is_over = facts.status.is_finished()
            && !(conditions.through_restarts && facts.restarting)
            && !is_unread;
        // A screen that the program is painting is looked at when it is complete.
        let is_complete = is_over || output.update_ends_at(now).is_none();
        let rows =
            (is_complete && conditions.reads_screen()).then(|| output.screen().rows_text(true));
        let facts = WaitInputs {
            // To input, it answers as any program does, and then it is the other side's turn.
            listens: facts.listens && !self.silence_from_now,
            ..facts
        };
        let state = SessionState {
            facts,
            is_over,
            quiet_ms: now.saturating_sub(self.quiet_since(output)),
            read_ms: facts.reads_since.map(|since| now.saturating_sub(since)),
            has_begun: self.marks.as_ref().is_some_and(|m| m.began().is_some()),
            rows: rows.as_deref(),
            view: conditions.view,
        };
        if let Some(matched) = state.first_met(&conditions.fail) {
            return Some(Decision::Failed(matched));
        }
        if let Some(matched) = state.first_met(&conditions.until) {
            return Some(Decision::Matched(matched));
        }
        match facts.status {
            Status::Lost if !is_unread => Some(Decision::Lost),
            _ if is_over => Some(Decision::Exited),
            _ if facts.is_skipped && conditions.ends_if_skipped => Some(Decision::Exited),
            _ => None,
        }
    }

    /// When the wait is decided if there is no further output, in boot-time milliseconds; `None` if
    /// it does not wait for silence.
    pub fn due(&self, output: &Output, now: u64) -> Option<u64> {
        let quiet_since = self.quiet_since(output);
        let after = |ms: u64| quiet_since.saturating_add(ms);
        // After the last of these times, only a change of the input state decides.
        let turns = [TURN_LINE_MS, TURN_KEYS_MS, NOT_BEGUN_MS].map(after);
        let next_turn = turns.into_iter().find(|at| *at > now);
        let times = self
            .conditions
            .all()
            .filter_map(|condition| match condition {
                Compiled::Idle(ms) => Some(after(*ms)),
                Compiled::Turn | Compiled::LineTurn | Compiled::Command(_) => next_turn,
                _ => None,
            });
        times.min()
    }

    /// Start of the current silence: the last output, or the beginning of the wait if the session
    /// has never written.
    fn quiet_since(&self, output: &Output) -> u64 {
        let last = output.last_output_boot().unwrap_or(self.began);
        if self.silence_from_now {
            last.max(self.began)
        } else {
            last
        }
    }
}

/// What is known of a session when its conditions are checked.
struct SessionState<'a> {
    facts: WaitInputs<'a>,
    /// Whether it has ended, and its output was checked.
    is_over: bool,
    /// How long it has been silent, in milliseconds.
    quiet_ms: u64,
    /// How long its program has waited in the same read, in milliseconds.
    read_ms: Option<u64>,
    /// Whether the command that was typed into its shell has begun.
    has_begun: bool,
    /// The rows of its screen, if a condition is about them and they are complete.
    rows: Option<&'a [String]>,
    view: View,
}

impl SessionState<'_> {
    /// The first of these conditions that holds.
    fn first_met(&self, conditions: &[Compiled]) -> Option<Matched> {
        let mut numbered = conditions.iter().enumerate();
        numbered.find_map(|(index, condition)| self.meets(condition, index))
    }

    fn meets(&self, condition: &Compiled, index: usize) -> Option<Matched> {
        let facts = self.facts;
        let input = facts.input;
        let kind = match condition {
            Compiled::Pattern(pattern) if self.view == View::Screen => {
                let mut rows = (1..).zip(self.rows.into_iter().flatten());
                return rows.find_map(|(n, row)| found(pattern, index, Some(n), row, 0));
            }
            Compiled::Exit if self.is_over => "exit",
            Compiled::Input if waits(input) => INPUT,
            Compiled::Needed if needs(input) => INPUT,
            Compiled::Turn if !facts.listens && self.is_turn(turn_ms(input)) => INPUT,
            Compiled::LineTurn
                if needs(input) && !facts.listens && self.is_turn(Some(TURN_LINE_MS)) =>
            {
                INPUT
            }
            Compiled::Command(command)
                if self.is_turn(command_turn_ms(command, self.has_begun, facts)) =>
            {
                INPUT
            }
            Compiled::Changed(from) if facts.status != *from => "status",
            Compiled::Idle(ms) if self.is_quiet_for(Some(*ms)) && !facts.status.is_finished() => {
                "idleMs"
            }
            Compiled::Ready if facts.ready == Some(true) => "ready",
            Compiled::Late if facts.is_late => "late",
            Compiled::Port(port) if facts.ports.is_some_and(|ports| ports.contains(port)) => "port",
            Compiled::Gone(pattern)
                if self
                    .rows
                    .is_some_and(|rows| !rows.iter().any(|row| pattern.is_in(row))) =>
            {
                "gone"
            }
            _ => return None,
        };
        Some(Matched {
            input_state: (kind == INPUT).then_some(input),
            ..Matched::of(index, kind)
        })
    }

    /// Whether it is somebody else's turn after a silence of `ms`. For a line or a password it is also without one, once
    /// the read has lasted. Not if `ms` is `None`.
    fn is_turn(&self, ms: Option<u64>) -> bool {
        let has_lasted = self.read_ms.is_some_and(|ms| ms >= TURN_READ_MS);
        self.is_quiet_for(ms) || ms == Some(TURN_LINE_MS) && has_lasted && needs(self.facts.input)
    }

    /// Whether the session has been silent for so long; not if `ms` is `None`.
    fn is_quiet_for(&self, ms: Option<u64>) -> bool {
        ms.is_some_and(|ms| self.quiet_ms >= ms)
    }
}

/// How long a program that waits for input must have been quiet before it is somebody else's turn, in
/// milliseconds; `None` if it does not wait for input.
fn turn_ms(input: InputState) -> Option<u64> {
    match (waits(input), needs(input)) {
        (false, _) => None,
        (true, true) => Some(TURN_LINE_MS),
        (true, false) => Some(TURN_KEYS_MS),
    }
}

/// How long a session must have been quiet for it to be somebody else's turn while a command runs that was typed
/// into its shell, in milliseconds; `None` if the program does not wait for input.
///
/// A program that runs the shell elsewhere seems to wait for keys all the time, so that says nothing.
fn command_turn_ms(command: &TypedCommand, has_begun: bool, facts: WaitInputs<'_>) -> Option<u64> {
    match turn_ms(facts.input) {
        Some(_) if !has_begun => Some(NOT_BEGUN_MS),
        Some(_) if command.carrier.is_some() && facts.foreground == command.carrier => None,
        ms => ms,
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::engine::Now;
    use crate::protocol::status::Mode;
    use crate::term::plain::LayoutKind;

    #[test]
    fn a_question_is_found_although_another_thread_writes() {
        let size = Size::new(24, 80);
        let layout = Layout {
            size,
            kind: LayoutKind::Terminal,
        };
        let found_at = |facts: WaitInputs<'_>| {
            let conditions = Rc::new(Conditions::something_to_do(false, None));
            let mut matcher = Matcher::new(conditions, layout, Checkpoint::at(0), 0);
            let mut output = Output::new(Mode::Pty, size);
            (0..4000).step_by(20).find(|boot| {
                let now = Now {
                    boot: *boot,
                    ..Now::default()
                };
                output.feed(b"x\n", now);
                matcher.look(&mut output, facts, *boot).is_some()
            })
        };
        let asks = WaitInputs {
            input: InputState::Line,
            reads_since: Some(1000),
            ..WaitInputs::of(Status::Running)
        };
        assert_eq!(found_at(asks), Some(1000 + TURN_READ_MS));
        for facts in [
            // It reads and works in turn.
            WaitInputs {
                reads_since: None,
                ..asks
            },
            WaitInputs {
                listens: true,
                ..asks
            },
            // A screen is drawn while keys are read.
            WaitInputs {
                input: InputState::Tui,
                ..asks
            },
        ] {
            assert_eq!(found_at(facts), None, "{facts:?}");
        }
    }
}
