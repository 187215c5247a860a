//! The life of a session: its status from start to end, and how it ended.

mod actor;
mod again;

use serde::{Deserialize, Serialize};

use super::Now;
use super::retry::Retry;
use crate::protocol::cause::Cause;
use crate::protocol::keeper::Exit;
use crate::protocol::run::{EndedBy, EndedByKind, Run};
use crate::protocol::{Status, Timestamp};
pub use actor::Actor;
use actor::{UNKNOWN_END, reason};
pub use again::RestartRequest;

/// Number of SIGKILL, the signal that cannot be caught.
const KILL: i32 = 9;

/// Maximum number of runs kept; the oldest are dropped.
const MAX_RUNS: usize = 100;

/// Whether an exit code is a success: one of `ok_codes`; if there are none, 0.
pub(super) fn is_success(code: i32, ok_codes: &[i32]) -> bool {
    match ok_codes {
        [] => code == 0,
        _ => ok_codes.contains(&code),
    }
}

/// Status of a session, and how it got there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Life {
    status: Status,
    pid: Option<u32>,
    /// Pid of the first process of the latest run, kept after its end.
    #[serde(default)]
    last_pid: Option<u32>,
    created_at: Timestamp,
    started_at: Timestamp,
    started_boot: u64,
    ended_at: Option<Timestamp>,
    /// When its first process ended, in boot-time milliseconds.
    #[serde(default)]
    ended_boot: Option<u64>,
    runtime_ms: Option<u64>,
    exit_code: Option<i32>,
    signal: Option<i32>,
    reason: Option<String>,
    ended_by: Option<EndedBy>,
    restarts: u32,
    runs: Vec<Run>,
    /// Who asked it to end, while the ending is in progress.
    ending: Option<Actor>,
    /// Until when it may end by itself, in boot-time milliseconds, because its file says how it is asked to end. A new
    /// daemon keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked_until: Option<u64>,
    /// When its remaining processes get KILL, in boot-time milliseconds. Set from the first signal
    /// until no process is left; a new daemon keeps it.
    #[serde(default)]
    kill_at: Option<u64>,
    /// Who has asked for the next run, if it is ended only to run again. A new daemon goes on from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    again: Option<RestartRequest>,
    /// The last signal that bgproc sent to this run, and who asked for it.
    last_signal: Option<(i32, Actor)>,
    /// The other signals that bgproc sent to this run before, each with who asked for it last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    earlier_signals: Vec<(i32, Actor)>,
    /// Whether this run has outlived the grace period of its ending, so that it got KILL.
    #[serde(default, skip_serializing_if = "crate::protocol::keeper::is_false")]
    outlived_grace: bool,
    /// State of its restart policy; absent until the policy has taken effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry: Option<Retry>,
    /// Why the last run ended, without the note that it is run again; empty if there is no reason. Set while it is
    /// `retrying`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason_before_retry: Option<String>,
    /// Result of the readiness probe in this run; absent while it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    probed: Option<Probed>,
    /// Since when it is not ready any more, in boot-time milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unready_since: Option<u64>,
    /// Whether its `onExit` has still to be run.
    #[serde(default, skip_serializing_if = "crate::protocol::keeper::is_false")]
    owes_on_exit: bool,
    /// Why its `onExit` failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on_exit_failure: Option<String>,
    /// Why the shell line failed that was to stop this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stop_failure: Option<String>,
    /// Which line failed that was run because something happened to this run, and how; the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hook_failure: Option<String>,
}

/// Result of a probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Probed {
    /// The probe held.
    Ready,
    /// The probe did not hold within its time limit. It continues.
    Late,
    /// The probe held, and does not any more. It continues.
    Lost,
}

