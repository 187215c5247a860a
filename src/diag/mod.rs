//! Diagnostics of keeper and daemon: lines of `tracing` in `keeper.log` and `daemon.log`.
//!
//! All code logs through the macros of `tracing`, with facts as fields. Three things are never logged: what
//! a job wrote, what was typed into it, and the values of its environment.
//!
//! There is no thread and no queue: a line is one write to a file. Logging never fails or waits; if the
//! disk is full, the line is lost and the process continues.

mod file;
pub mod reader;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt;
use std::panic::PanicHookInfo;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

use crate::config::LogLevel;
use crate::sys::clock;
use crate::sys::paths::Home;
use crate::sys::role::ProcessRole;
use file::RotatedFile;

/// Starts logging to the file of `process`, to which its parent has redirected stderr.
pub fn start(home: &Home, process: ProcessRole, configured: Option<LogLevel>) {
    let asked = LogLevel::asked();
    let named = LogLevel::parse(&asked);
    let level = filter(named.or(configured).unwrap_or_default());
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_timer(Wall)
        .with_target(false)
        .with_ansi(false)
        .log_internal_errors(false)
        .with_writer(RotatedFile::on_stderr(
            home.diagnostics(process),
            home.older_diagnostics(process),
        ))
        .finish();
    // Fails only if a subscriber was already set.
    let _ = tracing::subscriber::set_global_default(subscriber);
    std::panic::set_hook(Box::new(report_panic));
    if !asked.is_empty() && named.is_none() {
        let name = LogLevel::VARIABLE;
        tracing::warn!("{name} is not a log level; using {level}");
    }
}

fn filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    }
}

/// Prefixes each line with the wall-clock time.
struct Wall;

impl FormatTime for Wall {
    fn format_time(&self, to: &mut Writer<'_>) -> fmt::Result {
        write!(to, "{}", clock::wall())
    }
}

fn report_panic(info: &PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let payload = info.payload();
    let said = payload.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| payload.downcast_ref::<&str>().copied());
    let why = said.map(without_quotations).unwrap_or_default();
    let trace = Backtrace::capture();
    match trace.status() {
        BacktraceStatus::Captured => tracing::error!(place, "panic: {why}\n{trace}"),
        _ => tracing::error!(place, "panic: {why}"),
    }
}

/// The message up to its first quotation mark. The standard library quotes the text that was being sliced,
/// which may be what a job wrote or a person typed.
fn without_quotations(message: &str) -> &str {
    let end = message.find(['`', '\'', '"']);
    message[..end.unwrap_or(message.len())].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_message_is_cut_before_quoted_text() {
        let said =
            "byte index 1 is not a char boundary; it is inside 'ä' (bytes 0..2) of `äsecret`";
        assert_eq!(
            without_quotations(said),
            "byte index 1 is not a char boundary; it is inside"
        );
        assert_eq!(
            without_quotations("attempt to subtract"),
            "attempt to subtract"
        );
    }
}
