//! The hints of NORMAL.

use super::keys::Action;
use super::kind;
use crate::tui::grid::Action as Tile;
use crate::tui::hints;
use crate::tui::model::job::Job;
use crate::tui::model::layout::Kind;
use crate::tui::model::mode::{Hint, Hints};
use crate::tui::model::projects::Here;
use crate::tui::model::{Attached, Model, Selected};
use crate::tui::shell;
use crate::tui::state::State;

/// The hint for an action; closing a view that was opened for a job detaches from it, and the zoom has a way back.
pub(super) fn hint(model: &Model, action: Action) -> Option<Hint> {
    match action {
        Action::Zoom if model.layout().kind == Kind::Zoom => {
            let back = if model.frame.grid { "grid" } else { "list" };
            hints::labelled(model, action, back)
        }
        Action::Quit if model.attached != Attached::No => hints::labelled(model, action, "detach"),
        Action::Unfold if model.host_to_log_in().is_some() => {
            hints::labelled(model, action, "log in")
        }
        _ => hints::hint(model, action),
    }
}

/// The keys that can be pressed now.
pub(super) fn hints(model: &Model) -> Hints {
    let kind = model.layout().kind;
    if kind == Kind::Grid {
        return grid(model);
    }
    // A low window may be wide, and has room for all hints.
    let narrow_list = kind == Kind::Stack && !model.frame.open && model.window.0 < 60;
    let stack_pane = kind == Kind::Stack && model.frame.open;
    let alerts = model.counts().input + model.counts().failed > 0;
    let mut kept = vec![Action::Help, Action::Quit];
    if kind == Kind::Split {
        // The status line above shows it.
        kept.remove(0);
    }
    let is_group = matches!(model.list.selected, Selected::Group(_));
    let mut actions = match model.current().filter(|_| !is_group) {
        Some(job) if stack_pane => {
            kept = vec![Action::Back, Action::Help];
            match job.state() {
                state if state.waits() => of_selected(model),
                state if state.needs_input() => [&answers(job)[..], &[Action::Type]].concat(),
                State::Paused => vec![Action::Pause, Action::Type, Action::Scroll],
                _ if job.is_going() => vec![Action::Type, Action::Scroll],
                _ => vec![Action::Restart, Action::Scroll, Action::Remove],
            }
        }
        Some(job) if narrow_list && model.list.marked.is_empty() && !job.state().waits() => {
            kept = vec![Action::Help];
            let begin = match job.state() {
                state if state.needs_input() => {
                    [&answers(job)[..], &[Action::Attach, Action::Stop]].concat()
                }
                State::Paused => vec![Action::Attach, Action::Pause, Action::Stop],
                _ if job.is_going() => vec![Action::Attach, stop(model), Action::New],
                _ => {
                    let again = job
                        .continued_by()
                        .map_or(Action::Restart, |_| Action::Resume);
                    vec![Action::Attach, again, Action::Remove]
                }
            };
            [&begin[..], &[Action::Quit, Action::Filter]].concat()
        }
        _ if stack_pane => of_selected(model),
        _ => useful(model),
    };
    if alerts && !stack_pane && model.jobs.len() > 1 {
        actions.push(Action::NextAlert);
    }
    if !stack_pane && !narrow_list {
        actions.push(Action::Palette);
    }
    if model.options.read_only {
        actions.retain(|&action| kind::of(action).is_hinted_read_only);
    }
    if model.current().is_some_and(|job| job.engine().is_some()) {
        // A batch system runs a job once.
        actions.retain(|action| *action != Action::Restart);
    }
    let get = |actions: &[Action]| -> Vec<Hint> {
        actions
            .iter()
            .filter_map(|&action| {
                let (key, label) = hint(model, action)?;
                Some((key, label_for(model, action, label)))
            })
            .collect()
    };
    Hints {
        keys: get(&actions),
        exits: get(&kept),
    }
}

/// How to answer what a job asks, the answer before the refusal.
pub(super) fn answers(job: &Job) -> Vec<Action> {
    let declines = (!job.record.asked.is_empty()).then_some(Action::Decline);
    [Action::Reply].into_iter().chain(declines).collect()
}

/// What is most useful to do with what is marked or selected, in this order.
pub(super) fn useful(model: &Model) -> Vec<Action> {
    if model.list.marked.is_empty() {
        return of_selected(model);
    }
    let marked = model.marked();
    let mut jobs = marked.iter().filter_map(|id| model.job(id));
    let verbs = if jobs.any(Job::is_going) {
        vec![Action::TypeAll, stop(model), Action::Restart, Action::Pause]
    } else {
        vec![Action::Restart, Action::Remove]
    };
    let compare = (marked.len() == 2).then_some(Action::Compare);
    let more = [Action::Mark, Action::MarkAll];
    verbs.into_iter().chain(compare).chain(more).collect()
}

/// How to end what is marked or selected: what is being stopped already can only be killed.
fn stop(model: &Model) -> Action {
    let targets = model.targets();
    let jobs = targets.iter().filter_map(|id| model.job(id));
    let mut alive = jobs.filter(|job| job.is_going()).peekable();
    let any = alive.peek().is_some();
    if any && alive.all(|job| job.state() == State::Stopping) {
        Action::Kill
    } else {
        Action::Stop
    }
}