impl Life {
    /// A session that is about to start.
    pub fn new(now: Now) -> Self {
        Self {
            status: Status::Starting,
            pid: None,
            last_pid: None,
            created_at: now.wall,
            started_at: now.wall,
            started_boot: now.boot,
            ended_at: None,
            ended_boot: None,
            runtime_ms: None,
            exit_code: None,
            signal: None,
            reason: None,
            ended_by: None,
            restarts: 0,
            runs: Vec::new(),
            ending: None,
            asked_until: None,
            kill_at: None,
            again: None,
            last_signal: None,
            earlier_signals: Vec::new(),
            outlived_grace: false,
            retry: None,
            reason_before_retry: None,
            probed: None,
            unready_since: None,
            owes_on_exit: false,
            on_exit_failure: None,
            stop_failure: None,
            hook_failure: None,
        }
    }

    /// A session whose program runs later, when it is its turn.
    pub fn queued(now: Now) -> Self {
        Self {
            status: Status::Queued,
            ..Self::new(now)
        }
    }

    /// A session that has ended waits for its next run, or for its first one again.
    pub fn queue(&mut self) {
        if !self.status.is_finished() {
            return;
        }
        self.status = Status::Queued;
        // How it left the queue before does not count any more. How its last run ended does.
        let has_run = self.exit_code.is_some() || self.signal.is_some();
        if !has_run && self.runtime_ms == Some(0) {
            (self.ended_at, self.ended_boot, self.runtime_ms) = (None, None, None);
            (self.reason, self.ended_by) = (None, None);
        }
    }

    /// A session that waits for its turn gets none: it ends as `by` wants. Returns false if it did not wait.
    pub fn leave_queue(&mut self, by: Option<&Actor>, why: &str, now: Now) -> bool {
        if self.status != Status::Queued {
            return false;
        }
        let status = match by {
            Some(_) => Status::Killed,
            None => Status::Error,
        };
        self.end_before_it_ran(status, by, why.to_owned(), now);
        true
    }

    /// Its first process runs. The output of this run begins at `offset`.
    pub fn started(&mut self, pid: u32, offset: u64, now: Now) {
        self.begin(Some(pid), offset, now);
    }

    /// It runs on another machine, where its processes are of no concern here.
    pub fn placed(&mut self, offset: u64, now: Now) {
        self.begin(None, offset, now);
    }

    /// It waits for its next run: what ran it has put it into a queue again.
    pub fn requeued(&mut self, now: Now) {
        if let Some(run) = self.runs.last_mut() {
            run.ended_at.get_or_insert(now.wall);
        }
        self.status = Status::Queued;
        self.pid = None;
        self.ending = None;
    }

    /// What ran it elsewhere says how it ended, which the exit of its program does not show.
    pub fn ended_elsewhere(&mut self, status: Option<Status>, why: Option<String>) {
        if let Some(status) = status {
            self.status = status;
            if let Some(run) = self.runs.last_mut() {
                run.lost = status == Status::Lost;
            }
        }
        if let Some(why) = why {
            self.reason = Some(
                match self.reason.take().filter(|reason| reason != UNKNOWN_END) {
                    Some(reason) => format!("{why}; {reason}"),
                    None => why,
                },
            );
        }
    }

    /// It was asked to end, but what runs it refuses.
    pub fn goes_on(&mut self) {
        if self.status == Status::Stopping {
            self.status = Status::Running;
        }
        self.ending = None;
    }

    /// A run begins. Only what is named here is known of the time before.
    fn begin(&mut self, pid: Option<u32>, offset: u64, now: Now) {
        let before = std::mem::replace(self, Self::new(now));
        self.status = Status::Running;
        self.pid = pid;
        self.last_pid = pid;
        self.created_at = before.created_at;
        self.retry = before.retry.map(|retry| Retry { at: None, ..retry });
        self.restarts = before.restarts + u32::from(!before.runs.is_empty());
        self.runs = before.runs;
        if let Some(last) = self.runs.last_mut() {
            // Nobody may have seen its end.
            last.ended_at.get_or_insert(now.wall);
        }
        let run = self.runs.last().map_or(1, |last| last.run + 1);
        if self.runs.len() == MAX_RUNS {
            self.runs.remove(0);
        }
        // Most sessions have one run, and a `Vec` would otherwise reserve room for four.
        self.runs.reserve_exact(1);
        self.runs.push(Run::begun(run, offset, now.wall));
    }

