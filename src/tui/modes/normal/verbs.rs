//! Actions on jobs, and their confirmations.

use super::keys::Action as Key;
use super::questions::{Ask, kept_bytes};
use super::{obstacle, quit};
use crate::protocol::params::Decline;
use crate::protocol::{Action, SessionId};
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::modes::confirm::ask;
use crate::tui::state::State;
use crate::tui::{removal, requests, shell};

/// Asks before stopping the selected jobs.
pub(super) fn stop(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some(ids) = model.alive_targets("stop") {
        ask(model, Ask::Stop(ids), cmds);
    }
}

/// Asks before stopping the group of the selected job.
pub(super) fn stop_group(model: &mut Model, cmds: &mut Vec<Cmd>) {
    match quit::group(model) {
        Some((_, ids)) => ask(model, Ask::Stop(ids), cmds),
        None => model.note(obstacle::GROUP_RESTS),
    }
}

/// Asks before stopping all jobs.
pub(super) fn stop_all(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let ids = model.alive();
    if ids.is_empty() {
        model.note(obstacle::NONE_RUNS);
    } else {
        ask(model, Ask::Stop(ids), cmds);
    }
}

/// Asks before killing the selected jobs.
pub(super) fn kill(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some(ids) = model.alive_targets("kill") {
        ask(model, Ask::Kill(ids), cmds);
    }
}

/// Restarts the selected jobs; asks if one of them runs or if there are several.
pub(super) fn restart(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let ids = model.targets();
    if let Some(why) = obstacle::obstacle(model, Key::Restart).filter(|_| !ids.is_empty()) {
        return model.note(why);
    }
    let alive = ids
        .iter()
        .filter_map(|id| model.job(id))
        .any(|job| job.is_going());
    match ids.as_slice() {
        [] => model.note(format!(
            "There is no job to restart. {} starts one.",
            model.key("n")
        )),
        [_] if !alive => requests::restart(model, &ids, cmds),
        _ => ask(model, Ask::Restart(ids), cmds),
    }
}

/// Starts those of the selected jobs that were lost and have a command that continues them.
pub(super) fn resume(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let mut ids = model.targets();
    ids.retain(|id| {
        model
            .job(id)
            .is_some_and(|job| job.continued_by().is_some())
    });
    match obstacle::obstacle(model, super::keys::Action::Resume) {
        Some(why) => model.note(why),
        None => requests::resume(&ids, cmds),
    }
}

/// Asks before killing what has survived a stop of the selected jobs; `false` if nothing has.
pub(super) fn kill_survivors(model: &mut Model, cmds: &mut Vec<Cmd>) -> bool {
    let ids = survivors(model);
    let some = !ids.is_empty();
    if some {
        ask(model, Ask::KillSurvivors(ids), cmds);
    }
    some
}

/// The selected jobs that have survived a stop.
pub(super) fn survivors(model: &Model) -> Vec<SessionId> {
    let mut ids = model.targets();
    ids.retain(|id| model.survivors.contains_key(id));
    ids
}

/// Continues the selected jobs if all are paused; otherwise asks before pausing them.
pub(super) fn pause(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some(why) = obstacle::not_started(model).filter(|_| model.list.marked.is_empty()) {
        return model.note(why);
    }
    let Some(mut ids) = model.alive_targets("pause") else {
        return;
    };
    if let Some(why) = obstacle::all_wait(model) {
        return model.note(why);
    }
    ids.retain(|id| model.job(id).is_some_and(Job::has_process));
    if shell::all_paused(model) {
        requests::pause(&ids, false, cmds);
    } else {
        ask(model, Ask::Pause(ids), cmds);
    }
}

/// Declines the agents' questions about the selected job.
pub(super) fn decline(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let asked = model.current().filter(|job| !job.record.asked.is_empty());
    let Some(id) = asked.map(|job| job.id().clone()) else {
        model.note("No agent asks anything about this job.");
        return;
    };
    let params = Decline {
        session_id: id.to_string(),
    };
    cmds.push(Cmd::Request(
        RequestKind::Decline(id),
        Action::Decline(params),
    ));
}

/// Removes the selected jobs that have ended; asks unless it is a single job that ended
/// successfully.
pub(super) fn remove(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let targets = model.targets();
    let ended: Vec<SessionId> = targets
        .iter()
        .filter(|id| model.job(id).is_some_and(|job| !job.is_going()))
        .cloned()
        .collect();
    match (ended.as_slice(), targets.as_slice()) {
        (_, []) => model.note("There is no job to remove."),
        ([], [id]) => {
            if let Some(why) = model.job(id).map(|job| obstacle::not_ended(model, job)) {
                model.note(why);
            }
        }
        ([], _) => model.note(format!(
            "All of these jobs are running. {} stops them, then {} removes them.",
            model.key("x"),
            model.key("d")
        )),
        ([id], _) if model.job(id).map(|job| job.state()) == Some(State::Done) => {
            removal::remove(model, &ended);
        }
        _ => ask(model, Ask::Remove(ended), cmds),
    }
}

/// Asks before restarting the whole group of the selected job.
pub(super) fn restart_group(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let members = model.group_members().into_iter();
    let ids: Vec<SessionId> = members.map(|job| job.id().clone()).collect();
    if ids.is_empty() {
        model.note(obstacle::NO_GROUP);
    } else {
        ask(model, Ask::Restart(ids), cmds);
    }
}

/// The jobs with a program that can be run again: those of batch systems run once.
pub(super) fn running(model: &Model) -> Vec<SessionId> {
    let runs = |job: &&Job| job.has_process() || job.is_retrying();
    let jobs = model.jobs.iter().filter(runs);
    let jobs = jobs.filter(|job| job.record.summary.launcher.is_none());
    jobs.map(|job| job.id().clone()).collect()
}

/// Asks before restarting all jobs that run.
pub(super) fn restart_all(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let ids = running(model);
    if ids.is_empty() {
        model.note(obstacle::NONE_RUNS);
    } else {
        ask(model, Ask::Restart(ids), cmds);
    }
}

/// Why there is no log to clear, if that is so.
pub(super) fn no_log(model: &Model) -> Option<String> {
    if !with_log(model).is_empty() {
        return None;
    }
    Some(match model.targets().as_slice() {
        [] => "There is no log to clear.".to_owned(),
        [id] => format!("The log of {} is empty.", model.name_of(id)),
        _ => "The logs of these jobs are empty.".to_owned(),
    })
}

/// The selected jobs of which some output is kept.
fn with_log(model: &Model) -> Vec<SessionId> {
    let mut ids = model.targets();
    ids.retain(|id| model.job(id).is_some_and(|job| kept_bytes(job) > 0));
    ids
}

/// Asks before clearing the logs of the selected jobs.
pub(super) fn clear(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let ids = with_log(model);
    if let Some(why) = no_log(model) {
        model.note(why);
    } else {
        ask(model, Ask::Clear(ids), cmds);
    }
}

/// All ended jobs; with a filter, only those that match it.
pub(super) fn ended(model: &Model) -> Vec<SessionId> {
    let query = model.query();
    let ended = model.jobs.iter().filter(|job| !job.is_going());
    let ended = ended.filter(|job| query.matches(job));
    ended.map(|job| job.id().clone()).collect()
}

/// Asks before removing all ended jobs; with a filter, only those that match it.
pub(super) fn remove_ended(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let ended = ended(model);
    if ended.is_empty() {
        model.note(obstacle::none_ended(model));
    } else {
        ask(model, Ask::Remove(ended), cmds);
    }
}
