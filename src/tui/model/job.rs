//! One job of the list: its record, with texts sanitized and shortened for display.

use super::url;
use crate::protocol::project::ProjectRole;
use crate::protocol::{Ending, Record, SessionId, Status, Timestamp, shell};
use crate::term::sanitize::clean;
use crate::tui::state::State;
use crate::tui::units;

/// Time after its start, last output or end after which a job counts as at rest, in milliseconds.
/// Its recent output is then no longer shown as recent.
const LIVELY_MS: i64 = 10_000;

/// A job.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its record as reported by the daemon.
    pub record: Record,
    /// When the record was reported, in milliseconds since the epoch.
    pub told_at: i64,
    /// Since when it is being stopped, as far as known, in milliseconds since the epoch.
    pub stopping_at: Option<i64>,
    /// Its name: the label, or the command if there is none; with `@HOST` if it is on another host.
    pub name: String,
    /// The command as displayed; [`shell_line`](Self::shell_line) returns the real one.
    pub command: String,
    /// Its directory, with `~` for the home directory.
    pub dir: String,
}

impl Job {
    /// A job as of `now`. `home` is the directory that `~` replaces.
    pub fn new(record: Record, now: i64, home: Option<&str>) -> Self {
        let summary = &record.summary;
        let command = clean(&shell::line(&summary.command, summary.args.as_deref()));
        let name = match summary.label.as_deref().map(clean) {
            Some(label) if !label.is_empty() => label,
            _ => command.clone(),
        };
        let name = match summary.session_id.host() {
            Some(host) => format!("{name}@{}", clean(host)),
            None => name,
        };
        let dir = clean(&tilde(&summary.cwd, home));
        Self {
            told_at: now,
            stopping_at: (summary.status == Status::Stopping).then_some(now),
            name,
            command,
            dir,
            record,
        }
    }

    /// The unmodified command as a shell accepts it, including newlines and control characters.
    pub fn shell_line(&self) -> String {
        let summary = &self.record.summary;
        shell::line(&summary.command, summary.args.as_deref())
    }

    /// The directory that its program reports, with `~` for the home directory, or else the one that it was
    /// started in.
    pub fn present_dir(&self, home: Option<&str>) -> String {
        let present = self.record.summary.present_directory.as_deref();
        present.map_or_else(|| self.dir.clone(), |dir| clean(&tilde(dir, home)))
    }

    /// Copies what only the older record of the same run tells: since when it is being stopped, and
    /// the ports, because only lists that request ports contain them.
    pub fn keep(&mut self, older: &Self) {
        if let Some(since) = &mut self.stopping_at {
            *since = older.stopping_at.unwrap_or(*since);
        }
        let (new, old) = (&mut self.record.summary, &older.record.summary);
        if new.ports.is_none() && new.pid.is_some() && new.pid == old.pid {
            new.ports.clone_from(&old.ports);
            new.urls.clone_from(&old.urls);
        }
    }

    /// The ports it listens on.
    pub fn ports(&self) -> &[u16] {
        let ports = self.record.summary.ports.as_deref();
        ports.filter(|_| self.is_going()).unwrap_or_default()
    }

    /// The first URL that it serves.
    pub fn url(&self) -> Option<String> {
        url::shown(&self.record)
            .filter(|_| self.is_going() && !self.state().waits())
            .map(str::to_owned)
    }

    /// Its id.
    pub fn id(&self) -> &SessionId {
        &self.record.summary.session_id
    }

    /// The job of a project that it runs.
    pub fn role(&self) -> Option<&ProjectRole> {
        self.record.summary.project.as_ref()
    }

    /// Why it waits, was skipped, could not be started or was stopped. Of one that waits for a time, that time is shown.
    pub fn why(&self) -> Option<String> {
        let of_job = self.role().and_then(|role| role.why.as_deref());
        let waiting = self.record.summary.waiting.as_ref();
        let waiting = waiting.filter(|waiting| waiting.until.is_none());
        of_job.or(waiting.map(|waiting| &*waiting.why)).map(clean)
    }

    /// Where a batch system runs it: `on n17`.
    pub fn place(&self) -> Option<String> {
        let engine = self.record.summary.engine.as_ref()?;
        let place = engine.place().filter(|_| self.is_going());
        place.map(|place| clean(&place))
    }

    /// What runs it, if that is a batch system: `Slurm job 7 of launcher gpu, limit 4h`.
    pub fn engine(&self) -> Option<String> {
        let summary = &self.record.summary;
        let (launcher, engine) = (summary.launcher.as_ref()?, summary.engine.as_ref()?);
        let limit = engine.time_limit_sec.map(|sec| {
            let ms = i64::try_from(sec.saturating_mul(1000)).unwrap_or(i64::MAX);
            format!(", limit {}", units::took(ms))
        });
        let limit = limit.unwrap_or_default();
        Some(clean(&format!("{}{limit}", engine.title(launcher))))
    }

