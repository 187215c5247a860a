//! The details of a job as lines of text: facts, processes, runs, and who typed into it.

use super::details::Details;
use super::draw::Entry;
use super::tree::tree;
use crate::protocol::policy::RestartWhen;
use crate::protocol::project::ProjectRole;
use crate::protocol::record::{Detail, Record, Summary};
use crate::protocol::reply::LogLine;
use crate::protocol::report::Evidence;
use crate::protocol::run::{EndedByKind, Run};
use crate::protocol::{Ending, Mode, Role, Timestamp};
use crate::term::sanitize::clean;
use crate::tui::model::Model;
use crate::tui::model::job::{Job, tilde};
use crate::tui::model::usage;
use crate::tui::state::{State, agent};
use crate::tui::{text, units};

/// The lines of the page.
pub(super) fn entries(model: &Model, details: &Details) -> Vec<Entry> {
    let Some(job) = model.job(&details.id) else {
        return vec![Entry::Text("The job was removed.".to_owned())];
    };
    let record = details.record.as_deref().unwrap_or(&job.record);
    let mut page = Page {
        model,
        entries: Vec::new(),
    };
    page.entries.push(Entry::State(
        job.name.clone(),
        (job.state(), job.word()),
        model.time_of(job),
    ));
    page.facts(job, record);
    for asked in &record.asked {
        let by = clean(asked.by.as_str());
        page.fact("asked by", format!("{by}: {}", clean(&asked.message)));
    }
    if let Some(detail) = record.detail.as_ref() {
        page.detail(record, detail);
    } else {
        page.title("Processes, ports, runs: asked for");
    }
    page.typed(&details.typed);
    page.entries
}

struct Page<'a> {
    model: &'a Model,
    entries: Vec<Entry>,
}

