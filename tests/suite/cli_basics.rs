//! What the command line does before it talks to a daemon.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::Home;
use crate::support::fake::FakeDaemon;
use crate::support::process;

#[test]
fn version_as_text_and_as_json() {
    let home = Home::new();
    assert!(home.ok(&["--version"]).starts_with("bgproc 0."));
    assert_eq!(home.ok(&["-V"]), home.ok(&["--version"]));
    let version = home.json(&["--version"]);
    assert_eq!(version["protocol"], 1);
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn help_is_data_and_costs_no_daemon() {
    let home = Home::new();
    for args in [
        &["--help"][..],
        &["help"],
        &["run", "--help"],
        &["help", "run"],
        &["-h"],
    ] {
        let ran = home.run(args).expect_code(0);
        assert!(ran.stdout.contains("Usage: bgproc"), "{ran}");
        assert!(ran.stderr.is_empty(), "{ran}");
    }
    for topic in ["targets", "keys", "exit-codes", "agents"] {
        let chapter = home.ok(&["help", topic]);
        assert!(chapter.starts_with("# "), "not Markdown: {chapter}");
        assert!(chapter.lines().count() > 10, "{topic}");
    }
    assert!(
        process::of_home(home.path()).is_empty(),
        "help started a daemon"
    );
}

#[test]
fn what_is_misunderstood_is_said_with_our_name_and_ends_with_2() {
    let home = Home::new();
    let wrong: [&[&str]; 14] = [
        &["nosuchverb"],
        &["--nosuchflag"],
        &["run"],
        &["run", ""],
        &["run", "--size", "huge", "true"],
        &["run", "--timeout", "soon", "true"],
        &["run", "-e", "BGPROC_SURELY_NOT_SET", "true"],
        &["run", "-C", "/surely/not/there", "true"],
        &["run", "-a", "-w", "true"],
        &["stop"],
        &["stop", "web", "--all"],
        &["wait", "web", "--for", "lunch"],
        &["help", "runn"],
        &["--ascii", "ls"],
    ];
    for args in wrong {
        let ran = home.run(args).expect_code(2).expect_said("bgproc: ");
        assert!(ran.stdout.is_empty(), "{ran}");
    }
    home.run(&["stauts"]).expect_code(2).expect_said("status");
    for (args, words) in [
        (&["rnu", "true"][..], "hint: did you mean run?"),
        (
            &["run", "--env-fiel", "x", "true"],
            "hint: did you mean --env-file?",
        ),
        (&["--follow", "web"], "--follow is an option of "),
        (
            &["run", "--nmae", "x", "true"],
            "hint: did you mean --name?",
        ),
        (&["run", "-Z", "true"], "run has no option -Z"),
        (
            &["logs", "-n", "x"],
            "--lines needs a number of at least 0, not \"x\"",
        ),
        (&["stop"], "--all ends every running job"),
        (&["run", "-C", "", "true"], "-C needs a directory"),
        (&["run", "-C", "nosuch", "true"], "/nosuch does not exist"),
    ] {
        let ran = home.run(args).expect_code(2).expect_said(words);
        for theirs in ["Usage:", "as a value", "invalid digit", "error:"] {
            assert!(!ran.stderr.contains(theirs), "{ran}");
        }
    }
    home.run(&["help", "runn"])
        .expect_code(2)
        .expect_said("`run`");
    for (word, words) in [
        (
            "startup",
            "hint: bgproc daemon install brings projects, and jobs",
        ),
        ("describe", "hint: use bgproc status JOB"),
        ("monit", "hint: bgproc without a verb opens the dashboard"),
        ("stash", "hint: bgproc stop JOB takes a job"),
        ("delay", "hint: bgproc run --in 10m COMMAND"),
    ] {
        home.run(&["help", word]).expect_code(2).expect_said(words);
    }
    let limits = home.ok(&["help", "limits"]);
    for part in ["limits = { memory", "configuration.md#limits"] {
        assert!(limits.contains(part), "{limits}");
    }
    assert!(
        process::of_home(home.path()).is_empty(),
        "a mistake started a daemon"
    );
}

#[test]
fn a_bare_daemon_prints_its_help() {
    let home = Home::new();
    let ran = home.run(&["daemon"]).expect_code(2);
    assert!(ran.stderr.contains("upgrade"), "{ran}");
}

#[test]
fn without_a_daemon_its_status_is_3_and_stopping_it_is_fine() {
    let home = Home::new();
    let ran = home.run(&["daemon", "status"]).expect_code(3);
    assert!(ran.expect_said("no daemon is running").stdout.is_empty());
    home.run(&["daemon", "stop"]).expect_code(0);
    assert!(
        process::of_home(home.path()).is_empty(),
        "asking started a daemon"
    );
}

#[test]
fn a_home_that_cannot_be_is_69() {
    let home = Home::new();
    let file = home.scratch("file");
    std::fs::write(&file, "").unwrap();
    let inside = file.join("home").display().to_string();
    let ran = home.run_with_env(&["ls"], &[("BGPROC_HOME", &inside)]);
    ran.expect_code(69).expect_said(&inside);
}

#[test]
fn attaching_without_a_terminal_says_what_to_use_instead() {
    let home = Home::new();
    let ran = home.run(&["attach", "web"]).expect_code(2);
    ran.expect_said("needs a terminal")
        .expect_said("bgproc logs -f JOB");
    home.start(&["-n", "my web", "sleep 1000"]);
    let hint =
        "bgproc capture 'my web' prints the screen, bgproc logs -f 'my web' follows the output";
    for job in ["my web", "my"] {
        let ran = home.run(&["attach", job]).expect_code(2);
        ran.expect_said("needs a terminal").expect_said(hint);
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let home = Home::new();
    // The pipe is closed before anything is written, so the first write fails.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = home.command(&["--json", "--version"]);
    let output = command.stdout(writer).stderr(std::process::Stdio::piped());
    let output = output.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_full_disk_is_told() {
    let home = Home::new();
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut command = home.command(&["--version"]);
    let output = command.stdout(full).stderr(std::process::Stdio::piped());
    let output = output.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.starts_with("bgproc: cannot write the output"),
        "{said}"
    );
}

#[test]
fn what_the_system_refuses_is_said() {
    let home = Home::new();
    let gone = home.scratch("gone").display().to_string();
    let leave = format!("mkdir {gone} && cd {gone} && rmdir {gone}");
    for args in [
        &["run", "-C", "sub", "true"][..],
        &["run", "--env-file", "x", "true"],
        &["init"],
        // No project of another directory is meant instead.
        &["up"],
        &["reload"],
        &["down"],
        &["env", "web"],
    ] {
        let ran = Home::finish(home.command_after(&leave, args), args);
        let ran = ran.expect_code(1);
        ran.expect_said("bgproc: cannot find the current directory: No such file")
            .expect_said("go to another one");
    }
    // Nothing is started in another directory instead.
    let args = &["run", "touch", "here"];
    let ran = Home::finish(home.command_after(&leave, args), args);
    assert_ne!(ran.code, Some(0), "{ran}");
    ran.expect_said("bgproc: the current directory cannot be used: it may have been removed")
        .expect_said("; go to another one");
    let odd = home.scratch("odd").display().to_string();
    let enter = format!("d=$(printf '{odd}\\377'); mkdir \"$d\" && cd \"$d\"");
    let ran = Home::finish(
        home.command_after(&enter, &["run", "true"]),
        &["run", "true"],
    );
    ran.expect_said("bgproc: the current directory cannot be used: its name is not UTF-8");
    let ran = Home::finish(
        home.command_after(&leave, &["run", "-C", "/", "-w", "pwd"]),
        &[],
    );
    ran.expect_code(0);
    // Nor is a variable left out without a word.
    let odd = "ODD=$(printf '\\377'); export ODD";
    let ran = Home::finish(home.command_after(odd, &["run", "-w", "true"]), &[]);
    ran.expect_code(0)
        .expect_said("bgproc: ODD is not UTF-8: jobs do not get this variable");
    home.start(&["-n", "cat", "cat"]);
    let mut send = home.command(&["send", "cat"]);
    send.stdin(std::fs::File::open("/tmp").unwrap());
    let ran = Home::finish(send, &["send", "cat"]).expect_code(1);
    ran.expect_said("bgproc: cannot read standard input: Is a directory");
}

#[test]
fn a_bare_bgproc_without_a_terminal_is_the_list() {
    let home = Home::new();
    home.start(&["-n", "web", "sleep 1000"]);
    let listed = home.ok(&[]);
    let row = listed.lines().nth(1).unwrap();
    assert!(row.starts_with("web\trunning\t-\t"), "{listed}");
    let listed: Value = home.json(&[]);
    assert_eq!(listed["sessions"][0]["label"], "web");
}

#[test]
fn an_unknown_flag_of_run_is_no_command() {
    let home = Home::new();
    home.run(&["run", "--bogus", "true"]).expect_code(2);
    // Behind the command, flags are the command's.
    let ran = home.run(&["run", "-f", "echo", "--bogus"]).expect_code(0);
    assert_eq!(ran.stdout, "--bogus\n");
}

#[test]
fn a_wrong_configuration_is_told_by_every_verb() {
    let home = Home::with_config("max_sessions = \"x\"\n");
    let ran = home.run(&["ls"]).expect_code(2);
    ran.expect_said("config.toml:1:16");
}

#[test]
fn a_verb_has_one_thread_and_no_event_loop() {
    let home = Home::new();
    let daemon = FakeDaemon::new(&home);
    let mut client = home
        .command(&["ls"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut met = daemon.accept(1, "human");
    let asked = met.line();
    assert_eq!(asked["action"], "list");
    // It waits for the answer, with all that it has set up.
    let entries = |what: &str| std::fs::read_dir(format!("/proc/{}/{what}", client.id())).unwrap();
    assert_eq!(entries("task").count(), 1);
    let open = entries("fd").map(|fd| std::fs::read_link(fd.unwrap().path()).unwrap());
    let loops: Vec<_> = open
        .filter(|fd| fd.to_string_lossy().contains("anon_inode"))
        .collect();
    assert!(loops.is_empty(), "{loops:?}");
    met.say(&json!({"id": asked["id"], "ok": true, "result": {"sessions": [], "counts": {}}}));
    assert!(client.wait().unwrap().success());
}
