//! Screens that are wider than the pane.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::harness::Dash;
use super::jobs::{NOW, ended, id, record};
use crate::protocol::{EventKind, Status, Timestamp};
use crate::tui::message::{CardPart, LinkEvent, RequestKind};
use crate::tui::scrollback::Part;

/// A line of 60 columns, which is more than the pane of 53 has.
const LINE: &str = "0123456789012345678901234567890123456789012345678901 end.\r\n$ ";

fn dash() -> Dash {
    let mut dash = Dash::new(80, 24, vec![record("web")]);
    dash.screen("web", 40, 120, LINE);
    dash
}

fn pane(dash: &Dash) -> Vec<String> {
    let text = dash.text();
    let rows = text.lines().skip(2).map(|row| row.split('│').nth(1));
    let rows = rows.map(|row| row.unwrap_or_default().trim_end().to_owned());
    rows.collect()
}

#[test]
fn lines_wrap_unless_one_wants_the_screen_as_it_is() {
    let mut dash = dash();
    let wrapped = pane(&dash);
    assert!(wrapped[0].ends_with("78901"), "{wrapped:?}");
    assert_eq!(wrapped[1].trim(), "end.");
    assert_eq!(wrapped[2].trim(), "$");
    assert!(!dash.status().contains("cropped"), "{}", dash.status());
    dash.press("w").later(10_000);
    let exact = pane(&dash);
    assert!(exact[0].ends_with('…'), "{exact:?}");
    assert_eq!(exact[1].trim(), "$");
    assert!(
        dash.status().contains("cropped 120x40"),
        "{}",
        dash.status()
    );
    dash.press(".");
    assert!(
        pane(&dash)[0].trim_start().starts_with('…'),
        "{:?}",
        pane(&dash)
    );
    dash.press("w").later(10_000);
    assert_eq!(pane(&dash), wrapped);
}

#[test]
fn wrapped_lines_have_nothing_to_the_side() {
    let mut dash = dash();
    let wrapped = pane(&dash);
    dash.press(".");
    let text = dash.text();
    assert!(text.contains("shows the whole width"), "{text}");
    assert_eq!(dash.model.pane.pan.left, 0);
    // What was shifted before comes back with the next key.
    dash.press("w").press(".").press(".").press(".");
    assert_eq!(dash.model.pane.pan.left, 120 - 52);
    dash.screen("web", 40, 80, LINE);
    dash.press(",");
    assert_eq!(dash.model.pane.pan.left, 80 - 52 - 26);
    dash.press("w").later(10_000);
    assert_eq!(pane(&dash), wrapped);
}

#[test]
fn a_full_screen_program_is_shown_as_it_is() {
    let mut dash = dash();
    let bar = format!("\x1b[?1049h\x1b[H{}", "x".repeat(120));
    dash.screen("web", 40, 120, &bar);
    let shown = pane(&dash);
    assert!(shown[0].ends_with("x…"), "{shown:?}");
    assert_eq!(shown[1], "");
}

#[test]
fn with_times_a_full_screen_program_is_shown_as_it_is_when_its_screen_comes() {
    let mut dash = dash();
    dash.press("t");
    assert!(dash.model.pane.scroll.is_some());
    let bar = format!("\x1b[?1049h\x1b[H{}", "x".repeat(120));
    dash.screen("web", 40, 120, &bar);
    assert!(dash.model.pane.scroll.is_none());
    assert!(pane(&dash)[0].ends_with("x…"), "{:?}", pane(&dash));
}

#[test]
fn top_is_a_full_screen_program_too() {
    let mut dash = dash();
    // It stays on the normal screen, and hides the cursor in the last row.
    let rows: String = (1..40)
        .map(|n| format!("{n:>5} root {}\x1b[K\r\n", "x".repeat(70)))
        .collect();
    let top = format!("\x1b[?1h\x1b=\x1b[?25l\x1b[H\x1b[2J{rows}");
    dash.screen("web", 40, 120, &top);
    let shown = pane(&dash);
    assert!(
        shown[1].contains("root") && shown[1].ends_with('…'),
        "{shown:?}"
    );
    // Its first rows are above, and its past is one of screens.
    dash.press("\x15").press("\x15").press("\x15");
    assert!(pane(&dash)[0].contains("    1 root"), "{:?}", pane(&dash));
    dash.asked();
    dash.press("s");
    assert!(dash.model.pane.rewind.is_some());
}

#[test]
fn a_full_screen_program_that_has_ended_leaves_its_screens() {
    let mut vim = ended("vim", Status::Done, Some(0), 1000);
    (vim.summary.output_bytes, vim.summary.output_lines) = (5000, 0);
    let mut dash = Dash::new(80, 24, vec![vim]);
    dash.screen("vim", 24, 80, "");
    dash.press("s");
    assert!(dash.model.pane.rewind.is_some());
}

#[test]
fn the_daemon_tells_what_is_a_full_screen_program() {
    let mut dash = dash();
    let data = |full: bool, alt: bool, text: &str| {
        json!({
            "bytes": STANDARD.encode(format!("\x1b[2J\x1b[H{text}")), "rows": 40, "cols": 120,
            "screenSeq": 2, "full": full, "altScreen": alt,
        })
    };
    let bar = "x".repeat(120);
    for full in [true, false] {
        dash.event(EventKind::Screen, "web", data(full, true, &bar));
        let shown = pane(&dash);
        assert!(shown[0].ends_with("x…") && shown[1].is_empty(), "{shown:?}");
        dash.event(EventKind::Screen, "web", data(full, false, &bar));
        assert!(pane(&dash)[1].ends_with('x'), "{:?}", pane(&dash));
    }
}

