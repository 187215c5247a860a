//! The life of a session: from asked for to ended, and how.

mod again;

use serde::{Deserialize, Serialize};

use super::Now;
use super::retry::Retry;
use crate::protocol::keeper::Exit;
use crate::protocol::record::{EndedBy, EndedByKind, Run};
use crate::protocol::{Scope, Status, Timestamp};

/// Number of the signal that cannot be caught.
const KILL: i32 = 9;

/// Runs remembered; older ones are forgotten.
const MAX_RUNS: usize = 100;

/// Who does something to a session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Actor {
    /// An agent of this scope.
    Agent(Scope),
    /// A person.
    Human,
    /// Its time limit, in milliseconds.
    TimeLimit(u64),
}

impl Actor {
    /// As a reason names it.
    fn name(&self) -> String {
        match self {
            Self::Agent(scope) => format!("agent {scope}"),
            Self::Human => "a person".to_owned(),
            Self::TimeLimit(_) => "its time limit".to_owned(),
        }
    }

    /// As the record says it.
    pub fn ended_by(&self) -> EndedBy {
        match self {
            Self::Agent(scope) => EndedBy {
                kind: EndedByKind::Agent,
                scope: Some(scope.clone()),
            },
            Self::Human => EndedBy {
                kind: EndedByKind::Human,
                scope: Some(Scope::human()),
            },
            Self::TimeLimit(_) => EndedBy {
                kind: EndedByKind::Timeout,
                scope: None,
            },
        }
    }
}

/// Where a session is in its life, and what is known of how it got there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Life {
    status: Status,
    pid: Option<u32>,
    /// Pid of the first process of the latest run, also after its end.
    #[serde(default)]
    last_pid: Option<u32>,
    created_at: Timestamp,
    started_at: Timestamp,
    started_boot: u64,
    ended_at: Option<Timestamp>,
    /// When its first process had ended, in boot-time milliseconds.
    #[serde(default)]
    ended_boot: Option<u64>,
    runtime_ms: Option<u64>,
    exit_code: Option<i32>,
    signal: Option<i32>,
    reason: Option<String>,
    ended_by: Option<EndedBy>,
    restarts: u32,
    runs: Vec<Run>,
    /// Who asked it to end, while that is under way.
    ending: Option<Actor>,
    /// When what is left of its processes gets KILL, in boot-time milliseconds:
    /// from the first signal until nobody is left, whichever daemon is there.
    #[serde(default)]
    kill_at: Option<u64>,
    /// The signal that bgproc sent last to this run, and who asked for it.
    last_signal: Option<(i32, Actor)>,
    /// Where it is with its restart policy; absent until that has taken effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry: Option<Retry>,
    /// How far its probe has come in this run; absent: it looks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    probed: Option<Probed>,
    /// Whether its `onExit` has still to be run.
    #[serde(default, skip_serializing_if = "crate::protocol::keeper::is_false")]
    owes_on_exit: bool,
    /// What went wrong with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on_exit_failure: Option<String>,
}

/// How a probe came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Probed {
    /// It held.
    Ready,
    /// It has not held in the time it had, and is still looked at.
    Late,
}

