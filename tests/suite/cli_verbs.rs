//! Verbs about jobs that need no more than what is known: `start`, `why`, `top`, `ports`, `open`, `group`, `pin`,
//! `clear`.

use serde_json::Value;

use crate::support::needs::have;
use crate::support::{Home, Terminal, eventually};

#[test]
fn start_runs_ended_jobs_again_and_leaves_others_alone() {
    let home = Home::new();
    let web = home.start(&["-n", "web", "sleep 1000"]);
    home.run(&["run", "-w", "-n", "lint", "exit 3"])
        .expect_code(3);
    let pid = home.json(&["status", &web])["pid"].clone();
    let out = home.ok(&["start", "web", "lint"]);
    assert!(out.starts_with("web  running  pid"), "{out}");
    assert_eq!(home.json(&["status", &web])["pid"], pid);
    home.run(&["wait", "lint"]).expect_code(3);
    let said = home.ok(&["why", "lint"]);
    assert!(said.contains("the run before ended the same way"), "{said}");
    home.run(&["start", "nosuch"]).expect_code(4);
}

#[test]
fn why_says_how_and_that_it_was_so_before() {
    let home = Home::new();
    let line = "echo 'error: no such rule'; exit 3";
    home.run(&["run", "-w", "-n", "lint", line]).expect_code(3);
    let said = home.ok(&["why", "lint"]);
    assert!(
        said.starts_with("lint: exit 3, 0s ago; first error: error: no such rule"),
        "{said}"
    );
    for _ in 0..2 {
        home.ok(&["start", "lint"]);
        home.run(&["wait", "lint"]).expect_code(3);
    }
    let said = home.ok(&["why", "lint"]);
    assert!(
        said.ends_with("; the 2 runs before ended the same way\n"),
        "{said}"
    );
    home.start(&["-n", "web", "sleep 1000"]);
    assert!(home.ok(&["why", "web"]).starts_with("web: it has run for "));
    home.ok(&["stop", "web"]);
    let said = home.ok(&["why", "web"]);
    assert!(
        said.contains("killed") && said.contains("a person ended it"),
        "{said}"
    );
}

#[test]
fn groups_and_pins_are_set_for_several_jobs() {
    let home = Home::new();
    home.start(&["-n", "web", "sleep 1000"]);
    home.start(&["-n", "api", "sleep 1000"]);
    home.ok(&["group", "web", "api", "shop"]);
    assert_eq!(home.json(&["status", "api"])["group"], "shop");
    home.ok(&["group", "g:shop", ""]);
    assert_eq!(home.json(&["status", "web"])["group"], Value::Null);
    home.ok(&["pin", "web"]);
    assert_eq!(home.json(&["status", "web"])["keep"], true);
    home.ok(&["pin", "--off", "web"]);
    assert_eq!(home.json(&["status", "web"])["keep"], false);
    home.run(&["group", "web"])
        .expect_code(4)
        .expect_said("there is no queue web");
}

#[test]
fn ports_urls_and_processes_are_shown() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    home.start(&["-n", "quiet", "sleep 1000"]);
    let serve = "import http.server as h; s = h.HTTPServer(('127.0.0.1', 0), h.BaseHTTPRequestHandler); \
        print('at http://0.0.0.0:%d/' % s.server_port, flush=True); s.serve_forever()";
    home.start(&["-n", "web", "--", "python3", "-c", serve]);
    let ports = eventually("the job listens", || {
        let ports = home.json(&["ports"])["ports"].clone();
        let found = ports.as_array().unwrap().first()?["url"].is_string();
        found.then_some(ports)
    });
    assert_eq!(ports.as_array().unwrap().len(), 1, "{ports}");
    assert_eq!(ports[0]["label"], "web");
    let port = ports[0]["port"].as_u64().unwrap();
    let url = format!("http://localhost:{port}/\n");
    assert_eq!(home.ok(&["open", "--print", "web"]), url);
    home.run(&["open", "--print", "quiet"])
        .expect_code(3)
        .expect_said("listens on no port");
    // What the program printed, which a browser does not open, is in JSON only.
    let found = format!("http://0.0.0.0:{port}/");
    assert_eq!(
        home.json(&["open", "--print", "web"])["url"],
        found.as_str()
    );
    assert_eq!(ports[0]["url"], found.as_str());
    let row = home.ok(&["ports", "-o", "tsv"]);
    assert!(row.starts_with(&format!("{port}\t-\tweb\t")), "{row}");
    assert!(row.contains(&format!("\t{}", url.trim())), "{row}");
    let status = home.ok(&["status", "web"]);
    assert!(
        status.contains(url.trim()) && !status.contains(&found),
        "{status}"
    );
    let top = home.ok(&["top"]);
    assert!(
        top.contains("sleep 1000") && top.contains(&port.to_string()),
        "{top}"
    );
}

