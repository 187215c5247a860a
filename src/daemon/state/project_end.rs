//! The end of whole projects: because somebody asks for it, or because one job has ended and all are to end with it.

use super::State;
use super::job_states::seen_of_all;
use crate::daemon::keeper_link::ForNext;
use crate::daemon::projects::ProjectId;
use crate::engine::life::Actor;
use crate::engine::project::Seen;

impl State {
    /// Brings a project down on behalf of `by`, with KILL at once if `kill` is set.
    pub(crate) fn bring_down(&mut self, id: &ProjectId, by: Actor, kill: bool) {
        let Some(project) = self.projects.get_mut(id) else {
            return;
        };
        let now = project.seen.clone();
        project.wish.down(|name| Seen::of(&now, name));
        if let Actor::Project(job) = &by {
            project.wish.ended_by = Some(job.clone());
        }
        project.asked_by = by;
        project.kill = kill;
        project.all = false;
        project.survivors.clear();
        project.failed_stops.clear();
        let own = project.sessions.iter();
        let own = own.filter(|(name, _)| !project.is_foreign(name));
        let sessions: Vec<_> = own.map(|(_, session)| session.clone()).collect();
        for session in sessions {
            let kept = self
                .sessions
                .get_mut(&session)
                .filter(|session| session.time_limits.keep);
            if let Some(known) = kept {
                known.time_limits.keep = false;
                self.persist(&session);
            }
        }
        // Nothing starts any more without a client that brings its environment.
        self.keeper.drop_kept(ForNext::Caller(id));
        self.wish_changed(id);
    }

    /// Brings a project down whose jobs all end with the first one, if one has ended.
    pub(super) fn end_with_first(&mut self, id: &ProjectId) {
        let Some(project) = self.projects.get(id).filter(|known| known.wish.all_or_none) else {
            return;
        };
        let now = seen_of_all(project, &self.sessions);
        let ended = project.wish.ends_all(|name| Seen::of(&now, name));
        if let Some(job) = ended.map(str::to_owned) {
            self.bring_down(id, Actor::Project(job), false);
        }
    }
}
