//! Tests of SCROLL, and of scrolled-back panes in NORMAL.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::protocol::{Action, EventKind};
use crate::tui::message::{Cmd, Effect, LinkEvent, RequestKind};
use crate::tui::modes::scroll::ScrollBack;
use crate::tui::scrollback::Part;
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{id, record, shop_records};

pub(super) const LOG: &str = "$ npm test\r\n ok  cart adds\r\n\x1b[31mTypeError\x1b[m: cart.items is undefined\r\n\
    \x20   at total (src/cart.ts:41:18)\r\n 日本語 wide and long enough to wrap in a pane of fifty-two columns\r\n\
    1 failed\r\n";

pub(super) fn shop(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("j").screen("web", 40, 120, "hello");
    dash.asked();
    dash
}

pub(super) fn scrolled() -> Dash {
    let mut dash = shop(80, 24);
    let written = json!({ "outputBytes": LOG.len(), "outputLines": 1260 });
    dash.event(EventKind::Output, "web", written);
    dash.press("s").log("web", Part::First, LOG.as_bytes(), 0);
    dash.asked();
    dash
}

/// The last requested part, with offset and length.
pub(super) fn asked_part(dash: &mut Dash) -> Option<(Part, u64, u64)> {
    dash.asked().into_iter().rev().find_map(|cmd| match cmd {
        Cmd::Request(RequestKind::Log(_, part), Action::Log(params)) => {
            Some((part, params.offset?, params.limit?))
        }
        _ => None,
    })
}

#[test]
fn pictures() {
    for (width, height) in [(120, 24), (80, 24), (40, 12), (20, 5)] {
        let mut dash = shop(width, height);
        if width < 60 {
            dash.press("\r");
        }
        dash.press("s").log("web", Part::First, LOG.as_bytes(), 0);
        dash.press("{kkkV");
        dash.snapshot(&format!("scroll-select-{width}x{height}"));
        let mut dash = shop(width, height);
        dash.press("y")
            .snapshot(&format!("copy-menu-{width}x{height}"));
    }
}

#[test]
fn scroll_uses_the_terminals_cursor() {
    let mut dash = scrolled();
    let (_, cursor) = dash.paint();
    let bottom = cursor.unwrap();
    dash.press("kk$");
    let (_, cursor) = dash.paint();
    let up = cursor.unwrap();
    assert_eq!((bottom.y - up.y, up.x), (2, bottom.x + 51));
    dash.press("0ww");
    let (_, cursor) = dash.paint();
    assert_eq!(cursor.unwrap().x, bottom.x + 8);
}

#[test]
fn copies_the_whole_selection() {
    let mut dash = scrolled();
    // The wrapped line is copied whole from any of its rows.
    dash.press("kVy");
    let (text, what) = dash.copied().unwrap();
    assert_eq!(
        text,
        " 日本語 wide and long enough to wrap in a pane of fifty-two columns"
    );
    assert_eq!(what, "1 line");
    dash.press("Vkkk\r");
    let (text, what) = dash.copied().unwrap();
    assert!(text.starts_with("TypeError: cart.items"), "{text}");
    assert_eq!(what, "3 lines");
    dash.press("gv$oy");
    assert_eq!(dash.copied().unwrap().0, "$ npm test");
    dash.press("gw\x16jhy");
    assert_eq!(dash.copied().unwrap().0, " n\nok");
    // With no selection, the line of the cursor is copied.
    dash.press("gy");
    assert_eq!(dash.copied().unwrap().0, "$ npm test");
    dash.press("v\x1b");
    assert!(dash.model.state::<ScrollBack>().is_some(), "one step back");
    dash.press("\x1b");
    assert!(dash.model.is_normal());
}

#[test]
fn jumps_to_errors_prompts_and_runs() {
    let mut dash = scrolled();
    dash.press("E");
    assert!(
        dash.status().contains("line 1257/1260"),
        "{}",
        dash.status()
    );
    dash.press("e");
    assert!(dash.status().contains("line 1260/1260"));
    dash.press("e");
    assert!(
        dash.text()
            .contains("There is no later line that looks like an error.")
    );
    dash.asked();
    dash.press("{");
    let cmds = dash.asked();
    assert!(matches!(
        &cmds[..],
        [Cmd::Request(RequestKind::Runs(_), Action::Status(params))] if params.detail == Some(true)
    ));
    let mut detailed = json!(record("web"));
    detailed["detail"] = json!({"processes": [], "ports": [], "urls": [], "envNames": [], "runs": [
        {"run": 1, "offset": 0, "startedAt": "2026-01-02T03:04:05.678Z"},
        {"run": 2, "offset": 12, "startedAt": "2026-01-02T03:04:05.678Z"},
    ]});
    dash.link(LinkEvent::Reply(RequestKind::Runs(id("web")), Ok(detailed)));
    assert!(
        dash.status().contains("line 1255/1260"),
        "{}",
        dash.status()
    );
    dash.press("{");
    // The line between the runs is none of the log.
    assert!(
        dash.status().contains("line 1255/1260"),
        "{}",
        dash.status()
    );
    assert!(dash.asked().is_empty(), "asked for once");
}

