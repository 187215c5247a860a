//! Tests of the rows of the list: their contents, their changes, and the requests for them.

use serde_json::json;

use crate::protocol::{EventKind, Record, Status};
use crate::tui::model::Selected;
use crate::tui::options::Options;
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{NOW, ended, id, record, shop_records};
use crate::tui::theme::Appearance;

/// The jobs of the drawings, with their resource usage.
fn used() -> Vec<Record> {
    let mut records = shop_records();
    for (name, port, cpu) in [
        ("web", Some(3000), 3.1),
        ("api", Some(8080), 1.0),
        ("db", Some(5432), 0.2),
        ("migrate", None, 0.0),
        ("tests", None, 98.2),
        ("agent", None, 2.0),
    ] {
        let job = records
            .iter_mut()
            .find(|one| one.summary.session_id == id(name));
        let summary = &mut job.unwrap().summary;
        summary.cpu_percent = Some(cpu);
        summary.memory_bytes = Some(182 << 20);
        summary.ports = Some(Vec::from_iter(port));
        summary.urls = Some(
            port.map(|n| format!("http://localhost:{n}/"))
                .into_iter()
                .collect(),
        );
    }
    records
}

/// A dashboard with jobs that have written output.
fn busy(width: u16, height: u16) -> Dash {
    busy_with(Options::default(), width, height)
}

fn busy_with(options: Options, width: u16, height: u16) -> Dash {
    let mut dash = Dash::with(options, width, height, shop_records());
    dash.press("j").usage(used());
    let written = [
        ("web", [200, 9000, 800_000, 40_000, 300]),
        ("tests", [600_000; 5]),
        ("migrate", [600_000, 0, 0, 0, 0]),
        ("api", [0, 0, 100, 0, 0]),
    ];
    let mut totals = [1_258_291; 4];
    for cell in 0..5 {
        for (at, (name, bytes)) in written.iter().enumerate() {
            totals[at] += bytes[cell];
            let data = json!({ "outputBytes": totals[at], "inputState": "none" });
            let data = if *name == "migrate" {
                json!({ "outputBytes": totals[at], "inputState": "password" })
            } else {
                data
            };
            dash.event(EventKind::Output, name, data);
        }
        if cell < 4 {
            dash.later(2000);
        }
    }
    dash.screen("web", 40, 120, "> vite --port 3000\r\n");
    dash
}

#[test]
fn a_row_shows_the_progress_that_the_program_reports() {
    for (width, shown) in [(120, "▰▰▱▱▱"), (80, "40%")] {
        let mut dash = Dash::new(width, 24, vec![record("build")]);
        let data = json!({"outputBytes": 10, "progress": {"state": "running", "percent": 40}});
        dash.event(EventKind::Output, "build", data);
        assert!(dash.text().contains(shown), "{}", dash.text());
        assert!(dash.text().contains(" 40% "), "{}", dash.text());
        dash.event(
            EventKind::Output,
            "build",
            json!({"outputBytes": 20, "progress": null}),
        );
        assert!(!dash.text().contains('%'), "{}", dash.text());
    }
}

#[test]
fn rows_match_the_design() {
    for (width, height) in [(120, 40), (80, 24), (40, 12), (110, 20), (20, 5)] {
        busy(width, height).snapshot(&format!("rows-{width}x{height}"));
    }
    let options = Options {
        appearance: Appearance {
            ascii: true,
            ..Appearance::default()
        },
        ..Options::default()
    };
    let dash = busy_with(options, 120, 20);
    assert!(dash.text().is_ascii(), "{}", dash.text());
    dash.snapshot("rows-ascii-120x20");
}

#[test]
fn the_sparkline_shows_output_and_empties() {
    let mut dash = Dash::new(
        120,
        40,
        vec![ended("x", Status::Done, Some(0), 3_600_000), {
            let mut web = record("web");
            web.summary.runtime_ms = 3 * 3_600_000;
            web
        }],
    );
    dash.usage(vec![]);
    dash.model.dirty = false;
    dash.event(
        EventKind::Output,
        "web",
        json!({ "outputBytes": 1_258_391 }),
    );
    assert!(dash.model.dirty);
    assert!(dash.text().contains("▁▁▁▁▃"), "{}", dash.text());
    for _ in 0..5 {
        dash.later(2000).usage(vec![]);
    }
    assert!(dash.text().contains("▁▁▁▁▁"), "{}", dash.text());
    let due = dash.model.next_due().unwrap() - dash.model.now.ms;
    assert!(due > 40_000, "only the clock: {due}");
}

