//! The start of one run of a project's job.

use std::path::Path;

use tokio::sync::oneshot;

use super::first_input;
use crate::daemon::hub::Hub;
use crate::daemon::keeper_link::SpawnFailure;
use crate::daemon::programs::program::renewed;
use crate::daemon::programs::reachable::reachable;
use crate::daemon::projects::guests::FirstRun;
use crate::daemon::projects::spec::{self, Prepared, Sources};
use crate::daemon::state::State;
use crate::daemon::tasks::tree_kill::{self, GRACE_MS};
use crate::daemon::threads;
use crate::project::Job;
use crate::protocol::{Error, SessionId};
use crate::sys::{failpoint, signal};

/// Starts the run of a job that was just decided.
pub(super) fn begin(hub: &Hub, project: &str, job: &str) {
    let (run, session) = match hub.change(|state| state.session_to_start(project, job)) {
        Ok(found) => found,
        Err(error) => {
            return hub.change(|state| state.job_has_no_session(project, job, &error.message));
        }
    };
    let start = Start {
        hub: hub.clone(),
        project: project.to_owned(),
        run,
        session,
    };
    tokio::task::spawn_local(async move {
        let failure = start.launch().await.err();
        start.hub.change(|state| {
            let why = failure.as_ref().map(|error| error.message.as_str());
            state.job_started(&start.project, &start.session, start.run, why);
        });
    });
}

/// The start of one run.
struct Start {
    hub: Hub,
    project: String,
    run: u32,
    session: SessionId,
}

impl Start {
    async fn launch(&self) -> Result<(), Error> {
        // What the last run has left may hold its port.
        let strays = tree_kill::end_remaining(&self.hub, &self.session, signal::TERM, GRACE_MS);
        let _ = strays.await;
        if let Some(first_run) = self.first_run() {
            return self.launch_guest(first_run).await;
        }
        let sources = self.hub.change(|state| {
            // It may have another name than when this was decided.
            let job = state
                .job_of(&self.project, &self.session)
                .unwrap_or_default();
            state.claim_ports(&self.project, &job)?;
            let project = state.projects.get(&self.project);
            let sources = project.and_then(|project| Sources::of(project, &job));
            sources.ok_or_else(|| {
                let message = "the environment of its project is not known any more";
                Error::internal(message).hint("run bgproc up again")
            })
        })?;
        let limits = sources.defined.clone();
        let id = self.session.clone();
        // Files may be on a slow disk.
        let prepared = threads::run("prepare", move || sources.prepare(&id)).await??;
        failpoint::hit("project.start");
        // Its restart policy may be starting the same run.
        if let Some(over) = self
            .hub
            .change(|state| state.keeper.start_over(&self.session))
        {
            let _ = over.await;
        }
        self.hub.catch_up_within_limit(&self.session).await;
        let asked = self
            .hub
            .change(|state| self.ask_keeper(state, &limits, prepared))?;
        launched(asked).await
    }

    /// What is to be started, if the session is a guest.
    fn first_run(&self) -> Option<FirstRun> {
        let state = self.hub.read();
        let project = state.projects.get(&self.project)?;
        project.first_runs.get(self.session.as_str()).cloned()
    }

    async fn launch_guest(&self, first_run: FirstRun) -> Result<(), Error> {
        let FirstRun { spawn, input, .. } = first_run;
        reachable(Path::new(&spawn.cwd)).await?;
        let asked = self.hub.change(|state| {
            if state
                .is_to_start(&self.project, &self.session, self.run)
                .is_none()
                || state.has_begun(&self.session, self.run)
            {
                return Ok(None);
            }
            state.keeper.check_descriptors()?;
            Ok::<_, Error>(state.relaunch(&self.session, spawn))
        })?;
        failpoint::hit("guest.start");
        launched(asked).await?;
        if let Some(input) = input {
            first_input::type_into(&self.hub, &self.session, input);
        }
        Ok(())
    }

    /// Asks the keeper for the run, unless somebody has stopped the job meanwhile.
    fn ask_keeper(
        &self,
        state: &mut State,
        defined: &Job,
        prepared: Prepared,
    ) -> Result<Option<Asked>, Error> {
        let Some(job) = state.is_to_start(&self.project, &self.session, self.run) else {
            return Ok(None);
        };
        if state.has_begun(&self.session, self.run) {
            return Ok(None);
        }
        state.keeper.check_descriptors()?;
        let limits = spec::time_limits(defined, state.settings.caps.retention);
        let project = state.projects.get_mut(&self.project);
        let project = project.map(|project| {
            project.set_url(&job, prepared.url);
            match prepared.env_print {
                Some(print) => drop(project.env_prints.insert(job.clone(), print)),
                None => drop(project.env_prints.remove(&job)),
            }
            &*project
        });
        // What was applied in place since.
        let defined = project.and_then(|project| project.applied.jobs.get(&job));
        let described = defined.map(|defined| spec::described(&self.project, &job, defined));
        let session = state.sessions.get_mut(&self.session);
        let session = session.ok_or_else(|| Error::session_not_found(self.session.as_str()))?;
        // The file does not say how it is continued.
        let resume = session.spec.resume.take();
        session.spec = prepared.spec;
        session.spec.resume = resume;
        let resumed = std::mem::take(&mut session.resumes)
            .then(|| session.spec.resumed())
            .flatten();
        session.spec.changed |= resumed.is_some();
        let spawn = match resumed {
            Some(resumed) => renewed(&resumed, prepared.spawn)?,
            None => prepared.spawn,
        };
        if let Some(described) = described {
            described.apply_in_place(&mut session.spec);
        }
        session.time_limits = limits;
        session.life.forget_retries();
        state.persist(&self.session);
        Ok(state.relaunch(&self.session, spawn))
    }
}

/// The keeper's answer, when it comes: the pid, or why there is none.
type Asked = oneshot::Receiver<Result<u32, SpawnFailure>>;

/// Waits for that answer. Without a question the start was called off.
async fn launched(asked: Option<Asked>) -> Result<(), Error> {
    let Some(receiver) = asked else {
        return Ok(());
    };
    match receiver.await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(failure)) => Err(Error::internal(failure.message)),
        Err(_) => Err(Error::internal("the keeper did not answer")),
    }
}
