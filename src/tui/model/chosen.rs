//! Which jobs an action applies to: the one in the pane, the group, or the marked ones.

use super::counts::Counts;
use super::group_key::GroupKey;
use super::job::Job;
use super::mode::Mode;
use super::query::Query;
use super::rows::{Group, Row, group_of};
use super::{Model, Refresh, Selected};
use crate::protocol::SessionId;
use crate::tui::scrollback::Scroll;

impl Model {
    /// The job with this id.
    pub fn job(&self, id: &SessionId) -> Option<&Job> {
        self.jobs.iter().find(|job| job.id() == id)
    }

    /// The job in the pane: the job of the mode, if it has one, otherwise the selected one.
    pub fn current(&self) -> Option<&Job> {
        self.job(self.current_id()?)
    }

    /// The id of the job in the pane.
    pub fn current_id(&self) -> Option<&SessionId> {
        let selected = match &self.list.selected {
            Selected::Job(id) => Some(id),
            _ => None,
        };
        let below = self.covered().and_then(Mode::job);
        self.mode().job().or(below).or(selected)
    }

    /// The selected group.
    pub fn group(&self) -> Option<&Group> {
        let Selected::Group(key) = &self.list.selected else {
            return None;
        };
        self.list.rows.iter().find_map(|row| match row {
            Row::Group(group) if group.key == *key => Some(group),
            _ => None,
        })
    }

    /// The title of the selected group, or of the group of the selected job.
    pub fn group_title(&self) -> Option<String> {
        match self.group() {
            Some(group) => Some(group.title.clone()),
            None => Some(group_of(self.current()?).1),
        }
    }

    /// The key of the selected group, or of the group of the job in the pane.
    pub fn group_key(&self) -> Option<GroupKey> {
        match &self.list.selected {
            Selected::Group(key) => Some(key.clone()),
            _ => Some(group_of(self.current()?).0),
        }
    }

    /// The jobs of that group, also those that the list does not show.
    pub fn group_members(&self) -> Vec<&Job> {
        let Some(key) = self.group_key() else {
            return Vec::new();
        };
        let members = self.jobs.iter().filter(|job| group_of(job).0 == key);
        members.collect()
    }

    /// All jobs that have not ended, also those that wait to start: what stopping all jobs stops.
    pub fn alive(&self) -> Vec<SessionId> {
        self.alive_jobs().map(|job| job.id().clone()).collect()
    }

    /// The number of these jobs in each state.
    pub fn alive_counts(&self) -> Counts {
        Counts::of(self.alive_jobs().map(Job::state))
    }

    fn alive_jobs(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter().filter(|job| job.is_going())
    }

    /// The jobs that a verb acts on: the marked ones; if there are none, the selected job or all
    /// jobs of the selected group.
    pub fn targets(&self) -> Vec<SessionId> {
        if !self.list.marked.is_empty() {
            return self.marked();
        }
        match &self.list.selected {
            Selected::Nothing => Vec::new(),
            Selected::Job(id) => vec![id.clone()],
            Selected::Group(_) => self.of_group(),
        }
    }

    /// The selected jobs that are alive; if there are none, tells why.
    pub fn alive_targets(&mut self, verb: &str) -> Option<Vec<SessionId>> {
        let targets = self.targets();
        let alive: Vec<SessionId> = targets
            .iter()
            .filter(|id| self.job(id).is_some_and(|job| job.is_going()))
            .cloned()
            .collect();
        if !alive.is_empty() {
            return Some(alive);
        }
        let text = match targets.as_slice() {
            [] => format!("There is no job to {verb}."),
            [id] => {
                let word = self.job(id).map(|job| job.word());
                let name = self.name_of(id);
                let word = word.unwrap_or_default();
                let remove = self.key("d");
                let is_engines = self.job(id).is_some_and(|job| job.engine().is_some());
                let ways = if is_engines {
                    format!("{remove} removes it")
                } else {
                    format!("{} restarts it, {remove} removes it", self.key("r"))
                };
                format!("{name} has ended already ({word}). {ways}.")
            }
            _ => "All of these jobs have ended already.".to_owned(),
        };
        self.note(text);
        None
    }

    /// The jobs of the selected group.
    pub fn of_group(&self) -> Vec<SessionId> {
        let places = self.group().into_iter().flat_map(|group| &group.jobs);
        let jobs = places.filter_map(|&index| self.jobs.get(index));
        jobs.map(|job| job.id().clone()).collect()
    }

    /// The marked jobs, in the order of the job list.
    pub fn marked(&self) -> Vec<SessionId> {
        let ids = self.jobs.iter().map(Job::id);
        ids.filter(|id| self.list.marked.contains(id))
            .cloned()
            .collect()
    }

    /// The name of a job, for messages; its id if the job is unknown.
    pub fn name_of(&self, id: &SessionId) -> String {
        match self.job(id) {
            Some(job) => job.name.clone(),
            None => id.to_string(),
        }
    }

    /// Closes the log in the pane if it is that of another job than the current one.
    pub fn close_other_log(&mut self) {
        let id = self.current_id().cloned();
        let is_other = |scroll: &mut Box<Scroll>| Some(&scroll.id) != id.as_ref();
        self.pane.scroll.take_if(is_other);
    }

    /// The request for the record of a job that is not known yet.
    pub fn on_its_way(&mut self, id: &SessionId) -> Option<&mut Refresh> {
        let is_new = self.job(id).is_none();
        self.refreshing.get_mut(id).filter(|_| is_new)
    }

    /// The parsed filter.
    pub fn query(&self) -> Query {
        Query::parse(&self.list.filter)
    }

    /// The number of jobs in each state.
    pub fn counts(&self) -> Counts {
        Counts::of(self.jobs.iter().map(Job::state))
    }
}
