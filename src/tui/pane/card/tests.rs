//! Tests of the card of a failed job.

use serde_json::{Value, json};

use crate::protocol::project::{Level, Needed, Waiting};
use crate::protocol::{Action, Error, ErrorCode, Record, RestartPolicy, Status, Timestamp};
use crate::tui::message::CardPart;
use crate::tui::message::{Cmd, Effect, LinkEvent, RequestKind};
use crate::tui::options::Options;
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{NOW, ended, id, record, shop_records};
use crate::tui::theme::Appearance;
use crate::tui::units;

const MINUTE: i64 = 60_000;

fn lint() -> Record {
    let mut lint = ended("lint", Status::Error, Some(127), 3 * MINUTE);
    lint.summary.cwd = "/home/me/notes".to_owned();
    lint.summary.runtime_ms = 200;
    lint
}

fn answer(dash: &mut Dash, part: CardPart, value: Value) {
    dash.link(LinkEvent::Reply(
        RequestKind::Card(id("lint"), part),
        Ok(value),
    ));
}

fn log(lines: &[&str]) -> Value {
    let lines: Vec<_> = lines
        .iter()
        .zip(1..)
        .map(|(text, n)| json!({"n": n, "at": null, "stream": "stdout", "text": text}))
        .collect();
    json!({"lines": lines, "firstLine": 1, "totalLines": 9})
}

fn run(number: u32, code: i32) -> Value {
    let at = Timestamp(NOW - 3 * MINUTE - 200 + i64::from(number));
    json!({"run": number, "offset": 0, "startedAt": at, "endedAt": null, "exitCode": code, "signal": null})
}

fn runs(dash: &mut Dash, record: &Record, runs: &[Value]) {
    let mut value = json!(record);
    value["detail"] =
        json!({"processes": [], "ports": [], "urls": [], "envNames": [], "runs": runs});
    answer(dash, CardPart::Runs, value);
}

/// A view of the failed job with its card, whose screen shows `screen`.
fn failed(options: Options, width: u16, height: u16, screen: &str) -> Dash {
    let mut dash = Dash::with(options, width, height, vec![lint()]);
    if width < 60 {
        dash.press("\r");
    }
    dash.screen("lint", 40, 120, screen);
    runs(&mut dash, &lint(), &[run(1, 0), run(2, 127), run(3, 127)]);
    let output = log(&["> eslint .", "sh: 1: eslint: not found"]);
    answer(&mut dash, CardPart::Output(3), output.clone());
    answer(&mut dash, CardPart::Before(2), output);
    dash
}

const SCREEN: &str = "> eslint .\r\nsh: 1: eslint: not found\r\n";

#[test]
fn pictures() {
    for (width, height) in [(120, 40), (80, 24), (40, 12), (60, 10)] {
        failed(Options::default(), width, height, SCREEN)
            .snapshot(&format!("card-{width}x{height}"));
    }
    let long: String = (1..=60).map(|n| format!("line {n}\r\n")).collect();
    let mut dash = failed(Options::default(), 80, 24, &long);
    dash.snapshot("card-long-80x24");
    assert!(
        dash.text().contains("line 60"),
        "the end of the output shows"
    );
    let options = Options {
        appearance: Appearance {
            ascii: true,
            ..Appearance::default()
        },
        read_only: true,
        ..Options::default()
    };
    let mut dash = failed(options, 80, 24, SCREEN);
    dash.snapshot("card-ascii-read-only-80x24");
    assert!(dash.text().is_ascii(), "{}", dash.text());
}

