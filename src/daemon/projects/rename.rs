//! Another name for a job that goes on.

use std::collections::BTreeMap;

use super::project::Project;

impl Project {
    /// Keeps what is known of a job under another name. The fields are listed, so that one that is added here does not
    /// compile until it is decided what a rename does to it.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        let Self {
            wish,
            urls,
            env_prints,
            times,
            requested,
            sessions,
            under_way,
            seen,
            survivors,
            failed_stops,
            // They come from the new file.
            applied: _,
            ports: _,
            borrowed: _,
            // They are set anew, since the watcher knows them by the names of the jobs.
            watches: _,
            // The next decision makes them anew.
            decision: _,
            places: _,
            fresh: _,
            late: _,
            // Clients are told of the new name.
            told: _,
            // Guests have no other name than that of their session.
            first_runs: _,
            told_guests: _,
            told_queues: _,
            // The name of a session stays.
            graces: _,
            // These are about the whole project.
            id: _,
            dir: _,
            device: _,
            inode: _,
            worktree: _,
            offset: _,
            caller: _,
            asked_by: _,
            seq: _,
            all: _,
            kill: _,
            changed: _,
        } = self;
        let queues = wish.queues.values_mut();
        for queue in queues.filter(|queue| queue.failed.as_deref() == Some(from)) {
            queue.failed = Some(to.to_owned());
        }
        carry(&mut wish.jobs, from, to);
        carry(urls, from, to);
        carry(env_prints, from, to);
        carry(times, from, to);
        carry(requested, from, to);
        carry(sessions, from, to);
        carry(under_way, from, to);
        carry(seen, from, to);
        carry(survivors, from, to);
        carry(failed_stops, from, to);
    }
}

/// Keeps what is known under one name under another.
fn carry<T>(known: &mut BTreeMap<String, T>, from: &str, to: &str) {
    if let Some(value) = known.remove(from) {
        known.insert(to.to_owned(), value);
    }
}
