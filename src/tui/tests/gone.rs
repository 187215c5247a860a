//! Tests of jobs that are gone, and of replies that cannot be read.

use serde_json::json;

use super::harness::Dash;
use super::jobs::{NOW, id, shop_records};
use crate::protocol::EventKind;
use crate::tui::message::{LinkEvent, RequestKind};
use crate::tui::model::card::Card;
use crate::tui::model::spark::Spark;

#[test]
fn a_job_that_vanished_meanwhile_is_forgotten_like_one_that_was_removed() {
    let web = id("web");
    for by_event in [true, false] {
        let mut dash = Dash::new(80, 24, shop_records());
        dash.press("j j").asked();
        let model = &mut dash.model;
        assert!(model.list.marked.contains(&web));
        model.cards.insert(web.clone(), Card::default());
        model.survivors.insert(web.clone(), vec![1]);
        model.sparks.insert(web.clone(), Spark::default());
        model.seen.begin_at(&web, 1, NOW);
        model.keyboards.held.insert(web.clone());
        model.keyboards.agent_typed(web.clone(), None, NOW + 60_000);
        model.runs.ask(&web, 2);
        model.list.previous = Some(web.clone());
        if by_event {
            dash.event(EventKind::Removed, "web", json!({}));
        } else {
            let mut left = shop_records();
            left.retain(|job| job.summary.session_id != web);
            dash.list(left);
        }
        let model = &mut dash.model;
        let kept = [
            ("mark", model.list.marked.contains(&web)),
            ("card", model.cards.contains_key(&web)),
            ("survivors", model.survivors.contains_key(&web)),
            ("spark", model.sparks.contains_key(&web)),
            ("seen", model.seen.seen().contains_key(&web)),
            ("held", model.keyboards.held.contains(&web)),
            ("typing", model.keyboards.agent_types(&web)),
            ("runs", !model.runs.ask(&web, 2)),
            ("previous", model.list.previous == Some(web.clone())),
        ];
        let kept = kept.into_iter().filter(|(_, is_kept)| *is_kept);
        let kept: Vec<&str> = kept.map(|(what, _)| what).collect();
        assert_eq!(kept, [""; 0], "by an event: {by_event}");
    }
}

#[test]
fn a_reply_that_cannot_be_read_is_no_news_of_the_job() {
    for tag in [
        RequestKind::Sent(id("web"), "HUP"),
        RequestKind::Record(id("web")),
        RequestKind::Restart(id("web")),
        RequestKind::Kill(id("web"), false),
    ] {
        let mut dash = Dash::new(120, 40, shop_records());
        dash.link(LinkEvent::Reply(tag.clone(), Ok(json!({}))));
        let text = dash.text();
        let said = "The reply about web could not be read";
        assert!(text.contains(said), "{tag:?}: {text}");
        assert!(!text.contains("reached no process"), "{text}");
    }
}
