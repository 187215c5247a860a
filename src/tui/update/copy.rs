//! What is copied, and how it is said.

use super::msg::{Cmd, Errand};
use crate::tui::model::Model;
use crate::tui::units;

/// Copies the report of a job that failed: what one would write to somebody who is asked for help.
pub(super) fn report(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let Some(job) = model.current() else {
        model.note("There is no job to report on.");
        return;
    };
    let name = job.name.clone();
    if !job.state().failed() {
        model.note(format!(
            "{name} has not failed. Y copies the report of a job that did."
        ));
        return;
    }
    let card = model.cards.get(job.id());
    let Some(card) = card.filter(|card| card.output.is_some()) else {
        model.note("The report is not there yet. Y again copies it.");
        return;
    };
    let took = i64::try_from(job.record.summary.runtime_ms).unwrap_or(i64::MAX);
    let mut lines = vec![
        format!("{name} failed: {}", card.how(&job.record)),
        format!("command: {}", job.command),
        format!("directory: {}", job.record.summary.cwd),
        format!("ran: {}", units::took(took)),
    ];
    if let Some(run) = &card.run {
        lines.push(format!("started: {}", run.started_at));
    }
    lines.extend(card.compared());
    lines.extend(
        card.error
            .as_ref()
            .map(|line| format!("first error: {line}")),
    );
    lines.push("last lines:".to_owned());
    lines.extend(card.tail().iter().map(|line| format!("  {line}")));
    let text = lines.join("\n") + "\n";
    let what = format!("the report of {name}");
    cmds.push(Cmd::Errand(Errand::Copy(text, what)));
}
