//! INSERT: sends raw bytes to the job, except for the leave key.
//!
//! Keys are not re-encoded: the job gets the bytes that the terminal sent. A job that has ended
//! takes no input; then a key shows a message instead, and the key that restarts in NORMAL asks for
//! confirmation.

use super::msg::{Cmd, Tag};
use super::verbs;
use crate::protocol::params::{Resize, Write};
use crate::protocol::{Action, Mode as JobMode, SessionId};
use crate::term::keyparse::{Event, Input, Key};
use crate::tui::chord;
use crate::tui::keymap::{Action as KeyAction, Place};
use crate::tui::model::leave::Pressed;
use crate::tui::model::mode::{Ask, Confirm, Frame, Insert, Mode};
use crate::tui::model::{Link, Model};

/// Pastes with more lines than this need a confirmation if the job does not use bracketed paste.
const PASTE_LINES: usize = 5;

/// How long after the end of a job the restart key is ignored, in milliseconds, because it probably
/// belongs to what was being typed.
const RESTART_AFTER_MS: i64 = 1000;

/// Maximum number of bytes per request. Base64 makes them a third longer, and a request line is
/// limited to 1 MiB.
const WRITE_BYTES: usize = 256 * 1024;

/// Starts typing into the selected job, zoomed or in place.
pub(super) fn enter(model: &mut Model, zoom: bool) {
    let Some(id) = model.current().map(|job| job.id().clone()) else {
        model.note(format!(
            "There is no job to type into. {} starts one.",
            model.key("n")
        ));
        return;
    };
    begin(model, id, Vec::new(), zoom);
}

/// Starts typing into several jobs, in place.
pub(super) fn enter_all(model: &mut Model, id: SessionId, also: Vec<SessionId>) {
    let zoom = model.frame.zoom;
    begin(model, id, also, zoom);
}

fn begin(model: &mut Model, id: SessionId, also: Vec<SessionId>, zoom: bool) {
    let back = match &model.mode {
        Mode::Scroll(_, back) => *back,
        _ => model.frame,
    };
    model.frame = Frame {
        zoom,
        open: true,
        grid: model.frame.grid,
    };
    model.mode = Mode::Insert(Insert {
        id,
        also,
        back,
        asked: None,
    });
    model.ended_at = None;
    model.pan = 0;
}

/// Returns to INSERT as it was and sends the leave key itself to the job.
pub(super) fn again(
    model: &mut Model,
    insert: Insert,
    frame: Frame,
    raw: &[u8],
    cmds: &mut Vec<Cmd>,
) {
    if model.job(&insert.id).is_none() {
        return;
    }
    let is_over = is_over(model, &insert.id);
    model.frame = frame;
    model.mode = Mode::Insert(insert);
    if !is_over {
        send_all(model, raw, cmds);
    }
}

/// Handles input from the terminal.
pub(super) fn take(model: &mut Model, input: &Input, cmds: &mut Vec<Cmd>) {
    // A frozen screen would hide what is typed.
    model.peek = None;
    let Mode::Insert(insert) = &model.mode else {
        return;
    };
    if matches!(&input.event, Event::Key(_) | Event::Paste(_)) && !insert.also.is_empty() {
        leave_out_ended(model);
    }
    let Some(id) = model.current_id().cloned() else {
        return;
    };
    match &input.event {
        Event::Key(key) if model.leave_keys.contains(&chord::name(*key)) => leave(model),
        Event::Key(key) => {
            let typed = match model.leave_sequence.press(&chord::name(*key), &input.raw) {
                Pressed::Leaves => return leave(model),
                Pressed::Held => return,
                Pressed::Typed(bytes) => bytes,
            };
            if is_over(model, &id) {
                key_after_end(model, *key, &id, cmds);
            } else {
                send_all(model, &typed, cmds);
            }
        }
        Event::Paste(bytes) => {
            let held = model.leave_sequence.let_go();
            if is_over(model, &id) {
                tell_over(model, &id);
            } else {
                send_all(model, &held, cmds);
                paste(model, bytes, cmds);
            }
        }
        // Reports that the outer terminal sends by itself are not typing.
        Event::Mouse(_) | Event::Focus(_) | Event::Reply(_) => {}
    }
}

/// Sends bytes that are not typed, such as mouse reports.
pub(super) fn pass(model: &mut Model, id: &SessionId, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    if !is_over(model, id) {
        send(model, id, bytes, cmds);
    }
}

/// Sends a paste after confirmation.
pub(super) fn send_paste(model: &mut Model, insert: Insert, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    model.mode = Mode::Insert(insert);
    paste_all(model, bytes, cmds);
}

/// While typing into several jobs, drops those that have ended and names them. The last one stays,
/// so that its end is visible.
fn leave_out_ended(model: &mut Model) {
    let Mode::Insert(insert) = &model.mode else {
        return;
    };
    let (ended, mut alive): (Vec<_>, Vec<_>) =
        insert.jobs().into_iter().partition(|id| is_over(model, id));
    if ended.is_empty() {
        return;
    }
    if alive.is_empty() {
        alive.push(insert.id.clone());
    } else {
        let names: Vec<String> = ended.iter().map(|id| model.name_of(id)).collect();
        let have = if names.len() == 1 { "has" } else { "have" };
        let names = names.join(", ");
        model.note(format!("{names} {have} ended; keys go to the others."));
    }
    if let Mode::Insert(insert) = &mut model.mode {
        insert.id = alive.remove(0);
        insert.also = alive;
    }
}

