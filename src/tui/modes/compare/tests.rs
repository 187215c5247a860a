//! Tests of COMPARE.

use serde_json::{Value, json};

use super::pairs::Compare;
use crate::protocol::Action;
use crate::tui::message::{Cmd, LinkEvent, RequestKind};
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{id, shop_records};

/// The names of the jobs whose logs were requested since the last call.
fn requested(dash: &mut Dash) -> Vec<String> {
    let cmds = dash.asked().into_iter();
    let requests = cmds.filter_map(|cmd| match cmd {
        Cmd::Request(RequestKind::Compare(id), Action::Log(log)) => {
            assert_eq!(log.tail, Some(5000));
            Some(id.as_str().trim_end_matches('0').to_owned())
        }
        _ => None,
    });
    requests.collect()
}

fn told(dash: &mut Dash, name: &str, lines: &[String]) {
    let line = |(n, text): (u64, &String)| json!({ "n": n, "stream": "stdout", "text": text });
    let lines: Vec<Value> = (1..).zip(lines).map(line).collect();
    let data = json!({ "lines": lines, "firstLine": 1, "totalLines": 2000 });
    dash.link(LinkEvent::Reply(RequestKind::Compare(id(name)), Ok(data)));
}

/// A window in which `web` and `api` are marked.
fn marked(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    for name in ["web", "api"] {
        dash.model.list.marked.insert(id(name));
    }
    dash
}

/// The comparison of two logs with three differences.
fn compared(width: u16, height: u16) -> Dash {
    let mut dash = marked(width, height);
    dash.press("=");
    assert_eq!(requested(&mut dash), ["web", "api"]);
    let log = |second: u64, special: &[(u64, Option<&str>)]| -> Vec<String> {
        let line = |n: u64| match special.iter().find(|(at, _)| *at == n) {
            Some((_, text)) => text.map(str::to_owned),
            None => Some(format!(
                "12:44:{second:02} GET /cart/{n} 200 in {} ms",
                n * second
            )),
        };
        (1..=40).filter_map(line).collect()
    };
    let long = "TypeError: cart.items is undefined, and more is said about it than there is room for\x1b[2J";
    told(&mut dash, "web", &log(1, &[(12, Some(long)), (30, None)]));
    told(&mut dash, "api", &log(7, &[(20, None), (21, None)]));
    dash
}

#[test]
fn two_logs_stand_beside_each_other() {
    for (width, height) in [(120, 40), (80, 24), (40, 12), (20, 5)] {
        compared(width, height).snapshot(&format!("compare-{width}x{height}"));
    }
}

#[test]
fn keys_go_from_difference_to_difference() {
    let mut dash = compared(80, 24);
    let place = |dash: &Dash| {
        let compare = dash.model.state::<Compare>().unwrap();
        (compare.at, compare.top)
    };
    assert_eq!(place(&dash), (0, 4));
    assert!(
        dash.status().contains("difference 1 of 3"),
        "{}",
        dash.status()
    );
    dash.press("n");
    assert_eq!(place(&dash).0, 1);
    dash.press("nn");
    assert!(dash.status().contains("difference 3 of 3"));
    dash.press("N");
    assert!(dash.status().contains("difference 2 of 3"));
    dash.press("g");
    assert_eq!(place(&dash), (1, 0));
    dash.press("jjjk");
    assert_eq!(place(&dash), (1, 2), "both logs move together");
    dash.press("G");
    assert_eq!(place(&dash), (1, 19));
    dash.press("ll");
    assert!(dash.text().contains("rt/40 200"), "{}", dash.text());
    assert!(!dash.text().contains("12:44"));
    dash.press("hhq");
    assert!(dash.model.is_normal());
    dash.press("=\x1b");
    assert!(dash.model.is_normal());
}

#[test]
fn needs_exactly_two_marked_jobs() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("=");
    assert!(dash.model.is_normal());
    assert!(dash.text().contains("job is marked."), "{}", dash.text());
    dash.model.list.marked.insert(id("web"));
    dash.press("=");
    assert!(dash.model.is_normal());
    for name in ["api", "db"] {
        dash.model.list.marked.insert(id(name));
    }
    dash.press("=");
    assert!(dash.model.is_normal());
}

#[test]
fn logs_are_read_again_by_a_key_and_after_a_reconnect() {
    let mut dash = compared(80, 24);
    assert!(requested(&mut dash).is_empty());
    dash.press("r");
    assert_eq!(requested(&mut dash), ["web", "api"]);
    assert!(dash.text().contains("reading ..."), "{}", dash.text());
    told(&mut dash, "web", &["same".to_owned()]);
    dash.link(LinkEvent::Down)
        .link(LinkEvent::Up)
        .list(shop_records());
    assert_eq!(requested(&mut dash), ["api"]);
    told(&mut dash, "api", &["same".to_owned()]);
    assert!(dash.status().contains("no difference"), "{}", dash.status());
}

#[test]
fn a_low_window_shows_a_line_of_each_log_and_nothing_over_another() {
    let mut dash = marked(60, 5);
    dash.press("=").asked();
    told(&mut dash, "web", &["x".to_owned()]);
    told(&mut dash, "api", &["y".to_owned()]);
    let text = dash.text();
    let rows: Vec<&str> = text.lines().take(3).collect();
    assert_eq!(rows, ["   web  npm run web", " | x", " | y"]);
}

#[test]
fn two_jobs_of_one_name_are_told_apart_by_their_start() {
    let mut dash = compared(120, 24);
    assert!(!dash.text().contains("web of"), "{}", dash.text());
    for job in &mut dash.model.jobs {
        if *job.id() == id("api") {
            job.name = "web".to_owned();
        }
    }
    dash.model.dirty = true;
    let text = dash.text();
    assert_eq!(text.matches("web of ").count(), 2, "{text}");
}