    /// Milliseconds until its schedule, the end of its delay or its restart policy starts it, if it waits for that.
    pub fn until_start(&self, now: i64) -> Option<i64> {
        let next = match self.state() {
            State::Scheduled => match self.role() {
                Some(role) => role.next_start()?,
                None => self.record.summary.delayed_until()?,
            },
            State::Retrying(_) => self.record.retry_at?,
            _ => return None,
        };
        Some((next.millis() - now).max(0))
    }

    /// Its state.
    pub fn state(&self) -> State {
        State::of(&self.record)
    }

    /// Its state in words, with the name of the agent that asks.
    pub fn word(&self) -> String {
        match (self.state(), self.record.asked.first()) {
            (State::Asked, Some(asked)) => format!("{} asks you", clean(asked.by.as_str())),
            (state, _) => state.word(),
        }
    }

    /// The command that continues it, if it was lost and has one.
    pub fn continued_by(&self) -> Option<String> {
        let summary = &self.record.summary;
        let line = summary.resume.as_deref();
        line.filter(|_| summary.status == Status::Lost).map(clean)
    }

    /// What its program says of itself, in its own words: `blocked: wants to use Bash`. `None` if it says nothing, or
    /// something newer is known.
    pub fn report(&self) -> Option<String> {
        let report = self.record.summary.reported()?;
        let message = clean(report.message.as_deref()?);
        Some(format!("{}: {message}", report.state.as_str()))
    }

    /// Whether it has not ended: its process exists, or is still to be started.
    pub fn is_going(&self) -> bool {
        !self.record.summary.status.is_finished()
    }

    /// How long it has been running, or ran, in milliseconds.
    pub fn runtime(&self, now: i64) -> i64 {
        let told = i64::try_from(self.record.summary.runtime_ms).unwrap_or(i64::MAX);
        if self.is_going() && !self.is_retrying() {
            told.saturating_add((now - self.told_at).max(0))
        } else {
            told
        }
    }

    /// Whether it waits for the next attempt of its restart policy: it has no process.
    pub fn is_retrying(&self) -> bool {
        matches!(self.state(), State::Retrying(_))
    }

    /// How its last run has ended: `exit 3`, `SIGSEGV`.
    pub fn last_end(&self) -> Option<String> {
        let known = Ending::from(&self.record.summary).known();
        known.as_deref().map(clean)
    }

    /// Whether a program runs. It does not while the job waits for its first or next run.
    pub fn has_process(&self) -> bool {
        self.record.summary.status.has_process()
    }

    /// Milliseconds since it ended.
    pub fn since_end(&self, now: i64) -> Option<i64> {
        self.record
            .summary
            .ended_at
            .map(|at| (now - at.millis()).max(0))
    }

    /// The time in its row: uptime while alive, how long it has been stopping, "3m ago" once ended, "in 8h36m"
    /// until its schedule or its restart policy starts it. One that waits for what it needs has none.
    /// From a minute on, that of a job at rest has no seconds, because an idle screen is redrawn only
    /// with the clock.
    pub fn time(&self, now: i64) -> String {
        if let Some(ms) = self.until_start(now) {
            return units::until(ms);
        }
        let is_lively = now < self.rests_from();
        match self.since_end(now) {
            _ if self.state().waits() => String::new(),
            // Older daemons do not tell when the next attempt is.
            Some(ms) if !self.is_going() || self.is_retrying() => units::ago(ms),
            _ if !self.is_going() => String::new(),
            _ if is_lively => units::uptime(self.runtime_shown(now)),
            _ => units::uptime_at_rest(self.runtime_shown(now)),
        }
    }

    /// How long it has been running, or has been stopping, in milliseconds.
    pub fn runtime_shown(&self, now: i64) -> i64 {
        let stopping = self.stopping_at.filter(|_| self.state() == State::Stopping);
        stopping.map_or_else(|| self.runtime(now), |at| (now - at).max(0))
    }

    /// When [`time`](Self::time) changes next, apart from changes at full minutes.
    pub fn next_change(&self, now: i64) -> Option<i64> {
        if let Some(ms) = self.until_start(now) {
            let step = if ms > 60_000 { 60_000 } else { 1000 };
            // The time is shown in whole steps.
            return (ms > 0).then(|| now + ms.rem_euclid(step) + 1);
        }
        if self.state().waits() {
            return None;
        }
        let rest = self.rests_from();
        (now < rest).then(|| (now + 1000 - now.rem_euclid(1000)).min(rest))
    }

