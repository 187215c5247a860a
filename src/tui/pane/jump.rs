//! Jumps to matches, errors and prompts: within the loaded stretch, then through the rest of the
//! log.

use super::load::{load, load_around, newer, older, written};
use super::runs;
use crate::tui::keymap::SCROLL;
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::scrollback::place::Place;
use crate::tui::scrollback::seek::{Direction, JumpTarget};
use crate::tui::scrollback::{Jump, MAX_PART, Part};

/// Said if a search has found nothing.
pub const NO_MATCH: &str = "Nothing in this log matches.";

/// Jumps to the next target.
pub fn jump(model: &mut Model, target: JumpTarget, direction: Direction, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    if target == JumpTarget::Match && scroll.search.is_none() {
        nothing_yet(model);
        return;
    }
    scroll.jump = Some(Jump {
        target,
        direction,
        turns: false,
    });
    if target == JumpTarget::Boundary && scroll.runs.is_none() {
        // The daemon knows where runs start; its reply continues the jump.
        runs::request(&scroll.id, cmds);
        return;
    }
    go_on(model, cmds);
}

/// After a search was typed: goes to the newest match at or above the end of the viewport, else to
/// the first below, else to an older one, else to a newer one.
pub fn first_match(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    let last = scroll.view().last().unwrap_or(0);
    let end = Place {
        row: last,
        col: usize::MAX,
    };
    if scroll.search.is_none() {
        model.note("This cannot be searched for.");
        return;
    }
    let next = |direction| scroll.next_from(end, JumpTarget::Match, direction);
    if let Some(place) = next(Direction::Older).or_else(|| next(Direction::Newer)) {
        scroll.put_in_context(place);
        fill(model, cmds);
        return;
    }
    scroll.jump = Some(Jump {
        target: JumpTarget::Match,
        direction: Direction::Older,
        turns: true,
    });
    go_on(model, cmds);
}

/// Looks for the target in the loaded stretch; requests another part if it is not there.
pub fn go_on(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let written = written(model);
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    let Some(jump) = scroll.jump else {
        return;
    };
    if let Some(place) = scroll.next(jump.target, jump.direction) {
        scroll.jump = None;
        scroll.put_in_context(place);
        fill(model, cmds);
        return;
    }
    if scroll.loading.is_some() {
        return;
    }
    let (has_more, edge) = match jump.direction {
        Direction::Older => (scroll.text.has_older(), scroll.text.head()),
        Direction::Newer => (
            written > scroll.text.end && !scroll.is_still,
            scroll.text.end,
        ),
    };
    match jump.direction {
        _ if !has_more => give_up(model, jump, cmds),
        _ if scroll.text.is_full() => probe(model, edge, cmds),
        Direction::Older => older(model, cmds),
        Direction::Newer => newer(model, cmds),
    }
}

/// Handles a part that is only searched. It was requested from `edge` on in the direction of the
/// search.
pub fn probed(model: &mut Model, edge: u64, bytes: &[u8], offset: u64, cmds: &mut Vec<Cmd>) {
    let written = written(model);
    let Some(scroll) = &mut model.pane.scroll else {
        return;
    };
    scroll.loading = None;
    let Some(jump) = scroll.jump else {
        return;
    };
    match scroll.probe(jump, bytes, offset) {
        Ok(offset) => {
            scroll.jump = None;
            scroll.land_at(offset);
            load_around(model, offset, cmds);
        }
        // Continue only if this makes progress; otherwise, for instance after the log was trimmed,
        // the search would never end.
        Err(next) => {
            let progresses = match jump.direction {
                Direction::Older => next < edge && offset > scroll.text.first,
                Direction::Newer => next > edge && next < written && !bytes.is_empty(),
            };
            if progresses {
                probe(model, next, cmds);
            } else {
                give_up(model, jump, cmds);
            }
        }
    }
}

/// While a search is active, loads as much of the log as fits, so that matches are counted in all
/// of it.
pub fn fill(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let wants = model.pane.scroll.as_ref().is_some_and(|scroll| {
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
    let Some(scroll) = &model.pane.scroll else {
        return;
    };
    let direction = scroll.jump.map_or(Direction::Older, |jump| jump.direction);
    let (from, limit) = match direction {
        Direction::Older => {
            let from = edge.saturating_sub(MAX_PART).max(scroll.text.first);
            (from, edge - from.min(edge))
        }
        Direction::Newer => (edge, MAX_PART),
    };
    load(model, Part::Probe(edge), from, limit, cmds);
}

fn give_up(model: &mut Model, jump: Jump, cmds: &mut Vec<Cmd>) {
    let written = written(model);
    if let Some(scroll) = &mut model.pane.scroll {
        scroll.jump = None;
        if jump.turns
            && jump.direction == Direction::Older
            && written > scroll.text.end
            && !scroll.is_still
        {
            scroll.jump = Some(Jump {
                direction: Direction::Newer,
                ..jump
            });
            go_on(model, cmds);
            return;
        }
        if scroll.input.is_some() {
            // The search line says so.
            model.dirty = true;
            return;
        }
    }
    if jump.turns {
        return model.note(NO_MATCH);
    }
    let way = match (jump.target, jump.direction) {
        (JumpTarget::Match, Direction::Older) => "older",
        (JumpTarget::Match, Direction::Newer) => "newer",
        (_, Direction::Older) => "earlier",
        (_, Direction::Newer) => "later",
    };
    model.note(format!("There is no {way} {}.", jump.target.word()));
}

/// Tells that there is no search yet, so there are no matches to go to or to filter by.
pub fn nothing_yet(model: &mut Model) {
    let key = model.keymap.instead_of(SCROLL, "/");
    model.note(format!("Nothing was searched for yet. {key} searches."));
}
