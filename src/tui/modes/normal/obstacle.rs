//! Why a command cannot be done now. The palette shows it; the keys of these commands say the same or
//! more.

use super::keys::Action;
use super::kind::{self, About, Reach};
use super::{project, queues, verbs};
use crate::term::sanitize::clean;
use crate::tui::list::fold::nothing_to_fold;
use crate::tui::list::width;
use crate::tui::model::job::Job;
use crate::tui::model::rows::Row;
use crate::tui::model::{Attached, Model, READ_ONLY};
use crate::tui::modes::compare;
use crate::tui::state::State;

/// Why there is nothing to remove.
pub(super) fn none_ended(model: &Model) -> String {
    let which = if model.query().is_empty() {
        ""
    } else {
        " that is shown"
    };
    format!("No job{which} has ended: there is nothing to remove.")
}

/// Said of a command on marked jobs if none is.
pub(super) fn none_marked(model: &Model) -> String {
    format!(
        "No job is marked. {} marks one, {} all listed jobs.",
        model.key("space"),
        model.key("*")
    )
}

/// Said if no job of the group can be stopped.
pub(super) const GROUP_RESTS: &str = "Nothing of this group runs.";

/// Said if there is no job to stop.
pub(super) const NONE_RUNS: &str = "No job is running.";

/// Said if there is no group to restart.
pub(super) const NO_GROUP: &str = "There is no group to restart.";

/// Why `action` has no effect now, in a sentence; `None` if it has one.
pub(super) fn obstacle(model: &Model, action: Action) -> Option<String> {
    let detaches = action == Action::Remove && model.attached != Attached::No;
    if detaches {
        return None;
    }
    let kind = kind::of(action);
    if model.options.read_only && kind.reach == Reach::Changes {
        return Some(READ_ONLY.to_owned());
    }
    match action {
        Action::Pause if model.list.marked.is_empty() => {
            not_started(model).or_else(|| no_target_has_process(model))
        }
        Action::Pause => no_target_has_process(model),
        Action::Stop | Action::Kill => no_target_runs(model),
        Action::Signal if verbs::survivors(model).is_empty() => no_target_has_process(model),
        Action::Restart | Action::Copy if model.targets().is_empty() => Some(NO_JOB.to_owned()),
        Action::Restart => of_engine(model),
        Action::Resume => no_target_lost(model),
        Action::Remove => no_target_ended(model),
        Action::RemoveEnded => verbs::ended(model).is_empty().then(|| none_ended(model)),
        Action::StopGroup => super::quit::group(model)
            .is_none()
            .then(|| GROUP_RESTS.to_owned()),
        Action::StopAll => model.alive().is_empty().then(|| NONE_RUNS.to_owned()),
        Action::RestartAll => verbs::running(model)
            .is_empty()
            .then(|| NONE_RUNS.to_owned()),
        Action::PauseQueue => queues::none_chosen(model),
        Action::StartNow | Action::MoveFirst | Action::MoveLast => queues::none_waits(model),
        Action::ClearLog => verbs::no_log(model),
        Action::RestartGroup if model.group_members().is_empty() => Some(NO_GROUP.to_owned()),
        Action::TypeAll if model.list.marked.is_empty() => Some(none_marked(model)),
        Action::Compare if model.list.marked.len() != 2 => {
            Some(compare::needs_two(model, model.list.marked.len()))
        }
        Action::Undo if model.removed.is_none() => Some("There is nothing to put back.".to_owned()),
        Action::ProjectUp | Action::ProjectReload | Action::ProjectDown | Action::Exec => {
            project::obstacle(model, action)
        }
        Action::Fold | Action::Unfold | Action::FoldAll => fold(model, action),
        Action::NextAlert => no_alert(model),
        Action::Narrower | Action::Wider => {
            let is_alone = model.layout().divider.is_none();
            is_alone.then(|| width::NO_DIVIDER.to_owned())
        }
        Action::Previous => no_previous(model),
        Action::FindAll | Action::Filter | Action::MarkAll | Action::Mark => model
            .jobs
            .is_empty()
            .then(|| "There is no job yet.".to_owned()),
        _ => match kind.about {
            About::Job | About::Targets => of_job(model, action),
            About::Nothing | About::Group | About::Project => None,
        },
    }
}

const NO_JOB: &str = "No job is selected.";

fn no_alert(model: &Model) -> Option<String> {
    let is_quiet = !model.jobs.iter().any(|job| job.state().calls());
    is_quiet.then(|| "No job needs attention.".to_owned())
}

fn no_previous(model: &Model) -> Option<String> {
    let before = model.list.previous.as_ref();
    let is_gone = before.is_none_or(|id| model.job(id).is_none());
    is_gone.then(|| "There is no previous job.".to_owned())
}

/// Why a command on the job in the pane is impossible.
fn of_job(model: &Model, action: Action) -> Option<String> {
    let Some(job) = model.current() else {
        // Enter folds a group.
        let folds = action == Action::Attach && model.group().is_some();
        return (!folds).then(|| NO_JOB.to_owned());
    };
    let name = &job.name;
    match action {
        Action::Type | Action::Attach if job.state().waits() => not_started(model),
        Action::Type | Action::TakeKeyboard if !job.is_going() => {
            Some(format!("{name} has ended and takes no input."))
        }
        Action::Reply if !job.is_going() => Some(format!("{name} has ended and takes no input.")),
        Action::Reply if !job.state().needs_input() => {
            Some(format!("{name} is not waiting for an answer."))
        }
        Action::Decline if job.record.asked.is_empty() => {
            Some(format!("No agent asks anything about {name}."))
        }
        Action::Duplicate => no_copy(job),
        Action::CopyReport if !job.state().failed() => Some(format!("{name} has not failed.")),
        _ => None,
    }
}

