//! Tests of `meta.json` version 1, in the home of the golden files.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::engine::life::{Actor, Probed};
use crate::engine::session::Session;
use crate::protocol::Status;
use crate::protocol::keeper::Exit;
use crate::protocol::policy::RestartWhen;
use crate::protocol::tests::golden::{self, at, id};
use crate::term::size::Size;

/// A boot id that differs from that of any machine that runs the tests.
const BOOT_ID: &str = "00000000-1111-2222-3333-444444444444";

/// The objects to which an older or newer version may add fields.
const OPEN: &[&str] = &[
    "",
    "/spec",
    "/terms",
    "/life",
    "/life/endedBy",
    "/life/runs/0",
];

fn now(second: i64) -> Now {
    Now {
        boot: 100_000 + 1000 * second.cast_unsigned(),
        wall: at(second),
    }
}

fn builder() -> Scope {
    Scope::named("builder").unwrap()
}

/// A session that an agent started, with every optional field set.
fn begun(name: &str) -> Session {
    let spec = Spec {
        command: "echo one; echo two".to_owned(),
        args: None,
        cwd: "/tmp".to_owned(),
        mode: Mode::Pty,
        label: Some(
            name.trim_end_matches(|c: char| c.is_ascii_digit())
                .to_owned(),
        ),
        group: Some("demo".to_owned()),
        description: Some("what it is for".to_owned()),
        env_names: vec!["NAME".to_owned()],
        ..Spec::default()
    };
    let time_limits = TimeLimits {
        timeout_ms: 60_000,
        timeout_grace_ms: 5000,
        ttl_ms: 30 * 86_400_000,
        failed_ttl_ms: None,
        until_room: None,
        keep: false,
    };
    let size = Size::new(24, 80);
    let mut session = Session::new(id(name), builder(), spec, size, time_limits, now(0));
    session.key = Some(format!("key-of-{name}"));
    session
}

fn end(session: &mut Session, exit_code: Option<i32>, signal: Option<i32>, second: i64) {
    let exit = Exit {
        pid: session.life.pid().unwrap(),
        exit_code,
        signal,
        core_dumped: false,
        ended_at: at(second),
        end_offset: 10,
        limit: None,
        out_of_memory: false,
    };
    let name = signal.map(|_| "SIGTERM".to_owned());
    session.life.ended(&exit, name, &[], now(second));
    session.touch(now(second + 1));
}

/// Ends the session on behalf of `actor`.
fn ended_by(session: &mut Session, actor: Actor) {
    assert!(session.life.ask_to_end(actor.clone()));
    session.life.signalled(15, actor);
    session.life.grace_began(now(65).boot);
    end(session, None, Some(15), 60);
    session.life.grace_ended(None);
}

fn check(session: &Session, open: &[&str]) -> Meta {
    let meta = session.meta(BOOT_ID);
    let name = format!("home/sessions/{}/meta.json", session.id);
    golden::file(&name, &meta, open);
    meta
}

#[test]
fn records_of_ended_sessions() {
    let mut done = begun("done00000001");
    done.life.started(1001, 0, now(0));
    end(&mut done, Some(0), None, 60);
    check(&done, OPEN);

    let mut error = begun("error0000001");
    error.spec.mode = Mode::Pipe;
    error.spec.args = Some(vec!["-k".to_owned()]);
    error.spec.command = "make".to_owned();
    error.life.started(2001, 0, now(0));
    end(&mut error, Some(3), None, 60);
    check(&error, OPEN);

    let mut killed = begun("killed000001");
    killed.scope = Scope::human();
    killed.key = None;
    killed.time_limits.timeout_ms = 0;
    killed.time_limits.keep = true;
    killed.life.started(3001, 0, now(0));
    ended_by(&mut killed, Actor::Human);
    check(&killed, OPEN);

    let mut timed_out = begun("timedout0001");
    timed_out.life.started(4001, 0, now(0));
    ended_by(&mut timed_out, Actor::TimeLimit(60_000));
    check(&timed_out, OPEN);

    let mut again = begun("again0000001");
    again.life.started(5001, 0, now(0));
    ended_by(&mut again, Actor::Agent(builder()));
    again.life.started(5002, 10, now(70));
    end(&mut again, Some(0), None, 80);
    check(&again, OPEN);
}

#[test]
fn the_record_of_a_session_that_waits_for_its_next_run() {
    let mut retrying = begun("retrying0001");
    retrying.spec.ready = Some(Probe {
        port: Some(8080),
        timeout_ms: Some(5000),
        ..Probe::default()
    });
    let policy = RestartPolicy {
        policy: RestartWhen::OnFailure,
        max_retries: Some(3),
        backoff_ms: Some(2000),
        ..RestartPolicy::default()
    };
    retrying.spec.restart = Some(policy);
    retrying.spec.limits = Some(JobLimits {
        log_bytes: Some(1 << 20),
        nice: Some(5),
        ..JobLimits::default()
    });
    retrying.spec.on_exit = Some("true".to_owned());
    retrying.life.started(9001, 0, now(0));
    retrying.life.set_probed(Probed::Late);
    end(&mut retrying, Some(3), None, 30);
    assert!(retrying.life.retry(policy, now(30)));
    assert_eq!(retrying.life.status(), Status::Retrying);
    assert_eq!(retrying.life.retry_at(), Some(now(32).boot));
    // Requests of clients are also parsed strictly here.
    let open = [OPEN, &["/life/retry"]].concat();
    let meta = check(&retrying, &open);
    // Its environment is known only to the keeper and the daemon, so the restored session cannot be
    // run.
    let mut later = Session::from_meta(meta, false, now(100));
    assert!(later.life.stop_retrying(None, Some(policy)));
    assert_eq!(
        (later.life.status(), later.life.retry_at()),
        (Status::Lost, None)
    );
    assert_eq!(later.life.exit_code(), Some(3));
    assert_eq!(
        later.life.reason(),
        Some("exit code 3; bgproc ended before retry 1 of 3, and its environment is not known")
    );
}

#[test]
fn records_of_running_sessions() {
    let mut running = begun("running00001");
    running.stdin_closed = true;
    running.output.begin_at(100, 10, None);
    running.life.started(6001, 0, now(0));
    check(&running, &["", "/life"]);

    let mut stopping = begun("stopping0001");
    stopping.life.started(7001, 0, now(0));
    let agent = Actor::Agent(builder());
    stopping.life.ask_to_end(agent.clone());
    stopping.life.signalled(15, agent);
    stopping.life.grace_began(now(65).boot);
    check(&stopping, &["", "/life"]);
}

#[test]
fn the_oldest_record_is_read() {
    let oldest = golden::kept("home/sessions/oldest000001/meta.json");
    let read: Meta = serde_json::from_slice(&oldest).unwrap();
    let mut expected = begun("oldest000001");
    expected.life.started(8001, 0, now(0));
    end(&mut expected, Some(0), None, 60);
    // Leave out what later versions added.
    let mut json = serde_json::to_value(expected.meta(BOOT_ID)).unwrap();
    json.as_object_mut().unwrap().remove("accessed");
    let life = json["life"].as_object_mut().unwrap();
    for added in ["lastPid", "endedBoot", "killAt"] {
        assert!(life.remove(added).is_some(), "{added}");
    }
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&oldest).unwrap(),
        json
    );
    assert_eq!((read.accessed, read.life.last_process()), (None, None));
    let session = Session::from_meta(read, false, now(100));
    assert_eq!(session.accessed_boot(), now(100).boot);
}
