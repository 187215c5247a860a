//! Ending means ended: the whole tree, in its time, whatever becomes of the daemon.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::privilege::Stranger;
use crate::support::process::{Held, Io, is_alive};
use crate::support::{DEADLINE, Home, Serve, daemon};

/// A job that says so when it is asked to end, and goes on.
const DEAF: &str = "trap 'echo asked' TERM; echo up; while :; do sleep 0.02; done";

fn serve() -> (Home, Serve) {
    let home = Home::new();
    let serve = Serve::new(&home, &[]);
    (home, serve)
}

/// The number that follows `word` on a line of its own.
fn number(serve: &mut Serve, job: &Job, word: &str) -> u32 {
    let found = job.wait_for(serve, &format!("^{word} (\\d+)$"));
    let text = found["matched"]["groups"][0].as_str().unwrap();
    text.parse().unwrap()
}

/// What a job is given between being asked and being killed.
const GRACE: Duration = Duration::from_millis(1500);

/// Kills two daemons while a grace period runs, which has not begun before `since`; the job is to end as if
/// nothing had been.
fn ends_over_daemons(serve: &mut Serve, job: &Job, since: Instant) -> Value {
    job.wait_for(serve, "^asked$");
    daemon::kill(serve);
    daemon::kill(serve);
    let ended = job.end(serve);
    // No less than it was given.
    let given = since.elapsed();
    assert!(given > GRACE.mul_f64(0.9), "{given:?}");
    assert_eq!(ended["signal"], "SIGKILL", "{ended}");
    let said = job.output(serve);
    assert_eq!(said.matches("asked").count(), 1, "asked once: {said}");
    ended
}

#[test]
fn an_interactive_shell_ends_at_once_and_a_script_that_ignores_term_does_not() {
    let (_home, mut serve) = serve();
    let kill =
        |job: &Job, grace: u64| json!({"action": "kill", "sessionId": job.id, "graceMs": grace});
    for (shell, name) in [("bash --norc", "bash"), ("dash", "dash"), ("zsh -f", "zsh")] {
        if !have(name) {
            continue;
        }
        let job = Job::start(&mut serve, &format!("exec {shell}"));
        let asks = json!({"action": "wait", "sessionId": job.id, "until": [{"input": true}]});
        assert_eq!(serve.ok(asks)["outcome"], "matched", "{shell}");
        let killed = serve.ok(kill(&job, 600_000));
        assert_ne!(killed["signal"], "SIGKILL", "{shell}: {killed}");
        assert_eq!(killed["status"], "killed", "{shell}: {killed}");
    }
    let script = "trap '' TERM; trap 'echo hung up' HUP; echo up; while :; do sleep 0.02; done";
    let job = Job::start(&mut serve, script);
    job.wait_for(&mut serve, "^up$");
    let killed = serve.ok(kill(&job, 300));
    assert_eq!(killed["signal"], "SIGKILL", "{killed}");
    assert!(!job.output(&mut serve).contains("hung up"));
}

#[test]
fn a_grace_period_goes_on_with_the_next_daemon() {
    let (_home, mut serve) = serve();
    let job = Job::start(&mut serve, DEAF);
    job.wait_for(&mut serve, "^up$");
    let since = Instant::now();
    let grace = u64::try_from(GRACE.as_millis()).unwrap();
    serve.send(json!({"action": "kill", "sessionId": job.id, "graceMs": grace}));
    let ended = ends_over_daemons(&mut serve, &job, since);
    assert_eq!(ended["status"], "killed");
}

#[test]
fn a_time_limit_goes_on_with_the_next_daemon() {
    let (_home, mut serve) = serve();
    let grace = u64::try_from(GRACE.as_millis()).unwrap();
    let request = json!({"command": DEAF, "timeoutGraceMs": grace});
    let job = Job::request(&mut serve, request);
    job.wait_for(&mut serve, "^up$");
    // Now that it is deaf: before, the limit would simply end it.
    let since = Instant::now();
    job.ask(&mut serve, "set", json!({"timeoutSec": 1}));
    daemon::kill(&mut serve);
    let ended = ends_over_daemons(&mut serve, &job, since);
    assert_eq!(ended["status"], "timed_out");
    let record = job.ask(&mut serve, "status", json!({}));
    assert_eq!(record["endedBy"]["kind"], "timeout");
}

#[test]
fn what_is_left_of_a_tree_is_ended_by_the_next_daemon() {
    let (_home, mut serve) = serve();
    let line = "sh -c 'trap \"\" TERM HUP; echo deaf $$; while :; do sleep 0.02; done' & wait";
    let job = Job::start(&mut serve, line);
    let deaf = Held::new(number(&mut serve, &job, "deaf")).unwrap();
    serve.send(json!({"action": "kill", "sessionId": job.id, "graceMs": 4000}));
    // Its first process takes the hint, and the other one has its grace, long enough for all that follows.
    job.end(&mut serve);
    assert!(!deaf.ended(Duration::ZERO));
    daemon::kill(&mut serve);
    assert!(deaf.ended(DEADLINE), "nobody remembers that it was to end");
}

