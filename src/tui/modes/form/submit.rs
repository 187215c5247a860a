//! Submits the form: checks the fields and sends the request.

use std::borrow::Cow;

use super::fields::{DIR, Form, GROUP, Like, NAME, NOTIFY, ON, PIN, Purpose, RESTART, RUN};
use super::keys::Action;
use crate::config::LOCAL;
use crate::protocol::params::{Set, Start};
use crate::protocol::{Action as Request, Notice, RestartPolicy, SessionId, name};
use crate::tui::hints;
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::job::untilde;
use crate::tui::model::{Model, READ_ONLY};
use crate::tui::project::{self, Aim};

/// Submits the form. It stays open until the daemon has replied, so that a mistake does not lose
/// what was typed.
pub(super) fn submit(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.options.read_only {
        model.note(READ_ONLY);
        return;
    }
    if !model.has_daemon("Not done") {
        return;
    }
    let Some(form) = model.state::<Form>() else {
        return;
    };
    if let Some(aim) = offered(form) {
        model.leave();
        return project::up(&aim, cmds);
    }
    let number = model.submitted + 1;
    let asked = match form.purpose.clone() {
        Purpose::New(like) => start(model, form, like.as_ref()).map(|start| {
            let request = Request::Start(start);
            Some(Cmd::Request(RequestKind::Start(number), request))
        }),
        Purpose::Edit(id, before) => change(model, form, &id, &before).map(|set| {
            let request = Request::Set(set?);
            Some(Cmd::Request(RequestKind::Set(id, Some(number)), request))
        }),
    };
    let Some(form) = model.state_mut::<Form>() else {
        return;
    };
    match asked {
        Ok(Some(cmd)) => {
            form.pending = Some(number);
            model.submitted = number;
            cmds.push(cmd);
        }
        Ok(None) => {
            model.leave();
            model.note("Nothing was changed.");
        }
        Err((field, text)) => {
            form.focus = field;
            model.note(text);
        }
    }
}

/// The job of the project that the form brings up instead of starting a command.
fn offered(form: &Form) -> Option<Aim> {
    let command = form.value(RUN);
    let is_here = form.host().is_empty() || form.host() == LOCAL;
    let is_new = matches!(form.purpose, Purpose::New(_)) && is_here;
    let job = form
        .jobs
        .iter()
        .find(|job| is_new && job.command == command)?;
    Some(Aim {
        host: None,
        dir: form.read.clone(),
        name: None,
        jobs: vec![job.name.clone()],
    })
}

/// Why a form is invalid: the field and the message.
type Wrong = (usize, Cow<'static, str>);

fn start(model: &Model, form: &Form, like: Option<&Like>) -> Result<Start, Wrong> {
    let command = form.command(RUN).map_err(|text| (RUN, text.into()))?;
    if command.is_empty() {
        let leave = hints::sentence(model, Action::Leave, "starts nothing");
        return Err((RUN, format!("What should run?{leave}").into()));
    }
    let [label, group, dir] = [NAME, GROUP, DIR].map(|field| form.value(field));
    let label = checked_name(NAME, label)?;
    let some = |text: String| (!text.is_empty()).then_some(text);
    let home = model.origin.home.as_deref();
    let host = some(form.host()).filter(|host| host != LOCAL);
    if let Some(name) = &host
        && model.host(name).is_none()
    {
        let hosts: Vec<&str> = model.hosts.iter().map(|host| host.name.as_str()).collect();
        let text = format!("There is no host {name}; hosts: {}.", hosts.join(", "));
        return Err((ON, text.into()));
    }
    let cwd = match &host {
        None => Some(untilde(&dir, &model.origin.cwd, home)),
        Some(_) if form.is_far => some(dir),
        // The directory of the view is one of this machine.
        Some(_) => {
            some(dir).filter(|dir| untilde(dir, &model.origin.cwd, home) != model.origin.cwd)
        }
    };
    Ok(Start {
        host,
        command,
        unique_label: (!label.is_empty()).then_some(true),
        label: some(label),
        group: some(group),
        cwd,
        background: Some(true),
        mode: like.map(|like| like.mode),
        rows: like.map(|like| like.size.0),
        cols: like.map(|like| like.size.1),
        ..Start::default()
    })
}

/// The valid name in a field; empty means no name.
fn checked_name(field: usize, name: String) -> Result<String, Wrong> {
    match name::fault(&name).filter(|_| !name.is_empty()) {
        Some(fault) => Err((field, fault.into())),
        None => Ok(name),
    }
}

/// The request with only the fields that were changed.
fn change(
    model: &Model,
    form: &Form,
    id: &SessionId,
    before: &[String],
) -> Result<Option<Set>, Wrong> {
    let changed = |field: usize| {
        let value = form.value(field);
        (before.get(field).map(|before| before.trim()) != Some(&value)).then_some(value)
    };
    let label = changed(NAME);
    let label = label.map(|name| checked_name(NAME, name)).transpose()?;
    let keep = match changed(PIN).as_deref() {
        None => None,
        Some("yes" | "y") => Some(true),
        Some("no" | "n" | "") => Some(false),
        Some(_) => {
            return Err((
                PIN,
                "pin is yes or no: yes keeps the job and its log for good.".into(),
            ));
        }
    };
    let restart = match changed(RESTART) {
        None => None,
        Some(word) => match policy(&word) {
            Some(policy) => Some(policy),
            None => {
                return Err((
                    RESTART,
                    "restart is no, on-failure, always, or on-failure:3, always:3.".into(),
                ));
            }
        },
    };
    let notify = changed(NOTIFY);
    let notify = notify.as_deref().map(Notice::parse_list).transpose();
    let notify = notify.map_err(|_| {
        let text = "notify is failed, ready, input, done, or several of them: failed,done.";
        (NOTIFY, text.into())
    })?;
    let command = match changed(RUN) {
        Some(_) => Some(form.command(RUN).map_err(|text| (RUN, text.into()))?),
        None => None,
    };
    if command.as_deref() == Some("") {
        let leave = hints::sentence(model, Action::Leave, "changes nothing");
        return Err((RUN, format!("What should run?{leave}").into()));
    }
    let set = Set {
        session_id: id.to_string(),
        unique_label: label.is_some().then_some(true),
        label,
        group: changed(GROUP),
        keep,
        restart,
        notify,
        command,
        ..Set::default()
    };
    let nothing = Set {
        session_id: id.to_string(),
        ..Set::default()
    };
    Ok((set != nothing).then_some(set))
}

fn policy(word: &str) -> Option<RestartPolicy> {
    match word {
        "" | "never" => RestartPolicy::parse("no"),
        word => RestartPolicy::parse(word),
    }
}