fn of_selected(model: &Model) -> Vec<Action> {
    if model.host_to_log_in().is_some() {
        return vec![Action::Unfold, Action::Attach, Action::New];
    }
    if matches!(model.list.selected, Selected::Group(_)) {
        let is_project = model
            .group()
            .is_some_and(|group| group.key.project_here().is_some());
        let of_project = [
            Action::Attach,
            Action::ProjectUp,
            Action::ProjectDown,
            Action::ProjectReload,
        ];
        let of_group = [Action::Attach, stop(model), Action::Restart];
        let of_queue = [Action::Attach, Action::PauseQueue, stop(model)];
        let actions = if is_project {
            &of_project[..]
        } else if model.chosen_queue().is_some() {
            &of_queue[..]
        } else {
            &of_group[..]
        };
        return [actions, &[Action::New]].concat();
    }
    let Some(job) = model.current() else {
        if model.list.rows.is_empty() && !model.list.filter.is_empty() {
            return vec![Action::Back, Action::Filter, Action::New];
        }
        let here = offered(model).map(|_| Action::ProjectUp);
        return [Action::New].into_iter().chain(here).collect();
    };
    let mut actions = Vec::new();
    if job.state().waits() {
        actions.extend(match job.state() {
            State::Scheduled => Some(Action::Restart),
            State::Skipped if job.host().is_none() => Some(Action::ProjectUp),
            State::Queued if model.chosen_queue().is_some() => Some(Action::PauseQueue),
            _ => None,
        });
        actions.extend([Action::Stop, Action::Details, Action::New, Action::Filter]);
    } else if job.is_going() {
        if job.state().needs_input() {
            actions.extend(answers(job));
        } else if !job.record.asked.is_empty() {
            actions.push(Action::Decline);
        }
        if job.state() == State::Paused {
            actions.push(Action::Pause);
        }
        actions.extend([Action::Attach, Action::Type, stop(model), Action::Restart]);
        actions.extend([Action::New, Action::Filter, Action::Find, Action::Scroll]);
    } else {
        if job.role().is_some() && job.host().is_none() {
            actions.push(Action::ProjectUp);
        }
        actions.extend(job.continued_by().map(|_| Action::Resume));
        actions.extend([Action::Restart, Action::Remove, Action::Edit]);
        actions.extend([Action::Scroll, Action::New, Action::Filter, Action::Find]);
    }
    actions.push(Action::Grid);
    actions
}

/// `hjkl move  +/- more/fewer tiles`, and the usual hints.
fn grid(model: &Model) -> Hints {
    let keys = |actions: &[Tile], between: &str| {
        let keys = actions.iter();
        let keys: Vec<&str> = keys
            .filter_map(|&action| model.keymap.key(action))
            .collect();
        keys.join(between)
    };
    let get = |action: Action, label: &str| hints::labelled(model, action, label);
    let ways = [Tile::Left, Tile::Down, Tile::Up, Tile::Right];
    let number = keys(&[Tile::MoreTiles, Tile::FewerTiles], "/");
    let acting = !model.options.read_only;
    let hints = [
        Some((keys(&ways, ""), "move".to_owned())),
        get(Action::Attach, if acting { "attach" } else { "zoom" }),
        get(Action::Type, "type").filter(|_| acting),
        get(Action::Mark, "mark"),
        Some((number, "more/fewer tiles".to_owned())),
        get(Action::TypeAll, "type to all marked")
            .filter(|_| acting && !model.list.marked.is_empty()),
        get(Action::Zoom, "zoom"),
    ];
    let kept = [
        get(Action::Grid, "list"),
        get(Action::Help, "help"),
        hint(model, Action::Quit),
    ];
    Hints {
        keys: hints.into_iter().flatten().collect(),
        exits: kept.into_iter().flatten().collect(),
    }
}

/// The project that is offered because there are no jobs.
fn offered(model: &Model) -> Option<&Here> {
    let here = model.projects.here.as_ref();
    here.filter(|_| model.jobs.is_empty())
}

/// Whether the selected job waits for its schedule.
fn is_scheduled(model: &Model) -> bool {
    let job = model.current();
    job.is_some_and(|job| job.state() == State::Scheduled)
}

/// The label from the table, or one that fits the situation better.
fn label_for(model: &Model, action: Action, label: String) -> String {
    let stack = model.layout().kind == Kind::Stack;
    match (action, &model.list.selected) {
        (Action::Attach, Selected::Group(_)) => {
            if model.group().is_some_and(|group| group.folded) {
                "unfold".to_owned()
            } else {
                "fold".to_owned()
            }
        }
        (Action::Attach, _) if stack => "open".to_owned(),
        (Action::Back, _) if model.list.rows.is_empty() => "all jobs".to_owned(),
        (Action::Back, _) if stack => "list".to_owned(),
        (Action::Pause, _) if shell::all_paused(model) => "continue".to_owned(),
        (Action::ProjectUp, _) => match offered(model) {
            Some(here) => format!("up ({} found)", here.file),
            None => "up".to_owned(),
        },
        (Action::PauseQueue, _) => {
            let is_paused = model.chosen_queue().is_some_and(|queue| queue.paused);
            let verb = if is_paused { "resume" } else { "pause" };
            format!("{verb} queue")
        }
        (Action::Restart, _) if is_scheduled(model) => "run now".to_owned(),
        (Action::ProjectDown, _) => "down".to_owned(),
        (Action::ProjectReload, _) => "reload".to_owned(),
        _ => label,
    }
}
