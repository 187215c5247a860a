//! Jobs from the command line: starting, ending, waiting, removing.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::process::{is_alive, write_script};
use crate::support::{Home, Ran, Terminal};

/// Pid of a job's first process.
fn pid(home: &Home, job: &str) -> u32 {
    let pid = home.json(&["ls", "-g", job])["sessions"][0]["pid"].as_u64();
    u32::try_from(pid.unwrap()).unwrap()
}

fn state(home: &Home, job: &str) -> String {
    let ran = home.run(&["--json", "status", job]);
    let record: serde_json::Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran}"));
    record["status"].as_str().unwrap().to_owned()
}

/// Sends SIGINT to a `run -f` as soon as it has printed `up`. Returns the rest of its output, which stays open.
fn interrupt_when_up(child: &mut Child) -> BufReader<ChildStdout> {
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    output
}

#[test]
fn run_prints_name_state_and_pid_and_the_job_goes_on() {
    let home = Home::new();
    let line = home.ok(&["run", "-n", "web", "-g", "g1", "sleep 1000"]);
    let pid = pid(&home, "g1");
    assert_eq!(line, format!("web  running  pid {pid}\n"));
    assert!(is_alive(pid));
    assert_eq!(state(&home, "web"), "running");
}

#[test]
fn one_argument_is_a_shell_line_and_several_are_a_program() {
    let home = Home::new();
    let ran = home
        .run(&["run", "-f", "echo $((40 + 2)) | tr 4 6"])
        .expect_code(0);
    assert_eq!(ran.stdout, "62\n");
    let ran = home
        .run(&["run", "-f", "printf", "%s|", "a b", "$HOME", "-n"])
        .expect_code(0);
    assert_eq!(ran.stdout, "a b|$HOME|-n|");
}

#[test]
fn a_job_gets_directory_environment_and_terminal() {
    let home = Home::new();
    let dir = home.scratch("x").parent().unwrap().display().to_string();
    let line = "echo $PWD $A $FROM_HERE; stty size";
    let args = [
        "run", "-f", "-C", &dir, "-e", "A=1 2", "--size", "90x30", line,
    ];
    let ran = home
        .run_with_env(&args, &[("FROM_HERE", "here")])
        .expect_code(0);
    assert_eq!(ran.stdout, format!("{dir} 1 2 here\n30 90\n"));
    let ran = home
        .run(&["run", "-f", "--no-pty", "test -t 1 || echo pipe"])
        .expect_code(0);
    assert_eq!(ran.stdout, "pipe\n");
}

#[test]
fn waiting_and_following_end_with_the_code_of_the_job() {
    let home = Home::new();
    for stay in ["-w", "-f"] {
        home.run(&["run", stay, "exit 7"]).expect_code(7);
        let ran = home.run(&["run", stay, "kill -SEGV $$"]).expect_code(139);
        ran.expect_said(" was ended by SIGSEGV");
        let line = "exec sleep 1000";
        let ran = home.run(&["run", stay, "-n", "slow", "--timeout", "200ms", line]);
        let limit = "slow reached its time limit of 200 ms (SIGTERM)";
        ran.expect_code(124).expect_said(limit);
        home.run(&["wait", "slow"])
            .expect_code(124)
            .expect_said(limit);
        home.run(&["run", stay, "kill -40 $$"]).expect_code(168);
        home.run(&["run", stay, "true"]).expect_code(0);
    }
    let id = home.start(&["exit 9"]);
    home.run(&["wait", &id]).expect_code(9);
}

#[test]
fn a_program_that_is_not_there_is_127_and_leaves_no_job() {
    let home = Home::new();
    for args in [
        &["run", "surely-not-there"][..],
        &["run", "surely-not-there", "x"],
        &["run", "surely-not-there x"],
    ] {
        let ran = home.run(args).expect_code(127);
        let ran = ran.expect_said("surely-not-there was not found on PATH");
        assert!(
            !ran.stderr.contains("/bin") && !ran.stderr.contains("hint"),
            "{ran}"
        );
    }
    let file = home.scratch("no-exec");
    std::fs::write(&file, "#!/bin/sh\n").unwrap();
    let file = file.display().to_string();
    for args in [
        &["run", &file][..],
        &["run", &file, "x"],
        &["run", &format!("{file} -x")],
    ] {
        home.run(args).expect_code(126).expect_said("no-exec");
    }
    assert_eq!(home.json(&["ls"])["sessions"].as_array().unwrap().len(), 0);
}

