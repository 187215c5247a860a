//! The last line: the keys that can be pressed now, from the table of key bindings and the state of
//! the job.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::bar::Bar;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::form::Purpose;
use crate::tui::model::layout::Kind;
use crate::tui::model::mode::Mode;
use crate::tui::model::{Attached, Model, Selected};

/// A key and its description, as short as possible.
pub(super) type Hint = (String, String);

/// Draws the hints of the mode. Whole hints are dropped from the right; those that leave the mode
/// are dropped last.
pub(super) fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    bar(model).draw(area, buf);
}

/// The hints as a bar.
pub(super) fn bar(model: &Model) -> Bar {
    let (hints, kept) = hints(model);
    let mut bar = Bar::new(2);
    let mut rank = 1;
    for hint in hints {
        rank += 1;
        bar.left(rank, spans(model, hint));
    }
    for hint in kept {
        bar.left(1, spans(model, hint));
    }
    bar
}

/// A hint with its styles.
pub(super) fn spans(model: &Model, (key, label): Hint) -> Vec<Span<'static>> {
    vec![
        Span::styled(key, model.theme.key()),
        Span::styled(
            if label.is_empty() {
                label
            } else {
                format!(" {label}")
            },
            Style::new(),
        ),
    ]
}

/// The hint for an action, labelled with the name in the table.
pub(super) fn hint(model: &Model, place: Place, action: Action) -> Option<Hint> {
    let bound = model.keymap.bound(place, action)?;
    let label = match action {
        Action::Quit if model.attached != Attached::No => "detach".to_owned(),
        _ => bound.binding.label(),
    };
    Some((bound.keys.first()?.clone(), label))
}

/// The hints for possible actions, and those that leave the mode, which are dropped last.
fn hints(model: &Model) -> (Vec<Hint>, Vec<Hint>) {
    let place = model.mode.place();
    let get = |actions: &[Action]| -> Vec<Hint> {
        actions
            .iter()
            .filter_map(|&action| hint(model, place, action))
            .collect()
    };
    if model.past().is_some() {
        let get = |actions: &[Action]| -> Vec<Hint> {
            actions
                .iter()
                .filter_map(|&action| hint(model, Place::Rewind, action))
                .collect()
        };
        let steps = [Action::Rewind, Action::Forward, Action::Play];
        let more = [Action::HalfUp, Action::HalfDown, Action::Faster];
        return (get(&[&steps[..], &more].concat()), get(&[Action::Leave]));
    }
    match &model.mode {
        Mode::Normal => normal(model),
        Mode::Scroll(scroll, _) if scroll.input.is_some() => {
            // The search line uses the keys of the filter line.
            let named = |action, label: &str| {
                let (key, _) = hint(model, Place::Filter, action)?;
                Some((key, label.to_owned()))
            };
            (
                named(Action::Accept, "search").into_iter().collect(),
                named(Action::Leave, "cancel").into_iter().collect(),
            )
        }
        Mode::Scroll(scroll, _) => {
            if scroll.selection.is_some() {
                let actions = [Action::CopySelection, Action::OtherEnd];
                return (get(&actions), get(&[Action::Leave]));
            }
            let mut actions = vec![Action::Search, Action::SelectText, Action::Type];
            actions.extend([Action::PreviousError, Action::Times, Action::Top]);
            if scroll.search.is_some() {
                let found = [Action::Older, Action::Newer, Action::OnlyMatches];
                actions.splice(0..0, found);
            }
            (get(&actions), get(&[Action::Live, Action::Leave]))
        }
        Mode::Filter(_) => {
            let words = ["!failed", "?", "g:group", "@agent", ":port", "-done"];
            let words = words.map(|word| (word.to_owned(), String::new()));
            (words.to_vec(), get(&[Action::Accept, Action::Leave]))
        }
        Mode::Prompt(form) => {
            let mut hints = get(&[Action::NextField]);
            if form.is_at_command() {
                hints.extend(get(&[Action::OlderCommand]));
            }
            if form.suggestion().is_some() {
                hints.push(("right".to_owned(), "complete".to_owned()));
            }
            let mut kept = get(&[Action::Accept, Action::Leave]);
            if let (Purpose::Edit(..), Some((_, label))) = (&form.purpose, kept.first_mut()) {
                "change".clone_into(label);
            }
            (hints, kept)
        }
        // An ended job takes no keys; the status line above shows which keys are left.
        Mode::Insert(_) if model.current().is_none_or(|job| !job.is_alive()) => {
            (Vec::new(), Vec::new())
        }
        Mode::Insert(insert) if !insert.also.is_empty() => {
            let leave = model.leave_keys.first().cloned().unwrap_or_default();
            (Vec::new(), vec![(leave, "leave".to_owned())])
        }
        Mode::Insert(_) => {
            let leave = model.leave_keys.first().cloned().unwrap_or_default();
            let twice = (format!("{leave} {leave}"), format!("sends {leave} itself"));
            (Vec::new(), vec![twice])
        }
        Mode::Help(_) => (
            get(&[Action::LineDown, Action::PageDown]),
            get(&[Action::Leave]),
        ),
        Mode::Reply(_) | Mode::Palette(_) | Mode::Found(_) => {
            (Vec::new(), get(&[Action::Accept, Action::Leave]))
        }
        Mode::Page(_) => (
            get(&[Action::LineDown, Action::PageDown]),
            get(&[Action::Leave]),
        ),
        Mode::Confirm(_) | Mode::Menu(_) => (Vec::new(), Vec::new()),
    }
}

