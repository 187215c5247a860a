//! The commands of NORMAL in the palette, with the equivalent shell commands.

use super::keys::Action;
use super::kind::{self, About};
use super::obstacle::obstacle;
use super::words::words;
use super::{hints, hosts, queues, quit, verbs};
use crate::protocol::SessionId;
use crate::term::sanitize::clean;
use crate::tui::keymap::KeyAction;
use crate::tui::model::job::Job;
use crate::tui::model::{Attached, Model};
use crate::tui::modes::palette::{Commands, Entry};
use crate::tui::project::Aim;
use crate::tui::shell::{self, Verb};

/// What the palette offers.
pub(super) const COMMANDS: Commands = Commands {
    list,
    run: |model, index, text, cmds| match (Action::ALL.get(index), text) {
        (Some(Action::Rename), Some(name)) => super::rename_to(model, name, cmds),
        (Some(&action), _) => super::run(model, action, "", cmds),
        (None, _) => hosts::run(model, index - Action::ALL.len(), cmds),
    },
};

/// Commands that make no sense by name: they are about the key itself, or open the palette.
const KEYS_ONLY: [Action; 4] = [
    Action::Pick,
    Action::Literal,
    Action::Interrupt,
    Action::Palette,
];

/// Every command in the order of the key bindings, and behind them those about hosts.
pub fn list(model: &Model) -> Vec<Entry> {
    let bound = model.keymap.actions::<Action>();
    let named = bound.filter(|(action, _)| !KEYS_ONLY.contains(action));
    let useful = hints::useful(model);
    let commands = named.map(|(action, bound)| {
        let words = words(action);
        Entry {
            index: action.index(),
            name: bound.binding.label(),
            title: title(model, action, words.title),
            synonyms: words.synonyms,
            takes_text: action == Action::Rename,
            key: bound.keys.first().cloned().unwrap_or_default(),
            help: if folds(model, action) {
                "Fold the group, or unfold it".into()
            } else {
                bound.binding.help_with_grace(model.options.stop_grace_ms)
            },
            shell: shell(model, action),
            obstacle: obstacle(model, action),
            fit: fit(&useful, action),
        }
    });
    let mut all: Vec<Entry> = commands.collect();
    all.extend(hosts::entries(model, Action::ALL.len()));
    all
}

/// How well an action fits what is selected, 0 is best: first what its hints offer to do with it, then
/// what else can be done with it, then the rest.
fn fit(useful: &[Action], action: Action) -> usize {
    let is_about_it = kind::of(action).about != About::Nothing;
    match useful.iter().position(|one| *one == action) {
        Some(at) if is_about_it => at,
        _ if is_about_it => useful.len(),
        Some(at) => useful.len() + 1 + at,
        None => 2 * useful.len() + 1,
    }
}

/// Whether an action folds the selected group, as Enter does.
fn folds(model: &Model, action: Action) -> bool {
    action == Action::Attach && model.group().is_some()
}

/// The title with what the action applies to.
fn title(model: &Model, action: Action, title: &str) -> String {
    if action == Action::Resume
        && let Some(line) = model.current().and_then(Job::continued_by)
    {
        let targets = targets_in_words(model).unwrap_or_default();
        return format!("start {targets} with {line}");
    }
    let (title, what) = match (action, kind::of(action).about) {
        (Action::Attach, _) if folds(model, action) => {
            ("fold or unfold group {}", model.group_title())
        }
        // It would change the job to type into it.
        (Action::Attach, _) if model.options.read_only => ("look at {}", None),
        (Action::Mark, _) if model.group().is_some() => {
            ("mark the jobs of {}", model.group_title())
        }
        (Action::ProjectUp, _) => (title, Aim::all(model).first().map(|aim| aim.words(model))),
        (Action::Pause, _) if shell::all_paused(model) => ("continue {}", targets_in_words(model)),
        (Action::PauseQueue, _) => {
            let queue = model.chosen_queue();
            let title = if queue.is_some_and(|queue| queue.paused) {
                title.replace("pause", "resume")
            } else {
                title.to_owned()
            };
            let name = queue.map_or_else(String::new, |queue| clean(&queue.queue));
            return title.replace("{}", &name).trim_end().to_owned();
        }
        (Action::Share, _) if is_shared(model) => ("hide {} from agents", None),
        (_, About::Group) => {
            let group = model.group_title().unwrap_or_default();
            return title.replace("{}", &group).trim_end().to_owned();
        }
        (_, About::Project) => (title, Aim::project(model).map(|aim| aim.words(model))),
        (_, About::Targets) => (title, targets_in_words(model)),
        (_, About::Job | About::Nothing) => (title, None),
    };
    let job = || model.current().map(|job| job.name.clone());
    let what = what.or_else(job);
    title.replace("{}", what.as_deref().unwrap_or("the job"))
}

fn targets_in_words(model: &Model) -> Option<String> {
    match model.targets().as_slice() {
        [] => None,
        [id] => Some(model.name_of(id)),
        several => Some(format!("{} jobs", several.len())),
    }
}