    /// The output of the current run begins at this offset, which is known only now.
    pub fn output_begins_at(&mut self, offset: u64) {
        if let Some(run) = self.runs.last_mut() {
            run.offset = offset;
        }
    }

    /// Sets the number of the first line of the current run.
    pub fn set_first_line(&mut self, line: u64) {
        if let Some(run) = self.runs.last_mut() {
            run.first_line = Some(line);
        }
    }

    /// Sets why the current run was started, if nobody has asked for it.
    pub fn set_cause(&mut self, why: Option<Cause>) {
        if let Some(run) = self.runs.last_mut() {
            run.because = why.map(String::from);
        }
    }

    /// Sets what the current run runs, as [`super::meta::Spec::definition`] says it.
    pub fn set_definition(&mut self, definition: String) {
        if let Some(run) = self.runs.last_mut() {
            run.definition = Some(definition);
        }
    }

    /// A restart failed.
    pub fn failed_to_start(&mut self, why: &str, now: Now) {
        let why = format!("it could not be started: {why}");
        self.end_before_it_ran(Status::Error, None, why, now);
    }

    /// It ends without a run that began. How the run before ended is in the list of runs only: this end has no code
    /// and no signal.
    fn end_before_it_ran(&mut self, status: Status, by: Option<&Actor>, why: String, now: Now) {
        self.end(status, now);
        self.runtime_ms = Some(0);
        (self.exit_code, self.signal, self.kill_at) = (None, None, None);
        self.ended_by = by.map(Actor::ended_by);
        self.reason = Some(why);
    }

    /// An actor asks it to end. Returns false if it is not alive or is already ending. A request goes before a limit: it
    /// ends the restart policy, too.
    pub fn ask_to_end(&mut self, by: Actor) -> bool {
        if !by.is_limit() && self.ending.as_ref().is_some_and(Actor::is_limit) {
            self.ending = Some(by);
            return true;
        }
        if !self.status.has_process() || self.ending.is_some() {
            return false;
        }
        self.status = Status::Stopping;
        self.ending = Some(by);
        true
    }

    /// An actor asks it to end in the way of its file: it has until `until` (boot-time milliseconds) to end by itself.
    pub fn ask_to_end_until(&mut self, by: Actor, until: u64) {
        if self.ask_to_end(by) {
            self.asked_until = Some(until);
        }
    }

    /// The first signal of its ending was sent. Processes that are left at `kill_at` (boot-time
    /// milliseconds) get KILL. If a time was set before, the earlier one applies.
    pub fn grace_began(&mut self, kill_at: u64) {
        self.kill_at = Some(self.kill_at.map_or(kill_at, |at| at.min(kill_at)));
        // If the signal was KILL, it was asked for, and no grace period is over.
        self.outlived_grace = false;
    }

    /// Its ending is complete. `refused` names the processes that could not be ended.
    pub fn grace_ended(&mut self, refused: Option<String>) {
        self.kill_at = None;
        // A finished session already has another reason.
        if self.ending.is_some() && refused.is_some() {
            self.reason = refused;
        }
    }

    /// The shell line that was to stop it failed. It is ended by signals then.
    pub fn stop_line_failed(&mut self, why: String) {
        self.stop_failure = Some(why);
    }

    /// Why the shell line failed that was to stop the last run.
    pub fn stop_failure(&self) -> Option<&str> {
        self.stop_failure.as_deref()
    }

    /// A line failed that was run because something happened to it. `what` is which one: `on.ready line`.
    pub fn hook_failed(&mut self, what: &str, why: &str) {
        self.hook_failure = Some(format!("its {what} failed: {why}"));
    }

