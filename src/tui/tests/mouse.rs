//! Tests of the mouse: wheel, clicks, dragging, and jobs that use the mouse themselves.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::harness::Dash;
use super::jobs::{ended, id, record, shop_records};
use crate::protocol::{Action, EventKind, Status};
use crate::tui::message::{Cmd, Effect, Keys, LinkEvent, RequestKind};
use crate::tui::model::Selected;
use crate::tui::modes::help::Help;
use crate::tui::modes::insert::Insert;
use crate::tui::options::Options;
use crate::tui::scrollback::Part;

fn shop() -> Dash {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("j");
    dash.screen("web", 20, 52, "one two/three.ts\r\nlonger line\r\n");
    dash.asked();
    dash
}

/// Sends a mouse report (SGR): `M` for press and movement, `m` for release; positions count from 1.
fn mouse(dash: &mut Dash, button: u16, (x, y): (u16, u16), up: bool) {
    let last = if up { 'm' } else { 'M' };
    dash.press(&format!("\x1b[<{button};{};{}{last}", x + 1, y + 1));
}

fn click(dash: &mut Dash, at: (u16, u16)) {
    mouse(dash, 0, at, false);
    mouse(dash, 0, at, true);
}

fn copied(dash: &mut Dash) -> Option<(String, String)> {
    dash.asked().into_iter().find_map(|cmd| match cmd {
        Cmd::Effect(Effect::Copy(text, what)) => Some((text, what)),
        _ => None,
    })
}

/// Position of the pane in a window of 80 by 24.
const PANE: (u16, u16) = (28, 2);

#[test]
fn a_click_selects_and_a_second_click_attaches() {
    let mut dash = shop();
    click(&mut dash, (5, 4));
    assert_eq!(dash.model.list.selected, Selected::Job(id("api")));
    assert!(dash.model.is_normal());
    dash.later(5000);
    click(&mut dash, (5, 4));
    assert!(dash.model.state::<Insert>().is_some());
    assert!(dash.model.frame.zoom);
    let mut dash = shop();
    click(&mut dash, (5, 1));
    assert_eq!(dash.model.list.rows.len(), 5, "the header folds");
    click(&mut dash, (5, 1));
    assert_eq!(dash.model.list.rows.len(), 10);
}

#[test]
fn dragging_over_the_pane_of_a_group_says_what_to_do() {
    let mut dash = shop();
    dash.press("g");
    click(&mut dash, PANE);
    assert!(!dash.text().contains("Text is selected"), "{}", dash.text());
    mouse(&mut dash, 0, PANE, false);
    mouse(&mut dash, 32, (PANE.0 + 5, PANE.1 + 2), false);
    mouse(&mut dash, 32, (PANE.0 + 9, PANE.1 + 2), false);
    mouse(&mut dash, 0, (PANE.0 + 9, PANE.1 + 2), true);
    assert_eq!(copied(&mut dash), None);
    let said: Vec<&str> = dash
        .model
        .toasts
        .said()
        .map(|said| said.text.as_str())
        .collect();
    let told = said
        .iter()
        .filter(|text| text.starts_with("Text is selected in the pane of one job"));
    assert_eq!(told.count(), 1, "{said:?}");
}

#[test]
fn the_wheel_scrolls_what_is_under_the_pointer() {
    let many = (0..40).map(|n| record(&format!("job{n}x"))).collect();
    let mut dash = Dash::new(80, 24, many);
    dash.screen("job0x", 20, 52, "hello");
    let first = dash.model.list.selected.clone();
    mouse(&mut dash, 65, (3, 5), false);
    assert_eq!(
        (dash.model.list.top, &dash.model.list.selected),
        (3, &first)
    );
    dash.press("j");
    assert!(dash.model.list.top <= 1, "the cursor is followed again");
    dash.asked();
    mouse(&mut dash, 64, (40, 5), false);
    let log: String = (0..100).map(|n| format!("line {n}\r\n")).collect();
    let current = dash.model.current_id().unwrap().clone();
    assert!(matches!(
        dash.asked()[..],
        [Cmd::Request(
            RequestKind::Log(_, Part::First),
            Action::Log(_)
        )]
    ));
    let data = serde_json::json!({
        "output": STANDARD.encode(&log), "offset": 0, "nextOffset": 1_258_291,
        "firstOffset": 0, "totalBytes": 1_258_291, "eof": false,
    });
    let tag = RequestKind::Log(current, Part::First);
    dash.link(LinkEvent::Reply(tag, Ok(data)));
    assert!(dash.status().starts_with(" SCROLL "));
    assert!(dash.text().contains("line 96") && !dash.text().contains("line 97"));
}

