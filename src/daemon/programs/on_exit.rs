//! `onExit`: the command that runs after a session has ended.

use std::collections::BTreeMap;
use std::path::Path;

use crate::engine::session::Session;
use crate::protocol::Mode;
use crate::protocol::keeper::SpawnSpec;
use crate::sys::signal;
use crate::sys::tree::MARK;

use super::line_shell::LineShell;
use super::program::{DEFAULT_PATH, find_program};
use crate::daemon::clock::now;

/// Milliseconds after which the command is killed.
pub(crate) const WITHIN_MS: u64 = 60_000;

/// The spawn request for `line`, which `shell` runs, in the directory and with the environment and limits of the
/// session's last run.
pub(crate) fn spec(
    session: &Session,
    shell: &LineShell,
    line: &str,
    ran: &SpawnSpec,
    log: Option<String>,
) -> SpawnSpec {
    let mut argv = vec![shell.program.clone()];
    argv.extend_from_slice(&shell.flags);
    argv.push(line.to_owned());
    let variables = variables(session, log);
    let mut env: BTreeMap<&str, &str> = ran.env.iter().collect();
    // Without the mark, the command does not count as one of the session's processes, so `kill` does not end
    // it.
    env.remove(MARK);
    env.extend(
        variables
            .iter()
            .map(|(name, value)| (*name, value.as_str())),
    );
    let of = session.spec.project.as_ref().map(|of| of.job.as_str());
    let name = of.or(session.spec.label.as_deref());
    env.insert("BGPROC_JOB", name.unwrap_or(session.id.as_str()));
    env.insert("BGPROC_EVENT", "exit");
    SpawnSpec {
        program: program(shell, ran),
        argv,
        cwd: ran.cwd.clone(),
        env: env.into_iter().collect(),
        mode: Mode::Pipe,
        umask: ran.umask,
        inherit: ran.inherit.clone(),
        limits: None,
        ready: None,
    }
}

/// The path of a shell. One that is not found is left as it is, and the failure to start it is told.
fn program(shell: &LineShell, ran: &SpawnSpec) -> String {
    let word = &shell.program;
    let mut path = ran.env.iter().filter(|(name, _)| *name == "PATH");
    let path = path.next().map_or(DEFAULT_PATH, |(_, path)| path);
    find_program(word, path, Path::new(&ran.cwd)).unwrap_or_else(|_| word.clone())
}

/// The variables of the command; a value is empty if it does not apply.
pub(crate) fn variables(session: &Session, log: Option<String>) -> [(&'static str, String); 9] {
    let life = &session.life;
    let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
    let runtime = life.runtime_ms(now());
    [
        ("BGPROC_SESSION_ID", session.id.to_string()),
        ("BGPROC_LABEL", text(session.spec.label.as_deref())),
        ("BGPROC_STATUS", life.status().as_str().to_owned()),
        (
            "BGPROC_EXIT_CODE",
            life.exit_code()
                .map_or_else(String::new, |code| code.to_string()),
        ),
        (
            "BGPROC_SIGNAL",
            life.signal().map_or_else(String::new, signal::name),
        ),
        ("BGPROC_REASON", text(life.reason())),
        ("BGPROC_RUNTIME_MS", runtime.to_string()),
        ("BGPROC_RESTARTS", life.restarts().to_string()),
        ("BGPROC_LOG", log.unwrap_or_default()),
    ]
}