/// Why a job cannot be copied: what it asked of its batch system is not known.
fn no_copy(job: &Job) -> Option<String> {
    let launcher = job.record.summary.launcher.as_ref()?;
    let far = job.host().map(|host| format!(" -H {}", clean(host)));
    Some(format!(
        "{} is a job of {}, and what it asked of it is not known. bgproc{} run --on {} starts another.",
        job.name,
        launcher.kind.name(),
        far.unwrap_or_default(),
        clean(&launcher.name),
    ))
}

/// Why nothing can be done with the program of the job in the pane, if it waits for its start.
pub(super) fn not_started(model: &Model) -> Option<String> {
    let job = model.current().filter(|job| job.state().waits())?;
    let why = job.why().map(|why| format!(": {why}"));
    let (name, word) = (&job.name, job.word());
    Some(format!(
        "{name} does not run ({word}{}).",
        why.unwrap_or_default()
    ))
}

/// The jobs that a command is about.
fn targets(model: &Model) -> Vec<&Job> {
    let ids = model.targets();
    ids.iter().filter_map(|id| model.job(id)).collect()
}

/// Why none of the targets can be restarted, if batch systems ran all of them.
fn of_engine(model: &Model) -> Option<String> {
    let jobs = targets(model);
    if jobs.iter().any(|job| job.record.summary.launcher.is_none()) {
        return None;
    }
    let job = jobs.first()?;
    let launcher = job.record.summary.launcher.as_ref()?;
    Some(format!(
        "{} is a job of {} and cannot be restarted. bgproc run --on {} starts another.",
        job.name,
        launcher.kind.name(),
        clean(&launcher.name),
    ))
}

fn no_target_runs(model: &Model) -> Option<String> {
    let jobs = targets(model);
    if jobs.iter().any(|job| job.is_going()) {
        return None;
    }
    Some(match jobs.as_slice() {
        [] => NO_JOB.to_owned(),
        [job] => format!("{} has ended already ({}).", job.name, job.word()),
        _ => "All of these jobs have ended already.".to_owned(),
    })
}

/// Why none of the targets can be sent a signal.
fn no_target_has_process(model: &Model) -> Option<String> {
    no_target_runs(model).or_else(|| all_wait(model))
}

/// Why none of the targets can be sent a signal, if those that have not ended wait for their next run.
pub(super) fn all_wait(model: &Model) -> Option<String> {
    let mut jobs = targets(model);
    jobs.retain(|job| job.is_going());
    if jobs.iter().any(|job| job.has_process()) {
        return None;
    }
    match jobs.as_slice() {
        [] => None,
        [job] => Some(format!("{} does not run now ({}).", job.name, job.word())),
        _ => Some("None of these jobs runs now.".to_owned()),
    }
}

fn no_target_lost(model: &Model) -> Option<String> {
    let jobs = targets(model);
    if jobs.iter().any(|job| job.continued_by().is_some()) {
        return None;
    }
    Some(match jobs.as_slice() {
        [] => NO_JOB.to_owned(),
        [job] if job.state() == State::Lost => format!(
            "{} has no command that continues it; {} runs it again.",
            job.name,
            model.key("r")
        ),
        [job] => format!(
            "Nothing to continue: {} was not lost in a crash or a restart of the machine.",
            job.name
        ),
        _ => "None of these jobs was lost and can be continued.".to_owned(),
    })
}

fn no_target_ended(model: &Model) -> Option<String> {
    let jobs = targets(model);
    if jobs.iter().any(|job| !job.is_going()) {
        return None;
    }
    Some(match jobs.as_slice() {
        [] => NO_JOB.to_owned(),
        [job] => not_ended(model, job),
        _ => "All of these jobs are running.".to_owned(),
    })
}

/// Why a job that has not ended cannot be removed, and how it can.
pub(super) fn not_ended(model: &Model, job: &Job) -> String {
    let (name, stop, remove) = (&job.name, model.key("x"), model.key("d"));
    if job.state().waits() || job.is_retrying() {
        format!(
            "{name} waits ({}). {stop} ends the waiting, then {remove} removes it.",
            job.word()
        )
    } else {
        format!("{name} is running. {stop} stops it, then {remove} removes it.")
    }
}

/// Why `l` does not log in to the host of the selected row: the view may only look. What is folded can be unfolded.
pub(super) fn no_login(model: &Model) -> Option<String> {
    let key = model.group_key();
    let is_folded = key.is_some_and(|key| model.list.folded.contains(&key));
    (model.options.read_only && !is_folded).then(|| READ_ONLY.to_owned())
}

fn fold(model: &Model, action: Action) -> Option<String> {
    if action == Action::Unfold && model.host_to_log_in().is_some() {
        return no_login(model);
    }
    let headed = matches!(model.list.rows.first(), Some(Row::Group(_)));
    let Some(key) = model.group_key().filter(|_| headed) else {
        return Some(nothing_to_fold(model).to_owned());
    };
    if !model.query().is_empty() {
        return Some("A filter shows all groups unfolded.".to_owned());
    }
    match (action, model.list.folded.contains(&key)) {
        (Action::Fold, true) => Some("The group is folded already.".to_owned()),
        (Action::Unfold, false) => Some("The group is unfolded already.".to_owned()),
        _ => None,
    }
}
