//! The words of docker, kill(1) and pueue mean here what they mean there.

use serde_json::json;

use crate::support::{Home, Terminal, eventually};

/// Waits until the list has no job.
fn until_none(home: &Home) {
    eventually("the list is empty", || {
        (home.json(&["ls"])["sessions"] == json!([])).then_some(())
    });
}

#[test]
fn detach_is_how_a_job_runs_anyway() {
    let home = Home::new();
    for flag in ["-d", "--detach"] {
        let said = home.ok(&["run", flag, "sleep 1000"]);
        assert!(said.contains("running"), "{said}");
    }
    home.run(&["run", "-d", "-f", "true"])
        .expect_code(2)
        .expect_said("--detach cannot be used with --follow");
}

#[test]
fn rm_forgets_a_job_after_its_output_and_its_code_were_had() {
    let home = Home::new();
    let ran = home
        .run(&["run", "--rm", "-f", "echo out; exit 3"])
        .expect_code(3);
    assert_eq!(ran.stdout, "out\n");
    home.run(&["run", "--rm", "-w", "exit 4"]).expect_code(4);
    assert_eq!(home.json(&["ls"])["sessions"], json!([]));
    // Nobody is there to remove it, and the daemon that was told of it has gone.
    let gate = home.gate();
    home.start(&["--rm", "-n", "late", &format!("cat {}", gate.display())]);
    home.kill_daemon();
    std::fs::write(gate, "").unwrap();
    until_none(&home);
    home.ok(&["run", "--rm", "true"]);
    until_none(&home);
    home.run(&["run", "--rm", "--restart", "always", "true"])
        .expect_code(2);
}

#[test]
fn a_signal_is_only_sent_and_kill_without_one_ends_the_job() {
    let home = Home::new();
    let line =
        "trap 'echo got hup' HUP; trap 'echo got term' TERM; echo up; while :; do sleep 0.05; done";
    home.start(&["-n", "web", line]);
    let seen = |text: &str| {
        let until = format!("match:^{text}$");
        home.run(&["wait", "web", "--for", &until, "--timeout", "15s"])
            .expect_code(0);
    };
    seen("up");
    let said = home.ok(&["kill", "-s", "HUP", "web"]);
    assert!(said.starts_with("web  SIGHUP sent to pid "), "{said}");
    seen("got hup");
    assert!(
        home.ok(&["signal", "web", "term"])
            .contains("SIGTERM sent to")
    );
    seen("got term");
    assert!(home.ok(&["ls", "--status", "running"]).contains("web"));
    home.run(&["signal", "web"]).expect_code(2);
    home.run(&["signal", "web", "LUNCH"])
        .expect_code(2)
        .expect_said("`LUNCH` is not a signal");
    assert!(home.ok(&["kill", "web"]).contains("SIGKILL"));
    home.run(&["signal", "web", "HUP"])
        .expect_code(3)
        .expect_said("web is not running");
}

#[test]
fn a_job_is_renamed_unless_the_name_is_taken() {
    let home = Home::new();
    let id = home.start(&["-n", "web", "sleep 1000"]);
    home.start(&["-n", "api", "sleep 1000"]);
    home.ok(&["rename", "web", "shop"]);
    assert_eq!(home.json(&["status", "shop"])["sessionId"], id);
    home.run(&["rename", "shop", "api"])
        .expect_code(1)
        .expect_said("a job named api is already running (");
    home.run(&["rename", "shop", "a/b"])
        .expect_code(2)
        .expect_said("`/` separates");
}