#[test]
fn top_follows_the_width_of_the_window() {
    let home = Home::new();
    home.start(&["-n", "web", "sleep 1000"]);
    let mut top = Terminal::new(&home, &["top"], (100, 24));
    top.wait_for_text("sleep 1000");
    top.resize(40, 24);
    top.wait_for("picture of 40 columns", |screen| {
        let rows = screen.rows_text(true);
        // A heading that wraps would have its last word here.
        rows[0].starts_with("NAME") && rows[0].ends_with('…') && rows[1].starts_with("web ")
    });
}

#[test]
fn clear_drops_what_was_written_and_the_job_goes_on() {
    let home = Home::new();
    let id = home.start(&["-n", "web", "echo before; cat"]);
    home.run(&["wait", "web", "--for", "match:before"])
        .expect_code(0);
    let said = home.ok(&["clear", "web"]);
    assert_eq!(said, "web  cleared, 8 bytes of output\n");
    home.ok(&["send", "web", "after"]);
    home.run(&["wait", "web", "--for", "match:after"])
        .expect_code(0);
    let ran = home.run(&["logs", "web"]).expect_code(0);
    ran.expect_said("8 bytes of older output");
    let log = home.ok(&["logs", "web"]);
    assert!(log.contains("after") && !log.contains("before"), "{log}");
    assert_eq!(home.json(&["clear", "web"])["sessionId"], id);
    home.run(&["clear", "nosuch"]).expect_code(4);
}

#[test]
fn lines_keep_their_times_and_their_order_after_older_output_was_dropped() {
    let home = Home::new();
    for name in ["a", "b"] {
        home.start(&["-n", name, "--no-pty", "cat"]);
    }
    let write = |job: &str, text: &str| {
        home.ok(&["send", job, text]);
        home.run(&["wait", job, "--for", &format!("match:^{text}$")])
            .expect_code(0);
    };
    write("a", "a long line that is dropped");
    home.ok(&["clear", "a"]);
    for (job, text) in [("a", "one"), ("b", "two"), ("a", "three"), ("b", "four")] {
        write(job, text);
    }
    let lines = |args: &[&str]| -> Vec<String> {
        let said = home.ok(args);
        said.lines().map(str::to_owned).collect()
    };
    let both = ["a | one", "b | two", "a | three", "b | four"];
    assert_eq!(lines(&["logs", "a", "b"]), both);
    let timed = lines(&["logs", "-t", "a"]);
    assert_eq!(timed.len(), 2, "{timed:?}");
    assert!(
        timed.iter().all(|line| !line.starts_with("- ")),
        "{timed:?}"
    );
    // What is counted from the line that is asked for has the same times.
    assert_eq!(lines(&["logs", "-t", "-n", "2", "a"]), timed);
    assert_eq!(lines(&["logs", "-t", "--grep", "e", "a"]), timed);
}

#[test]
fn what_a_script_reads_is_json() {
    let home = Home::new();
    let dir = home.scratch("man1").display().to_string();
    for args in [&["man", &dir][..], &["completions", "fish", "--install"]] {
        let ran = home.run(&[args, &["--json"]].concat()).expect_code(0);
        for line in ran.stdout.lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            assert!(value["path"].is_string(), "{ran}");
        }
    }
    home.start(&["-n", "web", "sleep 1000"]);
    let pid = home.json(&["daemon", "status"])["daemonPid"].clone();
    let stopped = home.json(&["daemon", "stop"]);
    assert_eq!(
        (&stopped["daemonPid"], &stopped["sessions"]),
        (&pid, &Value::from("keep"))
    );
}

#[test]
fn a_mistake_is_all_that_is_printed() {
    let home = Home::new();
    for verb in ["rm", "top", "ports", "clear"] {
        let ran = home.run(&[verb, "nosuch"]).expect_code(4);
        assert_eq!(ran.stdout, "", "{ran}");
    }
    home.run(&["replay", "nosuch"])
        .expect_code(2)
        .expect_said("replaying needs a terminal");
}
