//! `top`: shows the processes of jobs, and what they use.

use std::time::Duration;

use clap::Args;
use unicode_width::UnicodeWidthStr;

use crate::cli::context::{Among, Context};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{Kind, Sink, names, table, words};
use crate::client::read_reply;
use crate::protocol::params::StatusParams;
use crate::protocol::{Action, Record, Timestamp};
use crate::term::sanitize::clean;

/// Time between two pictures.
const INTERVAL: Duration = Duration::from_secs(2);

/// Columns of the names.
const NAME: usize = 20;

/// Moves the cursor to the first column of the first row and erases what follows.
const REPAINT: &str = "\x1b[H\x1b[J";

#[derive(Args, Debug)]
pub struct Top {
    /// Print it once and end; the default without a terminal, and with TERM=dumb
    #[arg(long)]
    once: bool,
    /// The jobs; by default all that run
    #[arg(value_name = "JOB")]
    jobs: Vec<String>,
}

impl Top {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let repeats = !self.once && !ctx.json && ctx.out.terminal(Sink::Out) == Kind::Obeys;
        loop {
            let (records, exit) = self.records(ctx)?;
            if ctx.json {
                for record in &records {
                    ctx.out.json(record)?;
                }
                return Ok(exit);
            }
            if records.is_empty() && exit != Exit::OK {
                // What is wrong has been said; a heading alone says nothing.
                return Ok(exit);
            }
            // The window may have another size than for the picture before.
            let size = ctx.out.size().filter(|_| repeats);
            let width = size.map(|size| usize::from(size.cols()));
            let mut picture = lines(&records, width.or(ctx.out.width), words::now());
            if let Some(size) = size {
                picture.truncate(usize::from(size.rows()).saturating_sub(1));
                ctx.out.bytes(REPAINT.as_bytes())?;
            }
            for line in picture {
                ctx.out.line(&line)?;
            }
            ctx.out.flush()?;
            if !repeats {
                return Ok(exit);
            }
            std::thread::sleep(INTERVAL);
        }
    }

    /// The jobs that run, with their processes.
    fn records(&self, ctx: &mut Context) -> Result<(Vec<Record>, Exit), Failure> {
        let (jobs, exit) = if self.jobs.is_empty() {
            (ctx.jobs()?, Exit::OK)
        } else {
            let found = ctx.many(&self.jobs, Among::Going)?;
            (found.jobs, found.exit)
        };
        let running = jobs.iter().filter(|job| job.summary.pid.is_some());
        let actions = running.map(|job| {
            Action::Status(StatusParams {
                session_id: job.summary.session_id.to_string(),
                detail: Some(true),
                full_env: None,
            })
        });
        let actions = actions.collect();
        let answers = ctx.daemon()?.call_all(actions);
        let mut records = Vec::new();
        for answer in answers.into_iter().flatten() {
            records.push(read_reply(answer)?);
        }
        Ok((records, exit))
    }
}

/// A line for each job, and below it one for each of its processes. None is wider than `width`; without it, names and
/// lines are whole.
fn lines(records: &[Record], width: Option<usize>, now: Timestamp) -> Vec<String> {
    let names = names::together(records);
    let widest = names.iter().map(|name| name.width()).max();
    let wide = match width {
        Some(_) => NAME,
        None => widest.unwrap_or_default().max(NAME),
    };
    let mut lines = vec![format!(
        "{:<wide$} {:>8} {:>6} {:>6}  {:<12} {}",
        "NAME", "PID", "CPU", "MEM", "PORT", "COMMAND"
    )];
    for (record, name) in records.iter().zip(names) {
        let job = &record.summary;
        let dash = || "-".to_owned();
        let cpu = job
            .cpu_percent
            .map_or_else(dash, |cpu| format!("{cpu:.0}%"));
        let memory = job.memory_bytes.map_or_else(dash, words::bytes);
        let detail = record.detail.clone().unwrap_or_default();
        let ports: Vec<_> = detail.ports.iter().map(u16::to_string).collect();
        let ports = if ports.is_empty() {
            dash()
        } else {
            ports.join(",")
        };
        let pid = job.pid.map_or_else(dash, |pid| pid.to_string());
        let name = match width {
            Some(_) => table::middle(&name, NAME),
            None => name,
        };
        let blanks = " ".repeat(wide.saturating_sub(name.width()));
        // What was last known of a job may not be so any more.
        let seen = words::seen(job, now).map(|seen| format!("({seen}) "));
        let (seen, command) = (seen.unwrap_or_default(), words::command(job));
        lines.push(format!(
            "{name}{blanks} {pid:>8} {cpu:>6} {memory:>6}  {ports:<12} {seen}{command}"
        ));
        for process in detail
            .processes
            .iter()
            .filter(|one| Some(one.pid) != job.pid)
        {
            let command = clean(&process.command);
            lines.push(format!(
                "{:<wide$} {:>8} {:>6}  {command}",
                "", process.pid, process.state
            ));
        }
    }
    if let Some(width) = width {
        for line in &mut lines {
            *line = table::end(line, width);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::Status;

    #[test]
    fn lines_are_as_wide_as_the_terminal_at_most_in_columns() {
        let mut wide = record("a", Some("日本語日本語日本語日本語"), Status::Running);
        wide.summary.command = "echo 日本語日本語日本語日本語日本語日本語".to_owned();
        let mut stale = record("b", Some("web"), Status::Running);
        stale.summary.seen_at = Some(Timestamp(0));
        let records = [wide, stale];
        for width in 1..100 {
            for line in lines(&records, Some(width), Timestamp(360_000)) {
                assert!(line.width() <= width, "{width}: {line:?}");
            }
        }
        let shown = lines(&records, Some(200), Timestamp(360_000));
        let place = |line: &str| line.split_once(" -").map(|(before, _)| before.width());
        assert_eq!(place(&shown[1]), place(&shown[2]), "{shown:#?}");
        assert!(shown[2].contains("(seen 6m00s ago) "), "{shown:#?}");
    }
}