#[test]
fn ps_lists_ids_and_the_states_that_it_shows() {
    let home = Home::new();
    let up = home.start(&["-n", "up", "sleep 1000"]);
    let bad = home.start(&["-n", "bad", "exit 3"]);
    home.run(&["wait", "bad"]).expect_code(3);
    assert_eq!(
        home.ok(&["ps", "-a", "-q", "--status", "running"]),
        format!("{up}\n")
    );
    for state in ["failed", "exit 3", "exit", "error"] {
        assert_eq!(
            home.ok(&["ps", "-aq", "--status", state]),
            format!("{bad}\n"),
            "{state}"
        );
        let listed = home.json(&["ls", "--status", state]);
        assert_eq!(listed["sessions"][0]["sessionId"], bad, "{state}");
        assert_eq!(listed["sessions"].as_array().unwrap().len(), 1);
    }
    assert_eq!(home.ok(&["ps", "-q", "--status", "needs password"]), "");
    home.run(&["ls", "--status", "runing"])
        .expect_code(2)
        .expect_said("did you mean \"running\"?");
}

#[test]
fn logs_have_a_tail_times_and_a_beginning_also_when_followed() {
    let home = Home::new();
    let gate = home.gate();
    let line = format!(
        "echo one; echo two; cat {}; echo three; echo four",
        gate.display()
    );
    home.start(&["-n", "web", &line]);
    home.run(&["wait", "web", "--for", "match:two", "--timeout", "15s"])
        .expect_code(0);
    assert_eq!(home.ok(&["logs", "--tail", "1", "web"]), "two\n");
    assert_eq!(home.ok(&["logs", "--tail", "all", "web"]), "one\ntwo\n");
    let dated = home.ok(&["logs", "-t", "web"]);
    let is_dated = |line: &str, text: &str| {
        let (at, rest) = line.split_at(line.len() - text.len());
        rest == text && at.starts_with("20") && at.contains(':')
    };
    let lines: Vec<_> = dated.lines().collect();
    assert!(
        is_dated(lines[0], " one") && is_dated(lines[1], " two"),
        "{dated}"
    );
    let following = {
        let home = home.command(&["logs", "-f", "-t", "--since", "10m", "-n", "1", "web"]);
        std::thread::spawn(move || Home::finish(home, &["logs", "-f", "-t"]))
    };
    std::fs::write(gate, "").unwrap();
    let said = following.join().unwrap().expect_code(0).stdout;
    // The last line that there was when it began, which may be any of them.
    let last: Vec<_> = said.lines().rev().take(2).collect();
    assert!(
        is_dated(last[0], " four") && last.len() == 1 || is_dated(last[1], " three"),
        "{said}"
    );
    assert_eq!(
        home.ok(&["logs", "-f", "--since", "1h", "web"]),
        "one\ntwo\nthree\nfour\n"
    );
    let both = home.ok(&["logs", "-f", "--since", "1h", "web", "web"]);
    assert!(both.ends_with("four\n"), "{both}");
}

#[test]
fn who_waits_for_several_hears_which_of_them_failed() {
    let home = Home::new();
    home.start(&["-n", "good", "true"]);
    home.start(&["-n", "lint", "exit 3"]);
    home.start(&["-n", "crash", "kill -SEGV $$"]);
    let ran = home.run(&["wait", "good", "lint", "crash"]).expect_code(3);
    assert!(!ran.stderr.contains("good"), "{ran}");
    ran.expect_said("lint failed (exit 3)")
        .expect_said("crash failed (SIGSEGV)");
    home.start(&["-n", "long", "--timeout", "100ms", "exec sleep 1000"]);
    home.start(&["-n", "short", "true"]);
    home.run(&["wait", "long", "short"])
        .expect_code(124)
        .expect_said("long reached its time limit (SIGTERM)");
}

