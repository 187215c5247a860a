//! Tests of the details page.

use serde_json::json;

use crate::protocol::record::{Detail, Process, Record};
use crate::protocol::run::Run;
use crate::protocol::{Action, EventKind, Status, Timestamp};
use crate::tui::message::{Cmd, Effect, LinkEvent, RequestKind};
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{NOW, ended, id, record, shop_records};

fn detailed(mut record: Record) -> Record {
    let process = |pid, ppid, command: &str, state: &str| Process {
        pid,
        ppid,
        command: command.to_owned(),
        state: state.to_owned(),
    };
    let run = |run, from: i64, to: Option<i64>, code| Run {
        ended_at: to.map(|to| Timestamp(NOW - to)),
        exit_code: code,
        ..Run::begun(run, 0, Timestamp(NOW - from))
    };
    record.detail = Some(Detail {
        processes: vec![
            process(48213, 1, "npm run web", "S"),
            process(48214, 48213, "sh -c vite --port 3000", "S"),
            process(48215, 48214, "node vite --port 3000", "R"),
            process(48230, 48213, "esbuild --service\x1b[2J --ping", "S"),
        ],
        ports: vec![3000, 9229],
        urls: vec!["http://localhost:3000/".to_owned()],
        env_names: vec!["NODE_ENV".to_owned(), "PORT".to_owned()],
        runs: vec![
            run(1, 200_000, Some(199_800), Some(127)),
            run(2, 100_000, Some(99_800), Some(127)),
            run(3, 90_000, None, None),
        ],
        ..Detail::default()
    });
    record
}

/// The details page of `web` with its data.
fn page(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("j");
    dash.asked();
    dash.press("I");
    let told = detailed(shop_records().remove(0));
    dash.link(LinkEvent::Reply(
        RequestKind::Details(id("web")),
        Ok(json!(told)),
    ));
    let line = |n: u64, ago: i64, text: &str, by: &str, kind: &str| {
        json!({
            "n": n, "at": Timestamp(NOW - ago), "stream": "input", "text": text, "by": by, "kind": kind,
        })
    };
    let typed = json!({
        "lines": [
            line(1, 86_400_000, "(6 bytes, not shown)", "human", "human"),
            line(2, 60_000, "npm test\r", "builder", "agent"),
            line(3, 1000, "q\u{1b}[A", "human", "human"),
        ],
        "firstLine": 1, "totalLines": 3,
    });
    dash.link(LinkEvent::Reply(RequestKind::Typed(id("web")), Ok(typed)));
    dash
}

#[test]
fn shows_the_details_of_a_job() {
    for (width, height) in [(120, 40), (80, 24), (40, 12), (20, 5)] {
        page(width, height).snapshot(&format!("details-{width}x{height}"));
    }
    let mut dash = page(80, 24);
    dash.press("G").snapshot("details-end-80x24");
    assert!(dash.status().contains("DETAILS"));
}

#[test]
fn scrolls_the_page_and_leaves_it() {
    let mut dash = page(80, 24);
    let first = dash.text();
    dash.press("j");
    assert_ne!(dash.text(), first);
    dash.press("k");
    assert_eq!(dash.text(), first);
    dash.press("\x04\x04\x04\x04k\x15\x15\x15\x15\x15");
    assert_eq!(dash.text(), first);
    dash.press("Gjjjg");
    assert_eq!(dash.text(), first);
    dash.press("\x1b");
    assert!(dash.model.is_normal());
}

