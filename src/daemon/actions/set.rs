//! `set`: changes the properties of a session.

use std::collections::BTreeSet;

use serde_json::json;

use super::start;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::programs::program::no_nul;
use crate::daemon::projects::guests::FirstRun;
use crate::daemon::requests::checks::{check_tag_count, checked_name, checked_tags};
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find;
use crate::daemon::requests::replies::{answer, refused_by_system};
use crate::daemon::requests::unique_label;
use crate::daemon::state::State;
use crate::daemon::transport::Answer;
use crate::engine::meta::Spec;
use crate::engine::registry::Access;
use crate::engine::session::Session;
use crate::protocol::params::Set;
use crate::protocol::{Error, EventKind, SessionId};

/// Changes the given properties and returns the record.
pub(super) fn set(hub: &Hub, client: &Client, params: Set) -> Answer {
    check_change(&params)?;
    if params.share.is_some() {
        client.people_only("open a session to agents")?;
    }
    if params.place.is_some() {
        client.people_only("move a session in its queue")?;
    }
    check_command(client, &params)?;
    let names = Names::of(&params)?;
    let id = find(hub, client, &params.session_id, Access::Own)?;
    hub.change(|state| change(state, client, &id, &params, names))
}

/// Changes the session, unless it cannot have what is given. Nothing comes in between.
fn change(
    state: &mut State,
    client: &Client,
    id: &SessionId,
    params: &Set,
    names: Names,
) -> Answer {
    let tags = check_names(state, client, id, params, &names)?;
    check_policy(state, id, params)?;
    let first_run = first_run(state, id, params)?;
    if let Some(place) = params.place {
        state.move_in_queue(id, place)?;
    }
    let session = state.sessions.get_mut(id).ok_or_else(|| gone(id))?;
    names.apply(session, tags);
    apply(params, session);
    follow(state, id, params, first_run);
    let saved = state.save(id);
    state.publish(EventKind::Changed, id, json!({}));
    if params.command.is_some() {
        state.publish_command(id, &client.principal.actor());
    }
    // If the keeper has it, the record says that it is not on disk yet.
    if let Err(error) = saved
        && !state.keeps_record(id)
    {
        let what = "The change holds only until the daemon ends, because it could not be saved";
        return Err(refused_by_system(what, &error));
    }
    let session = state.sessions.get(id).ok_or_else(|| gone(id))?;
    answer(state.record(session, now()))
}

/// Refuses names that the session cannot get, and a group in which it would start at once without room. Returns its
/// tags, if they change.
fn check_names(
    state: &State,
    client: &Client,
    id: &SessionId,
    params: &Set,
    names: &Names,
) -> Result<Option<Vec<String>>, Error> {
    let session = state.sessions.get(id).ok_or_else(|| gone(id))?;
    if params.unique_label == Some(true) {
        unique_label::check(state, &session.scope, names.label.as_deref(), Some(id))?;
    }
    let tags = names.check(session)?;
    if let Some(group) = &names.group
        && state.is_in_queue(session)
        && state.queue_of(group, &session.spec.cwd).is_none()
    {
        // It starts at once.
        start::check_room(state, client)?;
    }
    Ok(tags)
}

/// Refuses a restart policy that can have no effect on the session.
fn check_policy(state: &State, id: &SessionId, params: &Set) -> Result<(), Error> {
    let session = state.sessions.get(id).ok_or_else(|| gone(id))?;
    match &params.restart {
        Some(policy) => policy.check(session.spec.ready.as_ref()),
        None => Ok(()),
    }
}

/// The first run of a session that waits for it, with another command.
fn first_run(state: &State, id: &SessionId, params: &Set) -> Result<Option<FirstRun>, Error> {
    let Some(command) = &params.command else {
        return Ok(None);
    };
    let session = state.sessions.get(id).ok_or_else(|| gone(id))?;
    let spec = Spec {
        command: command.clone(),
        args: params.args.clone(),
        ..session.spec.clone()
    };
    state.renewed_first_run(id, &spec)
}

/// Does what follows from the change of a session.
fn follow(state: &mut State, id: &SessionId, params: &Set, first_run: Option<FirstRun>) {
    if params.restart.is_some() {
        // It may say that the probe goes on.
        state.attempt_probe_again(id);
    }
    if let Some(first_run) = first_run {
        state.set_first_run(id, first_run);
    }
    if params.group.is_some() {
        state.follow_group(id);
    }
    if let Some(share) = params.share {
        state.share(id, share);
    }
}