#[test]
fn requests_usage_during_activity_and_else_with_the_clock() {
    let mut quiet = record("web");
    quiet.summary.cpu_percent = Some(0.0);
    let mut dash = Dash::new(80, 24, vec![quiet.clone()]);
    assert_eq!(dash.usage_asked(), 1, "when the list has come");
    dash.later(20_000);
    assert_eq!(dash.usage_asked(), 0, "one at a time");
    dash.usage(vec![quiet.clone()]);
    assert_eq!(dash.usage_asked(), 0, "nothing has happened for long");
    dash.later(40_000);
    assert_eq!(dash.usage_asked(), 1, "the minute of the clock");
    dash.usage(vec![quiet.clone()]);
    dash.event(
        EventKind::Output,
        "web",
        json!({ "outputBytes": 1_300_000 }),
    );
    dash.later(2000);
    assert_eq!(dash.usage_asked(), 1, "two seconds after the one before");
    let mut hot = quiet.clone();
    hot.summary.cpu_percent = Some(50.0);
    for _ in 0..10 {
        dash.usage(vec![hot.clone()]).later(2000);
        assert_eq!(dash.usage_asked(), 1, "as long as it is at work");
    }
    dash.usage(vec![quiet]).press("\r").later(2000);
    assert_eq!(dash.usage_asked(), 0, "nobody sees it");
    dash.press("\x1d");
    assert_eq!(dash.usage_asked(), 1, "at once when somebody sees it again");
}

#[test]
fn a_usage_reply_changes_nothing_else() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("j");
    let rows = dash.model.rows.clone();
    let mut news = used();
    for record in &mut news {
        // Events report these changes, so the usage reply must not.
        record.summary.status = Status::Done;
        record.summary.output_lines = 1;
    }
    news.push(record("new"));
    dash.usage(news);
    assert_eq!(dash.model.rows, rows);
    assert!(!dash.model.stale);
    assert_eq!(dash.model.selected, Selected::Job(id("web")));
    assert!(dash.status().contains("running"), "{}", dash.status());
    assert!(
        dash.status().contains("3% 182M  :3000"),
        "{}",
        dash.status()
    );
    dash.model.dirty = false;
    dash.usage(used());
    assert!(!dash.model.dirty, "nothing shows anew");
    // A record requested after an event contains no ports.
    let mut web = shop_records().remove(0);
    dash.record(&web);
    assert!(dash.text().contains(":3000"));
    web.summary.pid = Some(7);
    dash.record(&web);
    assert!(!dash.text().contains(":3000"), "of the run before");
}

#[test]
fn sorting_keeps_the_cursor_on_its_job() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("j").usage(used());
    for (name, first) in [
        ("name", "api"),
        ("age", "migrate"),
        ("cpu", "tests"),
        ("state", "migrate"),
        ("attention", "migrate"),
    ] {
        dash.press("S");
        let text = dash.text();
        assert!(text.contains(&format!("Sorted by {name}.")), "{text}");
        let row = text.lines().nth(3).unwrap();
        assert!(row.contains(first), "{name}: {row}");
        assert_eq!(dash.model.selected, Selected::Job(id("web")));
        assert_eq!(text.contains(&format!("by {name}   ")), name != "attention");
    }
    dash.press("SSS");
    let mut news = used();
    news[1].summary.cpu_percent = Some(300.0);
    dash.usage(news);
    let text = dash.text();
    assert!(text.lines().nth(3).unwrap().contains("api"), "{text}");
}

#[test]
fn the_filter_highlights_matching_letters() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("/mgt\r");
    let (buffer, _) = dash.paint();
    let lit: String = (0..26)
        .filter_map(|x| buffer.cell((x, 2)))
        .filter(|cell| cell.modifier.contains(ratatui::style::Modifier::UNDERLINED))
        .map(|cell| cell.symbol().to_owned())
        .collect();
    assert_eq!(lit, "mgt", "{}", dash.text());
    dash.press("\x1b/!failed\r");
    assert_eq!(dash.model.selected, Selected::Job(id("lint")));
    dash.press("\x1b/-failed\r");
    assert!(!dash.text().contains("lint"), "{}", dash.text());
}

#[test]
fn selects_alerts_in_order_and_opens_the_pane_in_the_stack() {
    let mut records = shop_records();
    let asked = crate::protocol::record::InputState::Line;
    records[4].summary.input_state = asked;
    let mut dash = Dash::new(80, 24, records.clone());
    dash.press("G");
    for name in ["migrate", "tests", "lint", "migrate"] {
        dash.press("!");
        assert_eq!(dash.model.selected, Selected::Job(id(name)));
    }
    let mut dash = Dash::new(40, 12, records);
    dash.press("G!");
    assert!(dash.model.frame.open);
    assert_eq!(dash.model.selected, Selected::Job(id("migrate")));
}

#[test]
fn a_finished_job_shows_its_duration() {
    let mut dash = busy(120, 40);
    assert!(dash.text().contains("took 48s"));
    let build = ended("build", Status::Done, Some(0), 60_000);
    dash.record(&build);
    assert_eq!(dash.model.now.ms, NOW + 50 + 8000);
}