#[test]
fn detach_keys_are_pressed_one_after_the_other_and_the_code_is_the_jobs() {
    let home = Home::new();
    home.start(&[
        "-n",
        "web",
        "stty -echo; echo ready; while read -r l; do echo \"<$l>\"; done; exit 7",
    ]);
    let keys = "ctrl-p,ctrl-q";
    let args = ["attach", "web", "--detach-keys", keys, "--exit-code"];
    let mut view = Terminal::new(&home, &args, (80, 24));
    view.wait_for_text("ready");
    view.wait_mode("INSERT");
    view.send("a\x10b\r");
    view.wait_for_text("b>");
    view.send("\x10\x11");
    view.wait_mode("NORMAL");
    view.send("q");
    assert_eq!(view.exit_code(), 0, "it goes on");
    let mut view = Terminal::new(&home, &args, (80, 24));
    view.wait_mode("INSERT");
    view.send("\x04");
    view.wait_for_text("ended: exit 7");
    view.send("\x10\x11");
    view.wait_mode("NORMAL");
    view.send("q");
    assert_eq!(view.exit_code(), 7);
    let mut view = Terminal::new(&home, &["run", "-a", "--exit-code", "exit 5"], (80, 24));
    view.wait_for_text("ended: exit 5");
    view.send("\x1dq");
    assert_eq!(view.exit_code(), 5);
    home.run(&["attach", "web", "--detach-keys", "a,b"])
        .expect_code(2);
}

#[test]
fn words_that_would_do_something_else_are_refused() {
    let home = Home::new();
    home.start(&["-n", "cat", "cat"]);
    home.run(&["send", "cat", "text", "--wait-quiet", "1s"])
        .expect_code(2)
        .expect_said("would be typed");
    home.ok(&["send", "cat", "--", "text", "--paste"]);
    home.ok(&["wait", "cat", "--for", "match:^text --paste$"]);
    home.start(&["-n", "cat2", "sleep 1000"]);
    home.run(&["rename", "cat*", "dog"]).expect_code(5);
    home.run(&["signal", "cat"])
        .expect_code(2)
        .expect_said("bgproc signal JOB HUP");
    home.run(&["run", "-n", ":80", "true"]).expect_code(2);
    home.run(&["run", "-n", "x", "--exit-code", "true"])
        .expect_code(2)
        .expect_said("--attach");
}

#[test]
fn clean_leaves_pinned_jobs_alone() {
    let home = Home::new();
    for name in ["one", "two"] {
        home.run(&["run", "-w", "-n", name, "true"]).expect_code(0);
    }
    home.ok(&["pin", "one"]);
    home.run(&["clean"])
        .expect_code(0)
        .expect_said("1 pinned job stays");
    assert_eq!(home.ok(&["ls", "-o", "tsv"]).lines().count(), 1);
    home.ok(&["rm", "one"]);
}

#[test]
fn an_upgrade_that_could_not_start_changes_nothing() {
    let home = Home::new();
    home.start(&["-n", "web", "sleep 1000"]);
    let pid = || home.json(&["daemon", "status"])["daemonPid"].clone();
    let before = pid();
    let file = home.path().join("config.toml");
    std::fs::write(&file, "no_such_key = 1\n").unwrap();
    home.run(&["daemon", "upgrade"])
        .expect_code(2)
        .expect_said("no_such_key");
    std::fs::remove_file(file).unwrap();
    assert_eq!(pid(), before);
}

#[test]
fn what_is_meant_by_words_of_other_programs_is_said() {
    let home = Home::new();
    let ran = home.run(&["--json", "daemon", "status"]).expect_code(3);
    assert_eq!(ran.stdout, "{\"running\":false}\n", "{ran}");
    home.start(&["-n", "web", "sleep 1000"]);
    home.start(&["-n", "worker", "sleep 1000"]);
    for (args, code, said) in [
        (
            &["start", "sleep 5"][..],
            4,
            "to start a new job: bgproc run 'sleep 5'",
        ),
        (&["stop", "all"], 4, "--all ends every running job"),
        (
            &["restart", "all"],
            4,
            "write '*' for all jobs, g:GROUP for a group",
        ),
        (&["kill", "-HUP", "web"], 2, "bgproc kill -s HUP web"),
        (
            &["signal", "HUP", "web"],
            2,
            "the signal comes last: bgproc signal web HUP",
        ),
        (&["signal", "web", "TREM"], 2, "did you mean TERM?"),
        (
            &["group", "add", "cpu"],
            4,
            "bgproc group NAME --parallel N makes a queue",
        ),
        (&["stop", "shpo/web"], 4, "there is no project shpo"),
        (&["stop", "w"], 5, "write more of the name, or the id"),
        (&["decline", "web"], 3, "no question is open about web"),
        (
            &["capture", "web", "-o", "web.jpg"],
            2,
            "the extension .jpg stands for no format",
        ),
        (
            &["export", "web", "-o", "web.mp4"],
            2,
            "asciicast, text, html, raw",
        ),
    ] {
        home.run(args).expect_code(code).expect_said(said);
    }
    let ran = home.run(&["run", "--env-file", "/nope", "true"]);
    assert!(ran.stderr.starts_with("bgproc: /nope does not "), "{ran}");
    home.start(&["-n", "login", "stty -echo; read secret; sleep 1000"]);
    home.ok(&["wait", "login", "--for", "input"]);
    home.run_with_input(&["send", "--password", "login"], b"")
        .expect_code(2)
        .expect_said("no password was given");
}

