//! The life of a session: its status from start to end, and how it ended.

mod actor;
mod again;
mod end;
mod ending;
mod readiness;
mod shell_lines;

use serde::{Deserialize, Serialize};

use super::Now;
use crate::protocol::cause::Cause;
use crate::protocol::keeper::Exit;
use crate::protocol::run::{EndedBy, EndedByKind, Run};
use crate::protocol::{Status, Timestamp};
pub use actor::Actor;
use actor::reason;
use again::Again;
pub use again::RestartRequest;
use end::End;
use ending::{Ending, KILL};
pub use readiness::Probed;
use readiness::Readiness;
use shell_lines::ShellLines;

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
    /// How the latest run has ended.
    #[serde(flatten)]
    end: End,
    restarts: u32,
    runs: Vec<Run>,
    /// How the current run is being ended.
    #[serde(flatten)]
    ending: Ending,
    /// What runs it again.
    #[serde(flatten)]
    again: Again,
    /// Whether the current run is ready.
    #[serde(flatten)]
    readiness: Readiness,
    /// The shell lines of its file that run beside it.
    #[serde(flatten)]
    lines: ShellLines,
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
            end: End::default(),
            restarts: 0,
            runs: Vec::new(),
            ending: Ending::default(),
            again: Again::default(),
            readiness: Readiness::default(),
            lines: ShellLines::default(),
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
        self.end.forget_if_it_never_ran();
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
        self.ending.by = None;
    }

    /// What ran it elsewhere says how it ended, which the exit of its program does not show.
    pub fn ended_elsewhere(&mut self, status: Option<Status>, why: Option<String>) {
        if let Some(status) = status {
            self.status = status;
            if let Some(run) = self.runs.last_mut() {
                run.lost = status == Status::Lost;
            }
            let by = self.end.by.as_ref().map(|by| by.kind);
            if status == Status::TimedOut && by == Some(EndedByKind::Itself) {
                self.end.by = Some(EndedBy::of(EndedByKind::Timeout));
            }
        }
        if let Some(why) = why {
            self.end.explain(why);
        }
    }

    /// A run begins. Only what is named here is known of the time before.
    fn begin(&mut self, pid: Option<u32>, offset: u64, now: Now) {
        let before = std::mem::replace(self, Self::new(now));
        self.status = Status::Running;
        self.pid = pid;
        self.last_pid = pid;
        self.created_at = before.created_at;
        self.again = before.again.begun();
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
        let end = End {
            at: Some(now.wall),
            // Its last process is still that of the run before.
            boot: self.end.boot,
            runtime_ms: Some(0),
            reason: Some(why),
            by: by.map(Actor::ended_by),
            ..End::default()
        };
        self.finish(status, end);
        self.ending.kill_at = None;
    }

    /// Its first process was stopped or continued. Returns true if the status changed. One that is being ended may be
    /// held until the others have ended, which is no pause.
    pub fn set_paused(&mut self, paused: bool) -> bool {
        if paused && self.ending.by.is_some() {
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
        let asked = self.ending.by.take();
        let ours = self.ending.take_sender(exit.signal);
        let status = match (&asked, &ours, exit.exit_code) {
            (Some(Actor::TimeLimit(_)), ..) => Status::TimedOut,
            (Some(Actor::Unready(_)), ..) => Status::Error,
            (Some(_), ..) | (None, Some(_), _) => Status::Killed,
            (None, None, Some(code)) if is_success(code, ok_codes) => Status::Done,
            (None, None, None) if exit.signal.is_none() => Status::Lost,
            _ => Status::Error,
        };
        let is_ours = asked.is_some() || ours.is_some();
        // If bgproc ended it on request, report the request and not the limit.
        let limit = exit.limit.as_ref().filter(|_| !is_ours);
        let is_late = self.ending.take_outlived_grace(exit.signal);
        let why = reason(asked.as_ref(), exit, signal_name.as_deref(), is_late);
        let is_killed = exit.signal == Some(KILL) && !is_ours;
        let why = match limit {
            Some(limit) => format!("it reached its limit `{limit}` ({why})"),
            // The kernel has killed some process for lack of memory; that it was this one is likely, not certain.
            None if is_killed && exit.out_of_memory => format!("{why} (out of memory?)"),
            None => why,
        };
        let by = asked.or(ours).map(|by| by.ended_by());
        let by = by.unwrap_or_else(|| {
            EndedBy::of(match limit {
                Some(_) => EndedByKind::Limit,
                None => EndedByKind::Itself,
            })
        });
        // The keeper knows of the end of a short run before the daemon knows of its start.
        let at = exit.ended_at.max(self.started_at);
        // Use the time that the keeper recorded: the daemon may have learned of the end much later.
        let ended = Now {
            boot: now.boot,
            wall: exit.ended_at,
        };
        let boot = ended.carried_over(now).boot;
        let end = End {
            at: Some(at),
            boot: Some(boot),
            runtime_ms: Some(boot.saturating_sub(self.started_boot)),
            exit_code: exit.exit_code,
            signal: exit.signal,
            reason: Some(why),
            by: Some(by),
        };
        self.finish(status, end);
        if let Some(run) = self.runs.last_mut() {
            run.ended_at = Some(at);
            run.exit_code = exit.exit_code;
            run.signal = signal_name;
            run.lost = status == Status::Lost;
        }
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
        let end = End {
            at: Some(now.wall),
            // If the boot clock is before `started_boot`, the machine was restarted.
            runtime_ms: Some(now.boot.saturating_sub(self.started_boot)),
            reason: Some(why.to_owned()),
            // Who was ending it has wanted the end.
            by: self.ending().map(Actor::ended_by),
            ..End::default()
        };
        self.finish(Status::Lost, end);
    }

    fn finish(&mut self, status: Status, end: End) {
        self.status = status;
        self.pid = None;
        self.end = end;
        self.ending.by = None;
    }

    /// Its status.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Pid of its first process while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Forgets process ids, because the machine was restarted and they are no longer valid.
    pub fn forget_processes(&mut self) {
        self.last_pid = None;
        self.ending.forget_times();
    }

    /// A record that names a first process of a session that has ended is wrong: the pid is of another process by now.
    pub fn forget_pid_of_ended(&mut self) {
        if self.status.is_finished() {
            self.pid = None;
        }
    }

    /// When it was created.
    pub fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// When the current run began, in boot-time milliseconds.
    pub fn started_boot(&self) -> u64 {
        self.started_boot
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
