//! A list for a model: short, since it reads all of it.

use crate::engine::input::waits;
use crate::engine::pattern::around;
use crate::protocol::Summary;
use crate::protocol::reply::Brief;

/// Bytes of names and command of a session in a list for a model, of which the command gets at least some. With
/// the other fields, a session takes up to 150 bytes.
const BRIEF: usize = 36;
const BRIEF_COMMAND: usize = 16;

/// Bytes of all output in a list for a model.
const LEAN_OUTPUT: usize = 20_000;

/// What a model needs of the sessions in a list.
pub(super) fn briefs(summaries: impl Iterator<Item = Summary>) -> Vec<Brief> {
    let mut sessions: Vec<Brief> = summaries.map(brief).collect();
    let mut room = LEAN_OUTPUT;
    // The newest come first where the space is short.
    for session in sessions.iter_mut().rev() {
        let bytes = session.output.as_ref().map_or(0, String::len);
        if bytes <= room {
            room -= bytes
        } else {
            session.output = None
        }
    }
    sessions
}

fn brief(summary: Summary) -> Brief {
    let mut words = vec![summary.command.clone()];
    words.extend(summary.args.iter().flatten().cloned());
    let command = words.join(" ");
    let is_over = summary.status.is_finished();
    let names = [&summary.label, &summary.group];
    let names = names.into_iter().flatten().chain(&summary.tags);
    let names: usize = names.map(String::len).sum();
    let room = BRIEF.saturating_sub(names).max(BRIEF_COMMAND);
    let report = summary.reported().cloned();
    Brief {
        session_id: summary.session_id,
        label: summary.label,
        group: summary.group,
        tags: summary.tags,
        project: summary.project.map(|of| of.project.name),
        status: summary.status,
        waiting: summary.waiting.map(|waiting| waiting.why),
        exit_code: summary.exit_code,
        signal: summary.signal,
        runtime_ms: summary.runtime_ms,
        restarts: summary.restarts,
        input_state: Some(summary.input_state).filter(|state| !is_over && waits(*state)),
        ready: summary.ready,
        progress: summary.progress,
        shell: summary.shell,
        report,
        command: around(&command, 0..0, room).into_owned(),
        ports: summary.ports,
        urls: summary.urls,
        output: summary.output,
    }
}
