//! `report`: what the program of a session says of itself, such as a hook of a coding agent in it.

use std::path::Path;

use serde_json::json;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::programs::allow::checked_line;
use crate::daemon::programs::masked;
use crate::daemon::programs::program::no_nul;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find;
use crate::daemon::requests::replies::{answer, not_running};
use crate::daemon::state::State;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::engine::report::Report;
use crate::protocol::bounds::MAX_MESSAGE;
use crate::protocol::params::{self, Report as Params};
use crate::protocol::report::MAX_REPORT;
use crate::protocol::{Error, EventKind, Greeting, Role, SessionId};
use crate::term::sanitize::clean;

/// Characters of output in the error for a session that has ended.
const ENDED_CHARS: usize = 500;

/// Takes the report and returns the record.
pub(super) fn report(hub: &Hub, client: &Client, params: Params) -> Answer {
    let message = params.message.as_deref().map(shortened).transpose()?;
    check(&params)?;
    let id = find(hub, client, &params.session_id, Access::Own)?;
    hub.change(|state| {
        let gone = || Error::session_not_found(id.as_str());
        let session = state.sessions.get(&id).ok_or_else(gone)?;
        let cwd = session.spec.cwd.clone();
        let resume = params.resume.as_deref();
        let resume = resume.map(|line| resume_line(&client.greeting, line, Path::new(&cwd)));
        let resume = resume.transpose()?;
        let is_about_run = params.state.is_some() || params.clear == Some(true);
        if is_about_run && !session.life.status().has_process() {
            let session = state.sessions.get(&id).ok_or_else(gone)?;
            return Err(not_running(session, &state.sessions.tail(&id, ENDED_CHARS)));
        }
        let report = params.state.map(|state| Report::new(state, message, now()));
        if let Some(session) = state.sessions.get_mut(&id) {
            session.spec.resume = resume.or(session.spec.resume.take());
        }
        match report {
            Some(report) => take(state, client, &id, report),
            None if params.clear == Some(true) => forget(state, client, &id),
            None => {}
        }
        state.persist(&id);
        let session = state.sessions.get(&id).ok_or_else(gone)?;
        answer(state.record(session, now()))
    })
}

/// The line that continues a session, if the client may run it.
pub(super) fn resume_line(greeting: &Greeting, line: &str, cwd: &Path) -> Result<String, Error> {
    if line.trim().is_empty() {
        return Err(Error::invalid("`resume` is empty"));
    }
    no_nul("resume", line)?;
    checked_line(greeting, line, cwd)?;
    // It is checked again when it runs, on behalf of the client that asks for that.
    Ok(line.to_owned())
}

fn check(params: &params::Report) -> Result<(), Error> {
    let clears = params.clear == Some(true);
    let is_nothing = params.state.is_none() && !clears && params.resume.is_none();
    if is_nothing {
        let why = "one of `state`, `clear` and `resume` is required";
        return Err(Error::invalid(why).hint("for example {\"state\":\"blocked\"}"));
    }
    if params.message.is_some() && params.state.is_none() {
        return Err(Error::invalid("`message` needs `state`"));
    }
    if clears && params.state.is_some() {
        return Err(Error::invalid("`clear` and `state` exclude each other"));
    }
    Ok(())
}

/// A message as it is kept: clean, short and without secrets.
fn shortened(message: &str) -> Result<String, Error> {
    if message.trim().is_empty() {
        return Err(Error::invalid("`message` is empty"));
    }
    if message.chars().count() > MAX_MESSAGE {
        let why = format!("`message` has at most {MAX_MESSAGE} characters");
        return Err(Error::invalid(why));
    }
    let text = clean(message);
    let text = masked::text(text.trim());
    Ok(match text.char_indices().nth(MAX_REPORT) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    })
}

/// Records a report, and publishes it if it is news.
fn take(state: &mut State, client: &Client, id: &SessionId, report: Report) {
    let Some(session) = state.sessions.get_mut(id) else {
        return;
    };
    let is_news = report.is_news_after(session.report.as_ref());
    let mut data = json!({ "state": report.state, "message": report.message });
    session.report = Some(report);
    if is_news {
        add_reporter(&mut data, client);
        state.publish(EventKind::Reported, id, data);
    }
}

/// Forgets the report.
fn forget(state: &mut State, client: &Client, id: &SessionId) {
    let session = state.sessions.get_mut(id);
    if session.and_then(|session| session.report.take()).is_some() {
        let mut data = json!({ "state": null, "message": null });
        add_reporter(&mut data, client);
        state.publish(EventKind::Reported, id, data);
    }
}

/// Names the agent that has reported. A program in the job reports as a person does.
fn add_reporter(data: &mut serde_json::Value, client: &Client) {
    if client.principal.role == Role::Agent {
        data["by"] = json!(client.principal.actor().ended_by());
    }
}
