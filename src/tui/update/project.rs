//! Replies about projects: what was brought up and what became of it, plans, and mistakes in files.

use serde_json::Value;

use crate::protocol::project::PhaseName;
use crate::protocol::reply::{ProjectJob, ProjectState};
use crate::protocol::{Error, ErrorCode, SessionId};
use crate::term::sanitize::clean;
use crate::tui::message::{Cmd, ProjectRequest};
use crate::tui::model::Model;
use crate::tui::model::job::{Job, tilde};
use crate::tui::model::projects::{Here, planned_jobs};
use crate::tui::modes::{form, page, plan};
use crate::tui::project::{Aim, words};
use crate::tui::requests::refresh;

/// Handles a reply.
pub(super) fn received(
    model: &mut Model,
    request: ProjectRequest,
    value: Value,
    cmds: &mut Vec<Cmd>,
) {
    let Ok(state) = serde_json::from_value::<ProjectState>(value) else {
        return;
    };
    model.dirty = true;
    match request {
        ProjectRequest::Up { jobs, .. } => up(model, &state, &jobs),
        ProjectRequest::Down { stops, .. } => down(model, &state, stops),
        ProjectRequest::Plan { .. } => plan::show(model, state),
        ProjectRequest::Reload { .. } => reloaded(model, &state, cmds),
        ProjectRequest::Settle { dir, jobs } => settled(model, &dir, jobs.as_deref(), &state),
        ProjectRequest::Here => model.projects.here = Some(Here::of(&state)),
        ProjectRequest::Offer { dir } => form::offered(model, &dir, &state),
    }
}

fn up(model: &mut Model, state: &ProjectState, jobs: &[String]) {
    warn(model, state);
    let name = clean(&state.project.name);
    let changed = words::left_alone(state);
    if !changed.is_empty() {
        let have = if changed.len() == 1 { "has" } else { "have" };
        let key = model.key("ctrl-r").to_owned();
        let names = words::listed(&changed);
        model.note(format!(
            "{names} {have} another definition in the file. {key} shows what a reload changes."
        ));
    }
    match words::begun(state) {
        Some(text) => {
            let shell = shell(model, state, jobs);
            model.note_state(topic(state), text, shell);
            follow(model, state, jobs);
        }
        None if changed.is_empty() && state.settled => {
            tell(model, state, Some(&planned_jobs(state)), jobs);
        }
        None if changed.is_empty() => {
            model.note(format!("{name} is on its way up already."));
            follow(model, state, jobs);
        }
        None => {}
    }
}

fn follow(model: &mut Model, state: &ProjectState, named: &[String]) {
    let planned = Some(planned_jobs(state));
    model.projects.follow(&state.project.dir, planned, named);
}

/// The command that brings these jobs up; the whole project if there are none.
fn shell(model: &Model, state: &ProjectState, jobs: &[String]) -> Option<String> {
    let aim = Aim {
        jobs: jobs.to_vec(),
        ..Aim::whole(model, &state.project.dir)
    };
    aim.shell(model, "up").ok()
}

fn reloaded(model: &mut Model, state: &ProjectState, cmds: &mut Vec<Cmd>) {
    warn(model, state);
    refresh_left(model, state, cmds);
    let name = clean(&state.project.name);
    let aim = Aim::whole(model, &state.project.dir);
    let shell = aim.shell(model, "reload").ok();
    model.note_done(format!("Reloaded {name}."), shell);
    // Its jobs may have other names now. The plan has all that are wanted.
    model.projects.settled(&state.project.dir);
    follow(model, state, &[]);
}

/// Requests the records of the jobs that are not in the file any more. No event tells that they have left it.
fn refresh_left(model: &mut Model, state: &ProjectState, cmds: &mut Vec<Cmd>) {
    let has = |name: &str| state.jobs.iter().any(|job| job.job == name);
    let has_left = |job: &&Job| {
        let role = job.role().filter(|_| job.host().is_none());
        role.is_some_and(|role| role.project.dir == state.project.dir && !has(&role.job))
    };
    let left = model.jobs.iter().filter(has_left);
    let left: Vec<SessionId> = left.map(|job| job.id().clone()).collect();
    for id in &left {
        refresh(model, id, cmds);
    }
}

fn down(model: &mut Model, state: &ProjectState, stops: usize) {
    model.projects.settled(&state.project.dir);
    let name = clean(&state.project.name);
    let left: Vec<String> = state
        .jobs
        .iter()
        .filter(|job| job.phase == PhaseName::Stopping)
        .map(|job| clean(&job.job))
        .collect();
    if !state.warnings.is_empty() {
        warn_as_error(model, state);
    } else if !left.is_empty() {
        model.note(format!("{} of {name} still stops.", words::listed(&left)));
    } else {
        let aim = Aim::whole(model, &state.project.dir);
        let shell = aim.shell(model, "down").ok();
        let jobs = if stops == 1 {
            "1 job".to_owned()
        } else {
            format!("{stops} jobs")
        };
        model.note_done(format!("{name} is down ({jobs} stopped)."), shell);
    }
}

