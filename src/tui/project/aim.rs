//! Which project a command is about: that of what is marked or selected, else that of the directory in which the
//! view was opened.

use crate::protocol::shell::quote;
use crate::term::sanitize::clean;
use crate::tui::model::job::{Job, tilde};
use crate::tui::model::rows::is_within;
use crate::tui::model::{Model, Selected};

/// Said instead of a shell command for a project of another directory.
const ELSEWHERE: &str = "in its own directory";

/// Said instead of a shell command for a project of another machine.
const ON_HOST: &str = "on its own machine";

/// A project, and some of its jobs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aim {
    /// The host of the project; `None` for this machine. The requests name none, so they are for this machine only.
    pub host: Option<String>,
    /// The directory of the project, or one below it; empty if a host is selected and no project of it.
    pub dir: String,
    /// The name of the project, if the view knows it.
    pub name: Option<String>,
    /// The jobs; all of them if there are none.
    pub jobs: Vec<String>,
}

impl Aim {
    /// What a command is about now: one project, or several if jobs of several projects are marked. None if jobs
    /// are marked and none of them belongs to a project.
    pub fn all(model: &Model) -> Vec<Self> {
        let marked = model.marked();
        if !marked.is_empty() {
            let mut aims: Vec<Self> = Vec::new();
            for aim in marked.iter().filter_map(|id| Self::job(model.job(id)?)) {
                let is_same = |one: &&mut Self| one.host == aim.host && one.dir == aim.dir;
                match aims.iter_mut().find(is_same) {
                    Some(known) => known.jobs.extend(aim.jobs),
                    None => aims.push(aim),
                }
            }
            return aims;
        }
        if let Selected::Group(key) = &model.list.selected
            && let Some(dir) = key.project()
        {
            return vec![Self::at(model, key.host(), dir)];
        }
        let of_job = model.current().and_then(Self::job);
        vec![of_job.unwrap_or_else(|| match model.selected_host() {
            // The directory of the view is one of this machine.
            Some(host) => Self::at(model, Some(host), ""),
            None => Self::here(model),
        })]
    }

    /// The whole project that a command is about; `None` if none of the marked jobs belongs to one.
    pub fn project(model: &Model) -> Option<Self> {
        let mut aims = Self::all(model).into_iter();
        let jobs = Vec::new();
        aims.next().map(|aim| Self { jobs, ..aim })
    }

    /// The job in the pane; `None` if it belongs to no project.
    pub fn of_current(model: &Model) -> Option<Self> {
        model.current().and_then(Self::job)
    }

    /// The project of the directory in which the view was opened.
    pub fn here(model: &Model) -> Self {
        let cwd = model.origin.cwd.as_str();
        let own = model.jobs.iter().filter(|job| job.host().is_none());
        let roles = own.filter_map(Job::role);
        let around = roles.filter(|role| is_within(cwd, &role.project.dir));
        let nearest = around.max_by_key(|role| role.project.dir.len());
        Self {
            host: None,
            dir: cwd.to_owned(),
            name: nearest.map(|role| clean(&role.project.name)),
            jobs: Vec::new(),
        }
    }

    /// A whole project of this machine.
    pub fn whole(model: &Model, dir: &str) -> Self {
        Self::at(model, None, dir)
    }

    fn at(model: &Model, host: Option<&str>, dir: &str) -> Self {
        let there = model.jobs.iter().filter(|job| job.host() == host);
        let mut roles = there.filter_map(Job::role);
        let known = roles.find(|role| role.project.dir == dir);
        Self {
            host: host.map(str::to_owned),
            dir: dir.to_owned(),
            name: known.map(|role| clean(&role.project.name)),
            jobs: Vec::new(),
        }
    }

    fn job(job: &Job) -> Option<Self> {
        let role = job.role()?;
        Some(Self {
            host: job.host().map(str::to_owned),
            dir: role.project.dir.clone(),
            name: Some(clean(&role.project.name)),
            jobs: vec![role.job.clone()],
        })
    }

    /// The jobs of the project that the view knows.
    pub fn members<'a>(&self, model: &'a Model) -> Vec<&'a Job> {
        let is_there = |job: &&Job| job.role().is_some() && job.host() == self.host.as_deref();
        let there = model.jobs.iter().filter(is_there);
        let roles = there.clone().filter_map(Job::role);
        let dirs = roles.map(|role| role.project.dir.as_str());
        let around = dirs.filter(|dir| is_within(&self.dir, dir));
        let nearest = around.max_by_key(|dir| dir.len());
        let is_of = |job: &&Job| job.role().map(|role| role.project.dir.as_str()) == nearest;
        there.filter(is_of).collect()
    }

    /// In words: `shop`, `api of shop`, `api of shop on gpu1`, `the project of ~/shop`.
    pub fn words(&self, model: &Model) -> String {
        let home = model.origin.home.as_deref();
        let place = || {
            if self.dir.is_empty() {
                "a project".to_owned()
            } else {
                format!("the project of {}", clean(&tilde(&self.dir, home)))
            }
        };
        let mut project = self.name.clone().unwrap_or_else(place);
        if let Some(host) = &self.host {
            project = format!("{project} on {}", clean(host));
        }
        let jobs: Vec<String> = self.jobs.iter().map(|job| clean(job)).collect();
        match jobs.as_slice() {
            [] => project,
            jobs => format!("{} of {project}", jobs.join(", ")),
        }
    }

    /// The shell command that does the same, with the jobs as its arguments: `bgproc up api`.
    ///
    /// # Errors
    /// The view was opened in another directory, where that command means another project, or on another machine.
    pub fn shell(&self, model: &Model, verb: &str) -> Result<String, &'static str> {
        if self.host.is_some() {
            return Err(ON_HOST);
        }
        let dir = match self.members(model).first().and_then(|job| job.role()) {
            Some(role) => role.project.dir.as_str(),
            None => self.dir.as_str(),
        };
        if !is_within(&model.origin.cwd, dir) {
            return Err(ELSEWHERE);
        }
        let jobs = self.jobs.iter().map(|job| format!(" {}", quote(job)));
        Ok(format!("bgproc {verb}{}", jobs.collect::<String>()))
    }
}
