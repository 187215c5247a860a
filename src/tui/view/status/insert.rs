//! The status line of INSERT: where keys go, and the key that leaves.

use super::super::bar::Bar;
use super::super::hints::{self};
use super::super::pane;
use super::{add_hint, begin, beside, job_items, who_types};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::model::mode::Mode;
use crate::tui::state::State;
use crate::tui::text;
use ratatui::layout::Rect;
use ratatui::text::Span;

pub(super) fn bar(model: &Model, area: Rect) -> Bar {
    let theme = &model.theme;
    let wide = area.width >= 60;
    let mut bar = super::bar(model, area);
    let leave = hints::hint(model, Place::Insert, Action::Leave);
    if let Mode::Insert(typing) = &model.mode
        && !typing.also.is_empty()
    {
        let ids = typing.jobs();
        let names: Vec<String> = ids.iter().map(|id| model.name_of(id)).collect();
        let mode = model.mode.name();
        bar = begin(
            model,
            area,
            &format!("{mode}  TYPING INTO {} JOBS", ids.len()),
        );
        let room = usize::from(area.width).saturating_sub(50).max(8);
        let names = text::clip(&names.join(", "), room, theme.glyph("…"));
        bar.text(2, names, theme.strong());
        if let Some(hint) = leave {
            bar.right(0, hints::spans(model, hint));
        }
        return bar;
    }
    match model.current() {
        Some(job) if job.is_alive() => {
            job_items(model, job, &mut bar, wide);
            let asked = model.layout().title.is_none();
            let asked = asked.then(|| pane::question(model, beside(area)));
            match asked.flatten() {
                Some(question) => bar.text(1, question, theme.state(&State::Asked)),
                None => match who_types(model) {
                    Some(words) => {
                        bar.right(
                            2,
                            vec![Span::styled(words, theme.state(&State::NeedsInput))],
                        );
                    }
                    None => bar.right(2, vec![Span::styled("keys go to the job", theme.dim())]),
                },
            }
        }
        Some(job) => {
            let name = text::clip_middle(&job.name, 24, theme.glyph("…"));
            let how = match job.state() {
                State::Done => "0".to_owned(),
                State::Failed(code) => code.to_string(),
                other => other.word(),
            };
            let words = format!("{name} has exited ({how}).");
            bar.text(0, words, theme.state(&job.state()));
            let restart = hints::hint(model, Place::Normal, Action::Restart);
            add_hint(model, &mut bar, 2, restart);
        }
        None => {}
    }
    if let Some(hint) = leave {
        bar.right(0, hints::spans(model, hint));
    }
    bar
}
