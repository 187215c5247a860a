//! The shell commands equivalent to what the dashboard does, shown in palette rows and toasts.
//!
//! Pure. Names are quoted for a shell. A job whose name is ambiguous or not usable is named by its
//! id.

use super::model::Model;
use super::model::job::Job;
use super::state::State;
use crate::protocol::shell::quote;
use crate::protocol::{SessionId, Status, name};

/// What the shell does with jobs, in the words of the dashboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verb {
    /// Types into a job.
    Attach,
    /// Sends a line to a job.
    Send,
    /// Changes the name of a job.
    Rename,
    /// Sends a password to a job.
    SendPassword,
    /// Searches the log of a job.
    Find,
    /// Searches all logs.
    FindAll,
    /// Sends a signal, and nothing else.
    Signal,
    /// Starts a job.
    Run,
    /// Starts jobs of a queue out of turn.
    Start,
    /// Moves jobs to the front of their queue.
    MoveFirst,
    /// Moves jobs to the end of their queue.
    MoveLast,
    /// Clears the logs of jobs.
    Clear,
    /// Stops jobs.
    Stop,
    /// Stops all jobs.
    StopAll,
    /// Kills jobs.
    Kill,
    /// Restarts jobs.
    Restart,
    /// Pauses jobs.
    Pause,
    /// Continues paused jobs.
    Resume,
    /// Declines an agent's question.
    Decline,
    /// Removes jobs.
    Remove,
    /// Removes all ended jobs.
    Clean,
    /// Shows the log of a job.
    Logs,
    /// Shows the details of a job.
    Status,
    /// Lets agents read a job.
    Share,
    /// Hides a job from agents.
    Unshare,
    /// Writes the log of a job into a file.
    Export,
    /// Plays the recording of a job.
    Replay,
}

impl Verb {
    /// Every verb.
    pub const ALL: [Self; 27] = [
        Self::Attach,
        Self::Send,
        Self::Rename,
        Self::SendPassword,
        Self::Find,
        Self::FindAll,
        Self::Signal,
        Self::Run,
        Self::Start,
        Self::MoveFirst,
        Self::MoveLast,
        Self::Clear,
        Self::Stop,
        Self::StopAll,
        Self::Kill,
        Self::Restart,
        Self::Pause,
        Self::Resume,
        Self::Decline,
        Self::Remove,
        Self::Clean,
        Self::Logs,
        Self::Status,
        Self::Share,
        Self::Unshare,
        Self::Export,
        Self::Replay,
    ];

    /// The command on `targets`, which are shell words.
    pub fn on(self, targets: &str) -> String {
        let verb = match self {
            Self::Attach => "attach",
            Self::Send => return format!("bgproc send {targets} TEXT"),
            Self::Rename => return format!("bgproc rename {targets} NAME"),
            Self::SendPassword => "send --password",
            Self::Find => return format!("bgproc find TEXT --jobs {targets}"),
            Self::FindAll => return "bgproc find TEXT".to_owned(),
            Self::Signal => return format!("bgproc signal {targets} SIG"),
            Self::Run => return "bgproc run COMMAND".to_owned(),
            Self::Start => "start",
            Self::MoveFirst => return format!("bgproc move {targets} --first"),
            Self::MoveLast => return format!("bgproc move {targets} --last"),
            Self::Clear => "clear",
            Self::Stop => "stop",
            Self::StopAll => return "bgproc stop --all".to_owned(),
            Self::Kill => "kill",
            Self::Restart => "restart",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Decline => "decline",
            Self::Remove => "rm",
            Self::Clean => return "bgproc clean".to_owned(),
            Self::Logs => "logs",
            Self::Status => "status",
            Self::Share => return format!("bgproc share {targets} read"),
            Self::Unshare => return format!("bgproc share {targets} none"),
            Self::Export => return format!("bgproc export {targets} -o log.html"),
            Self::Replay => "replay",
        };
        format!("bgproc {verb} {targets}")
    }
}

