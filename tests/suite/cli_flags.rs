//! Options of `logs`, `send`, `run`, `ls`, `rm`, `clean` and `status`.

use crate::secrets::file_with;
use crate::support::{Home, Serve, eventually};

/// A job that has written `a1` to `a9`, one in each run of three lines.
fn three_runs(home: &Home) {
    let state = home.path().join("n");
    let script = format!(
        "n=$(cat {0} 2>/dev/null || echo 0); for i in 1 2 3; do n=$((n + 1)); echo a$n; done; echo $n >{0}",
        state.display()
    );
    home.run(&["run", "-w", "--no-pty", "-n", "web", &script])
        .expect_code(0);
    for run in 2..=3 {
        home.ok(&["restart", "web"]);
        eventually("the end of the run", || {
            let job = home.run(&["status", "web", "--json"]).stdout;
            let job: serde_json::Value = serde_json::from_str(&job).ok()?;
            let last = job["detail"]["runs"].as_array()?.last()?.clone();
            (last["run"] == run && !last["endedAt"].is_null()).then_some(())
        });
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn logs_of_one_run() {
    let home = Home::new();
    three_runs(&home);
    let of = |args: &[&str]| home.ok(&[&["logs", "web"], args].concat());
    assert_eq!(lines(&of(&["--run", "1"])), ["a1", "a2", "a3"]);
    assert_eq!(lines(&of(&["--run", "2", "-n", "2"])), ["a5", "a6"]);
    assert_eq!(lines(&of(&["--run", "-1"])), ["a4", "a5", "a6"]);
    assert_eq!(lines(&of(&["--run", "0", "-n", "1"])), ["a9"]);
    assert_eq!(lines(&of(&["--run", "1", "--raw"])), ["a1", "a2", "a3"]);
    let json = of(&["--run", "2", "--json"]);
    let numbers = json.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        (
            line["n"].as_u64().unwrap(),
            line["text"].as_str().unwrap().to_owned(),
        )
    });
    let expected = [(4, "a4"), (5, "a5"), (6, "a6")].map(|(n, text)| (n, text.to_owned()));
    assert_eq!(numbers.collect::<Vec<_>>(), expected);
    home.run(&["logs", "web", "--run", "9"])
        .expect_code(3)
        .expect_said("web has no run 9; its runs are 1 to 3")
        .expect_said("bgproc status web lists the last runs");
}

#[test]
fn logs_that_match_with_lines_around_them() {
    let home = Home::new();
    let script = "for i in 1 2 3 4 5 6 7 8; do echo line $i; done; echo Line 9";
    home.run(&["run", "-w", "--no-pty", "-n", "web", script])
        .expect_code(0);
    home.run(&["run", "-w", "-n", "api", "echo line 8"])
        .expect_code(0);
    let of = |args: &[&str]| home.ok(&[&["logs", "web"], args].concat());
    assert_eq!(lines(&of(&["--grep", "[37]"])), ["line 3", "line 7"]);
    let context = of(&["--grep", "[37]", "-C", "1"]);
    let expected = [
        "line 2", "line 3", "line 4", "--", "line 6", "line 7", "line 8",
    ];
    assert_eq!(lines(&context), expected);
    assert_eq!(
        lines(&of(&["--grep", "^line", "-n", "2"])),
        ["line 7", "line 8"]
    );
    assert_eq!(
        lines(&of(&["--grep", "^line", "-i", "-n", "1"])),
        ["Line 9"]
    );
    home.run(&["logs", "web", "--grep", "nothing"])
        .expect_code(1);
    home.run(&["logs", "web", "--grep", "("])
        .expect_code(2)
        .expect_said("`(` is not a regular expression");
    let both = home.ok(&["logs", "web", "api", "--grep", "8"]);
    assert_eq!(lines(&both), ["web | line 8", "api | line 8"]);
    let json = of(&["--grep", "8", "-C", "1", "--json"]);
    let matches: Vec<bool> = json
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| line["match"].as_bool().unwrap())
        .collect();
    assert_eq!(matches, [false, true, false]);
}

#[test]
fn a_followed_log_shows_only_matches() {
    let home = Home::new();
    let gate = home.gate();
    let script = format!(
        "echo old x; echo y; read _ <{}; echo new x; echo z",
        gate.display()
    );
    home.start(&["-n", "web", &script]);
    home.run(&["wait", "web", "--for", "match:^y"])
        .expect_code(0);
    let follow = home.command(&["logs", "-f", "web", "--grep", "x", "-n", "1"]);
    let follow = std::thread::spawn(move || Home::finish(follow, &["logs -f"]));
    std::fs::write(&gate, "\n").unwrap();
    let ran = follow.join().unwrap().expect_code(0);
    let shown = lines(&ran.stdout);
    assert!(shown.ends_with(&["new x"]), "{ran}");
    assert!(!shown.contains(&"y") && !shown.contains(&"z"), "{ran}");
}

