//! The marks at the end of a row: what else there is to know about a job, in a few columns.

use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::text;

/// As many marks as fit `room`, the more urgent first: `∗` marked, `⇡` an agent types, `T` the
/// keyboard is held, `A` an agent's job, `↻3` restarted, `+9` lines that nobody
/// has seen.
pub(super) fn marks(model: &Model, job: &Job, room: usize) -> String {
    let theme = &model.theme;
    let mut marks = Vec::new();
    if model.marked.contains(job.id()) {
        marks.push(theme.glyph("∗").to_owned());
    }
    if model.keyboards.agent_types(job.id()) {
        marks.push(theme.glyph("⇡").to_owned());
    }
    if model.keyboards.held.contains(job.id()) {
        marks.push("T".to_owned());
    }
    if job.is_agents() {
        marks.push("A".to_owned());
    }
    let restarts = job.record.summary.restarts;
    if restarts > 0 {
        marks.push(format!("{}{restarts}", theme.glyph("↻")));
    }
    let unseen = model.unseen(job);
    if !unseen.is_empty() {
        // A plus by itself says that something is new where there is no room for how much.
        let alone = marks.is_empty() && text::width(&unseen) > room;
        marks.push(if alone { "+".to_owned() } else { unseen });
    }
    // Where there is little room they stand close.
    let widths: usize = marks.iter().map(|mark| text::width(mark) + 1).sum();
    let gap = if widths <= room + 1 { " " } else { "" };
    let mut text = String::new();
    for mark in marks {
        let gap = if text.is_empty() { "" } else { gap };
        if text::width(&text) + gap.len() + text::width(&mark) <= room {
            text.push_str(gap);
            text.push_str(&mark);
        }
    }
    text
}