#[test]
fn ctrl_c_during_a_stop_says_that_it_goes_on() {
    let home = Home::new();
    let deaf = "trap '' TERM; echo up; while :; do sleep 0.1; done";
    home.start(&["-n", "deaf", deaf]);
    home.ok(&["wait", "deaf", "--for", "match:up"]);
    let mut view = Terminal::new(&home, &["stop", "-t", "5s", "deaf"], (100, 10));
    eventually("it is being stopped", || {
        (home.json(&["status", "deaf"])["status"] == "stopping").then_some(())
    });
    view.send("\x03");
    view.wait_for_text("deaf is still being stopped, and killed after 5s");
    home.run(&["wait", "deaf"]).expect_code(137);
}

#[test]
fn people_are_told_which_of_several_jobs_ended() {
    let home = Home::new();
    home.start(&["-n", "web", "sleep 1000"]);
    home.start(&["-n", "lint", "exit 3"]);
    let args = ["wait", "--any", "web", "lint"];
    let mut view = Terminal::new(&home, &args, (100, 10));
    view.wait_for_text("lint  exit 3");
    assert_eq!(view.exit_code(), 3);
    // It is nothing for the next program in a pipe.
    assert_eq!(home.run(&args).expect_code(3).stdout, "");
}

#[test]
fn all_jobs_that_have_failed_are_restarted() {
    let home = Home::new();
    home.run(&["restart", "--failed"])
        .expect_code(0)
        .expect_said("no job has failed");
    home.run(&[
        "run",
        "-w",
        "-n",
        "bad",
        "test -e ok || exit 3; exec sleep 1000",
    ])
    .expect_code(3);
    home.run(&["run", "-w", "-n", "good", "true"])
        .expect_code(0);
    let go = home.path().join("go");
    let line = format!("test -e {0} || exit 3; exec sleep 1000", go.display());
    home.run(&["run", "-w", "-n", "bad", &line]).expect_code(3);
    home.start(&["-n", "web", "sleep 1000"]);
    std::fs::write(go, "").unwrap();
    let before = home.json(&["status", "web"])["pid"].clone();
    // Of two with one name, the name means the newer one.
    let said = home.ok(&["restart", "--failed"]);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("bad  running"), "{said}");
    assert_eq!(home.json(&["status", "web"])["pid"], before);
    home.run(&["restart", "--failed", "good"])
        .expect_code(0)
        .expect_said("no job has failed");
    home.run(&["restart"]).expect_code(2);
}

#[test]
fn a_job_that_waits_is_not_paused_and_its_queue_is_named() {
    let home = Home::new();
    home.ok(&["group", "builds", "--parallel", "1"]);
    home.start(&["-n", "one", "-g", "builds", "sleep 1000"]);
    home.start(&["-n", "two", "-g", "builds", "sleep 1000"]);
    let ran = home
        .run(&["pause", "two"])
        .expect_code(3)
        .expect_said("two does not run yet")
        .expect_said("bgproc group builds --pause lets its queue start nothing");
    assert!(!ran.stderr.contains("typed"), "{ran}");
}
