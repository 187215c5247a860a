//! Tests of jobs that are gone, and of replies that cannot be read.

use serde_json::json;

use super::harness::Dash;
use super::jobs::{NOW, id, shop_records};
use crate::protocol::EventKind;
use crate::tui::message::{LinkEvent, RequestKind};
use crate::tui::model::card::Card;
use crate::tui::model::spark::Spark;
use crate::tui::scrollback::Part;

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

/// A view in which `keys` are pressed on the job web, and its logs have arrived.
fn in_mode(keys: &str) -> Dash {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("j").screen("web", 40, 120, "hello");
    if keys == "=" {
        dash.model.list.marked.extend([id("web"), id("api")]);
    }
    dash.press(keys).later(200);
    dash.log("web", Part::First, b"one\r\ntwo\r\n", 0);
    let found = |offset: u64| {
        let line = json!({"n": 1, "offset": offset, "text": "error", "before": [], "after": []});
        json!({"matches": [line], "firstLine": 1, "totalLines": 9, "truncated": false})
    };
    for name in ["migrate", "web", "api"] {
        let tag = RequestKind::Found(id(name), 1);
        dash.link(LinkEvent::Reply(tag, Ok(found(7))));
    }
    dash
}

/// Tells a view that web is gone: by an event, or by a list without it.
fn remove_web(dash: &mut Dash, by_event: bool) {
    if by_event {
        dash.event(EventKind::Removed, "web", json!({}));
    } else {
        let mut left = shop_records();
        left.retain(|job| job.summary.session_id != id("web"));
        dash.list(left);
    }
}

#[test]
fn a_mode_learns_that_its_job_is_gone_by_an_event_and_by_the_list() {
    for by_event in [true, false] {
        for (keys, name) in [("s", "SCROLL"), ("I", "DETAILS"), ("=", "COMPARE")] {
            let mut dash = in_mode(keys);
            let what = format!("{name}, by an event: {by_event}");
            assert_eq!(dash.model.mode().name(), name);
            remove_web(&mut dash, by_event);
            assert!(dash.model.is_normal(), "{what}");
            assert!(dash.model.pane.scroll.is_none(), "{what}");
            assert!(!dash.model.frame.open, "{what}");
            let text = dash.text();
            assert!(text.contains("web was removed."), "{what}: {text}");
        }
        // What is still typed for a job would be commands in NORMAL.
        let mut dash = in_mode("i");
        remove_web(&mut dash, by_event);
        assert_eq!(dash.model.mode().name(), "INSERT", "{by_event}");
        dash.press("x");
        assert!(dash.text().contains("web was removed; ctrl-] leaves."));
        let mut dash = in_mode("Ferror");
        dash.press("\x1b[B\x1b[B");
        assert!(dash.status().contains("[3/3]"), "{}", dash.status());
        remove_web(&mut dash, by_event);
        assert!(dash.status().contains("[2/2]"), "{}", dash.status());
        assert!(!dash.text().contains("web:1"), "{}", dash.text());
        dash.press("\r");
        assert_eq!(dash.model.current_id(), Some(&id("api")));
    }
}
