//! HELD: keeps text that was typed in NORMAL, or in a mode that reads, by mistake, instead of taking it for commands.
//!
//! The text lives in this mode only: it is not logged, and it is not shown if the job in the pane
//! waits for a password.

mod guard;
mod keys;

use ratatui::layout::Rect;
use ratatui::style::Style;

pub use self::guard::{burst, expire, key};
pub use self::keys::Action;
use super::{confirm, insert, normal};
use crate::protocol::SessionId;
use crate::term::keyparse::KeyCode;
use crate::tui::bar::Bar;
use crate::tui::keymap::KeyPress;
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::model::mode::{Handlers, Mode};
use crate::tui::state::State;
use crate::tui::status;
use crate::tui::theme::Tone;
use crate::tui::{hints, text};

/// How long after the last letter a key may be meant for the dashboard again, in milliseconds.
const PAUSE_MS: i64 = 600;

/// The key that is never ignored: whoever presses it wants to get out.
const INTERRUPT: &str = "ctrl-c";

/// The mode.
pub struct Held {
    /// The job that was in the pane: the only one that the text is typed into.
    id: Option<SessionId>,
    /// Whether it has waited for a password since.
    is_secret: bool,
    /// What was typed; Enter is a carriage return, Tab a tab.
    text: String,
    /// When the last key was added.
    last: i64,
}

/// Ends what the letters have opened, and holds the text. `false` if letters are no commands then, because the
/// question belonged to another mode.
fn hold(model: &mut Model, text: String, cmds: &mut Vec<Cmd>) -> bool {
    if let Some(decline) = model.mode().declines() {
        decline(model, cmds);
    }
    model.typing.clear();
    model.left = None;
    model.dirty = true;
    if !model.is_normal() && model.mode().reads(model).is_none() {
        return false;
    }
    model.cover(Held {
        id: model.current_id().cloned(),
        is_secret: false,
        text,
        last: model.now.ms,
    });
    true
}

fn press(model: &mut Model, press: &KeyPress, cmds: &mut Vec<Cmd>) {
    let now = model.now.ms;
    let action = model.keymap.action(&press.name);
    let letter = guard::letter_of(press);
    let typable = can_type(model);
    let Some(held) = model.state_mut::<Held>() else {
        return;
    };
    let is_typing = now - held.last < PAUSE_MS;
    match (letter, press.key.code) {
        (Some(c), _) if is_typing => held.text.push(c),
        (_, KeyCode::Enter) if is_typing => held.text.push('\r'),
        (_, KeyCode::Tab) if is_typing => held.text.push('\t'),
        (_, KeyCode::Backspace) => {
            held.text.pop();
            if held.text.is_empty() {
                model.leave();
                return;
            }
        }
        _ if action == Some(Action::Forget) => return model.leave(),
        _ if action == Some(Action::Type) && typable => {
            let text = std::mem::take(&mut held.text);
            let id = held.id.take();
            model.leave_all();
            if let Some(id) = id {
                insert::enter_with(model, id, &text, cmds);
            }
            return;
        }
        // Whoever presses it in the middle of a text has not seen yet that the text is held.
        _ if is_typing && press.name != INTERRUPT => return,
        _ => {
            model.leave();
            return key(model, press, cmds);
        }
    }
    held.last = now;
}

/// After each message: notes that the job asks for a password, which the text may then be.
fn reconcile(model: &mut Model, _: &mut Vec<Cmd>) {
    let asks = model.current().map(Job::state) == Some(State::NeedsPassword);
    if let Some(held) = model.state_mut::<Held>() {
        held.is_secret |= asks;
    }
}

fn can_type(model: &Model) -> bool {
    let job = model.state::<Held>().and_then(|held| held.id.as_ref());
    let job = job.and_then(|id| model.job(id));
    !model.options.read_only && job.is_some_and(Job::is_going)
}

impl Mode for Held {
    fn name(&self) -> &'static str {
        "HELD"
    }

    fn tone(&self) -> Tone {
        Tone::Alarm
    }

    fn handlers(&self) -> Handlers {
        Handlers {
            reconcile,
            ..Handlers::of_text(press, normal::refuse_paste)
        }
    }

    fn job(&self) -> Option<&SessionId> {
        self.id.as_ref()
    }

    fn yields(&self) -> Option<fn(&mut Model)> {
        Some(Model::leave_all)
    }

    fn is_overlay(&self) -> bool {
        true
    }

    /// `You are in NORMAL; i types into web.  held: "make te…"   i type it   esc forget`
    fn bar(&self, model: &Model, area: Rect) -> Option<Bar> {
        let theme = &model.theme;
        let mut bar = status::bar(model, area);
        let name = model.current().map(|job| job.name.as_str());
        let name = text::clip_middle(name.unwrap_or_default(), 16, theme.glyph("…"));
        let typable = can_type(model);
        let mode = model.covered().map_or("NORMAL", Mode::name);
        let why = if typable && area.width >= 100 {
            format!("You are in {mode}; {} types into {name}.", model.key("i"))
        } else {
            format!("You are in {mode}.")
        };
        bar.text(3, why, Style::new());
        let held = if self.is_secret {
            "held (hidden)".to_owned()
        } else {
            let (prefix, room) = match area.width {
                ..60 => ("", 8),
                width => ("held: ", usize::from(width / 4)),
            };
            let enter = if theme.ascii { "^M" } else { "⏎" };
            let tab = if theme.ascii { "^I" } else { "⇥" };
            let text = self.text.replace('\r', enter).replace('\t', tab);
            let text = text::clip(&text, room, theme.glyph("…"));
            format!("{prefix}\"{text}\"")
        };
        bar.text(2, held, theme.strong());
        for (action, label) in [(Action::Type, "type it"), (Action::Forget, "forget")] {
            if typable || action == Action::Forget {
                status::add_hint(model, &mut bar, 0, hints::labelled(model, action, label));
            }
        }
        Some(bar)
    }
}