#[test]
fn dragging_copies_only_text_of_the_pane() {
    let mut dash = shop();
    mouse(&mut dash, 0, (PANE.0 + 4, PANE.1), false);
    mouse(&mut dash, 32, (3, PANE.1 + 1), false);
    // New output does not move the text that is being selected.
    dash.screen("web", 20, 52, "\r\n\r\nelsewhere");
    assert!(dash.text().contains("longer line"));
    mouse(&mut dash, 0, (3, PANE.1 + 1), true);
    let (text, what) = copied(&mut dash).unwrap();
    assert_eq!(
        (text.as_str(), what.as_str()),
        ("two/three.ts\nl", "2 lines")
    );
    assert!(dash.text().contains("elsewhere"), "and it is live again");
    assert!(dash.model.is_normal());
    click(&mut dash, (PANE.0, PANE.1));
    assert_eq!(copied(&mut dash), None, "a click selects nothing");
}

#[test]
fn dragging_while_older_lines_arrive_selects_what_is_under_the_pointer() {
    let mut dash = shop();
    dash.press("s").asked();
    let all: Vec<u8> = (0..100)
        .flat_map(|n| format!("line {n:02}\r\n").into_bytes())
        .collect();
    let cut = 50 * b"line 00\r\n".len();
    dash.log("web", Part::First, &all[cut..], cut as u64);
    let line = |dash: &Dash| {
        let text = dash.text();
        let row = text
            .lines()
            .nth(usize::from(PANE.1) + 2)
            .unwrap_or_default()
            .to_owned();
        let at = row.find("line ").unwrap();
        row[at..at + 7].to_owned()
    };
    let first = line(&dash);
    mouse(&mut dash, 0, (PANE.0, PANE.1 + 2), false);
    dash.model.pane.scroll.as_mut().unwrap().loading = Some(Part::Older);
    dash.log("web", Part::Older, &all[..cut], 0);
    assert_eq!(line(&dash), first, "the view has not moved");
    mouse(&mut dash, 32, (PANE.0 + 6, PANE.1 + 2), false);
    mouse(&mut dash, 0, (PANE.0 + 6, PANE.1 + 2), true);
    assert_eq!(copied(&mut dash).map(|copied| copied.0), Some(first));
}

#[test]
fn dragging_over_blank_lines_copies_nothing() {
    let mut dash = shop();
    mouse(&mut dash, 0, (PANE.0, PANE.1 + 4), false);
    mouse(&mut dash, 32, (PANE.0 + 9, PANE.1 + 7), false);
    mouse(&mut dash, 0, (PANE.0 + 9, PANE.1 + 7), true);
    assert_eq!(copied(&mut dash), None);
    let text = dash.text();
    assert!(text.contains("There is nothing to copy there"), "{text}");
    assert!(dash.model.is_normal() && dash.model.pane.scroll.is_none());
}

#[test]
fn a_double_click_selects_a_word_and_a_triple_click_a_line() {
    let mut dash = shop();
    let at = (PANE.0 + 6, PANE.1);
    click(&mut dash, at);
    click(&mut dash, at);
    assert_eq!(copied(&mut dash).unwrap().0, "two/three.ts");
    click(&mut dash, at);
    assert_eq!(copied(&mut dash).unwrap().0, "one two/three.ts");
}

#[test]
fn hints_and_answers_are_clickable() {
    let mut dash = shop();
    let column = |dash: &Dash, what: &str, y: usize| {
        let text = dash.text();
        let row = text.lines().nth(y).unwrap();
        let at = row.find(what).unwrap();
        u16::try_from(row[..at].chars().count()).unwrap()
    };
    let x = column(&dash, "x stop", 23);
    click(&mut dash, (x + 3, 23));
    assert!(dash.status().starts_with(" STOP "));
    let y = column(&dash, "n no", 22);
    click(&mut dash, (y, 22));
    assert!(dash.model.is_normal());
    assert!(!dash.actions().contains(&"kill"));
    let help = column(&dash, "? help", 22);
    click(&mut dash, (help, 22));
    assert!(dash.model.state::<Help>().is_some());
}

#[test]
fn keys_of_insert_are_clickable() {
    let column = |dash: &Dash, what: &str| {
        let status = dash.status();
        let at = status
            .find(what)
            .unwrap_or_else(|| panic!("{what}: {status}"));
        u16::try_from(status[..at].chars().count()).unwrap()
    };
    let click_on = |dash: &mut Dash, what: &str| {
        let at = (column(dash, what), dash.model.layout().status.unwrap().y);
        click(dash, at);
    };
    let mut dash = shop();
    dash.press("i");
    dash.record(&ended("web", Status::Error, Some(1), 0))
        .later(2000);
    dash.asked();
    click_on(&mut dash, "r restart");
    assert_eq!(dash.actions(), ["restart"]);
    assert!(dash.model.state::<Insert>().is_some(), "{}", dash.status());
    click_on(&mut dash, "ctrl-] leave");
    assert!(dash.model.is_normal());
    // After keys were lost.
    let mut dash = shop();
    dash.press("ia");
    let lost = RequestKind::Type(id("web"), Keys::Part);
    dash.link(LinkEvent::Dropped(lost)).later(700);
    click_on(&mut dash, "i type on");
    dash.asked();
    dash.press("b");
    assert_eq!(dash.typed("web"), "b");
    // A sequence.
    let options = Options {
        leave_sequence: vec!["ctrl-p".to_owned(), "ctrl-q".to_owned()],
        mouse: true,
        ..Options::default()
    };
    let mut dash = Dash::with(options, 80, 24, shop_records());
    dash.press("2i");
    click_on(&mut dash, "ctrl-p ctrl-q leave");
    assert!(dash.model.is_normal(), "{}", dash.status());
}

