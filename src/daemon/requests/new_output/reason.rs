//! What a reply tells a model of a session without being asked.

use crate::daemon::state::State;
use crate::engine::life::Life;
use crate::engine::session::Session;
use crate::protocol::Status;
use crate::protocol::project::NEED_REMOVED;
use crate::protocol::reply::UNREADY;
use crate::protocol::run::EndedByKind;
use crate::sys::signal;

/// What a model would not think of: that the session was started again, that somebody else has ended it or runs it
/// again, that it is not ready, or what it waits for.
pub(crate) fn untold_reason(
    state: &State,
    session: &Session,
    restarts: Option<String>,
) -> Option<String> {
    let status = session.life.status();
    let runs_again = matches!(status, Status::Starting | Status::Running);
    let is_again = state.restarting.contains_key(&session.id) && !runs_again;
    let again = is_again.then(|| "it is being restarted".to_owned());
    let by_others = session
        .life
        .ended_by()
        .is_some_and(|by| by.kind != EndedByKind::Agent);
    let ended = session
        .life
        .reason()
        .filter(|_| status == Status::Retrying || by_others && status.is_finished())
        .filter(|reason| !is_plain(reason, &session.life));
    let ended = ended.map(str::to_owned);
    let waits = state.waiting(session).map(|waiting| {
        let why = waiting.why;
        if waiting.never && why.ends_with(NEED_REMOVED) {
            format!("it {why}; `restart` runs it anyway")
        } else if waiting.never {
            format!("it {why}, which does not come by itself any more; `restart` runs it anyway")
        } else {
            format!("it waits: {why}")
        }
    });
    joined([restarts, ended, session.late_reason(), again, waits])
}

/// That a program runs whose probe does not hold yet and is still in time.
pub(super) fn unready(session: &Session) -> Option<String> {
    let is_awaited = session.ready() == Some(false) && !session.is_late();
    let is_unready = is_awaited && session.life.status() == Status::Running;
    is_unready.then(|| UNREADY.to_owned())
}

/// Several reasons as one.
pub(crate) fn joined<const N: usize>(reasons: [Option<String>; N]) -> Option<String> {
    let reasons = reasons.into_iter().flatten();
    reasons.reduce(|one, other| one + "; " + &other)
}

/// Whether a reason says no more than exit code and signal do.
fn is_plain(reason: &str, life: &Life) -> bool {
    let code = life.exit_code().map(|code| format!("exit code {code}"));
    let signal = life.signal().map(signal::name);
    [code, signal].iter().flatten().any(|word| word == reason)
}