impl Life {
    /// A session that was asked for.
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
            kill_at: None,
            last_signal: None,
            retry: None,
            probed: None,
            owes_on_exit: false,
            on_exit_failure: None,
        }
    }

    /// Its first process runs; output of this run begins at `offset`.
    pub fn started(&mut self, pid: u32, offset: u64, now: Now) {
        if !self.runs.is_empty() {
            self.restarts += 1;
        }
        let run = self.runs.last().map_or(1, |last| last.run + 1);
        if self.runs.len() == MAX_RUNS {
            self.runs.remove(0);
        }
        // Most sessions have one run, and a list begins with room for four.
        self.runs.reserve_exact(1);
        self.runs.push(Run {
            run,
            offset,
            started_at: now.wall,
            ended_at: None,
            exit_code: None,
            signal: None,
        });
        self.status = Status::Running;
        self.pid = Some(pid);
        self.last_pid = Some(pid);
        self.started_at = now.wall;
        self.started_boot = now.boot;
        self.ended_at = None;
        self.ended_boot = None;
        self.runtime_ms = None;
        self.exit_code = None;
        self.signal = None;
        self.reason = None;
        self.ended_by = None;
        self.ending = None;
        self.kill_at = None;
        self.last_signal = None;
        if let Some(retry) = &mut self.retry {
            retry.at = None;
        }
        self.probed = None;
        self.owes_on_exit = false;
        self.on_exit_failure = None;
    }

    /// It could not be started again.
    pub fn failed_to_start(&mut self, why: &str, now: Now) {
        self.end(Status::Error, now);
        self.reason = Some(format!("it could not be started: {why}"));
    }

    /// Somebody asked it to end. False if somebody did before.
    pub fn ask_to_end(&mut self, by: Actor) -> bool {
        if !self.status.is_alive() || self.ending.is_some() {
            return false;
        }
        self.status = Status::Stopping;
        self.ending = Some(by);
        true
    }

    /// The first signal of its ending is out: what is there at `kill_at` gets
    /// KILL. An earlier time holds if two have asked.
    pub fn grace_began(&mut self, kill_at: u64) {
        self.kill_at = Some(self.kill_at.map_or(kill_at, |at| at.min(kill_at)));
    }

    /// Its processes were ended, all but those that `refused` says could not be.
    pub fn grace_ended(&mut self, refused: Option<String>) {
        self.kill_at = None;
        // A session that has ended has another reason already.
        if self.ending.is_some() && refused.is_some() {
            self.reason = refused;
        }
    }

    /// bgproc has sent it a signal.
    pub fn signalled(&mut self, signal: i32, by: Actor) {
        self.last_signal = Some((signal, by));
    }

    /// Its first process is stopped, or goes on. True if that is news.
    pub fn set_paused(&mut self, paused: bool) -> bool {
        let (from, to) = match paused {
            true => (Status::Running, Status::Paused),
            false => (Status::Paused, Status::Running),
        };
        let news = self.status == from;
        if news {
            self.status = to;
        }
        news
    }

    /// Its first process has ended.
    pub fn ended(&mut self, exit: &Exit, signal_name: Option<String>, now: Now) {
        let asked = self.ending.take();
        let ours = self
            .last_signal
            .take()
            .filter(|(signal, _)| Some(*signal) == exit.signal);
        let status = match (&asked, &ours, exit.exit_code) {
            (Some(Actor::TimeLimit(_)), ..) => Status::TimedOut,
            (Some(_), ..) | (None, Some(_), _) => Status::Killed,
            (None, None, Some(0)) => Status::Done,
            (None, None, None) if exit.signal.is_none() => Status::Lost,
            _ => Status::Error,
        };
        self.end(status, now);
        self.ended_at = Some(exit.ended_at);
        let ended = Now {
            boot: now.boot,
            wall: exit.ended_at,
        };
        let ended_boot = ended.carried_over(now).boot;
        self.ended_boot = Some(ended_boot);
        // It may have ended a while before anybody was there to be told.
        self.runtime_ms = Some(ended_boot.saturating_sub(self.started_boot));
        self.exit_code = exit.exit_code;
        self.signal = exit.signal;
        let is_ours = asked.is_some() || ours.is_some();
        // Whoever asked for its end has more to do with it than a limit.
        let limit = exit.limit.as_ref().filter(|_| !is_ours);
        let why = reason(asked.as_ref(), exit, signal_name.as_deref());
        let why = match limit {
            Some(limit) => format!("it reached its limit `{limit}` ({why})"),
            None => why,
        };
        self.reason = Some(match exit.signal {
            _ if limit.is_some() => why,
            // Nobody here sent it, and the kernel sends it for one reason.
            Some(KILL) if !is_ours => format!("{why} (out of memory?)"),
            _ => why,
        });
        let by = asked.or(ours.map(|(_, by)| by)).map(|by| by.ended_by());
        self.ended_by = Some(by.unwrap_or(EndedBy {
            kind: match limit {
                Some(_) => EndedByKind::Limit,
                None => EndedByKind::Itself,
            },
            scope: None,
        }));
        if let Some(run) = self.runs.last_mut() {
            run.ended_at = Some(exit.ended_at);
            run.exit_code = exit.exit_code;
            run.signal = signal_name;
        }
    }

    fn add_reason(&mut self, note: &str) {
        self.reason = Some(match self.reason.take() {
            Some(reason) => format!("{reason}; {note}"),
            None => note.to_owned(),
        });
    }

    /// It ended while nothing was there to see how.
    pub fn lost(&mut self, why: &str, now: Now) {
        self.end(Status::Lost, now);
        self.reason = Some(why.to_owned());
    }

    fn end(&mut self, status: Status, now: Now) {
        self.status = status;
        self.pid = None;
        self.ended_at = Some(now.wall);
        // A boot-time clock that is behind belongs to a later boot.
        self.runtime_ms = Some(now.boot.saturating_sub(self.started_boot));
        self.ending = None;
    }

    /// Where it is.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Pid of its first process while there is one.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Pid that the first process of the latest run had, and when that had ended
    /// in boot-time milliseconds.
    pub fn last_process(&self) -> Option<(u32, u64)> {
        Some((self.last_pid?, self.ended_boot?))
    }

    /// The machine was started again: no number means any process of it.
    pub fn forget_processes(&mut self) {
        self.last_pid = None;
        self.kill_at = None;
    }

    /// Exit code.
    pub fn exit_code(&self) -> Option<i32> {
        self.exit_code
    }

    /// Number of the signal it died of.
    pub fn signal(&self) -> Option<i32> {
        self.signal
    }

    /// Why it ended as it did.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Who ended it.
    pub fn ended_by(&self) -> Option<&EndedBy> {
        self.ended_by.as_ref()
    }

    /// Who asked it to end, while that is under way.
    pub fn ending(&self) -> Option<&Actor> {
        self.ending.as_ref()
    }

    /// When what is left of its processes gets KILL, in boot-time milliseconds.
    pub fn kill_at(&self) -> Option<u64> {
        self.kill_at
    }

    /// When it was made.
    pub fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// When it ended.
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.ended_at
    }

    /// When this run began, in boot-time milliseconds.
    pub fn started_boot(&self) -> u64 {
        self.started_boot
    }

    /// How long it ran, or has been running, in milliseconds.
    pub fn runtime_ms(&self, now: Now) -> u64 {
        self.runtime_ms
            .unwrap_or_else(|| now.boot.saturating_sub(self.started_boot))
    }

    /// How often it was restarted.
    pub fn restarts(&self) -> u32 {
        self.restarts
    }

    /// Its runs, oldest first.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }
}

fn reason(asked: Option<&Actor>, exit: &Exit, signal: Option<&str>) -> String {
    let how = match (exit.exit_code, signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) if exit.core_dumped => format!("{signal}, core dumped"),
        (None, Some(signal)) => signal.to_owned(),
        (None, None) => "its keeper had been killed, and how it ended is not known".to_owned(),
    };
    match asked {
        Some(Actor::TimeLimit(ms)) => {
            let limit = match ms % 1000 {
                0 => format!("{} s", ms / 1000),
                _ => format!("{ms} ms"),
            };
            format!("it reached its time limit of {limit} ({how})")
        }
        Some(Actor::Human) => format!("a person ended it ({how})"),
        Some(Actor::Agent(scope)) => format!("agent {scope} ended it ({how})"),
        None => how,
    }
}

#[cfg(test)]
mod tests;