#[test]
fn stop_ends_the_tree_and_says_how() {
    let home = Home::new();
    home.start(&["-n", "web", "-g", "g1", "sleep 1000 & sleep 1001; true"]);
    let pid = pid(&home, "g1");
    let said = home.ok(&["stop", "web"]);
    assert!(
        said.starts_with("web  stopped (") && said.ends_with("s)\n"),
        "{said}"
    );
    assert!(!is_alive(pid));
    assert_eq!(state(&home, "web"), "killed");
    // A second time there is nothing to do, and that is fine.
    let again = home.ok(&["stop", "web"]);
    assert!(again.starts_with("web  had already ended ("), "{again}");
}

#[test]
fn a_signal_that_is_ignored_is_followed_by_kill() {
    let home = Home::new();
    let id = home.start(&[
        "-n",
        "deaf",
        "trap '' TERM; echo deaf; while :; do sleep 1000; done",
    ]);
    home.run(&["wait", "deaf", "--for", "match:deaf", "--timeout", "15s"])
        .expect_code(0);
    let said = home.ok(&["stop", "-t", "100ms", "deaf"]);
    assert!(said.contains("SIGKILL"), "{said}");
    assert_eq!(state(&home, &id), "killed");
}

#[test]
fn each_of_several_jobs_has_its_own_time_of_stopping() {
    let home = Home::new();
    let deaf = "trap '' TERM; echo deaf; while :; do sleep 0.1; done";
    home.start(&["-n", "deaf", deaf]);
    home.start(&["-n", "quick", "exec sleep 1000"]);
    home.run(&["wait", "deaf", "--for", "match:deaf", "--timeout", "15s"])
        .expect_code(0);
    let said = home.ok(&["stop", "-t", "3s", "deaf", "quick"]);
    let took = |name: &str| -> f64 {
        let line = said.lines().find(|line| line.starts_with(name)).unwrap();
        let time = line.rsplit(", ").next().unwrap().trim_end_matches("s)");
        time.parse().unwrap()
    };
    assert!(
        took("deaf") >= 3.0 && took("quick") < took("deaf"),
        "{said}"
    );
}

#[test]
fn a_person_gives_jobs_ten_seconds_or_what_the_configuration_says() {
    let home = Home::new();
    // Longer than the two seconds that agents give.
    let slow = "trap 'sleep 2.5; exit 7' TERM; echo up; while :; do sleep 0.1; done";
    home.start(&["-n", "slow", slow]);
    home.run(&["wait", "slow", "--for", "match:up", "--timeout", "15s"])
        .expect_code(0);
    let said = home.ok(&["stop", "slow"]);
    assert!(said.contains("(exit 7, "), "{said}");
    home.run(&["stop", "-t", "31m", "slow"])
        .expect_code(2)
        .expect_said("--grace is at most 30m");

    let home = Home::with_config("stop_grace_ms = 100\n");
    home.start(&[
        "-n",
        "deaf",
        "trap '' TERM; echo up; while :; do sleep 1000; done",
    ]);
    home.run(&["wait", "deaf", "--for", "match:up", "--timeout", "15s"])
        .expect_code(0);
    assert!(home.ok(&["restart", "deaf"]).contains("running"));
    home.run(&["wait", "deaf", "--for", "match:up", "--timeout", "15s"])
        .expect_code(0);
    assert!(home.ok(&["stop", "deaf"]).contains("SIGKILL"));
}

