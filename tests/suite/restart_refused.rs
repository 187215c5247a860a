//! What outlives a job and a restart: it goes on writing to the log if the restart fails, and what it had
//! written until then is in the log if it does not.

use rustix::process::Signal;
use serde_json::json;

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::process::{Held, write_script};
use crate::support::{DEADLINE, Hold, Home, Serve, daemon, eventually};

#[test]
fn variables_that_no_program_can_have_are_refused_before_anything_ends() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "exec sleep 1000");
    for env in [
        json!({"A=B": "1"}),
        json!({"": "1"}),
        json!({"A": "1\u{0}2"}),
    ] {
        let restart = json!({"action": "restart", "sessionId": job.id, "env": env});
        serve.err(restart, "invalid_params");
    }
    let record = job.record(&mut serve);
    assert_eq!(
        (&record["status"], &record["pid"]),
        (&json!("running"), &json!(job.pid))
    );
}

#[test]
fn what_outlives_a_job_is_logged_after_a_restart_that_failed() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let gate = home.gate();
    let program = home.scratch("program");
    let text = "#!/bin/sh\n(read x < \"$GATE\"; echo late) &\necho early\n";
    write_script(&program, text);
    let start = json!({"command": program, "args": [], "mode": "pipe", "env": {"GATE": gate}});
    let job = Job::request(&mut serve, start);
    assert_eq!(job.end(&mut serve)["exitCode"], 0);
    assert_eq!(job.output(&mut serve), "early\n");
    std::fs::remove_file(&program).unwrap();
    let restart = json!({"action": "restart", "sessionId": job.id});
    serve.err(restart, "spawn_failed");
    serve.ok(json!({"action": "subscribe", "events": ["output"]}));
    std::fs::write(&gate, "\n").unwrap();
    serve.event("output");
    assert_eq!(job.output(&mut serve), "early\nlate\n");
}

#[test]
fn what_outlives_a_job_has_its_say_before_the_next_run() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let gate = home.gate();
    // Through a pipe that holds more than is taken from it in one turn (F_SETPIPE_SZ).
    let program = "import fcntl, os
if os.path.exists('ran'):
    os.execlp('echo', 'echo', 'again')
open('ran', 'w').close()
fcntl.fcntl(1, 1031, 1 << 20)
stray = os.fork()
if stray:
    print('stray', stray, flush=True)
    os._exit(0)
open(os.environ['GATE']).read()
os.write(1, b''.join(b'%06d\\n' % n for n in range(50000)))
";
    let line = format!("exec python3 -c \"{program}\"");
    let cwd = home.scratch("cwd");
    std::fs::create_dir(&cwd).unwrap();
    let start = json!({"command": line, "mode": "pipe", "cwd": cwd, "env": {"GATE": gate}});
    let job = Job::request(&mut serve, start);
    job.end(&mut serve);
    let output = job.output(&mut serve);
    let pid = output.trim().rsplit(' ').next().unwrap().parse().unwrap();
    let stray = Held::new(pid).unwrap();
    let (_, keeper) = daemon::pids(&mut serve);
    let keeper = Held::new(keeper).unwrap();
    keeper.signal(Signal::STOP);
    std::fs::write(&gate, "").unwrap();
    assert!(stray.ended(DEADLINE), "it writes without end");
    let restart = json!({"action": "restart", "sessionId": job.id});
    let restart = serve.send(restart);
    // In order: the keeper is asked for the next run before this is answered.
    serve.ok(json!({"action": "stats"}));
    keeper.signal(Signal::CONT);
    assert_eq!(serve.reply(restart)["ok"], true);
    job.end(&mut serve);
    let log = std::fs::read(
        home.path()
            .join("sessions")
            .join(&job.id)
            .join("output.log"),
    );
    let log = String::from_utf8(log.unwrap()).unwrap();
    let mut lines = log.lines().skip(1);
    assert!((0..50000).all(|n| lines.next() == Some(&format!("{n:06}"))));
    assert_eq!(lines.collect::<Vec<_>>(), ["again"]);
}

#[test]
fn a_run_whose_directory_is_gone_is_not_ended_for_another_one() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let cwd = home.scratch("gone");
    std::fs::create_dir(&cwd).unwrap();
    let start = json!({"command": "echo up; exec sleep 1000", "cwd": cwd});
    let job = Job::request(&mut serve, start);
    job.wait_for(&mut serve, "^up$");
    std::fs::remove_dir(&cwd).unwrap();
    let restart = json!({"action": "restart", "sessionId": job.id});
    let refused = serve.err(restart.clone(), "spawn_failed");
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("the working directory"), "{refused}");
    let status = serve.ok(json!({"action": "status", "sessionId": job.id}));
    assert_eq!(status["status"], "running", "{status}");
    std::fs::create_dir(&cwd).unwrap();
    serve.ok(restart);
}

#[test]
fn a_directory_that_does_not_answer_holds_up_nobody_else() {
    let home = Home::new();
    let hold = Hold::new(&home, "directory.look");
    let mut serve = hold.serve(&home);
    let job = Job::start(&mut serve, "exit 1");
    job.end(&mut serve);
    hold.set();
    for request in [
        json!({"action": "start", "command": "true"}),
        json!({"action": "restart", "sessionId": job.id}),
    ] {
        let pending = serve.send(request.clone());
        hold.await_reached();
        serve.ok(json!({"action": "list"}));
        let reply = serve.reply(pending);
        assert_eq!(reply["error"]["code"], "spawn_failed", "{request}: {reply}");
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(message.ends_with("does not answer"), "{message}");
    }
    hold.release();
    eventually("it answers again", || {
        let reply = serve.call(json!({"action": "restart", "sessionId": job.id}));
        (reply["ok"] == true).then_some(())
    });
    assert_eq!(
        serve.ok(json!({"action": "list"}))["sessions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}
