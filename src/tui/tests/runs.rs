//! Tests of the lines between the runs of a job.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::harness::Dash;
use super::jobs::{id, record};
use crate::protocol::EventKind;
use crate::tui::message::{Cmd, Event, LinkEvent, RequestKind};
use crate::tui::scrollback::Part;

/// The job was restarted twice.
fn restarted() -> Dash {
    let mut web = record("web");
    web.summary.restarts = 2;
    // The third run has written nothing yet.
    web.summary.output_bytes = 21;
    let mut dash = Dash::new(80, 24, vec![web]);
    let asks = |cmd: &Cmd| matches!(cmd, Cmd::Request(RequestKind::Runs(_), _));
    assert_eq!(dash.asked().iter().filter(|cmd| asks(cmd)).count(), 1);
    assert!(!dash.later(1000).asked().iter().any(asks), "asked for once");
    dash
}

fn told(dash: &mut Dash) {
    let at = "2026-01-02T03:04:05.678Z";
    let mut web = json!(record("web"));
    web["detail"] = json!({"processes": [], "ports": [], "urls": [], "envNames": [], "runs": [
        {"run": 1, "offset": 0, "firstLine": 1, "startedAt": at, "exitCode": 1},
        {"run": 2, "offset": 11, "firstLine": 3, "startedAt": at, "signal": "SIGTERM"},
        {"run": 3, "offset": 21, "firstLine": 4, "startedAt": at},
    ]});
    dash.link(LinkEvent::Reply(RequestKind::Runs(id("web")), Ok(web)));
}

