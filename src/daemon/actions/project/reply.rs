//! How the jobs of a project are, for clients.

use std::collections::BTreeSet;

use super::read::Loaded;
use crate::daemon::actions::list::{OUTPUT_CHARS, last_lines};
use crate::daemon::hub::Hub;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::project::{Project, named};
use crate::daemon::requests::replies::answer;
use crate::daemon::state::State;
use crate::daemon::state::guessed_readiness::{is_guessed, told};
use crate::daemon::state::phases::{next_run, why};
use crate::daemon::state::watches::{suspension, watching};
use crate::daemon::tasks::usage;
use crate::daemon::transport::Answer;
use crate::engine::input::needs;
use crate::engine::project::{Phase, Standing};
use crate::engine::session::Session;
use crate::project::{self as file, Fault};
use crate::protocol::project::PhaseName;
use crate::protocol::reply::{PlannedChange, ProjectJob, ProjectState};
use crate::protocol::shell::quote;
use crate::protocol::{Error, RestartPolicy, Status};
use crate::sys::signal;

/// The state of a known project. It says whether all has settled, and whether anything has failed, of `only` these
/// jobs, or of all that are wanted.
pub(super) async fn state(hub: &Hub, id: &ProjectId, only: Option<&BTreeSet<String>>) -> Answer {
    answer(state_of(hub, id, only).await?)
}

/// The state of a known project, with the plan that was carried out and what is odd about its files.
pub(super) async fn planned(
    hub: &Hub,
    id: &ProjectId,
    only: Option<&BTreeSet<String>>,
    plan: Vec<PlannedChange>,
    warnings: &[Fault],
) -> Answer {
    with_plan(state_of(hub, id, only).await?, plan, warnings)
}

/// What would change in a known project, with the jobs that only the file has.
pub(super) async fn plan(
    hub: &Hub,
    id: &ProjectId,
    plan: Vec<PlannedChange>,
    loaded: &Loaded,
) -> Answer {
    let mut state = state_of(hub, id, None).await?;
    let is_new = |new: &ProjectJob| !state.jobs.iter().any(|known| known.job == new.job);
    let of_file = state_of_file(loaded).jobs.into_iter();
    let new: Vec<ProjectJob> = of_file.filter(is_new).collect();
    state.jobs.extend(new);
    with_plan(state, plan, &loaded.project.warnings)
}

fn with_plan(mut state: ProjectState, plan: Vec<PlannedChange>, warnings: &[Fault]) -> Answer {
    state.plan = plan;
    let warnings = warnings.iter().map(ToString::to_string);
    state.warnings.extend(warnings);
    answer(state)
}

/// The state of a project that was never up.
pub(super) fn of_file(loaded: &Loaded) -> Answer {
    answer(state_of_file(loaded))
}

/// The state of a project that was never up, with what `up` would do.
pub(super) fn planned_of_file(loaded: &Loaded, plan: Vec<PlannedChange>) -> Answer {
    answer(ProjectState {
        plan,
        ..state_of_file(loaded)
    })
}

pub(super) fn state_of_file(loaded: &Loaded) -> ProjectState {
    let project = &loaded.project;
    let jobs = project.order.iter().filter_map(|name| {
        let defined = project.jobs.get(name)?;
        Some(ProjectJob {
            needs: defined.needs.clone(),
            ..job_named(name, PhaseName::Stopped)
        })
    });
    ProjectState {
        project: named(&project.name, &loaded.worktree(), &project.dir),
        up: false,
        ended_by: None,
        files: files(project),
        seq: 0,
        settled: true,
        failed: false,
        jobs: jobs.collect(),
        plan: Vec::new(),
        warnings: project.warnings.iter().map(ToString::to_string).collect(),
        environment: None,
    }
}

pub(super) async fn state_of(
    hub: &Hub,
    id: &ProjectId,
    only: Option<&BTreeSet<String>>,
) -> Result<ProjectState, Error> {
    let mut reply = without_guesses(&hub.read(), id, only)?;
    if reply.settled {
        guess_ready(hub, id, &mut reply.jobs).await;
    }
    Ok(reply)
}

fn without_guesses(
    state: &State,
    id: &ProjectId,
    only: Option<&BTreeSet<String>>,
) -> Result<ProjectState, Error> {
    let project = state.projects.get(id);
    let project = project.ok_or_else(|| Error::internal("the project is not known any more"))?;
    let settled = state.has_settled(project, only);
    let order = project.applied.order.iter();
    let jobs = order.filter_map(|name| job(state, project, name));
    Ok(ProjectState {
        project: project.name(),
        up: project.wish.standing == Standing::Up,
        ended_by: project.wish.ended_by.clone(),
        files: files(&project.applied),
        seq: project.seq,
        settled,
        failed: state.has_failed(project, only),
        jobs: jobs.collect(),
        plan: Vec::new(),
        warnings: survivors(project)
            .into_iter()
            .chain(failed_stops(project))
            .chain(unwatched(project))
            .collect(),
        environment: None,
    })
}

/// The end of the output of a session's last run; `None` if it has never run.
fn last_output(state: &State, session: &Session) -> Option<String> {
    let from = session.life.runs().last()?.offset;
    // Right after a takeover no output has been rendered yet.
    let written = state
        .sessions
        .io(&session.id)
        .map_or(0, |io| io.log.bounds().1);
    let to = state.sessions.log_end(&session.id).max(written);
    let first = state.sessions.log_first(&session.id);
    let piece = state
        .sessions
        .piece(&session.id, from.max(first), to, OUTPUT_CHARS);
    Some(last_lines(&piece.text))
}

