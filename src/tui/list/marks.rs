//! The marks at the end of a row: other facts about a job, in a few columns.

use crate::tui::model::Model;
use crate::tui::model::job::Job;
use crate::tui::text;

/// As many marks as fit `room`, the more urgent first: `∗` marked, `⇡` an agent is typing, `T` the
/// keyboard is held, `A` started by an agent, `↻3` restarts, `+9` unseen lines.
pub(super) fn marks(model: &Model, job: &Job, room: usize) -> String {
    let theme = &model.theme;
    let mut marks = Vec::new();
    if model.list.marked.contains(job.id()) {
        marks.push(theme.glyph("∗").to_owned());
    }
    if model.keyboards.agent_types(job.id()) {
        marks.push(theme.glyph("⇡").to_owned());
    }
    if model.holds_keyboard(job.id()) {
        marks.push("T".to_owned());
    }
    if job.is_agents() {
        marks.push("A".to_owned());
    }
    let unseen = model.unseen(job);
    let restarts = job.record.summary.restarts;
    let restarts = (restarts > 0).then(|| format!("{}{restarts}", theme.glyph("↻")));
    let width = |marks: &[String], gap: usize| -> usize {
        let widths: usize = marks.iter().map(|mark| text::width(mark) + gap).sum();
        widths.saturating_sub(gap)
    };
    // The details of the job tell its restarts, too; only the row tells what is new.
    let taken = width(&marks, 0) + text::width(&unseen);
    let fits = |mark: &String| unseen.is_empty() || taken + text::width(mark) <= room;
    marks.extend(restarts.filter(fits));
    // Output that nobody has seen always shows: as a plus, if there is no room for its number.
    let mut all = marks.clone();
    if !unseen.is_empty() {
        all.push(unseen.clone());
    }
    if width(&all, 0) > room && !unseen.is_empty() {
        while !marks.is_empty() && width(&marks, 0) + 1 > room {
            marks.pop();
        }
        all = marks;
        let number = width(&all, 0) + text::width(&unseen) <= room;
        all.push(if number { unseen } else { "+".to_owned() });
    }
    while width(&all, 0) > room && !all.is_empty() {
        all.pop();
    }
    // If there is little room, omit the blanks between marks.
    all.join(if width(&all, 1) <= room { " " } else { "" })
}