#[test]
fn logs_before_a_time() {
    let home = Home::new();
    let gate = home.gate();
    let script = format!("echo one; echo two; read _ <{}; echo three", gate.display());
    home.start(&["-n", "web", &script]);
    home.run(&["wait", "web", "--for", "match:two"])
        .expect_code(0);
    // The first time after these lines, to the millisecond.
    let json = home.ok(&["logs", "web", "--json"]);
    let last: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    let at = last["at"].as_str().unwrap().to_owned();
    // What arrives within 20 ms counts as one.
    let clock = || home.json(&["daemon", "status", "--json"])["uptimeMs"].as_u64();
    let before = clock().unwrap();
    eventually("the clock to go on", || {
        (clock()? > before + 20).then_some(())
    });
    std::fs::write(&gate, "\n").unwrap();
    home.run(&["wait", "web"]).expect_code(0);
    let until = |args: &[&str]| home.ok(&[&["logs", "web", "--until", &at], args].concat());
    assert_eq!(lines(&until(&[])), ["one", "two"]);
    assert_eq!(lines(&until(&["-n", "1"])), ["two"]);
    assert_eq!(lines(&until(&["--grep", "t"])), ["two"]);
    home.run(&["logs", "-f", "web", "--until", "1m"])
        .expect_code(2);
}

#[test]
fn send_waits_until_the_answer_is_there() {
    let home = Home::new();
    home.start(&[
        "-n",
        "web",
        "while read x; do for i in 1 2 3; do sleep 0.1; echo got $x $i; done; done",
    ]);
    home.ok(&["send", "web", "--wait-quiet", "1s", "hello"]);
    let screen = home.ok(&["logs", "web"]);
    assert!(screen.contains("got hello 3"), "{screen}");
}

#[test]
fn env_files_are_read_as_those_of_projects() {
    let home = Home::new();
    let dir = home.scratch("place");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(
        dir.join("a.env"),
        "A=1\nexport B=\"x\\ny\"\nC='$A'\nD=${A}2\n",
    )
    .unwrap();
    std::fs::write(dir.join("b.env"), "A=2\n").unwrap();
    std::fs::write(dir.join("bad.env"), "A=1\nnonsense\n").unwrap();
    let run = |args: &[&str]| {
        let args = [&["run", "-w", "-q", "--no-pty"], args].concat();
        let mut command = home.command(&args);
        command.current_dir(&dir);
        home.run_command(command, &args)
    };
    let print = "echo \"$A|$B|$C|$D|$E\"";
    let ran = run(&[
        "--env-file",
        "a.env",
        "--env-file",
        "?none.env",
        "-e",
        "E=5",
        print,
    ]);
    assert_eq!(ran.stdout, "1|x\ny|$A|12|5\n");
    let ran = run(&["--env-file", "a.env", "--env-file", "b.env", print]);
    assert!(ran.stdout.starts_with("2|"), "{ran}");
    let ran = run(&["--env-file", "a.env", "-e", "A=9", print]);
    assert!(ran.stdout.starts_with("9|"), "{ran}");
    run(&["--env-file", "bad.env", "true"])
        .expect_code(2)
        .expect_said("bgproc: bad.env:2:1: ");
    run(&["--env-file", "none.env", "true"])
        .expect_code(2)
        .expect_said("none.env");
    let shown = home.ok(&[
        "run",
        "-n",
        "kept",
        "-e",
        "MY_TOKEN=abc",
        "-e",
        "PLAIN=1",
        "sleep 1000",
    ]);
    assert!(shown.contains("kept"), "{shown}");
    let status = home.ok(&["status", "kept", "--env"]);
    assert!(
        status.contains("env  PLAIN=1") && status.contains("env  MY_TOKEN=***"),
        "{status}"
    );
    assert!(!home.ok(&["status", "kept"]).contains("PLAIN"));
    // All that it was given, of which most comes from here, as it is.
    let inherited = [("INHERITED", "yes"), ("OTHER_SECRET", "hush-hush")];
    home.run_with_env(
        &["run", "-n", "all", "-e", "MY_TOKEN=hush-too", "sleep 1000"],
        &inherited,
    )
    .expect_code(0);
    assert!(!home.ok(&["status", "all", "--env"]).contains("INHERITED"));
    let full = home.ok(&["status", "all", "--env=full"]);
    for line in [
        "INHERITED=yes",
        "OTHER_SECRET=hush-hush",
        "MY_TOKEN=hush-too",
        "PATH=",
    ] {
        assert!(full.contains(&format!("env  {line}")), "{line}: {full}");
    }
    let json = home.json(&["status", "all", "--env=full"]);
    assert_eq!(json["detail"]["env"]["OTHER_SECRET"], "hush-hush");
    assert_eq!(file_with(home.path(), "hush-"), None);
    for asked in [&["status", "all", "--env", "--json"][..], &["ls", "--json"]] {
        assert!(!home.ok(asked).contains("hush-"), "{asked:?}");
    }
    home.run(&["status", "all", "--env=ful"])
        .expect_code(2)
        .expect_said("full");
    // People only.
    let mut agent = Serve::new(&home, &[]);
    let id = json["sessionId"].clone();
    agent.err(
        serde_json::json!({"action": "status", "sessionId": id, "detail": true, "fullEnv": true}),
        "permission_denied",
    );
}

