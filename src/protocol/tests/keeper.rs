//! Messages between daemon and keeper, including those of older and newer versions.

use serde_json::json;

use super::golden::{self, at, id};
use crate::protocol::keeper::{Exit, Failure, Kept, SpawnSpec, ToDaemon, ToKeeper};
use crate::protocol::status::Mode;

fn spec() -> SpawnSpec {
    SpawnSpec {
        program: "/bin/sh".to_owned(),
        argv: ["sh", "-c", "echo one"].map(str::to_owned).to_vec(),
        cwd: "/tmp".to_owned(),
        env: [("NAME", "value")].into_iter().collect(),
        mode: Mode::Pty,
        umask: Some(0o022),
        inherit: None,
        limits: None,
        ready: None,
    }
}

fn limited() -> SpawnSpec {
    SpawnSpec {
        limits: Some(Box::default()),
        ..spec()
    }
}

fn exit() -> Exit {
    Exit {
        pid: 1001,
        exit_code: Some(0),
        signal: None,
        core_dumped: false,
        ended_at: at(60),
        end_offset: 10,
        limit: None,
        out_of_memory: false,
    }
}

/// Also used by the tests of the keeper's handover and upgrade.
pub(crate) fn kept() -> Kept {
    Kept {
        session: id("running00001"),
        slot: 4,
        pid: 6001,
        exit: Some(exit()),
        spec: spec(),
        keep: 64 << 20,
        has_input: true,
        has_pidfd: true,
        has_tail: true,
        degraded: Some("No space left on device".to_owned()),
        open: vec![0, 1],
        on_exit_ran: false,
    }
}

#[test]
fn messages_to_the_keeper() {
    let session = || id("running00001");
    let messages = [
        ToKeeper::Takeover {
            daemon_pid: 11,
            files: Some(1024),
            sessions: 1,
        },
        ToKeeper::Adopt(kept()),
        ToKeeper::Greeted,
        ToKeeper::Ready,
        ToKeeper::Spawn {
            session: session(),
            spec: spec(),
            rows: 40,
            cols: 120,
            reset: String::new(),
            keep: 64 << 20,
        },
        ToKeeper::CloseStdin { session: session() },
        ToKeeper::Clear { session: session() },
        ToKeeper::RunOnExit {
            session: session(),
            spec: limited(),
            within_ms: 60_000,
        },
        ToKeeper::Trim {
            session: session(),
            first: 100,
        },
        ToKeeper::Forget { session: session() },
        ToKeeper::Store {
            name: "project".to_owned(),
        },
        ToKeeper::Rest {
            upgrade: true,
            program: None,
        },
        ToKeeper::Quit,
        ToKeeper::QuitIdle,
    ];
    let open = [
        "/Takeover",
        "/Adopt",
        "/Adopt/exit",
        "/Adopt/spec",
        "/Spawn",
        "/Spawn/spec",
        "/CloseStdin",
        "/Clear",
        "/RunOnExit",
        "/RunOnExit/spec",
        "/Trim",
        "/Forget",
        "/Store",
        "/Rest",
    ];
    golden::lines("keeper/to_keeper.jsonl", &messages, &open);
}

#[test]
fn messages_to_the_daemon() {
    let session = || id("running00001");
    let messages = [
        ToDaemon::Welcome {
            keeper_pid: 10,
            version: "0.1.0".to_owned(),
            files: None,
            upgrading: true,
            sessions: 1,
            stored: 1,
        },
        ToDaemon::Stored {
            name: "project".to_owned(),
        },
        ToDaemon::Adopt(Box::new(kept())),
        ToDaemon::Upgraded {
            version: "0.1.0".to_owned(),
            error: Some("not executable".to_owned()),
        },
        ToDaemon::TakenOver {
            version: "0.1.0".to_owned(),
        },
        ToDaemon::Starting {
            session: session(),
            slot: 4,
            offset: 10,
        },
        ToDaemon::Spawned {
            session: session(),
            slot: 4,
            pid: 6001,
            offset: 100,
        },
        ToDaemon::SpawnFailed {
            session: session(),
            errno: Some(2),
            message: "No such file or directory".to_owned(),
            is_terminal: true,
        },
        ToDaemon::Grown { slots: vec![4, 5] },
        ToDaemon::Exited {
            session: session(),
            exit: exit(),
        },
        ToDaemon::Stopped {
            session: session(),
            stopped: true,
        },
        ToDaemon::Closed { session: session() },
        ToDaemon::OnExitBegan { session: session() },
        ToDaemon::OnExitEnded {
            session: session(),
            failure: Some("exit status: 3".to_owned()),
        },
        ToDaemon::Cleared {
            session: session(),
            first: Some(100),
            failure: None,
        },
        ToDaemon::Cleared {
            session: session(),
            first: None,
            failure: Some(Failure {
                errno: Some(28),
                message: "No space left on device".to_owned(),
            }),
        },
        ToDaemon::Forgotten { session: session() },
        ToDaemon::Degraded {
            session: session(),
            reason: Some("No space left on device".to_owned()),
        },
    ];
    let open = [
        "/Welcome",
        "/Stored",
        "/Adopt",
        "/Upgraded",
        "/TakenOver",
        "/Starting",
        "/Spawned",
        "/SpawnFailed",
        "/Grown",
        "/Exited",
        "/Exited/exit",
        "/Stopped",
        "/Closed",
        "/OnExitBegan",
        "/OnExitEnded",
        "/Cleared",
        "/Cleared",
        "/Forgotten",
        "/Degraded",
    ];
    golden::lines("keeper/to_daemon.jsonl", &messages, &open);
}

#[test]
fn fields_missing_in_older_versions_have_a_default() {
    let mut adopt = serde_json::to_value(ToDaemon::Adopt(Box::new(kept()))).unwrap();
    let fields = adopt["Adopt"].as_object_mut().unwrap();
    fields.retain(|name, _| !["has_tail", "degraded", "exit"].contains(&name.as_str()));
    let expected = Kept {
        has_tail: false,
        degraded: None,
        exit: None,
        ..kept()
    };
    let read: ToDaemon = serde_json::from_value(adopt).unwrap();
    assert_eq!(read, ToDaemon::Adopt(Box::new(expected)));
    let rest: ToKeeper = serde_json::from_value(json!({"Rest": {}})).unwrap();
    assert_eq!(
        rest,
        ToKeeper::Rest {
            upgrade: false,
            program: None
        }
    );
    let welcome = json!({"Welcome": {"keeper_pid": 10, "version": "0.0.9", "sessions": 0}});
    let welcome: ToDaemon = serde_json::from_value(welcome).unwrap();
    let expected = ToDaemon::Welcome {
        keeper_pid: 10,
        version: "0.0.9".to_owned(),
        files: None,
        upgrading: false,
        sessions: 0,
        stored: 0,
    };
    assert_eq!(welcome, expected);
}
