//! Many short jobs leave nothing behind, and each is told as it was.

use std::collections::VecDeque;
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::{have, skipped};
use crate::support::{Home, Serve, daemon, eventually};

/// Jobs at once.
const IN_FLIGHT: usize = 20;

/// Runs jobs to their ends, some at once; returns their starts' results in order.
fn run_all(serve: &mut Serve, commands: impl Iterator<Item = String>) -> Vec<Value> {
    let (mut pending, mut results) = (VecDeque::new(), Vec::new());
    let mut take = |serve: &mut Serve, id: u64| {
        let mut reply = serve.reply(id);
        assert_eq!(reply["ok"], true, "{reply}");
        results.push(reply["result"].take());
    };
    for command in commands {
        let start = json!({"action": "start", "command": command, "wait": true});
        pending.push_back(serve.send(start));
        if pending.len() == IN_FLIGHT {
            take(serve, pending.pop_front().unwrap());
        }
    }
    for id in pending {
        take(serve, id);
    }
    results
}

/// Runs `count` jobs, removes a quarter of them, and compares what is open before and after.
fn leave_nothing(count: usize) {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    // What the first one makes is there to stay.
    run_all(&mut serve, (0..IN_FLIGHT).map(|n| format!("echo {n}")));
    let (daemon, keeper) = daemon::pids(&mut serve);
    let open = [daemon, keeper].map(daemon::open_files);
    let mut memory = None;
    let began = Instant::now();
    for batch in 0..count / 100 {
        let done = run_all(&mut serve, (0..100).map(|n| format!("echo {n}")));
        let mut removals = Vec::new();
        for (n, done) in done.iter().enumerate() {
            assert_eq!(done["output"], format!("{n}\n"));
            if n % 4 == 0 {
                let remove = json!({"action": "remove", "sessionId": done["sessionId"]});
                removals.push(serve.send(remove));
            }
        }
        for removal in removals {
            assert_eq!(serve.reply(removal)["ok"], true);
        }
        // By then there are as many sessions, events and memories of removed ones
        // as are kept, or nearly.
        if batch == (count / 200).max(4) {
            memory = Some([daemon, keeper].map(daemon::memory_kib));
        }
    }
    eprintln!("{count} jobs took {:?}", began.elapsed());
    let mut said = String::new();
    eventually(
        "nothing more is open than before, and nobody is a zombie",
        || {
            // Somebody may be on the way out: a request later is another look.
            serve.ok(json!({"action": "stats"}));
            let left = [daemon, keeper].map(daemon::open_files);
            let zombies = daemon::zombies(keeper);
            let now = format!("{left:?} open, {open:?} before; {zombies} zombies");
            if now != said {
                eprintln!("{now}");
                said = now;
            }
            // When they were counted, some of the first jobs may have been on the way out.
            let nothing_more = std::iter::zip(left, open).all(|(left, open)| left <= open);
            (nothing_more && zombies == 0).then_some(())
        },
    );
    run_all(&mut serve, (0..100).map(|n| format!("exit {n}")));
    let list = serve.ok(json!({"action": "list", "limit": 1000}));
    let kept = list["sessions"].as_array().unwrap().len();
    assert_eq!(kept, 200, "finished ones of a scope");
    // A directory goes when the keeper has let go of the session.
    eventually("there is one directory for each session", || {
        let dirs = std::fs::read_dir(home.path().join("sessions")).unwrap();
        (dirs.count() == kept).then_some(())
    });
    let after = [daemon, keeper].map(daemon::memory_kib);
    for (before, after) in memory.unwrap_or(after).into_iter().zip(after) {
        assert!(
            after < before + 4 * 1024,
            "{before} KiB before, {after} KiB after"
        );
    }
}

#[test]
fn five_hundred_jobs_leave_no_descriptor_and_no_zombie() {
    leave_nothing(500);
}

/// `BGPROC_SOAK=1` runs it.
#[test]
fn ten_thousand_jobs_leave_no_descriptor_and_no_zombie() {
    match std::env::var_os("BGPROC_SOAK") {
        Some(_) => leave_nothing(10_000),
        None => skipped("takes some minutes; BGPROC_SOAK=1 runs it"),
    }
}

#[test]
fn an_exit_code_is_told_as_it_was() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    // Those that shells give a meaning of their own are codes like any other.
    let shells = 124..=130;
    let codes: Vec<i32> = (0..256)
        .filter(|code| code % 5 == 0 || shells.contains(code))
        .collect();
    let ended = run_all(&mut serve, codes.iter().map(|code| format!("exit {code}")));
    for (code, ended) in codes.iter().zip(ended) {
        assert_eq!(ended["exitCode"], *code, "{ended}");
        assert_eq!(ended["signal"], Value::Null);
        let status = if *code == 0 { "done" } else { "error" };
        assert_eq!(ended["status"], status);
    }
}