/// Leaves INSERT and restores the frame.
pub(super) fn leave(model: &mut Model) {
    let Mode::Insert(insert) = std::mem::replace(&mut model.mode, Mode::Normal) else {
        return;
    };
    let frame = model.frame;
    model.frame = insert.back;
    model.just_left = Some((insert, frame));
    model.dirty = true;
}

fn is_over(model: &Model, id: &SessionId) -> bool {
    model
        .job(id)
        .is_none_or(|job| job.record.summary.status.is_finished())
}

fn key_after_end(model: &mut Model, key: Key, id: &SessionId, cmds: &mut Vec<Cmd>) {
    model.dirty = true;
    // The status line shows the key that restarts in NORMAL.
    let restarts =
        model.keymap.action(Place::Normal, &chord::name(key)) == Some(KeyAction::Restart);
    let settled = model
        .ended_at
        .is_none_or(|at| model.now.ms - at >= RESTART_AFTER_MS);
    match &model.mode {
        Mode::Insert(insert) if restarts && settled && model.job(id).is_some() => {
            let ask = Ask::Again(insert.clone());
            verbs::ask(model, ask, cmds);
        }
        _ => tell_over(model, id),
    }
}

/// Tells that the job has ended and takes no input, and which keys restart or leave.
fn tell_over(model: &mut Model, id: &SessionId) {
    let (name, again, leave) = (
        model.name_of(id),
        model.key("r"),
        model.leave_keys.join(" or "),
    );
    model.note(format!(
        "{name} has ended; {again} runs it again, {leave} leaves."
    ));
}

/// Sends a paste. Asks first if the job does not use bracketed paste and the paste is long or
/// contains control characters.
fn paste(model: &mut Model, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    let Mode::Insert(insert) = &model.mode else {
        return;
    };
    let told = insert.jobs().iter().all(|id| is_bracketed(model, id));
    let risky = lines(bytes) > PASTE_LINES
        || bytes
            .iter()
            .any(|&b| (b < b' ' && !matches!(b, b'\n' | b'\r' | b'\t')) || b == 0x7f);
    if risky && !told && model.asks {
        let ask = Ask::Paste(bytes.to_vec(), insert.clone());
        model.mode = Mode::Confirm(Confirm { ask });
        model.dirty = true;
    } else {
        paste_all(model, bytes, cmds);
    }
}

/// Sends a paste: bracketed to jobs that enabled bracketed paste, otherwise as typed.
fn paste_all(model: &mut Model, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    let Mode::Insert(insert) = &model.mode else {
        return;
    };
    for id in insert.jobs() {
        if is_bracketed(model, &id) {
            let whole = [b"\x1b[200~", bytes, b"\x1b[201~"].concat();
            send(model, &id, &whole, cmds);
        } else {
            send(model, &id, bytes, cmds);
        }
    }
}

/// Whether the job's screen is known to have bracketed paste enabled.
fn is_bracketed(model: &Model, id: &SessionId) -> bool {
    model
        .screen(id)
        .is_some_and(|screen| screen.modes().bracketed_paste)
}

/// Number of lines of a paste; terminals send a carriage return for a newline.
pub(in crate::tui) fn lines(bytes: &[u8]) -> usize {
    let text = bytes.strip_suffix(b"\r").or(bytes.strip_suffix(b"\n"));
    let text = text.unwrap_or(bytes);
    1 + text.iter().filter(|&&b| b == b'\r' || b == b'\n').count()
}

/// Types bytes into every job of INSERT.
fn send_all(model: &mut Model, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    let Mode::Insert(insert) = &model.mode else {
        return;
    };
    for id in insert.jobs() {
        send(model, &id, bytes, cmds);
    }
}

/// Types bytes into a job. The first bytes also give the shown job the size of the pane.
fn send(model: &mut Model, id: &SessionId, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    if model.link != Link::Up {
        model.note("Not sent: the daemon is restarting.");
        return;
    }
    let size = model.pane_size();
    let Some(job) = model.job(id) else {
        return;
    };
    let piped = job.record.summary.mode == JobMode::Pipe;
    let has = (job.record.summary.rows, job.record.summary.cols);
    if let (Some(size), false, Mode::Insert(insert)) = (size, piped, &mut model.mode)
        && insert.id == *id
    {
        let wants = (size.rows(), size.cols());
        if insert.asked == Some(has) {
            insert.asked = None;
        }
        if wants != has && insert.asked != Some(wants) {
            insert.asked = Some(wants);
            let params = Resize {
                session_id: id.to_string(),
                rows: wants.0,
                cols: wants.1,
            };
            cmds.push(Cmd::Ask(Tag::Resize(id.clone()), Action::Resize(params)));
        }
    }
    if piped {
        send_piped(id, bytes, cmds);
    } else {
        push(id, bytes, cmds);
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
            cmds.push(Cmd::Ask(Tag::Type(id.clone()), Action::Write(params)));
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