#[test]
fn requests_the_card_once_per_end() {
    let asks = |dash: &mut Dash| {
        let asked = dash.asked();
        let is_ask = |cmd: &&Cmd| matches!(cmd, Cmd::Request(RequestKind::Card(..), _));
        asked.iter().filter(is_ask).count()
    };
    let mut dash = Dash::new(80, 24, vec![lint()]);
    assert_eq!(asks(&mut dash), 1);
    dash.later(1000).later(1000);
    assert_eq!(asks(&mut dash), 0);
    // Jobs that run, succeeded or were killed have no card.
    let mut dash = Dash::new(80, 24, shop_records());
    for _ in 0..8 {
        dash.press("j");
    }
    assert_eq!(asks(&mut dash), 1, "lint only");
    let mut dash = Dash::new(80, 24, vec![lint()]);
    dash.asked();
    let mut again = lint();
    again.summary.ended_at = Some(Timestamp(NOW));
    dash.record(&again);
    assert_eq!(asks(&mut dash), 1);
    // Unavailable parts are left out.
    assert!(!dash.text().contains("failed: exit"), "{}", dash.text());
    let error = Error::new(ErrorCode::Internal, "x");
    dash.link(LinkEvent::Reply(
        RequestKind::Card(id("lint"), CardPart::Runs),
        Err(error),
    ));
    assert!(dash.text().contains("failed: exit 127"), "{}", dash.text());
}

#[test]
fn a_taken_port_is_named_with_the_job_that_has_it() {
    let mut lint_1 = lint();
    lint_1.summary.exit_code = Some(1);
    let mut dash = Dash::new(120, 24, vec![lint_1]);
    runs(&mut dash, &lint(), &[run(1, 127)]);
    dash.asked();
    let output = log(&["Error: listen EADDRINUSE: address already in use :::3000"]);
    answer(&mut dash, CardPart::Output(1), output);
    let asked = dash.asked();
    let lists = |cmd: &Cmd| matches!(cmd, Cmd::Request(_, Action::List(list)) if list.include_ports == Some(true));
    assert!(asked.iter().any(lists), "{asked:?}");
    assert!(
        dash.text().contains("port 3000 is taken"),
        "{}",
        dash.text()
    );
    let mut web = shop_records().swap_remove(0);
    web.summary.ports = Some(vec![3000]);
    let listed = json!({ "sessions": [lint(), web], "counts": {} });
    answer(&mut dash, CardPart::Port(3000), listed);
    let text = dash.text();
    assert!(
        text.contains("port 3000 is taken by job web (pid 48213)"),
        "{text}"
    );
}

#[test]
fn copies_the_report() {
    let mut dash = Dash::new(80, 24, vec![lint()]);
    dash.press("Y");
    assert!(dash.text().contains("not there yet"), "{}", dash.text());
    let mut dash = failed(Options::default(), 80, 24, SCREEN);
    dash.asked();
    dash.press("Y");
    let copied = dash.asked().into_iter().find_map(|cmd| match cmd {
        Cmd::Effect(Effect::Copy(text, what)) => Some((text, what)),
        _ => None,
    });
    let (text, what) = copied.unwrap();
    assert_eq!(what, "the report of lint");
    assert_eq!(
        text,
        "lint failed: exit 127, command not found: eslint\ncommand: npm run lint\ndirectory: /home/me/notes\n\
         ran: 0.2s\nstarted: 2026-11-21T12:41:59.803Z\nrun 3 (run 2 failed the same way)\n\
         first error: sh: 1: eslint: not found\nlast lines:\n  > eslint .\n  sh: 1: eslint: not found\n"
    );
    let mut dash = Dash::new(80, 24, vec![shop_records().swap_remove(0)]);
    dash.press("Y");
    assert!(
        dash.text().contains("web has not failed"),
        "{}",
        dash.text()
    );
}

#[test]
fn survivors_of_a_stop_can_be_killed_again() {
    let mut dash = Dash::new(80, 24, vec![shop_records().swap_remove(0)]);
    let killed = |survivors: &[u32]| {
        json!({"sessionId": id("web"), "removed": false, "previousStatus": "running", "status": "killed", "exitCode": null, "signal": "SIGTERM",
            "killedPids": [], "survivors": survivors, "output": "", "alreadyEnded": false})
    };
    dash.link(LinkEvent::Reply(
        RequestKind::Kill(id("web"), false),
        Ok(killed(&[5123])),
    ));
    assert!(dash.text().contains("pid 5123"), "{}", dash.text());
    assert!(dash.text().contains("tries again"), "{}", dash.text());
    dash.asked();
    dash.press("K");
    let kills =
        |cmd: &Cmd| matches!(cmd, Cmd::Request(_, Action::Kill(kill)) if kill.force == Some(true));
    assert!(
        dash.status()
            .contains("KILL -9  what still runs of web: pid 5123?"),
        "{}",
        dash.status()
    );
    assert!(!dash.asked().iter().any(kills));
    dash.press("y");
    assert!(dash.asked().iter().any(kills));
    dash.link(LinkEvent::Reply(
        RequestKind::Kill(id("web"), false),
        Ok(killed(&[])),
    ));
    dash.press("K");
    assert!(
        !dash.asked().iter().any(kills),
        "there is nothing left to end"
    );
}

