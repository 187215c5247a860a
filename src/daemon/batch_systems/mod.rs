//! The batch systems that run sessions on other machines (Slurm): what is known of each, and their [`command`]s, which may
//! hang for long when the controller is down, and so never hold up anything else.
//!
//! Such a session is one of this daemon: its record is here, and its log is read from the directory that the nodes
//! see, too. What follows from the words of a batch system is in [`state`](super::state), the questions to it are in
//! [`tasks`](super::tasks), and what clients ask for is in [`requests`](super::requests).

pub(crate) mod command;

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use tokio::sync::Notify;

use crate::engine::batch::schedule::Schedule;
use crate::protocol::batch_job::LauncherSpec;

/// The batch systems with jobs that are not over, by the names of their launchers.
#[derive(Default)]
pub(crate) struct BatchSystems {
    entries: BTreeMap<String, BatchSystem>,
    changed: Rc<Notify>,
    /// Notified when a client asks for a session that runs elsewhere.
    used: Rc<Notify>,
    /// Notified when a session has left the queue of its batch system.
    placed: Rc<Notify>,
}

/// One batch system.
struct BatchSystem {
    launcher: LauncherSpec,
    /// Variables of the client that submitted last, with which its commands are found and reach it.
    env: Rc<HashMap<String, String>>,
    schedule: Schedule,
}

/// What a batch system is asked with.
pub(crate) struct Question {
    pub(crate) launcher: LauncherSpec,
    pub(crate) env: Rc<HashMap<String, String>>,
}

impl BatchSystems {
    /// A job was submitted, or taken over from an earlier daemon.
    pub(crate) fn submitted(
        &mut self,
        launcher: &LauncherSpec,
        env: Option<HashMap<String, String>>,
        now: u64,
    ) {
        let system = self.entries.entry(launcher.name.clone());
        let system = system.or_insert_with(|| BatchSystem {
            launcher: launcher.clone(),
            env: Rc::default(),
            schedule: Schedule::new(launcher.poll_ms),
        });
        if let Some(env) = env {
            system.env = Rc::new(env);
        }
        system.schedule.submitted(now);
        self.changed.notify_one();
    }

    /// Whether no session was handed to a batch system since this daemon started, and none was taken over.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A job of this launcher has ended, as far as it can be seen here.
    pub(crate) fn ending(&mut self, launcher: &str, now: u64) {
        if let Some(system) = self.entries.get_mut(launcher) {
            system.schedule.ending(now);
            self.changed.notify_one();
        }
    }

    /// Somebody looks at a session of this launcher.
    pub(crate) fn looked(&mut self, launcher: &str, now: u64) {
        if let Some(system) = self.entries.get_mut(launcher) {
            system.schedule.looked(now);
            self.changed.notify_one();
        }
    }

    /// The environment in which the commands of a launcher run.
    pub(crate) fn env(&self, launcher: &str) -> Rc<HashMap<String, String>> {
        let system = self.entries.get(launcher);
        system.map_or_else(Rc::default, |system| system.env.clone())
    }

    /// The batch systems to ask now, and when the next one is due, in boot-time milliseconds.
    pub(crate) fn due(&mut self, now: u64) -> (Vec<Question>, Option<u64>) {
        let (mut due, mut next) = (Vec::new(), None::<u64>);
        for system in self.entries.values_mut() {
            match system.schedule.next() {
                Some(at) if at <= now => {
                    system.schedule.asked();
                    due.push(Question {
                        launcher: system.launcher.clone(),
                        env: system.env.clone(),
                    });
                }
                at => next = [next, at].into_iter().flatten().min(),
            }
        }
        (due, next)
    }

    /// A batch system has answered, or has failed to. `open` is whether it has jobs that are not over.
    pub(crate) fn answered(&mut self, name: &str, open: bool, now: u64) {
        if let Some(system) = self.entries.get_mut(name) {
            system.schedule.answered(open, now);
        }
        self.changed.notify_one();
    }

    /// A session has left the queue of its batch system.
    pub(crate) fn left_queue(&self) {
        self.placed.notify_waiters();
        self.used.notify_one();
    }

    /// Notified when a session has left the queue of its batch system.
    pub(crate) fn placed(&self) -> Rc<Notify> {
        self.placed.clone()
    }

    /// A client asks for a session that runs elsewhere.
    pub(crate) fn used(&self) {
        self.used.notify_one();
    }

    /// Notified when a client asks for a session that runs elsewhere.
    pub(crate) fn uses(&self) -> Rc<Notify> {
        self.used.clone()
    }

    /// Notified when another batch system may be due.
    pub(crate) fn changed(&self) -> Rc<Notify> {
        self.changed.clone()
    }
}
