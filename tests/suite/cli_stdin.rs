//! What is piped in, the two streams of a job with pipes, and the end of input.

use std::io::Write;
use std::process::Stdio;

use crate::support::{Home, Serve, daemon, eventually};

#[test]
fn what_is_piped_in_reaches_the_job_with_its_end() {
    let home = Home::new();
    for stay in ["-w", "-f"] {
        let ran = home
            .run_with_input(&["run", stay, "cat"], b"x\n")
            .expect_code(0);
        assert_eq!(ran.stdout, "x\n", "{ran}");
    }
    let ran = home.run_with_input(&["run", "-w", "--pty", "cat; test -t 1"], b"x");
    // Once as the echo, once from cat.
    assert_eq!(ran.expect_code(0).stdout, "xx");
    let ran = home.run_with_input(&["run", "-w", "wc -c"], &vec![b'y'; 300_000]);
    assert_eq!(ran.expect_code(0).stdout.trim(), "300000");
}

#[test]
fn an_answered_line_is_one_entry_among_the_output() {
    let home = Home::new();
    home.start(&["-n", "asks", "read a; read b; echo $a-$b; sleep 1000"]);
    home.run(&["wait", "asks", "--for", "input"]).expect_code(0);
    home.ok(&["send", "asks", "yes"]);
    home.ok(&["send", "asks", "no"]);
    home.run(&["wait", "asks", "--for", "match:yes-no"])
        .expect_code(0);
    let log = home.ok(&["logs", "--stdin", "asks"]);
    let typed = log.lines().filter_map(|line| line.split_once(" a person]"));
    let typed: Vec<&str> = typed.map(|(_, text)| text).collect();
    assert_eq!(typed, [" yes", " no"], "{log}");
}

#[test]
fn what_is_piped_in_waits_with_the_job_for_its_turn() {
    let home = Home::new();
    home.ok(&["group", "q", "--parallel", "1"]);
    home.start(&["-n", "first", "-g", "q", "read line"]);
    let connections = || home.json(&["daemon", "status"])["connections"].as_u64();
    let before = connections().unwrap();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let run = ["run", "-g", "q", "-w", "-n", "second", "cat; exit 2"];
            home.run_with_input(&run, b"x\n")
        });
        // The verb, what is skipped, the output, the input, and the turn that the input waits for.
        eventually("the input waits", || {
            connections().filter(|now| *now >= before + 5)
        });
        home.ok(&["send", "first", "go"]);
        let ran = second.join().unwrap().expect_code(2);
        assert_eq!(ran.stdout, "x\n", "{ran}");
    });
}

#[test]
fn what_is_piped_in_goes_on_with_the_next_daemon() {
    let home = Home::new();
    let mut run = home.command(&["run", "-w", "-n", "reader", "cat"]);
    run.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut run = run.spawn().unwrap();
    let mut input = run.stdin.take().unwrap();
    input.write_all(b"first\n").unwrap();
    eventually("the first line is there", || {
        let log = home.run(&["log", "reader"]);
        (log.stdout == "first\n").then_some(())
    });
    let mut serve = Serve::new(&home, &[]);
    daemon::kill(&mut serve);
    input.write_all(b"second\n").unwrap();
    drop(input);
    let ran = run.wait_with_output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "first\nsecond\n");
}

#[test]
fn bytes_go_through_a_job_unharmed() {
    let home = Home::new();
    let bytes: Vec<u8> = (0..3_000_000_u32)
        .map(|n| (n.wrapping_mul(n) >> 5) as u8)
        .collect();
    let (input, output) = (home.scratch("in"), home.scratch("out"));
    std::fs::write(&input, &bytes).unwrap();
    let mut command = home.command(&["run", "-w", "cat"]);
    command.stdin(std::fs::File::open(&input).unwrap());
    command.stdout(std::fs::File::create(&output).unwrap());
    assert!(command.status().unwrap().success());
    assert!(std::fs::read(&output).unwrap() == bytes);
}

#[test]
fn nobody_waits_for_input_that_does_not_come() {
    let home = Home::new();
    // Its other end stays open, and says nothing.
    let mut command = home.command(&["run", "-w", "-q", "echo done"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let held = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout, b"done\n");
    drop(held);
    // A job that reads no more does not hold up who writes.
    let ran = home.run_with_input(&["run", "-w", "head -c 1"], &vec![b'z'; 2_000_000]);
    assert_eq!(ran.expect_code(0).stdout, "z");
}

#[test]
fn without_anything_piped_in_a_job_has_its_terminal() {
    let home = Home::new();
    let ran = home.run(&["run", "-w", "test -t 0 && test -t 1"]);
    ran.expect_code(0);
    let command = home.command_after("exec <&-", &["run", "-w", "test -t 0 && test -t 1"]);
    Home::finish(command, &["run", "-w"]).expect_code(0);
}

#[test]
fn the_streams_of_a_job_with_pipes_stay_apart() {
    let home = Home::new();
    let script = "echo one; echo two >&2; echo three; printf four >&2";
    for stay in ["-wq", "-f"] {
        let ran = home
            .run(&["run", "-n", "both", "--no-pty", stay, script])
            .expect_code(0);
        assert_eq!(
            (&ran.stdout[..], &ran.stderr[..]),
            ("one\nthree\n", "two\nfour")
        );
    }
    home.run(&["run", "-n", "web", "--no-pty", "-wq", script])
        .expect_code(0);
    let ran = home.run(&["logs", "web"]).expect_code(0);
    assert_eq!(
        (&ran.stdout[..], &ran.stderr[..]),
        ("one\nthree\n", "two\nfour\n")
    );
    let ran = home.run(&["logs", "-f", "web"]).expect_code(0);
    assert_eq!(
        (&ran.stdout[..], &ran.stderr[..]),
        ("one\nthree\n", "two\nfour")
    );
}

#[test]
fn input_can_be_ended_and_a_pipe_takes_no_keys() {
    let home = Home::new();
    for mode in ["--pty", "--no-pty"] {
        home.start(&["-n", "cat", mode, "cat"]);
        home.ok(&["send", "cat", "x"]);
        home.ok(&["send", "--eof", "cat"]);
        home.run(&["wait", "cat"]).expect_code(0);
        home.start(&["-n", "more", mode, "cat"]);
        home.ok(&["send", "--eof", "more", "y"]);
        home.run(&["wait", "more"]).expect_code(0);
        assert!(home.ok(&["logs", "more"]).contains("y\n"));
        home.ok(&["rm", "cat", "more"]);
    }
    home.start(&["-n", "cat", "--no-pty", "cat"]);
    home.run(&["keys", "cat", "C-d"])
        .expect_code(3)
        .expect_said("bgproc send --eof cat");
}

#[test]
fn run_w_says_what_the_job_is_called_and_where_its_log_is() {
    let home = Home::new();
    let ran = home
        .run(&["run", "-w", "-n", "web", "echo hi"])
        .expect_code(0);
    let id = home.json(&["ls"])["sessions"][0]["sessionId"]
        .as_str()
        .unwrap()
        .to_owned();
    let log = format!("/sessions/{id}/output.log\n");
    assert!(
        ran.stderr
            .starts_with(&format!("bgproc: web ({id}) log: /")),
        "{ran}"
    );
    assert!(ran.stderr.ends_with(&log), "{ran}");
    assert_eq!(ran.stdout, "hi\n");
    assert_eq!(home.run(&["run", "-wq", "echo hi"]).stderr, "");
    assert_eq!(home.run(&["run", "-wq", "kill -SEGV $$"]).stderr, "");
}
