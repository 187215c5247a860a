//! One request of every action, with all parameters.

use serde_json::json;

use super::golden;
use crate::protocol::colors::TerminalColors;
use crate::protocol::condition::{View, WaitMode};
use crate::protocol::params::*;
use crate::protocol::project::{After, Level};
use crate::protocol::record::Share;
use crate::protocol::report::Activity;
use crate::protocol::status::Mode;
use crate::protocol::{Action, Condition, ErrorCode, EventKind, Request, Status, WaitSpec};

fn from<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> T {
    serde_json::from_value(value).unwrap()
}

const SESSION: &str = "done00000001";

fn every() -> Vec<Action> {
    let session_id = || SESSION.to_owned();
    let text = |text: &str| Some(text.to_owned());
    let sessions = || Some(vec![session_id(), "error0000001".to_owned()]);
    let until = vec![
        Condition::Exit(true),
        Condition::Pattern("^ok$".to_owned()),
        Condition::Gone("busy".to_owned()),
        Condition::Input(true),
        Condition::IdleMs(500),
        Condition::Ready(true),
        Condition::Port(8080),
    ];
    let fail = vec![Condition::Pattern("error".to_owned())];
    let wait = WaitSpec {
        until: Some(until.clone()),
        fail: Some(fail.clone()),
        since: text("c10"),
        view: Some(View::Screen),
        timeout_ms: Some(1000),
        max_chars: Some(500),
    };
    vec![
        Action::Start(Start {
            command: "make".to_owned(),
            args: Some(vec!["-k".to_owned()]),
            shell: None,
            pagers: None,
            cwd: text("/tmp"),
            env: Some([("A".to_owned(), text("1")), ("GONE".to_owned(), None)].into()),
            mode: Some(Mode::Pipe),
            rows: Some(24),
            cols: Some(80),
            label: text("web"),
            unique_label: None,
            group: text("demo"),
            tags: Some(vec!["slow".to_owned()]),
            description: text("what it is for"),
            background: Some(true),
            wait_ms: None,
            yield_ms: Some(10_000),
            wait: Some(true),
            timeout_sec: Some(60),
            timeout_ms: Some(60_000),
            timeout_grace_ms: Some(5000),
            ttl_ms: Some(1_800_000),
            keep: None,
            until: None,
            fail: None,
            view: None,
            max_chars: Some(500),
            input: text("y\n"),
            key: text("k1"),
            ready: Some(from(json!({"port": 8080, "timeoutMs": 30_000}))),
            restart: Some(from(
                json!({"policy": "on-failure", "maxRetries": 5, "backoffMs": 1000}),
            )),
            limits: Some(from(json!({"logBytes": 1_000_000}))),
            launcher: Some(from(json!("gpu"))),
            resources: Some(from(json!({"cpus": 8, "timeSec": 60}))),
            on_exit: text("true"),
            delay_ms: None,
            after: Some(vec![After {
                session_id: session_id(),
                is: Some(Level::Done),
            }]),
            notify: None,
            resume: text("make -k resume"),
            host: None,
        }),
        Action::List(List {
            status: Some(Status::TimedOut),
            group: text("demo"),
            tag: text("slow"),
            label: text("w*"),
            include_output: Some(true),
            include_ports: None,
            verbose: None,
            limit: Some(200),
            hosts: None,
            host_wait_ms: None,
        }),
        Action::Hosts(Hosts {}),
        Action::Connect(Connect {
            host: "gpu1".to_owned(),
        }),
        Action::Disconnect(Disconnect {
            host: "gpu1".to_owned(),
        }),
        Action::Status(StatusParams {
            session_id: session_id(),
            detail: Some(true),
            full_env: None,
        }),
        Action::Poll(Poll {
            session_id: session_id(),
            since: text("new"),
            wait_ms: Some(1000),
            max_chars: Some(500),
            oldest: Some(true),
            stream: Some(Stream::Stdout),
        }),
        Action::Log(Log {
            session_id: Some(session_id()),
            session_ids: None,
            group: None,
            offset: Some(1),
            limit: Some(65_536),
            from_line: Some(1),
            lines: Some(100),
            tail: Some(10),
            stream: Some(Stream::Input),
            format: Some(LogFormat::Base64),
            grep: text("x+"),
            ignore_case: Some(true),
            context: Some(2),
            max_matches: Some(50),
            newest: None,
            since_time: text("2026-01-02T03:04:05.678Z"),
            run: Some(1),
            command: Some(1),
            times: Some(true),
            origins: None,
        }),
        Action::Wait(Wait {
            session_id: Some(session_id()),
            session_ids: sessions(),
            group: text("demo"),
            mode: Some(WaitMode::All),
            until: Some(until),
            fail: Some(fail),
            since: text("c10"),
            view: Some(View::Plain),
            wait_ms: None,
            timeout_ms: Some(10_000),
            max_chars: Some(500),
            through_restarts: None,
        }),
        Action::Write(Write {
            session_id: session_id(),
            data: text("aGk="),
            encoding: Some(Encoding::Base64),
            eof: Some(true),
            newline: Some(true),
            submit: Some(true),
            paste: Some(true),
            passed_on: None,
            until: None,
            fail: None,
            wait_ms: None,
            wait: Some(wait.clone()),
            view: None,
        }),
        Action::SendKeys(SendKeys {
            session_id: session_id(),
            keys: vec![
                KeyInput::Name("C-c".to_owned()),
                KeyInput::Text {
                    text: "hello".to_owned(),
                },
            ],
            repeat: Some(2),
            until: None,
            fail: None,
            wait_ms: None,
            wait: Some(wait),
            view: None,
        }),
        Action::Exec(Exec {
            session_id: session_id(),
            command: Some("make test".to_owned()),
            pending: None,
            language: Some(ShellLanguage::Fish),
            wait_ms: Some(5000),
            max_chars: Some(2000),
        }),
        Action::Capture(Capture {
            session_id: session_id(),
            format: Some(CaptureFormat::Ansi),
            since: Some(7),
            scrollback: Some(100),
            trim: Some(true),
            links: Some(true),
            at_offset: Some(4096),
            at_time: Some("2026-11-21T20:00:00.123Z".to_owned()),
        }),
        Action::Export(Export {
            session_id: session_id(),
            format: Some(ExportFormat::Asciicast),
            path: Some("web.cast".to_owned()),
        }),
        Action::Resize(Resize {
            session_id: session_id(),
            rows: 24,
            cols: 80,
        }),
        Action::Signal(SignalParams {
            session_id: session_id(),
            signal: SignalName::Name("TERM".to_owned()),
            target: Some(SignalTarget::Tree),
        }),
        Action::Kill(Kill {
            session_id: Some(session_id()),
            session_ids: sessions(),
            group: text("demo"),
            signal: Some(SignalName::Number(2)),
            force: Some(true),
            grace_ms: Some(2000),
            remove: Some(true),
        }),
        Action::Clear(Clear {
            session_id: session_id(),
        }),
        Action::Remove(Remove {
            session_id: session_id(),
            kill: Some(true),
        }),
        Action::Restart(Restart {
            session_id: session_id(),
            unique_label: None,
            resume: Some(true),
            env: Some(
                [
                    ("PORT".to_owned(), text("3001")),
                    ("DEBUG".to_owned(), None),
                ]
                .into(),
            ),
            grace_ms: Some(2000),
            until: None,
            fail: None,
            wait_ms: None,
        }),
        Action::Set(Set {
            session_id: session_id(),
            label: text("web"),
            unique_label: None,
            group: text("demo"),
            add_tags: Some(vec!["slow".to_owned()]),
            remove_tags: Some(vec!["old".to_owned()]),
            ttl_ms: Some(1000),
            timeout_sec: Some(60),
            keep: Some(true),
            share: Some(Share::Read),
            restart: serde_json::from_value(json!({"policy": "always"})).ok(),
            notify: None,
            command: text("make"),
            args: Some(vec!["all".to_owned()]),
            place: Some(1),
        }),
        Action::Report(Report {
            session_id: session_id(),
            state: Some(Activity::Blocked),
            message: text("wants to use Bash"),
            clear: Some(true),
            resume: text("claude --resume 4f"),
        }),
        Action::AskHuman(AskHuman {
            session_id: session_id(),
            message: "the passphrase, please".to_owned(),
            timeout_ms: Some(1000),
        }),
        Action::Decline(Decline {
            session_id: session_id(),
        }),
        Action::Hold(Hold {
            session_id: session_id(),
            on: false,
        }),
        Action::Subscribe(Subscribe {
            events: Some(vec![EventKind::Exited, EventKind::InputNeeded]),
            session_ids: Some(vec![SESSION.to_owned()]),
            from_seq: Some(1),
            with_scope: None,
        }),
        Action::Unsubscribe(Unsubscribe {
            subscription_id: "s1".to_owned(),
        }),
        Action::Events(Events {
            after_seq: Some(1),
            wait_ms: Some(1000),
            limit: Some(100),
            ack: Some(1),
            news: Some(true),
        }),
        Action::Watch(Watch {
            session_id: session_id(),
            max_fps: Some(30),
            colors: Some(TerminalColors {
                foreground: Some("#ffffff".to_owned()),
                background: Some("#1e1e1e".to_owned()),
                cursor: Some("#00ff00".to_owned()),
                palette: vec!["#000000".to_owned()],
            }),
        }),
        Action::Unwatch(Unwatch {
            session_id: session_id(),
        }),
        Action::Project(Project {
            op: Some(ProjectOp::Up),
            dir: Some("/home/user/shop".to_owned()),
            files: None,
            jobs: Some(vec!["web".to_owned(), "g:back".to_owned()]),
            except: Some(vec!["db".to_owned()]),
            port: Some(5000),
            formation: Some("all=1".to_owned()),
            no_deps: Some(true),
            all_or_none: Some(true),
            apply: Some(true),
            reload: Some(true),
            prune: Some(true),
            now: Some(true),
            after: Some(7),
            wait_ms: Some(1000),
        }),
        Action::Queue(Queue {
            group: text("builds"),
            parallel: Some(2),
            on_failure: Some(crate::protocol::project::OnFailure::Pause),
            paused: Some(false),
            dir: text("/src/shop"),
        }),
        Action::Listeners(Listeners {
            ports: Some(vec![3000]),
        }),
        Action::Cancel(Cancel {
            request_id: json!(7),
        }),
        Action::Stats(Stats {}),
        Action::Shutdown(Shutdown {
            sessions: Some(ShutdownSessions::Kill),
            upgrade: Some(true),
            program: None,
        }),
    ]
}

#[test]
fn requests_of_version_1() {
    let requests: Vec<Request> = (1..)
        .zip(every())
        .map(|(id, action)| Request {
            id: json!(id),
            action,
        })
        .collect();
    let names: Vec<_> = requests.iter().map(|it| it.action.name()).collect();
    assert_eq!(names, Action::NAMES, "an action is missing");
    let name = "wire/requests.jsonl";
    let lines: Vec<u8> = requests.iter().flat_map(Request::to_line).collect();
    golden::compare(name, &lines);
    let kept = golden::kept(name);
    let read = kept.split_inclusive(|&byte| byte == b'\n');
    for (line, request) in read.zip(requests) {
        assert_eq!(Request::parse(line), Ok(request));
        // Unknown parameters must not be silently ignored.
        let more = [&line[..line.len() - 2], br#","ofTheFuture":1}"#].concat();
        let (id, error) = Request::parse(&more).unwrap_err();
        assert!(id.is_u64());
        assert_eq!(error.code, ErrorCode::InvalidParams, "{error:?}");
    }
}
