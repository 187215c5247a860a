//! One reply of every type.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::golden::{self, at, id};
use super::told::limits;
use crate::protocol::record::*;
use crate::protocol::reply::*;
use crate::protocol::report::{Activity, Evidence, Reported};
use crate::protocol::run::*;
use crate::protocol::shell_state::{ShellActivity, ShellState};
use crate::protocol::status::*;
use crate::protocol::terminal_progress::{ProgressState, TerminalProgress};
use crate::protocol::{Event, EventKind, Role, Scope};

fn summary() -> Summary {
    Summary {
        host: None,
        seen_at: None,
        session_id: id("done00000001"),
        label: Some("hello".to_owned()),
        group: Some("demo".to_owned()),
        tags: vec!["slow".to_owned()],
        description: Some("what it is for".to_owned()),
        command: "make".to_owned(),
        args: Some(vec!["-k".to_owned()]),
        cwd: "/tmp".to_owned(),
        mode: Mode::Pty,
        rows: 40,
        cols: 120,
        pid: Some(1001),
        status: Status::TimedOut,
        exit_code: None,
        signal: Some("SIGTERM".to_owned()),
        created_at: at(0),
        started_at: Some(at(0)),
        ended_at: Some(at(60)),
        runtime_ms: 60_000,
        last_accessed_at: at(61),
        last_output_at: Some(at(59)),
        idle_ms: Some(1000),
        input_state: InputState::Line,
        ready: Some(true),
        title: Some("make".to_owned()),
        progress: Some(TerminalProgress {
            state: ProgressState::Running,
            percent: Some(40),
        }),
        shell: Some(ShellState {
            activity: Some(ShellActivity::Command),
            exit_code: Some(0),
        }),
        present_directory: Some("/srv".to_owned()),
        output_bytes: 10,
        dropped_bytes: 0,
        output_lines: 2,
        offloaded: true,
        output_file: Some("/state/output.log".to_owned()),
        cpu_percent: Some(1.5),
        memory_bytes: Some(4096),
        restarts: 1,
        held_by: Some(HeldBy::person(at(9))),
        share: Share::Read,
        keep: true,
        notify: Vec::new(),
        project: None,
        waiting: None,
        launcher: None,
        engine: None,
        report: Some(Reported {
            state: Activity::Blocked,
            message: Some("wants to use Bash".to_owned()),
            at: at(50),
            replaced_by: Some(Evidence::Input),
        }),
        resume: Some("claude --resume 4f".to_owned()),
        ports: None,
        urls: None,
        output: Some("one\ntwo\n".to_owned()),
    }
}

fn files() -> Vec<OutputFile> {
    vec![OutputFile {
        path: "/state/output.log".to_owned(),
        offset: 0,
    }]
}

fn record() -> Record {
    let process = Process {
        pid: 1001,
        ppid: 10,
        command: "make -k".to_owned(),
        state: "S".to_owned(),
    };
    let run = Run {
        first_line: Some(1),
        ended_at: Some(at(60)),
        signal: Some("SIGTERM".to_owned()),
        definition: Some("af63bd4c8601b7df".to_owned()),
        ..Run::begun(1, 0, at(0))
    };
    Record {
        summary: summary(),
        scope: Scope::named("builder").unwrap(),
        reason: Some("it reached its time limit of 60 s (SIGTERM)".to_owned()),
        ended_by: Some(EndedBy {
            kind: EndedByKind::Timeout,
            scope: None,
        }),
        unread_input_bytes: Some(0),
        alt_screen: false,
        foreground: Some("make".to_owned()),
        processes: Some(1),
        viewers: 1,
        tty_open: true,
        log_degraded: Some("No space left on device".to_owned()),
        unsaved: false,
        output_files: files(),
        restart: None,
        // Absent, as in replies of daemons that do not know it.
        retry_at: None,
        retry: None,
        timeout_ms: None,
        asked: vec![Asked {
            message: "the passphrase, please".to_owned(),
            by: Scope::human(),
            at: at(1),
            until: at(301),
        }],
        detail: Some(Detail {
            processes: vec![process],
            ports: vec![8080],
            urls: vec!["http://localhost:8080".to_owned()],
            env_names: vec!["NAME".to_owned()],
            // Absent, as in replies of daemons that do not know it.
            env: std::collections::BTreeMap::new(),
            runs: vec![run],
            flaky: Some(Flaky { failed: 2, runs: 9 }),
            limits: None,
            timeout_ms: None,
            reach: None,
        }),
    }
}

