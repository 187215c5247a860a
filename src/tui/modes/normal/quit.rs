//! Stopping jobs and closing the view: it closes once they have ended, and stays open if a process
//! survives.

use ratatui::layout::Rect;

use crate::protocol::SessionId;
use crate::tui::bar::Bar;
use crate::tui::message::{Cmd, Exit};
use crate::tui::model::Model;
use crate::tui::model::quitting::Quitting;
use crate::tui::model::rows::group_of;
use crate::tui::modes::confirm::{Answer, Offer, Question, choose};
use crate::tui::status::begin;
use crate::tui::{requests, text};

/// Asks what to stop; if nothing is alive, the view closes.
pub(super) fn ask(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.alive().is_empty() {
        cmds.push(Cmd::Quit(Exit::Closed));
        return;
    }
    choose(model, QuitAndStop);
}

/// The group of the selected job: its title and its alive jobs.
pub(super) fn group(model: &Model) -> Option<(String, Vec<SessionId>)> {
    let members = model.group_members();
    let (_, title) = group_of(members.first()?);
    let alive: Vec<SessionId> = members
        .into_iter()
        .filter(|job| job.is_going())
        .map(|job| job.id().clone())
        .collect();
    (!alive.is_empty()).then_some((title, alive))
}

/// Stops the jobs of the selected group, then closes.
fn stop_group(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if let Some((_, ids)) = group(model) {
        stop(model, ids, cmds);
    }
}

/// Stops all jobs, then closes.
fn stop_all(model: &mut Model, cmds: &mut Vec<Cmd>) {
    stop(model, model.alive(), cmds);
}

fn stop(model: &mut Model, ids: Vec<SessionId>, cmds: &mut Vec<Cmd>) {
    requests::stop(model, &ids, false, cmds);
    model.quitting = Some(Quitting {
        total: ids.len(),
        left: ids,
    });
}

/// A job has ended with all of its processes; after the last one the view closes.
pub fn ended(model: &mut Model, id: &SessionId, cmds: &mut Vec<Cmd>) {
    let Some(quitting) = &mut model.quitting else {
        return;
    };
    quitting.left.retain(|left| left != id);
    if quitting.left.is_empty() {
        model.quitting = None;
        cmds.push(Cmd::Quit(Exit::Closed));
    }
}

/// Cancels closing, because something was not stopped or the person wants to stay. Returns whether
/// the view was about to close.
pub fn stay(model: &mut Model) -> bool {
    model.quitting.take().is_some()
}

/// After a reconnect: replies were lost, so jobs still alive are stopped again.
pub fn again(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(quitting) = &model.quitting else {
        return;
    };
    let (alive, over): (Vec<SessionId>, Vec<SessionId>) = quitting
        .left
        .iter()
        .cloned()
        .partition(|id| model.job(id).is_some_and(|job| job.is_going()));
    requests::stop(model, &alive, false, cmds);
    for id in over {
        ended(model, &id, cmds);
    }
}

/// Below this many columns, the question and its answers have a word each.
const NARROW: u16 = 30;

/// Whether to stop the group or all jobs before closing.
struct QuitAndStop;

impl Question for QuitAndStop {
    /// `s stop shop (4)  A stop all 5`.
    fn answers(&self, model: &Model, area: Rect) -> Vec<Offer> {
        let wide = is_wide(area);
        let alive = model.alive().len();
        let mut offers = Vec::new();
        if let Some((title, ids)) = group(model).filter(|(_, ids)| ids.len() < alive) {
            let most = if wide { 16 } else { 10 };
            let title = text::clip_middle(&title, most, model.theme.glyph("…"));
            let stop = if wide { "stop " } else { "" };
            let label = format!("{stop}{title} ({})", ids.len());
            offers.push(Offer {
                rank: 2,
                ..Offer::new(Answer::StopGroup, label)
            });
        }
        let all = match alive {
            1 => "stop it".to_owned(),
            n if area.width < NARROW => format!("all {n}"),
            n => format!("stop all {n}"),
        };
        offers.push(Offer::new(Answer::StopAll, all));
        offers
    }

    fn begin(&self, model: &Model, area: Rect) -> Bar {
        let word = if is_wide(area) {
            "QUIT AND STOP?"
        } else {
            "QUIT?"
        };
        begin(model, area, word)
    }

    /// `5 jobs are running`; `3 running, 2 queued` if jobs wait to start.
    fn add_words(&self, model: &Model, bar: &mut Bar, _: Rect) {
        let are = match (model.alive_counts().with_waiting(), model.alive().len()) {
            (Some(words), _) => words,
            (None, 1) => "1 job is running".to_owned(),
            (None, n) => format!("{n} jobs are running"),
        };
        bar.text(3, are, model.theme.strong());
    }

    fn answer(self: Box<Self>, model: &mut Model, answer: Option<Answer>, cmds: &mut Vec<Cmd>) {
        match answer {
            Some(Answer::StopGroup) => stop_group(model, cmds),
            Some(Answer::StopAll) => stop_all(model, cmds),
            _ => {}
        }
    }
}

fn is_wide(area: Rect) -> bool {
    area.width >= 60
}