/// The command for a verb on what is selected; `None` if nothing is.
pub fn on_selected(verb: Verb, model: &Model) -> Option<String> {
    Some(match verb {
        // The command for all stops those of this machine only.
        Verb::StopAll if model.alive().iter().any(|id| id.host().is_some()) => {
            Verb::Stop.on(&words(model, &model.alive())?)
        }
        Verb::StopAll | Verb::Clean | Verb::FindAll | Verb::Run => verb.on(""),
        Verb::Stop | Verb::Kill | Verb::Restart | Verb::Remove => {
            verb.on(&words(model, &model.targets())?)
        }
        // A password on the command line would end up in the shell's history.
        Verb::Send if model.current()?.state() == State::NeedsPassword => {
            Verb::SendPassword.on(&name(model, model.current_id()?))
        }
        _ => verb.on(&name(model, model.current_id()?)),
    })
}

/// The command for a verb on the group of what is selected.
pub fn on_group(verb: Verb, model: &Model) -> Option<String> {
    Some(verb.on(&selected_group(model)?))
}

/// The command for a verb on these jobs; `None` if there are none.
pub fn on_jobs(verb: Verb, model: &Model, ids: &[SessionId]) -> Option<String> {
    Some(verb.on(&words(model, ids)?))
}

/// The command that starts a copy of this job. What it asked of a batch system is not known.
pub fn run(job: &Job) -> Option<String> {
    let summary = &job.record.summary;
    let mut text = String::from("bgproc");
    if let Some(host) = job.host() {
        text.push_str(&format!(" -H {}", quote(host)));
    }
    text.push_str(" run");
    if let Some(launcher) = &summary.launcher {
        text.push_str(&format!(" --on {}", quote(&launcher.name)));
    }
    if let Some(label) = &summary.label {
        text.push_str(&format!(" -n {}", quote(label)));
    }
    if let Some(group) = &summary.group {
        text.push_str(&format!(" -g {}", quote(group)));
    }
    text.push_str(&format!(" -C {} -- ", quote(&summary.cwd)));
    // `run` treats a single word as a shell command line, and several words as a program with
    // arguments.
    match &summary.args {
        Some(_) => text.push_str(&job.shell_line()),
        None => text.push_str(&quote(&summary.command)),
    }
    Some(text)
}

/// How a job is named in a shell command.
pub fn name(model: &Model, id: &SessionId) -> String {
    let by_label = model.job(id).and_then(|job| {
        let label = job.record.summary.label.as_deref()?;
        let twin = model.jobs.iter().any(|other| {
            other.id() != id
                && other.id().host() == id.host()
                && other.record.summary.label.as_deref() == Some(label)
        });
        let odd = name::fault(label).is_some();
        (!twin && !odd).then(|| match id.host() {
            Some(host) => quote(&format!("{label}@{host}")).into_owned(),
            None => quote(label).into_owned(),
        })
    });
    by_label.unwrap_or_else(|| id.to_string())
}

/// Jobs as shell words: `g:shop` if they are all jobs of a group on this machine, otherwise the name of each.
fn words(model: &Model, ids: &[SessionId]) -> Option<String> {
    if let [_, _, ..] = ids
        && let Some(group) = whole_group(model, ids)
    {
        return Some(group);
    }
    let names: Vec<String> = ids.iter().map(|id| name(model, id)).collect();
    (!names.is_empty()).then(|| names.join(" "))
}

/// `g:shop` if these are all existing jobs of a group.
fn whole_group(model: &Model, ids: &[SessionId]) -> Option<String> {
    let group = model.job(ids.first()?)?.record.summary.group.clone()?;
    let members = model
        .jobs
        .iter()
        .filter(|job| job.record.summary.group.as_ref() == Some(&group));
    let members: Vec<&SessionId> = members.map(Job::id).collect();
    let same = members.len() == ids.len()
        && ids
            .iter()
            .all(|id| members.contains(&id) && id.host().is_none());
    same.then(|| quote(&format!("g:{group}")).into_owned())
}

fn selected_group(model: &Model) -> Option<String> {
    let key = model.group_key()?;
    if let Some(name) = key.name_here() {
        return Some(quote(&format!("g:{name}")).into_owned());
    }
    let members = model.group_members().into_iter();
    let ids: Vec<SessionId> = members.map(|job| job.id().clone()).collect();
    words(model, &ids)
}

/// Whether all selected jobs that are alive are paused.
pub fn all_paused(model: &Model) -> bool {
    let alive: Vec<_> = model
        .targets()
        .iter()
        .filter_map(|id| model.job(id))
        .filter(|job| job.is_going())
        .map(|job| job.record.summary.status)
        .collect();
    !alive.is_empty() && alive.iter().all(|status| *status == Status::Paused)
}
