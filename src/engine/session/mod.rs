//! One session: what it runs, its life, its output and its retention. `probing` finds out whether it is ready, and
//! `record` is what clients are told of it.

mod probing;
mod record;

use std::cell::Cell;

use super::Now;
use super::batch::Batch;
use super::input::{InputWatch, Situation};
use super::lease::Lease;
use super::life::Life;
use super::meta::{Meta, Spec, TimeLimits};
use super::output::Output;
use super::readiness::{Readiness, Refusal};
use super::report::{Report, Written};
use crate::protocol::keeper::InputReport;
use crate::protocol::record::Share;
use crate::protocol::status::InputState;
use crate::protocol::{Probe, Scope, SessionId};
use crate::term::size::Size;

/// The default TTL of all sessions before people's sessions were kept until room is needed.
const FORMER_TTL_MS: u64 = 1_800_000;

/// How long every ended session is kept at least, in milliseconds, so that clients that have started it or wait for its
/// end can read how it ended.
const LEAST_TTL_MS: u64 = 300;

/// Output size, in bytes, above which replies point to the log file.
const OFFLOAD_BYTES: u64 = 10 * 1024;

/// One session.
pub struct Session {
    /// Id of the session.
    pub id: SessionId,
    /// Scope that owns it.
    pub scope: Scope,
    /// Idempotency key.
    pub key: Option<String>,
    /// What it runs.
    pub spec: Spec,
    /// Its time limits.
    pub time_limits: TimeLimits,
    /// State of its life.
    pub life: Life,
    /// Its output.
    pub output: Output,
    /// Input state of its program.
    pub input: InputWatch,
    /// What its program last reported of itself in this run.
    pub report: Option<Report>,
    /// Whether its next run is the one that continues it.
    pub resumes: bool,
    /// Whether its first run has not had the input of its start.
    pub input_owed: bool,
    /// Whether its standard input was closed.
    pub stdin_closed: bool,
    /// Whether a process has its terminal or pipes open.
    pub tty_open: bool,
    /// Why its output is not being saved; `None` if it is.
    pub log_degraded: Option<String>,
    /// Number of clients that watch its screen.
    pub viewers: u32,
    /// Its keyboard lease.
    pub lease: Lease,
    /// What it and the batch system that runs it know of each other; `None` if this machine runs it.
    pub batch: Option<Box<Batch>>,
    /// Whether agents of other scopes may see it.
    pub share: Share,
    /// Number of the newest event when its own scope was last sent its state. The scope knows what happened
    /// before.
    told: Cell<u64>,
    /// The probe with the secret values that are masked in `spec`; `None` if there are none. Not stored.
    pub plain_probe: Option<Box<Probe>>,
    /// The probe, until the current run is ready.
    readiness: Option<Readiness>,
    /// How many attempts of the probe have failed in a row since the current run was ready.
    misses: u32,
    /// What the last attempt of the probe was told, if anything. Not stored.
    refusal: Option<Refusal>,
    accessed: Now,
    /// The last access that `meta.json` records, in boot-time milliseconds.
    saved_access: u64,
}

impl Session {
    /// Creates a session that is about to start.
    pub fn new(
        id: SessionId,
        scope: Scope,
        spec: Spec,
        size: Size,
        time_limits: TimeLimits,
        now: Now,
    ) -> Self {
        Self {
            id,
            scope,
            key: None,
            output: Output::new(spec.mode, size),
            spec,
            time_limits,
            life: Life::new(now),
            input: InputWatch::default(),
            report: None,
            resumes: false,
            input_owed: false,
            stdin_closed: false,
            tty_open: false,
            log_degraded: None,
            viewers: 0,
            lease: Lease::default(),
            batch: None,
            share: Share::None,
            told: Cell::new(0),
            plain_probe: None,
            readiness: None,
            misses: 0,
            refusal: None,
            accessed: now,
            saved_access: now.boot,
        }
    }

    /// Restores a session from an earlier daemon, of this boot or another.
    pub fn from_meta(meta: Meta, same_boot: bool, now: Now) -> Self {
        let size = Size::new(meta.rows, meta.cols);
        let mut session = Self::new(meta.id, meta.scope, meta.spec, size, meta.time_limits, now);
        session.key = meta.key;
        session.life = meta.life;
        session.life.forget_pid_of_ended();
        // Before `until_room` existed, people's sessions had the same TTL as agents' sessions.
        if session.time_limits.until_room.is_none() && session.scope.is_human() {
            session.time_limits.until_room = Some(session.time_limits.ttl_ms == FORMER_TTL_MS);
        }
        if !same_boot {
            session.life.forget_processes();
        }
        session.output.restore_sizes(meta.sizes);
        session.input_owed = meta.input_owed;
        session.stdin_closed = meta.stdin_closed;
        session.report = meta.report.filter(|_| same_boot);
        session.batch = meta.batch;
        session.share = meta.share;
        if let Some(accessed) = meta.accessed {
            session.accessed = if same_boot {
                accessed
            } else {
                accessed.carried_over(now)
            };
            session.saved_access = session.accessed.boot;
        }
        session
    }

