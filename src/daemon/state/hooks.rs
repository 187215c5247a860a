//! Shell lines that run when something happens to a job: those of its file (`on`), and the command by which people are
//! notified.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::Value;

use super::State;
use crate::daemon::clock::now;
use crate::daemon::programs::line_shell::LineShell;
use crate::daemon::programs::on_exit::variables;
use crate::daemon::sessions::session_io::SessionIo;
use crate::engine::life::Life;
use crate::engine::session::Session;
use crate::protocol::event::InputNeeded;
use crate::protocol::run::EndedByKind;
use crate::protocol::{EventKind, Notice, SessionId, Status};
use crate::sys::tree::MARK;

/// Most lines that wait for their turn. Further ones are not run.
const MOST_WAITING: usize = 200;

/// A shell line that is to be run.
#[derive(Debug)]
pub(crate) struct HookRun {
    pub(crate) session: SessionId,
    /// Which line it is, for people: `on.ready line`.
    pub(crate) what: String,
    pub(crate) shell: LineShell,
    pub(crate) line: String,
    pub(crate) cwd: String,
    pub(crate) env: Vec<(String, String)>,
}

/// The lines that wait for their turn.
#[derive(Debug, Default)]
pub(crate) struct Hooks {
    waiting: VecDeque<HookRun>,
}

impl Hooks {
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The next line to run.
    pub(crate) fn take(&mut self) -> Option<HookRun> {
        self.waiting.pop_front()
    }
}

impl State {
    /// Records which line of a session failed, and why.
    pub(crate) fn hook_failed(&mut self, id: &SessionId, what: &str, why: &str) {
        if let Some(session) = self.sessions.get_mut(id) {
            session.life.hook_failed(what, why);
            self.persist(id);
        }
    }

    /// The shell that runs lines beside a session's job: that of its project file.
    pub(crate) fn line_shell(&self, session: &Session) -> LineShell {
        let of = session.spec.project.as_ref();
        let job = of.and_then(|of| self.projects.get(&of.id)?.applied.jobs.get(&of.job));
        job.map_or_else(LineShell::default, |job| LineShell::of(&job.shell))
    }

    /// Has the lines run that are for an event.
    pub(super) fn run_hooks(&mut self, kind: EventKind, id: &SessionId, data: &Value) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let Some(notice) = notice(kind, &session.life) else {
            return;
        };
        let of = session.spec.project.as_ref();
        let project = of.and_then(|of| self.projects.get(&of.id));
        let on = project.zip(of).and_then(|(project, of)| {
            let on = &project.applied.jobs.get(&of.job)?.on;
            match notice {
                Notice::Ready => on.ready.clone(),
                Notice::Failed => on.failed.clone(),
                Notice::Input => on.input.clone(),
                Notice::Done => None,
            }
        });
        let announces = session.spec.notify.contains(&notice);
        let command = self.settings.notify_command.filter(|_| announces);
        let of_file = format!("on.{} line", notice.as_str());
        let on = on.map(|line| (of_file, self.line_shell(session), line));
        let of_config = "notify_command".to_owned();
        let command = command.map(|line| (of_config, LineShell::default(), line.to_owned()));
        let lines: Vec<_> = on.into_iter().chain(command).collect();
        if lines.is_empty() {
            return;
        }
        let spec = self.sessions.io(id).and_then(SessionIo::spec);
        // Without a run it has the environment of the client that has asked for it.
        let caller = project.and_then(|project| project.caller.as_ref()?.env.as_ref());
        let mut env: Vec<(String, String)> = match (spec, caller) {
            (Some(spec), _) => pairs(spec.env.iter()),
            (None, Some(caller)) => pairs(
                caller
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str())),
            ),
            (None, None) => Vec::new(),
        };
        env.retain(|(name, _)| name != MARK);
        let log = self.sessions.log_files(id).pop().map(|file| file.path);
        let own = variables(session, log).map(|(name, value)| (name.to_owned(), value));
        env.extend(own);
        env.extend([
            ("BGPROC_JOB".to_owned(), name_of(session)),
            ("BGPROC_EVENT".to_owned(), notice.as_str().to_owned()),
            ("BGPROC_MESSAGE".to_owned(), message(session, notice, data)),
        ]);
        let cwd = spec.map_or_else(|| session.spec.cwd.clone(), |spec| spec.cwd.clone());
        for (what, shell, line) in lines {
            if self.hooks.waiting.len() >= MOST_WAITING {
                tracing::warn!(session = %id, what, "too many shell lines wait; it is not run");
                continue;
            }
            self.hooks.waiting.push_back(HookRun {
                session: id.clone(),
                what,
                shell,
                line,
                cwd: cwd.clone(),
                env: env.clone(),
            });
        }
    }
}

fn pairs<'a>(variables: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    variables.map(owned).collect()
}

fn name_of(session: &Session) -> String {
    let of = session.spec.project.as_ref().map(|of| of.job.clone());
    let label = || session.spec.label.clone();
    of.or_else(label).unwrap_or_else(|| session.id.to_string())
}

/// What an event of a session says to people.
fn notice(kind: EventKind, life: &Life) -> Option<Notice> {
    match kind {
        EventKind::Ready => Some(Notice::Ready),
        EventKind::InputNeeded => Some(Notice::Input),
        EventKind::Lost => Some(Notice::Failed),
        EventKind::Exited => {
            let by_limit = life
                .ended_by()
                .is_some_and(|by| by.kind == EndedByKind::Limit);
            match life.status() {
                Status::Done => Some(Notice::Done),
                status if status.is_failure() => Some(Notice::Failed),
                Status::Killed if by_limit => Some(Notice::Failed),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The event in words: `web failed: exit code 1`.
fn message(session: &Session, notice: Notice, data: &Value) -> String {
    let name = name_of(session);
    let reason = session.life.reason().filter(|reason| !reason.is_empty());
    match notice {
        Notice::Ready => format!("{name} is ready"),
        Notice::Done => {
            let seconds = session.life.runtime_ms(now()) / 1000;
            format!("{name} is done, took {seconds} s")
        }
        Notice::Failed => match reason {
            Some(reason) => format!("{name} failed: {reason}"),
            None => format!("{name} failed"),
        },
        Notice::Input => {
            let prompt = InputNeeded::deserialize(data).ok();
            let prompt = prompt.and_then(|data| data.prompt);
            match prompt.filter(|prompt| !prompt.is_empty()) {
                Some(prompt) => format!("{name} asks: {prompt}"),
                None => format!("{name} needs input"),
            }
        }
    }
}
