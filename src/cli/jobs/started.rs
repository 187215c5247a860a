//! The line about a job that has just been started.

use std::slice;

use crate::cli::context::Context;
use crate::cli::output::words;
use crate::protocol::Record;

/// Formats a started job as `web  running  pid 48213`, and one that waits as `web  queued  needs db ready`.
pub(in crate::cli) fn started_line(ctx: &Context, record: &Record) -> String {
    let job = &record.summary;
    let (state, tone) = words::state(job);
    let name = ctx.names_from_here(slice::from_ref(record)).concat();
    let mut line = format!("{name}  {}", ctx.out.tint(tone, &state));
    if let Some(pid) = job.pid {
        line.push_str(&format!("  pid {pid}"));
    }
    if let Some(why) = words::waits_for(job) {
        line.push_str(&format!("  {why}"));
    }
    line
}
