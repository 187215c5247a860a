//! INSERT: sends raw bytes to the job, except for the leave key.
//!
//! The terminal is asked to report keys as the program wants them, and the job gets its bytes. Keys that come in
//! another form are encoded as the program expects them (`encode`). A job that has ended takes no input; then a key
//! shows a message instead, and the key that restarts in NORMAL runs it again.

mod encode;
pub mod focus;
mod keys;
pub mod lost;
mod paste;
mod send;
pub mod sequence;
mod status;

use std::any::Any;

use ratatui::layout::Rect;

pub use self::encode::with_alt;
pub use self::keys::Action;
use self::send::{fit, send, send_all, send_keys};
pub use self::send::{not_resized, resized, settle};
use self::sequence::{LeaveSequence, Pressed};
use crate::protocol::{SessionId, Timestamp};
use crate::term::keyboard::KeyProtocol;
use crate::tui::bar::Bar;
use crate::tui::crop::Pan;
use crate::tui::keymap::{KeyPress, NORMAL};
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::model::mode::{Frame, Handlers, Hints, Left, Mode, Needs};
use crate::tui::theme::Tone;
use crate::tui::{hints, requests};

/// How long after the end of a job, and after any key since, the restart key is ignored, in milliseconds, because it
/// probably belongs to what is being typed.
const RESTART_AFTER_MS: i64 = 1000;

/// How long after the key that leaves INSERT the same key belongs to it without a doubt, in milliseconds.
const SURE_MS: i64 = 1000;

/// The mode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Insert {
    /// The job typed into.
    id: SessionId,
    /// Its name as last known: a job that is removed while somebody types has no other.
    name: String,
    /// Other jobs that get the same keys.
    also: Vec<SessionId>,
    /// The frame to restore on leaving.
    back: Frame,
    /// Whether the job gets the size of the pane as soon as it can: somebody has begun to type here.
    claims: bool,
    /// The size (rows, columns) that the job has got from here. While it has this one, it follows the pane.
    given: Option<(u16, u16)>,
    /// The size (rows, columns) requested for the job and not given to it, or not yet.
    requested: Option<(u16, u16)>,
    /// Set if the job has ended: since when no key was pressed after its end was noticed, or after it, if it was before
    /// INSERT.
    quiet_since: Option<i64>,
    /// The keys that leave, if they are a sequence.
    sequence: LeaveSequence,
    /// Set if something that was typed is lost: when that was, or when a key was last pressed since.
    lost_at: Option<i64>,
}

impl Insert {
    /// All jobs that get the keys, the shown one first.
    fn jobs(&self) -> Vec<SessionId> {
        let mut jobs = vec![self.id.clone()];
        jobs.extend(self.also.iter().cloned());
        jobs
    }

    /// INSERT after another mode. A reply to the request for the size that came meanwhile has not reached it, so the size
    /// is requested again, unless the job has it.
    fn resumed(self) -> Self {
        Self {
            claims: true,
            requested: None,
            ..self
        }
    }
}

/// Starts typing into the selected job, zoomed or in place.
pub fn enter(model: &mut Model, zoom: bool) {
    let Some(id) = model.current().map(|job| job.id().clone()) else {
        model.note_no_job(format!(
            "There is no job to type into. {} starts one.",
            model.key("n")
        ));
        return;
    };
    begin(model, id, Vec::new(), zoom);
}

/// Starts typing into a job in place, and types `text`.
pub fn enter_with(model: &mut Model, id: SessionId, text: &str, cmds: &mut Vec<Cmd>) {
    begin(model, id, Vec::new(), model.frame.zoom);
    send_all(model, text.as_bytes(), cmds);
}

/// Starts typing into several jobs, in place.
pub fn enter_all(model: &mut Model, id: SessionId, also: Vec<SessionId>) {
    let zoom = model.frame.zoom;
    begin(model, id, also, zoom);
}

fn begin(model: &mut Model, id: SessionId, also: Vec<SessionId>, zoom: bool) {
    let back = model.mode().back().unwrap_or(model.frame);
    let quiet_since = end_of(model, &id);
    model.frame = Frame {
        zoom,
        open: true,
        grid: model.frame.grid,
    };
    model.enter(Insert {
        name: model.name_of(&id),
        id,
        also,
        back,
        claims: true,
        given: None,
        requested: None,
        quiet_since,
        sequence: LeaveSequence::new(model.options.leave_sequence.clone()),
        lost_at: None,
    });
    model.pane.scroll = None;
    model.pane.pan = Pan::default();
}