#[test]
fn kill_is_stop_with_kill_and_all_means_all() {
    let home = Home::new();
    home.start(&["-n", "one", "sleep 1000"]);
    home.start(&["-n", "two", "sleep 1000"]);
    home.start(&["-n", "three", "sleep 1000"]);
    assert!(home.ok(&["kill", "one"]).contains("SIGKILL"));
    let said = home.ok(&["stop", "--all"]);
    assert_eq!(said.lines().count(), 2, "{said}");
    home.run(&["stop", "--all"])
        .expect_code(0)
        .expect_said("no job is running");
}

#[test]
fn several_targets_with_a_miss_act_on_the_rest_and_end_with_4() {
    let home = Home::new();
    home.start(&["-n", "web", "sleep 1000"]);
    let ran = home.run(&["stop", "nix", "web"]).expect_code(4);
    assert!(ran.stdout.starts_with("web  stopped"), "{ran}");
    ran.expect_said("there is no job `nix`");
    home.run(&["status", "weg"])
        .expect_code(4)
        .expect_said("did you mean `web`?");
}

#[test]
fn a_target_that_means_several_is_refused_with_the_candidates() {
    let home = Home::new();
    let one = home.start(&["-n", "web1", "sleep 1000"]);
    let two = home.start(&["-n", "web2", "sleep 1001"]);
    let ran = home.run(&["stop", "web"]).expect_code(5);
    let said = ran.stderr.clone();
    // By name, id and age, the newest first.
    for line in [
        format!("web2  {two}  running  0s"),
        format!("web1  {one}  "),
    ] {
        assert!(said.contains(&line), "{said}");
    }
    ran.expect_said("sleep 1001");
    home.ok(&["stop", &one[..6], &two[..6]]);
    // All of a group or a pattern are meant at once.
    home.start(&["-n", "a1", "-g", "shop", "sleep 1000"]);
    home.start(&["-n", "a2", "-g", "shop", "sleep 1000"]);
    assert_eq!(home.ok(&["pause", "g:shop"]).matches("paused").count(), 2);
    assert_eq!(home.ok(&["stop", "a?"]).lines().count(), 2);
}

#[test]
fn people_are_told_of_jobs_by_name_and_of_options_as_they_typed_them() {
    let home = Home::new();
    home.run(&["run", "-w", "-n", "lint", "true"])
        .expect_code(0);
    let ran = home.run(&["pause", "lint"]).expect_code(3);
    ran.expect_said("lint is not running");
    home.run(&["send", "lint", "x"])
        .expect_code(3)
        .expect_said("lint is not running");
    home.start(&["-n", "web", "sleep 1000"]);
    let ran = home.run(&["stop", "-s", "FOO", "web"]).expect_code(2);
    ran.expect_said("--signal: `FOO` is not a signal");
    home.run(&["logs", "./web.log"])
        .expect_code(4)
        .expect_said("`./web.log` is not a job: it is a path");
    home.run(&["logs", "+web"])
        .expect_code(4)
        .expect_said("there is no job `+web`");
}

#[test]
fn a_dash_is_the_job_of_the_last_verb_on_the_same_terminal() {
    let home = Home::new();
    home.start(&["-n", "web", "echo of web; sleep 1000"]);
    home.start(&["-n", "api", "echo of api; sleep 1000"]);
    let line = |words: &str| format!("{} {words}\r", env!("CARGO_BIN_EXE_bgproc"));
    let mut one = Terminal::shell(&home, (150, 40));
    let mut other = Terminal::shell(&home, (150, 40));
    one.wait_for_text("$");
    one.send(line("logs"));
    one.wait_for_text("on this terminal, and no command has used one yet");
    one.send(line("wait web --for match:of"));
    one.send(line("status - | sed -n 's/sleep/ONE/p'"));
    one.wait_for_text("echo of web; ONE");
    other.wait_for_text("$");
    other.send(line("wait api --for match:of"));
    other.send(line("logs | tr a-z A-Z"));
    other.wait_for_text("OF API");
    // The other one's verbs are not this one's, whatever its standard streams are.
    one.send(line("logs < /dev/null 2>&1 | tr a-z A-Z"));
    one.wait_for_text("OF WEB");
    for args in [&["status", "-"][..], &["logs"], &["stop", "-"]] {
        let mut words = vec!["setsid", "-w", env!("CARGO_BIN_EXE_bgproc")];
        words.extend(args);
        home.run_command(home.command_through(&words), args)
            .expect_code(4)
            .expect_said("which needs a terminal");
    }
    assert_eq!(state(&home, "api"), "running");
    one.send(line("rm -f web"));
    one.wait_for_text("removed 1 job");
    one.send(line("logs"));
    one.wait_for_text("was removed at");
    assert!(one.text().contains("bgproc: job "), "{}", one.text());
}