    /// The content of `meta.json`.
    pub fn meta(&self, boot_id: &str) -> Meta {
        let size = self.output.size();
        Meta {
            version: Meta::VERSION,
            boot_id: boot_id.to_owned(),
            id: self.id.clone(),
            scope: self.scope.clone(),
            key: self.key.clone(),
            spec: self.spec.clone(),
            rows: size.rows(),
            cols: size.cols(),
            sizes: self.output.sizes().kept(),
            time_limits: self.time_limits,
            life: self.life.clone(),
            lines_before: self.output.first_line().saturating_sub(1),
            lines_before_offset: self.output.first_line_offset(),
            newlines_before: self.output.newlines_before(),
            input_owed: self.input_owed,
            stdin_closed: self.stdin_closed,
            accessed: Some(self.accessed),
            report: self.report.clone(),
            batch: self.batch.clone(),
            share: self.share,
        }
    }

    /// Records an access by a client.
    pub fn touch(&mut self, now: Now) {
        self.accessed = now;
    }

    /// Records that [`Session::meta`] was saved.
    pub fn saved(&mut self) {
        self.saved_access = self.accessed.boot;
    }

    /// Whether the last access should be saved. A daemon that knows only an earlier access would
    /// remove the session noticeably too early.
    pub fn is_access_unsaved(&self) -> bool {
        let late = self.accessed.boot.saturating_sub(self.saved_access);
        self.life.status().is_finished() && late > self.ttl_ms() / 20
    }

    /// Time since the last output, in milliseconds.
    pub fn idle_ms(&self, now: Now) -> u64 {
        let since = self.output.last_output_boot();
        now.boot
            .saturating_sub(since.unwrap_or(self.life.started_boot()))
    }

    /// Whether its program can receive input.
    pub fn takes_input(&self) -> bool {
        self.life.status().has_process() && !self.stdin_closed
    }

    /// Whether the input of its start is still to be typed. A later run does not get it.
    pub fn owes_input(&self) -> bool {
        self.input_owed && self.life.runs().len() == 1
    }

    /// What it and its batch system know of each other, while the batch system runs it or has it in its queue.
    pub fn open_batch(&self) -> Option<&Batch> {
        let batch = self.batch.as_deref();
        batch.filter(|_| !self.life.status().is_finished())
    }

    /// The last known input state of its program.
    pub fn input_state(&self) -> InputState {
        self.input.state(Situation {
            alive: self.life.status().has_process(),
            closed: self.stdin_closed,
            alt_screen: self.output.alt_screen(),
        })
    }

    /// Whether its program reads lines in an event loop, and has shown no prompt for one: a development server that also
    /// takes commands. It asks nothing.
    pub fn listens(&self) -> bool {
        let in_event_loop = self
            .input
            .report()
            .is_some_and(|report| report.in_event_loop);
        let shows_prompt = self.output.next_line() == self.output.total_lines();
        in_event_loop && !shows_prompt && self.input_state() == InputState::Line
    }

    /// Records the kernel's answer about its input; `None` if there was none. Returns true if that replaces what its
    /// program has reported.
    pub fn record_input(&mut self, answer: Option<InputReport>, now: Now) -> bool {
        let before = self.is_prompting();
        self.input.record(answer, now.boot);
        let changed = self.input_state() != InputState::Unknown && self.is_prompting() != before;
        let report = self.report.as_mut().filter(|_| changed);
        report.is_some_and(Report::input)
    }

    /// Records that its program wrote output. Returns true if that replaces what it has reported.
    pub fn wrote(&mut self, now: Now) -> bool {
        let written = Written {
            at: now.boot,
            typed: self.input.typed_at(),
            draws: self.input.is_raw() || self.output.alt_screen(),
        };
        let report = self.report.as_mut();
        report.is_some_and(|report| report.output(written))
    }

    /// Whether its program asks for a line or a password.
    fn is_prompting(&self) -> bool {
        self.input_state().asks(self.spec.mode).is_some()
    }

