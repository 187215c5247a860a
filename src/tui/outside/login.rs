//! Logs in to a host as `bgproc hosts login HOST` does, so that ssh asks as it always does. It has the terminal until it
//! ends.

use std::io::{self, BufRead, Write};

use super::own;
use crate::tui::message::Done;
use crate::tui::terminal::Terminal;

/// Logs in.
pub(super) fn login(host: &str, terminal: &mut Terminal) -> io::Result<Option<Done>> {
    let mut ran = Ok(());
    terminal.lend(|| ran = run(host))?;
    Ok(match ran {
        Ok(()) => None,
        Err(error) => Some(Done::Failed(format!("The login failed: {error}"))),
    })
}

fn run(host: &str) -> io::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "bgproc hosts login {host}")?;
    out.flush()?;
    let status = own::command()?.args(["hosts", "login", host]).status()?;
    if !status.success() {
        // What it said stays until it is read.
        write!(out, "Enter returns to the dashboard.")?;
        out.flush()?;
        io::stdin().lock().read_line(&mut String::new())?;
    }
    Ok(())
}
