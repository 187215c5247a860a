//! Watches the files that jobs of projects react to. While nothing changes, nothing wakes up.

use std::io;

use super::keys;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::state::State;
use crate::daemon::state::watches::Reaction;
use crate::daemon::watching::{Changes, JobKey, Report, Watcher};
use crate::engine::life::Actor;
use crate::protocol::SessionId;
use crate::sys::{process, signal};

/// Watches the files of jobs; never returns.
pub(crate) async fn run(hub: Hub) {
    loop {
        // Without jobs that watch files there is no descriptor.
        hub.watches_changed().await;
        if let Err(error) = follow(&hub).await {
            tracing::error!(%error, "files are not watched until the next change of a project");
            let why = format!("{error}; see fs.inotify.max_user_instances");
            hub.change(|state| state.watches_failed(&why));
        }
    }
}

/// Watches files until no job wants it.
async fn follow(hub: &Hub) -> io::Result<()> {
    let mut watcher = None;
    loop {
        let wanted = hub.change(State::wanted_watches);
        if wanted.is_empty() && watcher.is_none() {
            return Ok(());
        }
        let watcher = match &mut watcher {
            Some(watcher) => watcher,
            none => none.insert(Watcher::new()?),
        };
        watcher.want(wanted);
        for (job, changes) in hub.change(State::changes_since_pause) {
            changed(hub, &job, &changes);
        }
        loop {
            if watcher.is_idle() {
                return Ok(());
            }
            tokio::select! {
                reports = watcher.reports() => {
                    for report in reports? {
                        react(hub, report);
                    }
                }
                () = hub.watches_changed() => break,
            }
        }
    }
}

fn react(hub: &Hub, report: Report) {
    match report {
        Report::Set(job) => {
            hub.change(|state| state.watch_is_set(&job));
            if let Some(changes) = hub.change(|state| state.unsettled_change(&job)) {
                changed(hub, &job, &changes);
            }
        }
        Report::Pending(job, file) => hub.change(|state| state.change_pends(&job, file.as_deref())),
        Report::Settled(job) => hub.change(|state| state.change_settled(&job)),
        Report::Failed(job, why) => hub.change(|state| state.watch_failed(&job, &why)),
        Report::Changed(job, changes) => changed(hub, &job, &changes),
    }
}

/// Does what is to be done when files of a job have changed.
fn changed(hub: &Hub, job: &JobKey, changes: &Changes) {
    match hub.change(|state| state.files_changed(job, changes, now())) {
        Some(Reaction::Signal(session, number, files)) => {
            let by = Actor::Watch(files);
            hub.change(|state| deliver(state, &session, number, by));
        }
        Some(Reaction::Keys(session, keys)) => {
            let hub = hub.clone();
            tokio::task::spawn_local(
                async move { keys::press(&hub, &session, &keys, "watch").await },
            );
        }
        None => {}
    }
}

/// Sends a signal to the first process of a session.
fn deliver(state: &mut State, id: &SessionId, number: i32, by: Actor) {
    let Some(session) = state.sessions.get(id) else {
        return;
    };
    let leader = session.life.pid();
    let members = state.sessions.processes(id);
    let first = members.iter().find(|process| Some(process.pid) == leader);
    let handle = first.and_then(process::open);
    if handle.is_none_or(|handle| signal::send(&handle, number).is_err()) {
        tracing::debug!(session = %id, number, "the signal could not be sent");
    } else if let Some(session) = state.sessions.get_mut(id) {
        session.life.signalled(number, by);
    }
}