    /// When its time limit is reached, in boot-time milliseconds.
    pub fn timeout_at(&self) -> Option<u64> {
        let limited = self.time_limits.timeout_ms > 0
            && self.life.status().has_process()
            && self.life.ending().is_none();
        let again = self.batch.as_ref().and_then(|batch| batch.cancel_again_at);
        limited.then(|| {
            let limit = self.time_limits.timeout_ms;
            let reached = self.life.started_boot().saturating_add(limit);
            again.map_or(reached, |again| again.max(reached))
        })
    }

    /// Number of the newest event that its own scope knows from a reply.
    pub fn told(&self) -> u64 {
        self.told.get()
    }

    /// Records that a reply tells its state to `scope`. `newest` is the number of the newest event.
    pub fn tell(&self, scope: &Scope, newest: u64) {
        if self.scope == *scope {
            self.told.set(newest);
        }
    }

    /// When it is removed, in boot-time milliseconds. `None` while a process that it left uses its
    /// terminal, because removal would hang up that terminal.
    pub fn expires_at(&self) -> Option<u64> {
        let expires = self.may_go() && !self.stays_until_room();
        expires.then(|| self.accessed.boot.saturating_add(self.ttl_ms()))
    }

    /// Whether it may be removed at all. While its last processes are being ended, or its next run is on its way, somebody
    /// waits for it.
    pub fn may_go(&self) -> bool {
        let life = &self.life;
        let is_in_work = life.kill_at().is_some() || life.again().is_some();
        life.status().is_finished() && !is_in_work && !self.time_limits.keep && !self.tty_open
    }

    /// Whether it is kept until room is needed, whatever its TTL.
    pub fn stays_until_room(&self) -> bool {
        self.time_limits.until_room == Some(true)
    }

    /// Whether it ended in a way that somebody may want to inspect.
    pub fn has_failed(&self) -> bool {
        self.life.status().is_failure()
    }

    /// How long it is kept after its last access, in milliseconds: at least [`LEAST_TTL_MS`].
    fn ttl_ms(&self) -> u64 {
        let of_failed = self.time_limits.failed_ttl_ms.filter(|_| self.has_failed());
        let ttl_ms = of_failed.unwrap_or(self.time_limits.ttl_ms);
        ttl_ms.max(LEAST_TTL_MS)
    }

    /// When a client last accessed it.
    pub fn accessed(&self) -> Now {
        self.accessed
    }

    /// When a client last accessed it, in boot-time milliseconds.
    pub fn accessed_boot(&self) -> u64 {
        self.accessed.boot
    }

    /// The name that people use: the label, or the id.
    pub fn name(&self) -> &str {
        self.spec.label.as_deref().unwrap_or(self.id.as_str())
    }
}

/// Whether the output is larger than replies show, so that they name its file.
pub fn is_offloaded(output_bytes: u64) -> bool {
    output_bytes > OFFLOAD_BYTES
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::protocol::Timestamp;
    use crate::protocol::keeper::Exit;

    const YEAR_MS: i64 = 365 * 86_400_000;

    fn at(boot: u64, wall: i64) -> Now {
        Now {
            boot,
            wall: Timestamp(wall),
        }
    }

    #[test]
    fn a_wall_clock_that_jumps_moves_no_deadline() {
        let time_limits = TimeLimits {
            timeout_ms: 60_000,
            timeout_grace_ms: 5000,
            ttl_ms: 1000,
            failed_ttl_ms: None,
            until_room: None,
            keep: false,
        };
        for jump in [-YEAR_MS, YEAR_MS] {
            let start = at(5000, 2 * YEAR_MS);
            let (id, scope) = (SessionId::fresh(), Scope::human());
            let spec = Spec::default();
            let mut session = Session::new(id, scope, spec, Size::default(), time_limits, start);
            session.life.started(7, 0, start);
            assert_eq!(session.timeout_at(), Some(65_000));
            let later = at(8000, start.wall.millis() + jump);
            assert_eq!(session.life.runtime_ms(later), 3000);
            let record = session.record(later, |n| n.to_string());
            assert_eq!(record.summary.idle_ms, Some(3000));
            let exit = Exit {
                pid: 7,
                exit_code: Some(0),
                signal: None,
                core_dumped: false,
                ended_at: later.wall,
                end_offset: 0,
                limit: None,
                out_of_memory: false,
            };
            session.life.ended(&exit, None, &[], later);
            session.touch(later);
            assert_eq!(session.expires_at(), Some(9000));
            assert_eq!(session.life.runtime_ms(at(9999, 0)), 3000);
        }
    }
}
