//! SIGNAL: sends a signal to the foreground program of each job.

use ratatui::layout::Rect;

use super::keys::Signal;
use crate::protocol::params::{SignalName, SignalParams};
use crate::protocol::{Action, SessionId};
use crate::tui::bar::Bar;
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::modes::confirm::{Answer, Offer, Question, about_alive, add_about, ask, begin};

/// Sends the signal. Asks first if a program that does not expect it is ended or paused by it.
pub(super) fn chosen(model: &mut Model, ids: Vec<SessionId>, signal: Signal, cmds: &mut Vec<Cmd>) {
    let name = match signal {
        Signal::Int => "INT",
        Signal::Term => "TERM",
        Signal::Hup => "HUP",
        Signal::Quit => "QUIT",
        Signal::Usr1 => "USR1",
        Signal::Usr2 => "USR2",
        Signal::Winch => "WINCH",
        Signal::Kill => "KILL",
        Signal::Leave => return,
    };
    match signal {
        Signal::Winch => send(&ids, name, cmds),
        _ => ask(model, SendSignal { ids, name }, cmds),
    }
}

fn send(ids: &[SessionId], name: &'static str, cmds: &mut Vec<Cmd>) {
    for id in ids {
        let params = SignalParams {
            session_id: id.to_string(),
            signal: SignalName::Name(name.to_owned()),
            target: None,
        };
        cmds.push(Cmd::Request(
            RequestKind::Sent(id.clone(), name),
            Action::Signal(params),
        ));
    }
}

/// Whether to send a signal.
struct SendSignal {
    ids: Vec<SessionId>,
    name: &'static str,
}

impl Question for SendSignal {
    fn answers(&self, _: &Model, _: Rect) -> Vec<Offer> {
        vec![Offer::yes()]
    }

    fn begin(&self, model: &Model, area: Rect) -> Bar {
        begin(model, area, &format!("SEND SIG{}", self.name))
    }

    fn add_words(&self, model: &Model, bar: &mut Bar, area: Rect) {
        let what = about_alive(model, &self.ids).into_iter();
        let what: Vec<String> = what.map(|what| format!("to {what}")).collect();
        add_about(model, bar, &what, area);
    }

    fn answer(mut self: Box<Self>, model: &mut Model, answer: Option<Answer>, cmds: &mut Vec<Cmd>) {
        if answer != Some(Answer::Yes) {
            return;
        }
        // Some may have ended since it was asked.
        self.ids
            .retain(|id| model.job(id).is_some_and(Job::has_process));
        match self.ids.as_slice() {
            [] => model.note("Nothing was sent: nothing of it runs now."),
            ids => send(ids, self.name, cmds),
        }
    }
}