#[test]
fn groups_sessions_orphans_and_stopped_ones_are_ended() {
    if !have("python3") {
        return;
    }
    let (_home, mut serve) = serve();
    let line = "set -m; sh -c 'echo group $$; exec sleep 1000' & \
         setsid sh -c '(echo orphan $$; exec sleep 1000) & sleep 0.1' & \
         python3 -c 'import os, signal; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0)\n\
print(\"demon\", os.getpid(), flush=True); signal.signal(15, signal.SIG_IGN); signal.pause()' & \
         sh -c 'echo stopped $$; kill -STOP $$; sleep 1000' & \
         echo leader $$; exec sleep 1000";
    let job = Job::start(&mut serve, line);
    let names = ["group", "orphan", "demon", "stopped", "leader"];
    let pids = names.map(|name| number(&mut serve, &job, name));
    let killed = job.ask(&mut serve, "kill", json!({"graceMs": 300}));
    assert_eq!(killed["survivors"], json!([]));
    for (name, pid) in names.iter().zip(pids) {
        assert!(!is_alive(pid), "{name} {pid}: {killed}");
    }
}

#[test]
fn what_holds_the_terminal_of_an_ended_job_is_said_listed_and_ended() {
    let (_home, mut serve) = serve();
    // Without a trace of the session in its environment.
    let line = "trap '' HUP; env -i sleep 1000 & echo left $!; exit 5";
    let job = Job::request(&mut serve, json!({"command": line, "ttlMs": 1}));
    let left = number(&mut serve, &job, "left");
    assert_eq!(job.end(&mut serve)["exitCode"], 5);
    let record = job.ask(&mut serve, "status", json!({"detail": true}));
    assert_eq!(
        (&record["ttyOpen"], &record["exitCode"]),
        (&json!(true), &json!(5))
    );
    let reason = record["reason"].as_str().unwrap();
    assert!(reason.contains("has its terminal open"), "{reason}");
    let listed = &record["detail"]["processes"];
    assert_eq!(listed[0]["pid"], left, "{listed}");
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    // It is there although its TTL is long over: its end would hang up the other.
    daemon::kill(&mut serve);
    let again = job.ask(&mut serve, "status", json!({"detail": true}));
    assert_eq!(again["detail"]["processes"][0]["pid"], left);
    serve.ok(json!({"action": "subscribe", "events": ["removed"]}));
    let killed = job.ask(&mut serve, "kill", json!({}));
    assert_eq!(
        (&killed["alreadyEnded"], &killed["killedPids"]),
        (&json!(true), &json!([left]))
    );
    assert_eq!(serve.event("removed")["sessionId"], job.id);
}

#[test]
fn stop_says_what_an_ended_job_had_left() {
    let home = Home::new();
    let line = "trap '' HUP; sleep 1000 & echo left; exit 5";
    home.run(&["run", "-n", "leaver", "-w", line])
        .expect_code(5);
    let shown = home.run(&["status", "leaver"]).stdout;
    assert!(
        shown.contains("a process that it left has its terminal open"),
        "{shown}"
    );
    let said = home.ok(&["stop", "leaver"]);
    assert_eq!(
        said,
        "leaver  had already ended (exit 5); ended 1 process that it left behind\n"
    );
}

#[test]
fn a_bgproc_that_a_job_has_started_is_not_a_part_of_that_job() {
    let (_home, mut serve) = serve();
    let inner = Home::new();
    let line = format!(
        "BGPROC_HOME={} {} run -q 'exec sleep 1000'; echo started; exec sleep 1000",
        inner.path().display(),
        env!("CARGO_BIN_EXE_bgproc")
    );
    let job = Job::start(&mut serve, &line);
    job.wait_for(&mut serve, "^started$");
    let list = inner.json(&["ls"]);
    job.ask(&mut serve, "kill", json!({"graceMs": 100}));
    assert_eq!(
        inner.json(&["ls"])["sessions"][0]["pid"],
        list["sessions"][0]["pid"]
    );
    assert_eq!(inner.json(&["ls"])["counts"], json!({"running": 1}));
}

#[test]
fn processes_that_multiply_while_they_are_ended_are_ended() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let Some(user) = Stranger::new(&home) else {
        return;
    };
    let mut serve = Serve::spawn(user.command(60, &["--serve"]));
    let bomb = "exec python3 -c 'import os, resource, signal, time
