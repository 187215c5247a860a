//! What a file that was read changes in a project: the plan, and the definitions that come into force.

use std::collections::BTreeSet;

use super::read::Loaded;
use crate::daemon::projects::project::Project;
use crate::daemon::projects::wishes::{define, selected};
use crate::engine::project::{JobWish, Phase, Seen, SeenState, Wish};
use crate::project as file;
use crate::project::plan::{Change, changes};
use crate::protocol::Error;
use crate::protocol::params;
use crate::protocol::reply::{ChangeKind, Fate, PlannedChange};

/// What a request changes.
pub(super) struct Changes {
    /// What people are shown, in the order of the file.
    pub(super) plan: Vec<PlannedChange>,
    /// The definitions that come into force: the new ones, and the present ones of jobs that are left alone.
    pub(super) effective: file::Project,
    /// The jobs that are wanted, with what they need, in the order in which queues start them.
    pub(super) wanted: Vec<String>,
    /// The jobs of the main checkout that are wanted.
    pub(super) borrowed: BTreeSet<String>,
    /// The jobs to restart.
    pub(super) restarted: Vec<String>,
    /// Jobs that are not in the file any more, and are stopped.
    pub(super) pruned: Vec<String>,
    /// New names of jobs, as `(from, to)`.
    pub(super) renamed: Vec<(String, String)>,
}

/// Compares a file with what is in force.
pub(super) fn compare(
    project: &Project,
    loaded: &Loaded,
    params: &params::Project,
    is_reload: bool,
) -> Result<Changes, Error> {
    let new = &loaded.project;
    let seen = |name: &str| Seen::of(&project.seen, name);
    let left_out = match &params.except {
        Some(words) => selected(new, Some(words))?,
        None => BTreeSet::new(),
    };
    let mut draft = Draft {
        project,
        left_out,
        applies: is_reload || params.apply == Some(true),
        prunes: params.prune == Some(true),
        wish: project.wish.clone(),
        effective: new.clone(),
        restarted: Vec::new(),
        pruned: Vec::new(),
        renamed: Vec::new(),
        outdated: Vec::new(),
        notes: Notes::default(),
    };
    let all = changes(&project.applied.jobs, &new.jobs).into_iter();
    // The jobs of the main checkout change there.
    let own = all.filter(|change| !project.borrowed.contains_key(change.job()));
    for change in own {
        if has_other_variables(project, loaded, change.job()) {
            draft.take(change.with_env_files())
        } else {
            draft.take(change)
        }
    }
    define(&mut draft.wish, &draft.effective, &project.borrowed);
    let mut wanted = wanted(&draft, new, params, is_reload)?;
    wanted.retain(|name| !draft.pruned.contains(name));
    draft.run_outdated_again(&wanted);
    if let Some(words) = params.jobs.as_ref().filter(|_| !is_reload) {
        draft.run_removed_again(&selected(new, Some(words))?);
    }
    let plan = draft.plan(&wanted, |name| {
        let mut renamed = draft.renamed.iter();
        let old = renamed.find(|(_, to)| to == name).map(|(from, _)| from);
        seen(old.map_or(name, String::as_str))
    });
    let is_borrowed = |name: &&String| project.borrowed.contains_key(*name);
    let borrowed = wanted.iter().filter(is_borrowed).cloned().collect();
    wanted.retain(|name| !project.borrowed.contains_key(name));
    let Draft {
        wish,
        effective,
        restarted,
        pruned,
        renamed,
        ..
    } = draft;
    Ok(Changes {
        plan,
        wanted: in_order(&effective, &wish, &wanted, params.jobs.as_deref()),
        effective,
        borrowed,
        restarted,
        pruned,
        renamed,
    })
}

/// What comes of the changes of a file, one after another.
struct Draft<'a> {
    project: &'a Project,
    /// The jobs that the request leaves out: nothing of them changes.
    left_out: BTreeSet<String>,
    /// Whether jobs that run are restarted with their new definitions.
    applies: bool,
    /// Whether jobs that are not in the file any more are stopped.
    prunes: bool,
    wish: Wish,
    effective: file::Project,
    restarted: Vec<String>,
    pruned: Vec<String>,
    renamed: Vec<(String, String)>,
    /// Tasks that have ended well with another definition than the new one, and what differs.
    outdated: Vec<(String, String)>,
    notes: Notes,
}

/// What people are told besides what starts and what stays as it is.
#[derive(Default)]
struct Notes {
    /// Of jobs in the file.
    of_jobs: Vec<(String, ChangeKind, String)>,
    /// Of jobs that are not in the file any more.
    gone: Vec<(String, Fate)>,
}

