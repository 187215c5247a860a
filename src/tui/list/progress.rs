//! The progress that a program reports, in the row of its job.

use ratatui::style::Style;

use crate::protocol::terminal_progress::{ProgressState, TerminalProgress};
use crate::tui::model::job::Job;
use crate::tui::state::State;
use crate::tui::theme::Theme;

/// The figure; empty if the program reports none.
pub(super) fn words(job: &Job) -> Vec<String> {
    let figure = percent(job).map(|percent| format!("{percent}%"));
    figure.into_iter().collect()
}

/// A bar of so many cells.
pub(super) fn bar(job: &Job, cells: usize, ascii: bool) -> Option<String> {
    let (full, empty) = if ascii { ("#", "-") } else { ("▰", "▱") };
    let done = usize::from(percent(job)?) * cells / 100;
    Some(full.repeat(done) + &empty.repeat(cells - done))
}

fn percent(job: &Job) -> Option<u8> {
    job.record.summary.progress?.percent
}

/// The style of the words.
pub(super) fn style(progress: TerminalProgress, theme: &Theme) -> Style {
    match progress.state {
        ProgressState::Running => theme.state(&State::Running),
        ProgressState::Error => theme.state(&State::Failed(1)),
        ProgressState::Paused => theme.state(&State::Paused),
    }
}