#[test]
fn lists_are_sorted() {
    let home = Home::new();
    for name in ["b", "c", "a"] {
        home.run(&[
            "run",
            "-w",
            "-n",
            name,
            if name == "c" { "exit 1" } else { "true" },
        ]);
    }
    let names = |args: &[&str]| -> String {
        let list = home.ok(&[&["ls", "-o", "tsv"], args].concat());
        list.lines()
            .map(|line| line.split('\t').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&["--sort", "name"]), "abc");
    assert_eq!(names(&["--sort", "-name"]), "cba");
    assert_eq!(names(&["--sort", "time"]), "acb");
    assert!(names(&["--sort", "state"]).starts_with('c'));
    let json = home.json(&["ls", "--json", "--sort", "name", "--all-projects"]);
    assert_eq!(json["sessions"][0]["label"], "a");
    home.run(&["ls", "--sort", "size"])
        .expect_code(2)
        .expect_said("name, state, group, port, time, cpu, mem");
}

#[test]
fn old_and_failed_jobs_are_removed() {
    let home = Home::new();
    home.run(&["run", "-w", "-n", "good", "true"]);
    home.run(&["run", "-w", "-n", "bad", "exit 1"]);
    home.start(&["-n", "runs", "sleep 1000"]);
    assert!(
        home.ok(&["clean", "--older", "1h"])
            .starts_with("removed 0 jobs")
    );
    let dry = home.ok(&["rm", "*", "--failed", "--dry-run"]);
    assert!(dry.starts_with("bad\nwould remove 1 job,"), "{dry}");
    assert!(
        home.ok(&["clean", "--older", "0s", "--failed"])
            .starts_with("removed 1 job,")
    );
    assert!(
        home.ok(&["rm", "*", "--older", "0s"])
            .starts_with("removed 1 job,")
    );
    home.run(&["status", "runs"]).expect_code(0);
}

#[test]
fn verbs_of_other_programs_are_known() {
    let home = Home::new();
    home.start(&["-n", "web", "echo hi; cat"]);
    home.run(&["wait", "web", "--for", "match:hi"])
        .expect_code(0);
    assert!(home.ok(&["list"]).contains("web"));
    assert!(home.ok(&["list-sessions"]).contains("web"));
    assert!(home.ok(&["capture-pane", "web"]).contains("hi"));
    home.ok(&["send-keys", "web", "x", "Enter"]);
    home.ok(&["stats", "--once"]);
    home.ok(&["pause", "web"]);
    home.ok(&["unpause", "web"]);
    home.run(&["kill-session", "web"])
        .expect_code(2)
        .expect_said("use bgproc stop JOB");
    home.ok(&["stop", "web"]);
    assert!(home.ok(&["remove", "web"]).starts_with("removed 1 job,"));
    let help = home.ok(&["--help"]);
    assert!(!help.contains("capture-pane"), "{help}");
}

#[test]
fn notices_are_a_list_and_nobody_who_would_hear_them_is_told() {
    let home = Home::new();
    let ran = home.run(&["run", "-n", "web", "--notify", "exit,ready", "sleep 1000"]);
    let ran = ran.expect_code(0);
    ran.expect_said("config.toml has no notify_command, so only a dashboard would notify");
    let notify = &home.record("web")["notify"];
    assert_eq!(*notify, serde_json::json!(["failed", "done", "ready"]));
    home.run(&["run", "--notify", "all", "true"]).expect_code(2);
    let home = Home::with_config("notify_command = \"true\"\n");
    let ran = home.run(&["run", "--notify", "failed,done", "sleep 1000"]);
    assert_eq!(ran.expect_code(0).stderr, "");
}
