//! Tests of notifications, the window title, and URLs.

use serde_json::json;

use super::harness::Dash;
use super::jobs::{HOME, NOW, id, record, shop_records};
use crate::config::Notify;
use crate::protocol::record::Detail;
use crate::protocol::status::InputState;
use crate::protocol::{Action, EventKind, Mode, Notice};
use crate::tui::message::{Cmd, Done, Effect, Event, LinkEvent, RequestKind};
use crate::tui::options::Options;

const AWAY: &str = "\x1b[O";
const BACK: &str = "\x1b[I";

fn told(dash: &mut Dash) -> Vec<String> {
    let cmds = dash.asked().into_iter();
    cmds.filter_map(|cmd| match cmd {
        Cmd::Effect(Effect::Notify(_, text, _)) => Some(text),
        _ => None,
    })
    .collect()
}

fn exited(status: &str, code: Option<i32>, runtime_ms: u64, by: &str) -> serde_json::Value {
    json!({
        "label": "web", "command": "make", "status": status, "exitCode": code, "signal": null,
        "runtimeMs": runtime_ms, "endedBy": {"kind": by, "scope": null}, "output": "",
    })
}

#[test]
fn notifies_only_while_the_window_has_no_focus() {
    let mut dash = Dash::new(80, 24, shop_records());
    let events = [
        (
            EventKind::InputNeeded,
            json!({"inputState": "password"}),
            "web needs a password",
        ),
        (
            EventKind::InputNeeded,
            json!({"inputState": "line"}),
            "web needs input",
        ),
        (
            EventKind::HumanAsked,
            json!({"message": "the\n\u{1b}]2;x\u{7}token"}),
            "web needs you: the token",
        ),
        (EventKind::Ready, json!({}), "web is ready"),
        (
            EventKind::Exited,
            exited("error", Some(2), 1200, "itself"),
            "web failed: exit 2, after 1.2s",
        ),
        (
            EventKind::Exited,
            exited("done", Some(0), 48_000, "itself"),
            "web is done, took 48s",
        ),
    ];
    for (kind, data, text) in events {
        dash.press(BACK);
        dash.asked();
        dash.event(kind, "web", data.clone());
        assert_eq!(told(&mut dash), [""; 0], "{kind:?}");
        dash.press(AWAY).event(kind, "web", data);
        assert_eq!(told(&mut dash), [text], "{kind:?}");
    }
    for (kind, data) in [
        (EventKind::Exited, exited("done", Some(0), 9000, "itself")),
        (EventKind::Exited, exited("killed", None, 90_000, "human")),
        (EventKind::Output, json!({"outputBytes": 1})),
    ] {
        dash.event(kind, "web", data);
        assert_eq!(told(&mut dash), [""; 0], "{kind:?}");
    }
}

#[test]
fn a_pipe_that_reads_its_input_is_no_news() {
    let mut pipe = record("web");
    pipe.summary.mode = Mode::Pipe;
    let line = || json!({"inputState": "line"});
    let mut dash = Dash::new(80, 24, vec![pipe.clone()]);
    dash.press(AWAY);
    dash.asked();
    dash.event(EventKind::InputNeeded, "web", line());
    assert_eq!(told(&mut dash), [""; 0]);
    pipe.summary.notify = vec![Notice::Input];
    dash.record(&pipe)
        .event(EventKind::InputNeeded, "web", line());
    assert_eq!(told(&mut dash), ["web needs input"]);
}

#[test]
fn a_job_can_ask_for_more_notices() {
    let mut records = shop_records();
    for record in &mut records {
        record.summary.notify = vec![Notice::Done, Notice::Ready];
    }
    let mut dash = Dash::new(80, 24, records);
    dash.press(AWAY);
    dash.asked();
    dash.event(
        EventKind::Exited,
        "web",
        exited("done", Some(0), 900, "itself"),
    );
    assert_eq!(told(&mut dash), ["web is done, took 0.9s"]);
    // With the window in front, a toast about a job that is not in view.
    dash.press(BACK);
    dash.asked();
    dash.event(EventKind::Ready, "db", json!({}));
    assert_eq!(told(&mut dash), [""; 0]);
    assert!(dash.text().contains("db is ready"), "{}", dash.text());
}

