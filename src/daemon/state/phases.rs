//! Where the jobs of projects stand, as clients are told.

use std::collections::BTreeMap;

use serde_json::json;

use super::State;
use super::watches::watching;
use crate::daemon::clock::now;
use crate::daemon::projects::ProjectId;
use crate::daemon::projects::project::Project;
use crate::engine::project::{Phase, Seen};
use crate::engine::session::Session;
use crate::protocol::project::{ProjectRole, SCHEDULE_OFF, Waiting};
use crate::protocol::{EventKind, SessionId, Timestamp};

impl State {
    /// The job of a project that a session runs, for its record.
    pub(crate) fn project_role(&self, session: &Session) -> Option<ProjectRole> {
        let of = session.spec.project.as_ref()?;
        let project = self.projects.get(&of.id)?;
        let phase = project.decision.phases.get(&of.job)?;
        Some(role(project, &of.job, phase))
    }

    /// Tells clients which jobs of a project are in another phase than they were told, or for another reason, and which
    /// of its guests are skipped or wait again.
    pub(super) fn tell_phases(&mut self, id: &ProjectId) {
        let is_heard = self.events.has_listeners(EventKind::Phase);
        let Some(project) = self.projects.get_mut(id) else {
            return;
        };
        if !is_heard {
            // The next listener has read the list at a moment of its own: it is told of any change from then on, also
            // back to what the last listener was told.
            project.told.clear();
            project.told_guests.clear();
            return;
        }
        let phases = project.decision.phases.iter();
        let roles = phases.filter(|(job, _)| !project.is_foreign(job));
        let roles: BTreeMap<String, ProjectRole> = roles
            .map(|(job, phase)| (job.clone(), role(project, job, phase)))
            .collect();
        let is_new = |(job, role): &(&String, &ProjectRole)| {
            let before = project.told.get(*job);
            before.is_none_or(|before| differs(before, role))
        };
        let news = roles.iter().filter(is_new);
        let news: Vec<(SessionId, ProjectRole)> = news
            .filter_map(|(job, role)| Some((project.sessions.get(job)?.clone(), role.clone())))
            .collect();
        project.told = roles;
        for (session, role) in news {
            self.publish(EventKind::Phase, &session, json!(role));
        }
        self.tell_guests(id);
    }

    /// Decides the waits on the jobs and guests of a project that are skipped.
    pub(super) fn look_at_skipped(&mut self, id: &ProjectId) {
        let Some(project) = self.projects.get(id) else {
            return;
        };
        let phases = project.decision.phases.iter();
        let skipped = phases.filter(|(_, phase)| matches!(phase, Phase::Skipped(_)));
        let awaited: Vec<SessionId> = skipped
            .filter_map(|(name, _)| project.sessions.get(name))
            .filter(|session| self.waiters.waits.has(session))
            .cloned()
            .collect();
        for session in awaited {
            self.look(&session);
        }
    }

    /// Tells clients which guests have come, are skipped or wait again, and were not told to be so. Their places in
    /// queues, which change with every start, are in their records only.
    fn tell_guests(&mut self, id: &ProjectId) {
        let Some(project) = self.projects.get(id) else {
            return;
        };
        let guests = project.sessions.iter();
        let guests = guests.filter(|(name, _)| project.is_guest(name));
        let waiting = guests.filter_map(|(_, session)| {
            let waiting = self.waiting(self.sessions.get(session)?)?;
            Some((session.clone(), waiting))
        });
        let waiting: BTreeMap<SessionId, Waiting> = waiting.collect();
        let told = |(session, waiting): &(&SessionId, &Waiting)| {
            let before = project.told_guests.get(*session).copied();
            before.unwrap_or(Some(false)) == Some(waiting.never)
        };
        let news = waiting.iter().filter(|guest| !told(guest));
        let news: Vec<(SessionId, Waiting)> = news
            .map(|(session, waiting)| (session.clone(), waiting.clone()))
            .collect();
        let told = waiting.into_iter();
        let told = told.map(|(session, waiting)| (session, Some(waiting.never)));
        if let Some(project) = self.projects.get_mut(id) {
            project.told_guests = told.collect();
        }
        for (session, waiting) in news {
            self.publish(EventKind::Phase, &session, json!(waiting));
        }
    }
}

/// Where a job stands, for its record.
fn role(project: &Project, job: &str, phase: &Phase) -> ProjectRole {
    let wish = project.wish.jobs.get(job);
    ProjectRole {
        project: project.name(),
        job: job.to_owned(),
        phase: phase.name(),
        why: why(project, job),
        next_run: next_run(project, job),
        place: project.places.get(job).copied().unwrap_or_default(),
        needs: wish.map(|wish| wish.needs.clone()).unwrap_or_default(),
        ports: project.ports_of(job),
        url: project.url_of(job),
        confirm: project.applied.jobs.get(job).is_some_and(|job| job.confirm),
        watch: watching(project, job),
    }
}

/// Whether people see a difference. The clocks that schedules go by drift against each other by milliseconds.
fn differs(before: &ProjectRole, now: &ProjectRole) -> bool {
    let seconds = |role: &ProjectRole| role.next_run.map(|at| at.millis() / 1000);
    let is_later = match (seconds(before), seconds(now)) {
        (Some(before), Some(now)) => before.abs_diff(now) > 1,
        (before, now) => before != now,
    };
    let same = ProjectRole {
        next_run: now.next_run,
        ..before.clone()
    };
    is_later || same != *now
}

/// Why a job waits, was skipped, is not ready in time, has ended before it was ready, could not be started or was stopped.
pub(crate) fn why(project: &Project, job: &str) -> Option<String> {
    let wish = project.wish.jobs.get(job)?;
    match project.decision.phases.get(job)? {
        Phase::Queued(why) | Phase::Skipped(why) => Some(why.to_string()),
        Phase::Starting | Phase::Retrying => project.late.get(job).cloned(),
        Phase::Failed => wish.broken.as_ref().or(project.late.get(job)).cloned(),
        Phase::Stopped => {
            let by = &wish.hold.as_ref()?.by;
            Some(if wish.is_scheduled {
                format!("{by} stopped it; {SCHEDULE_OFF}")
            } else {
                format!("{by} stopped it")
            })
        }
        Phase::Scheduled => {
            let note = project.times.get(job).and_then(|times| times.table.note());
            let seen = Seen::of(&project.seen, job);
            let has_failed = wish.has_ended(seen) == Some(false);
            let failed = has_failed.then(|| "its last run failed".to_owned());
            wish.broken.clone().or(note).or(failed)
        }
        _ => None,
    }
}

/// When the schedule of a job starts it next. Unknown while schedules are not followed.
pub(crate) fn next_run(project: &Project, job: &str) -> Option<Timestamp> {
    let times = project.times.get(job);
    times
        .filter(|_| project.follows_schedules())?
        .next_run(now())
}