#[test]
fn a_job_gets_mouse_reports_in_its_own_coordinates() {
    let mut dash = shop();
    dash.screen("web", 20, 52, "\x1b[?1000h\x1b[?1006h");
    let at = (PANE.0 + 4, PANE.1 + 2);
    click(&mut dash, at);
    assert_eq!(dash.typed("web"), "", "not in NORMAL");
    dash.press("i");
    dash.asked();
    click(&mut dash, at);
    assert_eq!(dash.typed("web"), "\x1b[<0;5;3M\x1b[<0;5;3m");
    mouse(&mut dash, 64, at, false);
    assert_eq!(dash.typed("web"), "\x1b[<64;5;3M");
    dash.screen("web", 20, 52, "\x1b[?1000h");
    click(&mut dash, at);
    assert_eq!(dash.typed("web"), "\x1b[M %#\x1b[M#%#");
    // With Shift, the dashboard handles the mouse. A terminal that uses Shift itself sends nothing.
    mouse(&mut dash, 4, at, false);
    assert_eq!(dash.typed("web"), "");
}

#[test]
fn m_releases_and_takes_the_mouse() {
    let mut dash = shop();
    dash.press("m");
    assert_eq!(dash.asked(), [Cmd::Effect(Effect::Mouse(false))]);
    assert!(dash.text().contains("The mouse is for your terminal"));
    dash.press("m");
    assert_eq!(dash.asked(), [Cmd::Effect(Effect::Mouse(true))]);
}

#[test]
fn dragging_the_divider_changes_the_width_of_the_list() {
    let mut dash = shop();
    let width = |dash: &Dash| dash.model.layout().list.unwrap().width;
    assert_eq!(width(&dash), 26);
    mouse(&mut dash, 0, (26, 9), false);
    mouse(&mut dash, 32, (34, 12), false);
    assert_eq!(width(&dash), 34);
    mouse(&mut dash, 32, (2, 12), false);
    assert_eq!(width(&dash), 18, "still a list");
    mouse(&mut dash, 32, (79, 12), false);
    assert_eq!(width(&dash), 56, "still a pane");
    mouse(&mut dash, 0, (79, 12), true);
    mouse(&mut dash, 32, (30, 12), false);
    assert_eq!(width(&dash), 56, "the button is up");
    assert_eq!(copied(&mut dash), None);
    dash.later(5000);
    click(&mut dash, (56, 9));
    click(&mut dash, (56, 9));
    assert_eq!(width(&dash), 26, "a double click resets it");
}

#[test]
fn a_click_on_a_link_opens_it() {
    let mut dash = shop();
    let text =
        "see \x1b]8;;https://e.test/x\x1b\\the docs\x1b]8;;\x1b\\ or \x1b]8;;file:///etc\x1b\\here";
    dash.screen("web", 20, 52, text);
    let opened = |dash: &mut Dash| {
        dash.asked().into_iter().find_map(|cmd| match cmd {
            Cmd::Effect(Effect::Open(url)) => Some(url),
            _ => None,
        })
    };
    dash.asked();
    click(&mut dash, (PANE.0 + 4, PANE.1));
    assert_eq!(opened(&mut dash).as_deref(), Some("https://e.test/x"));
    dash.later(5000);
    click(&mut dash, (PANE.0 + 1, PANE.1));
    assert_eq!(opened(&mut dash), None, "beside it");
    dash.later(5000);
    click(&mut dash, (PANE.0 + 16, PANE.1));
    assert_eq!(opened(&mut dash), None, "not a web address");
    // Dragging over it selects.
    dash.later(5000);
    mouse(&mut dash, 0, (PANE.0 + 4, PANE.1), false);
    mouse(&mut dash, 32, (PANE.0 + 8, PANE.1), false);
    mouse(&mut dash, 0, (PANE.0 + 8, PANE.1), true);
    assert_eq!(copied(&mut dash).unwrap().0, "the d");
    let mut dash = Dash::new(80, 24, vec![record("plain")]);
    dash.screen("plain", 20, 52, text).press("o");
    assert_eq!(opened(&mut dash).as_deref(), Some("https://e.test/x"));
}

