//! The screen as it was: stepping, playing, and the way back.

use serde_json::json;

use super::harness::Dash;
use super::jobs::{NOW, id, shop_records};
use crate::protocol::Action as Request;
use crate::protocol::Timestamp;
use crate::protocol::params::Capture;
use crate::tui::model::scroll::Part;
use crate::tui::update::{Cmd, News, Tag};

const SECOND: i64 = 1000;

/// In SCROLL on `web`, with its log there.
fn scrolled(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("j").screen("web", 40, 120, "now");
    dash.press("s")
        .log("web", Part::First, b"one\r\ntwo\r\n", 0);
    dash.asked();
    dash
}

/// What was asked of the past since the last look.
fn asked(dash: &mut Dash) -> Vec<Capture> {
    let cmds = dash.asked();
    let captures = cmds.into_iter().filter_map(|cmd| match cmd {
        Cmd::Ask(Tag::Past(_), Request::Capture(capture)) => Some(capture),
        _ => None,
    });
    captures.collect()
}

/// Answers with a screen of `ago` seconds ago, and says whether there is something before and after.
fn past(dash: &mut Dash, text: &str, ago: i64, before: bool, after: Option<i64>) {
    let at = |ago: i64| Timestamp(NOW - ago * SECOND).to_string();
    let answer = json!({
        "text": text, "rows": 40, "cols": 120, "scrollback": 0, "altScreen": false, "title": null,
        "cursor": {"row": 0, "col": 0, "visible": true, "shape": "block"}, "screenSeq": 1, "changed": true,
        "moment": {
            "offset": 4096, "at": at(ago), "previous": before.then_some(4000),
            "next": after.map(|_| 5000), "nextAt": after.map(at),
        },
    });
    dash.link(News::Reply(Tag::Past(id("web")), Ok(answer)));
}

#[test]
fn a_step_back_shows_what_was_there_before_the_last_thing_happened() {
    let mut dash = scrolled(80, 24);
    dash.press("<");
    assert_eq!(asked(&mut dash)[0].at_offset, Some(1_258_291));
    past(&mut dash, "now", 1, true, None);
    assert_eq!(asked(&mut dash)[0].at_offset, Some(4000));
    past(
        &mut dash,
        "\x1b[32mgreen\x1b[m then\nsecond row",
        75,
        true,
        Some(1),
    );
    dash.snapshot("rewind-80x24");
    // One question at a time, however fast the key repeats.
    dash.press("<").press("<").press("<");
    assert_eq!(asked(&mut dash).len(), 1);
    past(&mut dash, "first", 80, false, Some(75));
    assert!(dash.status().contains("the beginning"), "{}", dash.status());
    dash.press("<");
    assert!(dash.text().contains("There is nothing before this."));
    dash.press(">");
    assert_eq!(asked(&mut dash)[0].at_offset, Some(5000));
}

#[test]
fn the_past_fits_a_small_window() {
    let mut dash = scrolled(40, 12);
    dash.press("<");
    past(&mut dash, "now", 1, true, None);
    past(&mut dash, "then", 75, true, Some(1));
    dash.snapshot("rewind-40x12");
}

#[test]
fn the_way_back_leads_to_the_log_and_to_now() {
    let mut dash = scrolled(80, 24);
    dash.press("<");
    past(&mut dash, "now", 1, true, None);
    past(&mut dash, "then", 75, true, Some(1));
    dash.press("\x1b");
    assert!(dash.model.past().is_none());
    assert!(dash.status().starts_with(" SCROLL "));
    assert!(dash.text().contains("two"));
    dash.press("<");
    past(&mut dash, "now", 1, true, None);
    dash.press("G");
    assert!(dash.status().starts_with(" NORMAL "));
    assert!(dash.model.rewind.is_none());
}

#[test]
fn it_plays_at_its_own_pace_and_wakes_nobody_when_it_stands() {
    let mut dash = scrolled(80, 24);
    dash.press("<");
    past(&mut dash, "now", 1, true, None);
    past(&mut dash, "then", 75, true, Some(74));
    asked(&mut dash);
    dash.press(" ");
    assert!(dash.status().contains("playing 1x"), "{}", dash.status());
    dash.later(900);
    assert_eq!(asked(&mut dash), []);
    dash.later(200);
    let shown = asked(&mut dash)[0].at_time.clone();
    let shown = Timestamp::parse(&shown.unwrap()).unwrap().millis();
    assert!((NOW - 74 * SECOND..NOW - 73 * SECOND).contains(&shown));
    // The end: nothing follows, and it stands.
    past(&mut dash, "end", 74, true, None);
    assert!(!dash.status().contains("playing"));
    dash.press("+").press("+");
    assert!(dash.status().contains("4x"), "{}", dash.status());
}

#[test]
fn a_past_that_cannot_be_had_says_so() {
    let mut dash = scrolled(80, 24);
    dash.press("<");
    let error = crate::protocol::Error::internal("the log is gone");
    dash.link(News::Reply(Tag::Past(id("web")), Err(error)));
    assert!(dash.text().contains("The past of web cannot be shown"));
    assert!(dash.model.past().is_none());
}

#[test]
fn another_daemon_is_asked_for_what_did_not_come() {
    let mut dash = scrolled(80, 24);
    dash.press("<");
    let first = asked(&mut dash);
    dash.link(News::Down).link(News::Up);
    assert_eq!(asked(&mut dash), first);
    past(&mut dash, "now", 1, true, None);
    past(&mut dash, "then", 75, true, Some(1));
    // A step that was on its way does not lock the keys.
    dash.press("<").link(News::Down).link(News::Up);
    asked(&mut dash);
    dash.press("<");
    assert_eq!(asked(&mut dash).len(), 1);
    past(&mut dash, "then", 75, true, Some(1));
    // Playing goes on.
    dash.press(" ").later(2000);
    assert_eq!(asked(&mut dash).len(), 1);
    dash.link(News::Down).later(1000).link(News::Up);
    assert_eq!(asked(&mut dash).len(), 1);
}
