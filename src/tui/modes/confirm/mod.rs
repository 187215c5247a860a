//! CONFIRM: a question. `y` confirms, the other keys that are shown do what they say, and every
//! other key means no. Enter never confirms.

mod keys;

use ratatui::layout::Rect;
use ratatui::text::Span;

pub use self::keys::Answer;
use crate::protocol::SessionId;
use crate::tui::bar::Bar;
use crate::tui::keymap::KeyPress;
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::model::mode::{Handlers, Mode};
use crate::tui::state::State;
use crate::tui::status::{begin, who_types};
use crate::tui::theme::Tone;
use crate::tui::{hints, text, units};

/// A question. The mode that asks it says what it is about and what follows from the answer.
pub trait Question: 'static {
    /// The status line: the question with the facts needed to decide, and the answer keys.
    fn bar(&self, model: &Model, area: Rect) -> Bar;

    /// Does what follows from the answer; `None` stands for every key that is no answer.
    fn answer(self: Box<Self>, model: &mut Model, answer: Option<Answer>, cmds: &mut Vec<Cmd>);

    /// What a key does that is no answer: it means no.
    fn other(self: Box<Self>, model: &mut Model, _press: &KeyPress, cmds: &mut Vec<Cmd>) {
        self.answer(model, None, cmds);
    }
}

/// The mode.
pub struct Confirm {
    question: Box<dyn Question>,
}

/// Asks for confirmation, unless confirmations are disabled.
pub fn ask(model: &mut Model, question: impl Question, cmds: &mut Vec<Cmd>) {
    if model.options.asks {
        choose(model, question);
    } else {
        Box::new(question).answer(model, Some(Answer::Yes), cmds);
    }
}

/// Asks a question that is a choice, and is therefore asked even if confirmations are disabled.
pub fn choose(model: &mut Model, question: impl Question) {
    let question = Box::new(question);
    model.enter(Confirm { question });
    model.dirty = true;
}

/// Whether a key is an answer that does something, if a question is asked.
pub fn acts(model: &Model, key: &str) -> bool {
    let answer: Option<Answer> = model.keymap.action(key);
    model.state::<Confirm>().is_some() && answer.is_some_and(|answer| answer != Answer::No)
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let answer = model.keymap.action(&press.name);
    let answer = answer.filter(|&answer| shows(model, answer));
    if let Some(confirm) = model.take::<Confirm>() {
        match answer {
            Some(_) => confirm.question.answer(model, answer, cmds),
            None => confirm.question.other(model, press, cmds),
        }
    }
}

/// Whether the question on the screen shows this answer. One that it does not show means no.
fn shows(model: &Model, answer: Answer) -> bool {
    let (Some(area), Some(key)) = (model.layout().status, model.keymap.key(answer)) else {
        return false;
    };
    let confirm = model.state::<Confirm>();
    confirm.is_some_and(|confirm| confirm.question.bar(model, area).shows(area, key))
}

impl Mode for Confirm {
    fn name(&self) -> &'static str {
        "CONFIRM"
    }

    fn tone(&self) -> Tone {
        Tone::Alarm
    }

    fn handlers(&self) -> Handlers {
        Handlers::of_keys(press)
    }

    fn declines(&self) -> Option<fn(&mut Model, &mut Vec<Cmd>)> {
        Some(|model, cmds| {
            if let Some(confirm) = model.take::<Confirm>() {
                confirm.question.answer(model, None, cmds);
            }
        })
    }

    fn bar(&self, model: &Model, area: Rect) -> Option<Bar> {
        Some(self.question.bar(model, area))
    }
}

/// A question that is answered with yes or no, or, if `kill` is set, also with the key that kills.
/// `what` has what it is about in its words, the most detailed first.
pub fn yes_or_no(model: &Model, verb: &str, what: &[String], kill: bool, area: Rect) -> Bar {
    let theme = &model.theme;
    let mut bar = begin(model, area, verb);
    if let Some(words) = who_types(model).filter(|_| area.width >= 60) {
        let words = Span::styled(words, theme.state(&State::NeedsInput));
        bar.right(2, vec![words]);
    }
    let mut hint = |rank: u8, answer: Answer, label: &str| {
        if let Some(hint) = hints::labelled(model, answer, label) {
            bar.right(rank, hints::spans(model, hint));
        }
    };
    hint(0, Answer::Yes, "yes");
    if kill {
        hint(1, Answer::YesKill, "kill -9");
    }
    hint(0, Answer::No, "no");
    // The key that kills gives way only if nothing of the name would be left.
    let mut rooms = [2, 1].into_iter().map(|rank| bar.room(area, rank));
    let room = rooms.find(|&room| room >= LEAST_NAME);
    let room = room.unwrap_or_else(|| bar.room(area, 0));
    bar.text(
        0,
        text::worded(what, room, theme.glyph("…")),
        theme.strong(),
    );
    bar
}

/// Columns of a name that are left beside the key that kills.
const LEAST_NAME: usize = 6;

/// `web (pid 48213, 4 processes, up 2h04m)?` and `web?`, or the names of several jobs.
pub fn about_alive(model: &Model, ids: &[SessionId]) -> Vec<String> {
    let [id] = ids else {
        return several(model, ids);
    };
    let Some(job) = model.job(id) else {
        return vec![format!("{id}?")];
    };
    let name = format!("{}?", job.name);
    if job.state().waits() || job.is_retrying() {
        let until = model.time_of(job);
        let word = format!("{} {until}", job.word());
        return vec![format!("{} ({})?", job.name, word.trim_end()), name];
    }
    let mut facts = Vec::new();
    if let Some(pid) = job.record.summary.pid {
        facts.push(format!("pid {pid}"));
    }
    if let Some(n) = job.record.processes.filter(|&n| n > 1) {
        facts.push(format!("{n} processes"));
    }
    let up = units::uptime(job.runtime(model.now.ms));
    facts.push(format!("up {up}"));
    vec![format!("{} ({})?", job.name, facts.join(", ")), name]
}

/// `4 jobs: web, api, db, tests?` and `4 jobs?`
pub fn several(model: &Model, ids: &[SessionId]) -> Vec<String> {
    let names: Vec<String> = ids.iter().map(|id| model.name_of(id)).collect();
    let n = ids.len();
    vec![
        format!("{n} jobs: {}?", names.join(", ")),
        format!("{n} jobs?"),
    ]
}
