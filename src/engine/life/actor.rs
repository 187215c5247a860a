//! Who acts on a session, and how that is told.

use serde::{Deserialize, Serialize};

use crate::protocol::Scope;
use crate::protocol::cause::Files;
use crate::protocol::keeper::Exit;
use crate::protocol::run::{EndedBy, EndedByKind};

/// The originator of an action on a session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Actor {
    /// An agent of this scope.
    Agent(Scope),
    /// A person.
    Human,
    /// The session's time limit, in milliseconds.
    TimeLimit(u64),
    /// Its restart policy, because it is not ready any more. Says for how long and why.
    Unready(String),
    /// Changes of these files, which its job watches.
    Watch(Files),
    /// The schedule of its job.
    Schedule,
    /// Its project, all of which is ended because this job has ended.
    Project(String),
}

impl Actor {
    /// Whether it is a rule of the session, and nobody who asks. Its restart policy goes on then.
    pub(super) fn is_limit(&self) -> bool {
        matches!(self, Self::TimeLimit(_) | Self::Unready(_))
    }

    /// Its name for people, as in a reason: `agent builder`, `its schedule`.
    pub fn name(&self) -> String {
        match self {
            Self::Agent(scope) => format!("agent {scope}"),
            Self::Human => "a person".to_owned(),
            Self::TimeLimit(_) => "its time limit".to_owned(),
            Self::Unready(_) => "its restart policy".to_owned(),
            Self::Watch(_) => "its watch".to_owned(),
            Self::Schedule => "its schedule".to_owned(),
            Self::Project(_) => "its project".to_owned(),
        }
    }

    /// The value of the record's `endedBy`.
    pub fn ended_by(&self) -> EndedBy {
        match self {
            Self::Agent(scope) => EndedBy {
                kind: EndedByKind::Agent,
                scope: Some(scope.clone()),
            },
            Self::Human => EndedBy {
                kind: EndedByKind::Human,
                scope: Some(Scope::human()),
            },
            Self::TimeLimit(_) => EndedBy::of(EndedByKind::Timeout),
            Self::Unready(_) => EndedBy::of(EndedByKind::Unready),
            Self::Watch(_) => EndedBy::of(EndedByKind::Watch),
            Self::Schedule => EndedBy::of(EndedByKind::Schedule),
            Self::Project(_) => EndedBy::of(EndedByKind::Project),
        }
    }
}

/// The reason of an end of which nothing else is known.
pub(super) const UNKNOWN_END: &str = "its keeper was killed, so how it ended is not known";

/// Why a run has ended, for people. `is_late`: it got KILL because it had outlived its grace period.
pub(super) fn reason(
    asked: Option<&Actor>,
    exit: &Exit,
    signal: Option<&str>,
    is_late: bool,
) -> String {
    let how = match (exit.exit_code, signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) if exit.core_dumped => format!("{signal}, core dumped"),
        (None, Some(signal)) => signal.to_owned(),
        (None, None) => UNKNOWN_END.to_owned(),
    };
    match asked {
        Some(Actor::TimeLimit(ms)) => {
            let limit = match ms % 1000 {
                0 => format!("{} s", ms / 1000),
                _ => format!("{ms} ms"),
            };
            format!("it reached its time limit of {limit} ({how})")
        }
        Some(Actor::Unready(why)) => format!("it was {why} ({how})"),
        Some(Actor::Watch(files)) => {
            format!("it was ended because {} ({how})", files.have_changed())
        }
        Some(Actor::Schedule) => format!("its schedule ended it for the next run ({how})"),
        Some(Actor::Project(job)) => format!("it was ended because {job} has ended ({how})"),
        Some(actor @ (Actor::Human | Actor::Agent(_))) => {
            let name = actor.name();
            if is_late {
                format!("{name} stopped it; it did not end within its grace period ({how})")
            } else {
                format!("{name} ended it ({how})")
            }
        }
        None => how,
    }
}