fn normal(model: &Model) -> (Vec<Hint>, Vec<Hint>) {
    let kind = model.layout().kind;
    if kind == Kind::Grid {
        return grid(model);
    }
    let stack_list = kind == Kind::Stack && !model.frame.open;
    let stack_pane = kind == Kind::Stack && model.frame.open;
    let alerts = model.counts().input + model.counts().failed > 0;
    let mut actions: Vec<Action> = Vec::new();
    let mut kept = vec![Action::Help, Action::Quit];
    if kind == Kind::Split {
        // The status line above shows it.
        kept.remove(0);
    }
    if !model.marked.is_empty() && !stack_pane {
        actions.extend([
            Action::TypeAll,
            Action::Stop,
            Action::Restart,
            Action::Pause,
        ]);
        actions.extend([Action::Mark, Action::MarkAll]);
    }
    match (&model.selected, model.current()) {
        _ if !actions.is_empty() => {}
        (Selected::Group(_), _) => {
            actions.extend([Action::Attach, Action::Stop, Action::Restart, Action::New]);
        }
        (_, Some(_)) if stack_pane => {
            actions.extend([Action::Type, Action::Scroll]);
            kept = vec![Action::Back, Action::Help];
        }
        (_, Some(job)) if job.is_alive() && stack_list => {
            actions.extend([Action::Attach, Action::Stop, Action::New]);
            actions.extend([Action::Quit, Action::Filter]);
            kept = vec![Action::Help];
        }
        (_, Some(job)) if job.is_alive() => {
            if !job.record.asked.is_empty() {
                actions.push(Action::Decline);
            }
            if job.state().needs_input() {
                actions.push(Action::Reply);
            }
            actions.extend([Action::Attach, Action::Type, Action::Stop, Action::Restart]);
            actions.extend([Action::New, Action::Filter, Action::Find, Action::Scroll]);
            actions.push(Action::Grid);
        }
        (_, Some(_)) => {
            actions.extend([Action::Restart, Action::Remove, Action::Edit]);
            actions.extend([Action::Scroll, Action::New, Action::Filter, Action::Find]);
            actions.push(Action::Grid);
        }
        _ => actions.extend([Action::New]),
    }
    if alerts && !stack_pane && model.jobs.len() > 1 {
        actions.push(Action::NextAlert);
    }
    if !stack_pane && !stack_list {
        actions.push(Action::Palette);
    }
    if model.read_only {
        actions.retain(|action| {
            matches!(
                action,
                Action::Filter
                    | Action::Find
                    | Action::Scroll
                    | Action::Grid
                    | Action::NextAlert
                    | Action::Palette
            )
        });
    }
    let get = |actions: &[Action]| -> Vec<Hint> {
        actions
            .iter()
            .filter_map(|&action| {
                let (key, label) = hint(model, Place::Normal, action)?;
                Some((key, label_for(model, action, label)))
            })
            .collect()
    };
    (get(&actions), get(&kept))
}

/// `hjkl move  +/- more/fewer tiles`, and the usual hints.
fn grid(model: &Model) -> (Vec<Hint>, Vec<Hint>) {
    let keys = |actions: &[Action], between: &str| {
        let keys = actions.iter();
        let keys: Vec<&str> = keys
            .filter_map(|&action| model.keymap.key(Place::Grid, action))
            .collect();
        keys.join(between)
    };
    let get = |action: Action, label: &str| {
        let (key, _) = hint(model, Place::Normal, action)?;
        Some((key, label.to_owned()))
    };
    let ways = [
        Action::TileLeft,
        Action::TileDown,
        Action::TileUp,
        Action::TileRight,
    ];
    let number = keys(&[Action::MoreTiles, Action::FewerTiles], "/");
    let acting = !model.read_only;
    let hints = [
        Some((keys(&ways, ""), "move".to_owned())),
        get(Action::Attach, if acting { "attach" } else { "zoom" }),
        get(Action::Type, "type").filter(|_| acting),
        get(Action::Mark, "mark"),
        Some((number, "more/fewer tiles".to_owned())),
        get(Action::TypeAll, "type to all marked").filter(|_| acting && !model.marked.is_empty()),
        get(Action::Zoom, "zoom"),
    ];
    let kept = [
        get(Action::Grid, "list"),
        get(Action::Help, "help").filter(|_| model.window.0 >= 60),
        get(Action::Quit, "quit"),
    ];
    (
        hints.into_iter().flatten().collect(),
        kept.into_iter().flatten().collect(),
    )
}

/// The label from the table, or one that fits the situation better.
fn label_for(model: &Model, action: Action, label: String) -> String {
    let stack = model.layout().kind == Kind::Stack;
    match (action, &model.selected) {
        (Action::Attach, Selected::Group(_)) => "fold".to_owned(),
        (Action::Attach, _) if stack => "open".to_owned(),
        (Action::Back, _) if stack => "list".to_owned(),
        _ => label,
    }
}
