//! Tests of the past screen: stepping, playing, and returning.

use serde_json::json;

use crate::protocol::Action as Request;
use crate::protocol::Timestamp;
use crate::protocol::params::Capture;
use crate::tui::message::{Cmd, Exit, LinkEvent, RequestKind};
use crate::tui::options::{Options, Replay};
use crate::tui::pane::{Shown, how_shown};
use crate::tui::scrollback::Part;
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{NOW, id, shop_records};

const SECOND: i64 = 1000;

/// In SCROLL on `web`, with its log loaded.
fn scrolled(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("j").screen("web", 40, 120, "now");
    dash.press("s")
        .log("web", Part::First, b"one\r\ntwo\r\n", 0);
    dash.asked();
    dash
}

/// Requests for past screens since the last call.
fn asked(dash: &mut Dash) -> Vec<Capture> {
    let cmds = dash.asked();
    let captures = cmds.into_iter().filter_map(|cmd| match cmd {
        Cmd::Request(RequestKind::Past(_), Request::Capture(capture)) => Some(capture),
        _ => None,
    });
    captures.collect()
}

/// Replies with a screen of `ago` seconds ago; `before` and `after` tell whether there are changes
/// before and after it.
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
    dash.link(LinkEvent::Reply(RequestKind::Past(id("web")), Ok(answer)));
}

#[test]
fn a_step_back_shows_the_screen_before_the_last_change() {
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
    // One request at a time, however fast the key repeats.
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
fn a_full_screen_job_opens_on_its_past_with_a_time_bar() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut records = shop_records();
        records[0].alt_screen = true;
        let mut dash = Dash::new(width, height, records);
        dash.press("j").screen("web", 40, 120, "\x1b[?1049hmenu");
        let run = |run: u32, ago: i64| {
            let at = Timestamp(NOW - ago * SECOND).to_string();
            let run = json!({"run": run, "offset": 100 * run, "startedAt": at, "firstLine": 1});
            serde_json::from_value(run).unwrap()
        };
        let runs = vec![run(1, 7000), run(2, 1800)];
        dash.model.runs.store(&id("web"), runs);
        dash.asked();
        dash.press("s");
        let first = asked(&mut dash);
        assert_eq!(first[0].at_offset, Some(1_258_291));
        dash.log("web", Part::First, b"\x1b[?1049h\x1b[H\x1b[3mnoise", 0);
        past(&mut dash, "menu", 1, true, None);
        assert_eq!(asked(&mut dash), [], "it stays at the present");
        dash.press("-").press("-").press("-");
        dash.press("\x15");
        let at = asked(&mut dash)[0].at_time.clone();
        let hour = NOW - 3_601 * SECOND;
        assert_eq!(at, Some(Timestamp(hour).to_string()));
        past(&mut dash, "an hour ago", 3601, true, Some(3000));
        dash.snapshot(&format!("time-bar-{width}x{height}"));
        dash.press("+").press("+");
        assert!(dash.text().contains('…'), "{}", dash.text());
        // Text of the screen can be selected, and one key goes back to the live screen.
        dash.press("v");
        assert!(dash.model.pane.rewind.is_none());
        let scroll = dash.model.pane.scroll.as_ref().unwrap();
        assert!(scroll.selection.is_some() && scroll.is_still);
        assert_eq!(how_shown(&dash.model), Shown::AsItWas, "not the present");
        dash.press("\x1b").press("\x1bs");
        past(&mut dash, "menu", 1, true, None);
        dash.press("\x1b");
        assert!(dash.model.is_normal());
    }
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
fn leaving_the_past_returns_to_the_log_and_then_live() {
    let mut dash = scrolled(80, 24);
    dash.press("<");
    past(&mut dash, "now", 1, true, None);
    past(&mut dash, "then", 75, true, Some(1));
    dash.press("\x1b");
    assert!(dash.model.pane.rewind.is_none());
    assert!(dash.status().starts_with(" SCROLL "));
    assert!(dash.text().contains("two"));
    dash.press("<");
    past(&mut dash, "now", 1, true, None);
    dash.press("G");
    assert!(dash.status().starts_with(" NORMAL "));
    assert!(dash.model.pane.rewind.is_none());
}