#[test]
fn blanks_beyond_the_edge_are_not_marked_as_cut() {
    let mut dash = dash();
    // vim writes blanks in a colour up to the end of its empty rows.
    let row = format!(
        "\x1b[?1049h\x1b[H\x1b[94m~{}\x1b[m\r\nend{}x",
        " ".repeat(100),
        " ".repeat(90)
    );
    dash.screen("web", 40, 120, &row);
    let shown = pane(&dash);
    assert_eq!(shown[0].trim(), "~");
    assert!(shown[1].ends_with('…'), "{shown:?}");
}

#[test]
fn the_log_of_a_failed_job_keeps_its_first_lines() {
    let mut dash = Dash::new(80, 24, vec![ended("lint", Status::Error, Some(1), 1000)]);
    let wide = "Error: listen EADDRINUSE: address already in use 0123456789 :::38111";
    dash.screen("lint", 40, 120, &format!("first\r\n{wide}\r\n{wide}\r\n"));
    let told = |part, value| LinkEvent::Reply(RequestKind::Card(id("lint"), part), Ok(value));
    let mut runs = json!(ended("lint", Status::Error, Some(1), 1000));
    let run = json!({"run": 1, "offset": 0, "startedAt": Timestamp(NOW - 9000), "endedAt": null,
        "exitCode": 1, "signal": null});
    runs["detail"] =
        json!({"processes": [], "ports": [], "urls": [], "envNames": [], "runs": [run]});
    dash.link(told(CardPart::Runs, runs));
    let log = json!({"lines": [], "firstLine": 1, "totalLines": 3});
    dash.link(told(CardPart::Output(1), log));
    let text = dash.text();
    assert!(text.contains("failed: exit 1"), "{text}");
    assert!(pane(&dash)[0].trim() == "first", "{text}");
    assert_eq!(text.matches("Error: listen").count(), 2, "{text}");
}

#[test]
fn the_cursor_is_where_one_types_in_wrapped_lines() {
    let mut dash = dash();
    dash.press("i");
    let (_, cursor) = dash.paint();
    let cursor = cursor.expect("one types");
    let row = usize::from(cursor.y);
    let text = dash.text();
    let line = text.lines().nth(row).unwrap_or_default();
    assert!(line.ends_with("│ $") || line.ends_with("│$"), "{text}");
}

#[test]
fn a_full_screen_program_with_more_rows_than_the_pane_is_shifted() {
    let mut dash = Dash::new(80, 24, vec![record("web")]);
    let rows: Vec<String> = (1..=40).map(|n| format!("row {n}.")).collect();
    let text = format!("\x1b[?1049h{}\x1b[40;1H", rows.join("\r\n"));
    dash.screen("web", 40, 50, &text);
    let shows = |dash: &Dash, n: u32| dash.text().contains(&format!("row {n}."));
    // It follows the cursor, which is at the end.
    assert!(shows(&dash, 40) && !shows(&dash, 19), "{}", dash.text());
    assert!(dash.text().contains('▲') && !dash.text().contains('▼'));
    dash.press("\x15");
    assert!(shows(&dash, 19) && !shows(&dash, 40), "{}", dash.text());
    assert!(dash.text().contains('▲') && dash.text().contains('▼'));
    assert!(dash.model.pane.scroll.is_none(), "the log is no help here");
    // Output elsewhere does not move it.
    dash.screen("web", 40, 50, &format!("{text}\x1b[38;1Hx"));
    assert!(!shows(&dash, 40), "{}", dash.text());
    dash.press("\x15\x15\x15");
    assert!(
        shows(&dash, 1) && !dash.text().contains('▲'),
        "{}",
        dash.text()
    );
    // Back at the cursor, it follows it again.
    dash.press("\x04\x04\x04\x04");
    assert_eq!(dash.model.pane.pan.top, None);
    dash.screen("web", 40, 50, &format!("{text}\x1b[5;1H"));
    assert!(shows(&dash, 5), "{}", dash.text());
    // Typing shows the cursor in any case.
    dash.press("\x05\x05\x05i");
    assert!(shows(&dash, 5), "{}", dash.text());
}

#[test]
fn a_row_that_is_cut_behind_a_wide_character_is_marked() {
    let mut dash = dash();
    for before in ["", "x"] {
        let line = format!("{before}{}", "日".repeat(50));
        dash.screen("web", 40, 120, &line);
        if before.is_empty() {
            dash.press("w").later(10_000);
        }
        let row = pane(&dash)[0].clone();
        assert!(row.contains('日') && row.ends_with('…'), "{row}");
    }
}

#[test]
fn lines_that_are_cut_in_the_log_say_so() {
    let log = format!("{}\r\nshort\r\n", "0123456789".repeat(60));
    let mut dash = dash();
    dash.press("w")
        .press("s")
        .log("web", Part::First, log.as_bytes(), 0);
    dash.press("g").later(10_000);
    let rows = pane(&dash);
    assert!(rows[0].ends_with("0…"), "{rows:?}");
    dash.press(".");
    let rows = pane(&dash);
    assert!(
        rows[0].trim_start().starts_with('…') && rows[0].ends_with('…'),
        "{rows:?}"
    );
    assert_eq!(rows[2].trim(), "…", "a short line is to the left: {rows:?}");
    // A line that is longer than a row goes on in the next one.
    for _ in 0..60 {
        dash.press(".");
    }
    assert!(pane(&dash)[0].ends_with('…'), "{:?}", pane(&dash));
    // With times, lines of the log are cut, and not the screen.
    let mut dash = self::dash();
    dash.press("t").log("web", Part::First, log.as_bytes(), 0);
    dash.press("w");
    assert!(
        dash.text().contains("Long lines are cut;"),
        "{}",
        dash.text()
    );
}