fn left() -> Left {
    Left { bytes: 5, lines: 1 }
}

fn polled() -> Polled {
    Polled {
        session_id: id("done00000001"),
        status: Status::Done,
        exit_code: Some(0),
        signal: None,
        output: "two\n".to_owned(),
        stdout: Some("two\n".to_owned()),
        stderr: Some(String::new()),
        prev_cursor: "c0".to_owned(),
        cursor: "c10".to_owned(),
        omitted: left(),
        input_state: InputState::Closed,
        progress: None,
        shell: None,
        offloaded: false,
        output_file: None,
        output_files: files(),
        output_bytes: 10,
        omitted_lines: None,
        remaining: Vec::new(),
        reason: None,
        screen: None,
    }
}

fn waited() -> Waited {
    Waited {
        seen_before: None,
        screen_row: None,
        idle_ms: None,
        label: None,
        outcome: Outcome::Matched,
        matched: Some(Matched {
            index: 1,
            kind: "pattern".to_owned(),
            line: Some(2),
            text: Some("two".to_owned()),
            groups: vec![Some("two".to_owned()), None],
            exit_code: Some(0),
            session_id: Some(id("done00000001")),
            input_state: None,
        }),
        matched_at_entry: false,
        elapsed_ms: 12,
        polled: polled(),
    }
}

fn killed() -> Killed {
    Killed {
        session_id: id("killed000001"),
        previous_status: Status::Running,
        status: Status::Killed,
        exit_code: None,
        signal: Some("SIGTERM".to_owned()),
        killed_pids: vec![3001],
        survivors: vec![3002],
        output: "x\n".to_owned(),
        stdout: Some("x\n".to_owned()),
        stderr: Some(String::new()),
        already_ended: true,
        removed: true,
    }
}

/// A result as a reply. Also checks that a client of this version accepts additional fields.
fn reply<T>(result: T) -> Reply
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let results = [result];
    golden::passes_over_more(&results, &[""]);
    Reply {
        id: json!(1),
        ok: true,
        result: Some(serde_json::to_value(&results[0]).unwrap()),
        error: None,
    }
}

#[test]
fn a_list_of_an_older_version_has_no_descriptions() {
    let mut older = serde_json::to_value(summary()).unwrap();
    let fields = older.as_object_mut().unwrap();
    for added in ["description", "droppedBytes"] {
        fields.remove(added).unwrap();
    }
    let expected = Summary {
        description: None,
        ..summary()
    };
    assert_eq!(serde_json::from_value::<Summary>(older).unwrap(), expected);
}