#[test]
fn a_wait_says_that_the_job_could_not_be_started() {
    let home = Home::new();
    let (gate, program) = (home.gate(), home.scratch("program"));
    let shown = program.display().to_string();
    write_script(&program, "#!/bin/sh\n");
    let script = format!("read _ <{}", gate.display());
    home.start(&["-n", "first", &script]);
    home.start(&["-n", "second", "--after", "first", &shown, "x"]);
    std::fs::remove_file(&program).unwrap();
    std::fs::write(&gate, "\n").unwrap();
    home.run(&["wait", "second"])
        .expect_code(1)
        .expect_said("second could not be started: No such file or directory");
}

#[test]
fn status_tells_running_from_ended_from_unknown() {
    let home = Home::new();
    home.start(&["-n", "web", "sleep 1000"]);
    home.start(&["-n", "lint", "exit 1"]);
    home.run(&["wait", "lint"]).expect_code(1);
    let up = home.run(&["status", "web"]).expect_code(0);
    assert!(up.stdout.contains("sleep 1000"), "{up}");
    let down = home.run(&["show", "lint"]).expect_code(3);
    assert!(down.stdout.starts_with("lint  exit 1\n"), "{down}");
    home.run(&["inspect", "nix"]).expect_code(4);
}

#[test]
fn pause_and_resume_and_restart_say_the_new_state() {
    let home = Home::new();
    let id = home.start(&["-n", "web", "sleep 1000"]);
    assert_eq!(state(&home, "web"), "running");
    assert!(home.ok(&["pause", "web"]).starts_with("web  paused"));
    assert_eq!(state(&home, "web"), "paused");
    assert!(home.ok(&["resume", "web"]).starts_with("web  running"));
    let before = home.json(&["status", "web"])["pid"].clone();
    assert!(home.ok(&["restart", "web"]).starts_with("web  running"));
    let now = home.json(&["status", "web"]);
    assert_eq!(
        (now["sessionId"].as_str(), now["restarts"].as_u64()),
        (Some(&id[..]), Some(1))
    );
    assert_ne!(now["pid"], before);
}

#[test]
fn wait_for_a_line_for_quiet_and_not_for_ever() {
    let home = Home::new();
    home.start(&["-n", "web", "echo listening on 3000; exec sleep 1000"]);
    home.run(&[
        "wait",
        "web",
        "--for",
        r"match:listening on \d+",
        "--timeout",
        "15s",
    ])
    .expect_code(0);
    home.run(&["wait", "web", "--for", "quiet:50ms"])
        .expect_code(0);
    let ran = home.run(&["wait", "web", "--timeout", "50ms"]);
    ran.expect_code(124).expect_said("the timeout expired");
    // What ended first cannot match any more.
    home.start(&["-n", "brief", "true"]);
    home.run(&["wait", "brief", "--for", "match:never"])
        .expect_code(3);
}

#[test]
fn a_timeout_may_be_longer_than_the_clock_can_say() {
    let home = Home::new();
    home.start(&["-n", "web", "true"]);
    let seconds = u64::MAX.to_string();
    home.run(&["wait", "web", "--timeout", &seconds])
        .expect_code(0);
    let dir = home.scratch("shop");
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(
        dir.join("bgproc.toml"),
        "version = 1\n[jobs.api]\nrun = \"sleep 1000\"\n",
    )
    .unwrap();
    for verb in ["up", "down"] {
        let args = [verb, "--timeout", &seconds];
        let mut command = home.command(&args);
        command.current_dir(&dir);
        Home::finish(command, &args).expect_code(0);
    }
}

