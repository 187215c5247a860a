//! `onExit`: what is run when a session has ended for good.

use std::collections::BTreeMap;

use crate::engine::session::Session;
use crate::protocol::Mode;
use crate::protocol::keeper::SpawnSpec;
use crate::sys::signal;
use crate::sys::tree::MARK;

use super::program::{SHELL, SHELL_ARGV};
use crate::daemon::clock::now;

/// It may take so long, in milliseconds; then it is killed.
pub(crate) const WITHIN_MS: u64 = 60_000;

/// What the keeper is to run: `line`, where and as whom the session ran.
pub(crate) fn spec(
    session: &Session,
    line: &str,
    ran: &SpawnSpec,
    log: Option<String>,
) -> SpawnSpec {
    let mut argv: Vec<String> = SHELL_ARGV.map(str::to_owned).into();
    argv.push(line.to_owned());
    let variables = variables(session, log);
    let mut env: BTreeMap<&str, &str> = ran.env.iter().collect();
    // It is none of the session's processes, which `kill` ends.
    env.remove(MARK);
    env.extend(
        variables
            .iter()
            .map(|(name, value)| (*name, value.as_str())),
    );
    SpawnSpec {
        program: SHELL.to_owned(),
        argv,
        cwd: ran.cwd.clone(),
        env: env.into_iter().collect(),
        mode: Mode::Pipe,
        umask: ran.umask,
        inherit: ran.inherit.clone(),
        limits: None,
    }
}

/// What it is told; empty where there is nothing to tell.
fn variables(session: &Session, log: Option<String>) -> [(&'static str, String); 9] {
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