    /// Which such line of this run failed last, and why.
    pub fn hook_failure(&self) -> Option<&str> {
        self.hook_failure.as_deref()
    }

    /// Records that bgproc sent it a signal. It may die of one that was sent before: a stopped program gets it only
    /// once it is continued.
    pub fn signalled(&mut self, signal: i32, by: Actor) {
        self.outlived_grace |= signal == KILL && self.kill_at.is_some();
        self.earlier_signals.extend(self.last_signal.take());
        self.earlier_signals.retain(|(sent, _)| *sent != signal);
        self.last_signal = Some((signal, by));
    }

    /// Takes who asked for this signal, if bgproc sent it to this run.
    fn take_sender(&mut self, signal: Option<i32>) -> Option<Actor> {
        let earlier = std::mem::take(&mut self.earlier_signals);
        let mut sent = self.last_signal.take().into_iter().chain(earlier);
        let found = sent.find(|(sent, _)| Some(*sent) == signal);
        found.map(|(_, by)| by)
    }

    /// Its first process was stopped or continued. Returns true if the status changed. One that is being ended may be
    /// held until the others have ended, which is no pause.
    pub fn set_paused(&mut self, paused: bool) -> bool {
        if paused && self.ending.is_some() {
            return false;
        }
        let (from, to) = if paused {
            (Status::Running, Status::Paused)
        } else {
            (Status::Paused, Status::Running)
        };
        let news = self.status == from;
        if news {
            self.status = to;
        }
        news
    }

    /// Its first process ended. The exit codes in `ok_codes` are success; if there are none, 0 is.
    pub fn ended(&mut self, exit: &Exit, signal_name: Option<String>, ok_codes: &[i32], now: Now) {
        let asked = self.ending.take();
        let ours = self.take_sender(exit.signal);
        let status = match (&asked, &ours, exit.exit_code) {
            (Some(Actor::TimeLimit(_)), ..) => Status::TimedOut,
            (Some(Actor::Unready(_)), ..) => Status::Error,
            (Some(_), ..) | (None, Some(_), _) => Status::Killed,
            (None, None, Some(code)) if is_success(code, ok_codes) => Status::Done,
            (None, None, None) if exit.signal.is_none() => Status::Lost,
            _ => Status::Error,
        };
        self.end(status, now);
        // The keeper knows of the end of a short run before the daemon knows of its start.
        let ended_at = exit.ended_at.max(self.started_at);
        self.ended_at = Some(ended_at);
        let ended = Now {
            boot: now.boot,
            wall: exit.ended_at,
        };
        let ended_boot = ended.carried_over(now).boot;
        self.ended_boot = Some(ended_boot);
        // Use the time that the keeper recorded: the daemon may have learned of the end much later.
        self.runtime_ms = Some(ended_boot.saturating_sub(self.started_boot));
        self.exit_code = exit.exit_code;
        self.signal = exit.signal;
        let is_ours = asked.is_some() || ours.is_some();
        // If bgproc ended it on request, report the request and not the limit.
        let limit = exit.limit.as_ref().filter(|_| !is_ours);
        let is_late = exit.signal == Some(KILL) && std::mem::take(&mut self.outlived_grace);
        let why = reason(asked.as_ref(), exit, signal_name.as_deref(), is_late);
        let is_killed = exit.signal == Some(KILL) && !is_ours;
        self.reason = Some(match limit {
            Some(limit) => format!("it reached its limit `{limit}` ({why})"),
            // The kernel has killed some process for lack of memory; that it was this one is likely, not certain.
            None if is_killed && exit.out_of_memory => format!("{why} (out of memory?)"),
            None => why,
        });
        let by = asked.or(ours).map(|by| by.ended_by());
        self.ended_by = Some(by.unwrap_or(EndedBy {
            kind: match limit {
                Some(_) => EndedByKind::Limit,
                None => EndedByKind::Itself,
            },
            scope: None,
        }));
        if let Some(run) = self.runs.last_mut() {
            run.ended_at = Some(ended_at);
            run.exit_code = exit.exit_code;
            run.signal = signal_name;
            run.lost = status == Status::Lost;
        }
    }

