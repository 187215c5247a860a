//! Lines that are not replies: hello, events and errors.

use serde_json::{Value, json};

use super::golden::{self, at, id};
use crate::protocol::event::ScreenUpdate;
use crate::protocol::hello::{Defaults, Limits, OnDisconnect, Policy, Replies};
use crate::protocol::reply::Reply;
use crate::protocol::{
    Action, Error, ErrorCode, Event, EventKind, Greeting, Hello, Role, Scope, Status,
};

pub(super) fn limits() -> Limits {
    Limits {
        max_sessions: 50,
        max_sessions_total: 200,
        max_finished: 200,
        max_line_bytes: 1 << 20,
        max_in_flight: 256,
        max_chars: 262_144,
        log_bytes: 64 << 20,
        total_log_bytes: 2 << 30,
    }
}

#[test]
fn the_greeting_of_a_client() {
    let greeting = Greeting {
        protocol: 1,
        version: "0.1.0".to_owned(),
        role: Role::Agent,
        scope: Scope::named("builder"),
        cwd_fault: None,
        cwd: Some("/tmp".to_owned()),
        env: Some([("NAME".to_owned(), "value".to_owned())].into()),
        umask: Some(0o022),
        inherit: None,
        replies: Replies::Full,
        defaults: Defaults {
            yield_ms: Some(10_000),
            max_chars: Some(500),
            ttl_ms: Some(1_800_000),
            timeout_ms: Some(0),
            shell: None,
            pagers: None,
        },
        policy: Policy {
            read_only: true,
            allow: Some(vec!["make".to_owned()]),
            on_disconnect: OnDisconnect::Kill,
            max_sessions: Some(5),
            hosts: None,
        },
    };
    golden::file(
        "wire/greeting.json",
        &greeting,
        &["", "/defaults", "/policy"],
    );
}

#[test]
fn the_hello_of_the_daemon() {
    let hello = Hello {
        protocol: 1,
        version: "0.1.0".to_owned(),
        scope: Scope::named("builder").unwrap(),
        pid: 11,
        limits: limits(),
        actions: Action::NAMES.iter().map(|&name| name.to_owned()).collect(),
    };
    golden::passes_over_more(std::slice::from_ref(&hello), &["", "/limits"]);
    let event = Event {
        data: serde_json::to_value(hello).unwrap(),
        ..Event::of(EventKind::Hello)
    };
    golden::file("wire/hello.json", &event, &[""]);
}

#[test]
fn every_event() {
    let screen = ScreenUpdate {
        bytes: "aGVsbG8=".to_owned(),
        rows: 40,
        cols: 120,
        screen_seq: 7,
        full: true,
        changed_rows: Some((2, 5)),
        output_lines: None,
        alt_screen: true,
    };
    golden::passes_over_more(std::slice::from_ref(&screen), &[""]);
    let screen = serde_json::to_value(screen).unwrap();
    let exited = json!({"label": "hello", "command": "make", "status": "error", "exitCode": 2,
        "signal": null, "runtimeMs": 60_000, "endedBy": {"kind": "itself", "scope": null}, "output": "one\n"});
    let events: [(EventKind, Value); 27] = [
        (EventKind::Started, json!({})),
        (EventKind::Ready, json!({})),
        (EventKind::Exited, exited),
        (EventKind::Paused, json!({})),
        (EventKind::Resumed, json!({})),
        (
            EventKind::InputNeeded,
            json!({"inputState": "password", "prompt": "Password:"}),
        ),
        (
            EventKind::Reported,
            json!({"state": "blocked", "message": "wants to use Bash"}),
        ),
        (EventKind::HumanAsked, json!({})),
        (EventKind::HumanAnswered, json!({"outcome": "declined"})),
        (EventKind::HumanInput, json!({"bytes": 3})),
        (EventKind::Held, json!({})),
        (EventKind::Released, json!({})),
        (EventKind::Restarted, json!({})),
        (EventKind::Lost, json!({})),
        (EventKind::Adopted, json!({})),
        (EventKind::OutputDropped, json!({})),
        (EventKind::Limit, json!({})),
        (EventKind::Removed, json!({})),
        (EventKind::Output, json!({"outputBytes": 10})),
        (EventKind::Screen, screen),
        (EventKind::Title, json!({"title": "vim"})),
        (EventKind::Bell, json!({})),
        (EventKind::AgentInput, json!({"by": "builder"})),
        (
            EventKind::Phase,
            json!({"name": "shop", "dir": "/shop", "job": "api", "phase": "skipped",
                "why": "needs migrate ok", "place": 2, "needs": [{"job": "migrate", "is": "ok"}]}),
        ),
        (EventKind::Changed, json!({})),
        (EventKind::Lag, Event::lag(5).data),
        (
            EventKind::Retrying,
            json!({"retryAt": "2026-11-21T12:45:08Z"}),
        ),
    ];
    let events: Vec<Event> = (1..)
        .zip(events)
        .map(|(seq, (event, data))| Event {
            seq: event.is_lifecycle().then_some(seq),
            at: event.is_lifecycle().then(|| at(0)),
            // It is about the connection.
            session_id: (event != EventKind::Lag).then(|| id("done00000001")),
            data,
            ..Event::of(event)
        })
        .collect();
    golden::lines("wire/events.jsonl", &events, &[""]);
}

#[test]
fn every_error() {
    use ErrorCode::*;
    let session = id("done00000001");
    let full = [
        Error::session_not_found("done00000001"),
        Error::session_removed(&session, Status::Error, Some(1), None, at(0)),
        Error::limit("50 sessions run in this scope", "maxSessions", 50, 50),
    ];
    let codes = [
        SessionNotRunning,
        StdinNotAvailable,
        InputHeld,
        NoShell,
        InvalidKey,
        NotATty,
        SpawnFailed,
        PermissionDenied,
        TooLarge,
        Cancelled,
        DiskFull,
        Unsupported,
        IncompatibleVersion,
        ParseError,
        InvalidRequest,
        UnknownAction,
        InvalidParams,
        DaemonUnavailable,
        Internal,
    ];
    let bare = codes.map(|code| Error::new(code, "why"));
    let replies: Vec<Reply> = full
        .into_iter()
        .chain(bare)
        .map(|error| Reply {
            id: json!("a"),
            ok: false,
            result: None,
            error: Some(error),
        })
        .collect();
    golden::lines("wire/errors.jsonl", &replies, &["", "/error"]);
}