impl Draft<'_> {
    fn take(&mut self, change: Change) {
        let project = self.project;
        let is_alive = |job: &str| Seen::of(&project.seen, job).state.is_alive();
        let is_on_schedule = |job: &str| is_on_schedule(&project.wish, job);
        match change {
            Change::Change { job, .. } | Change::Apply { job, .. }
                if self.left_out.contains(&job) && is_alive(&job) =>
            {
                self.keep(&job);
            }
            Change::Rename { from, to } => {
                let job = self.wish.jobs.remove(&from).unwrap_or_default();
                self.wish.jobs.insert(to.clone(), job);
                if is_alive(&from) || is_on_schedule(&from) {
                    self.note(&to, ChangeKind::Rename, format!("was {from}"));
                }
                self.renamed.push((from, to));
            }
            Change::Change { job, keys } if is_alive(&job) => {
                self.note(&job, ChangeKind::Restart, changed(&keys));
                if self.applies {
                    self.restarted.push(job)
                } else {
                    // It runs on as it is, and the next plan names it again.
                    self.keep(&job)
                }
            }
            Change::Apply { job, keys } if is_alive(&job) => {
                self.note(&job, ChangeKind::Apply, changed(&keys));
            }
            Change::Apply { job, keys } | Change::Change { job, keys } if is_on_schedule(&job) => {
                self.note(&job, ChangeKind::Apply, changed(&keys));
            }
            Change::Change { job, keys } if has_ended_well(project, &job) => {
                self.outdated.push((job, changed(&keys)));
            }
            Change::Gone(job) if is_alive(&job) => {
                self.keep(&job);
                if self.prunes {
                    self.notes.gone.push((job.clone(), Fate::Stopped));
                    self.pruned.push(job);
                } else {
                    self.notes.gone.push((job, Fate::GoesOn));
                }
            }
            // Nothing of it runs, but its schedule would have gone on.
            Change::Gone(job) if is_on_schedule(&job) => {
                self.notes.gone.push((job, Fate::ScheduleEnds));
            }
            _ => {}
        }
    }

    fn note(&mut self, job: &str, kind: ChangeKind, note: String) {
        self.notes.of_jobs.push((job.to_owned(), kind, note));
    }

    /// Leaves the definition of a job as it is in force.
    fn keep(&mut self, job: &str) {
        if let Some(defined) = self.project.applied.jobs.get(job) {
            self.effective.jobs.insert(job.to_owned(), defined.clone());
        }
        if !self.effective.order.iter().any(|name| name == job) {
            self.effective.order.push(job.to_owned());
        }
    }

    /// Runs the wanted tasks again whose result is that of an old definition.
    fn run_outdated_again(&mut self, wanted: &BTreeSet<String>) {
        for (job, note) in std::mem::take(&mut self.outdated) {
            if wanted.contains(&job) {
                // It disturbs nothing that runs, so `up` need not be told to.
                self.note(&job, ChangeKind::Restart, note);
                self.restarted.push(job);
            } else {
                // The next plan that wants it names it.
                self.keep(&job)
            }
        }
    }

    /// Runs the tasks again that are named here, have ended well and have no record any more: there is nothing of them that
    /// could be restarted.
    fn run_removed_again(&mut self, named: &BTreeSet<String>) {
        let project = self.project;
        for name in named.difference(&self.left_out) {
            let is_removed = Seen::of(&project.seen, name).state == SeenState::Never;
            let job = self.wish.jobs.get_mut(name);
            if let Some(job) = job.filter(|job| job.passed && is_removed) {
                job.passed = false;
                self.restarted.push(name.clone());
            }
        }
    }

    fn plan(&self, wanted: &BTreeSet<String>, seen: impl Fn(&str) -> Seen) -> Vec<PlannedChange> {
        let gone = &self.notes.gone;
        let stays = |name: &&String| !gone.iter().any(|(job, _)| job == *name);
        let mut plan = Vec::new();
        for name in self.effective.order.iter().filter(stays) {
            let of_job = self.notes.of_jobs.iter().filter(|(job, ..)| job == name);
            let before = plan.len();
            plan.extend(of_job.map(|(job, change, note)| PlannedChange {
                change: *change,
                job: job.clone(),
                note: Some(note.clone()),
                fate: None,
                ended: *change == ChangeKind::Restart && !seen(job).state.is_alive(),
            }));
            let job = self.wish.jobs.get(name).filter(|_| wanted.contains(name));
            if let Some(job) = job.filter(|_| plan.len() == before) {
                plan.push(self.unchanged(name, job, seen(name)));
            }
        }
        plan.extend(gone.iter().map(|(job, fate)| PlannedChange {
            change: ChangeKind::Gone,
            job: job.clone(),
            note: None,
            fate: Some(*fate),
            ended: false,
        }));
        plan
    }
}

impl Draft<'_> {
    /// The line of a job whose definition has not changed, or which does not run.
    fn unchanged(&self, name: &str, job: &JobWish, now: Seen) -> PlannedChange {
        // A person's stop turns a schedule off, until the job is brought up again.
        let is_off = job.is_scheduled && job.hold.is_some();
        let is_on_schedule = job.is_scheduled && job.wanted && !is_off;
        let is_done = job.is_task && job.has_ended(now) == Some(true) && !is_off;
        let waits = match self.project.decision.phases.get(name) {
            Some(Phase::Queued(why)) => !why.wants_request(),
            _ => false,
        };
        let (change, note) = match now.state.is_alive() {
            true => (ChangeKind::Keep, None),
            false if is_done => (ChangeKind::Keep, Some("ok")),
            false if is_on_schedule => (ChangeKind::Keep, Some("scheduled")),
            false if waits => (ChangeKind::Keep, Some("queued")),
            false => (ChangeKind::Start, None),
        };
        PlannedChange {
            change,
            job: name.to_owned(),
            note: note.map(str::to_owned),
            fate: None,
            ended: false,
        }
    }
}

