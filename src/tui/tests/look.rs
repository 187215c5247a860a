//! Tests of unseen output: the separator in the pane, the counts in the rows, the summary on
//! opening.

use serde_json::json;

use super::harness::Dash;
use super::jobs::{NOW, ended, id, record, shop_records};
use crate::protocol::record::Asked;
use crate::protocol::status::InputState;
use crate::protocol::{self, EventKind, Record, Scope, Status, Timestamp};
use crate::tui::message::{Event, LinkEvent, RequestKind};
use crate::tui::model::seen::{Seen, SeenTracker};
use crate::tui::options::Options;
use crate::tui::update::seen::close;

/// 14 minutes before the clock of the snapshots: 12:31.
const THEN: i64 = NOW - 14 * 60_000;

/// Records with this many lines each.
fn records(lines: u64) -> Vec<Record> {
    let mut records = shop_records();
    for record in &mut records {
        record.summary.output_lines = lines;
    }
    records
}

/// A view whose person saw everything at 12:31, when each job had five lines.
fn returned(width: u16, height: u16, mut records: Vec<Record>) -> Dash {
    let seen = records.iter().map(|record| {
        let seen = Seen { lines: 5, at: THEN };
        (record.summary.session_id.clone(), seen)
    });
    let tracker = SeenTracker::new(seen.collect());
    let mut dash = Dash::with(Options::default(), width, height, Vec::new());
    dash.model.seen = tracker;
    dash.model.last_open = Some((THEN, 40));
    dash.model.daemon.listed = false;
    dash.asked();
    records.sort_by_key(|record| record.summary.created_at);
    dash.list(records);
    dash
}

/// Draws on a screen and reports the current number of lines.
fn paint(dash: &mut Dash, name: &str, lines: u64, bytes: &str) {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.encode(bytes);
    let data = json!({
        "bytes": bytes, "rows": 40, "cols": 120, "screenSeq": 1, "full": true, "outputLines": lines,
    });
    dash.event(EventKind::Screen, name, data);
}

const LOG: &str = "> vite --port 3000\r\n\r\n  VITE v7.1.2  ready in 412 ms\r\n\
    12:01:07 GET /                200   3 ms\r\n12:01:09 GET /api/cart        200  11 ms\r\n\
    12:44:52 GET /api/cart        500  87 ms\r\n12:44:52 TypeError: cart.items is undefined\r\n\
    \x20   at total (src/cart.ts:41:18)\r\n12:45:03 GET /api/cart        200   9 ms\r\n";

#[test]
fn pictures() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = returned(width, height, records(9));
        dash.press("j");
        if width < 60 {
            dash.snapshot("new-list-40x12");
            dash.press("\r");
        }
        paint(&mut dash, "web", 9, LOG);
        dash.later(15_000);
        dash.snapshot(&format!("new-{width}x{height}"));
    }
    let mut dash = returned(120, 24, records(9));
    dash.press("v");
    paint(&mut dash, "web", 9, LOG);
    paint(&mut dash, "tests", 9, LOG);
    dash.later(15_000).snapshot("new-grid-120x24");
}

/// Lines of the pane from the separator on; empty if there is no separator.
fn below(dash: &Dash) -> Vec<String> {
    let text = dash.text();
    let rows = text.lines().skip_while(|row| !row.contains("new since"));
    let pane = |row: &str| row.rsplit("│ ").next().unwrap_or_default().to_owned();
    rows.skip(1)
        .map(pane)
        .filter(|row| !row.is_empty())
        .collect()
}

#[test]
fn the_separator_scrolls_with_the_text() {
    let mut dash = returned(80, 24, records(9));
    dash.press("j");
    paint(&mut dash, "web", 9, LOG);
    assert!(below(&dash)[0].contains("500  87 ms"), "{}", dash.text());
    // Eight more lines arrive: the separator stays above the same line until that scrolls off.
    let mut log = LOG.to_owned();
    for n in 10..=20 {
        log.push_str(&format!("line {n}\r\n"));
        paint(&mut dash, "web", n, &log);
        assert!(
            below(&dash)[0].contains("500  87 ms"),
            "{n} {}",
            dash.text()
        );
    }
    for n in 21..=60 {
        log.push_str(&format!("line {n}\r\n"));
    }
    paint(&mut dash, "web", 60, &log);
    assert!(below(&dash).is_empty(), "{}", dash.text());
    assert!(dash.text().contains("line 60"));
}

