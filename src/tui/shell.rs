//! The shell commands equivalent to actions of the dashboard, shown in palette rows and toasts.
//!
//! Pure. Names are quoted for a shell. A job whose name is ambiguous or not usable is named by its
//! id.

use super::keymap::Action;
use super::model::job::Job;
use super::model::rows::group_of;
use super::model::{Model, Selected};
use super::state::State;
use crate::protocol::shell::quote;
use crate::protocol::{SessionId, Status, name};

/// The command for an action on the selection; `None` if there is none.
pub fn command(action: Action, model: &Model) -> Option<String> {
    match action {
        Action::RestartGroup | Action::StopGroup => say(action, &selected_group(model)?),
        Action::Pause if all_paused(model) => {
            Some(format!("bgproc resume {}", words(model, &model.targets())?))
        }
        Action::New => None,
        Action::Duplicate => run(model.current()?),
        Action::Stop | Action::Kill | Action::Restart | Action::Pause | Action::Remove => {
            say(action, &words(model, &model.targets())?)
        }
        action if is_about_all(action) => say(action, ""),
        action => say(action, &name(model, model.current_id()?)),
    }
}

/// The command for an action on these jobs; `None` if there is none.
pub fn for_jobs(action: Action, model: &Model, ids: &[SessionId]) -> Option<String> {
    let targets = words(model, ids)?;
    let hides = |id: &SessionId| {
        let job = model.job(id);
        job.is_some_and(|job| job.state() == State::NeedsPassword)
    };
    match action {
        // A password on the command line would end up in the shell's history.
        Action::Reply if ids.iter().any(hides) => Some(format!("bgproc send --password {targets}")),
        _ => say(action, &targets),
    }
}

/// The command for an action on `targets`, which are shell words.
pub fn say(action: Action, targets: &str) -> Option<String> {
    let verb = match action {
        Action::Attach | Action::Type => "attach",
        Action::Reply => return Some(format!("bgproc send {targets} TEXT")),
        Action::Find => return Some(format!("bgproc find TEXT --jobs {targets}")),
        Action::FindAll => return Some("bgproc find TEXT".to_owned()),
        Action::Signal => return Some(format!("bgproc kill -s INT {targets}")),
        Action::Rewind => "replay",
        Action::Stop | Action::StopGroup => "stop",
        Action::Kill => "kill",
        Action::Restart | Action::RestartGroup => "restart",
        Action::Pause => "pause",
        Action::Decline => "decline",
        Action::Remove => "rm",
        Action::Scroll | Action::Pager => "logs",
        Action::Details => "status",
        Action::CopyScreen => "capture",
        Action::CopyLog => "logs -n 100",
        Action::StopAll | Action::QuitAndStop => return Some("bgproc stop --all".to_owned()),
        Action::RemoveEnded => return Some("bgproc clean".to_owned()),
        _ => return None,
    };
    Some(format!("bgproc {verb} {targets}"))
}

/// The command that starts a copy of this job.
pub fn run(job: &Job) -> Option<String> {
    let summary = &job.record.summary;
    let mut text = String::from("bgproc run");
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
        let twin = model
            .jobs
            .iter()
            .any(|other| other.id() != id && other.record.summary.label.as_deref() == Some(label));
        let odd = name::fault(label).is_some();
        (!twin && !odd).then(|| quote(label).into_owned())
    });
    by_label.unwrap_or_else(|| id.to_string())
}

/// Jobs as shell words: `g:shop` if they are all jobs of a group, otherwise the name of each.
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
    let same = members.len() == ids.len() && ids.iter().all(|id| members.contains(&id));
    same.then(|| quote(&format!("g:{group}")).into_owned())
}

fn selected_group(model: &Model) -> Option<String> {
    let key = match &model.selected {
        Selected::Group(key) => key.clone(),
        _ => group_of(model.current()?).0,
    };
    let ids = model.jobs.iter().filter(|job| group_of(job).0 == key);
    let ids: Vec<SessionId> = ids.map(|job| job.id().clone()).collect();
    match key.strip_prefix("g:") {
        Some(group) => Some(quote(&format!("g:{group}")).into_owned()),
        None => words(model, &ids),
    }
}

fn all_paused(model: &Model) -> bool {
    let alive: Vec<_> = model
        .targets()
        .iter()
        .filter_map(|id| model.job(id))
        .filter(|job| job.is_alive())
        .map(|job| job.record.summary.status)
        .collect();
    !alive.is_empty() && alive.iter().all(|status| *status == Status::Paused)
}

fn is_about_all(action: Action) -> bool {
    matches!(
        action,
        Action::StopAll | Action::QuitAndStop | Action::RemoveEnded
    )
}