/// Tells what became of jobs that have settled. Those that have not are asked for again.
fn settled(model: &mut Model, dir: &str, jobs: Option<&[String]>, state: &ProjectState) {
    // Other jobs have been brought up since: the request about all of them is pending.
    let Some(known) = model.projects.waited_for(dir, jobs) else {
        return;
    };
    if !state.settled {
        known.is_asked = false;
        return;
    }
    if let Some(known) = model.projects.settled(dir)
        && state.up
    {
        tell(model, state, known.jobs.as_deref(), &known.named);
    }
}

/// Tells how the wanted jobs of a project are; of these only, if there are some. `named` are the jobs that a person
/// named, and for them the project does not stand.
fn tell(model: &mut Model, state: &ProjectState, of: Option<&[String]>, named: &[String]) {
    let is_meant = |job: &&ProjectJob| of.is_none_or(|names| names.contains(&job.job));
    let wanted = state.jobs.iter().filter(|job| job.wanted);
    let mut wanted: Vec<&ProjectJob> = wanted.filter(is_meant).collect();
    // Stable: causes come before what follows from them.
    wanted.sort_by_key(|job| job.phase == PhaseName::Skipped);
    let wrong: Vec<String> = wanted.iter().filter_map(|job| words::wrong(job)).collect();
    let name = clean(&state.project.name);
    match wrong.as_slice() {
        [] => {
            let own: Vec<&ProjectJob> = wanted
                .iter()
                .copied()
                .filter(|job| named.contains(&job.job))
                .collect();
            let text = match own.as_slice() {
                [] => format!("{name} is up: {}.", words::well(&wanted)),
                [job] => format!("{} is {}.", clean(&job.job), job.phase.as_str()),
                jobs => {
                    let names: Vec<String> = jobs.iter().map(|job| clean(&job.job)).collect();
                    let names = words::listed(&names);
                    format!("{names} are up: {}.", words::well(jobs))
                }
            };
            let shell = shell(model, state, named);
            model.note_state(topic(state), text, shell);
        }
        wrong => {
            let key = model.key("!").to_owned();
            let wrong = wrong.join("; ");
            let whole = format!("{name} is not all up: ");
            let whole = if named.is_empty() { &whole } else { "" };
            model.toasts.settle(&topic(state));
            model.fail(format!("{whole}{wrong}.  {key} goes there"));
        }
    }
}

/// What messages about the way of a project up are about: the last one stands in place of those before.
fn topic(state: &ProjectState) -> String {
    format!("up {}", state.project.dir)
}

fn warn(model: &mut Model, state: &ProjectState) {
    for warning in &state.warnings {
        model.note(format!("warning: {warning}"));
    }
}

fn warn_as_error(model: &mut Model, state: &ProjectState) {
    let name = clean(&state.project.name);
    model.fail(format!("{name}: {}", state.warnings.join("; ")));
}

/// Handles an error reply. Mistakes in a file are shown on a page of their own, since there may be twenty.
pub(super) fn refused(model: &mut Model, request: &ProjectRequest, error: &Error) {
    let dir = match request {
        ProjectRequest::Here => {
            model.projects.here = None;
            model.dirty = true;
            return;
        }
        ProjectRequest::Offer { .. } => return,
        // After a reconnect it is asked for again.
        ProjectRequest::Settle { dir, jobs } => {
            let is_pending = model.projects.waited_for(dir, jobs.as_deref()).is_some();
            if is_pending && error.code != ErrorCode::DaemonUnavailable {
                model.projects.settled(dir);
            }
            return;
        }
        ProjectRequest::Up { dir, .. }
        | ProjectRequest::Down { dir, .. }
        | ProjectRequest::Plan { dir }
        | ProjectRequest::Reload { dir } => dir,
    };
    let home = model.origin.home.as_deref();
    let name = Aim::whole(model, dir).name;
    let name = name.unwrap_or_else(|| clean(&tilde(dir, home)));
    let what = match request {
        ProjectRequest::Down { .. } => format!("{name} was not brought down"),
        ProjectRequest::Plan { .. } | ProjectRequest::Reload { .. } => {
            format!("{name} was not reloaded")
        }
        _ => format!("{name} was not brought up"),
    };
    let lines: Vec<&str> = error.message.lines().collect();
    if error.code == ErrorCode::InvalidProject && model.is_normal() {
        page::faults(model, format!("{what}: its file has mistakes"), &lines);
        return;
    }
    let message = lines.join("; ");
    let hint = error.hint.as_deref().map(|hint| format!("  {hint}"));
    model.fail(format!(
        "{what}: {}.{}",
        message.trim_end_matches('.'),
        hint.unwrap_or_default()
    ));
}