#[test]
fn focus_reports_are_never_typed() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("2i");
    dash.asked();
    dash.press(AWAY);
    assert_eq!(dash.typed("web"), "");
    dash.event(EventKind::Ready, "web", json!({}));
    assert_eq!(told(&mut dash).len(), 1);
}

#[test]
fn notifies_in_the_configured_way() {
    for (notify, by) in [
        (Notify::None, None),
        (Notify::Terminal, Some(false)),
        (Notify::Desktop, Some(true)),
    ] {
        let options = Options {
            notify,
            ..Options::default()
        };
        let mut dash = Dash::with(options, 80, 24, shop_records());
        dash.press(AWAY);
        dash.asked();
        dash.event(EventKind::Ready, "web", json!({}));
        let desktop = dash.asked().into_iter().find_map(|cmd| match cmd {
            Cmd::Effect(Effect::Notify(_, _, desktop)) => Some(desktop),
            _ => None,
        });
        assert_eq!(desktop, by, "{notify:?}");
    }
}

#[test]
fn sets_the_title_to_what_waits_only_on_changes() {
    let mut dash = Dash::new(80, 24, shop_records());
    let titles = |dash: &mut Dash| -> Vec<String> {
        let cmds = dash.asked().into_iter();
        cmds.filter_map(|cmd| match cmd {
            Cmd::Effect(Effect::Title(title)) => Some(title),
            _ => None,
        })
        .collect()
    };
    assert_eq!(titles(&mut dash), ["bgproc: 1 needs input"]);
    dash.press("jj")
        .later(1000)
        .event(EventKind::Ready, "web", json!({}));
    assert_eq!(titles(&mut dash), [""; 0]);
    let mut web = record("web");
    web.summary.input_state = InputState::Line;
    dash.record(&web);
    assert_eq!(titles(&mut dash), ["bgproc: 2 need input"]);
    dash.list(vec![record("web")]);
    assert_eq!(titles(&mut dash), ["bgproc"]);
}

#[test]
fn opens_a_url_and_requests_an_unknown_one() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("2");
    dash.asked();
    dash.press("o");
    let cmds = dash.asked();
    assert!(
        matches!(
            &cmds[..],
            [Cmd::Request(RequestKind::Url(_), Action::Status(_))]
        ),
        "{cmds:?}"
    );
    let detail = |ports: &[u16], urls: &[&str]| {
        let mut web = record("web");
        web.summary.cwd = format!("{HOME}/shop");
        web.detail = Some(Detail {
            processes: Vec::new(),
            ports: ports.to_vec(),
            urls: urls.iter().map(|&url| url.to_owned()).collect(),
            env_names: Vec::new(),
            runs: Vec::new(),
            ..Detail::default()
        });
        LinkEvent::Reply(RequestKind::Url(id("web")), Ok(json!(web)))
    };
    let opened = |dash: &mut Dash| {
        dash.asked().into_iter().find_map(|cmd| match cmd {
            Cmd::Effect(Effect::Open(url)) => Some(url),
            _ => None,
        })
    };
    let odd = [
        "file:///etc/passwd",
        "--version",
        "http://a b",
        "http://a\u{1b}[m",
    ];
    dash.link(detail(
        &[3000],
        &[&odd[..], &["https://localhost:3001/x"]].concat(),
    ));
    assert_eq!(
        opened(&mut dash).as_deref(),
        Some("https://localhost:3001/x")
    );
    dash.link(detail(&[3000, 3001], &odd));
    assert_eq!(opened(&mut dash).as_deref(), Some("http://localhost:3000"));
    dash.link(detail(&[], &[]));
    assert_eq!(opened(&mut dash), None);
    assert!(dash.text().contains("listens on no port"));
    // Then an address that it has written is opened.
    dash.screen("web", 24, 80, "see https://example.com/docs, or ask");
    dash.link(detail(&[], &[]));
    assert_eq!(
        opened(&mut dash).as_deref(),
        Some("https://example.com/docs")
    );
    // Without a browser, the URL is copied and shown.
    dash.happen(Event::Done(Done::NoBrowser(
        "http://localhost:3000".to_owned(),
    )));
    let copied = Effect::Copy("http://localhost:3000".to_owned(), "the URL".to_owned());
    assert!(dash.asked().contains(&Cmd::Effect(copied)));
    assert!(dash.text().contains("no browser here"));
    assert!(dash.model.now.ms >= NOW);
}