#[test]
fn scrolling_the_pane_stays_in_normal() {
    let log: String = (0..100).map(|n| format!("line {n}\r\n")).collect();
    let mut dash = shop(80, 24);
    dash.press("\x15")
        .log("web", Part::First, log.as_bytes(), 0);
    assert!(dash.status().starts_with(" NORMAL "));
    let text = dash.text();
    assert!(text.contains("scrolled back"), "{text}");
    assert!(
        text.contains("line 89") && !text.contains("line 90"),
        "{text}"
    );
    dash.press("\x19");
    assert!(!dash.text().contains("line 89"));
    dash.event(
        EventKind::Output,
        "web",
        json!({ "outputBytes": 1_300_000, "outputLines": 1266 }),
    );
    assert!(dash.status().contains("6 new below"), "{}", dash.status());
    dash.press("\x1b");
    assert!(dash.text().contains("hello"), "Esc is live again");
    dash.press("\x15").log(
        "web",
        Part::First,
        log.as_bytes(),
        1_300_000 - log.len() as u64,
    );
    dash.press("\x04");
    assert!(dash.text().contains("hello"), "so is the end");
    dash.press("\x15").press("j");
    assert!(dash.model.pane.scroll.is_none(), "another job is live");
}

#[test]
fn shows_timestamps_and_follows_the_end() {
    let mut dash = shop(80, 24);
    dash.press("t");
    let cmds = dash.asked();
    let Some(Cmd::Request(tag, Action::Log(params))) = cmds.last() else {
        panic!("{cmds:?}");
    };
    assert_eq!(params.times, Some(true));
    let bytes = "one\r\ntwo\r\nthree\r\n";
    let data = |text: &str, offset: u64| {
        use base64::Engine as _;
        json!({
            "output": base64::engine::general_purpose::STANDARD.encode(text), "offset": offset,
            "nextOffset": 1_258_291, "firstOffset": offset, "totalBytes": 1_258_291, "eof": false,
            "times": [{"offset": offset, "at": "2026-11-21T12:44:52.100Z"},
                {"offset": offset + 10, "at": "2026-11-21T12:44:53.100Z"}],
        })
    };
    let start = 1_258_291 - bytes.len() as u64;
    dash.link(LinkEvent::Reply(tag.clone(), Ok(data(bytes, start))));
    let text = dash.text();
    assert!(text.contains("│ 12:44:52 one"), "{text}");
    assert!(text.contains("│          two"), "{text}");
    assert!(text.contains("│ 12:44:53 three"), "{text}");
    dash.later(6000).asked();
    assert!(dash.text().contains("following"), "{}", dash.text());
    dash.event(
        EventKind::Output,
        "web",
        json!({ "outputBytes": 1_258_300 }),
    );
    assert_eq!(asked_part(&mut dash).unwrap().0, Part::Newer);
    dash.press("t");
    assert!(dash.text().contains("hello"));
}

#[test]
fn cut_lines_pan_and_can_wrap_again() {
    let mut dash = shop(80, 24);
    dash.press("w")
        .press("s")
        .log("web", Part::First, LOG.as_bytes(), 0);
    let text = dash.text();
    assert!(text.contains("in a pane of f…\n"), "{text}");
    dash.press(".");
    assert!(dash.text().contains("fifty-two columns"), "{}", dash.text());
    dash.press("q").press("w");
    assert!(dash.text().contains("Long lines wrap"), "{}", dash.text());
}

#[test]
fn freezes_and_copies_a_full_screen_program() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("j")
        .screen("web", 20, 60, "\x1b[?1049h\x1b[Hone two\r\nthree");
    dash.press("s").log(
        "web",
        Part::First,
        b"\r\n\x1b[?1049h\x1b[Hone two\r\nthree",
        0,
    );
    assert!(dash.status().starts_with(" SCROLL "), "{}", dash.status());
    assert!(dash.text().contains("one two"), "{}", dash.text());
    dash.asked();
    // New output does not move the text that is being read.
    dash.screen("web", 20, 60, "\x1b[?1049h\x1b[Hother");
    assert!(dash.text().contains("one two"), "{}", dash.text());
    // Without its past, the frozen screen stays.
    let error = crate::protocol::Error::internal("the log is gone");
    dash.link(LinkEvent::Reply(RequestKind::Past(id("web")), Err(error)));
    dash.press("ggVy");
    assert_eq!(dash.copied().unwrap().0.trim_end(), "one two");
}

