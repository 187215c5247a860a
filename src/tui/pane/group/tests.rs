//! Tests of the pane of a group.

use serde_json::{Value, json};

use super::draw::most_important;
use crate::protocol::{Action, EventKind, Timestamp};
use crate::tui::message::{Cmd, LinkEvent, RequestKind};
use crate::tui::state::State;
use crate::tui::tests::harness::{Dash, theme};
use crate::tui::tests::jobs::{NOW, id, shop_records};
use crate::tui::theme::Depth;

/// The names of the jobs whose lines were requested since the last call, with the number of lines.
fn requested(dash: &mut Dash) -> Vec<(String, u64)> {
    let cmds = std::mem::take(&mut dash.cmds);
    let requests = cmds.into_iter().filter_map(|cmd| match cmd {
        Cmd::Request(RequestKind::Merged(id), Action::Log(log)) => {
            let name = id.as_str().trim_end_matches('0').to_owned();
            Some((name, log.tail.unwrap()))
        }
        _ => None,
    });
    requests.collect()
}

/// Replies with the newest lines of a job, each with its time in seconds before now.
fn told(dash: &mut Dash, name: &str, first: u64, lines: &[(i64, String)]) {
    let line = |(n, (ago, text)): (u64, &(i64, String))| {
        let at = Timestamp(NOW - ago * 1000);
        json!({ "n": n, "at": at, "stream": "stdout", "text": text })
    };
    let lines: Vec<Value> = (first..).zip(lines).map(line).collect();
    let data = json!({ "lines": lines, "firstLine": 1, "totalLines": 2000 });
    dash.link(LinkEvent::Reply(RequestKind::Merged(id(name)), Ok(data)));
}

/// The group `shop` with the lines of three of its jobs.
fn shop(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("g");
    let line = |ago: i64, text: &str| (ago, text.to_owned());
    let many: Vec<_> = (1..=90)
        .map(|n| line(100 - n, &format!("GET /cart/{n} 200 in {n} ms")))
        .collect();
    told(&mut dash, "web", 1100, &many);
    let api = [
        line(2000, "too old: lines of web are missing after it"),
        line(40, "\x1b[31mconnected to db"),
        line(
            12,
            "a very long line that says a lot of things before it comes to the point, and then goes on and on until the pane ends",
        ),
        line(11, ""),
    ];
    told(&mut dash, "api", 1, &api);
    told(&mut dash, "migrate", 1, &[line(13, "  Password for prod:")]);
    for name in ["db", "tests"] {
        told(&mut dash, name, 1, &[]);
    }
    dash
}

#[test]
fn a_group_shows_the_lines_of_its_jobs_by_time() {
    for (width, height) in [(120, 40), (80, 24), (60, 10)] {
        shop(width, height).snapshot(&format!("group-{width}x{height}"));
    }
    let dash = shop(120, 40);
    assert!(!dash.text().contains("too old"), "{}", dash.text());
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("g");
    for name in ["web", "api", "migrate", "db", "tests"] {
        told(&mut dash, name, 1, &[]);
    }
    assert!(dash.text().contains("No output yet."), "{}", dash.text());
}

#[test]
fn names_have_colours_if_there_are_any() {
    let colors = |dash: &Dash| {
        let (buffer, _) = dash.paint();
        let y = |name: &str| {
            let text = dash.text();
            let found = text.lines().position(|line| line.contains(name));
            u16::try_from(found.unwrap()).unwrap()
        };
        // The names stand after the divider, a blank and the time.
        let at = |y| buffer.cell((28 + 9, y)).unwrap().clone();
        [at(y("/cart/90 200")), at(y("Password for"))]
    };
    let mut dash = shop(80, 24);
    let [web, migrate] = colors(&dash);
    assert_eq!((web.symbol(), migrate.symbol()), ("w", "m"));
    assert_ne!(web.fg, migrate.fg);
    dash.model.theme = theme(Depth::None, false);
    let [web, migrate] = colors(&dash);
    assert_eq!(web.fg, migrate.fg);
}

