//! Brings projects up and down, reloads their files, opens shells in the environment of their jobs, and says why that
//! is impossible.

use ratatui::layout::Rect;

use super::keys::Action;
use crate::term::sanitize::clean;
use crate::tui::bar::Bar;
use crate::tui::message::{Cmd, Effect};
use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::modes::confirm::{Answer, Offer, Question, add_about, ask, begin};
use crate::tui::project::{self, Aim};

/// Said of a command about projects if only other jobs are marked.
const NO_PROJECT_MARKED: &str = "None of the marked jobs belongs to a project.";

/// Said if the selected job has no project whose environment it could have.
const OF_NO_PROJECT: &str =
    "The job belongs to no project, which would have an environment for the shell.";

/// Brings up the selected job with what it needs, the selected project, or that of this directory.
pub(super) fn up(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let aims = Aim::all(model);
    if aims.is_empty() {
        return model.note(NO_PROJECT_MARKED);
    }
    if let Some(why) = aims.iter().find_map(|aim| elsewhere(model, aim)) {
        return model.note(why);
    }
    if model.has_daemon("Not done") {
        for aim in &aims {
            project::up(aim, cmds);
        }
    }
}

/// Asks before bringing a project down.
pub(super) fn down(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(aim) = Aim::project(model) else {
        return model.note(NO_PROJECT_MARKED);
    };
    if let Some(why) = elsewhere(model, &aim) {
        return model.note(why);
    }
    match Down::of(model, &aim) {
        Some(question) => ask(model, question, cmds),
        None => model.note(not_up(model, &aim)),
    }
}

/// Requests what has changed in the file of a project.
pub(super) fn reload(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(aim) = Aim::project(model) else {
        return model.note(NO_PROJECT_MARKED);
    };
    if let Some(why) = elsewhere(model, &aim) {
        return model.note(why);
    }
    if model.has_daemon("Not done") {
        project::plan(&aim.dir, cmds);
    }
}

/// Opens a shell in the directory and the environment of the selected job.
pub(super) fn exec(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(aim) = Aim::of_current(model) else {
        return model.note_no_job(OF_NO_PROJECT);
    };
    if let Some(why) = elsewhere(model, &aim) {
        return model.note(why);
    }
    for job in aim.jobs {
        cmds.push(Cmd::Effect(Effect::Exec(aim.dir.clone(), job)));
    }
}

/// Why a command on a project is impossible.
pub(super) fn obstacle(model: &Model, action: Action) -> Option<String> {
    if action == Action::Exec {
        return match Aim::of_current(model) {
            None => Some(model.no_job(OF_NO_PROJECT)),
            Some(aim) => elsewhere(model, &aim),
        };
    }
    if action == Action::ProjectUp {
        return match Aim::all(model).as_slice() {
            [] => Some(NO_PROJECT_MARKED.to_owned()),
            aims => aims.iter().find_map(|aim| elsewhere(model, aim)),
        };
    }
    let Some(aim) = Aim::project(model) else {
        return Some(NO_PROJECT_MARKED.to_owned());
    };
    elsewhere(model, &aim).or_else(|| {
        let is_down = action == Action::ProjectDown && !is_up(model, &aim);
        is_down.then(|| not_up(model, &aim))
    })
}

/// Whether a project has something to bring down.
fn is_up(model: &Model, aim: &Aim) -> bool {
    Down::of(model, aim).is_some()
}

/// Said if nothing of a project can be brought down.
fn not_up(model: &Model, aim: &Aim) -> String {
    format!("No job of {} runs.", aim.words(model))
}

/// Why nothing is done with a project of another machine: a request about a project is for that of this daemon.
fn elsewhere(model: &Model, aim: &Aim) -> Option<String> {
    let host = clean(aim.host.as_deref()?);
    let project = Aim {
        jobs: Vec::new(),
        ..aim.clone()
    };
    let project = project.words(model);
    Some(format!(
        "Not done with {project}: this view brings up projects of its own machine. bgproc -H {host} opens one of {host}."
    ))
}

/// Whether to bring a project down.
struct Down {
    dir: String,
    name: String,
    /// Number of its jobs that run.
    running: usize,
    /// Number of its jobs that wait for what they need, their turn or their schedule.
    waiting: usize,
}

impl Down {
    /// The question about a project; `None` if nothing of it runs or waits.
    fn of(model: &Model, aim: &Aim) -> Option<Self> {
        let members = aim.members(model);
        let role = members.first()?.role()?;
        let is_waiting = |job: &&&Job| job.state().waits();
        let waiting = members.iter().filter(is_waiting).count();
        let running = members.iter().filter(|job| job.is_going());
        let running = running.filter(|job| !job.state().waits()).count();
        (running + waiting > 0).then(|| Self {
            dir: role.project.dir.clone(),
            name: role.project.name.clone(),
            running,
            waiting,
        })
    }
}

impl Question for Down {
    fn answers(&self, _: &Model, _: Rect) -> Vec<Offer> {
        vec![Offer::yes(), Offer::kill()]
    }

    fn begin(&self, model: &Model, area: Rect) -> Bar {
        begin(model, area, "DOWN")
    }

    fn add_words(&self, model: &Model, bar: &mut Bar, area: Rect) {
        let stops = match self.running {
            0 => "no job runs".to_owned(),
            1 => "stops 1 job".to_owned(),
            n => format!("stops {n} jobs"),
        };
        let waits = match self.waiting {
            0 => String::new(),
            1 => ", 1 waits".to_owned(),
            n => format!(", {n} wait"),
        };
        let name = &self.name;
        let what = [
            format!("{name} ({stops}{waits})?"),
            format!("{name} ({stops})?"),
            format!("{name} ({})?", self.running),
        ];
        add_about(model, bar, &what, area);
    }

    fn answer(self: Box<Self>, _: &mut Model, answer: Option<Answer>, cmds: &mut Vec<Cmd>) {
        match answer {
            Some(Answer::Yes) => project::down(&self.dir, false, self.running, cmds),
            Some(Answer::YesKill) => project::down(&self.dir, true, self.running, cmds),
            _ => {}
        }
    }
}