impl Page<'_> {
    fn title(&mut self, title: impl Into<String>) {
        self.entries.push(Entry::Blank);
        self.entries.push(Entry::Title(title.into()));
    }

    fn fact(&mut self, label: &'static str, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.entries.push(Entry::Fact(label, text));
        }
    }

    /// A time in local time.
    fn when(&self, at: Timestamp) -> String {
        units::moment(at, self.model.now.ms, &self.model.zone)
    }

    fn facts(&mut self, job: &Job, record: &Record) {
        let summary = &record.summary;
        self.command(job, summary);
        if let Some(role) = job.role() {
            self.project(role);
        }
        self.engine(job, summary);
        self.purpose(summary);
        self.choices(record);
        self.report(job, summary);
        self.life(job, record);
        self.process(job, summary);
        self.output(job, record);
    }

    /// A fact that the daemon may not know.
    fn said(&mut self, label: &'static str, text: Option<&str>) {
        self.fact(label, clean(text.unwrap_or_default()));
    }

    fn command(&mut self, job: &Job, summary: &Summary) {
        self.fact("command", job.command.clone());
        self.fact("directory", job.dir.clone());
        let present = job.present_dir(self.model.origin.home.as_deref());
        if present != job.dir {
            self.fact("now in", present);
        }
        self.said("title", summary.title.as_deref());
        self.said("group", summary.group.as_deref());
    }

    /// What runs the job if bgproc does not run it itself: a batch system.
    fn engine(&mut self, job: &Job, summary: &Summary) {
        let Some(engine) = job.engine() else {
            return;
        };
        let said = summary.engine.as_ref();
        let state = said.and_then(|engine| engine.state.as_deref());
        let state = state.map_or_else(String::new, |state| format!(": {}", clean(state)));
        let place = job.place();
        let place = place.map_or_else(String::new, |place| format!(" {place}"));
        self.fact("engine", format!("{engine}{state}{place}"));
        self.fact("waits for", job.why().unwrap_or_default());
        if let Some(at) = said.and_then(|engine| engine.estimated_start_at) {
            self.fact("expected", self.when(at));
        }
        if let Some(at) = said.and_then(|engine| engine.silent_since) {
            self.fact("no answer", format!("since {}", self.when(at)));
        }
    }

    fn purpose(&mut self, summary: &Summary) {
        let tags = summary.tags.iter().map(|tag| format!("+{}", clean(tag)));
        self.fact("tags", tags.collect::<Vec<_>>().join(" "));
        self.said("what for", summary.description.as_deref());
        self.said("resume", summary.resume.as_deref());
    }

    /// What a person has chosen for it: whether it is kept, what restarts it, and what people are told of.
    fn choices(&mut self, record: &Record) {
        let summary = &record.summary;
        if summary.keep {
            self.fact("kept", "until it is removed");
        }
        if let Some(policy) = record.restart {
            let pause = |ms: u64| match ms {
                _ if ms.is_multiple_of(60_000) => format!("{}m", ms / 60_000),
                _ if ms.is_multiple_of(1000) => format!("{}s", ms / 1000),
                _ => format!("{ms}ms"),
            };
            let first = pause(policy.backoff_ms());
            let longest = pause(policy.longest_backoff_ms().max(policy.backoff_ms()));
            let pauses = match policy.policy {
                RestartWhen::Never => String::new(),
                _ => format!(", pauses {first} to {longest}"),
            };
            self.fact("restart", policy.word() + &pauses);
        }
        let notify: Vec<&str> = summary
            .notify
            .iter()
            .map(|notice| notice.as_str())
            .collect();
        self.fact("notify", notify.join(", "));
    }

    /// What the program reports about itself.
    fn report(&mut self, job: &Job, summary: &Summary) {
        let Some(report) = summary.report.as_ref().filter(|_| job.is_going()) else {
            return;
        };
        let since = match report.replaced_by {
            None => "",
            Some(Evidence::Input) => ", and reads something else since",
            Some(Evidence::Output) => ", and has written output since",
        };
        let message = report.message.as_deref().map(clean);
        let message = message.map_or_else(String::new, |message| format!(": {message}"));
        let (at, state) = (self.when(report.at), report.state.as_str());
        self.fact("reports", format!("{state}{message}, at {at}{since}"));
    }

    /// When it was made and by whom, and how and why it has ended.
    fn life(&mut self, job: &Job, record: &Record) {
        let summary = &record.summary;
        let made = self.when(summary.created_at);
        let by = who(record.scope.as_str(), record.scope.is_human());
        self.fact("made", format!("{made} by {by}"));
        if let Some(at) = summary.ended_at {
            let ended = self.when(at);
            let took = units::took(i64::try_from(summary.runtime_ms).unwrap_or(i64::MAX));
            let how = job.word();
            let by = record.ended_by.as_ref();
            // The state of a killed job already says who ended it.
            let by = by.filter(|_| !matches!(job.state(), State::Killed(_)));
            let by = by.map_or_else(String::new, |by| ended_by(by.kind, agent(by)));
            self.fact("ended", format!("{ended} after {took}: {how}{by}"));
        }
        self.said("why", record.reason.as_deref());
    }

    /// Its ids and terminal, and what its processes use.
    fn process(&mut self, job: &Job, summary: &Summary) {
        self.fact("id", summary.session_id.to_string());
        if let Some(pid) = summary.pid {
            self.fact("pid", pid.to_string());
        }
        let terminal = match summary.mode {
            Mode::Pty => format!("{}x{}", summary.cols, summary.rows),
            Mode::Pipe => "none, pipes".to_owned(),
        };
        self.fact("terminal", terminal);
        if job.is_going() {
            let present = &job.record.summary;
            let memory = present.memory_bytes;
            let used = [
                usage::percent(present).map(|cpu| format!("cpu {cpu}")),
                memory.map(|bytes| format!("memory {}", units::bytes(bytes))),
            ];
            let used: Vec<String> = used.into_iter().flatten().collect();
            self.fact("uses", used.join(", "));
        }
    }

    fn output(&mut self, job: &Job, record: &Record) {
        let written = &job.record.summary;
        let dropped = match record.summary.dropped_bytes {
            0 => String::new(),
            n => format!(", {} of it no longer kept", units::bytes(n)),
        };
        let (bytes, lines) = (units::bytes(written.output_bytes), written.output_lines);
        let noun = if lines == 1 { "line" } else { "lines" };
        self.fact("output", format!("{bytes} in {lines} {noun}{dropped}"));
        self.said("log", record.summary.output_file.as_deref());
        self.said("not saved", record.log_degraded.as_deref());
    }

    fn project(&mut self, role: &ProjectRole) {
        let dir = tilde(&role.project.dir, self.model.origin.home.as_deref());
        let project = format!("{} ({dir})", role.project.name);
        self.fact("project", clean(&project));
        let why = role.why.as_ref().map(|why| format!(": {why}"));
        let phase = format!("{}{}", role.phase.as_str(), why.unwrap_or_default());
        self.fact("phase", clean(&phase));
        let needs = role.needs.iter();
        let needs = needs.map(|need| format!("{} {}", need.job, need.is.as_str()));
        self.fact("needs", clean(&needs.collect::<Vec<_>>().join(", ")));
        if let Some(next) = role.next_run {
            let (now, zone) = (self.model.now.ms, &self.model.zone);
            let until = units::until((next.millis() - now).max(0));
            let at = units::moment_ahead(next, now, zone);
            self.fact("next run", format!("{at}, {until}"));
        }
        let ports: Vec<String> = role.ports.iter().map(u16::to_string).collect();
        self.fact("given ports", ports.join(" "));
        self.fact("url", clean(role.url.as_deref().unwrap_or_default()));
    }

    fn detail(&mut self, record: &Record, detail: &Detail) {
        if !detail.processes.is_empty() {
            self.title(format!("Processes: {}", detail.processes.len()));
            let root = record.summary.pid;
            for line in tree(&detail.processes, root, &self.model.theme) {
                self.entries.push(Entry::Text(line));
            }
        }
        if !detail.ports.is_empty() {
            self.title("Listens on");
            for port in &detail.ports {
                let sign = format!(":{port}");
                let mut urls = detail.urls.iter().filter(|url| url.contains(&sign));
                let url = urls.next().map_or_else(String::new, |url| clean(url));
                self.entries
                    .push(Entry::Text(format!("{sign:<8}{url}").trim_end().to_owned()));
            }
        }
        if !detail.env_names.is_empty() {
            self.title("Variables set for it, without their values");
            self.entries
                .push(Entry::Text(clean(&detail.env_names.join(" "))));
        }
        if !detail.runs.is_empty() {
            self.title("Runs, newest first");
            for at in (0..detail.runs.len()).rev() {
                let before = at.checked_sub(1).map(|at| &detail.runs[at]);
                let is_newest = at + 1 == detail.runs.len();
                let by = record.ended_by.as_ref().filter(|_| is_newest);
                let by = by.map_or_else(String::new, |by| ended_by(by.kind, agent(by)));
                let line = self.run(&detail.runs[at], before, &by);
                self.entries.push(Entry::Text(line));
            }
        }
    }

    /// `3  12:42:10  0.2s  exit 127, failed the same way as the run before`. `by` says who ended it.
    fn run(&self, run: &Run, before: Option<&Run>, by: &str) -> String {
        let end = |run: &Run| (run.exit_code, run.signal.clone());
        let is_over = run.ended_at.is_some();
        let how = match run.exit_code {
            Some(0) => "done".to_owned(),
            _ if is_over => clean(&Ending::from(run).to_string()),
            _ => "runs".to_owned(),
        };
        // Somebody has sent these signals, perhaps to start the next run.
        let sent = ["SIGTERM", "SIGKILL", "SIGINT", "SIGHUP"];
        let was_ended =
            !by.is_empty() || run.signal.as_deref().is_some_and(|it| sent.contains(&it));
        let failed = is_over && run.exit_code != Some(0) && !was_ended && !run.lost;
        let same = failed && before.is_some_and(|before| end(before) == end(run));
        let same = if same {
            ", failed the same way as the run before"
        } else {
            ""
        };
        // How long a lost run took is not known.
        let took = run.ended_at.filter(|_| !run.lost);
        let took = took.map_or_else(String::new, |at| {
            units::took(at.millis() - run.started_at.millis())
        });
        let started = self.when(run.started_at);
        format!("{:<4}{started}  {took:>6}  {how}{by}{same}", run.run)
    }

    fn typed(&mut self, typed: &[LogLine]) {
        if typed.is_empty() {
            return;
        }
        self.title("Who typed, newest first");
        let theme = &self.model.theme;
        for line in typed.iter().rev() {
            let at = line.at.map_or_else(String::new, |at| self.when(at));
            let human = line.kind == Some(Role::Human);
            let by = line.by.as_ref().map_or("", |by| by.as_str());
            let by = text::clip(&who(by, human), 12, theme.glyph("…"));
            let pad = " ".repeat(12_usize.saturating_sub(text::width(&by)));
            let shown = clean(&keys(&line.text, theme.glyph("⏎")));
            self.entries
                .push(Entry::Text(format!("{at}  {by}{pad}  {shown}")));
        }
    }
}