assert resource.getrlimit(resource.RLIMIT_NPROC)[1] == 60
signal.signal(15, signal.SIG_IGN)
while True:
    try: os.fork()
    except OSError: print(\"full\", flush=True); time.sleep(0.02)
'";
    let job = Job::start(&mut serve, bomb);
    job.wait_for(&mut serve, "^full$");
    // It gives up in the end, and says who is left.
    let killed = job.ask(&mut serve, "kill", json!({"graceMs": 100}));
    assert_eq!(killed["survivors"], json!([]), "{killed}");
    assert!(
        killed["killedPids"].as_array().unwrap().len() > 40,
        "{killed}"
    );
    let next = Job::start(&mut serve, "echo up");
    assert_eq!(next.end(&mut serve)["status"], "done");
}

#[test]
fn a_signal_says_exactly_whom_it_reached() {
    let (_home, mut serve) = serve();
    // The child is in a group of its own, in the foreground.
    let line = "set -m; echo leader $$; sh -c 'trap \"echo heard\" USR1; echo front $$; \
                while :; do sleep 0.02; done'; sleep 1000";
    let job = Job::start(&mut serve, line);
    let (leader, front) = (
        number(&mut serve, &job, "leader"),
        number(&mut serve, &job, "front"),
    );
    let mut send = |signal: &str, target: &str| {
        let request = json!({"signal": signal, "target": target});
        job.ask(&mut serve, "signal", request)["deliveredTo"].clone()
    };
    assert_eq!(send("CONT", "leader"), json!([leader]));
    let reached = send("CONT", "tree");
    for pid in [leader, front] {
        assert!(
            reached.as_array().unwrap().contains(&json!(pid)),
            "{reached}"
        );
    }
    let reached = send("CONT", "foreground");
    let reached = reached.as_array().unwrap();
    assert!(reached.contains(&json!(front)) && !reached.contains(&json!(leader)));
    send("USR1", "foreground");
    job.wait_for(&mut serve, "^heard$");
}

#[test]
fn a_kill_from_elsewhere_is_not_taken_for_the_kernel_s() {
    let (_home, mut serve) = serve();
    let job = Job::start(&mut serve, "kill -KILL $$");
    let ended = job.end(&mut serve);
    assert_eq!(
        (&ended["status"], &ended["signal"]),
        (&json!("error"), &json!("SIGKILL"))
    );
    let record = job.ask(&mut serve, "status", json!({}));
    // The kernel has killed nothing for lack of memory meanwhile.
    assert_eq!(record["reason"], "SIGKILL");
}

#[test]
fn many_sessions_are_ended_in_a_few_walks_through_all_processes() {
    const JOBS: usize = 80;
    let home = Home::with_config("max_sessions_per_scope = 200\n");
    let mut serve = Serve::new(&home, &[]);
    let request = json!({"command": "sleep", "args": ["1000"]});
    let jobs: Vec<Job> = (0..JOBS)
        .map(|_| Job::request(&mut serve, request.clone()))
        .collect();
    let (daemon, _) = daemon::pids(&mut serve);
    let processes = std::fs::read_dir("/proc").unwrap().count();
    let ids: Vec<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
    let before = Io::of(daemon);
    let killed = serve.ok(json!({"action": "kill", "sessionIds": ids}));
    let reads = usize::try_from(Io::of(daemon).since(before).reads).unwrap();
    eprintln!("{JOBS} sessions beside {processes} processes: {reads} reads");
    for (job, result) in std::iter::zip(&jobs, killed["results"].as_array().unwrap()) {
        assert_eq!(result["killedPids"], json!([job.pid]), "{result}");
        assert_eq!(result["survivors"], json!([]), "{result}");
    }
    // One read a process in each walk: two walks are needed, and some more where the ends
    // come slowly. Two walks for each session would be 160.
    assert!(
        reads < 20 * JOBS + 40 * processes,
        "{reads} reads, {processes} processes"
    );
}

/// A program within a shell line that takes a while to end when it is asked. The shell would end at once, and its terminal
/// would hang up.
const CLEANS: &str = "sh -c 'trap \"echo cleaning; sleep 1; echo clean; exit 0\" TERM; echo up; \
    while :; do sleep 0.02; done'; echo next";

#[test]
fn a_program_within_a_shell_line_ends_before_its_shell() {
    let (_home, mut serve) = serve();
    for death in [false, true] {
        let job = Job::start(&mut serve, CLEANS);
        job.wait_for(&mut serve, "^up$");
        let kill = json!({"action": "kill", "sessionId": job.id, "graceMs": 60_000});
        if death {
            serve.send(kill);
            job.wait_for(&mut serve, "^cleaning$");
            let status = job.ask(&mut serve, "status", json!({}));
            assert_ne!(status["status"], "paused", "{status}");
            daemon::kill(&mut serve);
        } else {
            serve.ok(kill);
        }
        let ended = job.end(&mut serve);
        assert_eq!(ended["signal"], "SIGTERM", "{ended}");
        let said = job.output(&mut serve);
        assert!(
            said.contains("cleaning\r\nclean") || said.contains("cleaning\nclean"),
            "{said}"
        );
        assert!(!said.contains("next"), "the shell went on: {said}");
    }
}
