//! What kind of command each action of NORMAL is. What may be done in a read-only view, what the palette offers first
//! and what a fast typist may press follow from it.

use super::keys::Action;

/// The properties of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kind {
    pub(super) reach: Reach,
    pub(super) about: About,
    /// Whether text may follow its key at once, because a person who presses it means to type.
    pub(super) opens_text: bool,
    /// Whether a read-only view has a hint for it.
    pub(super) is_hinted_read_only: bool,
}

/// How far an action reaches: what it affects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reach {
    /// Which row is selected or marked, or which part of the list or pane is visible.
    Moves,
    /// What the view shows.
    Shows,
    /// A job, or anything else that outlives the view. A read-only view refuses it.
    Changes,
}

/// What an action applies to. The title of its command has `{}` for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum About {
    /// Nothing, or what has no name.
    Nothing,
    /// The job in the pane.
    Job,
    /// The marked jobs, or the selected job or group.
    Targets,
    /// The group of the selected row.
    Group,
    /// The project of the marked jobs, or of the selected row.
    Project,
}

impl Kind {
    const fn new(reach: Reach, about: About) -> Self {
        Self {
            reach,
            about,
            opens_text: false,
            is_hinted_read_only: false,
        }
    }

    const fn moves(about: About) -> Self {
        Self::new(Reach::Moves, about)
    }

    const fn shows(about: About) -> Self {
        Self::new(Reach::Shows, about)
    }

    const fn changes(about: About) -> Self {
        Self::new(Reach::Changes, about)
    }

    const fn opens_text(self) -> Self {
        Self {
            opens_text: true,
            ..self
        }
    }

    const fn hinted_read_only(self) -> Self {
        Self {
            is_hinted_read_only: true,
            ..self
        }
    }
}

/// The kind of an action. Without `_`: a new action has to be placed.
pub(super) const fn of(action: Action) -> Kind {
    use About::{Group, Job, Nothing, Project, Targets};
    match action {
        Action::Down
        | Action::Up
        | Action::First
        | Action::Last
        | Action::PageDown
        | Action::PageUp
        | Action::Pick
        | Action::FoldAll
        | Action::Previous
        | Action::MarkAll
        | Action::Narrower
        | Action::Wider
        | Action::PanLeft
        | Action::PanRight => Kind::moves(Nothing),
        Action::NextAlert => Kind::moves(Nothing).hinted_read_only(),
        Action::Mark => Kind::moves(Job),
        Action::Fold | Action::Unfold => Kind::moves(Group),

        Action::FindAll
        | Action::Sort
        | Action::HalfUp
        | Action::HalfDown
        | Action::LineUp
        | Action::LineDown
        | Action::Times
        | Action::Wrap
        | Action::Mouse
        | Action::Messages
        | Action::Back
        | Action::Interrupt
        | Action::Redraw
        | Action::Suspend
        | Action::Quit => Kind::shows(Nothing),
        Action::Compare | Action::Grid => Kind::shows(Nothing).hinted_read_only(),
        Action::Filter | Action::Palette => Kind::shows(Nothing).opens_text().hinted_read_only(),
        Action::Help => Kind::shows(Nothing).opens_text(),
        Action::Attach
        | Action::Zoom
        | Action::CopyReport
        | Action::Open
        | Action::Pager
        | Action::Details
        | Action::Export
        | Action::Replay => Kind::shows(Job),
        Action::Find | Action::Scroll => Kind::shows(Job).hinted_read_only(),
        Action::Copy => Kind::shows(Targets),

        Action::Type => Kind::changes(Job).opens_text(),
        Action::Reply
        | Action::TakeKeyboard
        | Action::Decline
        | Action::Duplicate
        | Action::Edit
        | Action::Rename
        | Action::Share
        | Action::Exec => Kind::changes(Job),
        Action::Stop
        | Action::Kill
        | Action::Signal
        | Action::Pause
        | Action::Restart
        | Action::Resume
        | Action::StartNow
        | Action::MoveFirst
        | Action::MoveLast
        | Action::ClearLog
        | Action::Remove => Kind::changes(Targets),
        Action::StopGroup | Action::RestartGroup | Action::PauseQueue => Kind::changes(Group),
        Action::ProjectUp | Action::ProjectDown | Action::ProjectReload => Kind::changes(Project),
        Action::TypeAll
        | Action::StopAll
        | Action::RestartAll
        | Action::New
        | Action::RemoveEnded
        | Action::Undo
        | Action::QuitAndStop
        | Action::Literal => Kind::changes(Nothing),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;
    use crate::tui::keymap::KeyAction;

    #[test]
    fn a_title_has_a_place_for_what_its_command_is_about() {
        for &action in Action::ALL {
            let has_place = words(action).title.contains("{}");
            let is_about = of(action).about != About::Nothing;
            assert_eq!(has_place, is_about, "{action:?}");
        }
    }

    #[test]
    fn what_changes_something_is_not_hinted_at_in_a_read_only_view() {
        for &action in Action::ALL {
            let kind = of(action);
            let is_refused = kind.reach == Reach::Changes;
            assert!(!(is_refused && kind.is_hinted_read_only), "{action:?}");
        }
    }
}