/// A view of a job that was restarted twice, with a line before each later run.
fn restarted() -> Dash {
    let mut web = record("web");
    web.summary.restarts = 2;
    let mut dash = Dash::new(80, 24, vec![web.clone()]);
    let text = "one\r\ntwo\r\nthree\r\n\x1b]8;;https://e.test/x\x1b\\four\x1b]8;;\x1b\\\r\n";
    let data = serde_json::json!({
        "bytes": STANDARD.encode(text), "rows": 19, "cols": 53, "screenSeq": 1, "full": true,
        "outputLines": 4,
    });
    dash.event(EventKind::Screen, "web", data);
    let at = "2026-01-02T03:04:05.678Z";
    let mut told = serde_json::json!(web);
    told["detail"] = serde_json::json!({"processes": [], "ports": [], "urls": [], "envNames": [], "runs": [
        {"run": 1, "offset": 0, "firstLine": 1, "startedAt": at, "exitCode": 1},
        {"run": 2, "offset": 11, "firstLine": 3, "startedAt": at, "exitCode": 1},
        {"run": 3, "offset": 21, "firstLine": 4, "startedAt": at},
    ]});
    dash.link(LinkEvent::Reply(RequestKind::Runs(id("web")), Ok(told)));
    dash.asked();
    dash
}

#[test]
fn lines_between_runs_stay_where_they_are_and_are_not_copied() {
    let mut dash = restarted();
    let before = dash.text();
    let rows = before.lines().skip(usize::from(PANE.1));
    let rows: Vec<&str> = rows
        .map(|row| row.split('│').nth(1).unwrap_or_default())
        .collect();
    assert!(
        rows[2].contains("run 2") && rows[3].contains("three"),
        "{before}"
    );
    mouse(&mut dash, 0, (PANE.0, PANE.1 + 3), false);
    assert_eq!(dash.text(), before, "nothing moves under the pointer");
    mouse(&mut dash, 0, (PANE.0, PANE.1 + 3), true);
    mouse(&mut dash, 0, (PANE.0, PANE.1 + 3), false);
    mouse(&mut dash, 0, (PANE.0, PANE.1 + 3), true);
    assert_eq!(copied(&mut dash).unwrap().0, "three");
    dash.later(5000);
    mouse(&mut dash, 0, (PANE.0, PANE.1 + 1), false);
    mouse(&mut dash, 32, (PANE.0 + 3, PANE.1 + 5), false);
    mouse(&mut dash, 0, (PANE.0 + 3, PANE.1 + 5), true);
    assert_eq!(copied(&mut dash).unwrap().0, "two\nthree\nfour");
    // A link below the lines is where it is seen.
    dash.later(5000);
    click(&mut dash, (PANE.0 + 1, PANE.1 + 5));
    let opens = |cmd: &Cmd| matches!(cmd, Cmd::Effect(Effect::Open(_)));
    assert!(dash.asked().iter().any(opens));
}

#[test]
fn the_wheel_goes_back_to_insert_where_it_came_from() {
    let mut dash = shop();
    dash.press("\r");
    assert!(dash.model.frame.zoom);
    dash.asked();
    mouse(&mut dash, 64, (40, 5), false);
    let log: String = (0..100).map(|n| format!("line {n}\r\n")).collect();
    let offset = 1_258_291 - log.len() as u64;
    dash.log("web", Part::First, log.as_bytes(), offset);
    assert!(dash.status().starts_with(" SCROLL "), "{}", dash.status());
    mouse(&mut dash, 65, (40, 5), false);
    assert!(dash.model.state::<Insert>().is_some());
    assert!(dash.model.frame.zoom && dash.model.pane.scroll.is_none());
    dash.asked();
    dash.press("a");
    assert_eq!(dash.typed("web"), "a");
    // A key leads to where it says.
    mouse(&mut dash, 64, (40, 5), false);
    dash.log("web", Part::First, log.as_bytes(), offset);
    dash.press("\x1b");
    assert!(dash.model.is_normal() && !dash.model.frame.zoom);
}

#[test]
fn the_leave_key_after_a_click_goes_to_no_job() {
    // The click itself leaves INSERT.
    let mut dash = shop();
    dash.press("i");
    click(&mut dash, (5, 4));
    assert_eq!(dash.model.list.selected, Selected::Job(id("api")));
    dash.press("\x1d");
    assert!(dash.model.is_normal());
    assert_eq!(dash.typed("web"), "");
    // A click comes between the key and the same key.
    for at in [(5, 4), PANE] {
        let mut dash = shop();
        dash.press("i").press("\x1d");
        click(&mut dash, at);
        dash.press("\x1d");
        assert!(dash.model.is_normal());
        assert_eq!(dash.typed("web"), "");
    }
}
