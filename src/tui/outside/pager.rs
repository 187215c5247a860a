//! Shows a log in the pager.
//!
//! The bytes come from `bgproc logs --raw` through a pipe. No part of the log is held in memory,
//! and the output is complete even if log segments are dropped meanwhile. The pager reads its keys
//! from the terminal, which it owns while it runs.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use super::own;
use crate::config::pager;
use crate::protocol::SessionId;
use crate::tui::message::Done;
use crate::tui::terminal::Terminal;

/// Shows the whole log of a job.
pub(super) fn show(id: &SessionId, terminal: &mut Terminal) -> io::Result<Option<Done>> {
    let named = std::env::var(pager::VARIABLE).unwrap_or_default();
    let pager = pager::command(&named);
    let mut shown = Ok(());
    terminal.lend(|| shown = page(id, pager))?;
    Ok(match shown {
        Ok(()) => None,
        Err(error) => Some(Done::Failed(format!(
            "The log could not be shown with {pager}: {error}.  PAGER names another program"
        ))),
    })
}

fn page(id: &SessionId, pager: &str) -> io::Result<()> {
    let mut logs = own::command()?
        .args(["logs", "--raw", id.as_str()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        // Ctrl-C is for the pager only.
        .process_group(0)
        .spawn()?;
    let output = logs.stdout.take().map_or_else(Stdio::null, Stdio::from);
    let status = Command::new("sh")
        .args(["-c", pager])
        .stdin(output)
        .status();
    // The pager may have quit before reading everything.
    let _ = logs.kill();
    logs.wait()?;
    match status?.code() {
        Some(code @ (126 | 127)) => Err(io::Error::other(format!("exit {code}"))),
        _ => Ok(()),
    }
}
