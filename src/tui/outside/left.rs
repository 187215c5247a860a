//! Keeps how the list was left, from one view to the next.

use crate::client::host;
use crate::protocol::SessionId;
use crate::recall::list_view::{self, ListView};
use crate::tui::model::group_key::GroupKey;
use crate::tui::model::{Attached, Model, Selected};

/// Loads how the last view has left the list.
pub fn recall(model: &mut Model) {
    let Some(view) = list_view::recall(host::name()) else {
        return;
    };
    model.list.remembered = selected(&view);
    model.list.width = view.width;
    let folded = view.folded.iter();
    model.list.folded = folded.filter_map(|key| GroupKey::parse(key)).collect();
}

/// What was selected.
fn selected(view: &ListView) -> Selected {
    let job = view.job.as_deref().and_then(SessionId::parse_any);
    let group = view.group.as_deref().and_then(GroupKey::parse);
    match (job, group) {
        (Some(id), _) => Selected::Job(id),
        (None, Some(key)) => Selected::Group(key),
        (None, None) => Selected::Nothing,
    }
}

/// Saves how this view leaves the list. A view of a single job has not shown it.
pub fn keep(model: &Model) {
    if model.attached != Attached::No || !model.daemon.listed {
        return;
    }
    let (job, group) = match &model.list.selected {
        Selected::Nothing => (None, None),
        Selected::Job(id) => (Some(id.to_string()), None),
        Selected::Group(key) => (None, Some(key.to_string())),
    };
    list_view::remember(
        ListView {
            width: model.list.width,
            folded: model.list.folded.iter().map(GroupKey::to_string).collect(),
            job,
            group,
        },
        host::name(),
    );
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_job_of_a_host_is_selected_again() {
        let far = SessionId::parse("abcdefghijkl")
            .unwrap()
            .at("gpu1")
            .unwrap();
        let view = ListView {
            job: Some(far.to_string()),
            ..ListView::default()
        };
        assert_eq!(selected(&view), Selected::Job(far));
    }
}
