//! The marks at the end of a row: other facts about a job, in a few columns.

use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::text;

/// As many marks as fit `room`, the more urgent first: `∗` marked, `⇡` an agent is typing, `T` the
/// keyboard is held, `A` started by an agent, `↻3` restarts, `+9` unseen lines.
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
        // If there is no room for the number, show only a plus.
        let alone = marks.is_empty() && text::width(&unseen) > room;
        marks.push(if alone { "+".to_owned() } else { unseen });
    }
    // If there is little room, omit the blanks between marks.
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
