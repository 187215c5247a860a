//! The record of a session, as far as it is known without the operating system.

use super::{Session, is_offloaded};
use crate::engine::report::Report;
use crate::engine::{Now, flaky};
use crate::protocol::record::{Detail, HeldBy, Record, Summary};
use crate::protocol::shell_state::ShellState;
use crate::protocol::status::Mode;
use crate::protocol::terminal_progress::TerminalProgress;
use crate::term::sanitize::clean;

impl Session {
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
            unsaved: false,
            output_files: Vec::new(),
            restart: self.spec.restart,
            retry_at: self.life.retry_wall(now),
            retry: self.life.retry_at().map(|_| self.life.retries()),
            timeout_ms: self.time_limit(),
            asked: Vec::new(),
            detail: None,
        }
    }

    /// The time limit of its run in milliseconds; `None` if there is none, or the run has ended.
    pub fn time_limit(&self) -> Option<u64> {
        let limit = Some(self.time_limits.timeout_ms).filter(|ms| *ms > 0);
        limit.filter(|_| !self.life.status().is_finished())
    }

    /// The progress that the program reports, while it runs.
    pub fn progress(&self) -> Option<TerminalProgress> {
        let has_process = self.life.status().has_process();
        self.output.progress().filter(|_| has_process)
    }

    /// What its shell reports about its commands, while it runs.
    pub fn shell(&self) -> Option<ShellState> {
        let has_process = self.life.status().has_process();
        self.output.shell().filter(|_| has_process)?.state
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
            started_at: life.runs().last().map(|run| run.started_at),
            ended_at: life.ended_at(),
            runtime_ms: life.runtime_ms(now),
            last_accessed_at: self.accessed.wall,
            last_output_at: self.output.last_output_at(),
            idle_ms: status.has_process().then(|| self.idle_ms(now)),
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
                .filter(|_| status.has_process())
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
        let on_exit = match self.spec.project {
            Some(_) => "on.exit line",
            None => "onExit",
        };
        let left = self.life.status().is_finished() && self.tty_open;
        let reasons = [
            self.life.reason().map(str::to_owned),
            self.late_reason(),
            self.life
                .on_exit_failure()
                .map(|why| format!("its {on_exit} failed: {why}")),
            self.life
                .stop_failure()
                .map(|why| format!("its stop line failed: {why}")),
            self.life.hook_failure().map(str::to_owned),
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
