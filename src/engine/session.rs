//! One session: what it runs, its life, its output and its retention.

use std::cell::Cell;

use super::Now;
use super::batch::Batch;
use super::flaky;
use super::input::{InputWatch, Situation, needs};
use super::lease::Lease;
use super::life::{Life, Probed};
use super::meta::{Meta, Spec, TimeLimits};
use super::output::Output;
use super::readiness::{self, Readiness};
use super::report::{Report, Written};
use super::wait_inputs::WaitInputs;
use crate::protocol::keeper::InputReport;
use crate::protocol::record::{Detail, HeldBy, InputState, Mode, Record, Share, Summary};
use crate::protocol::shell_state::ShellState;
use crate::protocol::terminal_progress::TerminalProgress;
use crate::protocol::{Probe, Scope, SessionId, Status};
use crate::term::sanitize::clean;
use crate::term::size::Size;

/// The default TTL of all sessions before people's sessions were kept until room is needed.
const FORMER_TTL_MS: u64 = 1_800_000;

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
    /// What it and the engine that runs it know of each other; `None` if this machine runs it.
    pub batch: Option<Box<Batch>>,
    /// Whether agents of other scopes may see it.
    pub share: Share,
    /// Number of the newest event when its own scope was last sent its state. The scope knows what happened
    /// before.
    told: Cell<u64>,
    /// The probe, until the current run is ready.
    readiness: Option<Readiness>,
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
            stdin_closed: false,
            tty_open: false,
            log_degraded: None,
            viewers: 0,
            lease: Lease::default(),
            batch: None,
            share: Share::None,
            told: Cell::new(0),
            readiness: None,
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
        // Before `until_room` existed, people's sessions had the same TTL as agents' sessions.
        if session.time_limits.until_room.is_none() && session.scope.is_human() {
            session.time_limits.until_room = Some(session.time_limits.ttl_ms == FORMER_TTL_MS);
        }
        if !same_boot {
            session.life.forget_processes();
        }
        session.output.restore_sizes(meta.sizes);
        session.stdin_closed = meta.stdin_closed;
        session.report = meta.report.filter(|_| same_boot);
        session.batch = meta.batch;
        session.share = meta.share;
        if let Some(accessed) = meta.accessed {
            session.accessed = match same_boot {
                true => accessed,
                false => accessed.carried_over(now),
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
        self.life.status().is_alive() && !self.stdin_closed
    }

    /// What it and its engine know of each other, while the engine runs it or has it in its queue.
    pub fn open_batch(&self) -> Option<&Batch> {
        let batch = self.batch.as_deref();
        batch.filter(|_| !self.life.status().is_finished())
    }

    /// The last known input state of its program.
    pub fn input_state(&self) -> InputState {
        self.input.state(Situation {
            alive: self.life.status().is_alive(),
            closed: self.stdin_closed,
            alt_screen: self.output.alt_screen(),
        })
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

    /// Whether its program asks for a line or a password. For a pipe, reading a line is normal operation.
    fn is_prompting(&self) -> bool {
        let state = self.input_state();
        needs(state) && (self.spec.mode == Mode::Pty || state == InputState::Password)
    }

    /// When its time limit is reached, in boot-time milliseconds.
    pub fn timeout_at(&self) -> Option<u64> {
        let limited = self.time_limits.timeout_ms > 0
            && self.life.status().is_alive()
            && self.life.ending().is_none();
        limited.then(|| {
            self.life
                .started_boot()
                .saturating_add(self.time_limits.timeout_ms)
        })
    }

    /// Starts probing the current run, unless it was already found ready.
    pub fn probe(&mut self) {
        let missing = self.life.status().is_alive() && self.life.probed() != Some(Probed::Ready);
        let offset = self.life.runs().last().map(|run| run.offset);
        let probe = self.spec.ready.as_ref().filter(|_| missing).zip(offset);
        self.readiness = probe.and_then(|(probe, at)| Readiness::new(probe, &self.output, at));
    }

    /// Feeds output to the probe. Returns true if it makes the run ready.
    pub fn probe_output(&mut self, offset: u64, bytes: &[u8]) -> bool {
        let probe = self.readiness.as_mut();
        let holds = probe.is_some_and(|probe| probe.output(offset, bytes));
        self.found_ready(holds)
    }

    /// Feeds the ports on which the process tree listens to the probe. Returns true if they make
    /// the run ready.
    pub fn probe_ports(&mut self, ports: &[u16]) -> bool {
        let probe = self.readiness.as_mut();
        let holds = probe.is_some_and(|probe| probe.listens(&mut self.output, ports));
        self.found_ready(holds)
    }

    fn found_ready(&mut self, holds: bool) -> bool {
        if holds {
            self.readiness = None;
            self.life.set_probed(Probed::Ready);
        }
        holds
    }

    /// Whether output can still make it ready.
    pub fn probes_output(&self) -> bool {
        let by_pattern = self
            .spec
            .ready
            .as_ref()
            .is_some_and(|p| p.pattern.is_some());
        by_pattern && self.readiness.is_some()
    }

    /// The port that the probe waits for.
    pub fn probed_port(&self) -> Option<u16> {
        let probe = self.spec.ready.as_ref()?;
        probe.port.filter(|_| self.is_probing())
    }

    /// The probe, if it is one for which the driver makes attempts, and the run that it probes.
    pub fn attempted_probe(&self) -> Option<(&Probe, u32)> {
        let probe = self.spec.ready.as_ref()?;
        let run = self.life.runs().last()?.run;
        let is_attempted = self.is_probing() && probe.condition().is_none();
        is_attempted.then_some((probe, run))
    }

    /// Records that an attempt of the probe has succeeded in this run. Returns true if that makes it ready.
    pub fn attempt_succeeded(&mut self, run: u32) -> bool {
        let holds = self.attempted_probe().is_some_and(|(_, now)| now == run);
        self.found_ready(holds)
    }

    fn is_probing(&self) -> bool {
        self.readiness.is_some() && self.life.status().is_alive()
    }

    /// When the probe is late, in boot-time milliseconds.
    pub fn late_at(&self) -> Option<u64> {
        let probe = self.spec.ready.as_ref()?;
        let open = self.is_probing() && self.life.probed().is_none();
        open.then(|| self.life.started_boot().saturating_add(probe.patience_ms()))
    }

    /// Whether it is ready: `None` without a probe; false once it has ended.
    pub fn ready(&self) -> Option<bool> {
        self.spec.ready.as_ref()?;
        Some(self.life.status().is_alive() && self.life.probed() == Some(Probed::Ready))
    }

    /// Why it is not ready after the time limit of its probe.
    pub fn late_reason(&self) -> Option<String> {
        let probe = self.spec.ready.as_ref()?;
        let late = self.is_probing() && self.life.probed() == Some(Probed::Late);
        late.then(|| {
            let ms = probe.patience_ms();
            format!("not ready after {ms} ms: {}", readiness::missing(probe))
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

    /// The state that wait conditions are compared with.
    pub fn facts(&self) -> WaitInputs<'static> {
        WaitInputs {
            input: self.input_state(),
            ready: self.ready(),
            ..WaitInputs::of(self.life.status())
        }
    }

    /// When it is removed, in boot-time milliseconds. `None` while a process that it left uses its
    /// terminal, because removal would hang up that terminal.
    pub fn expires_at(&self) -> Option<u64> {
        let expires = self.may_go() && !self.stays_until_room();
        expires.then(|| self.accessed.boot.saturating_add(self.ttl_ms()))
    }

    /// Whether it may be removed at all.
    pub fn may_go(&self) -> bool {
        self.life.status().is_finished() && !self.time_limits.keep && !self.tty_open
    }

    /// Whether it is kept until room is needed, whatever its TTL.
    pub fn stays_until_room(&self) -> bool {
        self.time_limits.until_room == Some(true)
    }

    /// Whether it ended in a way that somebody may want to inspect.
    pub fn has_failed(&self) -> bool {
        use Status::{Error, Lost, TimedOut};
        matches!(self.life.status(), Error | Lost | TimedOut)
    }

    /// How long it is kept after its last access, in milliseconds.
    fn ttl_ms(&self) -> u64 {
        let of_failed = self.time_limits.failed_ttl_ms.filter(|_| self.has_failed());
        of_failed.unwrap_or(self.time_limits.ttl_ms)
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

    /// Its record. The driver adds the fields that only the operating system knows.
    pub fn record(&self, now: Now, signal_name: impl Fn(i32) -> String) -> Record {
        Record {
            summary: self.summary(now, signal_name),
            scope: self.scope.clone(),
            reason: self.reason(),
            ended_by: self.life.ended_by().cloned(),
            unread_input_bytes: None,
            alt_screen: self.output.alt_screen(),
            foreground: None,
            processes: None,
            viewers: self.viewers,
            tty_open: self.tty_open,
            log_degraded: self.log_degraded.clone(),
            output_files: Vec::new(),
            restart: self.spec.restart,
            retry_at: self.life.retry_wall(now),
            asked: Vec::new(),
            detail: None,
        }
    }

    /// The progress that the program reports, while it runs.
    pub fn progress(&self) -> Option<TerminalProgress> {
        let is_alive = self.life.status().is_alive();
        self.output.progress().filter(|_| is_alive)
    }

    /// What its shell reports about its commands, while it runs.
    pub fn shell(&self) -> Option<ShellState> {
        let is_alive = self.life.status().is_alive();
        self.output.shell().filter(|_| is_alive)?.state
    }

    /// The directory that its program reports, as seen from the machine `here`.
    pub fn present_directory(&self, here: &str) -> Option<String> {
        let directory = self.output.shell()?.directory.as_ref()?;
        Some(directory.seen_from(here))
    }

    /// The part of the record that `list` returns for each session.
    pub fn summary(&self, now: Now, signal_name: impl Fn(i32) -> String) -> Summary {
        let life = &self.life;
        let status = life.status();
        let size = self.output.size();
        let title = self.output.title();
        Summary {
            session_id: self.id.clone(),
            host: None,
            seen_at: None,
            label: self.spec.label.clone(),
            group: self.spec.group.clone(),
            tags: self.spec.tags.clone(),
            description: self.spec.description.clone(),
            command: self.spec.command.clone(),
            args: self.spec.args.clone(),
            cwd: self.spec.cwd.clone(),
            mode: self.spec.mode,
            rows: size.rows(),
            cols: size.cols(),
            pid: life.pid(),
            status,
            exit_code: life.exit_code(),
            signal: life.signal().map(signal_name),
            created_at: life.created_at(),
            ended_at: life.ended_at(),
            runtime_ms: life.runtime_ms(now),
            last_accessed_at: self.accessed.wall,
            last_output_at: self.output.last_output_at(),
            idle_ms: status.is_alive().then(|| self.idle_ms(now)),
            input_state: self.input_state(),
            ready: self.ready(),
            title: (!title.is_empty()).then(|| clean(title)),
            progress: self.progress(),
            shell: self.shell(),
            present_directory: None,
            output_bytes: self.output.end(),
            dropped_bytes: self.output.first(),
            output_lines: self.output.total_lines(),
            offloaded: is_offloaded(self.output.end()),
            output_file: None,
            cpu_percent: None,
            memory_bytes: None,
            restarts: life.restarts(),
            held_by: self.lease.until(now).map(HeldBy::person),
            share: self.share,
            keep: self.time_limits.keep,
            notify: self.spec.notify.clone(),
            project: None,
            waiting: None,
            launcher: self.batch.as_ref().map(|batch| batch.launcher.reference()),
            engine: self.batch.as_ref().map(|batch| batch.job.clone()),
            report: self
                .report
                .as_ref()
                .filter(|_| status.is_alive())
                .map(Report::told),
            resume: self.spec.resume.clone(),
            ports: None,
            urls: None,
            output: None,
        }
    }

    /// Why it ended as it did, what is left of it, and anything else unusual about it.
    fn reason(&self) -> Option<String> {
        let what = match self.spec.mode {
            Mode::Pty => "terminal",
            Mode::Pipe => "output",
        };
        let left = self.life.status().is_finished() && self.tty_open;
        let reasons = [
            self.life.reason().map(str::to_owned),
            self.late_reason(),
            self.life
                .on_exit_failure()
                .map(|why| format!("its onExit failed: {why}")),
            left.then(|| format!("a process that it left has its {what} open")),
            self.output.failed_at().map(|end| {
                format!(
                    "its screen was repainted: the terminal emulator failed on the output \
                     before byte {end}"
                )
            }),
        ];
        reasons.into_iter().flatten().reduce(|a, b| a + "; " + &b)
    }

    /// The fields that `detail` adds, as far as they are known here.
    pub fn detail(&self) -> Detail {
        Detail {
            env_names: self.spec.env_names.clone(),
            runs: self.life.runs().to_vec(),
            flaky: flaky::flaky(self.life.runs(), &self.spec.ok_codes),
            limits: self.spec.limits,
            timeout_ms: Some(self.time_limits.timeout_ms).filter(|ms| *ms > 0),
            ..Detail::default()
        }
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
