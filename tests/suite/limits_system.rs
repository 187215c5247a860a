//! The system has no more of something: it is said, and nothing that runs is touched.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::{have, is_root};
use crate::support::privilege::Stranger;
use crate::support::process::is_alive;
use crate::support::{DEADLINE, Home, Serve, daemon, eventually};

/// Starts jobs until that is refused; returns them and the refusal.
fn fill(serve: &mut Serve, mode: &str) -> (Vec<Job>, Value) {
    let mut jobs = Vec::new();
    let start = json!({"action": "start", "command": "exec cat", "mode": mode, "background": true});
    for _ in 0..400 {
        let mut reply = serve.call(start.clone());
        if reply["ok"] == false {
            return (jobs, reply["error"].take());
        }
        let id = reply["result"]["sessionId"].as_str().unwrap().to_owned();
        let pid = reply["result"]["pid"].as_u64();
        let pid = pid.map(|pid| u32::try_from(pid).unwrap());
        jobs.push(Job { id, pid });
    }
    panic!("400 jobs are running, and there is no end");
}

/// What holds after a refusal, whatever was missing.
fn check(home: &Home, serve: &mut Serve, jobs: &[Job], error: &Value, name: &str) {
    assert_eq!(error["code"], "limit_exceeded", "{error}");
    assert_eq!(error["data"]["name"], name, "{error}");
    assert!(error["data"]["limit"].is_u64() && error["data"]["current"].is_u64());
    assert!(error["hint"].is_string(), "{error}");
    assert!(!jobs.is_empty(), "{error}");
    let list = serve.ok(json!({"action": "list"}));
    assert_eq!(list["counts"], json!({"running": jobs.len()}));
    let kept = std::fs::read_dir(home.path().join("sessions")).unwrap();
    assert_eq!(
        kept.count(),
        jobs.len(),
        "nothing is left of the refused one"
    );
    for job in jobs {
        assert!(is_alive(job.pid.unwrap()));
    }
    jobs[0].ask(serve, "write", json!({"data": "hello\n"}));
    jobs[0].wait_for(serve, "^hello$");
    jobs[0].ask(serve, "kill", json!({"remove": true}));
    let again = Job::start(serve, "echo again; exec cat");
    again.wait_for(serve, "^again$");
}

#[test]
fn without_descriptors_a_start_is_refused_and_a_dead_daemon_replaced() {
    for mode in ["pty", "pipe"] {
        let home = Home::new();
        let mut serve = Serve::spawn(home.command_after("ulimit -n 64", &["--serve"]));
        let (jobs, error) = fill(&mut serve, mode);
        assert!(jobs.len() >= 4, "{} jobs", jobs.len());
        assert_eq!(error["data"]["limit"], 64, "{error}");
        // The keeper starts the next daemon and hands everything over all the same.
        daemon::kill(&mut serve);
        check(&home, &mut serve, &jobs, &error, "openFiles");
    }
}

/// With so many sessions that their descriptors do not fit into a socket at once.
#[test]
fn with_the_last_descriptors_in_use_daemon_and_keeper_are_replaced() {
    let home = Home::with_config("max_sessions = 1000\nmax_sessions_per_scope = 1000\n");
    let mut serve = Serve::spawn(home.command_after("ulimit -n 1024", &["--serve"]));
    let (jobs, error) = fill(&mut serve, "pty");
    assert!(jobs.len() >= 200, "{} jobs", jobs.len());
    daemon::kill(&mut serve);
    let list = serve.ok(json!({"action": "list", "limit": 1}));
    assert_eq!(list["counts"], json!({"running": jobs.len()}));
    daemon::kill_keeper(&mut serve);
    check(&home, &mut serve, &jobs, &error, "openFiles");
}

#[test]
fn without_descriptors_a_client_is_told_so() {
    let home = Home::new();
    let mut serve = Serve::spawn(home.command_after("ulimit -n 64", &["--serve"]));
    let job = Job::start(&mut serve, "echo up; exec cat");
    job.wait_for(&mut serve, "^up$");
    let connect = || {
        let mut stream = UnixStream::connect(home.path().join("daemon.sock")).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        // One that is refused may be gone before it is greeted.
        let _ = stream.write_all(b"{\"action\":\"hello\",\"role\":\"human\"}\n");
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        (stream, said)
    };
    let mut held = Vec::new();
    let refused = loop {
        let (stream, said) = connect();
        if said["event"] == "hello" {
            held.push(stream)
        } else {
            break said;
        }
        assert!(held.len() < 64, "no end to clients");
    };
    assert_eq!(refused["error"]["code"], "limit_exceeded", "{refused}");
    assert_eq!(refused["error"]["data"]["name"], "openFiles");
    assert!(held.len() > 10, "{} clients", held.len());
    home.run(&["ls"])
        .expect_code(1)
        .expect_said("bgproc cannot open more files");
    // Who is connected is served.
    job.say(&mut serve, "hello", "^hello$");
    drop(held);
    eventually("clients are served again", || {
        (home.run(&["ls"]).code == Some(0)).then_some(())
    });
}

#[test]
fn without_terminals_a_start_is_refused_and_pipes_still_work() {
    if !is_root() || !have("unshare") {
        return;
    }
    let home = Home::new();
    let mount = "mount -t devpts -o newinstance,ptmxmode=0666,max=3 devpts /dev/pts \
                 && mount --bind /dev/pts/ptmx /dev/ptmx && exec \"$@\"";
    let program = env!("CARGO_BIN_EXE_bgproc");
    let words = ["unshare", "-m", "sh", "-c", mount, "sh", program, "--serve"];
    let mut serve = Serve::spawn(home.command_through(&words));
    let (jobs, error) = fill(&mut serve, "pty");
    assert_eq!(jobs.len(), 3);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("kernel.pty.max"), "{error}");
    check(&home, &mut serve, &jobs, &error, "terminals");
    let piped = json!({"action": "start", "command": "echo piped", "mode": "pipe"});
    assert_eq!(serve.ok(piped)["output"], "piped\n");
}

#[test]
fn without_processes_a_start_is_refused() {
    let home = Home::new();
    let Some(user) = Stranger::new(&home) else {
        return;
    };
    let mut serve = Serve::spawn(user.command(8, &["--serve"]));
    let (jobs, error) = fill(&mut serve, "pty");
    assert_eq!(error["data"]["limit"], 8, "{error}");
    check(&home, &mut serve, &jobs, &error, "processes");
}