#[test]
fn output_events_lead_to_requests_and_nothing_else_does() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("g");
    let first = requested(&mut dash);
    assert_eq!(first.len(), 5, "{first:?}");
    assert!(first.iter().all(|(_, lines)| *lines == 40), "{first:?}");
    let output = |dash: &mut Dash, name: &str, bytes: u64| {
        dash.event(EventKind::Output, name, json!({ "outputBytes": bytes }));
    };
    // The reply may be older than the event.
    output(&mut dash, "web", 2_000_000);
    assert_eq!(requested(&mut dash), []);
    told(&mut dash, "web", 1, &[(1, "one".to_owned())]);
    assert_eq!(requested(&mut dash), [("web".to_owned(), 40)]);
    told(&mut dash, "web", 1, &[(1, "one".to_owned())]);
    dash.later(1000);
    assert_eq!(requested(&mut dash), []);
    // Another group does not care.
    output(&mut dash, "agent", 2_000_000);
    assert_eq!(requested(&mut dash), []);
    // Everything is requested again on a new connection.
    dash.link(LinkEvent::Down).link(LinkEvent::Up);
    assert_eq!(requested(&mut dash).len(), 5);
    // A selected job shows its screen.
    dash.press("j");
    output(&mut dash, "web", 3_000_000);
    assert_eq!(requested(&mut dash), []);
}

#[test]
fn scrolls_back_to_the_oldest_of_long_lines() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("g");
    let line = |n: i64| (50 - n, format!("line {n:02} {}", "x".repeat(100)));
    let lines: Vec<_> = (1..=40).map(line).collect();
    told(&mut dash, "web", 1, &lines);
    for _ in 0..20 {
        dash.press("\x15");
    }
    assert!(dash.text().contains("line 01 "), "{}", dash.text());
    // As far back as that, and not farther.
    dash.press("\x05");
    let text = dash.text();
    assert!(!text.contains("line 01 "), "{text}");
}

#[test]
fn scrolling_back_holds_the_lines() {
    let mut dash = shop(80, 24);
    requested(&mut dash);
    assert!(dash.text().contains("/cart/90 "), "{}", dash.text());
    assert!(dash.text().contains("following"));
    dash.press("\x15");
    assert!(!dash.text().contains("/cart/90 "), "{}", dash.text());
    assert!(dash.text().contains("scrolled back"));
    let before = dash.text();
    dash.event(
        EventKind::Output,
        "web",
        json!({ "outputBytes": 2_000_000 }),
    );
    assert_eq!(requested(&mut dash), []);
    assert_eq!(dash.text(), before);
    dash.press("\x1b").later(50);
    assert!(dash.text().contains("/cart/90 "), "{}", dash.text());
    assert_eq!(requested(&mut dash).len(), 1);
    dash.press("\x15\x15\x15\x15\x15\x15\x15\x15\x15\x15\x15\x15\x15\x04");
    assert!(dash.text().contains("scrolled back"));
    for _ in 0..20 {
        dash.press("\x04");
    }
    assert!(dash.text().contains("following"), "{}", dash.text());
    // The wheel, over the lines.
    dash.press("\x1b[<64;50;12M");
    assert!(dash.text().contains("scrolled back"), "{}", dash.text());
}

#[test]
fn what_calls_a_person_has_its_row_among_many_jobs() {
    let job = |at: usize| {
        let state = if at == 20 {
            State::Failed(7)
        } else {
            State::Running
        };
        (state, format!("job {at}"))
    };
    let shown = |room: usize| {
        let jobs = most_important((0..21).map(job).collect(), room);
        jobs.into_iter().map(|(_, line)| line).collect::<Vec<_>>()
    };
    assert_eq!(shown(3), ["job 0", "job 1", "job 20"]);
    assert_eq!(shown(0), Vec::<String>::new());
    assert_eq!(shown(21).len(), 21);
}