#[test]
fn copies_the_page_as_text() {
    let mut dash = page(80, 24);
    dash.press("y");
    let cmds = dash.asked();
    let Some(Cmd::Effect(Effect::Copy(text, what))) = cmds.last() else {
        panic!("{cmds:?}");
    };
    assert_eq!(what, "the details");
    for part in [
        "48213 sleeps  npm run web",
        "│  └─ 48215 runs  node vite --port 3000",
        "NODE_ENV PORT",
        "exit 127, failed the same way as the run before",
        "(6 bytes, not shown)",
        "builder       npm test",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.lines().all(|line| line == line.trim_end()));
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn requests_the_page_again_once_for_several_events() {
    let mut dash = page(80, 24);
    dash.asked();
    let is_details = |cmd: &Cmd| matches!(cmd, Cmd::Request(RequestKind::Details(_), Action::Status(params)) if params.detail == Some(true));
    let count = |dash: &mut Dash| dash.asked().iter().filter(|cmd| is_details(cmd)).count();
    dash.event(EventKind::Exited, "api", json!({}));
    assert_eq!(count(&mut dash), 0, "of another job");
    for kind in [EventKind::Held, EventKind::Released, EventKind::Exited] {
        dash.event(kind, "web", json!({}));
    }
    assert_eq!(count(&mut dash), 1);
    let told = json!(detailed(record("web")));
    dash.link(LinkEvent::Reply(RequestKind::Details(id("web")), Ok(told)));
    assert_eq!(count(&mut dash), 1, "for what came meanwhile");
    dash.link(LinkEvent::Down)
        .link(LinkEvent::Up)
        .list(shop_records());
    dash.event(EventKind::Held, "web", json!({}));
    assert_eq!(
        count(&mut dash),
        1,
        "an answer that was lost is asked for again"
    );
    dash.event(EventKind::Removed, "web", json!({}));
    assert!(dash.model.is_normal());
}

#[test]
fn describes_the_end_in_words() {
    let mut dash = Dash::new(80, 24, vec![ended("lint", Status::Killed, None, 60_000)]);
    dash.press("I");
    let text = dash.text();
    assert!(
        text.contains("12:44:00 after 48s: killed by you\n"),
        "{text}"
    );
    dash.press("\x1bx");
    assert!(!dash.text().contains("DETAILS"));
}

#[test]
fn a_run_that_somebody_ended_has_not_failed() {
    let mut dash = Dash::new(120, 40, vec![ended("two", Status::Killed, None, 1000)]);
    dash.press("I");
    let mut told = detailed(ended("two", Status::Killed, None, 1000));
    for run in &mut told.detail.as_mut().unwrap().runs {
        run.exit_code = None;
        run.signal = Some("SIGTERM".to_owned());
        run.ended_at = Some(Timestamp(NOW - 1000));
    }
    dash.link(LinkEvent::Reply(
        RequestKind::Details(id("two")),
        Ok(json!(told)),
    ));
    let text = dash.text();
    assert_eq!(text.matches("SIGTERM").count(), 3, "{text}");
    assert!(text.contains("SIGTERM, by you"), "{text}");
    assert!(!text.contains("failed the same way"), "{text}");
}

#[test]
fn a_lost_run_is_called_so() {
    let mut dash = Dash::new(120, 40, vec![ended("two", Status::Lost, None, 1000)]);
    dash.press("I");
    let mut told = detailed(ended("two", Status::Lost, None, 1000));
    for run in &mut told.detail.as_mut().unwrap().runs {
        (run.exit_code, run.ended_at) = (None, Some(Timestamp(NOW - 1000)));
        run.lost = true;
    }
    dash.link(LinkEvent::Reply(
        RequestKind::Details(id("two")),
        Ok(json!(told)),
    ));
    let text = dash.text();
    assert!(text.matches(" lost").count() >= 3, "{text}");
    assert!(!text.contains("failed the same way"), "{text}");
}

#[test]
fn details_tell_what_was_chosen_for_the_job() {
    let mut web = record("web");
    web.summary.keep = true;
    web.summary.notify = vec![
        crate::protocol::Notice::Failed,
        crate::protocol::Notice::Done,
    ];
    web.restart = crate::protocol::RestartPolicy::parse("always");
    let mut dash = Dash::new(100, 30, vec![web, record("api")]);
    crate::tui::list::select::job(&mut dash.model, &id("web"));
    dash.press("I");
    let text = dash.text();
    for (label, fact) in [
        ("kept", "until it is removed"),
        ("restart", "always, pauses 1s to 1m"),
        ("notify", "failed, done"),
    ] {
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with(label));
        assert!(
            line.is_some_and(|line| line.contains(fact)),
            "{label}: {text}"
        );
    }
    dash.press("q");
    crate::tui::list::select::job(&mut dash.model, &id("api"));
    let text = dash.press("I").text();
    assert!(
        !text.contains("kept ") && !text.contains("notify "),
        "{text}"
    );
}