/// Returns to INSERT as it was, if `left` is INSERT, and sends the leave key itself to the job.
pub fn again(model: &mut Model, left: Left, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let mode: Box<dyn Any> = left.mode;
    let Ok(insert) = mode.downcast::<Insert>() else {
        return;
    };
    if model.job(&insert.id).is_none() {
        return;
    }
    let is_over = is_over(model, &insert.id);
    go_on(model, *insert, left.frame);
    if is_over {
        return;
    }
    send_keys(model, std::slice::from_ref(press), cmds);
    // Long after, it may have been pressed to make sure that this is NORMAL.
    if model.now.ms - left.at > SURE_MS
        && let Some(insert) = model.state::<Insert>()
    {
        let (key, name) = (&press.name, &insert.name);
        model.note(format!(
            "{key} was sent to {name}: this is INSERT again. {key} leaves it."
        ));
    }
}

/// Returns to INSERT as it was.
pub fn go_on(model: &mut Model, insert: Insert, frame: Frame) {
    let quiet_since = end_of(model, &insert.id);
    model.frame = frame;
    model.enter(Insert {
        quiet_since,
        ..insert.resumed()
    });
}

/// Leaves INSERT and restores the frame.
pub fn leave(model: &mut Model) {
    close(model);
}

/// Leaves INSERT by a key. Pressed again, the key goes to the job.
fn leave_by_key(model: &mut Model) {
    let frame = model.frame;
    let insert = close(model);
    let at = model.now.ms;
    model.left = insert.map(|mode| Left { mode, frame, at });
}

fn close(model: &mut Model) -> Option<Box<Insert>> {
    let insert = model.take::<Insert>()?;
    // The frame belonged to the job: without it, the list is shown.
    model.frame = match model.job(&insert.id) {
        Some(_) => insert.back,
        None => Frame::default(),
    };
    model.dirty = true;
    Some(insert)
}

/// Sends bytes that are not typed, such as mouse reports.
pub fn pass(model: &mut Model, id: &SessionId, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    if !is_over(model, id) {
        send(model, id, bytes, cmds);
    }
}

/// Sends a report of the kitty keyboard protocol to the jobs whose programs read them.
pub fn report(model: &mut Model, raw: &[u8], cmds: &mut Vec<Cmd>) {
    let jobs = model.state::<Insert>().map_or_else(Vec::new, Insert::jobs);
    for id in jobs {
        if encode::reads_reports(model, &id) {
            pass(model, &id, raw, cmds);
        }
    }
}

/// How the terminal of the view should report keys: while typing into a job, as its program wants them.
pub fn keys(model: &Model) -> KeyProtocol {
    let typed_into = model.state::<Insert>().map(|insert| &insert.id);
    let wanted = typed_into.map(|id| encode::wanted(model, id));
    model.answers.best(wanted.unwrap_or_default())
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let Some(id) = ready(model) else {
        return;
    };
    if leaves(model, press) {
        return leave_by_key(model);
    }
    let Some(insert) = model.state_mut::<Insert>() else {
        return;
    };
    let typed = match insert.sequence.press(press) {
        Pressed::Leaves => return leave_by_key(model),
        Pressed::Held => return,
        Pressed::Typed(keys) => keys,
    };
    if lost::press(model, press) {
        return;
    }
    if is_over(model, &id) {
        key_after_end(model, press, &id, cmds);
    } else {
        send_keys(model, &typed, cmds);
    }
}

/// Whether a key leaves. Terminals have always sent the same for Ctrl-] and Ctrl-5. Now that programs can tell them
/// apart, Ctrl-5 still leaves: on some keyboards `]` needs AltGr, which the kitty protocol does not report with Ctrl.
fn leaves(model: &Model, press: &KeyPress) -> bool {
    let name = match press.name.as_str() {
        "ctrl-5" => "ctrl-]",
        name => name,
    };
    leaves_by(model, name)
}

/// Whether the key or the sequence of keys with this name leaves.
pub fn leaves_by(model: &Model, name: &str) -> bool {
    model.keymap.action(name) == Some(Action::Leave)
}

fn paste(model: &mut Model, bytes: &[u8], cmds: &mut Vec<Cmd>) {
    let Some(id) = ready(model) else {
        return;
    };
    let insert = model.state_mut::<Insert>();
    let held = insert.map(|insert| insert.sequence.let_go());
    if is_over(model, &id) {
        tell_over(model, &id);
    } else {
        send_keys(model, &held.unwrap_or_default(), cmds);
        paste::paste(model, bytes, cmds);
    }
}

/// Prepares for typing; returns the job in the pane.
fn ready(model: &mut Model) -> Option<SessionId> {
    // A frozen screen would hide what is typed.
    model.pane.scroll = None;
    leave_out_ended(model);
    model.current_id().cloned()
}

