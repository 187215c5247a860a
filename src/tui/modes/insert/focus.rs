//! Tells programs that have asked for it (mode 1004) whether they have the focus. They have it while somebody types
//! into them and the terminal of the view has the focus.

use super::Insert;
use super::send::{inform, takes_bytes};
use crate::protocol::SessionId;
use crate::tui::message::Cmd;
use crate::tui::model::{Link, Model};

const GAINED: &[u8] = b"\x1b[I";
const LOST: &[u8] = b"\x1b[O";

/// After each message and each change of the focus: tells the programs whose focus has changed.
pub fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.daemon.link != Link::Up {
        return;
    }
    let insert = model.state::<Insert>().filter(|_| model.focused);
    let mut have = insert.map_or_else(Vec::new, Insert::jobs);
    have.retain(|id| can_be_told(model, id) && asks(model, id) == Some(true));
    if have == model.told_focus {
        return;
    }
    let had = std::mem::replace(&mut model.told_focus, have.clone());
    for id in had.iter().filter(|id| !have.contains(id)) {
        if can_be_told(model, id) && asks(model, id) != Some(false) {
            inform(model, id, LOST, cmds);
        }
    }
    for id in have.iter().filter(|id| !had.contains(id)) {
        inform(model, id, GAINED, cmds);
    }
}

fn can_be_told(model: &Model, id: &SessionId) -> bool {
    model.job(id).is_some_and(takes_bytes)
}

/// Whether the program of a job wants to be told; `None` if its screen is not known.
fn asks(model: &Model, id: &SessionId) -> Option<bool> {
    Some(model.screen(id)?.modes().reports.focus)
}