/// What is said of keys that differ.
fn changed(keys: &[&str]) -> String {
    format!("{} changed", keys.join(", "))
}

/// Whether the `.env` files of a job that runs, or has ended well, give it other variables than that run has. Files that
/// cannot be read any more do: the restart says what is wrong with them.
fn has_other_variables(project: &Project, loaded: &Loaded, job: &str) -> bool {
    let counts = Seen::of(&project.seen, job).state.is_alive() || has_ended_well(project, job);
    let known = project.env_prints.get(job).filter(|_| counts);
    known.is_some_and(|known| loaded.env_prints.get(job) != Some(known))
}

/// Whether a job is a task that `up` does not run again, because it has ended well.
fn has_ended_well(project: &Project, job: &str) -> bool {
    let now = Seen::of(&project.seen, job);
    let job = project.wish.jobs.get(job);
    job.is_some_and(|job| job.is_task && job.has_ended(now) == Some(true))
}

/// Whether a job waits for its next time, so that a new definition is that of its next run.
fn is_on_schedule(wish: &Wish, job: &str) -> bool {
    let job = wish.jobs.get(job);
    job.is_some_and(|job| job.is_scheduled && job.wanted)
}

/// The jobs that are wanted after the request.
fn wanted(
    draft: &Draft<'_>,
    new: &file::Project,
    params: &params::Project,
    is_reload: bool,
) -> Result<BTreeSet<String>, Error> {
    let Draft {
        project,
        wish,
        left_out,
        ..
    } = draft;
    let mut names = match (&params.jobs, is_reload) {
        (Some(names), _) => selected(new, Some(names))?,
        (None, false) => selected(new, None)?,
        (None, true) => {
            // What was selected stays selected. New jobs belong to a selection of all.
            let before = wish.jobs.iter().filter(|(_, job)| job.wanted);
            let mut names: BTreeSet<String> = before.map(|(name, _)| name.clone()).collect();
            if project.all {
                names.extend(selected(new, None)?);
            }
            names
        }
    };
    names.retain(|name| !left_out.contains(name));
    if names.is_empty() && !left_out.is_empty() {
        return Err(Error::invalid("all jobs are left out"));
    }
    let with_needs = params.no_deps != Some(true);
    let mut wanted = wish.with_needs(names.iter().map(String::as_str), with_needs);
    check_left_out(wish, &wanted, left_out)?;
    if is_reload {
        // What a person has stopped stays so.
        let held = |name: &String| wish.jobs.get(name).is_some_and(|job| job.hold.is_some());
        wanted.retain(|name| !held(name));
    }
    Ok(wanted)
}

/// Fails if a wanted job needs one that is left out: it would wait for it without end.
fn check_left_out(
    wish: &Wish,
    wanted: &BTreeSet<String>,
    left_out: &BTreeSet<String>,
) -> Result<(), Error> {
    if wanted.is_disjoint(left_out) {
        return Ok(());
    }
    for name in wanted.difference(left_out) {
        let needs = wish.jobs.get(name).map_or(&[][..], |job| &job.needs);
        if let Some(need) = needs.iter().find(|need| left_out.contains(&need.job)) {
            let needed = &need.job;
            let message = format!("{name} needs {needed}, which is left out");
            return Err(Error::invalid(message).hint(format!(
                "leave {name} out, too; with --no-deps it starts without {needed}"
            )));
        }
    }
    Ok(())
}

/// The wanted jobs in the order in which queues start them: that of the words of the request, each job after what it
/// needs; else that of the list of the queue, or of the file.
pub(super) fn in_order(
    file: &file::Project,
    wish: &Wish,
    wanted: &BTreeSet<String>,
    words: Option<&[String]>,
) -> Vec<String> {
    let lists = file.groups.values().filter(|group| group.parallel > 0);
    let lists = lists.flat_map(|group| &group.jobs);
    let all: Vec<&String> = lists.chain(&file.order).collect();
    let mut order = Vec::new();
    let mut is_placed = BTreeSet::new();
    let mut place = |meant: &BTreeSet<String>| {
        let next = all.iter().filter(|name| meant.contains(**name));
        let next = next.filter(|name| wanted.contains(**name) && is_placed.insert(**name));
        order.extend(next.map(|name| (*name).clone()));
    };
    for word in words.unwrap_or_default() {
        let named = selected(file, Some(std::slice::from_ref(word))).unwrap_or_default();
        for job in all.iter().filter(|name| named.contains(**name)) {
            let mut needs = wish.with_needs([job.as_str()], true);
            needs.remove(*job);
            place(&needs);
            place(&BTreeSet::from([(*job).clone()]));
        }
    }
    place(wanted);
    order
}
