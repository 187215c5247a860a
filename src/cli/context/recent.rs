//! The job that was used last on this terminal, as the target `-`. With `-H`, ids are those of the host; what is saved
//! names the machine, too, so that `-` never means a job of another one.

use crate::client::host;
use crate::protocol::SessionId;
use crate::recall::last_job;

/// Saves the job for the next command.
pub(in crate::cli) fn remember(id: &SessionId) {
    last_job::remember(&from_here(id, host::name()));
}

/// The job that was saved last, if it is on the machine whose jobs this command acts on.
pub(super) fn recall() -> Option<SessionId> {
    seen_from(last_job::recall()?, host::name())
}

/// The id by which this machine knows a job of `host`, if `-H` names one.
fn from_here(id: &SessionId, host: Option<&str>) -> SessionId {
    let there = host.and_then(|host| id.at(host));
    there.unwrap_or_else(|| id.clone())
}

/// The id by which `host` knows the job. `None` if it is not on that host.
fn seen_from(id: SessionId, host: Option<&str>) -> Option<SessionId> {
    match host {
        None => Some(id),
        Some(_) if id.host() == host => SessionId::parse(id.bare()),
        Some(_) => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_last_job_is_one_of_the_machine_that_a_command_is_about() {
        let id = SessionId::parse("abc000000000").unwrap();
        let on_gpu1 = id.at("gpu1").unwrap();
        assert_eq!(from_here(&id, Some("gpu1")), on_gpu1);
        assert_eq!(from_here(&id, None), id);
        // Without -H, the daemon of this machine reaches the job by its full id.
        assert_eq!(seen_from(on_gpu1.clone(), None), Some(on_gpu1.clone()));
        assert_eq!(seen_from(on_gpu1.clone(), Some("gpu1")), Some(id.clone()));
        assert_eq!(seen_from(on_gpu1, Some("gpu2")), None);
        assert_eq!(seen_from(id, Some("gpu1")), None);
    }
}
