//! `diff`: what two runs wrote differently, and jobs that are flaky.

use crate::support::{Home, Terminal, eventually};

/// A job that has run once for each of `scripts`; each run sources the file.
fn runs(home: &Home, scripts: &[&str]) {
    let file = home.path().join("script");
    for (number, script) in scripts.iter().enumerate() {
        std::fs::write(&file, script).unwrap();
        match number {
            0 => {
                let line = format!(". {}", file.display());
                home.run(&["run", "-w", "--no-pty", "-n", "web", &line]);
            }
            _ => {
                home.ok(&["restart", "web"]);
            }
        }
        // It has ended, and it is this run that has.
        let run = number + 1;
        eventually("the end of the run", || {
            let job = home.run(&["status", "web", "--json"]).stdout;
            let job: serde_json::Value = serde_json::from_str(&job).ok()?;
            let last = job["detail"]["runs"].as_array()?.last()?.clone();
            (last["run"] == run && !last["endedAt"].is_null()).then_some(())
        });
    }
}

const GOOD: &str =
    "echo 'start pid 123 at 12:00:01'; echo a; echo 'listening on port 3000'; echo b";

#[test]
fn the_new_line_of_a_crash_stands_out() {
    let home = Home::new();
    let bad = "echo 'start pid 4567 at 13:10:55'; echo a; echo 'listening on port 4000'; \
               echo 'panic: no such table'; exit 1";
    runs(&home, &[GOOD, bad]);
    let ran = home.run(&["diff", "web"]).expect_code(1);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("--- web run 1  "), "{ran}");
    assert!(
        lines[1].starts_with("+++ web run 2  ") && lines[1].contains("exit 1"),
        "{ran}"
    );
    assert_eq!(
        lines[2..],
        [
            "@@ -1,4 +5,4 @@",
            " start pid 4567 at 13:10:55",
            " a",
            " listening on port 4000",
            "-b",
            "+panic: no such table",
        ]
    );
    let short = home
        .run(&["diff", "web", "2", "1", "-C", "0"])
        .expect_code(1);
    assert!(
        short
            .stdout
            .ends_with("@@ -8,1 +4,1 @@\n-panic: no such table\n+b\n"),
        "{short}"
    );

    let json = home.run(&["diff", "web", "--json"]).expect_code(1);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["equal"], false);
    assert_eq!(json["hunks"][0]["lines"][4]["text"], "panic: no such table");
    assert_eq!(json["runs"][1]["exitCode"], 1);

    let mut terminal = Terminal::new(&home, &["diff", "web"], (100, 30));
    terminal.wait_for_text("+panic: no such table");
    assert!(terminal.is_coloured("+panic"));
    assert_eq!(terminal.exit_code(), 1);
}

#[test]
fn runs_that_say_the_same_are_equal() {
    let home = Home::new();
    let same = "echo 'start pid 9 at 01:02:03'; echo a; echo 'listening on port 1'; echo b";
    runs(&home, &[GOOD, same]);
    let ran = home.run(&["diff", "web"]).expect_code(0);
    assert_eq!(ran.stdout, "");
    ran.expect_said("runs 1 and 2 of web wrote the same");
    home.run(&["diff", "web", "1", "1"]).expect_code(0);
    home.run(&["diff", "web", "7"])
        .expect_code(3)
        .expect_said("web has no run 7; its runs are 1 to 2");
    home.run(&["diff", "nobody"]).expect_code(4);
}

#[test]
fn one_run_has_nothing_to_compare() {
    let home = Home::new();
    home.run(&["run", "-w", "-n", "web", "true"]).expect_code(0);
    home.run(&["diff", "web"])
        .expect_code(3)
        .expect_said("web has only one run, run 1")
        .expect_said("bgproc status web lists the last runs");
}

#[test]
fn a_result_that_changes_back_is_flaky_and_a_repair_is_not() {
    let home = Home::new();
    runs(&home, &["exit 1", "exit 0"]);
    let mended = home.run(&["why", "web"]).stdout;
    assert!(!mended.contains("flaky"), "{mended}");

    let home = Home::new();
    runs(&home, &["echo x", "echo y; exit 1", "echo x"]);
    let said = "flaky 1/3: 1 of 3 runs of the same definition failed";
    let why = home.ok(&["why", "web"]);
    assert!(why.contains(said), "{why}");
    let status = home.run(&["status", "web"]).stdout;
    assert!(status.contains(said), "{status}");
    home.run(&["diff", "web"])
        .expect_code(1)
        .expect_said("web is flaky 1/3");
}
