//! Queues, with and without a project, and jobs that start after others.

use std::path::Path;

use serde_json::{Value, json};

use super::{Project, has};
use crate::support::{Home, Person, Serve, Terminal, daemon, eventually};

/// A job that notes its start and waits for a file of its name to appear.
fn gated(name: &str) -> String {
    format!("echo {name} >> order; while [ ! -e {name}.go ]; do sleep 0.02; done")
}

/// A home with a directory in which jobs are started.
struct Queue {
    home: Home,
    dir: std::path::PathBuf,
}

impl Queue {
    fn new() -> Self {
        let home = Home::new();
        let dir = home.scratch("work");
        std::fs::create_dir_all(&dir).unwrap();
        Self { home, dir }
    }

    /// Starts a gated job and returns what is said of it.
    #[track_caller]
    fn run(&self, name: &str, args: &[&str]) -> String {
        let dir = self.dir.to_str().unwrap();
        let line = gated(name);
        let args = [&["run", "-n", name, "-C", dir][..], args, &[line.as_str()]].concat();
        self.home.ok(&args)
    }

    fn go(&self, name: &str) {
        std::fs::write(self.dir.join(format!("{name}.go")), "").unwrap();
    }

    fn order(&self) -> Vec<String> {
        order(&self.dir)
    }

    /// Waits until these jobs have begun, in this order.
    #[track_caller]
    fn until_begun(&self, names: &[&str]) {
        let mut seen = Vec::new();
        eventually(&format!("{names:?} have begun, in this order"), || {
            seen = self.order();
            (seen == names).then_some(())
        });
    }

    fn job(&self, name: &str) -> Value {
        self.home.listed(name)
    }

    #[track_caller]
    fn until(&self, name: &str, status: &str) {
        let mut seen = Value::Null;
        eventually(&format!("{name} is {status}"), || {
            seen = self.job(name)["status"].clone();
            (seen == status).then_some(())
        });
    }
}