fn gone(id: &SessionId) -> Error {
    Error::session_not_found(id.as_str())
}

/// Changes what concerns the session alone. Its names were changed already.
fn apply(params: &Set, session: &mut Session) {
    let (spec, limits) = (&mut session.spec, &mut session.time_limits);
    if let Some(ttl) = params.ttl_ms {
        limits.ttl_ms = ttl;
        limits.failed_ttl_ms = None;
        limits.until_room = limits.until_room.map(|_| false);
    }
    if let Some(seconds) = params.timeout_sec {
        limits.timeout_ms = seconds.saturating_mul(1000);
    }
    limits.keep = params.keep.unwrap_or(limits.keep);
    spec.restart = params.restart.or(spec.restart);
    if let Some(notify) = &params.notify {
        spec.notify.clone_from(notify);
    }
    if let Some(command) = &params.command {
        spec.command.clone_from(command);
        spec.args.clone_from(&params.args);
        spec.changed = true;
    }
}

/// The names that a session gets.
struct Names {
    /// Empty: none.
    label: Option<String>,
    /// Empty: none.
    group: Option<String>,
    added: Vec<String>,
    removed: Vec<String>,
    changes_tags: bool,
}

impl Names {
    fn of(params: &Set) -> Result<Self, Error> {
        let name = |what, name: &Option<String>| {
            let name = name.clone().map(|name| checked_name(what, name));
            name.transpose()
        };
        Ok(Self {
            label: name("label", &params.label)?,
            group: name("group", &params.group)?,
            added: checked_tags("addTags", params.add_tags.as_deref().unwrap_or_default())?,
            removed: params.remove_tags.clone().unwrap_or_default(),
            changes_tags: params.add_tags.is_some() || params.remove_tags.is_some(),
        })
    }

    /// Refuses names that the session cannot get. Returns its tags, if they change.
    fn check(&self, session: &Session) -> Result<Option<Vec<String>>, Error> {
        let spec = &session.spec;
        let differs = |new: &Option<String>, own: &Option<String>| {
            new.as_ref()
                .is_some_and(|new| new != own.as_deref().unwrap_or_default())
        };
        if differs(&self.label, &spec.label)
            || differs(&self.group, &spec.group)
            || self.changes_tags
        {
            check_file(session)?;
        }
        if !self.changes_tags {
            return Ok(None);
        }
        let all = spec.tags.iter().chain(&self.added);
        let kept = all.filter(|tag| !self.removed.contains(tag));
        let tags: BTreeSet<String> = kept.cloned().collect();
        check_tag_count(tags.len())?;
        Ok(Some(tags.into_iter().collect()))
    }

    /// Sets them, and the tags that [`check`](Self::check) has returned.
    fn apply(self, session: &mut Session, tags: Option<Vec<String>>) {
        if let Some(label) = self.label {
            session.spec.label = Some(label).filter(|label| !label.is_empty());
        }
        if let Some(group) = self.group {
            session.spec.group = Some(group).filter(|group| !group.is_empty());
        }
        if let Some(tags) = tags {
            session.spec.tags = tags;
        }
    }
}

/// The names of a project's job are those of its file, which would come back with the next `up`.
fn check_file(session: &Session) -> Result<(), Error> {
    let Some(of) = &session.spec.project else {
        return Ok(());
    };
    let message = format!(
        "{} is a job of a project: its name, group and tags are those of its file",
        of.job
    );
    Err(Error::invalid(message).hint("change the file, then run bgproc reload"))
}

/// Refuses a request that names nothing to change.
fn check_change(params: &Set) -> Result<(), Error> {
    let nothing = Set {
        session_id: params.session_id.clone(),
        unique_label: params.unique_label,
        args: params.args.clone(),
        ..Set::default()
    };
    if *params == nothing {
        Err(
            Error::invalid("`set` changes nothing: no property is given")
                .hint(r#"for example "label":"web" or "keep":true"#),
        )
    } else {
        Ok(())
    }
}

/// Only people may change the command of a session, because an allow-list checks only what is started under it.
fn check_command(client: &Client, params: &Set) -> Result<(), Error> {
    let Some(command) = &params.command else {
        return match params.args {
            Some(_) => Err(Error::invalid("`args` needs `command`")),
            None => Ok(()),
        };
    };
    client.people_only("change what a session runs")?;
    if command.trim().is_empty() {
        return Err(Error::invalid("`command` is empty"));
    }
    no_nul("command", command)?;
    params
        .args
        .iter()
        .flatten()
        .try_for_each(|arg| no_nul("args", arg))
}