fn is_shared(model: &Model) -> bool {
    let shared = |job: &Job| !job.record.summary.share.is_none();
    model.current().is_some_and(shared)
}

/// The equivalent shell command for what is selected, or in a few words why there is none.
fn shell(model: &Model, action: Action) -> Result<String, &'static str> {
    let verb = match action {
        Action::StopGroup => {
            let alive = quit::group(model).map(|(_, alive)| alive);
            let alive = alive.unwrap_or_default();
            let has_name = model
                .group_key()
                .is_some_and(|key| key.name_here().is_some());
            if has_name && !alive.is_empty() {
                return shell::on_group(Verb::Stop, model).ok_or(NO_JOB);
            }
            return shell::on_jobs(Verb::Stop, model, &alive).ok_or("nothing of the group runs");
        }
        Action::RestartGroup => return shell::on_group(Verb::Restart, model).ok_or(NO_JOB),
        Action::PauseQueue => return queues::shell(model),
        Action::StartNow => return queues::shell_on(model, Verb::Start),
        Action::MoveFirst => return queues::shell_on(model, Verb::MoveFirst),
        Action::MoveLast => return queues::shell_on(model, Verb::MoveLast),
        Action::ClearLog => {
            return shell::on_jobs(Verb::Clear, model, &model.targets()).ok_or(NO_JOB);
        }
        Action::RestartAll => {
            let all = verbs::running(model);
            return shell::on_jobs(Verb::Restart, model, &all).ok_or("no job runs");
        }
        Action::Duplicate => return model.current().and_then(shell::run).ok_or(NO_JOB),
        Action::Attach if folds(model, action) => return Err(ONLY_HERE),
        Action::Attach | Action::Type => Verb::Attach,
        Action::Reply => Verb::Send,
        Action::Find => Verb::Find,
        Action::FindAll => Verb::FindAll,
        Action::Signal => {
            let survivors = verbs::survivors(model);
            return match shell::on_jobs(Verb::Kill, model, &survivors) {
                Some(line) => Ok(line),
                None => on_alive(Verb::Signal, model),
            };
        }
        Action::Stop => return on_alive(Verb::Stop, model),
        Action::Kill => return on_alive(Verb::Kill, model),
        Action::Pause if shell::all_paused(model) => return on_alive(Verb::Resume, model),
        Action::Pause => return on_alive(Verb::Pause, model),
        Action::Restart => Verb::Restart,
        Action::Resume => Verb::Resume,
        Action::Decline => match model.current() {
            Some(job) if job.record.asked.is_empty() => return Err("no agent asks"),
            _ => Verb::Decline,
        },
        Action::Remove if model.attached != Attached::No => return Err("closes this view"),
        Action::Remove => {
            let ended = targets(model, |id| !is_going(model, id));
            return shell::on_jobs(Verb::Remove, model, &ended).ok_or("no ended job is selected");
        }
        Action::Scroll | Action::Pager => Verb::Logs,
        Action::Details => Verb::Status,
        Action::New => Verb::Run,
        Action::StopAll => Verb::StopAll,
        Action::RemoveEnded if model.list.filter.is_empty() => Verb::Clean,
        Action::RemoveEnded => {
            let ended = verbs::ended(model);
            return shell::on_jobs(Verb::Remove, model, &ended).ok_or("no ended job is listed");
        }
        Action::Share if is_shared(model) => Verb::Unshare,
        Action::Share => Verb::Share,
        Action::Export => Verb::Export,
        Action::Replay => Verb::Replay,
        Action::QuitAndStop => return Err("asks what to stop"),
        Action::Rename => Verb::Rename,
        Action::Edit => return Err("it has rename, pin, group and tag"),
        Action::ProjectUp => return project(model, "up", Aim::all(model).into_iter().next()),
        Action::ProjectDown => return project(model, "down", Aim::project(model)),
        Action::ProjectReload => return project(model, "reload", Aim::project(model)),
        Action::Exec => {
            return match Aim::of_current(model) {
                Some(aim) => project(model, "exec", Some(aim)),
                None => Err("for jobs of projects"),
            };
        }
        _ => return Err(ONLY_HERE),
    };
    shell::on_selected(verb, model).ok_or(NO_JOB)
}

const NO_JOB: &str = "no job is selected";
const ONLY_HERE: &str = "only in this view";

/// The command for a project.
fn project(model: &Model, verb: &str, aim: Option<Aim>) -> Result<String, &'static str> {
    aim.ok_or("no job of a project is marked")?
        .shell(model, verb)
}

/// A verb that applies only to jobs that are alive.
fn on_alive(verb: Verb, model: &Model) -> Result<String, &'static str> {
    let alive = targets(model, |id| is_going(model, id));
    shell::on_jobs(verb, model, &alive).ok_or("no running job is selected")
}

fn targets(model: &Model, is_meant: impl Fn(&SessionId) -> bool) -> Vec<SessionId> {
    let mut ids = model.targets();
    ids.retain(is_meant);
    ids
}

fn is_going(model: &Model, id: &SessionId) -> bool {
    model.job(id).is_some_and(|job| job.is_going())
}