#[test]
fn plays_at_its_own_pace_without_wakeups_while_paused() {
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
    // At the end nothing follows, so the playback stops.
    past(&mut dash, "end", 74, true, None);
    assert!(!dash.status().contains("playing"));
    dash.press("]").press("]");
    assert!(dash.status().contains("4x"), "{}", dash.status());
}

#[test]
fn reports_an_unavailable_past() {
    let mut dash = scrolled(80, 24);
    dash.press("<");
    let error = crate::protocol::Error::internal("the log is gone");
    dash.link(LinkEvent::Reply(RequestKind::Past(id("web")), Err(error)));
    assert!(dash.text().contains("The past of web cannot be shown"));
    assert!(dash.model.pane.rewind.is_none());
}

#[test]
fn repeats_lost_requests_after_a_reconnect() {
    let mut dash = scrolled(80, 24);
    dash.press("<");
    let first = asked(&mut dash);
    dash.link(LinkEvent::Down).link(LinkEvent::Up);
    assert_eq!(asked(&mut dash), first);
    past(&mut dash, "now", 1, true, None);
    past(&mut dash, "then", 75, true, Some(1));
    // A pending step does not block the keys after a reconnect.
    dash.press("<").link(LinkEvent::Down).link(LinkEvent::Up);
    asked(&mut dash);
    dash.press("<");
    assert_eq!(asked(&mut dash).len(), 1);
    past(&mut dash, "then", 75, true, Some(1));
    // The playback continues.
    dash.press(" ").later(2000);
    assert_eq!(asked(&mut dash).len(), 1);
    dash.link(LinkEvent::Down).later(1000).link(LinkEvent::Up);
    assert_eq!(asked(&mut dash).len(), 1);
}

#[test]
fn a_row_that_is_wider_than_the_pane_is_marked() {
    let mut dash = scrolled(80, 24);
    dash.press("<");
    past(
        &mut dash,
        &format!("{}\nshort", "x".repeat(113)),
        5,
        true,
        None,
    );
    past(
        &mut dash,
        &format!("{}\nshort", "x".repeat(113)),
        75,
        true,
        Some(5),
    );
    let text = dash.text();
    assert!(text.lines().any(|row| row.ends_with("xx…")), "{text}");
    assert!(text.lines().any(|row| row.ends_with("short")), "{text}");
}

#[test]
fn every_key_that_leaves_a_replay_closes_the_view_that_was_opened_for_it() {
    for keys in ["\x1b", "q", "G", "\x1d"] {
        let replay = Replay {
            from_ms: None,
            speed: 1.0,
        };
        let options = Options {
            job: Some(id("web").to_string()),
            replay: Some(replay),
            ..Options::default()
        };
        let mut dash = Dash::with(options, 80, 24, shop_records());
        past(&mut dash, "first", 80, false, Some(75));
        dash.asked();
        assert!(dash.model.pane.rewind.is_some());
        dash.press(keys);
        assert!(
            dash.asked().contains(&Cmd::Quit(Exit::Silent)),
            "{keys:?}: {}",
            dash.status()
        );
    }
}

#[test]
fn the_last_screen_of_an_ended_job_is_its_end() {
    let mut records = shop_records();
    records[0] =
        crate::tui::tests::jobs::ended("web", crate::protocol::Status::Done, Some(0), 60_000);
    let mut dash = Dash::new(120, 24, records);
    crate::tui::list::select::job(&mut dash.model, &id("web"));
    dash.press("s").log("web", Part::First, b"one\r\n", 0);
    dash.press("<");
    past(&mut dash, "last", 61, true, None);
    assert!(dash.status().contains("the end"), "{}", dash.status());
    past(&mut dash, "before", 70, true, Some(61));
    dash.press(">");
    past(&mut dash, "last", 61, true, None);
    dash.press(">");
    assert!(
        dash.text().contains("This is how it ended."),
        "{}",
        dash.text()
    );
}

#[test]
fn a_replay_from_normal_leads_back_there() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("j")
        .press(":replay\r")
        .log("web", Part::First, b"one\r\n", 0);
    past(&mut dash, "first", 75, false, Some(1));
    assert!(!dash.text().contains("back to text"), "{}", dash.text());
    assert!(dash.text().contains("esc leave"), "{}", dash.text());
    dash.press("q");
    assert!(dash.model.is_normal());
}
