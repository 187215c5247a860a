//! The pager: `$PAGER`, or `less -R`.

use std::env;
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;

use crate::config::pager;

/// The result of starting the pager.
pub(super) enum Outcome {
    /// The pager was run.
    Shown,
    /// The program does not exist. Holds the value of `$PAGER` if it is set.
    Missing(Option<String>),
}

/// Shows `text` in the pager and waits until the user leaves it.
pub(super) fn show(text: &str) -> io::Result<Outcome> {
    let named = env::var(pager::VARIABLE).unwrap_or_default();
    let command = pager::command(&named);
    // Ctrl-C belongs to the pager. Unlike SIG_IGN, a handler is not inherited by it.
    signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)))?;
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(Stdio::piped());
    if env::var_os("LESS").is_none() {
        shell.env("LESS", "R");
    }
    let mut child = shell.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // The user may leave the pager before it has read everything.
        let _ = input.write_all(text.as_bytes());
    }
    match child.wait()?.code() {
        Some(126 | 127) => {
            let is_named = !named.trim().is_empty();
            Ok(Outcome::Missing(is_named.then_some(named)))
        }
        _ => Ok(Outcome::Shown),
    }
}