#[test]
fn a_run_that_began_by_itself_was_started_by_nobody() {
    let facts = |because: Option<&str>, policy: Option<RestartPolicy>, number: u32| {
        let mut record = lint();
        record.restart = policy;
        let mut dash = Dash::new(120, 24, vec![record.clone()]);
        let mut last = run(number, 127);
        last["because"] = json!(because);
        runs(&mut dash, &record, &[last]);
        answer(&mut dash, CardPart::Output(number), log(&["no"]));
        dash.text()
    };
    assert!(facts(None, None, 1).contains(" by you"));
    assert!(facts(None, None, 3).contains(" by you"));
    let policy = || Some(RestartPolicy::default());
    assert!(facts(None, policy(), 1).contains(" by you"));
    for text in [
        facts(None, policy(), 3),
        facts(Some("changed: a.rs"), None, 2),
    ] {
        assert!(
            text.contains("started ") && !text.contains("by you"),
            "{text}"
        );
    }
}

#[test]
fn the_card_stays_while_text_above_it_is_selected() {
    let mut dash = failed(Options::default(), 80, 24, SCREEN);
    let before = dash.text();
    let pane = dash.model.layout().pane.unwrap();
    let mut mouse = |button: u16, row: u16, last: char| {
        let row = pane.y + row + 1;
        dash.press(&format!("\x1b[<{button};{};{row}{last}", pane.x + 1));
        dash.text()
    };
    assert_eq!(mouse(0, 0, 'M'), before);
    mouse(0, 0, 'm');
    // There is no text of the job in the rows of the card.
    assert_eq!(mouse(0, 3, 'M'), before);
    assert_eq!(mouse(32, 4, 'M'), before);
}

#[test]
fn a_job_with_a_delay_says_when_it_starts() {
    let mut late = record("late");
    let (summary, in_ten_minutes) = (&mut late.summary, Timestamp(NOW + 600_000));
    (summary.status, summary.pid) = (Status::Queued, None);
    summary.waiting = Some(Waiting {
        why: format!("starts at {in_ten_minutes}"),
        until: Some(in_ten_minutes),
        needs: None,
        never: false,
        resumable: false,
        queue: None,
        place: None,
    });
    let mut dash = Dash::new(120, 24, vec![late]);
    let text = dash.later(0).text();
    let at = units::moment_ahead(in_ten_minutes, NOW, &dash.model.zone);
    for words in [
        &format!("starts at {at}, in 10m"),
        "in 10m         │",
        "run now",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains('Z'), "{text}");
}

#[test]
fn a_job_that_was_skipped_says_what_became_of_the_one_before_it() {
    let mut next = record("next");
    next.summary.status = Status::Queued;
    next.summary.created_at = Timestamp(NOW);
    next.summary.waiting = Some(Waiting {
        why: "needs lint ok".to_owned(),
        until: None,
        needs: Some(Needed {
            name: "lint".to_owned(),
            level: Level::Ok,
        }),
        never: true,
        resumable: false,
        queue: None,
        place: None,
    });
    let mut dash = Dash::new(120, 24, vec![lint(), next]);
    crate::tui::list::select::job(&mut dash.model, &id("next"));
    let text = dash.later(0).text();
    for words in [
        "skipped: needs lint ok",
        "It starts by itself when that comes.",
        "needs lint ok  ✗ exit 127",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("bring up"), "{text}");
}
