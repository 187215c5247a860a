//! Hands a session to its batch system.
//!
//! The record is written first, then the job is submitted with a mark that names the session: if the daemon dies in
//! between, the next one finds the job in the batch system's list.

use std::collections::HashMap;
use std::path::Path;

use super::senseless;
use crate::daemon::batch_systems::command::{self, Failure, Surroundings};
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::programs::program::no_nul;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::replies::refused_by_system;
use crate::daemon::sessions::session_io::SessionIo;
use crate::engine::batch::{Batch, slurm};
use crate::engine::life::Life;
use crate::engine::session::Session;
use crate::protocol::batch_job::{BatchJob, Launcher, LauncherSpec, Resources};
use crate::protocol::condition::Condition;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::node::{JOB, NodeJob, directory_of};
use crate::protocol::params::Start;
use crate::protocol::{Error, ErrorCode, SessionId};
use crate::sys::paths::{own_program, private_dir};
use crate::sys::tree::MARK;
use crate::sys::{failpoint, file, node_home};

/// Longest name that a batch system is given for a job, in bytes.
const NAME: usize = 64;

/// Returns the launcher of a request, after a check that the request makes sense with one; `None` if it has none.
pub(crate) fn launcher(
    hub: &Hub,
    client: &Client,
    params: &Start,
) -> Result<Option<LauncherSpec>, Error> {
    let Some(launcher) = super::resolve::launcher(hub, params)? else {
        return Ok(None);
    };
    check_params(params)?;
    let resources = params.resources.clone().unwrap_or_default();
    check_resources(&resources, &launcher)?;
    // The batch system runs more than the command: its options name files and scripts.
    let is_restricted = client.greeting.policy.allow.is_some();
    let is_defined = matches!(params.launcher, Some(Launcher::Defined(_)));
    if is_restricted && (is_defined || !resources.extra.is_empty()) {
        return Err(Error::new(
            ErrorCode::PermissionDenied,
            "`resources.extra` is not allowed: this connection may run certain commands only",
        ));
    }
    Ok(Some(launcher))
}

/// Refuses parameters that make no sense with a launcher.
fn check_params(params: &Start) -> Result<(), Error> {
    let mut conditions = params.until.iter().chain(&params.fail).flatten();
    let with = [
        ("`input`", params.input.is_some(), "`write` when it runs"),
        (
            "`restart`",
            params.restart.is_some(),
            "`requeue` of its launcher has the batch system run it again",
        ),
        (
            "`after`",
            params.after.is_some(),
            "`resources.extra` can have --dependency=afterok:JOBID",
        ),
        (
            "`delayMs`",
            params.delay_ms.is_some(),
            "`resources.extra` can have --begin=now+1hour",
        ),
        (
            "`onExit`",
            params.on_exit.is_some(),
            "an event tells of the end",
        ),
        (
            "a port in `until` or `fail`",
            conditions.any(|one| matches!(one, Condition::Port(_))),
            "`wait` for the port: it is one of the node then",
        ),
    ];
    match with.into_iter().find(|(_, is_given, _)| *is_given) {
        Some((name, _, hint)) => {
            let message = format!("{name} is not possible for a session that a batch system runs");
            Err(senseless(message).hint(hint))
        }
        None => Ok(()),
    }
}

/// Refuses options that are none, or with which one session would be several jobs.
fn check_resources(resources: &Resources, launcher: &LauncherSpec) -> Result<(), Error> {
    for option in resources.extra.iter().chain(&launcher.options) {
        no_nul("resources.extra", option)?;
        if !option.starts_with('-') {
            let message = format!("`resources.extra`: `{option}` is no option");
            return Err(senseless(message).hint("as --constraint=a100"));
        }
        if slurm::makes_array(option) {
            let message = format!("`resources.extra`: `{option}` makes several jobs of one");
            return Err(senseless(message).hint("start each job by itself, for example in a loop"));
        }
    }
    let texts = [&resources.partition, &resources.account];
    let mut given = texts.into_iter().flatten();
    given.try_for_each(|text| no_nul("resources", text))
}

/// Creates a session that a batch system runs. It is in the batch system's queue when this returns. The caller sees to
/// it that this is done to its end: a client that goes away meanwhile does not take the job back.
pub(crate) async fn submit(
    hub: &Hub,
    client: &Client,
    mut session: Session,
    launcher: LauncherSpec,
    resources: Resources,
    run: SpawnSpec,
) -> Result<SessionId, Error> {
    let id = session.id.clone();
    let dir = directory_of(&launcher.state, id.as_str());
    let program = own_program().map_err(|error| Error::internal(error.to_string()));
    let prepared = program.and_then(|program| {
        prepare(&dir, &id, &node_job(client, &session, &run))?;
        Ok(program)
    });
    let program = match prepared {
        Ok(program) => program,
        Err(error) => {
            hub.read().sessions.store.remove(&id);
            return Err(error);
        }
    };
    session.life = Life::queued(now());
    session.batch = Some(Box::new(batch(&launcher, &resources, &dir)));
    let script = slurm::script(&program.display().to_string(), &dir);
    let words = slurm::submit(&id, &name(&session), &launcher, &resources);
    let variables = variables(&run);
    hub.change(|state| {
        let log = state.sessions.store.log(&id, session.batch.as_deref());
        state.sessions.insert(session, SessionIo::new(log));
        state.persist(&id);
    });
    let surroundings = Surroundings {
        // The batch system tells the job from where it was submitted (SLURM_SUBMIT_DIR).
        dir: Some(Path::new(&run.cwd)).filter(|cwd| cwd.is_dir()),
        only_variables: true,
        input: Some(script),
    };
    let printed = command::run(&words, &variables, surroundings).await;
    failpoint::hit("batch.submitted");
    let env = variables
        .into_iter()
        .filter(|(name, _)| is_of_batch_system(name))
        .collect();
    settle(hub, &id, &launcher, env, printed)?;
    Ok(id)
}