#[test]
fn a_signal_is_told_by_its_name_and_a_core_in_words() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let names = [
        "HUP", "INT", "QUIT", "ABRT", "SEGV", "TERM", "USR1", "ALRM", "PIPE",
    ];
    let lines = names.map(|name| format!("ulimit -c 0; kill -{name} $$"));
    let ended = run_all(&mut serve, lines.into_iter());
    for (name, ended) in names.iter().zip(ended) {
        assert_eq!(ended["signal"], format!("SIG{name}"), "{ended}");
        assert_eq!(
            (&ended["exitCode"], &ended["status"]),
            (&Value::Null, &json!("error"))
        );
    }
    let line = "ulimit -c unlimited && cd \"$DIR\" && kill -ABRT $$";
    let request = json!({"command": line, "env": {"DIR": home.path()}});
    let job = Job::request(&mut serve, request);
    job.end(&mut serve);
    let reason = job.ask(&mut serve, "status", json!({}))["reason"].clone();
    // Where the system keeps no cores, the kernel does not say that there was one.
    assert!(
        ["SIGABRT", "SIGABRT, core dumped"].contains(&reason.as_str().unwrap()),
        "{reason}"
    );
}

#[test]
fn niceness_limits_and_processors_are_those_of_who_asked() {
    let home = Home::new();
    // The keeper is started by somebody with other ones.
    let first = "ulimit -S -c 4; ulimit -S -s 4096; ulimit -S -n 300";
    home.run_command(home.command_after(first, &["ls"]), &["ls"]);
    let show =
        "nice; ulimit -S -c; ulimit -S -s; ulimit -n; grep Cpus_allowed_list /proc/self/status";
    let args = ["run", "-w", "-q", "-n", "show", show];
    let asked = "ulimit -S -c 8; ulimit -S -s 2048; ulimit -n 200; renice -n 7 $$ >/dev/null; \
                 taskset -cp 0 $$ >/dev/null";
    home.run_command(home.command_after(asked, &args), &args)
        .expect_code(0);
    let shown = home.ok(&["logs", "show"]);
    let shown: Vec<&str> = shown.lines().collect();
    assert_eq!(shown, ["7", "8", "2048", "200", "Cpus_allowed_list:\t0"]);
    // A run later as well, whoever asks for that one.
    home.ok(&["restart", "show"]);
    home.run(&["wait", "show"]).expect_code(0);
    assert!(
        home.ok(&["logs", "show"])
            .ends_with("200\nCpus_allowed_list:\t0\n")
    );
}

#[test]
fn daemon_and_keeper_leave_no_cores_with_the_environments_of_jobs() {
    let home = Home::new();
    let mut serve = Serve::spawn(home.command_after("ulimit -S -c 4", &["--serve"]));
    let check = |serve: &mut Serve| {
        let (daemon, keeper) = daemon::pids(serve);
        for pid in [daemon, keeper] {
            let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
            let mut lines = limits.lines();
            let core = lines.find(|line| line.starts_with("Max core file size"));
            let soft = core.and_then(|line| line.split_whitespace().nth(4));
            assert_eq!(soft, Some("0"), "{limits}");
        }
    };
    check(&mut serve);
    daemon::replace_keeper(&mut serve);
    check(&mut serve);
    // Its jobs are not meant.
    let job = Job::start(&mut serve, "ulimit -S -c");
    job.end(&mut serve);
    assert_eq!(job.output(&mut serve), "4\n");
}

#[test]
fn a_job_begins_as_from_a_login_shell() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    // The keeper begins with another umask than the agent.
    home.run_command(home.command_after("umask 0", &["ls"]), &["ls"]);
    let mut serve = Serve::spawn(home.command_after("umask 027", &["--serve"]));
    for mode in ["pty", "pipe"] {
        let script = "
import json, os
status = dict(line.split(':\\t') for line in open('/proc/self/status').read().splitlines() if ':\\t' in line)
print(json.dumps({
    'fds': sorted(int(fd) for fd in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + fd)),
    'masks': [int(status[name], 16) & 0x7fffffff for name in ('SigBlk', 'SigIgn', 'SigCgt')],
    'leads': os.getsid(0) == os.getpid() == os.getpgrp(),
    'front': os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp(),
    'umask': os.umask(0),
    'session': os.environ['BGPROC_SESSION'],
    'stray': [name for name in os.environ if name in ('BGPROC_ROLE', 'COLUMNS', 'LINES')],
}))";
        let args = json!(["-S", "-c", script]);
        let request = json!({"action": "start", "command": "python3", "args": args, "mode": mode,
            "cols": 500, "wait": true, "maxChars": 5000});
        let done = serve.ok(request);
        let seen: Value = serde_json::from_str(done["output"].as_str().unwrap()).unwrap();
        assert_eq!(seen["fds"], json!([0, 1, 2]), "{seen}");
        // Python itself ignores SIGPIPE and SIGXFSZ and catches SIGINT.
        assert_eq!(
            seen["masks"],
            json!([0, 1 << 12 | 1 << 24, 1 << 1]),
            "{seen}"
        );
        assert_eq!(
            (&seen["leads"], &seen["front"]),
            (&json!(true), &json!(mode == "pty"))
        );
        assert_eq!(seen["umask"], 0o027, "{seen}");
        assert_eq!(
            (&seen["session"], &seen["stray"]),
            (&done["sessionId"], &json!([]))
        );
    }
}