/// The rows of the pane from the first with text to the last.
fn pane(dash: &Dash) -> Vec<String> {
    let area = dash.model.layout().pane.unwrap();
    let text = dash.text();
    let rows = text
        .lines()
        .skip(usize::from(area.y))
        .take(usize::from(area.height));
    let cut = |row: &str| -> String { row.chars().skip(usize::from(area.x)).collect() };
    let mut rows: Vec<String> = rows.map(cut).collect();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

fn screen(dash: &mut Dash, lines: u64, bytes: &str) {
    let data: Value = json!({"bytes": STANDARD.encode(bytes), "rows": 19, "cols": 53, "screenSeq": 1,
        "full": true, "outputLines": lines});
    dash.event(EventKind::Screen, "web", data);
}

#[test]
fn a_line_separates_runs_on_the_live_screen() {
    let mut dash = restarted();
    screen(&mut dash, 4, "one\r\ntwo\r\nthree\r\nfour\r\n");
    assert_eq!(pane(&dash), ["one", "two", "three", "four"]);
    told(&mut dash);
    let (two, three) = ("── run 2, ", "── run 3, ");
    let rows = pane(&dash);
    assert_eq!(
        [&*rows[0], &rows[1], &rows[3], &rows[5]],
        ["one", "two", "three", "four"]
    );
    assert!(
        rows[2].starts_with(two) && rows[2].ends_with(", after exit 1 ──"),
        "{rows:?}"
    );
    assert!(
        rows[4].starts_with(three) && rows[4].ends_with(", after SIGTERM ──"),
        "{rows:?}"
    );
    // While the screen scrolls, the lines go along, and leave.
    let many: String = (5..=20).map(|n| format!("{n}\r\n")).collect();
    screen(
        &mut dash,
        20,
        &format!("one\r\ntwo\r\nthree\r\nfour\r\n{many}"),
    );
    let rows = pane(&dash);
    assert!(!rows.iter().any(|row| row.contains(two)), "{rows:?}");
    assert_eq!(rows.last().unwrap(), "20");
    // A run that has written nothing yet has its line already; a full-screen program has the whole screen.
    screen(&mut dash, 3, "one\r\ntwo\r\nthree\r\n");
    assert_eq!(
        pane(&dash)
            .iter()
            .filter(|row| row.contains("── run"))
            .count(),
        2
    );
    screen(&mut dash, 4, "\x1b[?1049hone\r\ntwo\r\nthree\r\nfour\r\n");
    assert!(!dash.text().contains("── run"));
}

#[test]
fn runs_without_output_are_in_order() {
    let mut dash = restarted();
    dash.model.jobs[0].record.summary.output_bytes = 0;
    screen(&mut dash, 0, "");
    let mut web = json!(record("web"));
    let at = "2026-01-02T03:04:05.678Z";
    let run =
        |run: u32| json!({"run": run, "offset": 0, "firstLine": 1, "startedAt": at, "exitCode": 1});
    web["detail"] = json!({"processes": [], "ports": [], "urls": [], "envNames": [],
        "runs": [run(1), run(2), run(3)]});
    dash.link(LinkEvent::Reply(RequestKind::Runs(id("web")), Ok(web)));
    let rows = pane(&dash);
    assert!(
        rows[0].starts_with("── run 2, ") && rows[1].starts_with("── run 3, "),
        "{rows:?}"
    );
}

#[test]
fn a_run_that_has_erased_the_screen_has_it_alone() {
    let mut dash = restarted();
    let output = |dash: &mut Dash, bytes: u64| {
        dash.event(EventKind::Output, "web", json!({"outputBytes": bytes}));
    };
    screen(&mut dash, 3, "one\r\ntwo\r\nthree\r\n");
    told(&mut dash);
    assert!(dash.text().contains("── run 3"));
    // As many lines as there were before it.
    output(&mut dash, 60);
    screen(&mut dash, 3, "1\r\n2\r\n3\r\n");
    assert_eq!(pane(&dash), ["1", "2", "3"]);
    // Fewer lines, then more.
    screen(&mut dash, 1, "1\r\n");
    assert_eq!(pane(&dash), ["1"]);
    screen(&mut dash, 5, "1\r\n2\r\n3\r\n4\r\n5\r\n");
    assert_eq!(pane(&dash), ["1", "2", "3", "4", "5"]);
}

#[test]
fn no_line_between_runs_is_missing_where_the_pane_is_low() {
    for more in 0..=12 {
        let mut dash = restarted();
        dash.happen(Event::Window(120, 12));
        let later: String = (1..=more).map(|n| format!("{n}\r\n")).collect();
        let text = format!("one\r\ntwo\r\nthree\r\nfour\r\n{later}");
        screen(&mut dash, 4 + more, &text);
        told(&mut dash);
        let rows = pane(&dash);
        // Whatever is shown below the first run has the line of its own above it.
        for (text, run) in [("three", "── run 2, "), ("four", "── run 3, ")] {
            let at = rows.iter().position(|row| row == text);
            let is_marked = |at: usize| at == 0 || rows[at - 1].starts_with(run);
            assert!(at.is_none_or(is_marked), "{more}: {rows:?}");
        }
    }
}

#[test]
fn a_line_separates_runs_in_the_log() {
    let mut dash = restarted();
    dash.press("s");
    // The first run ends within a line, on the alternate screen.
    dash.log(
        "web",
        Part::First,
        b"1\r\n\x1b[?1049htwo\r\nthree!\r\nfour\r\n",
        0,
    );
    told(&mut dash);
    let rows = pane(&dash);
    assert!(rows[1].starts_with("── run 2, "), "{rows:?}");
    assert!(rows[4].ends_with(", after SIGTERM ──"), "{rows:?}");
    let text = [&*rows[0], &rows[2], &rows[3], &rows[5], &rows[6]];
    assert_eq!(text, ["1", "two", "three", "!", "four"]);
    // `{` goes to the beginnings of runs.
    let cursor = |dash: &Dash| dash.paint().1.unwrap().y;
    let bottom = cursor(&dash);
    dash.press("{");
    assert_eq!(bottom - cursor(&dash), 2);
    dash.press("{");
    assert_eq!(bottom - cursor(&dash), 5);
    // They do not count as lines.
    dash.press("g");
    let scroll = dash.model.pane.scroll.as_ref().unwrap();
    assert_eq!((scroll.cursor.row, scroll.lines_below()), (0, 4));
}

#[test]
fn a_restart_moves_nothing_in_scroll() {
    let mut dash = restarted();
    dash.press("s");
    dash.log("web", Part::First, b"1\r\n2\r\n3\r\n", 0);
    dash.press("kV");
    told(&mut dash);
    // Both later runs begin after the text that is loaded.
    let scroll = dash.model.pane.scroll.as_ref().unwrap();
    assert!(scroll.selection.is_some());
    assert_eq!(scroll.cursor.row, 1);
    assert_eq!(pane(&dash), ["1", "2", "3"]);
    dash.press("jj");
    dash.log("web", Part::Newer, b"4\r\n5\r\n6\r\n", 9);
    let rows = pane(&dash);
    assert!(rows[4].starts_with("── run 2, "), "{rows:?}");
}