#[test]
fn no_separator_without_unseen_output_or_in_full_screen_programs() {
    let mut dash = returned(80, 24, records(5));
    dash.press("j");
    paint(&mut dash, "web", 5, LOG);
    // The output arrives while the person is watching.
    paint(&mut dash, "web", 9, LOG);
    assert!(below(&dash).is_empty(), "{}", dash.text());
    let mut dash = returned(80, 24, records(9));
    dash.press("j");
    paint(&mut dash, "web", 9, &format!("\x1b[?1049h{LOG}"));
    assert!(below(&dash).is_empty(), "{}", dash.text());
    // While typing into a zoomed job, the window belongs to the job.
    let mut dash = returned(80, 24, records(9));
    dash.press("j\r");
    paint(&mut dash, "web", 9, LOG);
    assert!(below(&dash).is_empty(), "{}", dash.text());
}

#[test]
fn the_count_of_unseen_lines_is_more_important_than_restarts() {
    let mut records = records(14);
    records[1].summary.restarts = 1;
    let dash = returned(120, 40, records);
    let text = dash.text();
    let row = text.lines().find(|row| row.contains("● api")).unwrap();
    let list = row.split('│').next().unwrap().trim_end();
    assert!(list.ends_with("+9"), "{text}");
}

#[test]
fn rows_count_unseen_lines() {
    let output = |dash: &mut Dash, name: &str, lines: u64| {
        let data = json!({ "outputBytes": 9_000_000, "outputLines": lines });
        dash.event(EventKind::Output, name, data);
    };
    let row = |dash: &Dash, name: &str| {
        let text = dash.text();
        let name = format!(" {name} ");
        let rows = text.lines().skip(1).filter_map(|row| row.split('│').next());
        rows.filter(|row| row.contains(&name))
            .map(|row| row.trim_end().to_owned())
            .next()
            .unwrap()
    };
    let mut dash = Dash::new(120, 40, records(5));
    assert!(
        !dash.text().contains('+'),
        "the first view begins with what is there"
    );
    dash.press("j");
    output(&mut dash, "web", 9);
    output(&mut dash, "api", 9);
    output(&mut dash, "db", 900);
    assert!(!row(&dash, "web").ends_with('4'), "{}", dash.text());
    assert!(row(&dash, "api").ends_with("+4"), "{}", dash.text());
    assert!(row(&dash, "db").ends_with("+99"), "{}", dash.text());
    // A job that is selected only briefly stays unseen.
    dash.press("j").press("k");
    assert!(row(&dash, "api").ends_with("+4"), "{}", dash.text());
    dash.press("j").later(1500).press("k");
    assert!(!row(&dash, "api").ends_with("+4"), "{}", dash.text());
    // A window without the focus is not seen.
    dash.press("\x1b[O");
    output(&mut dash, "web", 12);
    assert!(row(&dash, "web").ends_with("+3"), "{}", dash.text());
    dash.press("\x1b[I");
    assert!(!row(&dash, "web").ends_with("+3"), "{}", dash.text());
}

#[test]
fn shown_jobs_count_as_seen_when_the_view_closes() {
    let mut dash = returned(80, 24, records(9));
    dash.press("j");
    close(&mut dash.model);
    assert_eq!(dash.model.seen.seen()[&id("web")].lines, 9);
    assert_eq!(dash.model.seen.seen()[&id("api")].lines, 5);
}

/// An event one minute before the view opens.
fn event(kind: EventKind, name: &str) -> protocol::Event {
    protocol::Event {
        seq: Some(41),
        at: Some(Timestamp(NOW - 60_000)),
        session_id: Some(id(name)),
        data: json!({}),
        ..protocol::Event::of(kind)
    }
}

fn answer(dash: &mut Dash, events: Vec<protocol::Event>) {
    let happened = json!({ "events": events, "nextSeq": 50 });
    dash.link(LinkEvent::Reply(RequestKind::Away, Ok(happened)));
}

#[test]
fn opening_shows_what_happened_meanwhile() {
    let mut records = records(5);
    records[4] = ended("tests", Status::Error, Some(1), 60_000);
    records[3].summary.input_state = InputState::Password;
    let mut dash = returned(120, 40, records.clone());
    assert!(dash.actions().contains(&"events"));
    let mut by_agent = event(EventKind::Restarted, "api");
    by_agent.data = json!({"by": {"kind": "agent", "scope": "builder"}});
    // What a job is there for is no news.
    let mut scheduled = event(EventKind::Restarted, "api");
    scheduled.data = json!({"by": {"kind": "schedule"}});
    let mut saved = event(EventKind::Restarted, "api");
    saved.data = json!({"because": "changed: src/main.rs"});
    let mut old = event(EventKind::Exited, "lint");
    old.at = Some(Timestamp(THEN - 1));
    answer(
        &mut dash,
        vec![
            event(EventKind::Exited, "tests"),
            event(EventKind::InputNeeded, "migrate"),
            event(EventKind::Restarted, "api"),
            by_agent,
            scheduled,
            saved,
            event(EventKind::Exited, "build"),
            event(EventKind::InputNeeded, "web"),
            old,
        ],
    );
    dash.snapshot("away-120x40");
    let text = dash.text().replace("│", "");
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    assert!(
        text.contains("since 12:31: migrate needs a password, tests failed"),
        "{text}"
    );
    assert!(text.contains("api restarted 2x (agent)"), "{text}");
    assert!(text.contains("build done"), "{text}");
    assert!(
        !text.contains("web needs"),
        "it does not need it any more: {text}"
    );
    assert!(!text.contains("lint failed"), "that was before: {text}");
    assert_eq!(dash.model.daemon.seq, 50);
    // It stays until it is dismissed, and is among the messages after that.
    dash.later(3_600_000);
    for _ in 0..4 {
        dash.press("%").press("&");
    }
    assert!(dash.text().contains("since 12:31: migrate needs"));
    dash.press("\x1b");
    assert!(!dash.text().contains("since 12:31"), "{}", dash.text());
    dash.press(":messages\r");
    assert!(dash.text().contains("since 12:31: migrate needs"));
    let mut dash = returned(80, 24, records);
    answer(&mut dash, Vec::new());
    assert!(!dash.text().contains("since 12:31"), "nothing happened");
}

