//! Tracks what the person sees: the jobs whose screens are shown while the terminal has the focus.

use crate::protocol::SessionId;
use crate::tui::model::Model;

/// After each message: jobs that came into view are being seen, jobs that left it have been seen.
pub(super) fn reconcile(model: &mut Model) {
    let now = model.now.ms;
    if !model.focused {
        close(model);
        return;
    }
    let shown = shown(model);
    let gone: Vec<SessionId> = model
        .seen
        .in_view()
        .filter(|id| !shown.contains(id))
        .cloned()
        .collect();
    for id in gone {
        match lines(model, &id) {
            Some(lines) => model.seen.end(&id, lines, now),
            None => model.seen.forget(&id),
        }
    }
    for id in shown {
        if let Some(lines) = lines(model, &id) {
            model.seen.begin(&id, lines, now);
        }
    }
}

/// The terminal loses the focus or the view closes: what is shown counts as seen, however briefly.
pub(in crate::tui) fn close(model: &mut Model) {
    let mut looks = std::mem::take(&mut model.seen);
    looks.end_all(|id| lines(model, id), model.now.ms);
    model.seen = looks;
}

/// With the first list, in the first view ever: all present output counts as seen.
pub(super) fn first(model: &mut Model) {
    let now = model.now.ms;
    for job in &model.jobs {
        let lines = job.record.summary.output_lines;
        model.seen.begin_at(job.id(), lines, now);
    }
}

/// The jobs whose screens are shown.
fn shown(model: &Model) -> Vec<SessionId> {
    let screens = model.watches.iter().filter(|watch| watch.problem.is_none());
    screens.map(|watch| watch.id.clone()).collect()
}

fn lines(model: &Model, id: &SessionId) -> Option<u64> {
    model.job(id).map(|job| job.record.summary.output_lines)
}