#[test]
fn wait_for_several_takes_all_or_any() {
    let home = Home::new();
    home.start(&["-n", "good", "true"]);
    home.start(&["-n", "bad", "exit 3"]);
    home.start(&["-n", "long", "sleep 1000"]);
    home.run(&["wait", "good", "bad"]).expect_code(3);
    home.run(&["wait", "--any", "bad", "long"]).expect_code(3);
    home.run(&["wait", "good", "nix"]).expect_code(4);
}

#[test]
fn rm_forgets_what_is_over_and_refuses_what_runs() {
    let home = Home::new();
    let gone = home.start(&["-n", "gone", "true"]);
    home.start(&["-n", "web", "sleep 1000"]);
    home.run(&["wait", "gone"]).expect_code(0);
    let ran = home.run(&["rm", "web", "gone"]).expect_code(3);
    assert!(ran.stdout.starts_with("removed 1 job, "), "{ran}");
    ran.expect_said("web is running")
        .expect_said("bgproc stop web");
    // Its id is remembered a while: it was there.
    home.run(&["status", &gone])
        .expect_code(4)
        .expect_said("was removed");
    assert!(
        home.ok(&["rm", "--force", "web"])
            .starts_with("removed 1 job")
    );
}

#[test]
fn clean_takes_what_is_over_and_can_only_say_so() {
    let home = Home::new();
    let ended = |command: &str| {
        let id = home.start(&[command]);
        home.run(&["wait", &id]);
    };
    ended("true");
    ended("exit 1");
    home.start(&["-n", "web", "sleep 1000"]);
    let dry = home.ok(&["clean", "--dry-run"]);
    assert!(dry.contains("would remove 2 jobs"), "{dry}");
    assert!(home.ok(&["prune", "--failed"]).starts_with("removed 1 job"));
    assert!(home.ok(&["clean"]).starts_with("removed 1 job"));
    assert_eq!(home.json(&["ls"])["sessions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_time_limit_ends_a_job() {
    let home = Home::new();
    home.start(&["-n", "slow", "--timeout", "100ms", "sleep 1000"]);
    let ran: Ran = home.run(&["wait", "slow"]);
    assert_eq!(ran.code, Some(124), "{ran}");
    assert_eq!(state(&home, "slow"), "timed_out");
}

#[test]
fn a_follower_ends_with_its_reader_although_the_job_is_quiet() {
    let home = Home::new();
    home.start(&["-n", "web", "echo ready; exec sleep 1000"]);
    for follow in [
        "logs -f web",
        "logs -f web --grep ready",
        "run -f -n other 'echo ready; exec sleep 1000'",
    ] {
        let line = format!("\"$0\" {follow} | head -n 1");
        let mut command = home.command_through(&["sh", "-c", &line, env!("CARGO_BIN_EXE_bgproc")]);
        let output = command.output().unwrap();
        assert_eq!(output.stdout, b"ready\n", "{follow}");
    }
    assert_eq!(state(&home, "other"), "running");
}

#[test]
fn ctrl_c_ends_the_following_and_not_the_job() {
    use std::os::unix::process::ExitStatusExt;

    let home = Home::new();
    let mut command = home.command(&["run", "-f", "-n", "web", "echo up; exec sleep 1000"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _output = interrupt_when_up(&mut child);
    let output = child.wait_with_output().unwrap();
    // By the signal itself, so that a loop of a shell ends, too.
    assert_eq!(output.status.signal(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected = "bgproc: web keeps running; to end it: bgproc stop web\n";
    assert!(said.ends_with(expected), "{said}");
    assert_eq!(state(&home, "web"), "running");
}

#[test]
fn where_ctrl_c_is_ignored_the_following_goes_on() {
    let home = Home::new();
    let run = ["run", "-f", "-n", "web", "echo up; read answer; exit 4"];
    // As a shell without job control runs what is in the background.
    let mut command = home.command_after("trap '' INT", &run);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let _output = interrupt_when_up(&mut child);
    home.ok(&["send", "web", "go"]);
    assert_eq!(child.wait().unwrap().code(), Some(4));
}