    /// When the job comes to rest, unless something happens before.
    fn rests_from(&self) -> i64 {
        let ms = |at: Option<Timestamp>| at.map_or(0, Timestamp::millis);
        let summary = &self.record.summary;
        if let (State::Stopping, Some(at)) = (self.state(), self.stopping_at) {
            return at.saturating_add(LIVELY_MS);
        }
        let last = if self.is_going() && !self.is_retrying() {
            (self.told_at - self.runtime(self.told_at)).max(ms(summary.last_output_at))
        } else {
            ms(summary.ended_at)
        };
        last.saturating_add(LIVELY_MS)
    }

    /// Whether an agent started it.
    pub fn is_agents(&self) -> bool {
        !self.record.scope.is_human()
    }
}

/// `path` with `~` for the home directory.
pub fn tilde(path: &str, home: Option<&str>) -> String {
    match home.and_then(|home| path.strip_prefix(home)) {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

/// Resolves a typed path: expands `~` and makes it relative to `cwd`.
pub fn untilde(path: &str, cwd: &str, home: Option<&str>) -> String {
    match (path, path.strip_prefix("~/"), home) {
        ("", ..) => cwd.to_owned(),
        ("~", _, Some(home)) => home.to_owned(),
        (_, Some(rest), Some(home)) => format!("{}/{rest}", home.trim_end_matches('/')),
        _ if path.starts_with('/') => path.to_owned(),
        _ => format!("{}/{path}", cwd.trim_end_matches('/')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::jobs::{NOW, job};

    #[test]
    fn names_are_sanitized() {
        let mut record = job("x").record;
        record.summary.label = Some("a\u{1b}[31mb\n".to_owned());
        assert_eq!(Job::new(record, NOW, None).name, "ab ");
    }

    #[test]
    fn a_job_without_a_label_is_named_by_its_command() {
        let mut record = job("x").record;
        record.summary.label = None;
        record.summary.command = "echo".to_owned();
        record.summary.args = Some(vec!["two words".to_owned()]);
        assert_eq!(Job::new(record, NOW, None).name, "echo 'two words'");
    }

    #[test]
    fn abbreviates_and_expands_the_home_directory() {
        assert_eq!(tilde("/home/me/shop", Some("/home/me")), "~/shop");
        assert_eq!(tilde("/home/meg", Some("/home/me")), "/home/meg");
        assert_eq!(untilde("~/x", "/w", Some("/home/me")), "/home/me/x");
        assert_eq!(untilde("x", "/w", None), "/w/x");
        assert_eq!(untilde("", "/w", None), "/w");
    }

    #[test]
    fn shows_seconds_while_active_and_minutes_at_rest() {
        // NOW is a full minute, and also the time of the last output.
        let mut job = job("x");
        job.record.summary.runtime_ms = 72_000;
        assert_eq!(job.time(NOW + 1000), "1m13s");
        assert_eq!(job.next_change(NOW + 1200), Some(NOW + 2000));
        assert_eq!(job.next_change(NOW + 9999), Some(NOW + 10_000));
        let at_rest = [
            (10_000, "1m"),
            (47_999, "1m"),
            (48_000, "2m"),
            (107_999, "2m"),
            (108_000, "3m"),
        ];
        for (after, text) in at_rest {
            assert_eq!(job.time(NOW + after), text, "{after}");
            assert_eq!(job.next_change(NOW + after), None, "but with the clock");
        }
        job.record.summary.last_output_at = Some(Timestamp(NOW + 70_000));
        assert_eq!(job.time(NOW + 70_500), "2m22s");
        job.record.summary.status = crate::protocol::Status::Done;
        job.record.summary.ended_at = Some(Timestamp(NOW + 71_000));
        assert_eq!(job.time(NOW + 73_000), "2s ago");
        assert_eq!(job.time(NOW + 85_000), "<1m ago");
        assert_eq!(job.time(NOW + 180_000), "1m ago");
        assert_eq!(job.next_change(NOW + 180_000), None);
    }

    #[test]
    fn the_time_of_stopping_is_its_own() {
        let mut record = job("x").record;
        record.summary.status = Status::Stopping;
        let older = Job::new(record.clone(), NOW, None);
        let mut job = Job::new(record, NOW + 2000, None);
        job.keep(&older);
        assert_eq!(job.time(NOW + 3000), "3s");
        assert_eq!(job.next_change(NOW + 3000), Some(NOW + 4000));
    }

    #[test]
    fn runtime_advances_between_reports_until_the_end() {
        let mut job = job("x");
        assert_eq!(job.runtime(NOW + 5000) - job.runtime(NOW), 5000);
        job.record.summary.status = crate::protocol::Status::Done;
        assert_eq!(job.runtime(NOW + 5000), job.runtime(NOW));
    }
}
