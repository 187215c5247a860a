//! Starts that are refused, and services that end before they are ready.

use std::net::TcpListener;

use super::{Project, free_port, has};

#[test]
fn a_refused_start_leaves_the_run_before_as_it_ended() {
    let port = free_port();
    let shop = Project::new(&format!(
        "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\nport = {port}\n"
    ));
    shop.ok(&["up"]);
    shop.ok(&["stop", "web"]);
    let stranger = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let refused = shop.run(&["start", "web"]).expect_code(1);
    let why = format!("port {port} is taken by ");
    assert!(refused.stderr.contains(&why), "{refused}");
    let job = shop.job("web");
    assert!(job["endedBy"].is_null(), "{job}");
    assert!(
        job["signal"].is_null() && job["exitCode"].is_null(),
        "{job}"
    );
    shop.run(&["wait", "web"]).expect_code(1);
    let said = shop.ok(&["why", "web"]).join("\n");
    assert!(said.contains(&why), "{said}");
    assert!(
        !said.contains("a person") && !said.contains("SIGTERM"),
        "{said}"
    );
    let status = shop.run(&["status", "web"]).stdout;
    assert!(!status.contains("ended by"), "{status}");
    drop(stranger);
    shop.ok(&["start", "web"]);
    shop.until("web", "running");
}

#[test]
fn a_job_without_its_need_is_not_started_and_not_ended() {
    let shop = Project::new(
        "version = 1\n[jobs.a]\nrun = \"exec sleep 1000\"\n\
         [jobs.b]\nrun = \"exec sleep 1000\"\nneeds = [\"a\"]\n",
    );
    shop.ok(&["up"]);
    shop.ok(&["stop", "a"]);
    let pid = shop.pid("b");
    let refused = |args: &[&str], why: &str| {
        let said = shop.run(args).expect_code(1);
        assert!(
            said.stderr.contains(why) && said.stderr.contains("bgproc up b starts a, too"),
            "{said}"
        );
    };
    let goes_on = "b was not restarted and goes on: it needs a started";
    refused(&["restart", "b"], goes_on);
    assert_eq!(shop.pid("b"), pid);
    shop.ok(&["stop", "b"]);
    let why = "b not started: needs a started";
    refused(&["restart", "b"], why);
    refused(&["start", "b"], why);
    assert_eq!(shop.phase("b"), "stopped");
    shop.ok(&["up", "b"]);
    shop.until("b", "running");
}

#[test]
fn a_plan_refuses_what_up_refuses() {
    for (line, why) in [
        ("cmd = [\"sleep\", \"${NOPE}\"]", "${NOPE} is not set"),
        ("cmd = [\"sleep\", \"${PORT}\"]", "${PORT} is not set"),
        (
            "run = \"x\"\nenv = { A = \"${NOPE}\" }",
            "${NOPE} is not set",
        ),
    ] {
        let shop = Project::new(&format!("version = 1\n[jobs.web]\n{line}\n"));
        for args in [&["up", "-n"][..], &["reload", "-n"], &["up"]] {
            // A reload of what was never up starts nothing.
            if args[0] == "reload" {
                continue;
            }
            let said = shop.run(args).expect_code(2);
            assert!(said.stderr.contains(why), "{args:?}: {said}");
        }
    }
}

#[test]
fn a_service_that_ends_before_it_is_ready_has_failed() {
    let shop = Project::new(
        "version = 1\n[jobs.a]\nrun = \"echo hi\"\nready = { log = \"R\" }\n\
         [jobs.b]\nrun = \"true\"\nneeds = [\"a\"]\n\
         [jobs.once]\nkind = \"task\"\nrun = \"echo hi\"\nready = { log = \"R\" }\n",
    );
    let said = shop.run(&["up"]).expect_code(1);
    let lines: Vec<String> = said.stdout.lines().map(str::to_owned).collect();
    has(&lines, "a failed: ended before it was ready");
    has(&lines, "b skipped: needs a ready");
    has(&lines, "once done");
    let why = shop.job("a")["project"]["why"].clone();
    assert_eq!(why, "ended before it was ready");
    let said = shop.ok(&["why", "a"]).join("\n");
    assert!(
        said.starts_with("a: failed: ended before it was ready, "),
        "{said}"
    );
    let failed = shop.ok(&["ls", "--status", "failed"]).join("\n");
    assert!(failed.contains("\techo hi\tfailed\t"), "{failed}");
}

#[test]
fn up_waits_for_the_next_run_of_a_service_that_ended_before_it_was_ready() {
    let shop = Project::new(
        "version = 1\n[jobs.a]\nrun = \"if [ -e ok ]; then sleep 0.5; echo R; sleep 1000; fi\"\nready = { log = \"R\" }\n",
    );
    shop.run(&["up"]).expect_code(1);
    std::fs::write(shop.dir.join("ok"), "").unwrap();
    let lines = shop.ok(&["up", "a"]);
    has(&lines, "a ready");
}

#[test]
fn a_job_that_was_never_up_is_known_from_its_file() {
    let shop = Project::new(
        "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n\
         [jobs.tests]\nkind = \"task\"\nrun = \"true\"\nautostart = false\n",
    );
    let hinted = |args: &[&str], code: i32, hint: &str| {
        let said = shop.run(args).expect_code(code);
        assert!(said.stderr.contains(hint), "{args:?}: {said}");
    };
    hinted(&["start", "tests"], 4, "bgproc up tests");
    shop.ok(&["up"]);
    hinted(&["start", "tests"], 4, "bgproc up tests");
    hinted(&["why", "tests"], 4, "bgproc up tests");
    let from = ["up", "--exit-code-from", "tests"];
    hinted(&from, 2, "bgproc up tests --exit-code-from tests");
}

#[test]
fn a_refused_restart_moves_nothing_in_its_queue() {
    let file = "version = 1\n[jobs.one]\nrun = \"exec sleep 1000\"\n[jobs.two]\nrun = \"exec sleep 1000\"\n\
                [groups.q]\njobs = [\"one\", \"two\"]\nparallel = 1\n";
    let shop = Project::new(file);
    shop.ok(&["up", "--wait=false"]);
    shop.until("one", "running");
    shop.until("two", "queued");
    shop.write("version = 1\nnonsense\n");
    shop.run(&["restart", "two"]).expect_code(2);
    shop.write(file);
    shop.ok(&["stop", "one"]);
    shop.until("two", "running");
    // It ran in its turn.
    let events = shop.home.ok(&["--json", "events"]);
    let of = |event: &str, name: &str| {
        let is_it = |line: &&str| {
            line.contains(&format!("\"event\":\"{event}\""))
                && line.contains(shop.job(name)["sessionId"].as_str().unwrap())
        };
        events.lines().position(|line| is_it(&line))
    };
    assert!(of("exited", "one") < of("started", "two"), "{events}");
}
