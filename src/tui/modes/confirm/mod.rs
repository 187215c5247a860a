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
use crate::tui::status::{self, add_hint, who_types};
use crate::tui::theme::Tone;
use crate::tui::{hints, text, units};

/// A question. The mode that asks it says what it is about and what follows from the answer.
pub trait Question: 'static {
    /// The answers that do something, in the order in which they are shown. `No` comes last, and is added to them.
    fn answers(&self, model: &Model, area: Rect) -> Vec<Offer>;

    /// Begins the status line with the verb.
    fn begin(&self, model: &Model, area: Rect) -> Bar;

    /// Adds what the question is about, with the facts needed to decide, to the line with the verb and the answers.
    fn add_words(&self, model: &Model, bar: &mut Bar, area: Rect);

    /// Does what follows from the answer; `None` stands for every key that is no answer.
    fn answer(self: Box<Self>, model: &mut Model, answer: Option<Answer>, cmds: &mut Vec<Cmd>);

    /// What a key does that is no answer: it means no.
    fn other(self: Box<Self>, model: &mut Model, _press: &KeyPress, cmds: &mut Vec<Cmd>) {
        self.answer(model, None, cmds);
    }
}

/// An answer that a question offers.
pub struct Offer {
    /// The answer.
    pub answer: Answer,
    /// What it does, in a word.
    pub label: String,
    /// How soon it gives way if there is little room, as an item of a [`Bar`].
    pub rank: u8,
}

impl Offer {
    /// An answer that is never left out.
    pub fn new(answer: Answer, label: impl Into<String>) -> Self {
        let label = label.into();
        Self {
            answer,
            label,
            rank: 0,
        }
    }

    /// Yes.
    pub fn yes() -> Self {
        Self::new(Answer::Yes, "yes")
    }

    /// Yes, and at once; gives way to the other answers.
    pub fn kill() -> Self {
        Self {
            rank: 1,
            ..Self::new(Answer::YesKill, "kill -9")
        }
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
    offered(model, key).is_some_and(|answer| answer != Answer::No)
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let answer = offered(model, &press.name);
    if let Some(confirm) = model.take::<Confirm>() {
        match answer {
            Some(_) => confirm.question.answer(model, answer, cmds),
            None => confirm.question.other(model, press, cmds),
        }
    }
}

/// The answer of a key, if the question offers it and there is room to show it. Others mean no.
fn offered(model: &Model, key: &str) -> Option<Answer> {
    let answer = model.keymap.action(key)?;
    let question = &model.state::<Confirm>()?.question;
    let area = model.layout().status?;
    let offers = offers(question.as_ref(), model, area);
    let is_offered = offers.iter().any(|offer| offer.answer == answer);
    let shown = model.keymap.key(answer).filter(|_| is_offered)?;
    let bar = bar(question.as_ref(), model, area);
    bar.has_room_for(area, shown).then_some(answer)
}

/// The answers to a question.
fn offers(question: &dyn Question, model: &Model, area: Rect) -> Vec<Offer> {
    let mut offers = question.answers(model, area);
    offers.push(Offer::new(Answer::No, "no"));
    offers
}

/// The status line: the verb, what the question is about, and the keys of the answers.
fn bar(question: &dyn Question, model: &Model, area: Rect) -> Bar {
    let mut bar = question.begin(model, area);
    let offers = offers(question, model, area);
    for Offer {
        answer,
        label,
        rank,
    } in offers
    {
        let hint = hints::labelled(model, answer, &label);
        add_hint(model, &mut bar, rank, hint);
    }
    question.add_words(model, &mut bar, area);
    bar
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
        Some(bar(self.question.as_ref(), model, area))
    }
}

/// Begins the line of a question about jobs with its verb. Says who else types, which is a reason to decline.
pub fn begin(model: &Model, area: Rect, verb: &str) -> Bar {
    let mut bar = status::begin(model, area, verb);
    if let Some(words) = who_types(model).filter(|_| area.width >= 60) {
        let words = Span::styled(words, model.theme.state(&State::NeedsInput));
        bar.right(2, vec![words]);
    }
    bar
}

/// Adds what a question is about, in the most detailed of these words for which there is room.
pub fn add_about(model: &Model, bar: &mut Bar, what: &[String], area: Rect) {
    let theme = &model.theme;
    // The key that kills gives way only if nothing of the name would be left.
    let mut rooms = [2, 1].into_iter().map(|rank| bar.room(area, rank));
    let room = rooms.find(|&room| room >= LEAST_NAME);
    let room = room.unwrap_or_else(|| bar.room(area, 0));
    bar.text(
        0,
        text::worded(what, room, theme.glyph("…")),
        theme.strong(),
    );
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