#[test]
fn replies_of_version_1() {
    let event = Event {
        seq: Some(8),
        at: Some(at(0)),
        session_id: Some(id("done00000001")),
        data: json!({}),
        ..Event::of(EventKind::Adopted)
    };
    let counts = || [("done".to_owned(), 1)].into();
    let replies = [
        reply(Started {
            session_id: id("done00000001"),
            status: Status::Done,
            pid: Some(1001),
            output: "one\n".to_owned(),
            cursor: "c5".to_owned(),
            omitted: left(),
            omitted_lines: None,
            input_state: InputState::None,
            remaining: Vec::new(),
            reason: None,
            bytes_written: None,
            warnings: Vec::new(),
            screen: None,
            outcome: None,
            matched: None,
            ready: None,
            timeout_ms: None,
            reused: Some(true),
            exit_code: Some(json!(0)),
            signal: Some(json!("SIGTERM")),
            runtime_ms: Some(12),
        }),
        reply(Listed {
            sessions: vec![summary()],
            counts: counts(),
            hosts: Vec::new(),
        }),
        reply(record()),
        reply(polled()),
        reply(LogBytes {
            output: "one\n".to_owned(),
            offset: 0,
            next_offset: 5,
            first_offset: 0,
            total_bytes: 10,
            eof: false,
            times: Some(vec![LogTime {
                offset: 0,
                at: at(0),
            }]),
            origins: None,
            runs: None,
            restarting: false,
        }),
        reply(LogLines {
            command: Some(ShellCommand {
                running: false,
                exit_code: Some(0),
                lines: None,
            }),
            lines: vec![LogLine {
                n: 1,
                at: Some(at(0)),
                stream: "input".to_owned(),
                text: "one".to_owned(),
                by: Some(Scope::human()),
                kind: Some(Role::Human),
                offset: None,
                goes_on: false,
            }],
            first_line: 1,
            total_lines: 2,
            omitted: Left { bytes: 3, lines: 1 },
            next_line: 2,
            runs: None,
        }),
        reply(LogMatches {
            matches: vec![LogMatch {
                n: 2,
                at: None,
                offset: None,
                text: "two".to_owned(),
                before: vec!["one".to_owned()],
                after: vec!["three".to_owned()],
            }],
            first_line: 1,
            total_lines: 3,
            truncated: true,
            omitted: Left { bytes: 3, lines: 1 },
            runs: None,
        }),
        reply(waited()),
        reply(WaitedAll {
            outcome: Outcome::Timeout,
            matched: None,
            matched_at_entry: false,
            elapsed_ms: 12,
            results: vec![waited()],
        }),
        reply(Written {
            bytes_written: 5,
            consumed: Some(true),
            unread_input_bytes: Some(0),
            not_written: 7,
            warnings: vec![
                Warning::LineOver4095,
                Warning::NotReading,
                Warning::NoEffect,
            ],
            waited: Some(waited()),
        }),
        reply(Captured {
            text: Some("one".to_owned()),
            html: None,
            svg: None,
            png: None,
            cells: Some(vec![vec![ScreenCell {
                ch: "é".to_owned(),
                width: Some(2),
                fg: Some(CellColor::Index(208)),
                bg: Some(CellColor::Rgb("#010203".to_owned())),
                bold: true,
                dim: true,
                italic: true,
                underline: true,
                inverse: true,
                blink: true,
                conceal: true,
                strikethrough: true,
                overline: true,
                underline_style: Some(UnderlineStyle::Curly),
                underline_color: Some(CellColor::Index(9)),
                link: Some("https://example.org/".to_owned()),
            }]]),
            links: Some(vec![ScreenLink {
                row: 1,
                col: 2,
                text: "docs".to_owned(),
                uri: "https://example.org/".to_owned(),
            }]),
            scrollback: 3,
            rows: 40,
            cols: 120,
            cursor: CursorAt {
                row: 1,
                col: 0,
                visible: true,
                shape: CursorShape::Bar,
            },
            alt_screen: true,
            title: Some("vim".to_owned()),
            screen_seq: 7,
            changed: true,
            modes: InputModes {
                app_cursor: true,
                bracketed_paste: true,
                mouse: true,
            },
            moment: Some(ScreenMoment {
                offset: 4096,
                at: Some(at(3)),
                previous: Some(4000),
                next: Some(5000),
                next_at: Some(at(3)),
            }),
        }),
        reply(HumanAnswered {
            outcome: AskOutcome::Answered,
            elapsed_ms: 12,
            held_by: Some(HeldBy::person(at(9))),
            status: None,
            exit_code: None,
            input_state: None,
        }),
        reply(killed()),
        reply(KilledAll {
            results: vec![killed()],
        }),
        reply(StatsReply {
            daemon_pid: 11,
            keeper_pid: 10,
            version: "0.1.0".to_owned(),
            keeper_version: "0.1.0".to_owned(),
            program: None,
            upgrade_error: Some("not executable".to_owned()),
            protocol: 1,
            home: "/state".to_owned(),
            uptime_ms: 5000,
            counts: counts(),
            connections: 1,
            memory_bytes: Some(4096),
            log_bytes: 10,
            limits: limits(),
            enforcement: [].into(),
        }),
        reply(Happened {
            events: vec![event],
            next_seq: 8,
        }),
    ];
    golden::lines("wire/replies.jsonl", &replies, &[""]);
}
