//! After each message: adapts everything that depends on other state, in this order: the rows to the
//! jobs, the cursor to the rows, what is requested to what is shown.

use super::{alert, away, notify, seen, usage};
use crate::tui::grid;
use crate::tui::list::reconcile::{reconcile_cursor, reconcile_rows, reconcile_top};
use crate::tui::message::Cmd;
use crate::tui::model::Model;
use crate::tui::modes::{insert, scroll};
use crate::tui::pane::{card, follow, group, runs, watch, wrap};
use crate::tui::project;

/// Adapts everything that depends on other state.
pub(super) fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    scroll::reconcile_past(model, cmds);
    reconcile_rows(model);
    // Must run before the cursor moves to the row that replaced a removed one, because in the grid
    // the next tile is selected instead.
    grid::reconcile(model);
    reconcile_cursor(model);
    grid::reconcile(model);
    reconcile_top(model);
    let handlers = model.mode().handlers();
    (handlers.reconcile)(model, cmds);
    insert::settle(model, cmds);
    insert::focus::reconcile(model, cmds);
    watch::reconcile(model, cmds);
    wrap::reconcile(model);
    seen::reconcile(model);
    alert::reconcile(model);
    away::reconcile(model);
    card::reconcile(model, cmds);
    usage::reconcile(model, cmds);
    runs::reconcile(model, cmds);
    follow::reconcile(model, cmds);
    group::reconcile(model, cmds);
    project::reconcile(model, cmds);
    notify::reconcile_title(model, cmds);
    let display = model.display();
    if let (Some(scroll), Some(display)) = (&mut model.pane.scroll, display) {
        scroll.resize(display);
    }
}
