//! Tests of taking the keyboard from agents, and of agents that type.

use serde_json::json;

use super::harness::Dash;
use super::jobs::{ended, id, record, shop_records};
use crate::protocol::status::InputState;
use crate::protocol::{Action, EventKind, Status};
use crate::tui::message::{Cmd, LinkEvent, RequestKind};

fn shop(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("2");
    dash.asked();
    dash
}

fn held(dash: &mut Dash) -> Vec<bool> {
    let cmds = dash.asked().into_iter();
    cmds.filter_map(|cmd| match cmd {
        Cmd::Request(RequestKind::Hold(..), Action::Hold(hold)) => Some(hold.on),
        _ => None,
    })
    .collect()
}

#[test]
fn takes_and_returns_a_keyboard() {
    let mut dash = shop(80, 24);
    dash.press("T");
    assert_eq!(held(&mut dash), [true]);
    dash.link(LinkEvent::Reply(
        RequestKind::Hold(id("web"), true),
        Ok(json!({})),
    ));
    dash.later(6000);
    dash.snapshot("keyboard-held-80x24");
    // A new daemon gets the request again.
    dash.link(LinkEvent::Down).link(LinkEvent::Up);
    assert_eq!(held(&mut dash), [true]);
    // So does the next run.
    dash.event(EventKind::Restarted, "web", json!({}));
    assert_eq!(held(&mut dash), [true]);
    dash.press("T");
    assert_eq!(held(&mut dash), [false]);
    dash.link(LinkEvent::Reply(
        RequestKind::Hold(id("web"), false),
        Ok(json!({})),
    ));
    assert!(!dash.status().contains("you hold the keyboard"));
}

#[test]
fn who_holds_the_keyboard_leaves_room_for_the_state() {
    let mut web = record("web");
    web.summary.input_state = InputState::Line;
    let mut dash = Dash::new(40, 12, vec![web]);
    dash.link(LinkEvent::Reply(
        RequestKind::Hold(id("web"), true),
        Ok(json!({})),
    ));
    let status = dash.status();
    assert!(status.contains("web ? input"), "{status}");
    assert!(status.contains("held by you"), "{status}");
}

#[test]
fn the_end_of_a_job_releases_its_keyboard() {
    let mut dash = shop(80, 24);
    dash.link(LinkEvent::Reply(
        RequestKind::Hold(id("web"), true),
        Ok(json!({})),
    ));
    dash.record(&ended("web", Status::Done, Some(0), 0));
    let row = |dash: &Dash| {
        let text = dash.text();
        let mut rows = text.lines().filter_map(|line| line.split('│').next());
        let row = rows.find(|row| row.contains(" web "));
        row.unwrap_or_default().to_owned()
    };
    assert!(!row(&dash).contains('T'), "{}", dash.text());
    dash.asked();
    dash.link(LinkEvent::Down).link(LinkEvent::Up);
    assert_eq!(held(&mut dash), [false; 0]);
    dash.press("T");
    assert!(dash.text().contains("takes no input"));
    // The next run gets it again, also if the event was missed.
    dash.event(EventKind::Restarted, "web", json!({}));
    assert_eq!(held(&mut dash), [true]);
    dash.record(&record("web"));
    assert!(row(&dash).contains('T'), "{}", dash.text());
    dash.record(&ended("web", Status::Done, Some(0), 0));
    dash.asked();
    dash.list(shop_records());
    assert_eq!(held(&mut dash), [true]);
    // A job that is removed is forgotten.
    dash.event(EventKind::Removed, "web", json!({}));
    dash.event(EventKind::Restarted, "web", json!({}));
    assert_eq!(held(&mut dash), [false; 0]);
}

#[test]
fn shows_a_typing_agent_for_two_seconds() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = shop(width, height);
        dash.event(EventKind::AgentInput, "web", json!({"by": "builder"}));
        dash.snapshot(&format!("agent-types-{width}x{height}"));
        let due = dash.model.next_due().unwrap();
        assert!(due <= dash.model.now.ms + 2000);
        dash.later(2100);
        assert!(!dash.text().contains("is typing"));
    }
    let mut dash = shop(80, 24);
    dash.event(EventKind::AgentInput, "web", json!({"by": "builder"}));
    dash.press("x");
    assert!(
        dash.status().contains("builder is typing"),
        "{}",
        dash.status()
    );
    dash.press("ni");
    assert!(
        dash.status().contains("builder is typing"),
        "{}",
        dash.status()
    );
}