fn order(dir: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(dir.join("order")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn jobs_of_a_queue_run_one_after_another_and_can_be_moved() {
    let queue = Queue::new();
    let said = queue.home.ok(&["group", "builds", "--parallel", "1"]);
    assert_eq!(said.trim(), "builds  1 at once");
    assert!(
        queue
            .run("a", &["-g", "builds"])
            .contains("a  running  pid ")
    );
    let said = queue.run("b", &["-g", "builds"]);
    assert_eq!(said.trim(), "b  queued #1  next in its queue");
    let said = queue.run("c", &["-g", "builds"]);
    assert_eq!(said.trim(), "c  queued #2  1 before it in its queue");
    queue.run("d", &["-g", "builds"]);
    queue.home.ok(&["move", "d", "--first"]);
    assert_eq!(
        queue.job("d")["waiting"],
        json!({
            "why": "next in its queue", "queue": "builds", "place": 1,
        })
    );
    // A change that is refused moves nothing.
    let policy = json!({"policy": "always", "unreadyMs": 60});
    let set = json!({
        "action": "set", "sessionId": queue.job("c")["sessionId"], "place": 1, "restart": policy,
    });
    let refused = Person::new(&queue.home).call(set);
    assert_eq!(refused["error"]["code"], "invalid_params", "{refused}");
    let said = queue.home.ok(&["group", "builds"]);
    assert_eq!(
        said,
        "builds  1 at once\n  running: a\n  waiting: d, b, c\n"
    );
    let listed = queue.home.ok(&["ls"]);
    assert!(listed.contains("queued #1"), "{listed}");
    queue.go("a");
    queue.until_begun(&["a", "d"]);
    // Out of turn, and without taking the turn of others.
    queue.home.ok(&["start", "c"]);
    queue.until_begun(&["a", "d", "c"]);
    // One that waits can be stopped, and is gone from the queue.
    queue.home.ok(&["stop", "b"]);
    queue.until("b", "killed");
    assert_eq!(
        queue.home.ok(&["group"]),
        "builds  1 at once\n  running: c, d\n"
    );
    let wrong = queue.home.run(&["move", "c", "--last"]);
    let wrong = wrong.expect_code(3);
    assert!(
        wrong.stderr.contains("does not wait in a queue"),
        "{}",
        wrong.stderr
    );
    queue.go("c");
    queue.go("d");
    queue.until("d", "done");
    queue.run("e", &["-g", "builds"]);
    queue.until_begun(&["a", "d", "c", "e"]);
    queue.go("e");
}

/// The dashboard is told what the command line does with a queue, and the other way round.
#[test]
fn the_dashboard_shows_what_the_command_line_does_with_a_queue() {
    let queue = Queue::new();
    queue.home.ok(&["group", "builds", "--parallel", "1"]);
    for name in ["one", "two", "three"] {
        queue.run(name, &["-g", "builds"]);
    }
    let mut view = Terminal::dashboard(&queue.home, (120, 40), "one");
    view.wait_for_text("builds · 1 at once");
    queue.home.ok(&["group", "builds", "--pause"]);
    view.wait_for_text("builds · paused, 1 at once");
    queue.home.ok(&["group", "builds", "--parallel", "2"]);
    view.wait_for_text("builds · paused, 2 at once");
    queue.home.ok(&["move", "three", "--first"]);
    view.wait_for("the places", |screen| {
        let rows = screen.rows_text(true);
        let has = |name: &str, place: &str| {
            let mut rows = rows.iter();
            rows.any(|row| row.contains(name) && row.contains(place))
        };
        has("three", "queued #1") && has("two", "queued #2")
    });
    view.press("g");
    view.press("P");
    view.wait_for_text("builds · 2 at once");
    let said = queue.home.ok(&["group", "builds"]);
    assert!(!said.contains("paused"), "{said}");
    let events = queue.home.ok(&["events"]);
    for word in [
        "queue, 1 at once",
        "queue paused",
        "queue, 2 at once",
        "queue resumed",
    ] {
        assert!(events.contains(word), "{word} in {events}");
    }
    view.send("q");
    for name in ["one", "two", "three"] {
        queue.go(name);
    }
}

#[test]
fn a_job_that_waits_for_its_turn_can_be_removed() {
    let queue = Queue::new();
    queue.home.ok(&["group", "builds", "--parallel", "1"]);
    for name in ["one", "two", "three"] {
        queue.run(name, &["-g", "builds"]);
    }
    queue.until_begun(&["one"]);
    queue.home.run(&["rm", "one"]).expect_code(3);
    queue.home.ok(&["rm", "two"]);
    assert_eq!(queue.job("two"), Value::Null);
    queue.go("one");
    queue.until_begun(&["one", "three"]);
    queue.go("three");
}

#[test]
fn a_job_whose_need_was_removed_is_skipped_and_can_be_started() {
    let queue = Queue::new();
    let home = &queue.home;
    home.ok(&["group", "builds", "--parallel", "1"]);
    queue.run("first", &["-g", "builds"]);
    queue.until_begun(&["first"]);
    home.run(&["run", "-w", "-n", "dep", "exit 1"])
        .expect_code(1);
    queue.run("agg", &["-g", "builds", "--after", "dep"]);
    queue.run("last", &["-g", "builds"]);
    let listed = home.ok(&["group", "builds"]);
    for line in ["  running: first", "  waiting: last", "  skipped: agg"] {
        assert!(listed.lines().any(|own| own == line), "{listed}");
    }
    home.ok(&["rm", "dep"]);
    let why = home.ok(&["why", "agg"]);
    assert_eq!(
        why.trim(),
        "agg: skipped: needs dep ok, which was removed; bgproc start agg starts it without that"
    );
    let said = home.ok(&["stop", "last"]);
    assert_eq!(said.trim(), "last  taken out of its queue; it has not run");
    home.ok(&["start", "agg"]);
    queue.until("agg", "running");
    queue.go("first");
    queue.go("agg");
}

#[test]
fn a_paused_queue_starts_nothing_and_a_failure_pauses_it() {
    let queue = Queue::new();
    let home = &queue.home;
    home.ok(&["group", "q", "--parallel", "2", "--on-failure", "pause"]);
    home.ok(&["group", "q", "--pause"]);
    let said = queue.run("a", &["-g", "q"]);
    assert!(said.contains("its queue is paused"), "{said}");
    home.ok(&["group", "q", "--resume"]);
    queue.until_begun(&["a"]);
    let dir = queue.dir.to_str().unwrap();
    home.ok(&["run", "-n", "bad", "-g", "q", "-C", dir, "exit 3"]);
    eventually("the queue is paused", || {
        let said = home.ok(&["group", "q"]);
        said.contains("paused: bad failed (bgproc group q --resume)")
            .then_some(())
    });
    let said = queue.run("b", &["-g", "q"]);
    assert!(said.contains("b  queued #1  its queue is paused"), "{said}");
    // All that wait start when it is no queue any more.
    let said = home.ok(&["group", "q", "--parallel", "0"]);
    assert_eq!(said, "q  is no longer a queue\n");
    queue.until_begun(&["a", "b"]);
    assert!(
        home.run(&["group", "q", "--pause"])
            .expect_code(4)
            .stderr
            .contains("no queue q")
    );
    queue.go("a");
    queue.go("b");
}

#[test]
fn a_queue_survives_daemon_and_keeper_and_keeps_its_order_and_its_secrets() {
    let queue = Queue::new();
    queue.home.ok(&["group", "q", "--parallel", "1"]);
    queue.run("a", &["-g", "q"]);
    let line = gated("b");
    let dir = queue.dir.to_str().unwrap();
    let secret = [
        "run",
        "-n",
        "b",
        "-g",
        "q",
        "-C",
        dir,
        "-e",
        "API_TOKEN=tremendous",
        "sh",
        "-c",
    ];
    let line = format!("echo $API_TOKEN > token; {line}");
    queue.home.ok(&[&secret[..], &[line.as_str()]].concat());
    queue.run("c", &["-g", "q"]);
    queue.home.kill_daemon();
    let mut serve = Serve::new(&queue.home, &[]);
    daemon::kill_keeper(&mut serve);
    queue.until("b", "queued");
    queue.home.kill_daemon();
    let stored = std::process::Command::new("grep")
        .args(["-rl", "tremendous"])
        .arg(queue.home.path())
        .output()
        .unwrap();
    let found = String::from_utf8_lossy(&stored.stdout).into_owned();
    assert_eq!(found, "", "a secret is on the disk");
    queue.go("a");
    queue.until_begun(&["a", "b"]);
    queue.go("b");
    queue.until_begun(&["a", "b", "c"]);
    queue.go("c");
    queue.until("c", "done");
    let token = std::fs::read_to_string(queue.dir.join("token")).unwrap();
    assert_eq!(token.trim(), "tremendous");
}

#[test]
fn a_job_starts_after_another_has_ended_well_or_is_ready() {
    let queue = Queue::new();
    queue.run("build", &[]);
    let said = queue.run("test", &["--after", "build"]);
    assert_eq!(said.trim(), "test  queued  needs build ok");
    let said = queue.run("report", &["--after", "test:done", "--after", "build:done"]);
    assert!(said.contains("report  queued  needs "), "{said}");
    queue.home.kill_daemon();
    queue.go("build");
    queue.until_begun(&["build", "test"]);
    queue.home.ok(&["kill", "test"]);
    queue.until_begun(&["build", "test", "report"]);
    queue.go("report");
    // What has come already is not waited for.
    queue.until("report", "done");
    assert!(
        queue
            .run("late", &["--after", "report"])
            .contains("late  running")
    );
    // A need that cannot come skips it, until it comes after all.
    let said = queue.run("never", &["--after", "test:ok"]);
    assert_eq!(said.trim(), "never  skipped  needs test ok");
    queue.go("test");
    queue.home.ok(&["restart", "test"]);
    queue.until("never", "running");
    let wrong = queue.home.run(&["run", "--after", "nobody", "true"]);
    wrong.expect_code(4);
    let wrong = queue.home.run(&["run", "--after", "test:often", "true"]);
    assert!(
        wrong
            .expect_code(2)
            .stderr
            .contains("none of started, ready, ok, done")
    );
    queue.go("never");
    queue.go("late");
}

#[test]
fn a_queue_of_a_project_is_also_for_run() {
    let shop = Project::new(&format!(
        "version = 1\n[jobs.one]\nkind = \"task\"\nrun = \"{}\"\n[jobs.two]\nkind = \"task\"\nrun = \"{}\"\n[groups.q]\njobs = [\"one\", \"two\"]\nparallel = 1\n",
        gated("one"),
        gated("two")
    ));
    shop.ok(&["up", "--wait=false"]);
    shop.until("one", "running");
    let line = gated("guest");
    let said = shop.ok(&["run", "-n", "guest", "-g", "q", line.as_str()]);
    has(&said, "guest  queued #2  1 before it in its queue");
    let said = shop.ok(&["group", "q"]);
    assert_eq!(
        said,
        [
            "shop/q  1 at once",
            "  running: one",
            "  waiting: two, guest"
        ]
    );
    shop.ok(&["move", "guest", "--first"]);
    std::fs::write(shop.dir.join("one.go"), "").unwrap();
    eventually("the guest runs before two", || {
        (order(&shop.dir) == ["one", "guest"]).then_some(())
    });
    // A second `up` and a reload leave the guest alone.
    shop.ok(&["up", "--wait=false"]);
    shop.run(&["reload", "--timeout", "100ms"]).expect_code(124);
    assert_eq!(shop.job("guest")["status"], "running");
    let refused = shop.run(&["group", "q", "--parallel", "3"]).expect_code(2);
    assert!(
        refused.stderr.contains("belongs to project shop"),
        "{}",
        refused.stderr
    );
    shop.ok(&["down"]);
    assert_eq!(shop.job("guest")["status"], "running");
    std::fs::write(shop.dir.join("guest.go"), "").unwrap();
    eventually("the guest has ended", || {
        (shop.job("guest")["status"] == "done").then_some(())
    });
    assert_eq!(order(&shop.dir), ["one", "guest"]);
    // The queue of a project that is down starts nothing, unless somebody says so.
    let line = gated("late");
    let said = shop.ok(&["run", "-n", "late", "-g", "q", line.as_str()]);
    has(
        &said,
        "late  queued  the project of its queue is down (bgproc up)",
    );
    let why = shop.ok(&["why", "late"]);
    assert!(
        why[0].contains("the project of its queue is down"),
        "{why:?}"
    );
    shop.ok(&["start", "late"]);
    assert_eq!(shop.job("late")["status"], "running");
}

#[test]
fn a_job_of_a_queue_that_runs_again_waits_for_its_turn() {
    let queue = Queue::new();
    queue.home.ok(&["group", "q", "--parallel", "1"]);
    let status = |name: &str| queue.home.json(&["status", name])["status"].clone();
    for name in ["a", "b"] {
        queue.run(name, &["-g", "q"]);
        queue.home.ok(&["stop", name]);
    }
    let said = queue.home.ok(&["restart", "a", "b"]);
    assert!(said.contains("queued"), "{said}");
    assert_eq!(
        (status("a"), status("b")),
        ("running".into(), "queued".into())
    );
    // One that runs makes room, and comes last.
    queue.home.ok(&["restart", "a"]);
    assert_eq!(
        (status("a"), status("b")),
        ("queued".into(), "running".into())
    );
    queue.home.ok(&["start", "a"]);
    assert_eq!(
        (status("a"), status("b")),
        ("running".into(), "running".into())
    );
}

#[test]
fn a_run_that_is_stopped_before_its_turn_is_told_after_the_end_of_the_run_before() {
    let queue = Queue::new();
    let home = &queue.home;
    home.ok(&["group", "q", "--parallel", "1"]);
    queue.run("a", &["-g", "q"]);
    queue.go("a");
    home.ok(&["wait", "a"]);
    queue.run("b", &["-g", "q"]);
    queue.until_begun(&["a", "b"]);
    home.ok(&["restart", "a"]);
    assert_eq!(queue.job("a")["status"], "queued");
    home.ok(&["stop", "a"]);
    let events = home.ok(&["--json", "events"]);
    let of_a = events.lines().filter_map(|line| {
        let event: Value = serde_json::from_str(line).unwrap();
        (event["data"]["label"] == "a" && event["event"] == "exited")
            .then(|| event["data"]["status"].clone())
    });
    assert_eq!(of_a.collect::<Vec<_>>(), ["done", "killed"], "{events}");
}

#[test]
fn a_queue_that_is_stopped_starts_none_of_its_jobs() {
    let queue = Queue::new();
    queue.home.ok(&["group", "q", "--parallel", "1"]);
    for name in ["s1", "s2", "s3", "s4", "s5", "s6"] {
        queue.run(name, &["-g", "q"]);
    }
    queue.home.ok(&["stop", "g:q"]);
    // It has a place only if none of them runs, and comes after all that may still be on their way.
    queue.home.ok(&["run", "-w", "-g", "q", "true"]);
    let list = queue.home.ok(&["ls", "-o", "tsv"]);
    let is_stopped = |line: &&str| line.contains("\tkilled\t");
    assert_eq!(list.lines().filter(is_stopped).count(), 6, "{list}");
}

#[test]
fn an_agent_starts_sessions_into_a_queue_and_waits_for_them() {
    let queue = Queue::new();
    queue.home.ok(&["group", "q", "--parallel", "1"]);
    let mut agent = Serve::new(&queue.home, &["--scope", "agent"]);
    let line = gated("a");
    let first = agent.ok(
        json!({"action": "start", "command": line, "cwd": queue.dir, "group": "q", "waitMs": 0}),
    );
    assert_eq!(first["status"], "running", "{first}");
    let start = json!({
        "action": "start", "command": "read line; echo got $line", "cwd": queue.dir, "group": "q",
        "input": "hello\n", "waitMs": 60_000,
    });
    let second = agent.ok(start);
    assert_eq!(second["status"], "queued", "{second}");
    let status = agent.ok(json!({"action": "status", "sessionId": second["sessionId"]}));
    assert_eq!(status["waiting"]["place"], 1, "{status}");
    let third = agent.send(json!({
        "action": "start", "command": "exit 3", "cwd": queue.dir, "group": "q", "until": [{"exit": true}],
        "waitMs": 20_000,
    }));
    let after = agent.ok(json!({
        "action": "start", "command": "true", "after": [{"sessionId": second["sessionId"]}], "background": true,
    }));
    queue.go("a");
    let ended = agent.ok(json!({
        "action": "wait", "sessionId": after["sessionId"], "until": [{"exit": true}], "timeoutMs": 20_000,
    }));
    assert_eq!(ended["exitCode"], 0, "{ended}");
    let third = agent.reply(third);
    assert_eq!(third["result"]["outcome"], "matched", "{third}");
    assert_eq!(third["result"]["exitCode"], 3, "{third}");
    assert!(third["result"]["pid"].is_u64(), "{third}");
    let log = agent.ok(json!({"action": "log", "sessionId": second["sessionId"]}));
    assert!(log.to_string().contains("got hello"), "{log}");
    let pause = json!({"action": "queue", "group": "q", "paused": true});
    agent.err(pause, "permission_denied");
    let shown = agent.ok(json!({"action": "queue"}));
    assert_eq!(shown["queues"][0]["parallel"], 1, "{shown}");
}

#[test]
fn a_job_that_waits_runs_what_it_was_changed_to() {
    let queue = Queue::new();
    queue.home.ok(&["group", "q", "--parallel", "1"]);
    queue.run("one", &["-g", "q"]);
    queue.run("two", &["-g", "q"]);
    let two = queue.job("two")["sessionId"].as_str().unwrap().to_owned();
    let mut person = Person::new(&queue.home);
    let change = json!({"action": "set", "sessionId": two, "command": "nosuchprogram", "args": []});
    let refused = person.call(change);
    assert_eq!(refused["error"]["code"], "spawn_failed", "{refused}");
    assert!(
        queue.job("two")["command"]
            .as_str()
            .unwrap()
            .contains("order")
    );
    person.ok(json!({"action": "set", "sessionId": two, "command": "echo fixed >> order"}));
    queue.go("one");
    queue.until_begun(&["one", "fixed"]);
    queue.until("two", "done");
}

#[test]
fn a_job_that_waits_goes_with_its_group() {
    let queue = Queue::new();
    for name in ["q", "r"] {
        queue.home.ok(&["group", name, "--parallel", "1"]);
    }
    for name in ["one", "two", "three", "four"] {
        queue.run(name, &["-g", "q"]);
    }
    queue.run("last", &["-g", "q", "--after", "four"]);
    // Into a queue that is free, out of queues, and into one where another waits.
    queue.home.ok(&["group", "two", "r"]);
    queue.until("two", "running");
    queue.home.ok(&["group", "three", ""]);
    queue.until("three", "running");
    queue.home.ok(&["group", "four", "r"]);
    let waiting = queue.job("four")["waiting"].clone();
    assert_eq!(
        (&waiting["queue"], &waiting["place"]),
        (&json!("r"), &json!(1))
    );
    let said = queue.home.ok(&["group", "q"]);
    assert!(!said.contains("three") && !said.contains("four"), "{said}");
    queue.go("two");
    queue.until("four", "running");
    // What waits for it still does.
    assert_eq!(queue.job("last")["waiting"]["why"], "needs four ok");
    queue.go("four");
    queue.go("one");
    queue.until("last", "running");
}

#[test]
fn what_waits_in_a_queue_does_not_count_as_running() {
    let home = Home::with_config("max_sessions = 3\nmax_sessions_per_scope = 3\n");
    home.ok(&["group", "q", "--parallel", "1"]);
    for _ in 0..31 {
        home.start(&["-g", "q", "exec sleep 1000"]);
    }
    let refused = home.run(&["run", "-g", "q", "true"]).expect_code(1);
    refused.expect_said("30 sessions of this scope wait in queues; the limit is 30");
    home.start(&["exec sleep 1000"]);
    home.start(&["exec sleep 1000"]);
    let limit = "`max_sessions` and `max_sessions_per_scope` in config.toml";
    home.run(&["run", "true"]).expect_code(1).expect_said(limit);
    // What waits does not start out of turn either, nor by a change of its group.
    let list = home.json(&["ls", "--status", "queued"]);
    let waiting = list["sessions"][0]["sessionId"].as_str().unwrap();
    home.run(&["start", waiting])
        .expect_code(1)
        .expect_said(limit);
    home.run(&["group", waiting, "none"])
        .expect_code(1)
        .expect_said(limit);
}

#[test]
fn a_queue_starts_no_more_jobs_than_may_run() {
    let home = Home::with_config("max_sessions = 2\nmax_sessions_per_scope = 2\n");
    home.ok(&["group", "q", "--parallel", "1"]);
    for name in ["one", "two", "three"] {
        home.start(&["-n", name, "-g", "q", "exec sleep 1000"]);
    }
    home.ok(&["group", "q", "--parallel", "3"]);
    let job = |name: &str| {
        let jobs = home.json(&["ls"]);
        let jobs = jobs["sessions"].as_array().cloned().unwrap_or_default();
        let job = jobs.into_iter().find(|job| job["label"] == name);
        job.unwrap_or_default()
    };
    eventually("two runs", || {
        (job("two")["status"] == "running").then_some(())
    });
    let three = job("three");
    assert_eq!(three["status"], "queued", "{three}");
    let why = "as many jobs run as may run (max_sessions)";
    assert_eq!(three["waiting"]["why"], why, "{three}");
    home.ok(&["kill", "one"]);
    eventually("three runs", || {
        (job("three")["status"] == "running").then_some(())
    });
}

#[test]
fn what_waited_when_daemon_and_keeper_died_keeps_its_place_until_it_is_resumed() {
    let queue = Queue::new();
    queue.home.ok(&["group", "q", "--parallel", "1"]);
    queue.run("one", &["-g", "q"]);
    queue.run("two", &["-g", "q"]);
    queue.run("three", &["-g", "q"]);
    queue.run("late", &["--after", "three"]);
    queue.home.kill_both();
    queue.home.ok(&["ls"]);
    queue.until("one", "lost");
    let why = "waits for bgproc resume: its environment was lost";
    eventually("two says what it waits for", || {
        (queue.job("two")["waiting"]["why"] == why).then_some(())
    });
    assert_eq!(queue.job("late")["waiting"]["why"], "needs three ok");
    // A job of a project's queue, or one that is new, does not overtake them.
    queue.run("new", &["-g", "q"]);
    queue.until("new", "queued");
    queue.home.ok(&["resume"]);
    queue.until_begun(&["one", "two"]);
    queue.go("two");
    queue.until_begun(&["one", "two", "three"]);
    queue.go("three");
    queue.until("late", "running");
    queue.until("new", "running");
}

#[test]
fn a_group_that_is_nearly_a_queue_is_told() {
    let home = Home::new();
    home.ok(&["group", "heavy", "--parallel", "1"]);
    let near = "heavvy is no queue, so the job starts at once; there is a queue heavy";
    home.run(&["run", "-g", "heavvy", "sleep 1000"])
        .expect_code(0)
        .expect_said(near);
    // It is a group now, and somebody means it.
    for group in ["heavvy", "heavy", "other"] {
        let ran = home.run(&["run", "-g", group, "true"]).expect_code(0);
        assert!(!ran.stderr.contains("is no queue"), "{group}: {ran}");
    }
    // Nothing is left to wait for.
    home.ok(&["group", "idle", "--parallel", "1"]);
    home.run(&["wait", "g:idle"])
        .expect_code(0)
        .expect_said("g:idle has no jobs");
    home.run(&["wait", "g:none"]).expect_code(4);
    home.run(&["stop", "-g", "heavy"])
        .expect_code(2)
        .expect_said("bgproc stop g:GROUP");
}
