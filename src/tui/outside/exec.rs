//! Opens a shell in the directory and the environment of a project's job, as `bgproc exec JOB` does. It has the
//! terminal until it ends.

use std::io::{self, BufRead, Write};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use super::own;
use crate::tui::message::Done;
use crate::tui::terminal::Terminal;

/// A shell that fails sooner than this has not been used. What it printed stays until a key is pressed.
const UNUSED: Duration = Duration::from_secs(1);

/// Runs the shell.
pub(super) fn shell(dir: &str, job: &str, terminal: &mut Terminal) -> io::Result<Option<Done>> {
    let mut ran = Ok(());
    terminal.lend(|| ran = run(dir, job))?;
    Ok(match ran {
        Ok(()) => None,
        Err(error) => Some(Done::Failed(format!(
            "The shell could not be opened: {error}"
        ))),
    })
}

fn run(dir: &str, job: &str) -> io::Result<()> {
    let begun = Instant::now();
    let status: ExitStatus = own::command()?
        .args(["exec", job])
        .current_dir(dir)
        .status()?;
    if !status.success() && begun.elapsed() < UNUSED {
        let mut out = io::stdout();
        write!(out, "Enter returns to the dashboard.")?;
        out.flush()?;
        io::stdin().lock().read_line(&mut String::new())?;
    }
    Ok(())
}
