//! A log in the pager.
//!
//! The bytes come from `bgproc logs --raw` through a pipe: nothing is held in memory however long the log, and it is
//! whole also while files of it are being dropped. The pager reads its keys from the terminal, which is its alone
//! meanwhile.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::protocol::SessionId;
use crate::tui::terminal::Terminal;
use crate::tui::update::Done;

/// Shows the whole log of a session.
pub(super) fn show(id: &SessionId, terminal: &mut Terminal) -> io::Result<Option<Done>> {
    let pager = std::env::var("PAGER").unwrap_or_default();
    let pager = match pager.trim() {
        "" => "less -R",
        // As git has it: less asked for by its bare name shows colours as garbage.
        "less" => "less -R",
        given => given,
    };
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
    let mut logs = Command::new(std::env::current_exe()?)
        .args(["logs", "--raw", id.as_str()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        // Ctrl-C is for the pager.
        .process_group(0)
        .spawn()?;
    let output = logs.stdout.take().map_or_else(Stdio::null, Stdio::from);
    let status = Command::new("sh")
        .args(["-c", pager])
        .stdin(output)
        .status();
    // The pager may have been left before all of it was read.
    let _ = logs.kill();
    logs.wait()?;
    match status?.code() {
        Some(code @ (126 | 127)) => Err(io::Error::other(format!("exit {code}"))),
        _ => Ok(()),
    }
}
