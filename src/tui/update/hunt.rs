//! Jumps to matches, errors and prompts: within the loaded stretch, then through the rest of the
//! log.

use super::msg::{Cmd, Tag};
use super::scroll::{load, load_around, newer, older, written};
use crate::protocol::Action;
use crate::protocol::params::StatusParams;
use crate::tui::keymap;
use crate::tui::model::Model;
use crate::tui::model::scroll::place::Place;
use crate::tui::model::scroll::seek::Goal;
use crate::tui::model::scroll::{Hunt, MAX_PART, Part};

/// Jumps to the next goal.
pub(super) fn jump(model: &mut Model, goal: Goal, is_older: bool, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = model.scroll_mut() else {
        return;
    };
    if goal == Goal::Match && scroll.search.is_none() {
        nothing_yet(model);
        return;
    }
    scroll.hunt = Some(Hunt {
        goal,
        older: is_older,
    });
    if goal == Goal::Boundary && scroll.runs.is_none() {
        // The daemon knows where runs start; its reply continues the jump.
        let id = scroll.id.clone();
        let params = StatusParams {
            session_id: id.to_string(),
            detail: Some(true),
        };
        cmds.push(Cmd::Ask(Tag::Runs(id), Action::Status(params)));
        return;
    }
    go_on(model, cmds);
}

/// After a search was typed: goes to the newest match at or above the end of the viewport, else to
/// the first below, else to an older one.
pub(super) fn first_match(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = model.scroll_mut() else {
        return;
    };
    let last = scroll.view().last().unwrap_or(0);
    let end = Place {
        row: last + 1,
        col: 0,
    };
    let Some(search) = &scroll.search else {
        model.note("This cannot be searched for.");
        return;
    };
    let place = search
        .next(end, true)
        .or_else(|| search.found.first().map(|found| found.start));
    if let Some(place) = place {
        scroll.put(place);
        fill(model, cmds);
        return;
    }
    scroll.hunt = Some(Hunt {
        goal: Goal::Match,
        older: true,
    });
    go_on(model, cmds);
}

/// Looks for the goal in the loaded stretch; requests another part if it is not there.
pub(super) fn go_on(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let written = written(model);
    let Some(scroll) = model.scroll_mut() else {
        return;
    };
    let Some(hunt) = scroll.hunt else {
        return;
    };
    if let Some(place) = scroll.next(hunt.goal, hunt.older) {
        scroll.hunt = None;
        scroll.put(place);
        fill(model, cmds);
        return;
    }
    if scroll.loading.is_some() {
        return;
    }
    let has_more = match hunt.older {
        true => scroll.text.has_older(),
        false => written > scroll.text.end && !scroll.is_still,
    };
    match (has_more, scroll.text.is_full(), hunt.older) {
        (false, ..) => give_up(model, hunt),
        (_, false, true) => older(model, cmds),
        (_, false, false) => newer(model, cmds),
        (_, true, true) => {
            let edge = scroll.text.head();
            probe(model, edge, cmds);
        }
        (_, true, false) => {
            let edge = scroll.text.end;
            probe(model, edge, cmds);
        }
    }
}

/// Handles a part that is only searched. It was requested from `edge` on in the direction of the
/// search.
pub(super) fn probed(model: &mut Model, edge: u64, bytes: &[u8], offset: u64, cmds: &mut Vec<Cmd>) {
    let written = written(model);
    let Some(scroll) = model.scroll_mut() else {
        return;
    };
    scroll.loading = None;
    let Some(hunt) = scroll.hunt else {
        return;
    };
    match scroll.probe(hunt, bytes, offset) {
        Ok(offset) => {
            scroll.hunt = None;
            scroll.land_at(offset);
            load_around(model, offset, cmds);
        }
        // Continue only if this makes progress; otherwise, for instance after the log was trimmed,
        // the search would never end.
        Err(next) if hunt.older && next < edge && offset > scroll.text.first => {
            probe(model, next, cmds);
        }
        Err(next) if !hunt.older && next > edge && next < written && !bytes.is_empty() => {
            probe(model, next, cmds);
        }
        Err(_) => give_up(model, hunt),
    }
}

/// While a search is active, loads as much of the log as fits, so that matches are counted in all
/// of it.
pub(super) fn fill(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let wants = model.scroll().is_some_and(|scroll| {
        scroll.search.is_some()
            && scroll.loading.is_none()
            && scroll.text.has_older()
            && !scroll.text.is_full()
    });
    if wants {
        older(model, cmds);
    }
}

/// Requests the part beyond an edge, to search it.
fn probe(model: &mut Model, edge: u64, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = model.scroll() else {
        return;
    };
    let is_older = scroll.hunt.is_none_or(|hunt| hunt.older);
    let from = match is_older {
        true => edge.saturating_sub(MAX_PART).max(scroll.text.first),
        false => edge,
    };
    let limit = if is_older {
        edge - from.min(edge)
    } else {
        MAX_PART
    };
    load(model, Part::Probe(edge), from, limit, cmds);
}

fn give_up(model: &mut Model, hunt: Hunt) {
    if let Some(scroll) = model.scroll_mut() {
        scroll.hunt = None;
    }
    let way = match hunt.goal {
        Goal::Match if hunt.older => "older",
        Goal::Match => "newer",
        _ if hunt.older => "earlier",
        _ => "later",
    };
    model.note(format!("There is no {way} {}.", hunt.goal.word()));
}

/// Tells that there is no search yet, so there are no matches to go to or to filter by.
pub(super) fn nothing_yet(model: &mut Model) {
    let key = model.keymap.instead_of(keymap::Place::Scroll, "/");
    model.note(format!("Nothing was searched for yet. {key} searches."));
}
