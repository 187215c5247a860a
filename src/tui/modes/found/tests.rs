//! Tests of the search through all jobs.

use serde_json::{Value, json};

use crate::protocol::{Action, Error, ErrorCode};
use crate::tui::message::{Cmd, LinkEvent, RequestKind};
use crate::tui::model::Selected;
use crate::tui::modes::found::Found;
use crate::tui::scrollback::Part;
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{id, shop_records};

fn matches(lines: &[(u64, &str)], truncated: bool) -> Value {
    let lines: Vec<Value> = lines
        .iter()
        .map(|(n, text)| json!({ "n": n, "offset": n * 10, "text": text, "before": [], "after": [] }))
        .collect();
    json!({ "matches": lines, "firstLine": 1, "totalLines": 2000, "truncated": truncated })
}

/// Names of the jobs searched since the last call, with search number and pattern.
fn asked(dash: &mut Dash) -> Vec<(String, u64, String)> {
    let cmds = dash.asked();
    cmds.into_iter()
        .filter_map(|cmd| match cmd {
            Cmd::Request(RequestKind::Found(id, round), Action::Log(log)) => {
                let name = id.as_str().trim_end_matches('0').to_owned();
                Some((name, round, log.grep.unwrap()))
            }
            _ => None,
        })
        .collect()
}

fn told(dash: &mut Dash, name: &str, round: u64, found: Value) {
    dash.link(LinkEvent::Reply(
        RequestKind::Found(id(name), round),
        Ok(found),
    ));
}

/// A search for `error` with matches.
fn searched(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("j");
    dash.asked();
    dash.press("Ferror").later(200);
    told(
        &mut dash,
        "web",
        1,
        matches(
            &[
                (900, "12:01:07 GET /cart 500 error"),
                (1203, "12:44:52 TypeError: cart.items is undefined"),
            ],
            true,
        ),
    );
    for name in ["migrate", "db", "tests", "agent"] {
        told(&mut dash, name, 1, matches(&[], false));
    }
    let error = Error::new(ErrorCode::SessionRemoved, "gone");
    dash.link(LinkEvent::Reply(
        RequestKind::Found(id("lint"), 1),
        Err(error),
    ));
    told(
        &mut dash,
        "api",
        1,
        matches(
            &[(
                7,
                "a very long line that says a lot of things before it comes to the point, which is an error\x1b[2J",
            )],
            false,
        ),
    );
    dash
}

#[test]
fn shows_matches_of_all_jobs() {
    for (width, height) in [(120, 40), (80, 24), (40, 12), (20, 5)] {
        searched(width, height).snapshot(&format!("found-{width}x{height}"));
    }
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("F").snapshot("found-empty-80x24");
}

#[test]
fn searches_after_a_pause_and_in_a_few_jobs_at_once() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("F").press("e").press("r");
    assert_eq!(asked(&mut dash), [], "while one types");
    let due = dash.model.next_due().unwrap() - dash.model.now.ms;
    assert!(due <= 150, "{due}");
    dash.later(200);
    let first: Vec<String> = asked(&mut dash)
        .into_iter()
        .map(|(name, ..)| name)
        .collect();
    assert_eq!(first, ["migrate", "web", "api", "db"]);
    told(&mut dash, "web", 1, matches(&[(1, "er")], false));
    assert_eq!(asked(&mut dash)[0].0, "tests");
    // Another letter: replies to the pending requests will be ignored.
    dash.asked();
    dash.press("x").later(200);
    let cancelled = |cmd: &&Cmd| matches!(cmd, Cmd::Cancel(RequestKind::Found(_, 1)));
    assert_eq!(
        dash.cmds.iter().filter(cancelled).count(),
        4,
        "nobody wants those"
    );
    let (name, round, grep) = asked(&mut dash).remove(0);
    assert_eq!((name.as_str(), round, grep.as_str()), ("migrate", 2, "erx"));
    told(&mut dash, "api", 1, matches(&[(1, "er")], false));
    assert!(!dash.text().contains("api:1:"), "{}", dash.text());
    let due = dash.model.next_due().unwrap() - dash.model.now.ms;
    assert!(due > 150, "nothing more to do: {due}");
}

#[test]
fn types_letters_and_moves_by_arrows() {
    let mut dash = searched(80, 24);
    let Some(found) = dash.model.state::<Found>() else {
        panic!();
    };
    let lines: Vec<u64> = found.hits.iter().map(|hit| hit.n).collect();
    assert_eq!(
        lines,
        [1203, 900, 7],
        "in the order of the list, the newest of a job first"
    );
    dash.press("\x1b[B\x1b[B\x1b[B");
    assert!(dash.status().contains("[3/3]"), "{}", dash.status());
    dash.press("\x1b[A");
    assert!(dash.status().contains("[2/3]"));
    dash.press("jk");
    assert!(dash.text().contains("errorjk"));
    dash.press("\x1b");
    assert!(dash.model.is_normal());
}