/// Says of services without a probe that they are ready, as far as their ports tell.
async fn guess_ready(hub: &Hub, id: &ProjectId, jobs: &mut [ProjectJob]) {
    let is_any_guessed = hub.read().projects.get(id).is_some_and(|project| {
        let mut names = jobs.iter().map(|job| &job.job);
        names.any(|name| is_guessed(project, name))
    });
    if !is_any_guessed {
        return;
    }
    let found = usage::look(hub).await;
    let state = hub.read();
    let Some(project) = state.projects.get(id) else {
        return;
    };
    for job in jobs.iter_mut().filter(|job| is_guessed(project, &job.job)) {
        let session = job.session_id.as_ref();
        let session = session.and_then(|id| state.sessions.get(id));
        if let Some(why) = session.and_then(|session| told(found.ports(session))) {
            (job.phase, job.why) = (PhaseName::Ready, Some(why));
        }
    }
}

/// The processes that could not be ended.
fn survivors(project: &Project) -> Vec<String> {
    let named = |(job, pids): (&String, &Vec<u32>)| {
        let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
        format!("{job}: pid {} could not be ended", pids.join(", "))
    };
    project.survivors.iter().map(named).collect()
}

/// The jobs whose `stop` lines failed: what those were to end may be left.
fn failed_stops(project: &Project) -> impl Iterator<Item = String> {
    let named = |(job, why): (&String, &String)| format!("{job}: its stop line failed: {why}");
    project.failed_stops.iter().map(named)
}

/// The jobs whose files cannot be watched. They run all the same.
fn unwatched(project: &Project) -> impl Iterator<Item = String> {
    let watches = project.watches.iter();
    let failed = watches.filter_map(|(job, watch)| {
        let why = watch.failure()?;
        Some(format!("{job}: its files are not watched: {why}"))
    });
    let jobs = project.wish.jobs.keys();
    let suspended = jobs.filter_map(|name| {
        let (file, with_others) = suspension(project, name)?;
        let why = if with_others {
            format!("{file} changes at each restart")
        } else {
            format!("it restarts itself by writing {file}")
        };
        Some(format!("{name}: its watch is suspended: {why}"))
    });
    failed.chain(suspended)
}

fn files(project: &file::Project) -> Vec<String> {
    project
        .paths
        .iter()
        .map(|path| path.display().to_string())
        .collect()
}

/// Which run of its restart policy a session waits for: `3 of 20`.
fn which_retry(session: &Session) -> String {
    let count = session.life.retries();
    match session.spec.restart.map(|policy| policy.max_retries()) {
        None | Some(RestartPolicy::FOREVER) => format!("time {count} in a row"),
        Some(most) => format!("{count} of {most}"),
    }
}

fn job_named(name: &str, phase: PhaseName) -> ProjectJob {
    ProjectJob {
        job: name.to_owned(),
        session_id: None,
        phase,
        why: None,
        shared: false,
        wanted: false,
        confirm: false,
        needs: Vec::new(),
        pid: None,
        exit_code: None,
        signal: None,
        late: false,
        ports: Vec::new(),
        url: None,
        asks: None,
        question: None,
        next_run: None,
        watch: None,
        output: None,
    }
}

fn job(state: &State, project: &Project, name: &str) -> Option<ProjectJob> {
    if let Some(lender) = project.borrowed.get(name) {
        // It is told as it is in the main checkout.
        let lent = state
            .projects
            .get(lender)
            .and_then(|lender| job(state, lender, name));
        return Some(ProjectJob {
            shared: true,
            ..lent.unwrap_or_else(|| job_named(name, PhaseName::Stopped))
        });
    }
    let defined = project.applied.jobs.get(name)?;
    let phase = project.decision.phases.get(name);
    let phase = match phase.map_or(PhaseName::Stopped, Phase::name) {
        PhaseName::Stopping if project.survives(name) => PhaseName::Failed,
        phase => phase,
    };
    let session = project
        .sessions
        .get(name)
        .and_then(|id| state.sessions.get(id));
    let cure = |why| match project.paused_queue(name) {
        Some(queue) => format!("{why} (bgproc group {} --resume)", quote(queue)),
        None => why,
    };
    let mut job = ProjectJob {
        why: why(project, name).map(cure),
        next_run: next_run(project, name),
        watch: watching(project, name),
        wanted: project.wish.jobs.get(name).is_some_and(|job| job.wanted),
        needs: defined.needs.clone(),
        confirm: defined.confirm,
        ports: project.ports_of(name),
        url: project.url_of(name),
        ..job_named(name, phase)
    };
    if let Some(session) = session {
        let status = session.life.status();
        job.session_id = Some(session.id.clone());
        job.pid = session.life.pid();
        // Those of a job that waits are of a run before.
        if status != Status::Queued {
            job.exit_code = session.life.exit_code();
            job.signal = session.life.signal().map(signal::name);
        }
        job.late = project.is_late(name);
        if job.why.is_none() && phase == PhaseName::Failed {
            job.why = session.life.reason().map(str::to_owned);
        }
        if job.why.is_none() && phase == PhaseName::Retrying {
            job.why = Some(which_retry(session));
        }
        let asks = session.input_state();
        if status.has_process() && needs(asks) {
            let tail = state.sessions.tail(&session.id, OUTPUT_CHARS);
            // What is written and not ended is the question; a program that only reads has none.
            let last = tail
                .rsplit('\n')
                .next()
                .map(str::trim_end)
                .filter(|line| !line.is_empty());
            job.question = last.map(str::to_owned);
            job.asks = job.question.as_ref().map(|_| asks);
        }
        let is_broken = project
            .wish
            .jobs
            .get(name)
            .is_some_and(|job| job.broken.is_some());
        let ended_all = project.wish.ended_by.as_deref() == Some(name);
        if (phase == PhaseName::Failed && !is_broken) || ended_all {
            job.output = last_output(state, session);
        }
    }
    Some(job)
}