/// While typing into several jobs, drops those that have ended and names them. The last one stays,
/// so that its end is visible.
fn leave_out_ended(model: &mut Model) {
    let Some(insert) = model.state::<Insert>() else {
        return;
    };
    if insert.also.is_empty() {
        return;
    }
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
    if let Some(insert) = model.state_mut::<Insert>() {
        insert.id = alive.remove(0);
        insert.also = alive;
    }
}

fn is_over(model: &Model, id: &SessionId) -> bool {
    model
        .job(id)
        .is_none_or(|job| job.record.summary.status.is_finished())
}

/// When a job ended, in milliseconds since the epoch; `None` if it has not ended.
fn end_of(model: &Model, id: &SessionId) -> Option<i64> {
    let job = model.job(id).filter(|job| !job.is_going())?;
    let ended_at = job.record.summary.ended_at;
    Some(ended_at.map_or(0, Timestamp::millis))
}

/// After each message: notes when the job ended, or forgets that when it runs again, and lets its size follow the pane.
fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    fit(model, cmds);
    let now = model.now.ms;
    let Some(insert) = model.state::<Insert>() else {
        return;
    };
    let is_over = is_over(model, &insert.id);
    let name = model.job(&insert.id).map(|job| job.name.clone());
    if let Some(insert) = model.state_mut::<Insert>() {
        insert.quiet_since = is_over.then(|| insert.quiet_since.unwrap_or(now));
        if let Some(name) = name {
            insert.name = name;
        }
    }
}

fn key_after_end(model: &mut Model, press: &KeyPress, id: &SessionId, cmds: &mut Vec<Cmd>) {
    model.dirty = true;
    // The status line shows the key that restarts in NORMAL.
    let restarts = model
        .keymap
        .keys_named(NORMAL, "restart")
        .contains(&press.name);
    let now = model.now.ms;
    let Some(insert) = model.state_mut::<Insert>() else {
        return;
    };
    let last = insert.quiet_since.replace(now);
    let settled = last.is_none_or(|at| now - at >= RESTART_AFTER_MS);
    if restarts && settled && model.job(id).is_some() {
        requests::restart(model, std::slice::from_ref(id), cmds);
    } else {
        tell_over(model, id);
    }
}

/// Tells that the job has ended or was removed and takes no input, and which keys restart or leave.
fn tell_over(model: &mut Model, id: &SessionId) {
    let leave = model.keymap.keys(Action::Leave).join(" or ");
    let text = match (model.job(id), model.state::<Insert>()) {
        (None, Some(insert)) => format!("{} was removed; {leave} leaves.", insert.name),
        _ => {
            let (name, again) = (model.name_of(id), model.key("r"));
            format!("{name} has ended; {again} runs it again, {leave} leaves.")
        }
    };
    model.note(text);
}

impl Mode for Insert {
    fn name(&self) -> &'static str {
        "INSERT"
    }

    fn tone(&self) -> Tone {
        if self.also.is_empty() && self.lost_at.is_none() {
            Tone::Live
        } else {
            // Typing into several jobs at once deserves an alarm colour, and so does typing in vain.
            Tone::Alarm
        }
    }

    fn handlers(&self) -> Handlers {
        Handlers {
            reconcile,
            ..Handlers::of_text(press, paste)
        }
    }

    fn job(&self) -> Option<&SessionId> {
        Some(&self.id)
    }

    fn types(&self) -> bool {
        true
    }

    fn needs(&self) -> Needs {
        Needs {
            // When typing into several jobs, the status line is always shown.
            nothing: self.also.is_empty(),
            ..Needs::default()
        }
    }

    fn back(&self) -> Option<Frame> {
        Some(self.back)
    }

    fn yields(&self) -> Option<fn(&mut Model)> {
        Some(leave)
    }

    /// The last job stays: what is still typed for it would be commands in NORMAL.
    fn forget(&mut self, id: &SessionId) -> bool {
        if !self.also.is_empty() {
            let mut left = self.jobs();
            left.retain(|one| one != id);
            self.id = left.remove(0);
            self.also = left;
        }
        false
    }

    fn disconnected(&mut self, _now_ms: i64) {
        self.requested = None;
    }

    fn bar(&self, model: &Model, area: Rect) -> Option<Bar> {
        Some(status::bar(model, self, area))
    }

    fn hints(&self, model: &Model) -> Hints {
        // A job that takes no keys; the status line above shows which keys are left.
        let takes = |job: &Job| job.is_going() && send::takes_nothing(job).is_none();
        if self.lost_at.is_some() || !model.current().is_some_and(takes) {
            return Hints::default();
        }
        let Some((leave, label)) = hints::hint(model, Action::Leave) else {
            return Hints::default();
        };
        let exit = if self.also.is_empty() {
            (format!("{leave} {leave}"), format!("sends {leave} itself"))
        } else {
            (leave, label)
        };
        Hints {
            keys: Vec::new(),
            exits: vec![exit],
        }
    }
}