#[test]
fn enter_goes_to_the_line_in_its_job() {
    let mut dash = searched(80, 24);
    dash.asked();
    dash.press("\x1b[B\r");
    assert_eq!(dash.model.list.selected, Selected::Job(id("web")));
    let log: Vec<u8> = (0..1200)
        .flat_map(|n| format!("error {n:02}\r\n").into_bytes())
        .collect();
    // The part around the line is requested, wherever it is in the log.
    let cmds = dash.asked();
    let Some(Cmd::Request(RequestKind::Log(_, Part::Around(9000)), Action::Log(params))) =
        cmds.last()
    else {
        panic!("{cmds:?}");
    };
    assert_eq!(params.offset, Some(0));
    // The daemon restarts before it has answered.
    dash.link(LinkEvent::Down).link(LinkEvent::Up);
    let again = dash.asked();
    let is_around = |cmd: &Cmd| {
        matches!(
            cmd,
            Cmd::Request(RequestKind::Log(_, Part::Around(9000)), _)
        )
    };
    assert!(again.iter().any(is_around), "{again:?}");
    dash.log("web", Part::Around(9000), &log, 0);
    let text = dash.text();
    let n = (0..1200).position(|n| log_offset(n) >= 9000).unwrap();
    assert!(text.contains(&format!("error {n}")), "{text}");
    assert!(dash.status().contains("/error"), "{}", dash.status());
    dash.press("\x1b");
    assert!(dash.model.is_normal());
}

fn log_offset(n: usize) -> usize {
    (0..n).map(|n| format!("error {n:02}\r\n").len()).sum()
}

#[test]
fn repeats_the_search_after_a_reconnect() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("Ferror").later(200);
    assert_eq!(asked(&mut dash).len(), 4);
    dash.link(LinkEvent::Down)
        .link(LinkEvent::Up)
        .list(shop_records());
    let again = asked(&mut dash);
    assert_eq!(again.len(), 4);
    assert_eq!(again[0].1, 2);
}

#[test]
fn a_due_search_causes_no_wakeups_while_disconnected() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("Ferror").link(LinkEvent::Down).later(1000);
    let due = dash.model.next_due().unwrap();
    assert!(due > dash.model.now.ms, "{}", due - dash.model.now.ms);
}

#[test]
fn drops_the_matches_of_an_old_query() {
    let mut dash = searched(80, 24);
    assert!(dash.text().contains("web:1203"));
    dash.press("x");
    assert!(!dash.text().contains("web:1203"), "{}", dash.text());
    told(&mut dash, "agent", 1, matches(&[(5, "error")], false));
    dash.press("\r");
    assert!(dash.model.state::<Found>().is_some());
}

/// A search for `error` in `web` with two matches near each other and one far away.
fn with_context(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("Ferror").later(200);
    told(
        &mut dash,
        "web",
        1,
        matches(&[(9, "error a"), (96, "error b"), (99, "error c")], false),
    );
    dash.press("\x1b[B").asked();
    dash.press("\t");
    let lines = |from: u64, to: u64| -> Vec<String> {
        (from..=to).map(|n| format!("line {n}\x1b[2J")).collect()
    };
    let one = |n: u64, text: &str| {
        json!({
            "n": n, "offset": n * 10, "text": text,
            "before": lines(n - 2, n - 1), "after": lines(n + 1, n + 2),
        })
    };
    let found = [one(9, "error a"), one(96, "error b"), one(99, "error c")];
    told(
        &mut dash,
        "web",
        2,
        json!({ "matches": found, "firstLine": 1, "totalLines": 2000, "truncated": false }),
    );
    dash
}

#[test]
fn a_key_shows_the_lines_around_each_match() {
    let mut dash = with_context(80, 24);
    let contexts: Vec<Option<usize>> = dash
        .asked()
        .iter()
        .filter_map(|cmd| match cmd {
            Cmd::Request(RequestKind::Found(_, 2), Action::Log(log)) => Some(log.context),
            _ => None,
        })
        .collect();
    assert!(contexts.len() >= 4, "{contexts:?}");
    assert!(contexts.iter().all(|context| *context == Some(2)));
    dash.snapshot("found-context-80x24");
    assert!(dash.status().contains("[2/3]"), "the cursor stays");
    with_context(40, 12).snapshot("found-context-40x12");
    with_context(20, 5).snapshot("found-context-20x5");
    // Hiding them needs no search, and neither does showing them again.
    dash.press("\t");
    assert!(!dash.text().contains("line 97"), "{}", dash.text());
    dash.press("\t");
    assert!(dash.text().contains("line 97"));
    assert_eq!(asked(&mut dash), []);
}

#[test]
fn the_context_scrolls_with_the_match() {
    let mut dash = with_context(40, 12);
    dash.press("\x1b[B");
    let text = dash.text();
    assert!(text.contains("web: 9: error a"), "{text}");
    assert!(text.contains("web-11- line 11"), "{text}");
}

#[test]
fn enter_goes_to_its_job_from_the_scrolled_log_of_another_one() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("jj")
        .screen("api", 20, 52, "hello")
        .press("\x19");
    let scrolled = dash.model.pane.scroll.as_ref().map(|scroll| &scroll.id);
    assert_eq!(scrolled, Some(&id("api")));
    dash.press("Ferror").later(200);
    told(&mut dash, "web", 1, matches(&[(900, "an error")], false));
    dash.asked();
    dash.press("\r");
    assert!(dash.status().contains("web"), "{}", dash.status());
    assert_eq!(dash.model.current_id(), Some(&id("web")));
    let asked = dash.asked();
    let logs = asked.iter().filter_map(|cmd| match cmd {
        Cmd::Request(RequestKind::Log(of, part), _) => Some((of.clone(), *part)),
        _ => None,
    });
    let logs: Vec<_> = logs.collect();
    assert_eq!(logs, [(id("web"), Part::Around(9000))]);
}

#[test]
fn enter_on_the_match_of_a_job_that_is_gone_opens_no_other_one() {
    let mut dash = searched(80, 24);
    dash.model.jobs.retain(|job| *job.id() != id("web"));
    dash.press("\r");
    assert!(dash.model.is_normal(), "{}", dash.status());
    assert!(dash.text().contains("was removed"), "{}", dash.text());
}