#[test]
fn a_search_is_typed_while_the_screen_of_a_full_screen_program_freezes() {
    let mut dash = Dash::new(80, 24, shop_records());
    let screen = "\x1b[?1049h\x1b[Hone two\r\nthree";
    dash.press("j").screen("web", 20, 60, screen);
    dash.press("f")
        .press("th")
        .log("web", Part::First, screen.as_bytes(), 0);
    dash.asked();
    dash.press("ree");
    assert!(
        dash.status().starts_with(" SCROLL  /three"),
        "{}",
        dash.status()
    );
    // Nothing goes to the job.
    let cmds = dash.press("\r").asked();
    let types = |cmd: &Cmd| matches!(cmd, Cmd::Request(RequestKind::Type(..), _));
    assert!(!cmds.iter().any(types), "{cmds:?}");
    assert_eq!(dash.model.pane.scroll.as_ref().unwrap().cursor.row, 1);
    dash.press("Vy");
    assert_eq!(dash.copied().unwrap().0.trim_end(), "three");
}

#[test]
fn selects_the_output_of_a_command() {
    let log = "\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C\x07one\r\ntwo\r\n\x1b]133;D;0\x07\
        \x1b]133;A\x07$ \x1b]133;B\x07id\r\n\x1b]133;C\x07root\r\n\x1b]133;D;0\x07\x1b]133;A\x07$ ";
    let mut dash = shop(80, 24);
    dash.press("s").log("web", Part::First, log.as_bytes(), 0);
    dash.asked();
    // At the prompt: the last command. In the text, and at a command: that one.
    for (keys, output) in [
        ("O", "root"),
        ("kkO", "root"),
        ("kkkkkO", "one\ntwo"),
        ("gjO", "one\ntwo"),
    ] {
        dash.press(&format!("{keys}y"));
        let copied = dash.asked().into_iter().find_map(|cmd| match cmd {
            Cmd::Effect(Effect::Copy(text, _)) => Some(text),
            _ => None,
        });
        assert_eq!(copied.as_deref(), Some(output), "{keys}");
        dash.press("G")
            .press("s")
            .log("web", Part::First, log.as_bytes(), 0);
    }
    dash.log("web", Part::First, b"text\r\n", 0);
    dash.press("G")
        .press("s")
        .log("web", Part::First, b"text\r\n", 0);
    dash.press("O");
    assert!(
        dash.text().contains("no marks (OSC 133)"),
        "{}",
        dash.text()
    );
}

#[test]
fn a_full_screen_program_has_no_lines_to_scroll_to() {
    let mut dash = shop(80, 24);
    dash.screen("web", 20, 50, "\x1b[?1049hvim");
    dash.asked();
    dash.press("\x15");
    let text = dash.text();
    assert!(text.contains("s shows earlier screens"), "{text}");
    assert!(
        text.contains("vim") && dash.model.pane.scroll.is_none(),
        "{text}"
    );
    // Its key shows them.
    dash.press("s");
    let cmds = dash.asked();
    let is_past = |cmd: &Cmd| matches!(cmd, Cmd::Request(RequestKind::Past(_), _));
    assert!(cmds.iter().any(is_past), "{cmds:?}");
}

#[test]
fn the_top_of_a_log_tells_that_its_beginning_was_dropped() {
    let mut dash = shop(80, 24);
    dash.press("s");
    let (part, ..) = asked_part(&mut dash).unwrap();
    let kept = "987592\r\n1987593\r\n";
    let end = 22_020_096 + kept.len();
    let data = json!({
        "output": STANDARD.encode(kept), "offset": 22_020_096, "nextOffset": end,
        "firstOffset": 22_020_096, "totalBytes": end, "eof": false,
    });
    dash.link(LinkEvent::Reply(
        RequestKind::Log(id("web"), part),
        Ok(data),
    ));
    let status = dash.status();
    assert!(status.contains("21M of earlier output dropped"), "{status}");
    let dash = scrolled();
    assert!(!dash.status().contains("dropped"), "{}", dash.status());
}

#[test]
fn the_key_that_leaves_insert_goes_to_normal() {
    let mut dash = scrolled();
    for keys in ["", "/wide", "v"] {
        dash.press("s").press(keys).press("\x1d");
        assert!(dash.model.is_normal(), "{keys}");
        assert!(dash.model.pane.scroll.is_none());
    }
    // The wheel scrolls back from INSERT.
    dash.press("i").press("\x1b[<64;60;5M");
    assert_eq!(dash.model.mode().name(), "SCROLL");
    dash.press("\x1d");
    assert!(dash.model.is_normal());
}

#[test]
fn a_search_that_finds_nothing_says_so() {
    let mut dash = scrolled();
    dash.press("/zzz\r");
    dash.press("\r");
    let text = dash.text();
    assert!(text.contains("Nothing in this log matches."), "{text}");
}
