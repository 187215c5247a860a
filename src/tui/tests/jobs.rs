//! Jobs for tests: those of the drawings from which the dashboard was designed.

use crate::protocol::record::{Record, Share, Summary};
use crate::protocol::run::{EndedBy, EndedByKind};
use crate::protocol::status::InputState;
use crate::protocol::{Mode, Scope, SessionId, Status, Timestamp};
use crate::tui::model::job::Job;

/// 2026-11-21T12:45:00Z.
pub(in crate::tui) const NOW: i64 = 1_795_265_100_000;
/// The home directory of the tests.
pub(in crate::tui) const HOME: &str = "/home/me";

const MINUTE: i64 = 60_000;

/// A session id derived from a name.
pub(in crate::tui) fn id(name: &str) -> SessionId {
    let text = format!("{name}000000000000");
    SessionId::parse(&text[..12]).unwrap()
}

/// A running job in `/home/me/shop`.
pub(in crate::tui) fn record(name: &str) -> Record {
    Record {
        summary: Summary {
            host: None,
            seen_at: None,
            session_id: id(name),
            label: Some(name.to_owned()),
            group: None,
            tags: Vec::new(),
            description: None,
            command: format!("npm run {name}"),
            args: None,
            cwd: format!("{HOME}/shop"),
            mode: Mode::Pty,
            rows: 40,
            cols: 120,
            pid: Some(48213),
            status: Status::Running,
            exit_code: None,
            signal: None,
            created_at: Timestamp(NOW - 124 * MINUTE),
            started_at: Some(Timestamp(NOW - 124 * MINUTE)),
            ended_at: None,
            runtime_ms: u64::try_from(124 * MINUTE).unwrap(),
            last_accessed_at: Timestamp(NOW),
            last_output_at: Some(Timestamp(NOW)),
            idle_ms: Some(0),
            input_state: InputState::None,
            ready: None,
            title: None,
            progress: None,
            shell: None,
            present_directory: None,
            output_bytes: 1_258_291,
            dropped_bytes: 0,
            output_lines: 1260,
            offloaded: true,
            output_file: None,
            cpu_percent: None,
            memory_bytes: None,
            restarts: 0,
            held_by: None,
            share: Share::None,
            keep: false,
            notify: Vec::new(),
            project: None,
            waiting: None,
            launcher: None,
            engine: None,
            report: None,
            resume: None,
            ports: None,
            urls: None,
            output: None,
        },
        scope: Scope::human(),
        reason: None,
        ended_by: None,
        unread_input_bytes: None,
        alt_screen: false,
        foreground: None,
        processes: Some(4),
        viewers: 0,
        tty_open: true,
        log_degraded: None,
        unsaved: false,
        output_files: Vec::new(),
        restart: None,
        retry_at: None,
        retry: None,
        timeout_ms: None,
        asked: Vec::new(),
        detail: None,
    }
}

/// A running job.
pub(in crate::tui) fn job(name: &str) -> Job {
    Job::new(record(name), NOW, Some(HOME))
}

/// The record of an ended job.
pub(in crate::tui) fn ended(name: &str, status: Status, code: Option<i32>, ago_ms: i64) -> Record {
    let mut record = record(name);
    let summary = &mut record.summary;
    summary.status = status;
    summary.exit_code = code;
    summary.pid = None;
    summary.ended_at = Some(Timestamp(NOW - ago_ms));
    summary.runtime_ms = 48_000;
    record.processes = None;
    if status == Status::Killed {
        record.ended_by = Some(EndedBy {
            kind: EndedByKind::Human,
            scope: Some(Scope::human()),
        });
    }
    record
}

/// The records of the drawings: a shop in the group `shop`, and notes without a group.
pub(in crate::tui) fn shop_records() -> Vec<Record> {
    let mut records = Vec::new();
    let mut add = |mut record: Record, group: Option<&str>, age_ms: i64| {
        let summary = &mut record.summary;
        summary.group = group.map(str::to_owned);
        if group.is_none() {
            summary.cwd = format!("{HOME}/notes");
        }
        summary.created_at = Timestamp(NOW - age_ms + records.len() as i64);
        if summary.ended_at.is_none() {
            summary.runtime_ms = u64::try_from(age_ms).unwrap();
        }
        records.push(record);
    };
    add(record("web"), Some("shop"), 124 * MINUTE);
    add(record("api"), Some("shop"), 124 * MINUTE);
    add(record("db"), Some("shop"), 124 * MINUTE);
    let mut migrate = record("migrate");
    migrate.summary.input_state = InputState::Password;
    migrate.summary.command = "./migrate.sh --target prod".to_owned();
    add(migrate, Some("shop"), 41_000);
    add(record("tests"), Some("shop"), 72_000);
    let mut agent = record("agent");
    agent.scope = Scope::named("agent-1").unwrap();
    add(agent, None, 18 * MINUTE);
    add(
        ended("lint", Status::Error, Some(1), 3 * MINUTE),
        None,
        17 * MINUTE,
    );
    add(
        ended("build", Status::Done, Some(0), 9 * MINUTE),
        None,
        16 * MINUTE,
    );
    records
}

/// The jobs of the drawings.
pub(in crate::tui) fn shop() -> Vec<Job> {
    shop_records()
        .into_iter()
        .map(|record| Job::new(record, NOW, Some(HOME)))
        .collect()
}