    fn add_reason(&mut self, note: &str) {
        self.reason = Some(match self.reason.take() {
            Some(reason) => format!("{reason}; {note}"),
            None => note.to_owned(),
        });
    }

    /// It ended, but no process could observe how: its keeper was killed, or the machine was
    /// restarted.
    pub fn lost(&mut self, why: &str, now: Now) {
        let is_running = |run: &&mut Run| run.ended_at.is_none();
        let Some(run) = self.runs.last_mut().filter(is_running) else {
            // A session that waited for its next run has lost none.
            return self.end_before_it_ran(Status::Lost, None, why.to_owned(), now);
        };
        run.ended_at = Some(now.wall);
        run.lost = true;
        // Who was ending it has wanted the end.
        self.ended_by = self.ending.as_ref().map(Actor::ended_by);
        self.end(Status::Lost, now);
        self.reason = Some(why.to_owned());
    }

    fn end(&mut self, status: Status, now: Now) {
        self.status = status;
        self.pid = None;
        self.ended_at = Some(now.wall);
        // If the boot clock is before `started_boot`, the machine was restarted.
        self.runtime_ms = Some(now.boot.saturating_sub(self.started_boot));
        self.ending = None;
    }

    /// Its status.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Pid of its first process while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Pid of the first process of the latest run, and when that process ended, in boot-time
    /// milliseconds.
    pub fn last_process(&self) -> Option<(u32, u64)> {
        Some((self.last_pid?, self.ended_boot?))
    }

    /// Forgets process ids, because the machine was restarted and they are no longer valid.
    pub fn forget_processes(&mut self) {
        self.last_pid = None;
        self.asked_until = None;
        self.kill_at = None;
    }

    /// A record that names a first process of a session that has ended is wrong: the pid is of another process by now.
    pub fn forget_pid_of_ended(&mut self) {
        if self.status.is_finished() {
            self.pid = None;
        }
    }

    /// Exit code; `None` if it died of a signal or has not ended.
    pub fn exit_code(&self) -> Option<i32> {
        self.exit_code
    }

    /// Number of the signal that it died of.
    pub fn signal(&self) -> Option<i32> {
        self.signal
    }

    /// Why it ended as it did.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Why it ended, if it has no exit code and no signal that would say it.
    pub fn reason_without_end(&self) -> Option<&str> {
        let has_end = self.exit_code.is_some() || self.signal.is_some();
        self.reason().filter(|_| !has_end)
    }

    /// Who ended it.
    pub fn ended_by(&self) -> Option<&EndedBy> {
        self.ended_by.as_ref()
    }

    /// Who asked it to end, while the ending is in progress.
    pub fn ending(&self) -> Option<&Actor> {
        self.ending.as_ref()
    }

    /// Until when it may end by itself, in boot-time milliseconds, if its file says how it is asked to end.
    pub fn asked_until(&self) -> Option<u64> {
        self.asked_until
    }

    /// When its remaining processes get KILL, in boot-time milliseconds.
    pub fn kill_at(&self) -> Option<u64> {
        self.kill_at
    }

    /// When it was created.
    pub fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// When it ended.
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.ended_at
    }

    /// When the current run began, in boot-time milliseconds.
    pub fn started_boot(&self) -> u64 {
        self.started_boot
    }

    /// Duration of the current or last run, in milliseconds.
    pub fn runtime_ms(&self, now: Now) -> u64 {
        self.runtime_ms
            .unwrap_or_else(|| now.boot.saturating_sub(self.started_boot))
    }

    /// Number of restarts.
    pub fn restarts(&self) -> u32 {
        self.restarts
    }

    /// Its runs, oldest first.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