#[test]
fn the_summary_begins_with_what_waits_and_names_no_job_twice() {
    let failed = |n: usize| {
        let names = (0..n).map(|at| format!("f{at}"));
        names.map(|name| ended(&name, Status::Error, Some(1), 60_000))
    };
    let asked = |name: &str| {
        let mut record = record(name);
        record.asked.push(Asked {
            message: "May I?".to_owned(),
            by: Scope::named("codex").unwrap(),
            at: Timestamp(NOW),
            until: Timestamp(NOW + 60_000),
        });
        record
    };
    let records: Vec<Record> = failed(8).chain([asked("plan"), asked("edit")]).collect();
    let mut dash = returned(120, 40, records);
    let failed = (0..8).map(|at| format!("f{at}"));
    let mut events = Vec::new();
    for name in failed {
        events.push(event(EventKind::Restarted, &name));
        events.push(event(EventKind::Exited, &name));
    }
    events.push(event(EventKind::HumanAsked, "plan"));
    events.push(event(EventKind::HumanAsked, "edit"));
    answer(&mut dash, events);
    let said = &dash.model.toasts.said().next_back().unwrap().text;
    assert_eq!(
        said,
        "since 12:31: codex asks about plan, edit, f0 failed, f1 failed, f2 failed, f3 failed, f4 failed, 3 more"
    );
}

#[test]
fn the_summary_does_not_lie_over_a_page() {
    let mut records = records(5);
    records[4] = ended("tests", Status::Error, Some(1), 60_000);
    let mut dash = returned(80, 24, records);
    answer(&mut dash, vec![event(EventKind::Exited, "tests")]);
    assert!(dash.text().contains("since 12:31"), "{}", dash.text());
    dash.press("?");
    assert!(!dash.text().contains("since 12:31"), "{}", dash.text());
    dash.model.fail("it did not work");
    assert!(dash.text().contains("it did not work"), "{}", dash.text());
    dash.press("?");
    assert!(dash.text().contains("since 12:31"), "{}", dash.text());
}

#[test]
fn what_a_host_tells_late_is_added_to_the_summary() {
    let mut records = records(5);
    records[4] = ended("tests", Status::Error, Some(1), 60_000);
    let mut far = ended("train", Status::Error, Some(1), 60_000);
    far.summary.session_id = id("train").at("gpu1").unwrap();
    let mut dash = returned(120, 40, records.clone());
    answer(&mut dash, vec![event(EventKind::Exited, "tests")]);
    assert!(dash.text().contains("tests failed"), "{}", dash.text());
    records.push(far.clone());
    dash.list(records);
    dash.press("\x1b");
    let late = |at: i64| protocol::Event {
        session_id: Some(far.summary.session_id.clone()),
        at: Some(Timestamp(at)),
        ..event(EventKind::Exited, "train")
    };
    let told = |dash: &mut Dash, event: protocol::Event| {
        dash.link(LinkEvent::Event(event));
        let record = serde_json::to_value(&far).unwrap();
        let id = far.summary.session_id.clone();
        dash.link(LinkEvent::Reply(RequestKind::Record(id), Ok(record)));
        dash.text().replace('│', "")
    };
    let text = told(&mut dash, late(NOW + 3_600_000));
    assert!(
        !text.contains("since 12:31"),
        "it has just happened: {text}"
    );
    let text = told(&mut dash, late(THEN - 60_000));
    assert!(text.contains("since 12:31: tests failed, train"), "{text}");
}

#[test]
fn the_first_view_ever_shows_no_summary() {
    let mut dash = Dash::new(80, 24, records(5));
    assert!(!dash.actions().contains(&"events"));
    dash.happen(Event::Tick);
    assert_eq!(dash.model.last_open, None);
}