/// What the node runs.
fn node_job(client: &Client, session: &Session, run: &SpawnSpec) -> NodeJob {
    NodeJob {
        role: client.principal.role,
        scope: client.principal.scope.clone(),
        program: run.program.clone(),
        args: run.argv.iter().skip(1).cloned().collect(),
        cwd: run.cwd.clone(),
        mode: run.mode,
        rows: session.output.size().rows(),
        cols: session.output.size().cols(),
        umask: run.umask,
        limits: session.spec.limits,
    }
}

/// A job that is not submitted yet.
fn batch(launcher: &LauncherSpec, resources: &Resources, dir: &str) -> Batch {
    Batch {
        launcher: launcher.clone(),
        resources: resources.clone(),
        dir: dir.to_owned(),
        job: BatchJob::default(),
        next_run_at: 0,
        ended: None,
        suspended: false,
        is_ahead: false,
        stopped_on_node: false,
        typed_on_node: None,
        cancelled_by: None,
        cancel_again_at: None,
    }
}

/// The variables that the batch system hands to the job.
fn variables(run: &SpawnSpec) -> HashMap<String, String> {
    run.env
        .iter()
        // The mark is of the job's own processes, which the node's daemon starts.
        .filter(|(name, _)| !slurm::is_scrubbed(name) && *name != MARK)
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// Whether the commands of a batch system need this variable of the user.
fn is_of_batch_system(name: &str) -> bool {
    matches!(name, "PATH" | "HOME" | "USER" | "LD_LIBRARY_PATH") || name.starts_with("SLURM_CONF")
}

/// Takes what the batch system said to a submission.
fn settle(
    hub: &Hub,
    id: &SessionId,
    launcher: &LauncherSpec,
    env: HashMap<String, String>,
    printed: Result<String, Failure>,
) -> Result<(), Error> {
    let printed = printed.and_then(|text| {
        slurm::submitted(&text).ok_or_else(|| Failure {
            what: "printed no number of a job".to_owned(),
            stderr: text.trim().to_owned(),
            is_unknown: true,
        })
    });
    hub.change(|state| {
        let kind = launcher.kind.name();
        match printed {
            Ok(job) => state.batch_submitted(id, job),
            // It may be in the queue: the batch system's list says so, and then it is taken from there.
            Err(failure) if failure.is_unknown => {
                tracing::warn!(session = %id, what = failure.what, "sbatch");
            }
            Err(failure) => {
                state.batch_discard(id);
                return Err(failure.refused(kind, "sbatch"));
            }
        }
        state.batch_env(launcher, env);
        Ok(())
    })
}

/// Makes the directory that the node finds. If it cannot be filled, it is removed again.
fn prepare(dir: &str, id: &SessionId, job: &NodeJob) -> Result<(), Error> {
    let path = Path::new(dir);
    private_dir(path).map_err(|error| {
        Error::new(ErrorCode::SpawnFailed, error.to_string())
            .hint("`state` of the launcher is a directory of yours that the nodes see, too")
    })?;
    fill(path, id, job).inspect_err(|_| drop(std::fs::remove_dir_all(path)))
}

/// Puts the home of a run and its job into that directory.
fn fill(path: &Path, id: &SessionId, job: &NodeJob) -> Result<(), Error> {
    let dir = path.display();
    let homed = node_home::take_over(path, id, 1);
    homed.map_err(|error| {
        refused_by_system(&format!("{dir} cannot get the home of a run"), &error)
    })?;
    let job = serde_json::to_vec(job).map_err(|error| Error::internal(error.to_string()))?;
    file::replace(&path.join(JOB), &job)
        .map_err(|error| refused_by_system(&format!("{dir}/{JOB} cannot be written"), &error))
}

/// The name by which the batch system's own lists show a job.
fn name(session: &Session) -> String {
    let fits = |char: &char| !char.is_control();
    let name: String = session.name().chars().filter(fits).collect();
    let end = (0..=NAME.min(name.len()))
        .rev()
        .find(|at| name.is_char_boundary(*at));
    name[..end.unwrap_or(0)].to_owned()
}