/// `, by you`: who ended a run; empty if it ended by itself.
fn ended_by(kind: EndedByKind, agent: Option<String>) -> String {
    match kind {
        EndedByKind::Agent => format!(", by {}", agent.as_deref().unwrap_or("an agent")),
        EndedByKind::Human => ", by you".to_owned(),
        EndedByKind::Timeout => ", by its time limit".to_owned(),
        EndedByKind::Limit => ", by a limit".to_owned(),
        EndedByKind::Unready => ", by its restart policy: not ready any more".to_owned(),
        EndedByKind::Watch => ", by its watch".to_owned(),
        EndedByKind::Schedule => ", by its schedule".to_owned(),
        EndedByKind::Project => ", with its project".to_owned(),
        EndedByKind::Itself => String::new(),
    }
}

fn who(scope: &str, human: bool) -> String {
    if human {
        "you".to_owned()
    } else {
        clean(scope)
    }
}

/// Typed text with visible control keys: `^C`, and a symbol for Enter.
fn keys(text: &str, enter: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            '\r' | '\n' => shown.push_str(enter),
            // The letter that is pressed together with Ctrl.
            '\0'..='\x1f' => shown.extend(['^', char::from(c as u8 + b'@')]),
            '\x7f' => shown.push_str("^?"),
            other => shown.push(other),
        }
    }
    shown
}
