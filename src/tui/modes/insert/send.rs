//! Sends what is typed.

use super::{Insert, encode, lost};
use crate::protocol::params::{Resize, Write};
use crate::protocol::reply::Resized;
use crate::protocol::{Action, Mode as JobMode, SessionId, Status};
use crate::tui::keymap::KeyPress;
use crate::tui::message::{Cmd, Keys, RequestKind};
use crate::tui::model::job::Job;
use crate::tui::model::{Link, Model};

/// Maximum number of bytes per request. Base64 makes them a third longer, and a request line is
/// limited to 1 MiB.
const WRITE_BYTES: usize = 256 * 1024;

/// Types bytes into every job of INSERT.
pub(super) fn send_all(model: &mut Model, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    let Some(insert) = model.state::<Insert>() else {
        return;
    };
    for id in insert.jobs() {
        send(model, &id, bytes, cmds);
    }
}

/// Presses keys in every job of INSERT.
pub(super) fn send_keys(model: &mut Model, keys: &[KeyPress], cmds: &mut Vec<Cmd>) {
    let jobs = model.state::<Insert>().map_or_else(Vec::new, Insert::jobs);
    for id in jobs {
        let bytes: Vec<u8> = keys
            .iter()
            .flat_map(|press| encode::bytes(model, &id, press))
            .collect();
        send(model, &id, &bytes, cmds);
    }
}

/// Types bytes into a job. They also give the shown job the size of the pane, if somebody else has given it another one.
pub(super) fn send(model: &mut Model, id: &SessionId, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    if !model.has_daemon("Not sent") {
        lost::lose(model, id);
        return;
    }
    if lost::holds_back(model, id) {
        return;
    }
    let Some(job) = model.job(id) else {
        return;
    };
    if let Some(why) = takes_nothing(job) {
        let name = model.name_of(id);
        model.note(format!("{name} {why}; what you type is not sent."));
        return;
    }
    let piped = job.record.summary.mode == JobMode::Pipe;
    let insert = model.state_mut::<Insert>();
    if let Some(insert) = insert.filter(|insert| insert.id == *id) {
        insert.claims = true;
        fit(model, cmds);
    }
    if piped {
        send_piped(id, bytes, cmds);
    } else {
        inform(model, id, bytes, cmds);
    }
}

/// Sends bytes to the terminal of a job after those that wait, without giving it a size.
pub(super) fn inform(model: &mut Model, id: &SessionId, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    if !model.settling.keep(id, bytes, model.now.ms) {
        push(id, bytes, cmds);
    }
}

/// Whether a job runs in a terminal that takes keys now.
pub(super) fn takes_bytes(job: &Job) -> bool {
    let piped = job.record.summary.mode == JobMode::Pipe;
    job.is_going() && !piped && takes_nothing(job).is_none()
}

/// Gives the shown job the size of the pane, if somebody has begun to type here, or if nobody has given it another size
/// since it got one from here.
pub(super) fn fit(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let (now, size) = (model.now.ms, model.pane_size());
    let (Some(size), Link::Up, Some(insert)) = (size, model.daemon.link, model.state::<Insert>())
    else {
        return;
    };
    let Some(job) = model.job(&insert.id).filter(|job| takes_bytes(job)) else {
        return;
    };
    let has = (job.record.summary.rows, job.record.summary.cols);
    let wants = (size.rows(), size.cols());
    let Some(insert) = model.state_mut::<Insert>() else {
        return;
    };
    if !insert.claims && insert.given != Some(has) {
        return;
    }
    insert.claims = false;
    if wants == has {
        insert.given = Some(has);
        insert.requested = None;
        return;
    }
    if insert.requested == Some(wants) {
        return;
    }
    insert.requested = Some(wants);
    let id = insert.id.clone();
    let params = Resize {
        session_id: id.to_string(),
        rows: wants.0,
        cols: wants.1,
    };
    if let Some((before, typed)) = model.settling.begin(&id, now) {
        push(&before, &typed, cmds);
    }
    cmds.push(Cmd::Request(
        RequestKind::Resize(id),
        Action::Resize(params),
    ));
}

/// Sends what has waited for the program of a job to notice its new size.
pub fn settle(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some((id, typed)) = model.settling.take(model.now.ms) else {
        return;
    };
    if typed.is_empty() {
        return;
    }
    if model.has_daemon("Not sent") {
        push(&id, &typed, cmds);
    } else {
        lost::lose(model, &id);
    }
}

/// A job has the size that was requested for it: the next key requests it again if somebody has changed it since.
pub fn resized(model: &mut Model, id: &SessionId, to: &Resized) {
    if let Some(job) = model.jobs.iter_mut().find(|job| job.id() == id) {
        let summary = &mut job.record.summary;
        (summary.rows, summary.cols) = (to.rows, to.cols);
    }
    if let Some(insert) = model
        .state_mut::<Insert>()
        .filter(|insert| insert.id == *id)
    {
        insert.requested = None;
        insert.given = Some((to.rows, to.cols));
    }
    model.settling.confirm(id);
}

/// A job did not get the size that was requested for it. Only the next key requests it again, because it may be refused
/// again.
pub fn not_resized(model: &mut Model, id: &SessionId) {
    let insert = model.state_mut::<Insert>();
    if let Some(insert) = insert.filter(|insert| insert.id == *id) {
        insert.requested = None;
        insert.given = None;
    }
    model.settling.refused(id);
}

/// Why a job that has not ended takes no keys now: it waits for its first or next run.
pub(super) fn takes_nothing(job: &Job) -> Option<String> {
    let summary = &job.record.summary;
    match summary.status {
        Status::Queued => {
            let why = summary.waiting.as_ref();
            let why = why.map_or_else(String::new, |waiting| format!(" ({})", waiting.why));
            Some(format!("does not run yet{why}"))
        }
        Status::Retrying => Some(format!("waits for its next run ({})", job.word())),
        _ => None,
    }
}

/// Types into a pipe, which has no terminal that turns Enter into a newline and Ctrl-D into the end
/// of input.
fn send_piped(id: &SessionId, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    for part in bytes.split_inclusive(|&b| b == 0x04) {
        let text = part.strip_suffix(b"\x04").unwrap_or(part);
        let text: Vec<u8> = text
            .iter()
            .map(|&b| if b == b'\r' { b'\n' } else { b })
            .collect();
        if !text.is_empty() {
            push(id, &text, cmds);
        }
        if part.ends_with(b"\x04") {
            let params = Write {
                session_id: id.to_string(),
                eof: Some(true),
                ..Write::default()
            };
            cmds.push(Cmd::Request(
                RequestKind::Type(id.clone(), Keys::Answer),
                Action::Write(params),
            ));
        }
    }
}

/// Appends bytes to the pending write, so that the bytes of one read become one request per job.
fn push(id: &SessionId, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    for part in bytes.chunks(WRITE_BYTES) {
        let typed = cmds.iter_mut().rev().map_while(|cmd| match cmd {
            Cmd::Type(to, sent) => Some((to, sent)),
            _ => None,
        });
        let mut open = typed.filter(|(to, _)| *to == id);
        match open.next() {
            Some((_, sent)) if sent.len() + part.len() <= WRITE_BYTES => {
                sent.extend_from_slice(part);
            }
            _ => cmds.push(Cmd::Type(id.clone(), part.to_vec())),
        }
    }
}
