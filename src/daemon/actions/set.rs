//! `set`: changes the properties of a session.

use std::collections::BTreeSet;

use serde_json::json;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::programs::program::no_nul;
use crate::daemon::requests::checks::{check_tag_count, checked_name, checked_tags};
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find;
use crate::daemon::requests::replies::{answer, refused_by_system};
use crate::daemon::requests::unique_label;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::engine::session::Session;
use crate::protocol::params::Set;
use crate::protocol::{Error, EventKind};

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
    let label = params
        .label
        .map(|label| checked_name("label", label))
        .transpose()?;
    let group = params
        .group
        .map(|group| checked_name("group", group))
        .transpose()?;
    let added = checked_tags("addTags", params.add_tags.as_deref().unwrap_or_default())?;
    let removed = params.remove_tags.as_deref().unwrap_or_default();
    let tags = params.add_tags.is_some() || params.remove_tags.is_some();
    let id = find(hub, client, &params.session_id, Access::Own)?;
    hub.change(|state| {
        if params.unique_label == Some(true)
            && let Some(session) = state.sessions.get(&id)
        {
            unique_label::check(state, &session.scope, label.as_deref(), Some(&id))?;
        }
        if let Some(place) = params.place {
            state.move_in_queue(&id, place)?;
        }
        let Some(session) = state.sessions.get_mut(&id) else {
            return Err(Error::session_not_found(id.as_str()));
        };
        let differs = |new: &Option<String>, own: &Option<String>| {
            new.as_ref()
                .is_some_and(|new| new != own.as_deref().unwrap_or_default())
        };
        let spec = &session.spec;
        if differs(&label, &spec.label) || differs(&group, &spec.group) || tags {
            check_file(session)?;
        }
        if tags {
            let own = session.spec.tags.iter().chain(&added);
            let own: BTreeSet<String> = own.filter(|tag| !removed.contains(tag)).cloned().collect();
            check_tag_count(own.len())?;
            session.spec.tags = own.into_iter().collect();
        }
        // An empty name removes the name.
        if let Some(label) = label {
            session.spec.label = Some(label).filter(|label| !label.is_empty());
        }
        if let Some(group) = group {
            session.spec.group = Some(group).filter(|group| !group.is_empty());
        }
        if let Some(ttl) = params.ttl_ms {
            session.time_limits.ttl_ms = ttl;
            session.time_limits.failed_ttl_ms = None;
            session.time_limits.until_room = session.time_limits.until_room.map(|_| false);
        }
        if let Some(seconds) = params.timeout_sec {
            session.time_limits.timeout_ms = seconds.saturating_mul(1000);
        }
        if let Some(restart) = params.restart {
            session.spec.restart = Some(restart);
        }
        if let Some(notify) = params.notify {
            session.spec.notify = notify;
        }
        if let Some(command) = params.command {
            session.spec.command = command;
            session.spec.args = params.args;
            session.spec.changed = true;
        }
        if let Some(keep) = params.keep {
            session.time_limits.keep = keep;
        }
        if let Some(share) = params.share {
            state.share(&id, share);
        }
        state.save(&id).map_err(|error| {
            let what = "The change holds only until the daemon ends, because it could not be saved";
            refused_by_system(what, &error)
        })?;
        state.publish(EventKind::Changed, &id, json!({}));
        let Some(session) = state.sessions.get(&id) else {
            return Err(Error::session_not_found(id.as_str()));
        };
        answer(state.record(session, now()))
    })
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
    match *params == nothing {
        true => Err(
            Error::invalid("`set` changes nothing: no property is given")
                .hint(r#"for example "label":"web" or "keep":true"#),
        ),
        false => Ok(()),
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
