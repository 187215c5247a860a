//! The modes. To add one, add its folder, a line here, and, if it has keys, a line in [`CONTEXTS`].
//!
//! A mode implements [`Mode`](super::model::mode::Mode). It may open another mode; none knows who
//! opened it.

pub mod compare;
pub mod confirm;
pub mod filter;
pub mod form;
pub mod found;
pub mod held;
pub mod help;
pub mod insert;
pub mod menu;
pub mod normal;
pub mod page;
pub mod palette;
pub mod plan;
pub mod reply;
pub mod scroll;

use super::keymap::{KeyAction, KeyContext, Keymap, LEAVE_KEY};
use super::model::{Model, Origin};
use super::options::Options;
use super::theme::Theme;
use super::{grid, keymap::chord, line};

/// All contexts with keys, in the order of the help screen.
pub const CONTEXTS: [&KeyContext; 19] = [
    normal::Action::CONTEXT,
    grid::Action::CONTEXT,
    insert::Action::CONTEXT,
    held::Action::CONTEXT,
    scroll::Action::CONTEXT,
    scroll::RewindAction::CONTEXT,
    filter::Action::CONTEXT,
    form::Action::CONTEXT,
    reply::Action::CONTEXT,
    palette::Action::CONTEXT,
    confirm::Answer::CONTEXT,
    plan::Action::CONTEXT,
    menu::Copy::CONTEXT,
    menu::Signal::CONTEXT,
    page::Action::CONTEXT,
    found::Action::CONTEXT,
    compare::Action::CONTEXT,
    help::Action::CONTEXT,
    line::Action::CONTEXT,
];

/// A dashboard in NORMAL, without any jobs yet.
pub fn dashboard(options: &Options, theme: Theme, origin: Origin, window: (u16, u16)) -> Model {
    let named = options.leave_keys.iter();
    let mut leave: Vec<String> = named.filter_map(|key| chord::parse(key)).collect();
    if !options.leave_sequence.is_empty() {
        // The name shown in hints; no single key has this name, so it never matches a key.
        leave = vec![options.leave_sequence.join(" ")];
    }
    if leave.is_empty() {
        leave.push(LEAVE_KEY.to_owned());
    }
    let keymap = Keymap::new(&CONTEXTS, &leave, &options.keys);
    Model::new(options, keymap, &normal::Normal, theme, origin, window)
}
